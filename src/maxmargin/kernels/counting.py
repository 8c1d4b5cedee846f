"""Kernels that count: k(G, G') = <phi(G), phi(G')>, where phi says how often each thing occurs.

What is counted gets a column when it first comes up. Graphs compared with others share their
columns, and what only they contain gets further ones: it adds nothing to a value between the two,
but belongs to a graph's own length.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.kernels.base import Kernel, Takes
from maxmargin.kernels.graph import Graph, as_graphs
from maxmargin.kernels.graph_union import Integers, Names, Union, unite
from maxmargin.kernels.graph_words import Words
from maxmargin.kernels.points import FloatArray, Points, Rows, dot, squared_lengths

_EXACT = 2.0**53  # below it sums of whole numbers are not rounded


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """What the columns stand for, and what is needed to find them in other graphs."""

    names: tuple[Names, Names] = (Names("node"), Names("edge"))
    labels: Words = field(default_factory=Words.none)
    """Labels of all rounds of refinement."""
    columns: Words = field(default_factory=Words.none)
    """What is counted, where that is not the labels themselves."""


@dataclass(frozen=True, eq=False)
class Counted:
    """How often each graph contains what has a column: a CSR matrix of whole numbers."""

    X: Any
    vocabulary: Vocabulary

    def __len__(self) -> int:
        return int(self.X.shape[0])

    def __getitem__(self, rows: Rows) -> Counted:
        return Counted(self.X[rows], self.vocabulary)

    @property
    def dtype(self) -> np.dtype[Any]:
        """Double precision: counts are whole numbers, and their products are exact."""
        return np.dtype(np.float64)


class CountingKernel(Kernel):
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
        return self._counted(as_graphs(X), Vocabulary())

    def prepare_new(self, X: Any, training: Counted) -> Counted:
        """Count with the columns of other graphs."""
        return self._counted(as_graphs(X), training.vocabulary)

    def _counted(self, graphs: list[Graph], vocabulary: Vocabulary) -> Counted:
        union, names = unite(graphs, vocabulary.names)
        known = Vocabulary(names, vocabulary.labels, vocabulary.columns)
        return Counted(*self._count(union, known))

    def fill(self, A: Counted, B: Counted, out: FloatArray) -> None:
        """Multiply sparse rows."""
        width = max(A.X.shape[1], B.X.shape[1])
        dot(Points(_widened(A.X, width)), Points(_widened(B.X, width)), out)

    def diagonal(self, A: Counted) -> FloatArray:
        """Square the lengths."""
        return squared_lengths(A.X)

    def errors(self, A: Counted) -> NDArray[np.float64]:
        """None as long as sums of whole numbers are exact."""
        exact = self.diagonal(A).max() < _EXACT
        return np.zeros(len(A)) if exact else super().errors(A)

    def features(self, X: Any = None) -> Any:
        """Give phi as a transformer; with graphs, the rows phi(G) written out.

        Parameters
        ----------
        X : list of graphs, optional

        Returns
        -------
        GraphFeatures or ndarray
            Without X a transformer to sparse rows, for linear models and pipelines.

        Examples
        --------
        >>> from maxmargin.kernels import Graph, WeisfeilerLehman
        >>> path, ring = Graph([(0, 1), (1, 2)]), Graph([(0, 1), (1, 2), (2, 0)])
        >>> WeisfeilerLehman(1).features().fit_transform([path, ring]).toarray().tolist()
        [[3.0, 2.0, 1.0], [3.0, 0.0, 3.0]]
        """
        return GraphFeatures(self) if X is None else super().features(X)

    def _features(self, X: Any) -> FloatArray:
        written: FloatArray = self.prepare(X).X.toarray()
        return written

    def _node_columns(self, union: Union, vocabulary: Vocabulary) -> list[Integers]:  # noqa: ARG002
        raise ValueError(
            f"{self!r} does not count nodes; WeisfeilerLehman(h) with base='subtree' does."
        )


class GraphFeatures(ClassNamePrefixFeaturesOutMixin, TransformerMixin, BaseEstimator):
    """The features phi of a kernel that counts, with k(G, G') = <phi(G), phi(G')>.

    Columns are those of the graphs of ``fit``; what other graphs contain besides is left out, as a
    linear model has no weight for it.

    Parameters
    ----------
    kernel : WeisfeilerLehman, ShortestPath or Graphlet

    Attributes
    ----------
    vocabulary_ : Vocabulary
        What the columns stand for.

    Examples
    --------
    >>> from sklearn.pipeline import make_pipeline
    >>> from maxmargin import LinearSVC
    >>> from maxmargin.kernels import Graph, ShortestPath
    >>> graphs = [Graph([(0, 1), (1, 2)]), Graph([(0, 1), (1, 2), (2, 0)])]
    >>> model = make_pipeline(ShortestPath().features(), LinearSVC()).fit(graphs, [0, 1])
    >>> model.predict(graphs).tolist()
    [0, 1]
    """

    def __init__(self, kernel: CountingKernel) -> None:
        self.kernel = kernel

    def fit(self, X: Any, y: Any = None) -> Self:  # noqa: ARG002
        """Find the columns.

        Parameters
        ----------
        X : list of graphs
        y : object
            Not looked at.

        Returns
        -------
        self : GraphFeatures
        """
        self._keep(X)
        return self

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002
        """Find the columns and count, in one pass.

        Parameters
        ----------
        X : list of graphs
        y : object
            Not looked at.

        Returns
        -------
        counts : csr_matrix of shape (graphs, features)
        """
        return self._keep(X)

    def transform(self, X: Any) -> Any:
        """Count in other graphs.

        Parameters
        ----------
        X : list of graphs

        Returns
        -------
        counts : csr_matrix of shape (graphs, features)
        """
        check_is_fitted(self)
        counted = self.kernel._counted(as_graphs(X), self.vocabulary_)
        return counted.X[:, : self._n_features_out]

    def node_weights(self, graph: Any, weights: Any) -> NDArray[np.float64]:
        """Share out a linear form on the features among the nodes of a graph.

        A node gets the weights of the subtrees that it is the root of, so that the sum over the
        nodes is <weights, phi(G)>.

        Parameters
        ----------
        graph : Graph
        weights : array-like of shape (features,)
            Such as ``coef_[0]`` of a linear model.

        Returns
        -------
        shares : ndarray of shape (nodes,)
        """
        check_is_fitted(self)
        given = np.ravel(weights).astype(np.float64)
        if len(given) != self._n_features_out:
            raise ValueError(f"Got {len(given)} weights for {self._n_features_out} features.")
        known: Vocabulary = self.vocabulary_
        union, names = unite(as_graphs([graph]), known.names)
        known = Vocabulary(names, known.labels, known.columns)
        columns = self.kernel._node_columns(union, known)
        unseen = [np.where(each < len(given), each, -1) for each in columns]
        return np.sum([np.append(given, 0.0)[each] for each in unseen], axis=0)

    def _keep(self, X: Any) -> Any:
        counted = self.kernel.prepare(X)
        self.vocabulary_, self._n_features_out = counted.vocabulary, counted.X.shape[1]
        return counted.X


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
