"""Walks that two graphs have in common, longer ones counting less."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.sparse.linalg import LinearOperator, eigsh

from maxmargin.kernels.base import Kernel, Takes, check_nonnegative, shown
from maxmargin.kernels.graph import Graph, as_graphs
from maxmargin.kernels.graph_union import Integers, Names, Union, unite
from maxmargin.kernels.points import FloatArray, Rows
from maxmargin.ops.clock import WORK, stop_if_over
from maxmargin.ops.engine import engine_of

_DENSE = 400  # nodes up to which all eigenvalues of a graph are quick
_CLOSE = 1.0 - 1e-9  # to the limit of convergence, as far as radii are known


@dataclass(frozen=True, eq=False)
class Walked:
    """Some of the graphs of a union, with the spectral radius of each adjacency matrix."""

    union: Union
    names: tuple[Names, Names]
    radii: NDArray[np.float64]
    ids: Integers

    def __len__(self) -> int:
        return len(self.ids)

    def __getitem__(self, rows: Rows) -> Walked:
        return Walked(self.union, self.names, self.radii, self.ids[rows])

    @property
    def dtype(self) -> np.dtype[Any]:
        """Double precision."""
        return np.dtype(np.float64)

    @property
    def arrays(self) -> tuple[Integers, ...]:
        """Return what compiled loops read."""
        u = self.union
        return u.nodes, u.starts, u.neighbours, u.lines, u.labels


class RandomWalk(Kernel):
    """Counts walks that both graphs have, each times decay to the power of its length.

    k(G, G') = 1' (I - decay W)^-1 1 with W the adjacency matrix of the product graph, whose nodes
    are the pairs of nodes of equal labels, and whose edges are the pairs of edges of equal labels.
    The series converges for decay below 1 / (r r'), the spectral radii of both adjacency matrices;
    more is refused. Then it is positive semidefinite: a feature for each sequence of labels is the
    root of its decay times the number of walks that spell it (Gaertner, Flach and Wrobel, "On graph
    kernels", COLT 2003). A pair costs a few dozen steps of conjugate gradients (Vishwanathan,
    Schraudolph, Kondor and Borgwardt, "Graph kernels", JMLR 11, 2010), n m' + n' m operations each
    for n nodes and m edges.

    Parameters
    ----------
    decay : float, default=0.01
        At least 0.

    Examples
    --------
    >>> from maxmargin.kernels import Graph, RandomWalk
    >>> edge = Graph([(0, 1)])
    >>> RandomWalk(0.5)([edge]).round(6).tolist()
    [[8.0]]
    """

    def __init__(self, decay: float = 0.01) -> None:
        self.decay = decay
        self._check_params()

    def _check_params(self) -> None:
        check_nonnegative(self, "decay", self.decay)

    @property
    def takes(self) -> Takes:
        """Graphs."""
        return Takes.ITEMS

    @property
    def psd(self) -> bool:
        """True: a sum of products of counts of walks, wherever it is defined."""
        return True

    @property
    def concurrent(self) -> bool:
        """True: the solver is compiled, and runs without the interpreter's lock."""
        return True

    def prepare(self, X: Any) -> Walked:
        """Take the graphs; refuse a decay with which their values are not defined."""
        found = self._walked(as_graphs(X), (Names("node"), Names("edge")))
        self._refuse_divergence(found.radii, found.radii)
        return found

    def prepare_new(self, X: Any, training: Walked) -> Walked:
        """Take graphs whose labels are those of others; blocks refuse pairs without a value."""
        return self._walked(as_graphs(X), training.names)

    def _walked(self, graphs: list[Graph], names: tuple[Names, Names]) -> Walked:
        radii = np.array(list(map(_radius, graphs)))
        return Walked(*unite(graphs, names), radii, np.arange(len(graphs)))

    def _refuse_divergence(self, a: NDArray[np.float64], b: NDArray[np.float64]) -> None:
        widest = float(a.max(initial=0.0) * b.max(initial=0.0))
        if widest * self.decay >= _CLOSE:
            raise ValueError(
                f"{self!r} does not converge: these graphs need decay < {shown(1.0 / widest)[:8]}, "
                f"one over the product of their largest eigenvalues."
            )

    def fill(self, A: Walked, B: Walked, out: FloatArray) -> None:
        """Solve for one row of values at a time."""
        self._refuse_divergence(A.radii[A.ids], B.radii[B.ids])
        for i in range(len(A)):
            self._fill_row(A, i, B, out[i])

    def _fill_row(self, A: Walked, i: int, B: Walked, line: FloatArray) -> None:
        """Solve for the values of one graph, with looks at the clock."""
        kinds = 1 + max(int(part.union.lines.max(initial=0)) for part in (A, B))
        graph, place = int(A.ids[i]), np.zeros(4)
        pairs = int(A.union.sizes[graph]) * int(B.union.sizes[B.ids].max(initial=0))
        memory, walk_row = np.empty(6 * pairs), engine_of(line).graph_walks.walk_row
        both = *A.arrays, graph, *B.arrays, B.ids
        while place[0] < len(B):
            stop_if_over()
            walk_row(*both, kinds, float(self.decay), float(WORK), memory, place, line)

    def diagonal(self, A: Walked) -> FloatArray:
        """Solve for each graph with itself."""
        values = np.empty(len(A))
        self._refuse_divergence(A.radii[A.ids], A.radii[A.ids])
        for i in range(len(A)):
            self._fill_row(A, i, A[i : i + 1], values[i : i + 1])
        return values

    def errors(self, A: Walked) -> NDArray[np.float64]:
        """Those of any kernel, times the condition of what is solved."""
        slack = 1.0 - min(self.decay * float(A.radii.max(initial=0.0)) ** 2, _CLOSE)
        return super().errors(A) * np.sqrt(4.0 / slack)


def _radius(graph: Graph) -> float:
    """Find the largest eigenvalue of the adjacency matrix; no other is larger in size."""
    stop_if_over()
    if graph.n_edges == 0:
        return 0.0
    A = graph.adjacency
    if graph.n_nodes <= _DENSE:
        return float(np.linalg.eigvalsh(A.toarray())[-1])

    def product(x: NDArray[np.float64]) -> NDArray[np.float64]:
        stop_if_over()
        return np.asarray(A @ x)

    step, start = LinearOperator(A.shape, product, dtype=np.float64), np.ones(graph.n_nodes)
    return float(eigsh(step, k=1, which="LA", v0=start, return_eigenvectors=False)[0])
