"""Criteria of a split: weighted error, squares and Gini's index, for which columns are scanned.

Each is a function of the sums of one side (and of all rows), so the scan of sorted rows, the
grouping of categories and missing values ask the same four things of it: the sums of groups of
rows, the score of a side, the scan of runs, and the leaves. Formulas: ``ops/split_score.py``.

What is summed lies on a grid, so sums are exact in any order, and every search gives a split
the same score (``ops/cpu/stump_grid.py``). A tolerance remains for weights that would be equal
without rounding.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops import split_score
from maxmargin.ops.engine import engine_of
from maxmargin.ops.kinds import ERROR, GINI, PAIR, SIGNED, UNIT
from maxmargin.ops.pieces import Pieces

Vector = NDArray[np.float64]
Array = NDArray[Any]

_SLACK = 1e-12  # of the total weight: sums that differ by less are taken as equal
_ROUNDING = float(np.finfo(np.float64).eps)


def on_grid(
    values: Vector, rounded: Vector | None = None, pieces: Pieces | None = None
) -> tuple[Vector, float, float]:
    """Round values so that sums of them are exact; gives those of all and of their sizes too.

    They are written to ``rounded`` where that is given: memory touched for the first time, every
    round, costs more than the rounding. The pieces may have workers to share them.
    """
    rounded = np.empty(len(values)) if rounded is None else rounded
    values, pieces = np.ascontiguousarray(values), pieces or Pieces(len(values))
    verbs = engine_of(rounded).stump_grid
    (size,) = pieces.sum(lambda a, b: (verbs.size_of(values[a:b]),))
    total, size = pieces.sum(lambda a, b: verbs.put_on_grid(values[a:b], size, rounded[a:b]))
    return rounded, total, size


def signal_share(pull: Vector, weight: Vector, group: Array, n_groups: int) -> float:
    """Return the share of the differences between groups that chance does not explain.

    With deviations d of the rows' pull from its mean, the sums A_g of a group would have A_g^2 of
    the size of its sum of d^2 if they were nothing but chance; what is left of their weighted sum
    is the factor that W. James and C. Stein shrink by (Estimation with quadratic loss, Berkeley
    Symposium, 1961). Several columns of pull are added up.
    """
    h = np.bincount(group, weight, n_groups)
    size = np.where(h > 0.0, h, 1.0)
    between = chance = 0.0
    for column in pull.reshape(len(weight), -1).T:
        d = column - column.sum() / weight.sum() * weight
        between += float((np.bincount(group, d, n_groups) ** 2 / size).sum())
        chance += float((np.bincount(group, d * d, n_groups) / size).sum())
    return max(0.0, 1.0 - chance / between) if between > 0.0 else 0.0


class Criterion(Protocol):
    """One round's question to the columns."""

    total: Vector
    baseline: float  # the score without a split

    def sums(self, group: Array, rows: Array | slice, n_groups: int) -> Vector:
        """Sum over the rows of each group."""
        ...

    def score(self, side: Vector) -> Any:
        """Score splits by the sums of one side."""
        ...

    def slack(self, best: float) -> float:
        """Return by how much equal scores may differ through rounding."""
        ...

    def ranking(self, sums: Vector) -> Array | None:
        """Order groups so that the best two sides are a beginning and the rest, if that is so."""
        ...

    def scan(self, *runs: Any) -> None:
        """Score every run."""
        ...

    def place(self, *run: Any) -> int:
        """Find the split of a run."""
        ...

    def sum_run(self, *run: Any) -> None:
        """Add up a part of a run."""
        ...

    def shrunk(self, score: float, group: Array, n_groups: int) -> float:
        """Take off a score what chance gives the best of many groups."""
        ...

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Return the values of the side and of the rest."""
        ...

    def constant(self) -> float:
        """Return the value of all rows without a split."""
        ...

    def gain(self, score: float) -> float:
        """Turn a score into the gain that a split reports."""
        ...


class SignCriterion:
    """The edge of labels -1 and +1: signed = w t."""

    def __init__(
        self, signed: Vector, memory: Vector | None = None, pieces: Pieces | None = None
    ) -> None:
        self._signed, total, self._scale = on_grid(signed, memory, pieces)
        self.total, self.baseline = np.array([total]), abs(total)
        self._verbs = engine_of(self._signed).stump

    def sums(self, group: Array, rows: Array | slice, n_groups: int) -> Vector:
        """Sum the signed weights of each group's rows."""
        sums: Vector = np.bincount(group, self._signed[rows], n_groups).astype(np.float64)
        return sums[:, None]

    def score(self, side: Vector) -> Any:
        """Return the edge."""
        return split_score.edge(side, self.total)

    def slack(self, best: float) -> float:
        """Allow for rounded weights."""
        return _SLACK * max(best, self._scale)

    def ranking(self, sums: Vector) -> Array | None:
        """Put negative groups before positive ones."""
        return np.argsort(sums[:, 0], kind="stable")

    def scan(self, *runs: Any) -> None:
        """Score every run."""
        self._verbs.scan_sign(self._signed, self.total, *runs)

    def place(self, *run: Any) -> int:
        """Find the split of a run."""
        return self._verbs.place_sign(self._signed, self.total, *run)

    def sum_run(self, *run: Any) -> None:
        """Add up a part of a run."""
        self._verbs.sum_sign(self._signed, *run)

    def shrunk(self, score: float, group: Array, n_groups: int) -> float:
        """Shrink the edge beyond that of one label for all."""
        share = signal_share(self._signed, np.abs(self._signed), group, n_groups)
        return self.baseline + share * (score - self.baseline)

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Label the side and the rest as the larger of their two differences says."""
        label = 1.0 if 2.0 * side[0] - self.total[0] > 0.0 else -1.0
        return label, -label

    def constant(self) -> float:
        """Return the value of all rows without a split."""
        return 1.0 if self.total[0] > 0.0 else -1.0

    def gain(self, score: float) -> float:
        """Report the edge."""
        return score


class SquareCriterion:
    """Weighted least squares: pull = w y, weight = w.

    The mean is taken off the pull first: sums of values far from 0 would be rounded more.
    """

    def __init__(self, pull: Vector, weight: Vector | None, pieces: Pieces | None = None) -> None:
        self._weight, H = None, float(len(pull))
        if weight is not None:
            self._weight, H, _ = on_grid(weight, None, pieces)
        pieces, centred = pieces or Pieces(len(pull)), np.empty(len(pull))
        self._mean = mean = pieces.sum(lambda a, b: (float(pull[a:b].sum()),))[0] / H

        def centre(a: int, b: int) -> None:
            off = mean if weight is None else mean * weight[a:b]
            np.subtract(pull[a:b], off, out=centred[a:b])

        pieces.each(centre)
        self._pull, total, size = on_grid(centred, centred, pieces)
        self.total, self.baseline = np.array([total, H]), 0.0
        self._verbs = engine_of(self._pull).stump_square
        self._tiny = _SLACK * size / H + 2.0 * _ROUNDING * abs(self._mean)
        self._values, self._kind = self._pull, UNIT
        if self._weight is not None:
            both = np.stack([self._pull, self._weight], axis=1)
            self._values, self._kind = both.ravel(), PAIR

    def sums(self, group: Array, rows: Array | slice, n_groups: int) -> Vector:
        """Sum pull and weight of each group's rows."""
        pull = np.bincount(group, self._pull[rows], n_groups)
        weight = None if self._weight is None else self._weight[rows]
        return np.stack([pull, np.bincount(group, weight, n_groups)], axis=1)

    def score(self, side: Vector) -> Any:
        """Return the decrease of the sum of squares divided by H."""
        return split_score.square(side, self.total)

    def slack(self, best: float) -> float:
        """Allow for rounded pulls: by the square of what a sum of them is close to."""
        return self._tiny * float(np.sqrt(best)) + self._tiny * self._tiny

    def ranking(self, sums: Vector) -> Array | None:
        """Order groups by their means (Fisher, 1958)."""
        weight = np.where(sums[:, 1] > 0.0, sums[:, 1], 1.0)
        return np.argsort(sums[:, 0] / weight, kind="stable")

    def scan(self, *runs: Any) -> None:
        """Score every run."""
        self._verbs.scan_square(self._values, self._kind, self.total, *runs)

    def place(self, *run: Any) -> int:
        """Find the split of a run."""
        return self._verbs.place_square(self._values, self._kind, self.total, *run)

    def sum_run(self, *run: Any) -> None:
        """Add up a part of a run."""
        self._verbs.sum_square(self._values, self._kind, *run)

    def shrunk(self, score: float, group: Array, n_groups: int) -> float:
        """Shrink the squares, twice as they are of sums."""
        return signal_share(self._pull, self._weights(), group, n_groups) ** 2 * score

    def _weights(self) -> Vector:
        return np.ones(len(self._pull)) if self._weight is None else self._weight

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Return the means of the side and of the rest."""
        return self._leaf(side), self._leaf(self.total - side)

    def _leaf(self, side: Vector) -> float:
        return self._mean + (float(side[0] / side[1]) if side[1] > 0.0 else 0.0)

    def constant(self) -> float:
        """Return the value of all rows without a split."""
        return self._leaf(self.total)

    def gain(self, score: float) -> float:
        """Report the decrease of the sum of squares."""
        return score * float(self.total[1])


class GiniCriterion(SquareCriterion):
    """Gini's index of labels -1 and +1, which is least squares: signed = w t, its size w."""

    def __init__(
        self, signed: Vector, memory: Vector | None = None, pieces: Pieces | None = None
    ) -> None:
        self._pull, *total = on_grid(signed, memory, pieces)
        self._verbs = engine_of(self._pull).stump_square
        self._values, self._kind, self.total = self._pull, SIGNED, np.array(total)
        self.baseline, self._mean, self._tiny = 0.0, 0.0, _SLACK

    def sums(self, group: Array, rows: Array | slice, n_groups: int) -> Vector:
        """Sum pull and weight of each group's rows."""
        pull = self._pull[rows]
        both = [np.bincount(group, each, n_groups) for each in (pull, np.abs(pull))]
        return np.stack(both, axis=1)

    def _weights(self) -> Vector:
        return np.abs(self._pull)

    def _leaf(self, side: Vector) -> float:
        """Return the label with more weight; ties go to the first."""
        return 1.0 if side[0] > _SLACK * self.total[1] else -1.0


