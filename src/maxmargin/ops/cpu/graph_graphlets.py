"""Connected subgraphs of a few nodes, each met once.

Wernicke, "Efficient detection of network motifs", IEEE/ACM TCBB 3, 2006, algorithm ESU: subsets are
grown from their smallest node v by nodes larger than v that are next to the subset, and a node
brings in only those neighbours that nobody in the subset has.
"""

from __future__ import annotations

from typing import Any

from maxmargin.ops.loop import njit


@njit(inline="always")
def _enter(starts: Any, neighbours: Any, node: int, place: int, beside: Any) -> None:
    """Mark the neighbours of a node with its place in the subset."""
    for p in range(starts[node], starts[node + 1]):
        beside[neighbours[p]] |= 1 << place


@njit(inline="always")
def _leave(starts: Any, neighbours: Any, node: int, place: int, beside: Any) -> None:
    for p in range(starts[node], starts[node + 1]):
        beside[neighbours[p]] &= ~(1 << place)


@njit(inline="always")
def _begin(starts: Any, neighbours: Any, root: int, ahead: Any) -> int:
    """List the neighbours after a node, and count them."""
    count = 0
    for p in range(starts[root], starts[root + 1]):
        if neighbours[p] > root:
            ahead[count] = neighbours[p]
            count += 1
    return count


@njit(cache=True, nogil=True)
def count_graphlets(
    starts: Any,
    neighbours: Any,
    k: int,
    kinds: Any,
    work: int,
    place: Any,
    tower: Any,
    ahead: Any,
    beside: Any,
    counts: Any,
) -> None:
    """Add to counts[kinds[edges]] for connected subsets of k nodes, as many as so much work does.

    ``edges`` has a bit for each pair of places i < j, at j (j - 1) / 2 + i. A further call goes on
    where the last one ended: ``place`` holds the smallest node of the subset and its size, by size
    ``tower`` how many may be next, the edges and the last node, ``ahead`` who may be next, and by
    node ``beside`` the places of the subset that it is next to. All begin with 0; the first of
    ``place`` is the number of nodes in the end.
    """
    left, edges, subset = tower[0], tower[1], tower[2]
    root, size = place[0], place[1]
    while root < starts.size - 1 and work > 0:
        if size == 0:
            subset[0], size, edges[0] = root, 1, 0
            left[0] = _begin(starts, neighbours, root, ahead[0])
            _enter(starts, neighbours, root, 0, beside)
        at = size - 1
        shift = size * (size - 1) // 2
        work -= left[at] + 1
        if size == k - 1:
            for q in range(left[at]):
                counts[kinds[edges[at] | (beside[ahead[at, q]] << shift)]] += 1
            left[at] = 0
        if left[at] == 0:
            size -= 1
            _leave(starts, neighbours, subset[size], size, beside)
            if size == 0:
                root += 1
            continue
        left[at] -= 1
        node = ahead[at, left[at]]
        work -= starts[node + 1] - starts[node]
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
    place[0], place[1] = root, size
