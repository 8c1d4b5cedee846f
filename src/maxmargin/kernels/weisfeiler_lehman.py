"""Weisfeiler and Lehman's refinement of labels, and what is counted with the labels of each round.

Shervashidze, Schweitzer, van Leeuwen, Mehlhorn and Borgwardt, "Weisfeiler-Lehman graph kernels",
JMLR 12, 2011: in round i a node's label becomes the name of the pair

    (its label of round i - 1, the multiset of its neighbours' labels of round i - 1),

so that it stands for the subtree of height i around the node. With a base kernel that counts,
k(G, G') = sum_{i=0..h} k_base(G_i, G_i') counts with the labels of all rounds.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from maxmargin.kernels.base import Columns, check_count
from maxmargin.kernels.graph import as_graphs
from maxmargin.kernels.graph_counts import Counted, GraphCounting, Vocabulary, add_up, tally
from maxmargin.kernels.graph_lexicon import Lexicon
from maxmargin.kernels.graph_union import Integers, Union, unite
from maxmargin.ops.clock import stop_if_over
from maxmargin.ops.engine import engine_of

_PATHS = 1 << 18  # pairs of nodes that are spelt at a time

_LONG = 40  # letters of a name
_LOW = (1 << 32) - 1  # of a letter: the neighbour's label, above it the edge's

Found = tuple[Any, Lexicon]


class WeisfeilerLehman(GraphCounting):
    """Counts with labels that are refined h times by those of neighbours.

    Positive semidefinite: a sum of kernels whose features are counts (Shervashidze et al., JMLR 12,
    2011). Labels of edges take part in the refinement where graphs have them; graphs without labels
    begin with one label for all nodes. A graph without nodes has the value 0 with any. A round
    costs as much as there are edges.

    Parameters
    ----------
    h : int, default=3
        Rounds of refinement, at least 0.
    base : {"subtree", "edge", "shortest_path"}, default="subtree"
        What is counted with the labels of each round: nodes, edges with the labels of both ends, or
        pairs of nodes with both labels and their distance.

    Examples
    --------
    >>> from maxmargin.kernels import Graph, WeisfeilerLehman
    >>> path, ring = Graph([(0, 1), (1, 2)]), Graph([(0, 1), (1, 2), (2, 0)])
    >>> WeisfeilerLehman(1)([path, ring]).tolist()
    [[14.0, 12.0], [12.0, 18.0]]
    """

    def __init__(self, h: int = 3, base: str = "subtree") -> None:
        self.h = h
        self.base = base
        self._check_params()

    def _check_params(self) -> None:
        check_count(self, "h", self.h)
        if not isinstance(self.base, str) or self.base not in _BASES:
            names = ", ".join(map(repr, _BASES))
            raise ValueError(f"WeisfeilerLehman takes {names} for base, got {self.base!r}.")

    def _given_params(self) -> dict[str, Any]:
        return {"h": self.h} if self.base == "subtree" else {"h": self.h, "base": self.base}

    def _count(self, union: Union, vocabulary: Vocabulary) -> tuple[Any, Vocabulary]:
        parts, words, columns = [], vocabulary.labels, vocabulary.columns
        for labels, words in refine(union, self.h, vocabulary.labels):  # noqa: B007
            part, columns = _BASES[self.base](union, labels, columns)
            parts.append(part)
        width = len(words) if self.base == "subtree" else len(columns)
        return add_up(parts, width, len(union)), Vocabulary(vocabulary.names, words, columns)

    def _feature_names(self, A: Counted, columns: Columns = None) -> list[str]:  # noqa: ARG002
        if self.base == "subtree":
            return subtree_names(A.vocabulary)[: A.width]
        return pair_names(A.vocabulary, self.base)[: A.width]

    def node_columns(self, graph: Any, training: Counted) -> Integers:
        """Find the columns of the subtrees of every node.

        Parameters
        ----------
        graph : Graph
        training : Counted
            Graphs whose columns these are, as ``prepare`` gave them.

        Returns
        -------
        columns : ndarray of shape (h + 1, nodes)
            A line a round; what the training graphs do not contain has columns beyond theirs.
        """
        known = training.vocabulary
        union, _ = unite(as_graphs([graph]), known.names)
        return np.array([labels for labels, _ in refine(union, self.h, known.labels)])


def refine(union: Union, h: int, words: Lexicon) -> Iterator[tuple[Integers, Lexicon]]:
    """Return the labels of rounds 0 to h, each with all words known then.

    The labels of all rounds are numbers of one vocabulary: a word of round i begins with a label of
    round i - 1, and one of round 0, being a label as it was given, with a negative letter. So equal
    labels are of equal rounds.
    """
    labels, words = words.number_rows(-1 - union.labels[:, None])
    yield labels, words
    n = len(labels)
    starts = union.starts + np.arange(n + 1)
    letters, spell = np.empty(int(starts[-1]), dtype=np.int64), engine_of(labels).graph_words
    for _ in range(h):
        stop_if_over()
        spell.spell_subtrees(union.starts, union.neighbours, union.lines, labels, letters)
        labels, words = words.number(starts, letters)
        yield labels, words


def subtree_names(vocabulary: Vocabulary) -> list[str]:
    """Name subtrees: a label by itself, a node with its neighbours as C(H, H, O).

    A label of an edge stands before the neighbour; a long name is cut and ends in its number.
    """
    known, (nodes, edges) = vocabulary.labels, vocabulary.names
    labels, lines = ({i: str(name) for name, i in each.numbers.items()} for each in (nodes, edges))
    roots: list[str] = []
    found: list[str] = []
    for number, word in enumerate(known):
        if word[0] < 0:
            roots.append(labels.get(-1 - word[0], "*"))
            found.append(roots[-1])
            continue
        roots.append(roots[word[0]])
        if len(word) == 1:
            found.append(f"{found[word[0]]}()")  # it stays alone, round after round
            continue
        around = [(lines.get(w >> 32, ""), found[w & _LOW]) for w in word[1:]]
        name = f"{roots[-1]}({', '.join(sorted(' '.join(filter(None, pair)) for pair in around))})"
        found.append(name if len(name) <= _LONG else f"{name[:_LONG]}… #{number}")
    return found


def pair_names(vocabulary: Vocabulary, base: str) -> list[str]:
    """Name pairs of nodes by both labels: with that of their edge, or how far they are apart."""
    nodes, (_, edges) = subtree_names(vocabulary), vocabulary.names
    lines = {i: f"{name} " for name, i in edges.numbers.items()}
    if base == "edge":
        return [
            f"{nodes[a]} - {lines.get(line, '')}{nodes[b]}" for a, b, line in vocabulary.columns
        ]
    return [f"{nodes[a]} to {nodes[b]}: {apart}" for a, b, apart in vocabulary.columns]


def count_nodes(union: Union, labels: Integers, columns: Lexicon) -> Found:
    """Find nodes: their columns are their labels."""
    return tally(union.owners, labels, len(union)), columns


def count_edges(union: Union, labels: Integers, columns: Lexicon) -> Found:
    """Find edges, by the labels of both ends in ascending order and their own."""
    ends = np.sort(labels[union.ends], axis=1)
    owners = np.repeat(np.arange(len(union)), np.diff(union.edges))
    numbers, columns = columns.number_rows(np.column_stack([ends, union.edge_labels]))
    return tally(owners, numbers, len(union)), columns


def count_paths(union: Union, labels: Integers, columns: Lexicon) -> Found:
    """Find ordered pairs of connected nodes, by both labels and the length of a shortest path."""
    owners, n, parts = union.owners, len(labels), []
    distance, queue = np.full(n, -1, dtype=np.int64), np.empty(n + 1, dtype=np.int64)
    reach = union.sizes[owners]
    for first, last in _pieces(reach):
        stop_if_over()
        most = int(reach[first:last].sum())
        words, sources = np.empty((most, 3), dtype=np.int64), np.empty(most, dtype=np.int64)
        count = engine_of(labels).graph_words.spell_paths(
            union.starts, union.neighbours, labels, first, last, distance, queue, words, sources
        )
        numbers, columns = columns.number_rows(words[:count])
        parts.append(tally(owners[sources[:count]], numbers, len(union)))
    return add_up(parts, len(columns), len(union)), columns


def _pieces(sizes: Integers) -> Iterator[tuple[int, int]]:
    """Cut nodes into runs of so many pairs, or of one node with more."""
    total = np.cumsum(sizes)
    first = 0
    while first < len(sizes):
        done = total[first - 1] if first else 0
        last = max(first + 1, int(np.searchsorted(total, done + _PATHS, side="right")))
        yield first, last
        first = last


_BASES: dict[str, Callable[[Union, Integers, Lexicon], Found]] = {
    "subtree": count_nodes,
    "edge": count_edges,
    "shortest_path": count_paths,
}
