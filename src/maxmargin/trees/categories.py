"""Categories of a column: the best two groups of them, from the sums of each.

For labels -1 and +1 every category goes to the side of its sign, and for squares (two classes by
Gini among them) the best of all subsets is a beginning of the categories in the order of their
means: W. D. Fisher, On Grouping for Maximum Homogeneity, J. Am. Stat. Assoc. 53 (1958), and
Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), theorem 4.5. For
several classes no such order exists, and one category stands against the rest.

The last row of the sums is of the missing values: one more category, but never alone with one
that it is not better with. Rows of a rare category are among them.

Of many categories some are better than others by chance, and the best of all subsets collects what
chance has to give. Its gain is therefore shrunk by the share of the differences between
its categories that chance explains (``criterion.signal_share``).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from maxmargin.trees.criterion import Criterion, Vector

Mask = NDArray[np.bool_]

FEW = 10  # categories: up to this number, chance alone hardly matters


@dataclass(frozen=True)
class CategoryCodes:
    """One categorical column of the training rows.

    Parameters
    ----------
    codes : ndarray of int of shape (rows,)
        The group of each row: its category, or the number of categories if it has none.
    known : ndarray of bool of shape (categories,)
        Which categories are groups of their own; others go where missing values go.
    weight : ndarray of shape (groups,)
        The weight of each group's rows, in units of the mean weight of a row.
    """

    codes: NDArray[np.intp]
    known: Mask
    weight: Vector

    @classmethod
    def of(cls, x: NDArray[Any], weight: Vector, least: float) -> Self:
        """Count the codes of a column; rare ones among many are taken as missing."""
        missing = np.isnan(x)
        n_codes = 0 if missing.all() else int(x[~missing].max()) + 1
        codes = np.where(missing, n_codes, x).astype(np.intp)
        total = np.bincount(codes, weight / weight.mean(), n_codes + 1).astype(np.float64)
        known = np.bincount(codes, minlength=n_codes + 1)[:-1] > 0
        if np.count_nonzero(known) > FEW:
            known &= total[:-1] >= least
            codes = np.where(np.append(known, False)[codes], codes, n_codes)
            total = np.bincount(codes, weight / weight.mean(), n_codes + 1).astype(np.float64)
        return cls(codes, known, total)

    @property
    def n_groups(self) -> int:
        """How many groups there may be, with that of the missing values."""
        return len(self.known) + 1

    @property
    def many(self) -> bool:
        """Whether there are more categories than chance leaves alone."""
        return int(np.count_nonzero(self.known)) > FEW

    @property
    def complete(self) -> bool:
        """Whether every row is a separate group."""
        return bool((self.codes < len(self.known)).all())


@dataclass(frozen=True)
class CategoryRules:
    """Which groups are allowed, and how they are judged.

    Parameters
    ----------
    split : {"subset", "one_vs_rest"}
        Whether any categories may go to one side, or a single one against the rest.
    least : float
        Share of the weight that either side must have.
    smooth : bool
        Whether gains of many categories are shrunk.
    """

    split: str
    least: float
    smooth: bool


def best_group(
    criterion: Criterion, categories: CategoryCodes, sums: Vector, rules: CategoryRules
) -> tuple[float, Mask]:
    """Return the score of the best two groups, and which categories go right."""
    order = criterion.ranking(sums) if rules.split == "subset" else None
    sides, weight = _sides(sums, order), _sides(categories.weight[:, None], order)[:, 0]
    scores = np.atleast_1d(criterion.score(sides))
    total = float(categories.weight.sum())
    scores[np.minimum(weight, total - weight) < rules.least * total] = criterion.baseline
    best = float(scores.max())
    place = int(np.argmax(scores >= best - criterion.slack(best)))
    score = float(scores[place])
    if rules.smooth and categories.many:
        score = criterion.shrunk(score, categories.codes, categories.n_groups)
    return score, _right(place, order, len(sums))


def _sides(sums: Vector, order: Any) -> Vector:
    """Sum the sides to try: beginnings of an order, or each with and without the missing values."""
    if order is not None:
        return np.cumsum(sums[order], axis=0)
    return np.vstack([sums, sums[:-1] + sums[-1]])


def _right(place: int, order: Any, n_groups: int) -> Mask:
    """Return which groups go right for the index of a side."""
    right = np.zeros(n_groups, dtype=bool)
    if order is not None:
        right[order[place + 1 :]] = True
    else:
        right[place % n_groups] = True
        right[-1] |= place >= n_groups
    return right
