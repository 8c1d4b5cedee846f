"""The bootstrap: bags of rows drawn with replacement, or without, evenly or by weights.

A bag depends on what the rows hold and on nothing else: rows are laid out in the order of a hash of
their contents before any are drawn. So the order of the rows does not matter, nor whether they are
stored densely, sparsely, in float32 or in float64, nor whether a row is there twice or has weight
2. The hash adds up mixed bits of all entries but zeros (the mixer is that of SplitMix64: Steele,
Lea and Flood, Fast splittable pseudorandom number generators, OOPSLA 2014).
"""

from __future__ import annotations

from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.parameters import ParameterError

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Hash = NDArray[np.uint64]

_STEP = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, eq=False)
class Urn:
    """Rows to draw from.

    Parameters
    ----------
    order : ndarray of int of shape (rows,)
        The rows by content.
    cumulative : ndarray of shape (rows,) or None
        Running sums of their weights in that order; None for 1 each.
    size : int
        Rows to a bag.
    replace : bool
        Whether a row may be drawn more than once.
    """

    order: Index
    cumulative: Vector | None
    size: int
    replace: bool

    def draw(self, seed: int) -> Index:
        """Draw one bag.

        Parameters
        ----------
        seed : int
            The same seed draws the same bag.

        Returns
        -------
        rows : ndarray of int of shape (size,)
        """
        random, sums = np.random.default_rng(seed), self.cumulative
        if not self.replace:
            p = None if sums is None else np.diff(sums, prepend=0.0) / sums[-1]
            place = random.choice(len(self.order), self.size, replace=False, p=p)
        elif sums is None:  # as below, with sums 1, 2, ...
            place = (random.random(self.size) * len(self.order)).astype(np.intp)
        else:
            place = np.searchsorted(sums, random.random(self.size) * sums[-1], side="right")
        return self.order[place]

    def counts(self, seed: int) -> Vector:
        """Count how often each row is in a bag: the weights that stand for it."""
        return np.bincount(self.draw(seed), minlength=len(self.order)).astype(np.float64)


def fill_urn(
    X: Any, label: Index, weight: Vector | None, max_samples: Any, replace: bool, owner: str
) -> Urn:
    """Lay out the rows; a fraction ``max_samples`` is one of the rows, or of the sum of weights."""
    order = order_by_content(X, label)
    mass = np.ones(len(label)) if weight is None else weight
    with np.errstate(over="ignore"):
        finite = np.isfinite(mass.sum())
    if not finite:
        raise ValueError(
            "The sum of sample_weight is infinite, and bags are drawn by it; divide the weights by "
            "the largest of them."
        )
    size = _bag_size(max_samples, float(mass.sum()), owner)
    if not replace and size > np.count_nonzero(mass):
        raise ValueError(
            f"A bag of {size} rows cannot be drawn without replacement from "
            f"{np.count_nonzero(mass)}; set bootstrap=True or lower max_samples."
        )
    return Urn(order, None if weight is None else np.cumsum(mass[order]), size, replace)


def _bag_size(max_samples: Any, total: float, owner: str) -> int:
    whole = isinstance(max_samples, Integral) and not isinstance(max_samples, bool)
    if whole and max_samples >= 1:
        return int(max_samples)
    if isinstance(max_samples, float | np.floating) and 0.0 < max_samples <= 1.0:
        return max(1, int(max_samples * total))
    raise ParameterError(
        f"The 'max_samples' parameter of {owner} must be a number of rows or a fraction of them "
        f"above 0.0 and up to 1.0. Got {max_samples!r} instead."
    )


def order_by_content(X: Any, label: Index) -> Index:
    """Order rows by a hash of what they hold and by their label; equal rows lie side by side."""
    try:
        numbers = X if X.dtype.kind in "fiub" else X.astype(np.float64)
    except (TypeError, ValueError):  # strings stay in the order in which they came
        return np.arange(X.shape[0])
    order: Index = np.lexsort((label, _hash_rows(numbers)))
    return order


def _hash_rows(X: Any) -> Hash:
    total = np.zeros(X.shape[0], dtype=np.uint64)
    if sparse.issparse(X):
        entries = X.tocoo()
        entries.sum_duplicates()  # the hash is of sums, not of what they are added up from
        np.add.at(total, entries.row, _mix(entries.data, entries.col.astype(np.uint64)))
        return total
    for j in range(X.shape[1]):
        total += _mix(X[:, j], np.uint64(j))
    return total


def _mix(value: NDArray[Any], column: Any) -> Hash:
    """Spread the bits of values, differently in every column; 0 for zeros, stored or not."""
    with np.errstate(over="ignore"):  # arithmetic modulo 2^64
        z = value.astype(np.float64).view(np.uint64) + (column + np.uint64(1)) * _STEP
        z = (z ^ (z >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
        z = (z ^ (z >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
        z ^= z >> np.uint64(31)
    z[value == 0] = 0
    return z
