"""A loss of rankings: the logistic loss of every pair that a ranking can get wrong.

    L(z) = sum_q sum_{i, j in q, y_i > y_j} w_i w_j log(1 + exp(-(z_i - z_j)))

over queries q with relevances y and scores z. It is convex in z, and only differences of scores of
one query count. Weights are multiplied, so that a row of weight 2 is a row that stands there twice.

Burges et al., Learning to rank using gradient descent, ICML 2005 (RankNet): this loss, with the
gradient of a row summed over its pairs before it is used. Memory is linear in the rows; time is
that of the pairs, so queries of many thousand rows are slow.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.base import FloatArray
from maxmargin.ops.cpu.pairs import ordered_pairs, pairwise_logistic
from maxmargin.ops.threads import Workers

_QUERIES = 8  # to a piece of work


@dataclass(frozen=True)
class Queries:
    """Which rows are compared with which: those of one query that are not equally relevant.

    Build it with :meth:`of`. Rows of a query need not stand together.

    Attributes
    ----------
    order : ndarray of shape (rows,)
        Rows query by query, the most relevant first.
    starts : ndarray of shape (queries + 1,)
        Where queries begin in that order, and the end.
    lower : ndarray of shape (rows,)
        For each place in that order, the first one of the query that is less relevant.
    weight : ndarray of shape (rows,)
        Weights in that order.
    pairs : float
        Number of pairs, weighted.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    lower: NDArray[np.int64]
    weight: FloatArray
    pairs: float

    @classmethod
    def of(
        cls, y: ArrayLike, query: ArrayLike | None = None, weight: ArrayLike | None = None
    ) -> Self:
        """Sort rows by query and relevance.

        Parameters
        ----------
        y : array-like of shape (rows,)
            Relevance: larger is better.
        query : array-like of shape (rows,), optional
            Any labels; all rows are one query when not given.
        weight : array-like of shape (rows,), optional
            Weights of rows.

        Examples
        --------
        >>> queries = Queries.of([0, 2, 1, 1], ["a", "b", "a", "b"])
        >>> queries.order.tolist(), queries.starts.tolist(), queries.pairs
        ([2, 0, 1, 3], [0, 2, 4], 2.0)
        """
        y = np.asarray(y, dtype=np.float64)
        number = np.zeros(len(y), np.int64)
        if query is not None:
            number = np.unique(np.asarray(query), return_inverse=True)[1].astype(np.int64)
        w = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
        order = np.lexsort((-y, number))
        starts = np.searchsorted(number[order], np.arange(number.max(initial=-1) + 2))
        lower, pairs = _lower(y[order], number[order], starts, w[order])
        return cls(order, starts.astype(np.int64), lower, w[order], pairs)

    def accuracy(self, z: FloatArray) -> float:
        """Give the share of pairs that scores put in order, by weight; a tie is half right.

        Examples
        --------
        >>> import numpy as np
        >>> Queries.of([2, 1, 0]).accuracy(np.array([0.3, 0.1, 0.2]))
        0.666...
        """
        n_queries = len(self.starts) - 1
        ordered = np.zeros(n_queries)
        scores = np.ascontiguousarray(z[self.order], dtype=np.float64)
        ordered_pairs(scores, self.weight, self.starts, self.lower, 0, n_queries, ordered)
        return float(ordered.sum()) / self.pairs


def _lower(
    y: FloatArray, number: NDArray[np.int64], starts: NDArray[np.int64], weight: FloatArray
) -> tuple[NDArray[np.int64], float]:
    """Where the less relevant rows of each row's query begin, and the weight of all pairs."""
    rows = len(y)
    new = np.ones(rows, dtype=bool)
    new[1:] = (np.diff(number) != 0) | (np.diff(y) != 0)
    begins = np.append(np.flatnonzero(new), rows)
    lower = begins[np.cumsum(new)]
    below = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
    ends = starts[number + 1]
    lower = np.minimum(lower, ends).astype(np.int64)
    return lower, float(weight @ (below[lower] - below[ends]))


@dataclass(frozen=True)
class PairwiseLogistic:
    """log(1 + exp(-(z_i - z_j))) for every pair of a query in which i is the more relevant.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.losses import PairwiseLogistic, Queries
    >>> queries = Queries.of([1, 0, 0])
    >>> value, pull, curvature = PairwiseLogistic().calculus(np.zeros(3), queries)
    >>> round(value, 4), pull.tolist(), curvature.tolist()
    (1.3863, [1.0, -0.5, -0.5], [0.5, 0.25, 0.25])
    """

    name: ClassVar[str] = "pairwise_logistic"
    smooth: ClassVar[bool] = True
    convex: ClassVar[bool] = True

    def calculus(
        self, z: FloatArray, queries: Queries, workers: Workers | None = None
    ) -> tuple[float, FloatArray, FloatArray]:
        """Give the sum over all pairs, minus its gradient in z, and the diagonal of its Hessian."""
        rows = len(queries.order)
        n_queries = len(queries.starts) - 1
        z = np.ascontiguousarray(z[queries.order], dtype=np.float64)
        loss, pull, curvature = np.empty(n_queries), np.empty(rows), np.empty(rows)

        def work(first: int) -> None:
            stop = min(first + _QUERIES, n_queries)
            place = queries.weight, queries.starts, queries.lower
            pairwise_logistic(z, *place, first, stop, loss, pull, curvature)

        (workers or Workers(1)).each(work, range(0, n_queries, _QUERIES))
        back = np.empty((2, rows))
        back[:, queries.order] = pull, curvature
        return float(loss.sum()), back[0], back[1]
