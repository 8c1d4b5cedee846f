"""Nearest rows among those in the buckets of several hash tables.

The rows of a table's bucket c are order[starts[c]:starts[c + 1]]. A row found in one bucket is not
looked at again in another: ``seen`` holds the last question that met each row. Fast-math:
``reassoc`` and ``nsz``, so that a distance is summed several columns at a time.
"""

from __future__ import annotations

from typing import Any

from maxmargin.ops.loop import njit

_SUMS = {"reassoc", "nsz"}


@njit(cache=True, nogil=True)
def search_buckets(
    X: Any,
    asked: Any,
    order: Any,
    starts: Any,
    codes: Any,
    seen: Any,
    first: int,
    stop: int,
    squares: Any,
    indices: Any,
) -> int:
    """Find the nearest rows of questions first to stop; return how many rows were compared.

    X and asked hold rows and questions, order and starts a line a table, codes the buckets of each
    question and table. Squared distances and places are written nearest first, the smaller place
    first where distances are equal; where fewer are found, squares stay infinite.
    """
    compared = 0
    for q in range(first, stop):
        for table in range(len(order)):
            for probe in range(codes.shape[2]):
                code = codes[q, table, probe]
                for place in range(starts[table, code], starts[table, code + 1]):
                    row = order[table, place]
                    if seen[row] != q:
                        seen[row] = q
                        compared += 1
                        _insert(_square(X, asked, row, q), row, squares[q], indices[q])
    return compared


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _square(X: Any, asked: Any, row: int, q: int) -> float:
    total = 0.0
    for j in range(X.shape[1]):
        gap = float(X[row, j]) - float(asked[q, j])
        total += gap * gap
    return total


@njit(cache=True, nogil=True)
def _insert(square: float, row: int, squares: Any, indices: Any) -> None:
    place = len(squares) - 1
    if square > squares[place] or (square == squares[place] and row > indices[place]):
        return
    while place > 0 and (
        square < squares[place - 1] or (square == squares[place - 1] and row < indices[place - 1])
    ):
        squares[place], indices[place] = squares[place - 1], indices[place - 1]
        place -= 1
    squares[place], indices[place] = square, row
