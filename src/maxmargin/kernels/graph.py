"""Graphs as values: nodes 0, 1, ..., n - 1, undirected edges, and labels of both."""

from __future__ import annotations

import reprlib
from collections.abc import Hashable
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.inputs.container import by_position, count_rows

_LABEL = "label"  # the attribute of networkx's graphs that is read when nobody names another
_MOST_NODES = 2**31 - 1


@dataclass(frozen=True, init=False, eq=False, repr=False)
class Graph:
    """An undirected graph, with labels of its nodes and edges where it has some.

    A value: it cannot be changed, and two are equal when nodes, edges and labels are, in whatever
    order the edges were given. An edge that is given twice, or from both ends, counts once.

    Parameters
    ----------
    edges : sequence of pairs of int
        The two nodes of each edge.
    node_labels : sequence of int or str, optional
        One a node.
    edge_labels : sequence of int or str, optional
        One an edge, in the order of ``edges``.
    n_nodes : int, optional
        The number of nodes; as many as there are node labels, or up to the last one with an edge,
        if it is not given.

    Attributes
    ----------
    n_nodes : int
    ends : ndarray of shape (edges, 2)
        The edges in ascending order, the smaller node of each first.
    node_labels, edge_labels : ndarray or None
        In the order of the nodes and of ``ends``.

    Examples
    --------
    >>> from maxmargin.kernels import Graph
    >>> water = Graph(edges=[(0, 1), (0, 2)], node_labels=["O", "H", "H"])
    >>> water
    Graph(3 nodes, 2 edges)
    >>> water == Graph(edges=[(2, 0), (1, 0)], node_labels=["O", "H", "H"])
    True
    """

    n_nodes: int
    ends: NDArray[np.int64]
    node_labels: NDArray[Any] | None
    edge_labels: NDArray[Any] | None

    def __init__(
        self,
        edges: Any = (),
        node_labels: Any = None,
        edge_labels: Any = None,
        n_nodes: int | None = None,
    ) -> None:
        ends = _as_ends(edges)
        nodes = None if node_labels is None else _as_labels(node_labels, "node")
        n = _count_nodes(ends, nodes, n_nodes)
        _refuse_strangers(ends, n)
        lines = None if edge_labels is None else _as_labels(edge_labels, "edge")
        if lines is not None and len(lines) != len(ends):
            raise ValueError(
                f"A graph has {len(ends)} edges and {len(lines)} edge labels; give one an edge."
            )
        self._keep(n, *_in_order(ends, lines), nodes)

    def _keep(self, n: int, ends: Any, edge_labels: Any, node_labels: Any) -> None:
        for array in (ends, edge_labels, node_labels):
            if array is not None:
                array.flags.writeable = False
        parts = {"ends": ends, "edge_labels": edge_labels, "node_labels": node_labels}
        for name, part in {"n_nodes": n, **parts}.items():
            object.__setattr__(self, name, part)

    def __reduce__(self) -> tuple[Any, ...]:
        return Graph, (self.ends, self.node_labels, self.edge_labels, self.n_nodes)

    def __restored__(self) -> None:
        """Check what was read: compiled loops follow edges without looking."""
        self.__init__(self.ends, self.node_labels, self.edge_labels, self.n_nodes)  # type: ignore[misc]

    @classmethod
    def from_networkx(
        cls, graph: Any, node_label: str | None = _LABEL, edge_label: str | None = _LABEL
    ) -> Self:
        """Take a networkx graph, its nodes in their order.

        Parameters
        ----------
        graph : networkx.Graph
        node_label, edge_label : str or None, default="label"
            The attribute that holds the label. A graph in which nothing has it is without labels.

        Returns
        -------
        Graph
        """
        if graph.is_directed():
            raise ValueError("A directed graph has no kernel here; give graph.to_undirected().")
        place = {node: i for i, node in enumerate(graph.nodes)}
        edges = [(place[u], place[v]) for u, v in graph.edges()]
        nodes = _attributes([data for _, data in graph.nodes(data=True)], node_label, "nodes")
        lines = _attributes([data for *_, data in graph.edges(data=True)], edge_label, "edges")
        return cls(edges, nodes, lines, len(place))

    @property
    def n_edges(self) -> int:
        """Number of edges."""
        return len(self.ends)

    @property
    def adjacency(self) -> Any:
        """The symmetric matrix of ones where there is an edge, a ``scipy.sparse.csr_array``."""
        loops = self.ends[:, 0] == self.ends[:, 1]
        both = np.vstack([self.ends, self.ends[~loops, ::-1]])
        return sparse.csr_array((np.ones(len(both)), both.T), shape=(self.n_nodes, self.n_nodes))

    def _key(self) -> tuple[Any, ...]:
        labels = (
            None if each is None else tuple(each.tolist())
            for each in (self.node_labels, self.edge_labels)
        )
        return (self.n_nodes, self.ends.tobytes(), *labels)

    def __eq__(self, other: object) -> bool:
        return self._key() == other._key() if isinstance(other, Graph) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key())

    def __repr__(self) -> str:
        return f"Graph({self.n_nodes} nodes, {self.n_edges} edges)"


def as_graphs(X: Any) -> list[Graph]:
    """Take items as graphs: Graph, networkx graphs, or edge lists without labels."""
    items = by_position(X)
    if getattr(items, "ndim", 1) == 2 and items.shape[1] == 1:  # a table of one column
        items = items[:, 0]
    if count_rows(items) == 0:
        raise ValueError("Found no items; a kernel needs at least one.")
    return [_as_graph(item, place) for place, item in enumerate(items)]


