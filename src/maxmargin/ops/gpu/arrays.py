"""NumPy arrays, and trees of prepared rows, to tensors of a device and back."""

from __future__ import annotations

import warnings
from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, Final

import numpy as np
import torch
from scipy import sparse

DOUBLE: Final = torch.float64
"""The precision of duals, gradients and sums."""
DENSE_NUMBERS: Final = 1 << 26
"""Numbers of sparse rows that are written out densely at a time: 256 MB of single precision."""


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Rows of a CSR matrix on a device."""

    indptr: Any
    indices: Any
    data: Any
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns."""
        return len(self.indptr) - 1, self.width

    @property
    def dtype(self) -> Any:
        """The precision of the numbers."""
        return self.data.dtype

    @property
    def device(self) -> Any:
        """Where the numbers are."""
        return self.data.device

    def __len__(self) -> int:
        return self.shape[0]

    def __getitem__(self, rows: Any) -> SparseRows:
        if not isinstance(rows, slice):
            return self._gathered(rows)
        start, stop, _ = rows.indices(len(self))
        first, last = int(self.indptr[start]), int(self.indptr[max(start, stop)])
        part = slice(first, last)
        indptr = self.indptr[start : max(start, stop) + 1] - first
        return SparseRows(indptr, self.indices[part], self.data[part], self.width)

    def _gathered(self, rows: Any) -> SparseRows:
        begin, counts = self.indptr[rows], self.indptr[rows + 1] - self.indptr[rows]
        indptr = torch.zeros(len(rows) + 1, dtype=torch.int64, device=self.device)
        torch.cumsum(counts, 0, out=indptr[1:])
        places = torch.arange(int(indptr[-1]), device=self.device)
        places += torch.repeat_interleave(begin - indptr[:-1], counts)
        return SparseRows(indptr, self.indices[places], self.data[places], self.width)

    def to(self, dtype: Any) -> SparseRows:
        """Return the rows in another precision."""
        return SparseRows(self.indptr, self.indices, self.data.to(dtype), self.width)

    def dense(self) -> Any:
        """Write the rows out."""
        out = torch.zeros(self.shape, dtype=self.dtype, device=self.device)
        counts = self.indptr[1:] - self.indptr[:-1]
        rows = torch.repeat_interleave(torch.arange(len(self), device=self.device), counts)
        out[rows, self.indices] = self.data
        return out

    def times(self, dense: Any) -> Any:
        """Multiply with a dense matrix of as many rows as there are columns."""
        with warnings.catch_warnings():  # torch calls its sparse matrices a beta version
            warnings.simplefilter("ignore")
            parts = self.indptr, self.indices, self.data
            return torch.sparse_csr_tensor(*parts, size=self.shape) @ dense


def to_device(array: Any, device: Any, dtype: Any = None) -> Any:
    """Copy an array or a CSR matrix to a device; the caller may change the original."""
    if sparse.issparse(array):
        indptr, indices = (
            torch.tensor(p, dtype=torch.int64) for p in (array.indptr, array.indices)
        )
        rows = SparseRows(
            indptr.to(device), indices.to(device), _tensor(array.data, device), array.shape[1]
        )
        return rows if dtype is None else rows.to(dtype)
    tensor = _tensor(array, device)
    return tensor if dtype is None else tensor.to(dtype)


def _tensor(array: Any, device: Any) -> Any:
    array = np.ascontiguousarray(array)
    if not array.flags.writeable or device.type == "cpu":
        array = array.copy()
    return torch.from_numpy(array).to(device)


def to_host(tensor: Any) -> Any:
    """Copy a tensor to a NumPy array."""
    return tensor.detach().cpu().numpy()


def tree_to_device(rows: Any, device: Any, known: dict[int, Any] | None = None) -> Any:
    """Copy a tree of prepared rows: every array in it becomes a tensor, each once.

    Prepared rows are frozen dataclasses of arrays and of other prepared rows.
    """
    known = {} if known is None else known
    if isinstance(rows, np.ndarray) or sparse.issparse(rows):
        if id(rows) not in known:
            known[id(rows)] = to_device(rows, device), rows  # which stays alive, and so its id
        return known[id(rows)][0]
    if not is_dataclass(rows) or isinstance(rows, type):
        return rows
    parts = {each.name: getattr(rows, each.name) for each in fields(rows)}
    return replace(rows, **{k: tree_to_device(v, device, known) for k, v in parts.items()})
