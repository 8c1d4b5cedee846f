"""One judge for all ensembles of boosting, in float64 NumPy.

AdaBoost is replayed from what its members say of the training rows, labels t and h in {-1, +1} and
at first w = 1/n; nothing that a fit says of itself is used (Freund and Schapire 1997; coefficients
are scaled as scikit-learn scales them):

    e = sum of w where h is wrong,    a = log((1 - e) / e),    next w = w exp(a [h is wrong]) / sum
    F = sum of a h / 2,    exponential loss = mean exp(-t F),    training error = share of t F <= 0

How good a split is by Gini's criterion, with W and S the sums of w and w t on a side:

    gain = sum over both sides of S^2 / W  -  the same of all rows
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.data import Data

TIE = 1e-9  # relative difference of gains that rounding can make
CLOSE = 1e-7  # scikit-learn's trees do not split between values closer than this

Array = NDArray[Any]


@dataclass(frozen=True)
class Verdict:
    rounds: int
    training_error: float
    exponential_loss: float
    labels: Array
    """What the weighted vote says of each row, as 0 or 1."""


@dataclass(frozen=True)
class Ensemble:
    """What the members of a fitted AdaBoost say of the training rows, a line a round."""

    t: Array
    said: Array
    right: Array
    """On which side of the split a row lies; the side of the first row counts as the left one."""

    def rounds(self) -> Iterator[tuple[Array, float, Array]]:
        """The weights before each round, its coefficient, and what is said in it."""
        w = np.full(len(self.t), 1.0 / len(self.t))
        for h in self.said:
            wrong = h != self.t
            e = max(float(w[wrong].sum()), np.finfo(float).tiny)
            a = float(np.log((1.0 - e) / e))
            yield w, a, h
            w = w * np.exp(a * wrong)
            w /= w.sum()

    def verdict(self) -> Verdict:
        F = np.zeros(len(self.t))
        for _, a, h in self.rounds():
            F += 0.5 * a * h
        margin = self.t * F
        loss = float(np.exp(-margin).mean())
        return Verdict(len(self.said), float(np.mean(margin <= 0)), loss, (F > 0).astype(int))


def ensemble(model: Any, data: Data) -> Ensemble:
    members, second = model.estimators_, model.classes_[1]
    said = np.array([np.where(m.predict(data.X) == second, 1, -1) for m in members], np.int8)
    sides = np.array([_sides(member, data.X) for member in members])
    return Ensemble(np.where(data.y == second, 1, -1), said, sides != sides[:, :1])


def _sides(member: Any, X: Array) -> Array:
    """Of our stump or of a tree of depth 1."""
    return member.split_.right_side(X) if hasattr(member, "split_") else member.apply(X) == 2


def gain(right: Array, w: Array, t: Array) -> float:
    W, S = np.array([w[~right].sum(), w[right].sum()]), np.array([w[~right] @ t[~right], 0.0])
    S[1] = w[right] @ t[right]
    parts = np.divide(S**2, W, out=np.zeros(2), where=W > 0)
    return float(parts.sum() - S.sum() ** 2 / W.sum())


def equal_rounds(one: Ensemble, other: Ensemble) -> int:
    """How many rounds from the first have the same split with the same labels on its sides."""
    pairs = zip(one.right, other.right, one.said, other.said, strict=False)
    same = [np.array_equal(r, s) and np.array_equal(g, h) for r, s, g, h in pairs]
    return same.index(False) if False in same else len(same)


def lead(split: Any, X: Array, right: Array, w: Array, t: Array) -> tuple[float, float]:
    """By how much our split is better than the peer's, relatively, and the gap that it lies in."""
    mine = split.right_side(X)
    ours, theirs = gain(mine, w, t), gain(right, w, t)
    x = X[:, split.feature]
    gap = float(x[mine].min()) - float(x[~mine].max()) if mine.any() and not mine.all() else np.inf
    return (ours - theirs) / max(ours, theirs, np.finfo(float).tiny), gap
