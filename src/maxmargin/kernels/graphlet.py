"""Small connected subgraphs, by their shape."""

from __future__ import annotations

from functools import cache
from itertools import combinations, permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Columns
from maxmargin.kernels.graph_counts import Counted, GraphCounting, Vocabulary
from maxmargin.kernels.graph_union import Integers, Union
from maxmargin.ops.clock import WORK, stop_if_over
from maxmargin.ops.engine import engine_of

_SIZES = (3, 4, 5)


class Graphlet(GraphCounting):
    """Counts the connected induced subgraphs of k nodes by their shape.

    There are 2 shapes of 3 nodes, 6 of 4 and 21 of 5. Counts are exact: every subgraph is met once.
    Positive semidefinite: its features are counts (Shervashidze, Vishwanathan, Petri, Mehlhorn and
    Borgwardt, "Efficient graphlet kernels for large graph comparison", AISTATS 2009, who count
    subgraphs that are not connected too; of those a graph's size says most). Labels and loops are
    not looked at. A graph costs as much as it has such subgraphs, at most n d^(k - 1) for n nodes
    of degree d.

    Parameters
    ----------
    k : {3, 4, 5}, default=4

    Examples
    --------
    >>> from maxmargin.kernels import Graph, Graphlet
    >>> square = Graph([(0, 1), (1, 2), (2, 3), (3, 0), (0, 2)])
    >>> Graphlet(3).features([square]).toarray().tolist()
    [[2.0, 2.0]]
    """

    def __init__(self, k: int = 4) -> None:
        self.k = k
        self._check_params()

    def _check_params(self) -> None:
        if isinstance(self.k, bool) or self.k not in _SIZES:
            raise ValueError(f"Graphlet takes 3, 4 or 5 for k, got {self.k!r}.")

    def _count(self, union: Union, vocabulary: Vocabulary) -> tuple[Any, Vocabulary]:
        kinds = shapes(int(self.k))
        counts = np.zeros((len(union), kinds.max() + 1), dtype=np.int64)
        for row, (first, last) in enumerate(zip(union.nodes, union.nodes[1:], strict=False)):
            local = union.starts[first : last + 1]
            around = union.neighbours[local[0] : local[-1]] - first
            self._count_one(local - local[0], around, kinds, counts[row])
        return sparse.csr_matrix(counts.astype(np.float64)), vocabulary

    def _feature_names(self, A: Counted, columns: Columns = None) -> list[str]:  # noqa: ARG002
        """Name shapes by their edges."""
        kinds, pairs = shapes(int(self.k)), list(combinations(range(int(self.k)), 2))
        masks = [int(np.argmax(kinds == number)) for number in range(A.width)]
        return [" ".join(f"{i}-{j}" for i, j in pairs if m >> _bit(i, j) & 1) for m in masks]

    def _count_one(
        self, starts: Integers, around: Integers, kinds: Integers, out: Integers
    ) -> None:
        """Count in one graph, with looks at the clock."""
        n, k = len(starts) - 1, int(self.k)
        place, tower = np.zeros(2, dtype=np.int64), np.zeros((3, k), dtype=np.int64)
        ahead, beside = np.zeros((k, n), dtype=np.int64), np.zeros(n, dtype=np.int64)
        count = engine_of(out).graph_graphlets.count_graphlets
        while place[0] < n:
            stop_if_over()
            count(starts, around, k, kinds, WORK, place, tower, ahead, beside, out)


@cache
def shapes(k: int) -> Integers:
    """Assign connected graphs of k nodes, by the bits of their edges, a number; -1 to all others.

    Isomorphic graphs have one number, in the order of their least edges written as bits.
    """
    masks = np.arange(1 << (k * (k - 1) // 2))
    least = masks.copy()
    for order in permutations(range(k)):
        np.minimum(least, _permuted(masks, order), out=least)
    connected = _is_connected(masks, k)
    return np.where(connected, np.searchsorted(np.unique(least[connected]), least), -1)


def _bit(i: int, j: int) -> int:
    low, high = min(i, j), max(i, j)
    return high * (high - 1) // 2 + low


def _permuted(masks: Integers, order: tuple[int, ...]) -> Integers:
    moved = np.zeros_like(masks)
    for i, j in combinations(range(len(order)), 2):
        moved |= ((masks >> _bit(i, j)) & 1) << _bit(order[i], order[j])
    return moved


def _is_connected(masks: Integers, k: int) -> NDArray[np.bool_]:
    """Spread from node 0 along edges, k - 1 times."""
    reached = np.ones_like(masks)
    for _ in range(k - 1):
        for i, j in combinations(range(k), 2):
            edge = (masks >> _bit(i, j)) & 1
            reached |= (edge & (reached >> i)) << j
            reached |= (edge & (reached >> j)) << i
    return reached == (1 << k) - 1
