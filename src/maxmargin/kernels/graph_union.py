"""Many graphs as one: a disjoint union in integer arrays, the way compiled loops want it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.kernels.graph import Graph

Integers = NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class Names:
    """Numbers for labels, the same for graphs of a fit and for those compared with them later."""

    of: str
    """What is labelled."""
    kind: str | None = None
    """What labels are; None as long as none was seen."""
    numbers: dict[Any, int] = field(default_factory=dict)

    def read(self, labels: Sequence[Any], sizes: Sequence[int]) -> tuple[Integers, Names]:
        """Assign numbers to the labels of graphs, one after the other; those not seen get new ones.

        Without labels all numbers are 0. Graphs that have nothing to label fit to any.
        """
        kind = self._common_kind(labels, sizes)
        there = [each for each, size in zip(labels, sizes, strict=True) if size]
        if not there or kind == "none":
            return np.zeros(sum(sizes), dtype=np.int64), Names(self.of, kind, self.numbers)
        values, places = np.unique(np.concatenate(there), return_inverse=True)
        numbers = dict(self.numbers)
        coded = [numbers.setdefault(value, len(numbers)) for value in values.tolist()]
        return np.array(coded, dtype=np.int64)[places], Names(self.of, kind, numbers)

    def _common_kind(self, labels: Sequence[Any], sizes: Sequence[int]) -> str | None:
        kind, first = self.kind, "those compared with"
        for place, (each, size) in enumerate(zip(labels, sizes, strict=True)):
            own = _kind(each) if size else kind
            if kind is not None and own != kind:
                raise ValueError(
                    f"Graph {place} has {own} as {self.of} labels and {first} {kind}; give all "
                    "graphs labels of one kind, or none."
                )
            if kind is None and own is not None:
                kind, first = own, f"graph {place}"
        return kind


def _kind(labels: Any) -> str:
    if labels is None:
        return "none"
    return "texts" if labels.dtype.kind == "U" else "whole numbers"


@dataclass(frozen=True, eq=False)
class Union:
    """Graphs side by side; nodes and edges are numbered through.

    Every edge stands in the lists of both its nodes, a loop once.
    """

    nodes: Integers
    """Where each graph's nodes begin, and the end."""
    starts: Integers
    """Where each node's neighbours begin, and the end."""
    neighbours: Integers
    lines: Integers
    """The label of the edge to each neighbour."""
    labels: Integers
    """Of nodes."""
    ends: Integers
    """Both nodes of every edge."""
    edges: Integers
    """Where each graph's edges begin, and the end."""
    edge_labels: Integers

    def __len__(self) -> int:
        return len(self.nodes) - 1

    @property
    def sizes(self) -> Integers:
        """Nodes of each graph."""
        return np.diff(self.nodes)

    @property
    def owners(self) -> Integers:
        """The graph of each node."""
        return np.repeat(np.arange(len(self)), self.sizes)


def unite(graphs: Sequence[Graph], names: tuple[Names, Names]) -> tuple[Union, tuple[Names, Names]]:
    """Put graphs side by side, their labels numbered by names of nodes and of edges."""
    sizes, lines = [g.n_nodes for g in graphs], [g.n_edges for g in graphs]
    labels, of_nodes = names[0].read([g.node_labels for g in graphs], sizes)
    edge_labels, of_edges = names[1].read([g.edge_labels for g in graphs], lines)
    nodes, edges = _starts(sizes), _starts(lines)
    ends = np.concatenate([g.ends for g in graphs]) + np.repeat(nodes[:-1], lines)[:, None]
    parts = _neighbours(ends, edge_labels, int(nodes[-1]))
    return Union(nodes, *parts, labels, ends, edges, edge_labels), (of_nodes, of_edges)


def _starts(sizes: Sequence[int]) -> Integers:
    return np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)


def _neighbours(ends: Integers, labels: Integers, n: int) -> tuple[Integers, Integers, Integers]:
    """List the neighbours of all nodes, in ascending order, and the labels of their edges."""
    back = ends[:, 0] != ends[:, 1]
    here = np.concatenate([ends[:, 0], ends[back, 1]])
    there = np.concatenate([ends[:, 1], ends[back, 0]])
    order = np.lexsort((there, here))
    starts = _starts(np.bincount(here, minlength=n).tolist())
    return starts, there[order], np.concatenate([labels, labels[back]])[order]
