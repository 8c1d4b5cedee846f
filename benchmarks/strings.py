"""Kernels of strings: seconds for a Gram matrix, and accuracy on real sequences and texts.

The spectrum kernel against scikit-learn's CountVectorizer and a sparse product; the subsequence
kernel against its recursion in plain NumPy, of which a few pairs are timed and all are reckoned.
Accuracy is the mean over ten fixed folds, kernel and C chosen by three folds of the training part.
"""

from __future__ import annotations

import lzma
from typing import Any

import numpy as np

from benchmarks import contest
from benchmarks.contest import OURS, SKLEARN
from benchmarks.record import Row
from benchmarks.source import folder

PLAIN = "plain NumPy"
PAIRS = 12  # of the plain recursion

Labelled = tuple[list[str], Any]


def splice() -> Labelled:
    with lzma.open(folder() / "sequences" / "splice.data.xz", "rt") as lines:
        rows = [line.split(",") for line in lines]
    return [row[2].strip() for row in rows], np.array([row[0].strip() for row in rows])


def messages() -> Labelled:
    path = folder() / "text" / "SMSSpamCollection.xz"
    with lzma.open(path, "rt", encoding="utf-8") as lines:
        rows = [line.rstrip("\n").split("\t", 1) for line in lines]
    return [row[1] for row in rows], np.array([row[0] == "spam" for row in rows])


def generated(n: int) -> list[str]:
    rng = np.random.default_rng(0)
    return ["".join(rng.choice(list("ACGT"), size=60)) for _ in range(n)]


def counted(strings: list[str]) -> Any:
    from sklearn.feature_extraction.text import CountVectorizer

    X = CountVectorizer(analyzer="char", ngram_range=(5, 5)).fit_transform(strings)
    return X @ X.T


def spectrum(strings: list[str], repeats: int) -> Row:
    from maxmargin.kernels import Spectrum

    kernel = Spectrum(5)
    kernel(strings[:300])  # compiles
    calls = {OURS: lambda: kernel(strings), SKLEARN: lambda: counted(strings)}
    seconds, found = contest.interleave(calls, dict.fromkeys(calls, repeats))
    apart = float(np.abs(found[OURS] - found[SKLEARN].toarray()).max())
    medians = contest.medians(seconds)
    return _row(
        repr(kernel), strings, medians, medians[SKLEARN], f"differs by {apart:g}" * (apart > 0)
    )


def subsequence(strings: list[str], repeats: int) -> Row:
    from maxmargin.kernels import Subsequence
    from maxmargin.ops.reference.string_subsequence import subsequence_value

    kernel = Subsequence(4)
    kernel(strings[:20])
    some = kernel.prepare(strings[: PAIRS + 1])
    codes = np.split(some.codes, some.starts[1:-1])

    def plain() -> list[float]:
        return [subsequence_value(codes[0], other, 4, 0.5) for other in codes[1:]]

    calls: dict[str, Any] = {OURS: lambda: kernel(strings), PLAIN: plain}
    seconds, found = contest.interleave(calls, {OURS: min(repeats, 3), PLAIN: repeats})
    medians = contest.medians(seconds)
    pairs = len(strings) * (len(strings) + 1) / 2
    medians[PLAIN] *= pairs / PAIRS
    same = np.allclose(found[OURS][0, 1 : PAIRS + 1], found[PLAIN], rtol=1e-12)
    return _row(repr(kernel), strings, medians, medians[PLAIN], "" if same else "values differ")


def _row(task: str, strings: list[str], seconds: Any, peer: float, objection: str) -> Row:
    ratio = peer / seconds[OURS]
    facts = {"data": "splice", "task": task, "rows": len(strings), "objection": objection}
    return {**facts, "seconds": seconds, "ratio": ratio}


def accuracy(name: str, data: Labelled, kernels: list[Any], scoring: str) -> Row:
    from sklearn.model_selection import GridSearchCV, StratifiedKFold, cross_val_score

    from maxmargin import SVC

    inner, outer = (StratifiedKFold(n, shuffle=True, random_state=0) for n in (3, 10))
    grid = {"kernel": kernels, "C": [1.0, 10.0]}
    search = GridSearchCV(SVC(cache_size=1000), grid, cv=inner, scoring=scoring)
    spent, scores = contest.timed(lambda: cross_val_score(search, *data, cv=outer, scoring=scoring))
    facts = {"data": name, "task": scoring, "rows": len(data[1]), "seconds": {OURS: spent}}
    tried = [repr(kernel) for kernel in kernels]
    return {**facts, "score": float(scores.mean()), "folds": scores.tolist(), "kernels": tried}


def measure(small: bool, repeats: int) -> list[Row]:
    from maxmargin.kernels import Spectrum, WeightedDegree

    try:
        sequences, texts = splice(), messages()
    except FileNotFoundError:
        print(f"No sequences in {folder()}: generated ones, and no accuracy. Set MAXMARGIN_DATA.")
        strings = generated(300 if small else 3_000)
        return [spectrum(strings, repeats), subsequence(strings[: len(strings) // 3], repeats)]
    n, few = (300, 100) if small else (3_000, 1_000)
    rows = [spectrum(sequences[0][:n], repeats), subsequence(sequences[0][:few], repeats)]
    if small:
        sequences, texts = ((items[::10], labels[::10]) for items, labels in (sequences, texts))
    aligned = [WeightedDegree(5).normalized(), WeightedDegree(12, shifts=1).normalized()]
    letters = [Spectrum(4, shortest=2).normalized(), Spectrum(5, shortest=3).normalized()]
    rows.append(accuracy("splice", sequences, aligned, "accuracy"))
    rows.append(accuracy("SMS spam", texts, letters, "f1"))
    return rows
