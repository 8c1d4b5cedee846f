"""What a kernel saves: how many features it stands for, and what a dot product of them costs.

The features of (gamma <x, y> + c)^d on p columns are the monomials of degree at most d, and there
are C(p + d, d) of them; of degree d alone, with c = 0, there are C(p + d - 1, d). A dot product of
so many features takes as many multiplications, the kernel one for each column and a few more.

Sums and products write the same monomial out several times: x y and y x, or x beside x. What they
span is smaller. A kernel that sums, multiplies and raises polynomials of <x, y> is one itself,
sum_p c_p <x, y>^p with c_p >= 0, and the dimension of its feature space is the number of monomials
of those degrees p whose c_p is positive: different degrees share none, and the monomials of one
degree are linearly independent functions.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce, singledispatch
from typing import Any

import numpy as np

from maxmargin.inputs.parameters import check_number
from maxmargin.kernels.algebra import (
    Exponential,
    Normalized,
    Power,
    Product,
    Restricted,
    Scaled,
    Sum,
)
from maxmargin.kernels.base import Kernel
from maxmargin.kernels.choice import as_kernel
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.features import count_monomials
from maxmargin.kernels.static import Constant
from maxmargin.kernels.stationary import ExpOfDistance


@dataclass(frozen=True)
class FeatureSpace:
    """How large a kernel's feature space is, and what a dot product there costs either way.

    Attributes
    ----------
    kernel : Kernel
    n_columns : int
        Of the rows.
    n_features : int, inf or None
        How many features ``kernel.features`` writes out; None if it is unknown, or where the
        kernel is none.
    dimension : int, inf or None
        Of the space that these span, which is at most ``n_features``: ``Linear() + Linear()``
        writes every column twice and spans what ``Linear()`` does. None where it was not
        worked out: for functions, and for sums and products of kernels of different columns.
    by_kernel : int or None
        Multiplications of k(x, y). An exponential, a root, a division and an absolute difference
        count as one each; None if the kernel is a user's function.
    by_features : int, inf or None
        Multiplications of <phi(x), phi(y)> once both are written out: as many as features.
    """

    kernel: Kernel
    n_columns: int
    n_features: float | None
    dimension: float | None
    by_kernel: int | None

    @property
    def by_features(self) -> float | None:
        """Multiplications of <phi(x), phi(y)> once both are written out."""
        return self.n_features

    def __repr__(self) -> str:
        return (
            f"{self.kernel!r} on {self.n_columns} columns: {_written(self.n_features)} features"
            f"{self._spanned}; a dot product takes {_written(self.by_kernel)} multiplications by "
            f"the kernel, {_written(self.by_features, last=True)} by features"
        )

    @property
    def _spanned(self) -> str:
        if self.dimension in (None, self.n_features):
            return ""
        return f" that span {_written(self.dimension)} dimensions"


def feature_space(kernel: Any, n_columns: int) -> FeatureSpace:
    """Return how many features a kernel stands for, and what a dot product of them costs.

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel, a name that ``SVC`` takes, or a function, of which nothing is known.
    n_columns : int
        Of the rows, at least 1.

    Returns
    -------
    space : FeatureSpace
        With ``n_features``, ``dimension``, ``by_kernel`` and ``by_features``.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Polynomial, feature_space
    >>> feature_space(Polynomial(degree=3), 100).dimension
    176851
    >>> feature_space(Polynomial(degree=3), 100)
    Polynomial(degree=3, gamma=1.0, coef0=1.0) on 100 columns: 176,851 features; a dot product \
