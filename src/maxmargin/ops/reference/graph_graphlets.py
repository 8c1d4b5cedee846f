"""The obvious version of ``ops.cpu.graph_graphlets``: all subsets of k nodes, one by one."""

from __future__ import annotations

from itertools import combinations
from typing import Any


def count_graphlets(
    starts: Any,
    neighbours: Any,
    k: int,
    kinds: Any,
    work: int,  # noqa: ARG001
    place: Any,
    tower: Any,  # noqa: ARG001
    ahead: Any,  # noqa: ARG001
    beside: Any,  # noqa: ARG001
    counts: Any,
) -> None:
    """Add to counts[kinds[edges]] for every connected subset of k nodes, all in one call."""
    n = place[0] = len(starts) - 1
    around = {u: set(neighbours[starts[u] : starts[u + 1]].tolist()) for u in range(n)}
    for subset in combinations(range(n), k):
        edges = 0
        for j in range(k):
            for i in range(j):
                edges |= (subset[i] in around[subset[j]]) << (j * (j - 1) // 2 + i)
        if kinds[edges] >= 0:
            counts[kinds[edges]] += 1
