"""Kernels that count: k(G, G') = <phi(G), phi(G')>, where phi says how often each thing occurs.

What is counted gets a column when it first comes up. Graphs compared with others share their
columns, and what only they contain gets further ones: it adds nothing to a value between the two,
but belongs to a graph's own length.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.kernels.base import Kernel, Takes
from maxmargin.kernels.graph import Graph, as_graphs
from maxmargin.kernels.graph_lexicon import Lexicon
from maxmargin.kernels.graph_union import Integers, Names, Union, unite
from maxmargin.kernels.points import FloatArray, Rows, row_major, squared_lengths
from maxmargin.ops.engine import engine_of

_EXACT = 2.0**53  # below it sums of whole numbers are not rounded


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What the columns stand for, and what is needed to find them in other graphs."""

    names: tuple[Names, Names] = (Names("node"), Names("edge"))
    labels: Lexicon = field(default_factory=Lexicon.none)
    """Labels of all rounds of refinement."""
    columns: Lexicon = field(default_factory=Lexicon.none)
    """What is counted, where that is not the labels themselves."""


@dataclass(frozen=True, eq=False)
class Counted:
    """How often each graph contains what has a column: a CSR matrix of whole numbers."""

    X: Any
    vocabulary: Vocabulary
    width: int
    """Columns that are shared with the graphs of a fit; later ones are these graphs' own."""

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: Rows) -> Counted:
        return Counted(self.X[rows], self.vocabulary, self.width)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Double precision: counts are whole numbers, and their products are exact."""
        return np.dtype(np.float64)


class GraphCounting(Kernel):
    """A kernel of graphs with features that can be counted; a subclass counts them."""

    @abstractmethod
    def _count(self, union: Union, vocabulary: Vocabulary) -> tuple[Any, Vocabulary]:
        """Count in all graphs, by the columns of a vocabulary and new ones, and give all known."""

    @property
    def takes(self) -> Takes:
        """Graphs."""
        return Takes.ITEMS

    @property
    def psd(self) -> bool:
        """True: |sum z_i phi(G_i)|^2 >= 0."""
        return True

    def prepare(self, X: Any) -> Counted:
        """Take the graphs and count in each."""
        X, vocabulary = self._counted(as_graphs(X), Vocabulary())
        return Counted(X, vocabulary, X.shape[1])

    def prepare_new(self, X: Any, training: Counted) -> Counted:
        """Count with the columns of other graphs."""
        return Counted(*self._counted(as_graphs(X), training.vocabulary), training.width)

    def _counted(self, graphs: list[Graph], known: Vocabulary) -> tuple[Any, Vocabulary]:
        union, names = unite(graphs, known.names)
        return self._count(union, Vocabulary(names, known.labels, known.columns))

    def fill(self, A: Counted, B: Counted, out: FloatArray) -> None:
        """Go through what each graph of A contains, and through those of B that contain it."""
        width = max(A.X.shape[1], B.X.shape[1])
        a, b = A.X, _widened(B.X, width).tocsc()
        rows, who = (a.data, a.indices, a.indptr), (b.data, b.indices, b.indptr)
        engine_of(out).string_lists.add_by_lists(*rows, *who, b.shape[0], True, *row_major(out))

    def diagonal(self, A: Counted) -> FloatArray:
        """Square the lengths."""
        return squared_lengths(A.X)

    def errors(self, A: Counted) -> NDArray[np.float64]:
        """None as long as sums of whole numbers are exact."""
        exact = self.diagonal(A).max() < _EXACT
        return np.zeros(len(A)) if exact else super().errors(A)

    def _features(self, A: Counted) -> Any:
        """Return the columns of the vocabulary before these graphs; see ``KernelFeatures``."""
        return A.X[:, : A.width]

    @property
    def concurrent(self) -> bool:
        """True: sparse products run in compiled loops, without the interpreter's lock."""
        return True


def tally(owners: Integers, columns: Integers, n: int) -> Any:
    """Count how often each pair of a graph and a column comes up."""
    shape = n, int(columns.max(initial=-1)) + 1
    return sparse.coo_matrix((np.ones(len(owners)), (owners, columns)), shape=shape).tocsr()


def add_up(parts: Sequence[Any], width: int, n: int) -> Any:
    """Add matrices of counts of n graphs, with columns of one vocabulary of so many words."""
    entries = [part.tocoo() for part in parts] or [sparse.coo_matrix((n, 0))]
    data, rows, columns = (
        np.concatenate([getattr(part, name) for part in entries]) for name in ("data", "row", "col")
    )
    total = sparse.coo_matrix((data, (rows, columns)), shape=(n, width)).tocsr()
    total.sort_indices()
    return total


def _widened(X: Any, width: int) -> Any:
    if X.shape[1] == width:
        return X
    return sparse.csr_matrix((X.data, X.indices, X.indptr), shape=(X.shape[0], width))
