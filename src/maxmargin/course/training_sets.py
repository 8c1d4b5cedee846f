"""Training sets drawn again and again: from a source of rows, or from the rows there are.

From a source every set is new. Of given rows one half is judged and the other is a pool, of which
each set is one half (as in Kohavi and Wolpert, ICML 1996): sets overlap, so that what varies
from one to the next is a little less than it would be of new rows.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NoReturn

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit
from sklearn.utils import check_random_state, column_or_1d

from maxmargin.evaluation.rows import EvaluationRows, fit
from maxmargin.inputs.container import by_position, column_names, count_rows
from maxmargin.inputs.parameters import ParameterError, check_number, check_time_limit
from maxmargin.ops.clock import TimeUp, watch
from maxmargin.progress.lines import CountedLines

Sample = Callable[[RandomState], tuple[Any, Any]]

_FEWEST = 2  # training sets, of which anything can be said to vary
_LEAST = 4  # rows of a class, of which one at least is to be in each of four parts


@dataclass(frozen=True)
class TrainingSets:
    """Rows to be judged on, and sets to learn from."""

    X: Any
    y: NDArray[Any] | None
    draws: Callable[[], Iterator[EvaluationRows]]

    @classmethod
    def of(
        cls, owner: str, X: Any, y: Any, sample: Any, n_repeats: int, seed: Any, classify: bool
    ) -> TrainingSets:
        """Judge on all given rows where there is a source, and on one half of them otherwise."""
        check_number(owner, "n_repeats", n_repeats, _FEWEST, whole=True)
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
        judged = None if y is None else EvaluationRows.of(X, column_or_1d(y)).y
        return cls(X, judged, lambda: _new(owner, sample, random, n_repeats))

    @classmethod
    def _halved(
        cls, owner: str, X: Any, y: Any, n_repeats: int, random: RandomState, classify: bool
    ) -> TrainingSets:
        if y is None:
            raise ValueError(f"{owner} needs y to learn from, or a sample that draws X and y.")
        rows = EvaluationRows.of(X, column_or_1d(y))
        if classify:
            _refuse_rare(owner, rows.y)
        pool, judged = next(_halves(rows, 1, random, classify))
        kept, others = rows.take(pool), rows.take(judged)

        def draws() -> Iterator[EvaluationRows]:
            return (kept.take(half) for half, _ in _halves(kept, n_repeats, random, classify))

        return cls(others.X, others.y, draws)


@dataclass(frozen=True)
class Repeats:
    """Fits to all training sets, or to as many as there is time for."""

    owner: str
    n_repeats: int
    time_limit: float | None = None
    callback: Callable[[int, int], object] | None = None
    verbose: int = 0

    def __post_init__(self) -> None:
        check_time_limit(self.owner, "time_limit", self.time_limit)

    def ask(
        self, models: dict[str, Any], sets: TrainingSets, question: Callable[[Any], Any]
    ) -> dict[str, list[Any]]:
        """Fit every model to every training set and keep what it answers.

        Where time runs out, the sets from which all models have learnt are kept.
        """
        said: dict[str, list[Any]] = {name: [] for name in models}
        report = CountedLines(self.owner, self.verbose, self.callback)
        # Inner fits raise at Ctrl-C, whatever they were asked to do, and when the time is up.
        with watch(self.time_limit) as clock:
            try:
                for rows in sets.draws():
                    for name, model in models.items():
                        said[name].append(question(fit(clone(model), rows)))
                        report(sum(map(len, said.values())), self.n_repeats * len(models))
                        clock.stop_if_over()
            except TimeUp:
                if not clock.over():  # which raises where a clock around this one is over
                    raise
        whole = min(map(len, said.values()))
        if whole < _FEWEST:
            self._refuse(whole)
        return {name: each[:whole] for name, each in said.items()}

    def _refuse(self, whole: int) -> NoReturn:
        raise TimeoutError(
            f"time_limit={self.time_limit} was reached after {whole} of the {self.n_repeats}"
            f" training sets of {self.owner}, which needs {_FEWEST}; give more time, fewer rows or"
            " faster models."
        )


def _new(
    owner: str, sample: Sample, random: RandomState, n_repeats: int
) -> Iterator[EvaluationRows]:
    for _ in range(n_repeats):
        drawn = sample(random)
        if not (isinstance(drawn, tuple) and len(drawn) == 2):
            found = type(drawn).__name__
            raise ValueError(f"The sample of {owner} must give a pair of X and y, not a {found}.")
        yield EvaluationRows.of(drawn[0], column_or_1d(drawn[1]))


def _halves(rows: EvaluationRows, count: int, random: RandomState, classify: bool) -> Iterator[Any]:
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
