"""Kernels by scikit-learn's names, and from functions as its estimators take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maxmargin.kernels.base import Kernel
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.function import FromFunction
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.stationary import RBF, Laplacian

NAMED: dict[str, Callable[[Any, int, float], Kernel]] = {
    "linear": lambda *_: Linear(),
    "poly": lambda gamma, degree, coef0: Polynomial(degree, gamma, coef0),
    "rbf": lambda gamma, *_: RBF(gamma),
    "sigmoid": lambda gamma, _, coef0: Sigmoid(gamma, coef0),
    "laplacian": lambda gamma, *_: Laplacian(gamma),
    "precomputed": lambda *_: Precomputed(),
}


def named_kernel(name: str, gamma: Any = "scale", degree: int = 3, coef0: float = 0.0) -> Kernel:
    """Make the kernel of a name; numbers that it has no use for are not looked at.

    Examples
    --------
    >>> named_kernel("poly", gamma=0.5)
    Polynomial(degree=3, gamma=0.5, coef0=0.0)
    """
    return NAMED[name](gamma, degree, coef0)


def as_kernel(kernel: Any) -> Kernel:
    """Make a kernel of a name, with scikit-learn's defaults, or of a function (X, Y) -> matrix.

    Examples
    --------
    >>> as_kernel("rbf")
    RBF(gamma='scale')
    """
    if isinstance(kernel, Kernel):
        return kernel
    if isinstance(kernel, str) and kernel in NAMED:
        return named_kernel(kernel)
    if callable(kernel) and not isinstance(kernel, type):
        return FromFunction(kernel, batch=True)
    names = ", ".join(map(repr, NAMED))
    raise (ValueError if isinstance(kernel, str) else TypeError)(
        f"Expected a kernel such as RBF(gamma=0.5), one of the names {names}, or a function of two "
        f"collections of items, got {kernel!r}."
    )
