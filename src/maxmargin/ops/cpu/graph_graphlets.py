"""Connected subgraphs of a few nodes, each met once.

Wernicke, "Efficient detection of network motifs", IEEE/ACM TCBB 3, 2006, algorithm ESU: subsets are
grown from their smallest node v by nodes larger than v that are next to the subset, and a node
brings in only those neighbours that nobody in the subset has.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numba import njit


@njit(inline="always")
def _enter(starts: Any, neighbours: Any, node: int, place: int, beside: Any) -> None:
    """Let all neighbours of a node know that it is at this place of the subset."""
    for p in range(starts[node], starts[node + 1]):
        beside[neighbours[p]] |= 1 << place


@njit(inline="always")
def _leave(starts: Any, neighbours: Any, node: int, place: int, beside: Any) -> None:
    for p in range(starts[node], starts[node + 1]):
        beside[neighbours[p]] &= ~(1 << place)


@njit(cache=True, nogil=True)
def count_graphlets(
    starts: Any, neighbours: Any, first: int, last: int, k: int, kinds: Any, counts: Any
) -> None:
    """Add to counts[kinds[edges]] for every connected subset of k of the nodes first..last.

    ``edges`` has a bit for each pair of places i < j, at j (j - 1) / 2 + i.
    """
    n = last - first
    beside = np.zeros(last, np.int64)  # by node, the places of the subset that it is next to
    ahead = np.empty((k, n), np.int64)  # by size of the subset, who may be next
    left, edges = np.zeros(k, np.int64), np.zeros(k, np.int64)
    subset = np.empty(k, np.int64)
    for root in range(first, last):
        subset[0], size = root, 1
        left[0], edges[0] = 0, 0
        for p in range(starts[root], starts[root + 1]):
            if neighbours[p] > root:
                ahead[0, left[0]] = neighbours[p]
                left[0] += 1
        _enter(starts, neighbours, root, 0, beside)
        while size > 0:
            at = size - 1
            shift = size * (size - 1) // 2
            if size == k - 1:
                for q in range(left[at]):
                    counts[kinds[edges[at] | (beside[ahead[at, q]] << shift)]] += 1
                left[at] = 0
            if left[at] == 0:
                size -= 1
                _leave(starts, neighbours, subset[size], size, beside)
                continue
            left[at] -= 1
            node = ahead[at, left[at]]
            ahead[size, : left[at]] = ahead[at, : left[at]]
            left[size], edges[size] = left[at], edges[at] | (beside[node] << shift)
            for p in range(starts[node], starts[node + 1]):
                other = neighbours[p]
                if other > root and other != node and beside[other] == 0:
                    ahead[size, left[size]] = other
                    left[size] += 1
            subset[size] = node
            _enter(starts, neighbours, node, size, beside)
            size += 1
