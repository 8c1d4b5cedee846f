"""The matrix of a kernel in pieces, on several threads.

Pieces do not depend on the number of threads, and each writes its own part of the matrix: results
are equal to the last bit for any number of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers

_ROWS, _COLUMNS = 256, 4096


def evaluate(kernel: Any, A: Any, B: Any) -> NDArray[Any]:
    """Evaluate k(A, B) of prepared rows; where B is A, exactly symmetric."""
    return _square(kernel, A) if A is B else oblong(kernel, A, B)


def _square(kernel: Any, A: Any) -> NDArray[Any]:
    """Evaluate rows up to the diagonal, and mirror them."""
    out = np.empty((len(A), len(A)), A.dtype)
    mirror, above = engine_of(out).rows.mirror, np.tri(_ROWS, dtype=bool).T

    def work(first: int) -> None:
        stop_if_over()
        stop = min(first + _ROWS, len(A))
        kernel.block(A[first:stop], A[:stop], out[first:stop, :stop])
        mirror(out, first, stop, 0, first)
        corner, size = out[first:stop, first:stop], stop - first
        np.copyto(corner, corner.T.copy(), where=above[:size, :size])

    with Workers() as workers:
        workers.each(work, range(0, len(A), _ROWS)[::-1])  # the longest rows first
    return out


def oblong(kernel: Any, A: Any, B: Any) -> NDArray[Any]:
    """Evaluate every value of k(A, B), whoever A and B are."""
    out = np.empty((len(A), len(B)), A.dtype)
    parts = {first: B[first : first + _COLUMNS] for first in range(0, len(B), _COLUMNS)}

    def work(corner: tuple[int, int]) -> None:
        stop_if_over()
        rows, columns = slice(corner[0], corner[0] + _ROWS), slice(corner[1], corner[1] + _COLUMNS)
        kernel.block(A[rows], parts[corner[1]], out[rows, columns])

    with Workers() as workers:
        workers.each(work, [(i, j) for j in parts for i in range(0, len(A), _ROWS)])
    return out
