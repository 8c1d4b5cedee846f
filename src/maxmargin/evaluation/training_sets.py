"""Training sets drawn again and again: from a source of rows, or from the rows there are.

From a source every set is new. Of given rows one half is judged and the other is a pool, of which
each set is one half (as in Kohavi and Wolpert, ICML 1996): sets overlap, so that what varies
from one to the next is a little less than it would be of new rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state

from maxmargin.evaluation.rows import Rows
from maxmargin.inputs.container import by_position, column_names, count_rows
from maxmargin.inputs.parameters import ParameterError, check_number

Sample = Callable[[RandomState], tuple[Any, Any]]

_LEAST = 4  # rows of a class, of which one at least is to be in each of four parts


@dataclass(frozen=True)
class TrainingSets:
    """Rows to be judged on, and sets to learn from."""

    X: Any
    y: NDArray[Any] | None
    draws: Callable[[], Iterator[Rows]]

    @classmethod
    def of(
        cls, owner: str, X: Any, y: Any, sample: Any, n_repeats: int, seed: Any, classify: bool
    ) -> TrainingSets:
        """Judge on all given rows where there is a source, and on one half of them otherwise."""
        check_number(owner, "n_repeats", n_repeats, 2, whole=True)
        random = check_random_state(seed)
        X = X if column_names(X) is not None else by_position(X)
        if count_rows(X) == 0:
            raise ValueError(f"X has no rows for {owner} to judge models on.")
        if sample is None:
            return cls._halved(owner, X, y, n_repeats, random, classify)
        if not callable(sample):
            raise ParameterError(
                f"The 'sample' parameter of {owner} must be a function of a RandomState that gives"
                f" X and y, or None. Got {sample!r} instead."
            )
        judged = None if y is None else Rows.of(X, y).y
        return cls(X, judged, lambda: _new(owner, sample, random, n_repeats))

    @classmethod
    def _halved(
        cls, owner: str, X: Any, y: Any, n_repeats: int, random: RandomState, classify: bool
    ) -> TrainingSets:
        if y is None:
            raise ValueError(f"{owner} needs y to learn from, or a sample that draws X and y.")
        rows = Rows.of(X, y)
        if classify:
            _refuse_rare(owner, rows.y)
        pool, judged = next(_halves(rows, 1, random, classify))
        kept, others = rows.take(pool), rows.take(judged)

        def draws() -> Iterator[Rows]:
            return (kept.take(half) for half, _ in _halves(kept, n_repeats, random, classify))

        return cls(others.X, others.y, draws)


def _new(owner: str, sample: Sample, random: RandomState, n_repeats: int) -> Iterator[Rows]:
    for _ in range(n_repeats):
        drawn = sample(random)
        if not (isinstance(drawn, tuple) and len(drawn) == 2):
            found = type(drawn).__name__
            raise ValueError(f"The sample of {owner} must give a pair of X and y, not a {found}.")
        yield Rows.of(*drawn)


def _halves(rows: Rows, count: int, random: RandomState, classify: bool) -> Iterator[Any]:
    kind = StratifiedShuffleSplit if classify else ShuffleSplit
    return kind(count, test_size=0.5, random_state=random).split(np.zeros(len(rows)), rows.y)


def _refuse_rare(owner: str, y: NDArray[Any]) -> None:
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < _LEAST:
        raise ValueError(
            f"{owner} judges one half of the rows and learns from halves of the other, and class"
            f" {classes.tolist()[counts.argmin()]!r} has {counts.min()} rows: give more of it, or a"
            " sample."
        )
