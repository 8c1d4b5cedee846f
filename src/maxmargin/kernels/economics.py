"""What a kernel saves: how many features it stands for, and what a dot product of them costs.

The features of (gamma <x, y> + c)^d on p columns are the monomials of degree at most d, and there
are C(p + d, d) of them; of degree d alone, with c = 0, there are C(p + d - 1, d). A dot product of
so many features takes as many multiplications, the kernel one for each column and a few more.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import singledispatch
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
    dimension : int, inf or None
        How many features ``kernel.features`` writes out; None where nobody knows, or where the
        kernel is none. A smaller space may do: ``Linear() + Linear()`` writes every column twice.
    by_kernel : int or None
        Multiplications of k(x, y). An exponential, a root, a division and an absolute difference
        count as one each; None where the kernel is somebody's function.
    by_features : int, inf or None
        Multiplications of <phi(x), phi(y)> once both are written out: as many as features.
    """

    kernel: Kernel
    n_columns: int
    dimension: float | None
    by_kernel: int | None

    @property
    def by_features(self) -> float | None:
        """Multiplications of <phi(x), phi(y)> once both are written out."""
        return self.dimension

    def __repr__(self) -> str:
        kernel, features = _written(self.by_kernel), _written(self.by_features)
        return (
            f"{self.kernel!r} on {self.n_columns} columns: {_written(self.dimension)} features; "
            f"a dot product takes {kernel} multiplications by the kernel, {features} by features"
        )


def feature_space(kernel: Any, n_columns: int) -> FeatureSpace:
    """Say how many features a kernel stands for, and what a dot product of them costs.

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel, a name that ``SVC`` takes, or a function, of which nothing is known.
    n_columns : int
        Of the rows, at least 1.

    Returns
    -------
    space : FeatureSpace
        With ``dimension``, ``by_kernel`` and ``by_features``.

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
    """
    check_number("feature_space", "n_columns", n_columns, 1, whole=True)
    kernel, columns = as_kernel(kernel), int(n_columns)
    dimension = None if kernel.psd is False else kernel.dimension(columns)
    return FeatureSpace(kernel, columns, dimension, multiplications(kernel, columns))


@singledispatch
def multiplications(kernel: Kernel, columns: int) -> int | None:  # noqa: ARG001
    """Count those of one value of a kernel; None where nobody knows."""
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


def _written(count: float | None) -> str:
    if count is None:
        return "an unknown number of"
    return "infinitely many" if np.isinf(count) else f"{int(count):,}"
