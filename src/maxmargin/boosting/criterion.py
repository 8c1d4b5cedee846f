"""What a split of the rows is good for: the three criteria that columns are scanned for.

Each is a function of the sums of one side (and of all rows), so the scan of sorted rows, the
grouping of categories and missing values ask the same four things of it: the sums of groups of
rows, the score of a side, the scan of runs, and the leaves. Formulas: ``ops/cpu/stump.py``.
"""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.cpu import stump as ops
from maxmargin.ops.reference import stump as reference

Vector = NDArray[np.float64]
Array = NDArray[Any]

_SLACK = 1e-12  # of the total weight: sums that differ by less are taken as equal


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
        """Say by how much equal scores may differ through rounding."""
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

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Give the values of the side and of the rest."""
        ...

    def constant(self) -> float:
        """Give the value of all rows without a split."""
        ...

    def gain(self, score: float) -> float:
        """Turn a score into the gain that a split reports."""
        ...


class _OfValues:
    """Criteria of sums of values that rows have."""

    values: Vector

    def sums(self, group: Array, rows: Array | slice, n_groups: int) -> Vector:
        """Sum the values of each group's rows."""
        columns = [np.bincount(group, column[rows], n_groups) for column in self.values.T]
        return np.stack(columns, axis=1)


class Sign(_OfValues):
    """The edge of labels -1 and +1: signed = w t."""

    def __init__(self, signed: Vector) -> None:
        self.values = np.ascontiguousarray(signed, dtype=np.float64).reshape(-1, 1)
        self.total = self.values.sum(axis=0)
        self.baseline = float(abs(self.total[0]))
        self._scale = float(np.abs(self.values).sum())

    def score(self, side: Vector) -> Any:
        """Give the edge."""
        return reference.edge(side, self.total)

    def slack(self, best: float) -> float:
        """Allow for the rounding of sums."""
        return _SLACK * max(best, self._scale)

    def ranking(self, sums: Vector) -> Array | None:
        """Put negative groups before positive ones."""
        return np.argsort(sums[:, 0], kind="stable")

    def scan(self, *runs: Any) -> None:
        """Score every run."""
        ops.scan_sign(self.values, self.total, *runs)

    def place(self, *run: Any) -> int:
        """Find the split of a run."""
        return ops.place_sign(self.values, self.total, *run)

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Label the side and the rest as the larger of their two differences says."""
        label = 1.0 if 2.0 * side[0] - self.total[0] > 0.0 else -1.0
        return label, -label

    def constant(self) -> float:
        """Give the value of all rows without a split."""
        return 1.0 if self.total[0] > 0.0 else -1.0

    def gain(self, score: float) -> float:
        """Report the edge."""
        return score


class Square(_OfValues):
    """Weighted least squares: pull = w y, weight = w."""

    def __init__(self, pull: Vector, weight: Vector | None, signs: bool) -> None:
        weight = np.ones(len(pull)) if weight is None else weight
        self._H = float(weight.sum())
        self._mean = float(pull.sum()) / self._H
        self.values = np.stack([pull - self._mean * weight, weight], axis=1)
        self.total = np.array([0.0, self._H])
        self._signs = signs
        self.baseline = 0.0
        self._scale = float(np.abs(self.values[:, 0]).sum()) / self._H

    def score(self, side: Vector) -> Any:
        """Give the decrease of squares over H."""
        return reference.square(side, self.total)

    def slack(self, best: float) -> float:
        """Allow for the rounding of sums: of the square of what a rounded sum is close to."""
        tiny = _SLACK * self._scale
        return tiny * float(np.sqrt(best)) + tiny * tiny

    def ranking(self, sums: Vector) -> Array | None:
        """Order groups by their means (Fisher, 1958)."""
        weight = np.where(sums[:, 1] > 0.0, sums[:, 1], 1.0)
        return np.argsort(sums[:, 0] / weight, kind="stable")

    def scan(self, *runs: Any) -> None:
        """Score every run."""
        ops.scan_square(self.values, self.total, *runs)

    def place(self, *run: Any) -> int:
        """Find the split of a run."""
        return ops.place_square(self.values, self.total, *run)

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Give the means of the side and the rest, or their signs."""
        rest = self.total - side
        return self._leaf(side), self._leaf(rest)

    def _leaf(self, side: Vector) -> float:
        mean = self._mean + (float(side[0] / side[1]) if side[1] > 0.0 else 0.0)
        return mean if not self._signs else 1.0 if mean > 0.0 else -1.0

    def constant(self) -> float:
        """Give the value of all rows without a split."""
        return self._leaf(self.total)

    def gain(self, score: float) -> float:
        """Report the decrease of the sum of squares."""
        return score * self._H


class Classes:
    """Several classes: the weight classified right, or Gini's purity."""

    def __init__(self, label: Array, weight: Vector, n_classes: int, criterion: str) -> None:
        self._label = np.ascontiguousarray(label, dtype=np.uint32)
        self._weight = np.ascontiguousarray(weight, dtype=np.float64)
        self._kind = ops.GINI if criterion == "gini" else ops.ERROR
        self.total = np.bincount(label, weight, n_classes)
        self.baseline = float(self.score(np.zeros(n_classes)))

    def sums(self, group: Array, rows: Array | slice, n_groups: int) -> Vector:
        """Sum the class weights of each group's rows."""
        cell = group * len(self.total) + self._label[rows]
        sums = np.bincount(cell, self._weight[rows], n_groups * len(self.total))
        return sums.reshape(n_groups, -1)

    def score(self, side: Vector) -> Any:
        """Give the score of the two sides."""
        score = reference.gini if self._kind == ops.GINI else reference.error
        return score(side, self.total)

    def slack(self, best: float) -> float:
        """Allow for the rounding of sums."""
        return _SLACK * max(best, float(self.total.sum()))

    def ranking(self, sums: Vector) -> Array | None:  # noqa: ARG002
        """No order of the groups holds the best two sides of several classes."""
        return None

    def scan(self, *runs: Any) -> None:
        """Score every run."""
        ops.scan_classes(self._label, self._weight, self.total, self._kind, *runs)

    def place(self, *run: Any) -> int:
        """Find the split of a run."""
        return ops.place_classes(self._label, self._weight, self.total, self._kind, *run)

    def leaves(self, side: Vector) -> tuple[float, float]:
        """Give the largest class of the side and of the rest; the first of equals."""
        return self._leaf(side), self._leaf(self.total - side)

    def _leaf(self, side: Vector) -> float:
        reached = side >= side.max() - _SLACK * float(self.total.sum())
        return float(np.argmax(reached))

    def constant(self) -> float:
        """Give the class of all rows without a split."""
        return self._leaf(self.total)

    def gain(self, score: float) -> float:
        """Report how much better than without a split."""
        return score - self.baseline
