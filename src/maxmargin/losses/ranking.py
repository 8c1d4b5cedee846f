"""A loss of rankings: the logistic loss of every pair that a ranking can get wrong.

    L(z) = sum_q sum_{i, j in q, y_i > y_j} w_i w_j log(1 + exp(-(z_i - z_j)))

over queries q with relevances y and scores z. It is convex in z, and only differences of scores of
one query count. Weights are multiplied, so that a row of weight 2 is a row that stands there twice.

Burges et al., Learning to rank using gradient descent, ICML 2005 (RankNet): this loss, with the
gradient of a row summed over its pairs before it is used. Memory is linear in the rows; time is
that of the pairs: a query of 20,000 rows has 200 million, half a second on one thread.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from maxmargin.losses.base import FloatArray
from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers

_NEAR = 30.0  # scores further apart would overflow the product of their powers
_PIECE = 1 << 20  # pairs to a piece of work, a few milliseconds
_PARTS = 16  # into which the pairs of one query are cut at most, each with separate sums


@dataclass(frozen=True)
class Queries:
    """Which rows are compared with which: those of one query that are not equally relevant.

    Build it with :meth:`of`. Rows of a query need not be adjacent.

    Attributes
    ----------
    order : ndarray of shape (rows,)
        Rows query by query, the most relevant first.
    starts : ndarray of shape (queries + 1,)
        Where queries begin in that order, and the end.
    lower, ends : ndarray of shape (rows,)
        For each place in that order, the first one of the query that is less relevant, and the
        end of the query.
    weight : ndarray of shape (rows,)
        Weights in that order.
    pairs : float
        Number of pairs, weighted.
    """

    order: NDArray[np.int64]
    starts: NDArray[np.int64]
    lower: NDArray[np.int64]
    ends: NDArray[np.int64]
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
        lower, ends, pairs = _lower(y[order], number[order], starts, w[order])
        return cls(order, starts.astype(np.int64), lower, ends, w[order], pairs)

    def accuracy(self, z: FloatArray) -> float:
        """Return the weighted share of pairs that scores order correctly; a tie counts one half.

        Examples
        --------
        >>> import numpy as np
        >>> Queries.of([2, 1, 0]).accuracy(np.array([0.3, 0.1, 0.2]))
        0.666...
        """
        scores = np.ascontiguousarray(z[self.order], dtype=np.float64)
        ordered_pairs = engine_of(scores).pairs.ordered_pairs
        rows = [(scores[piece.rows], self.weight[piece.rows], piece) for piece in self.pieces()]
        parts = [ordered_pairs(z, w, piece.lower, piece.ends) for z, w, piece in rows]
        return float(np.sum(parts)) / self.pairs

    def pieces(self) -> list[_QueryPiece]:
        """Cut the rows into pieces of about as many pairs."""
        pairs = np.cumsum(self.ends - self.lower)
        if len(pairs) == 0:
            return []
        of_queries = np.diff(np.append(0, pairs)[self.starts])
        size = max(_PIECE, int(of_queries.max()) // _PARTS)
        inner = 1 + np.searchsorted(pairs, np.arange(size, int(pairs[-1]), size))
        cuts = np.unique([0, *inner.tolist(), len(pairs)]).tolist()
        return [_QueryPiece.of(self, first, stop) for first, stop in pairwise(cuts)]


@dataclass(frozen=True)
class _QueryPiece:
    """Pairs by some of their first rows: all rows that these are compared with, counted from 0."""

    rows: slice
    lower: NDArray[np.int64]
    ends: NDArray[np.int64]

    @classmethod
    def of(cls, queries: Queries, first: int, stop: int) -> Self:
        lower, ends = (each[first:stop] - first for each in (queries.lower, queries.ends))
        return cls(slice(first, first + int(ends[-1])), lower, ends)


def _lower(
    y: FloatArray, number: NDArray[np.int64], starts: NDArray[np.int64], weight: FloatArray
) -> tuple[NDArray[np.int64], NDArray[np.int64], float]:
    """Where the less relevant rows of each query begin and end, and the weight of all pairs."""
    rows = len(y)
    new = np.ones(rows, dtype=bool)
    new[1:] = (np.diff(number) != 0) | (np.diff(y) != 0)
    begins = np.append(np.flatnonzero(new), rows)
    lower = begins[np.cumsum(new)]
    below = np.append(np.cumsum(weight[::-1])[::-1], 0.0)
    ends = starts[number + 1].astype(np.int64)
    lower = np.minimum(lower, ends).astype(np.int64)
    return lower, ends, float(weight @ (below[lower] - below[ends]))


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
        """Return the sum over pairs, minus its gradient in z, and the diagonal of its Hessian."""
        z = np.ascontiguousarray(z[queries.order], dtype=np.float64)
        powers, near = _powers(z, queries.starts)
        equal = bool((queries.weight == queries.weight[:1]).all())
        pieces, both = queries.pieces(), np.zeros((2, len(z)))
        pairwise_logistic = engine_of(z).pairs.pairwise_logistic
        parts: list[Any] = [None] * len(pieces)

        def work(k: int) -> None:
            piece = pieces[k]
            rows = [each[piece.rows] for each in (z, powers, near, queries.weight)]
            sums = np.zeros((2, len(rows[0])))
            loss = pairwise_logistic(*rows, equal, piece.lower, piece.ends, *sums)
            parts[k] = loss, sums

        (workers or Workers(1)).each(work, range(len(pieces)))
        for piece, (_, sums) in zip(pieces, parts, strict=True):
            both[:, piece.rows] += sums
        back = np.empty_like(both)
        back[:, queries.order] = both
        return float(sum(loss for loss, _ in parts)), back[0], back[1]


def _powers(z: FloatArray, starts: NDArray[np.int64]) -> tuple[FloatArray, NDArray[np.bool_]]:
    """Return exp(z - the largest of the query), and whether it is accurate for each row."""
    rows = np.diff(starts)
    top, bottom = np.maximum.reduceat(z, starts[:-1]), np.minimum.reduceat(z, starts[:-1])
    near = np.repeat(top - bottom <= _NEAR, rows)
    return np.exp(z - np.repeat(top, rows)), near
