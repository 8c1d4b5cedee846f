"""Kernel values of new rows and known ones, as tensors."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.export.error import refuse
from maxmargin.export.tensor import Tensor
from maxmargin.kernels import (
    RBF,
    Constant,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Polynomial,
    RationalQuadratic,
    Sigmoid,
)
from maxmargin.kernels.algebra import (
    Exponential,
    Normalized,
    Power,
    Product,
    Restricted,
    Scaled,
    Sum,
)

Matrix = NDArray[np.float64]
_WHY = "only kernels of rows of numbers can be written as a graph"


def values(kernel: Kernel, X: Tensor, Z: Matrix) -> Tensor:
    """Return k(x, z) for all rows x and known rows z, of shape (rows, known).

    Parameters
    ----------
    kernel : Kernel
        Resolved.
    X : Tensor
        Of shape (rows, columns).
    Z : ndarray of shape (known, columns)

    Returns
    -------
    Tensor
    """
    return _find(kernel)(kernel, X, Z)


def diagonal(kernel: Kernel, X: Tensor) -> Tensor:
    """Return k(x, x) of all rows, of shape (rows, 1).

    Parameters
    ----------
    kernel : Kernel
    X : Tensor

    Returns
    -------
    Tensor
    """
    found = next((each for kind, each in _DIAGONALS.items() if isinstance(kernel, kind)), None)
    if found is None:
        raise refuse(kernel, _WHY)
    return found(kernel, X)


def _find(kernel: Kernel) -> Callable[[Any, Tensor, Matrix], Tensor]:
    for kind, found in _VALUES.items():
        if type(kernel) is kind:
            return found
    raise refuse(kernel, _WHY)


def _dot(X: Tensor, Z: Matrix) -> Tensor:
    return X @ np.ascontiguousarray(Z.T)


def _linear(_kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return _dot(X, Z)


def _power(base: Tensor, exponent: int) -> Tensor:
    """Raise by repeated squaring, as compiled loops do."""
    result: Tensor | None = None
    while exponent > 0:
        if exponent & 1:
            result = base if result is None else result * base
        exponent >>= 1
        base = base * base if exponent else base
    return base * 0.0 + 1.0 if result is None else result


def _polynomial(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return _power(_dot(X, Z) * kernel.rate + float(kernel.coef0), int(kernel.degree))


def _sigmoid(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return (_dot(X, Z) * kernel.rate + float(kernel.coef0)).tanh()


def _squared(X: Tensor, Z: Matrix) -> Tensor:
    lengths = (X * X).sum()
    return (lengths + np.square(Z).sum(axis=1)[None] - 2.0 * _dot(X, Z)).clip(0.0, None)


def _absolute(X: Tensor, Z: Matrix) -> Tensor:
    """Add up absolute differences, a column at a time: no array of three axes."""
    total: Tensor | None = None
    for j in range(Z.shape[1]):
        part = (X.take([j]) - Z[:, j][None]).abs()
        total = part if total is None else total + part
    assert total is not None
    return total


def _distance(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return (_squared if kernel.distance == "squared" else _absolute)(X, Z)


def _exponential_of_distance(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return (_distance(kernel, X, Z) * -kernel.rate).exp()


def _matern(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    s = _distance(kernel, X, Z) * kernel.rate
    root = (2.0 * kernel.nu * s).sqrt()
    begin = root + 1.0 if kernel.nu == 1.5 else s * (5.0 / 3.0) + root + 1.0
    near = (-root).exp()
    return (near > 0.0).where(begin * near, np.float64(0.0))


def _rational_quadratic(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    base = _distance(kernel, X, Z) * kernel.rate / float(kernel.alpha) + 1.0
    return 1.0 / base if kernel.alpha == 1.0 else base ** float(-kernel.alpha)


def _constant(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return X.filled(np.float64(kernel.c), len(Z))


def _sum(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return values(kernel.left, X, Z) + values(kernel.right, X, Z)


def _product(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return values(kernel.left, X, Z) * values(kernel.right, X, Z)


def _scaled(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return values(kernel.kernel, X, Z) * float(kernel.weight)


def _raised(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return _power(values(kernel.kernel, X, Z), int(kernel.exponent))


def _exponential(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    return values(kernel.kernel, X, Z).exp()


def _restricted(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    places = kernel._places(Z.shape[1])
    return values(kernel.kernel, X.take(places), Z[:, places])


def _factors(lengths: Tensor) -> Tensor:
    return (lengths > 0.0).where(1.0 / lengths.sqrt(), np.float64(0.0))


def _normalized(kernel: Any, X: Tensor, Z: Matrix) -> Tensor:
    lengths = np.asarray(kernel.kernel.diag(Z), np.float64)
    with np.errstate(divide="ignore"):
        factors = np.where(lengths > 0, 1 / np.sqrt(lengths), 0.0)
    found = values(kernel.kernel, X, Z) * _factors(diagonal(kernel.kernel, X))
    return found * factors[None]


_VALUES: dict[type, Callable[[Any, Tensor, Matrix], Tensor]] = {
    Linear: _linear,
    Polynomial: _polynomial,
    Sigmoid: _sigmoid,
    RBF: _exponential_of_distance,
    Laplacian: _exponential_of_distance,
    Matern: _matern,
    RationalQuadratic: _rational_quadratic,
    Constant: _constant,
    Sum: _sum,
    Product: _product,
    Scaled: _scaled,
    Power: _raised,
    Exponential: _exponential,
    Restricted: _restricted,
    Normalized: _normalized,
}


def _one(_kernel: Any, X: Tensor) -> Tensor:
    return X.filled(np.float64(1.0), 1)


def _squares(X: Tensor) -> Tensor:
    return (X * X).sum()


_DIAGONALS: dict[type, Callable[[Any, Tensor], Tensor]] = {
    Linear: lambda _, X: _squares(X),
    Polynomial: lambda k, X: _power(_squares(X) * k.rate + float(k.coef0), int(k.degree)),
    Sigmoid: lambda k, X: (_squares(X) * k.rate + float(k.coef0)).tanh(),
    RBF: _one,
    Laplacian: _one,
    Matern: _one,
    RationalQuadratic: _one,
    Constant: lambda k, X: X.filled(np.float64(k.c), 1),
    Sum: lambda k, X: diagonal(k.left, X) + diagonal(k.right, X),
    Product: lambda k, X: diagonal(k.left, X) * diagonal(k.right, X),
    Scaled: lambda k, X: diagonal(k.kernel, X) * float(k.weight),
    Power: lambda k, X: _power(diagonal(k.kernel, X), int(k.exponent)),
    Exponential: lambda k, X: diagonal(k.kernel, X).exp(),
    Normalized: lambda k, X: (diagonal(k.kernel, X) > 0.0).as_kind("number"),
}
