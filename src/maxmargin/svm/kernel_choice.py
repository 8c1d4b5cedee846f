"""From the ``kernel`` parameter and the data to a kernel value and its items."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import clone

from maxmargin.kernels import RBF, FromFunction, Kernel, Linear, Polynomial, Precomputed, Sigmoid

_OFFSET = 0.9  # of the mean squared length of the rows is the mean's own: then it is taken off
NAMES = ("linear", "poly", "rbf", "sigmoid", "precomputed")


@dataclass(frozen=True)
class KernelChoice:
    """The kernel in effect. A plain function becomes the matrix it computes."""

    kernel: Kernel
    function: Any = None
    """The user's function (X, Y) -> matrix, where that is what was given."""
    shift: NDArray[Any] | None = None
    """Taken off every row before the kernel sees it, where rows lie far from the origin."""

    @property
    def precomputed(self) -> bool:
        """Whether the items are rows of a kernel matrix."""
        return isinstance(self.kernel, Precomputed)

    @property
    def takes_items(self) -> bool:
        """Whether X may hold anything, so that only the kernel can check it."""
        return self.function is not None or _has_function(self.kernel)

    def items(self, X: Any, others: Any) -> Any:
        """X as the kernel takes it: for a plain function, its matrix of X against the others."""
        if self.function is None:
            return X if self.shift is None else X - self.shift
        matrix = self.function(X, others)
        dense = matrix.toarray() if sparse.issparse(matrix) else matrix
        return np.asarray(dense, dtype=np.float64, order="C")


def centred_on(
    choice: KernelChoice, X: Any, weight: NDArray[np.float64] | None, free_bias: bool
) -> KernelChoice:
    """Let a radial or linear kernel see X less its mean if the mean is most of X.

    Distances do not change, but |x|^2 + |y|^2 - 2 <x, y> loses no digits to the offset; and a free
    bias makes good what products change. A thousand rows tell whether that is so.
    """
    invariant = isinstance(choice.kernel, RBF) or (free_bias and choice.kernel == Linear())
    if not invariant or sparse.issparse(X):
        return choice
    counted = X if weight is None else X[weight > 0]
    sample = counted[:: max(1, len(counted) // 1024)].astype(np.float64)
    mean = sample.mean(axis=0)
    if float(np.square(mean).sum()) <= _OFFSET * float(np.square(sample).sum()) / len(sample):
        return choice
    return replace(choice, shift=mean.astype(X.dtype))


def _parts(kernel: Kernel) -> list[Kernel]:
    return [value for value in kernel.get_params(deep=True).values() if isinstance(value, Kernel)]


def _has_function(kernel: Kernel) -> bool:
    return any(isinstance(part, FromFunction) for part in [kernel, *_parts(kernel)])


def _refuse_precomputed_parts(kernel: Kernel) -> None:
    """Refuse algebra on a matrix: its columns could not be told from the rows of new data."""
    if any(isinstance(part, Precomputed) for part in _parts(kernel)):
        raise ValueError(
            f"{kernel!r} combines a precomputed matrix with others; combine the matrices yourself "
            "and give kernel='precomputed'."
        )


def choose_kernel(kernel: Any, gamma: float, degree: int, coef0: float) -> KernelChoice:
    """Make a kernel of scikit-learn's names and numbers, of a kernel value, or of a function."""
    if isinstance(kernel, Kernel):
        _refuse_precomputed_parts(kernel)
        return KernelChoice(clone(kernel))  # what happens to the parameter later is not ours
    if callable(kernel):
        return KernelChoice(Precomputed(), kernel)
    named: dict[str, Callable[[], Kernel]] = {
        "linear": Linear,
        "poly": lambda: Polynomial(degree=degree, gamma=gamma, coef0=coef0),
        "rbf": lambda: RBF(gamma=gamma),
        "sigmoid": lambda: Sigmoid(gamma=gamma, coef0=coef0),
        "precomputed": Precomputed,
    }
    return KernelChoice(named[kernel]())


def resolve_gamma(gamma: Any, X: Any, weight: NDArray[np.float64] | None) -> float:
    """Give the number behind "scale", 1 / (columns * variance), or "auto", 1 / columns.

    The variance counts a row as often as its weight says, so that a weight of 2 and a row given
    twice make the same kernel.
    """
    if not isinstance(gamma, str):
        return float(gamma)
    if gamma == "auto":
        return 1.0 / float(X.shape[1])
    with np.errstate(over="ignore", invalid="ignore"):
        variance = _variance(X, weight)
    return 1.0 / (X.shape[1] * variance) if variance != 0 else 1.0


def _variance(X: Any, weight: NDArray[np.float64] | None) -> float:
    if weight is None and not sparse.issparse(X):
        return float(X.var(dtype=np.float64))
    w = np.ones(X.shape[0]) if weight is None else np.maximum(weight, 0.0)
    size = float(w.sum()) * X.shape[1]
    if sparse.issparse(X):
        mean = float((w @ X).sum()) / size
        return float((w @ X.multiply(X)).sum()) / size - mean**2
    # einsum rather than BLAS, whose sums depend on the number of its threads
    mean = float(np.einsum("i,ij->", w, X)) / size
    return float(np.einsum("i,ij,ij->", w, X - mean, X - mean)) / size
