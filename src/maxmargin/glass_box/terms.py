"""The fitted sum: a constant, a shape of each column and a table of each pair.

    F(x) = c + sum_j f_j(x_j) + sum_jk f_jk(x_j, x_k)

Terms are added in their order, so that contributions add up to the decision to the last bit.

Shapes are centred: each has the mean 0 over the training rows. Pairs are purified: a table has the
mean 0 along each of its columns too, and what it had of them lies in their shapes (the functional
ANOVA with the weights of the cells: Lengerich, Tan, Chang, Hooker and Caruana, Purifying
interaction effects with the functional ANOVA, AISTATS 2020). A pair with a monotone column is
centred alone, so that each of its lines does not fall by itself.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.engine import engine_of

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Term:
    """One term of the sum.

    Parameters
    ----------
    columns : tuple of int
        One or two.
    name : str
    values : ndarray of shape (functions, bins) or (functions, bins, bins)
        Along each column: missing values first, and unknown categories last.
    errors : ndarray
        Standard errors of the values, from the bags.
    weight : ndarray of shape (bins,) or (bins, bins)
        Of the training rows.
    coarse : tuple of ndarray
        Of pairs: the bin in the table of each code of the two columns.
    """

    columns: tuple[int, ...]
    name: str
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    weight: NDArray[np.float64]
    coarse: tuple[NDArray[np.uint8], ...] = ()

    @property
    def importance(self) -> float:
        """Mean size of the term over the training rows, and over the functions."""
        total = self.weight.sum()
        return float((np.abs(self.values) * self.weight).sum() / (total * len(self.values)))

    def bins(self, codes: NDArray[np.uint8]) -> NDArray[Any]:
        """Give the place of each row in the flat values, from the codes of all columns."""
        if len(self.columns) == 1:
            return codes[self.columns[0]]
        a, b = (of[codes[j]] for of, j in zip(self.coarse, self.columns, strict=True))
        return a.astype(np.uint16) * np.uint16(self.weight.shape[1]) + b

    def contribution(self, codes: NDArray[np.uint8]) -> Vector:
        """Give what the term adds to every row, of shape (functions, rows)."""
        flat = self.values.reshape(len(self.values), -1)
        return flat[:, self.bins(codes)]


def add_terms(terms: tuple[Term, ...], constants: Vector, codes: NDArray[np.uint8]) -> Vector:
    """Add all terms to the constants, in their order.

    Parameters
    ----------
    terms : tuple of Term
    constants : ndarray of shape (functions,)
    codes : ndarray of uint8 of shape (columns, rows)

    Returns
    -------
    values : ndarray of shape (functions, rows)
    """
    total = np.tile(constants[:, None], (1, codes.shape[1]))
    add = engine_of(total).glass_box.add_term
    for term in terms:
        places = term.bins(codes)
        for k, line in enumerate(term.values.reshape(len(constants), -1)):
            add(places, line, total[k])
    return total


def centred(values: Vector, weight: Vector) -> tuple[Vector, Vector]:
    """Take its mean out of each function of a term; gives both."""
    axes = tuple(range(1, values.ndim))
    mean = (values * weight).sum(axis=axes) / weight.sum()
    return values - mean.reshape(-1, *[1] * len(axes)), mean


def purified(values: Vector, weight: Vector, rounds: int = 100) -> tuple[Vector, Vector, Vector]:
    """Take the means along both columns out of the tables of a pair.

    Parameters
    ----------
    values : ndarray of shape (functions, bins, bins)
    weight : ndarray of shape (bins, bins)

    Returns
    -------
    values : ndarray of shape (functions, bins, bins)
    first : ndarray of shape (functions, bins)
        What belongs to the first column.
    second : ndarray of shape (functions, bins)
        What belongs to the second.
    """
    left = values.copy()
    across, down = weight.sum(axis=1), weight.sum(axis=0)
    across, down = np.where(across > 0, across, 1.0), np.where(down > 0, down, 1.0)
    first, second = np.zeros(values.shape[:2]), np.zeros((len(values), values.shape[2]))
    size = np.abs(values).max(initial=0.0)
    for _ in range(rounds):
        a = (left * weight).sum(axis=2) / across
        left -= a[:, :, None]
        b = (left * weight).sum(axis=1) / down
        left -= b[:, None, :]
        first, second = first + a, second + b
        if max(np.abs(a).max(), np.abs(b).max()) <= 1e-13 * size:
            break
    return left, first, second


def renamed(term: Term, name: str) -> Term:
    """Give the term another name."""
    return replace(term, name=name)
