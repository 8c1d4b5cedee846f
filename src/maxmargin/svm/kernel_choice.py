"""From the ``kernel`` parameter to a kernel value."""

from __future__ import annotations

from typing import Any

from sklearn.base import clone

from maxmargin.kernels import FromFunction, Kernel
from maxmargin.kernels.base import Takes
from maxmargin.kernels.choice import named_kernel

NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")


def choose_kernel(kernel: Any, gamma: Any, degree: int, coef0: float) -> Kernel:
    """Make a kernel of scikit-learn's names and numbers, of a kernel value, or of a function."""
    if isinstance(kernel, Kernel):
        _refuse_matrix_parts(kernel)
        return clone(kernel)  # what happens to the parameter later is not ours
    if callable(kernel):
        return FromFunction(kernel, batch=True)
    return named_kernel(kernel, gamma, degree, coef0)


def _refuse_matrix_parts(kernel: Kernel) -> None:
    """Refuse algebra on a matrix: its columns could not be told from the rows of new data."""
    parts = [part for part in kernel.get_params().values() if isinstance(part, Kernel)]
    if parts and kernel.takes is Takes.MATRIX:
        raise ValueError(
            f"{kernel!r} combines a precomputed matrix with others; combine the matrices yourself "
            "and give kernel='precomputed'."
        )
