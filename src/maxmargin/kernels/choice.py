"""Kernels by scikit-learn's names, and from functions as its estimators take them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from maxmargin.kernels.base import Kernel
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.function import FromFunction
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.stationary import RBF, Laplacian

NAMED: dict[str, Callable[[], Kernel]] = {
    "linear": Linear,
    "poly": lambda: Polynomial(degree=3, gamma="scale", coef0=0.0),
    "rbf": lambda: RBF(gamma="scale"),
    "sigmoid": lambda: Sigmoid(gamma="scale", coef0=0.0),
    "laplacian": lambda: Laplacian(gamma="scale"),
    "precomputed": Precomputed,
}


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
        return NAMED[kernel]()
    if callable(kernel) and not isinstance(kernel, type):
        return FromFunction(kernel, batch=True)
    names = ", ".join(map(repr, NAMED))
    raise (ValueError if isinstance(kernel, str) else TypeError)(
        f"Expected a kernel such as RBF(gamma=0.5), one of the names {names}, or a function of two "
        f"collections of items, got {kernel!r}."
    )
