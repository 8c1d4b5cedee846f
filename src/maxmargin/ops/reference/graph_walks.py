"""The obvious version of ``ops.cpu.graph_walks``: the product graph written out and solved."""

from __future__ import annotations

from typing import Any

import numpy as np


def walk_row(
    a_nodes: Any,
    a_starts: Any,
    a_around: Any,
    a_lines: Any,
    a_labels: Any,
    graph: int,
    b_nodes: Any,
    b_starts: Any,
    b_around: Any,
    b_lines: Any,
    b_labels: Any,
    others: Any,
    kinds: int,
    decay: float,
    work: float,  # noqa: ARG001
    memory: Any,  # noqa: ARG001
    place: Any,
    out: Any,
) -> None:
    """Set out[j] <- sum of decay^length over common walks of a graph and others[j], in one call."""
    place[0] = len(others)
    left = [_matrix(a_nodes, a_starts, a_around, a_lines, graph, kind) for kind in range(kinds)]
    of_left = a_labels[a_nodes[graph] : a_nodes[graph + 1]]
    for j, other in enumerate(others):
        right = [
            _matrix(b_nodes, b_starts, b_around, b_lines, other, kind) for kind in range(kinds)
        ]
        of_right = b_labels[b_nodes[other] : b_nodes[other + 1]]
        same = np.equal.outer(of_left, of_right).ravel()
        product = sum(np.kron(A, B) for A, B in zip(left, right, strict=True))
        W = product[np.ix_(same, same)]  # type: ignore[index]
        out[j] = np.linalg.solve(np.eye(len(W)) - decay * W, np.ones(len(W))).sum()


def _matrix(nodes: Any, starts: Any, around: Any, lines: Any, graph: int, kind: int) -> Any:
    first, last = nodes[graph], nodes[graph + 1]
    A = np.zeros((last - first, last - first))
    for u in range(first, last):
        part = slice(starts[u], starts[u + 1])
        A[u - first, around[part][lines[part] == kind] - first] = 1.0
    return A
