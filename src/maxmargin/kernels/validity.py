"""Is it a kernel on these items? The smallest eigenvalue, and a witness when it is not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from maxmargin.kernels.base import Kernel
from maxmargin.kernels.choice import as_kernel
from maxmargin.kernels.points import FloatArray


@dataclass(frozen=True, eq=False)
class KernelCheck:
    """What ``check`` found on the Gram matrix K of n items; true in a condition when K passed.

    Attributes
    ----------
    psd : bool
        K is symmetric and positive semidefinite, up to the tolerance.
    smallest_eigenvalue : float
        Of the symmetric part of K.
    tolerance : float
        What rounding alone can do to an eigenvalue or to the symmetry of K.
    asymmetry : float
        The largest |K[i, j] - K[j, i]|.
    witness : ndarray or None
        When an eigenvalue is too negative: a vector z of length 1 with z @ K @ z < 0.
    n : int
        The number of items.
    """

    psd: bool
    smallest_eigenvalue: float
    tolerance: float
    asymmetry: float
    witness: FloatArray | None
    n: int

    def __bool__(self) -> bool:
        return self.psd

    def __str__(self) -> str:
        found = (
            f"smallest eigenvalue {self.smallest_eigenvalue:.3g} (tolerance {self.tolerance:.1g})"
        )
        return f"{self._verdict()} on {self.n} items: {found}{self._evidence()}"

    def _verdict(self) -> str:
        if self.asymmetry > self.tolerance:
            return "NOT SYMMETRIC"
        return "PSD" if self.psd else "NOT PSD"

    def _evidence(self) -> str:
        if self.asymmetry > self.tolerance:
            return f", |K - K'| up to {self.asymmetry:.3g}"
        return "" if self.psd else ", see witness z with z'Kz < 0"


def check(kernel: Kernel | str | Callable[[Any, Any], Any], X: Any) -> KernelCheck:
    """Return whether the Gram matrix of X is positive semidefinite.

    A kernel is positive semidefinite when this holds for every X, so one X can refute it and none
    can prove it. The matrix is formed whole and its eigenvalues cost n^3: a few thousand items.

    Parameters
    ----------
    kernel : Kernel, str or callable
        A kernel; one of the names "linear", "poly", "rbf", "sigmoid", "laplacian" and
        "precomputed", with the defaults of ``SVC``; or a function that gives the matrix of two
        collections of items, as ``SVC`` takes it.
    X : array, sparse matrix or list of items

    Returns
    -------
    KernelCheck
        With the smallest eigenvalue, the tolerance, and a witness when the answer is no.

    Examples
    --------
    >>> from maxmargin.kernels import RBF, Sigmoid, check
    >>> X = [[1.0], [2.0]]
    >>> check(RBF(gamma=1.0), X).psd
    True
    >>> result = check(Sigmoid(gamma=1.0, coef0=1.0), X)
    >>> print(result)
    NOT PSD on 2 items: smallest eigenvalue -0.0132 (tolerance 4e-15), see witness z with z'Kz < 0
    >>> z = result.witness
    >>> bool(z @ Sigmoid(gamma=1.0, coef0=1.0)(X) @ z < 0)
    True
    """
    K = as_kernel(kernel)(X)
    refuse_unfit(K)
    tolerance = rounding_of(K)
    values, vectors = np.linalg.eigh((K.astype(np.float64) + K.T) / 2)
    asymmetry, smallest = float(np.abs(K - K.T).max()), float(values[0])
    negative = smallest < -tolerance
    psd = not negative and asymmetry <= tolerance
    return KernelCheck(
        psd, smallest, tolerance, asymmetry, vectors[:, 0] if negative else None, len(K)
    )


def refuse_unfit(K: FloatArray) -> None:
    """Refuse what is not square or not finite."""
    if K.shape[0] != K.shape[1]:
        raise ValueError(f"A Gram matrix is square, this one has shape {K.shape}.")
    if not np.isfinite(K).all():
        row, column = np.argwhere(~np.isfinite(K))[0]
        raise ValueError(f"The kernel gave {K[row, column]} for items {row} and {column}; scale X.")


def rounding_of(K: FloatArray) -> float:
    """Bound what rounding can do to an eigenvalue: n entries a row, each off by a few units."""
    return float(8 * len(K) * np.finfo(K.dtype).eps * np.abs(K).max())
