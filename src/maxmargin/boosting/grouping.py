"""The best two groups of categories, from the sums of each.

For labels -1 and +1 every category goes to the side of its sign, and for squares (two classes by
Gini among them) the best of all subsets is a beginning of the categories in the order of their
means: W. D. Fisher, On Grouping for Maximum Homogeneity, J. Am. Stat. Assoc. 53 (1958), and
Breiman, Friedman, Olshen and Stone, Classification and Regression Trees (1984), theorem 4.5. For
several classes no such order exists, and one category stands against the rest.

The last row of the sums is of the missing values: one more category, but never alone with one
that it is not better with.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.criterion import Criterion, Vector

Mask = NDArray[np.bool_]


def best_group(criterion: Criterion, sums: Vector, split: str) -> tuple[float, Mask]:
    """Give the score of the best two groups, and which categories go right."""
    order = criterion.ranking(sums) if split == "subset" else None
    if order is None:
        return _one_against_the_rest(criterion, sums)
    scores = criterion.score(np.cumsum(sums[order], axis=0))
    place = _first(criterion, scores)
    right = np.ones(len(sums), dtype=bool)
    right[order[: place + 1]] = False
    return float(scores[place]), right


def _one_against_the_rest(criterion: Criterion, sums: Vector) -> tuple[float, Mask]:
    """Put one category on the right, with or without the missing values, or these alone."""
    sides = np.vstack([sums, sums[:-1] + sums[-1]])
    scores = np.atleast_1d(criterion.score(sides))
    place = _first(criterion, scores)
    right = np.zeros(len(sums), dtype=bool)
    right[place % len(sums)] = True
    right[-1] |= place >= len(sums)
    return float(scores[place]), right


def _first(criterion: Criterion, scores: Vector) -> int:
    best = float(scores.max())
    return int(np.argmax(scores >= best - criterion.slack(best)))