def is_networkx(item: Any) -> bool:
    """Whether it is a graph of networkx, which need not be installed."""
    return hasattr(item, "nodes") and hasattr(item, "is_directed")


def _as_graph(item: Any, place: int) -> Graph:
    if isinstance(item, Graph):
        return item
    try:
        if is_networkx(item):
            return Graph.from_networkx(item)
        if isinstance(item, list | tuple | np.ndarray):
            return Graph(item)
    except ValueError as error:
        raise ValueError(f"Item {place} is no graph: {error}") from None
    raise ValueError(
        f"Item {place} is {reprlib.repr(item)}, a {type(item).__name__}; this kernel takes a list "
        "of graphs: Graph(edges, node_labels), networkx graphs or lists of edges."
    )


def _as_ends(edges: Any) -> NDArray[np.int64]:
    try:
        ends = edges if isinstance(edges, np.ndarray) else np.array(list(edges))
    except (TypeError, ValueError):
        ends = np.empty(0, dtype=object)
    if ends.size == 0 and ends.ndim <= 2 and ends.dtype != object:
        return np.empty((0, 2), dtype=np.int64)
    if ends.ndim != 2 or ends.shape[1] != 2 or ends.dtype.kind not in "iu":
        raise ValueError(
            f"Edges are pairs of node numbers such as [(0, 1), (1, 2)], got {reprlib.repr(edges)}."
        )
    return ends.astype(np.int64)


def _count_nodes(ends: NDArray[np.int64], labels: Any, n_nodes: int | None) -> int:
    if n_nodes is None:
        return int(ends.max(initial=-1)) + 1 if labels is None else len(labels)
    if isinstance(n_nodes, bool) or not isinstance(n_nodes, int | np.integer) or n_nodes < 0:
        raise ValueError(f"A graph needs a whole number >= 0 for n_nodes, got {n_nodes!r}.")
    if labels is not None and len(labels) != n_nodes:
        raise ValueError(
            f"A graph has {n_nodes} nodes and {len(labels)} node labels; give one a node."
        )
    return int(n_nodes)


def _refuse_strangers(ends: NDArray[np.int64], n: int) -> None:
    if n > _MOST_NODES:
        raise ValueError(f"A graph of {n} nodes is too large; {_MOST_NODES} are the most.")
    outside = ((ends < 0) | (ends >= n)).any(axis=1)
    if outside.any():
        edge = int(outside.argmax())
        i, j = ends[edge].tolist()
        raise ValueError(
            f"Edge {edge} joins nodes {i} and {j}, and the nodes are 0 to {n - 1}; number them "
            "from 0, and give every node a label or say n_nodes."
            if n
            else f"Edge {edge} joins nodes {i} and {j}, and the graph has no nodes."
        )


def _as_labels(labels: Any, of: str) -> NDArray[Any]:
    """Return labels as an array of int64 or of text; other kinds are refused."""
    if isinstance(labels, np.ndarray) and labels.ndim == 1 and labels.dtype.kind in "iU":
        return labels.astype(np.int64 if labels.dtype.kind == "i" else np.str_)
    given = list(by_position(labels)) if not isinstance(labels, str) else [labels]
    kinds = {_kind(label) for label in given}
    if len(kinds) > 1:
        raise ValueError(
            f"The {of} labels of a graph are {' and '.join(sorted(kinds))}; give one kind to all."
        )
    kind = next(iter(kinds), "whole numbers")
    if kind not in _ARRAYS:
        raise ValueError(
            f"A {of} label is {_example(given)!r}; labels are names, so give whole numbers or "
            "texts, and cut measurements into classes."
        )
    try:
        return np.array(given, dtype=_ARRAYS[kind])
    except OverflowError:
        largest = max(given, key=lambda label: abs(int(label)))
        raise ValueError(
            f"A {of} label is {largest}, more than 64 bits hold with a sign; give such labels as "
            "texts."
        ) from None


_ARRAYS = {"whole numbers": np.int64, "texts": np.str_}


def _kind(label: Any) -> str:
    if isinstance(label, str):
        return "texts"
    if isinstance(label, int | np.integer) and not isinstance(label, bool):
        return "whole numbers"
    if isinstance(label, float | np.floating):
        return "whole numbers" if float(label).is_integer() else "missing or broken numbers"
    return f"items of type {type(label).__name__}"


def _example(labels: list[Hashable]) -> Any:
    return next(label for label in labels if _kind(label) not in _ARRAYS)


def _in_order(ends: NDArray[np.int64], labels: Any) -> tuple[NDArray[np.int64], Any]:
    """Sort edges, the smaller end first, and keep each once."""
    ends = np.sort(ends, axis=1)
    order = np.lexsort((ends[:, 1], ends[:, 0]))
    ends = ends[order]
    new = np.ones(len(ends), dtype=bool)
    new[1:] = (ends[1:] != ends[:-1]).any(axis=1)
    if labels is None:
        return ends[new], None
    labels = labels[order]
    twice = np.flatnonzero(~new & (labels != np.roll(labels, 1)))
    if len(twice):
        i, j = ends[twice[0]].tolist()
        raise ValueError(f"The edge of nodes {i} and {j} is given twice, with different labels.")
    return ends[new], labels[new]


def _attributes(data: list[dict[str, Any]], name: str | None, of: str) -> list[Any] | None:
    having = [each for each in data if name in each]
    if name is None or not having:
        return None
    if len(having) < len(data):
        raise ValueError(
            f"{len(having)} of the {len(data)} {of} of a graph have the attribute {name!r}; give "
            "it to all or to none."
        )
    return [each[name] for each in data]