class ClassesCriterion:
    """Several classes: the weight classified right, or Gini's purity."""

    def __init__(self, label: Array, weight: Vector, n_classes: int, criterion: str) -> None:
        self._label = np.ascontiguousarray(label, dtype=np.uint32)
        self._weight, _, _ = on_grid(weight)
        self._verbs = engine_of(self._weight).stump_classes
        self._kind = GINI if criterion == "gini" else ERROR
        self.total: Vector = np.bincount(label, self._weight, n_classes).astype(np.float64)
        self.baseline = float(self.score(np.zeros(n_classes)))

    def sums(self, group: Array, rows: Array | slice, n_groups: int) -> Vector:
        """Sum the class weights of each group's rows."""
        cell = group * len(self.total) + self._label[rows]
        sums: Vector = np.bincount(cell, self._weight[rows], n_groups * len(self.total)).astype(
            np.float64
        )
        return sums.reshape(n_groups, -1)

    def score(self, side: Vector) -> Any:
        """Return the score of the two sides."""
        score = split_score.gini if self._kind == GINI else split_score.error
        return score(side, self.total)

    def slack(self, best: float) -> float:
        """Allow for rounded weights."""
        return _SLACK * max(best, float(self.total.sum()))

    def ranking(self, sums: Vector) -> Array | None:  # noqa: ARG002
        """No order of the groups holds the best two sides of several classes."""
        return None

    def scan(self, *runs: Any) -> None:
        """Score every run."""
        self._verbs.scan_classes(self._label, self._weight, self.total, self._kind, *runs)

    def place(self, *run: Any) -> int:
        """Find the split of a run."""
        return self._verbs.place_classes(self._label, self._weight, self.total, self._kind, *run)

    def sum_run(self, *run: Any) -> None:
        """Add up a part of a run."""
        self._verbs.sum_classes(self._label, self._weight, *run)

    def shrunk(self, score: float, group: Array, n_groups: int) -> float:
        """Shrink what the split is better than none, by Gini twice."""
        power = 2 if self._kind == GINI else 1
        classes = range(len(self.total))
        pulls = [np.where(self._label == k, self._weight, 0.0) for k in classes]
        share = signal_share(np.stack(pulls, axis=1), self._weight, group, n_groups)
        return self.baseline + share**power * (score - self.baseline)

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Return the most frequent class of the side and of the rest; ties go to the first."""
        return self._leaf(side), self._leaf(self.total - side)

    def _leaf(self, side: Vector) -> float:
        reached = side >= side.max() - _SLACK * float(self.total.sum())
        return float(np.argmax(reached))

    def constant(self) -> float:
        """Return the class of all rows without a split."""
        return self._leaf(self.total)

    def gain(self, score: float) -> float:
        """Report how much better than without a split."""
        return score - self.baseline
