"""Pairs of nodes, by their labels and how far they are apart."""

from __future__ import annotations

from typing import Any

from maxmargin.kernels.base import Columns
from maxmargin.kernels.graph_counts import Counted, GraphCounting, Vocabulary
from maxmargin.kernels.graph_union import Union
from maxmargin.kernels.weisfeiler_lehman import WeisfeilerLehman


class ShortestPath(GraphCounting):
    """Counts ordered pairs of nodes with both labels and the length of a shortest path.

    k(G, G') = sum over u != v in G and u' != v' in G' of [labels and distances agree], the walk
    kernel of length 1 on the graphs of shortest paths (Borgwardt and Kriegel, "Shortest-path
    kernels on graphs", ICDM 2005). Positive semidefinite: its features are counts. Pairs without a
    path are not counted, and labels of edges are not looked at. A graph costs nodes times edges.

    Examples
    --------
    >>> from maxmargin.kernels import Graph, ShortestPath
    >>> path, ring = Graph([(0, 1), (1, 2)]), Graph([(0, 1), (1, 2), (2, 0)])
    >>> ShortestPath()([path, ring]).tolist()
    [[20.0, 24.0], [24.0, 36.0]]
    """

    def _count(self, union: Union, vocabulary: Vocabulary) -> tuple[Any, Vocabulary]:
        return WeisfeilerLehman(0, base="shortest_path")._count(union, vocabulary)

    def _feature_names(self, A: Counted, columns: Columns = None) -> list[str]:
        return WeisfeilerLehman(0, base="shortest_path")._feature_names(A, columns)
