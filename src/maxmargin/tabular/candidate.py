"""A kernel on prepared columns, and a ridge: what the search of a machine for a table tries."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels import RBF, Kernel, Laplacian, Matern, RationalQuadratic
from maxmargin.tabular.preparation import KERNEL_BLOCKS, Rows

Vector = NDArray[np.float64]
Matrix = NDArray[Any]

PROFILES = ("exponential", "matern", "rational quadratic", "matern 5/2")
METRICS = ("absolute", "squared")


@dataclass(frozen=True)
class Candidate:
    """A kernel on prepared columns, and a ridge."""

    weights: tuple[float, ...]
    """Of each block."""
    metric: str
    profile: str
    gamma: float
    """Times the inverse of the median distance."""
    ridge: float
    median: float = 1.0
    columns: tuple[float, ...] = ()
    """Of each part of prepared rows (``Rows.group``), where they were found one by one."""
    trend: float = field(default=0.0, metadata={"later": True})
    """What the linear kernel of ``Rows.trend`` is multiplied by before it is added."""

    def __restored__(self) -> None:
        """Check what was read: a kernel is chosen by these names, and numbers divide."""
        named = self.metric in METRICS and self.profile in PROFILES
        rates = self.gamma, self.ridge, self.median
        sound = all(0.0 < rate < np.inf for rate in rates) and 0.0 <= self.trend < np.inf
        sound = sound and len(self.weights) == len(KERNEL_BLOCKS)
        if not (named and sound and all(0.0 <= w < np.inf for w in (*self.weights, *self.columns))):
            raise ValueError("The kernel of a stored machine for tables is none that there is.")

    @property
    def plain(self) -> Candidate:
        """The kernel alone, for what a trend leaves."""
        return replace(self, trend=0.0)

    def scales(self, rows: Rows) -> Vector:
        """Return what each prepared column's part of the distance is multiplied by."""
        weight = np.append(self.weights, 0.0)[rows.block] * (self.gamma / self.median)
        return weight * np.asarray(self.columns)[rows.group] if self.columns else weight

    @property
    def kernel(self) -> Kernel:
        """The kernel on scaled columns."""
        if self.profile.startswith("matern"):
            return Matern(2.5 if self.profile == "matern 5/2" else 1.5, 1.0, self.metric)
        if self.profile == "rational quadratic":
            return RationalQuadratic(1.0, 1.0, self.metric)
        return Laplacian(1.0) if self.metric == "absolute" else RBF(1.0)

    def scaled(self, rows: Rows, dtype: Any = np.float32) -> Matrix:
        """Return the columns that count, scaled so that the kernel's gamma is 1."""
        weight = self.scales(rows)
        used = np.flatnonzero(weight > 0)
        scale = weight[used] if self.metric == "absolute" else np.sqrt(weight[used])
        return np.ascontiguousarray(rows.X[:, used] * scale, dtype=dtype)

    def profile_of(self, D: Matrix) -> Matrix:
        """Return the kernel matrix of a matrix of distances (in which gamma is not counted)."""
        out = np.empty_like(D)
        rate = D.dtype.type(self.gamma / self.median)
        self.kernel.of_distances(D * rate, out)  # type: ignore[attr-defined]
        return out

    def __str__(self) -> str:
        parts = [f"{w:g} {name}" for name, w in zip(KERNEL_BLOCKS, self.weights, strict=True) if w]
        how = "columns weighed one by one" if self.columns else " + ".join(parts)
        return (
            f"{self.profile} of {self.metric} distance, {how}, "
            f"gamma {self.gamma:.3g}, ridge {self.ridge:.3g}"
            + (f", with a linear trend of weight {self.trend:g}" if self.trend else "")
        )
