"""Whether a kernel of words, added to the kernel of all columns, makes machines for tables better.

A machine for a table multiplies what its columns say: words and numbers enter one distance. Here
its best kernels k get neighbours s k_words + (1 - s) k, where k_words sees the same columns of
words at the same width, and the average is chosen again among all of them.

    python -m benchmarks.table_words [table ...] [--splits 3] [--rows 800]
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pandas as pd

from benchmarks.table_data import Split, split
from maxmargin import TableSVC, TableSVR
from maxmargin.tabular import table_machine
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.least_squares import solve
from maxmargin.tabular.machine import choose_members
from maxmargin.tabular.preparation import BLOCKS, Rows
from maxmargin.tabular.search import FINALISTS, SearchResult, Trial
from maxmargin.tabular.task import Task

TABLES = ("bank", "titanic", "heart", "abalone", "added words", "crossed words", "both")
WORDS = BLOCKS.index("levels"), BLOCKS.index("target means")
SHARES = (0.3, 0.6)  # of the kernel of words
RIDGES = (0.3, 1.0, 3.0)
KERNELS = 4  # that get neighbours


@dataclass(frozen=True)
class Machine:
    """A trial, and how its kernel is made."""

    trial: Trial
    share: float


def compare(data: Split) -> tuple[list[float], list[float], float]:
    """Return left-out error and test score, without and with sums, and the share of sums."""
    model, task, found, offset = _search(data)
    products = [_judge(task, trial.candidate, 0.0, found) for trial in found.finalists]
    kernels = {replace(m.trial.candidate, ridge=1.0): m.trial.candidate for m in reversed(products)}
    best = list(reversed(kernels.values()))[:KERNELS]
    sums = [
        _judge(task, replace(each, ridge=each.ridge * ridge), share, found)
        for each in best
        for share in SHARES
        for ridge in RIDGES
    ]
    before, _ = _of_average(model, task, found, offset, products, data)
    after, taken = _of_average(model, task, found, offset, [*products, *sums], data)
    return before, after, taken


def _search(data: Split) -> tuple[Any, Task, SearchResult, Any]:
    """Fit a machine as the library does; return it and what its search found."""
    model = TableSVR() if data.quantity else TableSVC()
    with patch.object(table_machine, "fit_members", wraps=table_machine.fit_members) as spy:
        model.fit(data.train, data.y_train)
    task, found, offset = spy.call_args.args[:3]
    return model, task.part(found.sample), found, offset


def _kernel(candidate: Candidate, share: float, A: Rows, B: Rows) -> Any:
    """Evaluate the sum of the kernel of words and that of all columns."""
    K = (1.0 - share) * _product(candidate, A, B)
    return K + share * _product(candidate, _words(A), _words(B)) if share else K


def _product(candidate: Candidate, A: Rows, B: Rows) -> Any:
    return candidate.kernel(candidate.scaled(A, np.float64), candidate.scaled(B, np.float64))


def _words(rows: Rows) -> Rows:
    kept = np.isin(rows.block, WORDS)
    return Rows(rows.X[:, kept], rows.block[kept], rows.group[kept])


def _judge(task: Task, candidate: Candidate, share: float, found: SearchResult) -> Machine:
    """Leave rows out; the loss is that of rows which had no part in weights of columns."""
    K = _kernel(candidate, share, task.rows, task.rows)
    left_out = solve(K, task.Y, candidate.ridge, task.weight)
    if left_out is None:
        raise ValueError("The kernel matrix is singular.")
    off, rows = np.square(left_out.values - task.Y).mean(axis=1), found.unseen
    weight = None if task.weight is None else task.weight[rows]
    scale = float(np.square(task.Y).mean())
    loss = float(np.average(off[rows], weights=weight)) / scale
    return Machine(Trial(candidate, len(task), loss, left_out), share)


def _of_average(
    model: Any, task: Task, found: SearchResult, offset: Any, tried: list[Machine], data: Split
) -> tuple[list[float], float]:
    """Choose the average of the best; return its left-out loss and test score, and its sums."""
    order = sorted(tried, key=lambda each: each.trial.loss)[:FINALISTS]
    chosen = choose_members(task, [each.trial for each in order], found.unseen)
    share_of = {id(each.trial): each.share for each in order}
    new = model._prepared(data.test)
    values, left_out, taken = np.zeros((len(new.X), len(offset))) + offset, 0.0, 0.0
    for trial, part in chosen:
        share = share_of[id(trial)]
        taken += part * (share > 0)
        values += part * _kernel(trial.candidate, share, new, task.rows) @ trial.found.beta
        left_out = left_out + part * trial.found.values
    off = np.square(left_out - task.Y).mean(axis=1)[found.unseen]
    weight = None if task.weight is None else task.weight[found.unseen]
    loss = float(np.average(off, weights=weight)) / float(np.square(task.Y).mean())
    return [loss, _score(model, values, data)], taken


def _score(model: Any, values: Any, data: Split) -> float:
    """Return the accuracy, or R² of the shape of the target that is learned."""
    if data.quantity:
        y, said = model.shape_.of(data.y_test), values[:, 0] * model.scale_ + model.offset_
        return float(1.0 - np.square(y - said).mean() / y.var())
    many = values.shape[1] > 1
    code = values.argmax(axis=1) if many else (values[:, 0] > 0).astype(int)
    return float((model.classes_[code] == data.y_test).mean())


def generated(kind: str, rows: int, seed: int) -> Split:
    """Draw a table whose words add to what its numbers say, cross with them, or both."""
    random = np.random.default_rng(seed)
    n = rows + 3000
    z, codes = random.normal(size=(n, 4)), random.integers(0, [3, 6, 12, 30], size=(n, 4))
    effects = [random.normal(size=30) for _ in range(4)]
    value = np.sin(2.0 * z[:, 0]) + z[:, 1] * z[:, 2] + 0.7 * random.normal(size=n)
    if kind in ("added words", "both"):
        value += sum(effect[code] for effect, code in zip(effects, codes.T, strict=True))
    if kind in ("crossed words", "both"):
        value += z[:, 3] * effects[1][codes[:, 1]] + z[:, 0] * effects[2][codes[:, 2]]
    frame = pd.DataFrame(z).rename(columns=lambda j: f"z{j}")
    for j, code in enumerate(codes.T):
        frame[f"w{j}"] = [f"v{c}" for c in code]
    return Split(frame[:rows], frame[rows:], value[:rows], value[rows:], True)


def _splits(name: str, rows: int, count: int) -> Iterator[Split]:
    for seed in range(count):
        own = name in TABLES[-3:]
        yield generated(name, rows, seed) if own else split(name, rows, seed)


def main() -> None:
    """Print a line for each table: means over splits."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tables", nargs="*", default=TABLES)
    parser.add_argument("--splits", type=int, default=3)
    parser.add_argument("--rows", type=int, default=800)
    asked = parser.parse_args()
    print("table            left-out loss     test score        gain     share of sums")
    for name in asked.tables:
        found = [compare(each) for each in _splits(name, asked.rows, asked.splits)]
        loss, score = np.mean([before for before, _, _ in found], axis=0)
        new_loss, new_score = np.mean([after for _, after, _ in found], axis=0)
        gains = [after[1] - before[1] for before, after, _ in found]
        error = np.std(gains, ddof=1) / len(gains) ** 0.5 if len(gains) > 1 else 0.0
        print(
            f"{name:<15}  {loss:.4f} {new_loss:.4f}     {score:.4f} {new_score:.4f}     "
            f"{new_score - score:+.4f} ± {error:.4f}  {np.mean([t for _, _, t in found]):.2f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
