"""Kernels by scikit-learn's names, and from functions as its estimators take them."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from maxmargin.kernels.base import Kernel, Takes
from maxmargin.kernels.dot import Linear, Polynomial, Sigmoid
from maxmargin.kernels.function import FromFunction
from maxmargin.kernels.precomputed import Precomputed
from maxmargin.kernels.stationary import RBF, Laplacian

NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")
"""Those that estimators take, as scikit-learn's do."""

NAMED: dict[str, tuple[type[Kernel], tuple[str, ...]]] = {
    "linear": (Linear, ()),
    "poly": (Polynomial, ("degree", "gamma", "coef0")),
    "rbf": (RBF, ("gamma",)),
    "sigmoid": (Sigmoid, ("gamma", "coef0")),
    "laplacian": (Laplacian, ("gamma",)),
    "precomputed": (Precomputed, ()),
}
"""The kernels by name, each with the numbers that it takes."""


def named_kernel(name: str, gamma: Any = "scale", degree: int = 3, coef0: float = 0.0) -> Kernel:
    """Make the kernel of a name; numbers that it has no use for are not looked at.

    Examples
    --------
    >>> named_kernel("poly", gamma=0.5)
    Polynomial(degree=3, gamma=0.5, coef0=0.0)
    """
    kind, used = NAMED[name]
    numbers = {"gamma": gamma, "degree": degree, "coef0": coef0}
    return kind(**{number: numbers[number] for number in used})


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


def choose_kernel(kernel: Any, gamma: Any, degree: int, coef0: float) -> Kernel:
    """Make a kernel of scikit-learn's names and numbers, of a kernel value, or of a function."""
    if isinstance(kernel, Kernel):
        parts = [part for part in kernel.get_params().values() if isinstance(part, Kernel)]
        if parts and kernel.takes is Takes.MATRIX:  # its columns could not be told from new rows
            raise ValueError(
                f"{kernel!r} combines a precomputed matrix with others; combine the matrices "
                "yourself and give kernel='precomputed'."
            )
        return clone(kernel)  # what happens to the parameter later is not ours
    if callable(kernel):
        return FromFunction(kernel, batch=True)
    return named_kernel(kernel, gamma, degree, coef0)
