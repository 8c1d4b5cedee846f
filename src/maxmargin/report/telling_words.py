"""The words that speak most for each class, by the linear machines that read a model's texts."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.compose import ColumnTransformer
from sklearn.pipeline import Pipeline

from maxmargin.job.texts import TextsAsNumbers
from maxmargin.tabular.ngrams import count_ngrams
from maxmargin.tabular.text_vectors import TextVectors
from maxmargin.tabular.texts import Vocabulary

SHOWN = 10  # words of a class
RAREST = 3  # texts that a word needs to be shown
MOST_LETTERS = 5_000_000  # of the texts that words are looked for in
LONGEST_SHOWN = 24  # letters
_WORD = re.compile(r"[^\W_]+")


@dataclass(frozen=True)
class TellingWords:
    """Words of a column that speak for a class, or for a larger quantity; the strongest first."""

    column: str
    label: Any
    words: tuple[str, ...]


def find_telling_words(model: Pipeline, X: Any, classes: Sequence[Any]) -> list[TellingWords]:
    """Find the words with the largest weights.

    Parameters
    ----------
    model : Pipeline
        Fitted.
    X : DataFrame
        The rows that it learned from.
    classes : sequence
        Of the target; none of a quantity, whose labels are "more" and "less".

    Returns
    -------
    list of TellingWords
        Nothing where no linear machine reads texts.
    """
    labels = classes if len(classes) else ("less", "more")
    found = []
    for column, vocabulary, weights in _machines(model):
        words, columns = _name_words(X[column].to_list(), vocabulary)
        sides = weights.T if weights.shape[1] > 1 else [-weights[:, 0], weights[:, 0]]
        for label, side in zip(labels, sides, strict=True):
            telling = _strongest(words, np.asarray(side)[columns])
            found.append(TellingWords(column, label, telling))
    return [each for each in found if each.words]


def _machines(model: Pipeline) -> Iterator[tuple[str, Vocabulary, NDArray[Any]]]:
    """Yield what reads texts: a column, its n-grams, and their weights for each output."""
    first, last = model[0], model[-1]
    if isinstance(first, TextsAsNumbers):
        for each in first.columns_:
            yield each.name, each.vocabulary, each.weights
    if isinstance(first, ColumnTransformer) and hasattr(last, "coef_"):
        weights = np.atleast_2d(last.coef_).T
        for name, step, column in first.transformers_:
            if isinstance(step, TextVectors):
                yield column, step.vocabulary_, weights[first.output_indices_[name]]


def _name_words(
    texts: Sequence[str | None], known: Vocabulary
) -> tuple[list[str], NDArray[np.intp]]:
    """List words that several texts hold, with their columns.

    N-grams share columns: a word is named where most texts that use its column hold it.
    """
    held, read = _count_words(texts, known.longest)
    words = [word for word, n in held.items() if n >= RAREST and len(word) <= LONGEST_SHOWN]
    using = read * (1.0 + len(texts)) / len(texts) * np.exp(1.0 - known.rarity)
    own = known.kinds[1].start
    place = {int(bucket): own + n for n, bucket in enumerate(known.buckets[own:])}
    columns: dict[str, int] = {}
    for word, bucket in zip(words, _buckets(words), strict=True):
        column = place.get(bucket)
        if column is not None and 2 * held[word] > using[column]:
            columns[word] = column
    return list(columns), np.array([*columns.values()], dtype=np.intp)


def _count_words(texts: Sequence[str | None], longest: int) -> tuple[Counter[str], int]:
    """Count the texts that hold each word; also returns how many texts were read."""
    held: Counter[str] = Counter()
    letters = 0
    for read, text in enumerate(texts, 1):
        part = (text or "")[:longest].lower()
        held.update({*_WORD.findall(part)})
        letters += len(part)
        if letters > MOST_LETTERS:
            return held, read
    return held, len(texts)


def _buckets(words: Sequence[str]) -> Iterator[int]:
    """Yield the bucket of each word: the highest, as runs of letters have lower ones."""
    for counts in count_ngrams(words, LONGEST_SHOWN):
        for first, end in pairwise(counts.indptr.tolist()):
            yield int(counts.indices[first:end].max())


def _strongest(words: list[str], weights: NDArray[Any]) -> tuple[str, ...]:
    best = np.argsort(-weights, kind="stable")[:SHOWN]
    return tuple(words[place] for place in best if weights[place] > 0)
