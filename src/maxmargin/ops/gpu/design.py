"""The rows of a linear model on a device: a design whose products are made there.

Vectors come as NumPy arrays and go back as NumPy arrays, in double precision; the rows are copied
to the device once.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
import torch
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.design import Design
from maxmargin.ops.engine import Engine
from maxmargin.ops.gpu.arrays import SparseRows, to_device, to_host
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

AT_ONCE: Final = 1 << 24
"""Numbers of dense rows that are turned into double precision at a time."""


class DeviceDesign(Design):
    """A design whose rows lie on a device; ``X`` are the same rows on the host."""

    def __new__(cls, *_given: Any) -> DeviceDesign:
        """Make one of its own kind."""
        return object.__new__(cls)

    def __init__(self, X: Any, constant: float, far: float, device: Any) -> None:
        self._device, self.engine = device, Engine("cpu")
        super().__init__(X, constant, Workers(1), far)

    def _lay_out(self, X: Any) -> Any:
        self.dense = not sparse.issparse(X)
        self.stored = int(X.size if self.dense else X.nnz)
        step = max(1, AT_ONCE // max(1, X.shape[1]))
        parts = [slice(i, min(i + step, X.shape[0])) for i in range(0, X.shape[0], step)]
        self._parts = [(part, *self._copied(X[part])) for part in parts]
        return X

    def _copied(self, rows: Any) -> tuple[Any, Any]:
        """Copy rows, and sparse ones once more with their columns as rows."""
        there = to_device(rows, self._device)
        return there, to_device(rows.T.tocsr(), self._device) if sparse.issparse(rows) else None

    def _take(self, rows: NDArray[np.intp]) -> Any:
        return self.X[rows]

    def _vector(self, values: Any) -> Any:
        return to_device(np.asarray(values, np.float64), self._device)

    def _values(self, theta: Vector) -> Vector:
        there = self._vector(theta)
        return np.concatenate([to_host(_times(rows, there)) for _, rows, _ in self._each()])

    def _each(self) -> Any:
        for part in self._parts:
            stop_if_over()
            yield part

    def _back(self, beta: Vector) -> Vector:
        back: Vector = to_host(self._summed(self._vector(beta)))
        return back

    def _summed(self, beta: Any) -> Any:
        total = beta.new_zeros(self.X.shape[1])
        for part, rows, turned in self._each():
            total += beta[part] @ rows.double() if turned is None else _times(turned, beta[part])
        return total

    def _curved(self, weight: Vector, theta: Vector, shift: float) -> tuple[Vector, float]:
        scaled = self._vector(weight * (self._values(theta) + shift))
        return to_host(self._summed(scaled)), float(scaled.sum())

    def _squares(self, weight: Vector) -> Vector:
        there = self._vector(weight)
        total = there.new_zeros(self.X.shape[1])
        for part, rows, turned in self._each():
            if turned is None:
                total += there[part] @ rows.double().square()
            else:
                squared = replace(turned, data=turned.data.double().square())
                total += _times(squared, there[part])
        return to_host(total)

    def _products(self, weight: Vector) -> Vector:
        there, columns = self._vector(weight), self.X.shape[1]
        total = there.new_zeros((columns, columns))
        for part, rows, turned in self._each():
            dense = (rows if turned is None else rows.dense()).double()
            total += dense.T @ (dense * there[part, None])
        return to_host(total)

    def _row_squares(self) -> Vector:
        if sparse.issparse(self.X):
            return np.asarray(self.X.astype(np.float64).power(2).sum(axis=1)).ravel()
        parts = [to_host(rows.double().square().sum(1)) for _, rows, _ in self._each()]
        return np.concatenate(parts)


def _times(rows: Any, theta: Any) -> Any:
    if isinstance(rows, SparseRows):
        return rows.to(torch.float64).times(theta[:, None]).ravel()
    return rows.double() @ theta
