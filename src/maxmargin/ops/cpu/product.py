"""A matrix product whose sums stay in registers, of rows that lie ready for it.

C = A B', a block of SLIVER rows of A and one panel of rows of B at a time (K. Goto and R. van de
Geijn, "Anatomy of high-performance matrix multiplication", ACM Transactions on Mathematical
Software 34, 2008; the inner loop is the micro-kernel of F. Van Zee and R. van de Geijn, "BLIS: a
framework for rapidly instantiating BLAS functionality", the same journal, 41, 2015).

Why not BLAS: a library compiled years before a processor runs older instructions on it (half the
speed, with 512-bit registers that it does not know of), packs both sides anew in every call, takes
a lock to do so, and sums in another order at edges. Here rows are packed once (``pack``), a product
takes no lock, and every value is summed column after column, by fused steps where the processor has
them: the same bits in whatever block, on however many threads, and k(x, y) is k(y, x).

``compiler/register_block.py`` writes the innermost loop.
"""

from __future__ import annotations

from typing import Any

from maxmargin.ops.compiler.instruction import add_products
from maxmargin.ops.kinds import SLIVER
from maxmargin.ops.loop import njit

_DEPTH = 256  # columns: a panel of so many and a sliver fit into the nearest cache together


@njit(cache=True, nogil=True)
def multiply(slivers: Any, panels: Any, tile: Any) -> None:
    """Set a tile to the products of all rows of slivers with all rows of panels."""
    d, width, stride = panels.shape[1], panels.shape[2], tile.shape[1]
    A, B, C = slivers.reshape(-1), panels.reshape(-1), tile.reshape(-1)
    if d == 0:
        C[:] = 0
    for k in range(0, d, _DEPTH):
        depth, fresh = min(_DEPTH, d - k), k == 0
        for p in range(len(panels)):
            b = (p * d + k) * width
            for s in range(len(slivers)):
                a, c = (s * d + k) * SLIVER, s * SLIVER * stride + p * width
                add_products(A, a, B, b, C, c, stride, depth, fresh)


@njit(cache=True, nogil=True)
def pack(X: Any, rows: Any, out: Any) -> None:
    """Lay rows side by side, as many as a panel is wide: out[p, k, r] is X[rows[p * width + r], k].

    Where there are no more of them come zeros.
    """
    width = out.shape[2]
    for p in range(len(out)):
        panel = out[p]
        for r in range(width):
            i = p * width + r
            if i < len(rows):
                row = X[rows[i]]
                for k in range(len(row)):
                    panel[k, r] = row[k]
            else:
                for k in range(len(panel)):
                    panel[k, r] = 0