takes 103 multiplications by the kernel, 176,851 by features
    >>> feature_space(RBF(gamma=1.0), 2).dimension
    inf
    >>> product = feature_space(Polynomial(degree=2) * Polynomial(degree=2), 2)
    >>> product.n_features, product.dimension
    (36, 15)
    """
    check_number("feature_space", "n_columns", n_columns, 1, whole=True)
    kernel, columns = as_kernel(kernel), int(n_columns)
    written, spanned = None, None
    if kernel.psd is not False:
        written, spanned = kernel.n_features(columns), _spanned_by(kernel, columns)
    return FeatureSpace(kernel, columns, written, spanned, multiplications(kernel, columns))


def _spanned_by(kernel: Kernel, columns: int) -> float | None:
    """Return the dimension of the space that the features span; None if it is unknown."""
    written = kernel.n_features(columns)
    if written is None or np.isinf(written) or not kernel.psd:
        return written if kernel.psd else None
    if isinstance(kernel, Restricted):
        return _spanned_by(kernel.kernel, kernel.width(columns))
    powers = degrees(kernel)
    return None if powers is None else sum(count_monomials(columns, p) for p in powers)


@singledispatch
def degrees(kernel: Kernel) -> frozenset[int] | None:  # noqa: ARG001
    """Return the powers of <x, y> that a kernel sums up; None where it is no such sum.

    Examples
    --------
    >>> sorted(degrees(Linear() * Polynomial(degree=2) + Polynomial(degree=5, coef0=0.0)))
    [1, 2, 3, 5]
    """
    return None


@degrees.register
def _(kernel: Constant) -> frozenset[int] | None:
    return frozenset({0} if kernel.c else ())


@degrees.register
def _(kernel: Linear) -> frozenset[int] | None:  # noqa: ARG001
    return frozenset({1})


@degrees.register
def _(kernel: Polynomial) -> frozenset[int] | None:
    inside = {0: kernel.coef0, 1: kernel.gamma}
    return _power(frozenset(p for p, factor in inside.items() if factor), kernel.degree)


@degrees.register
def _(kernel: Sum) -> frozenset[int] | None:
    left, right = degrees(kernel.left), degrees(kernel.right)
    return None if left is None or right is None else left | right


@degrees.register
def _(kernel: Product) -> frozenset[int] | None:
    left, right = degrees(kernel.left), degrees(kernel.right)
    return None if left is None or right is None else _sums(left, right)


@degrees.register
def _(kernel: Power) -> frozenset[int] | None:
    inside = degrees(kernel.kernel)
    return None if inside is None else _power(inside, kernel.exponent)


@degrees.register
def _(kernel: Scaled) -> frozenset[int] | None:
    return degrees(kernel.kernel) if kernel.weight else frozenset()


@degrees.register
def _(kernel: Normalized) -> frozenset[int] | None:
    """Take those inside: functions divided by one length stay as independent as they were."""
    return degrees(kernel.kernel)


def _power(inside: frozenset[int], exponent: int) -> frozenset[int]:
    return reduce(_sums, [inside] * exponent, frozenset({0}))


def _sums(left: frozenset[int], right: frozenset[int]) -> frozenset[int]:
    return frozenset(p + q for p in left for q in right)


@singledispatch
def multiplications(kernel: Kernel, columns: int) -> int | None:  # noqa: ARG001
    """Count those of one value of a kernel; None if it is unknown."""
    return None


@multiplications.register
def _(kernel: Constant, columns: int) -> int | None:  # noqa: ARG001
    return 0


@multiplications.register
def _(kernel: Linear, columns: int) -> int | None:  # noqa: ARG001
    return columns


@multiplications.register
def _(kernel: Polynomial, columns: int) -> int | None:
    return columns + 1 + of_power(kernel.degree)


@multiplications.register(Sigmoid)
@multiplications.register(ExpOfDistance)
def _(kernel: Kernel, columns: int) -> int | None:  # noqa: ARG001
    return columns + 2


@multiplications.register
def _(kernel: Sum, columns: int) -> int | None:
    return _together(kernel, columns, 0)


@multiplications.register
def _(kernel: Product, columns: int) -> int | None:
    return _together(kernel, columns, 1)


@multiplications.register(Scaled)
@multiplications.register(Exponential)
def _(kernel: Any, columns: int) -> int | None:
    inside = multiplications(kernel.kernel, columns)
    return None if inside is None else inside + 1


@multiplications.register
def _(kernel: Power, columns: int) -> int | None:
    inside = multiplications(kernel.kernel, columns)
    return None if inside is None else inside + of_power(kernel.exponent)


@multiplications.register
def _(kernel: Restricted, columns: int) -> int | None:
    return multiplications(kernel.kernel, kernel.width(columns))


@multiplications.register
def _(kernel: Normalized, columns: int) -> int | None:
    """Take k(x, y), k(x, x) and k(y, y), the product of the last two, its root and a quotient."""
    inside = multiplications(kernel.kernel, columns)
    return None if inside is None else 3 * inside + 3


def of_power(exponent: int) -> int:
    """Count the multiplications of a power: square for every bit but the first, times where 1.

    Examples
    --------
    >>> [of_power(d) for d in (0, 1, 2, 3, 4, 10)]
    [0, 0, 1, 2, 2, 4]
    """
    bits = bin(int(exponent))[2:]
    return len(bits) - 1 + bits[1:].count("1")


def _together(kernel: Any, columns: int, more: int) -> int | None:
    parts = [multiplications(part, columns) for part in (kernel.left, kernel.right)]
    return None if None in parts else sum(part for part in parts if part is not None) + more


def _written(count: float | None, *, last: bool = False) -> str:
    """Write a number of things; the last stands alone, its things having been named."""
    if count is None:
        return "an unknown number" if last else "an unknown number of"
    return "infinitely many" if np.isinf(count) else f"{int(count):,}"
