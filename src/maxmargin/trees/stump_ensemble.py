"""The stored form of an ensemble of splits: arrays with an entry for each, asked all at once.

AdaBoost, boosting of any loss and bagging keep their stumps in it and predict through it: by the
sum of the splits' values, by their votes, or by the shares of the classes on their sides.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from typing import Any, Self, overload

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.engine import engine_of
from maxmargin.ops.threads import Workers
from maxmargin.trees.split import Split

Vector = NDArray[np.float64]

_BLOCK_VALUES = 32_768  # a quarter of a megabyte stays in the cache of a core
_FEWEST_ROWS = 256  # of a block; fewer cost more calls than the cache gains
_MOST_ROWS = 4_096  # of a block; more leave few blocks for the threads
_WORTH_THREADS = 1_000_000  # comparisons; fewer are done before another thread has woken up


_KINDS = {
    "feature": np.int64,
    "threshold": np.float64,
    "missing_right": np.bool_,
    "begin": np.int64,
    "end": np.int64,
    "left": np.float64,
    "right": np.float64,
    "gain": np.float64,
}
_ARRAYS = tuple(_KINDS)
_NONE = np.zeros(0, dtype=bool)


class StumpEnsemble(Sequence[Split]):
    """Splits as arrays: a sequence of ``Split``, each created on access.

    Parameters
    ----------
    splits : sequence of Split
        In the order in which they are added.
    n_jobs : int, default=None
        Threads; sums do not depend on their number.
    leaf_weight : array-like of shape (splits, 2, classes), default=None
        The weights of the classes on both sides of each split, where they are kept.

    Attributes
    ----------
    feature, threshold, missing_right, left, right, gain : ndarray of shape (splits,)
        As in ``Split``.
    chosen : ndarray of bool
        For all categorical splits together, whether the rows of a code go right;
        ``chosen[begin[t]:end[t]]`` are the codes of split t.
    begin, end : ndarray of int of shape (splits,)

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import Split, StumpEnsemble
    >>> splits = [Split(0, 0.5, left=-1.0, right=1.0), Split(0, 1.5, left=-1.0, right=1.0)]
    >>> X = np.array([[0.0], [1.0], [2.0]])
    >>> ensemble = StumpEnsemble(splits)
    >>> ensemble.sum(X, coefficients=[1.0, 0.25])
    array([-1.25,  0.75,  1.25])
    >>> ensemble[1] == splits[1]
    True
    """

    __plain__ = (*_ARRAYS, "chosen", "leaf_weight", "_n_jobs")

    def __init__(
        self, splits: Sequence[Split], n_jobs: int | None = None, *, leaf_weight: Any = None
    ) -> None:
        self._n_jobs = n_jobs
        self.feature = np.array([split.feature for split in splits], dtype=np.int64)
        self.threshold = np.array([split.threshold for split in splits], dtype=np.float64)
        self.missing_right = np.array([split.missing_right for split in splits], dtype=bool)
        chosen = [_NONE if split.categories is None else split.categories for split in splits]
        self.chosen = np.concatenate([_NONE, *chosen])
        self.end = np.cumsum([len(part) for part in chosen], dtype=np.int64)
        self.begin = self.end - np.array([len(part) for part in chosen], dtype=np.int64)
        self.left = np.array([split.left for split in splits], dtype=np.float64)
        self.right = np.array([split.right for split in splits], dtype=np.float64)
        self.gain = np.array([split.gain for split in splits], dtype=np.float64)
        self.leaf_weight = None if leaf_weight is None else np.asarray(leaf_weight, np.float64)
        self._used, self._line = _lines(self.feature)

    @classmethod
    def of_numbers(
        cls, feature: Any, threshold: Any, missing_right: Any, left: Any, right: Any, gain: Any
    ) -> Self:
        """Return splits of numeric features, by the arrays of what ``Split`` has of each.

        Returns
        -------
        ensemble : StumpEnsemble
        """
        ensemble = cls([])
        ensemble.feature, ensemble.threshold = feature, threshold
        ensemble.missing_right, ensemble.gain = missing_right, gain
        ensemble.left, ensemble.right = left, right
        ensemble.begin, ensemble.end = np.zeros((2, len(feature)), np.int64)
        ensemble._used, ensemble._line = _lines(feature)
        return ensemble

    def __restored__(self) -> None:
        """Check what was read: compiled loops trust that codes lie where splits say."""
        if not (self._same_kinds() and self._inside()):
            raise ValueError("The splits of a stored ensemble do not fit together.")
        self._used, self._line = _lines(self.feature)

    def _same_kinds(self) -> bool:
        """Return whether every split has an entry of the right type in each array."""
        size, leaves, chosen = (len(self.feature),), self.leaf_weight, self.chosen
        kept = leaves is None or (leaves.ndim == 3 and leaves.shape[:2] == (*size, 2))
        arrays = ((getattr(self, name), kind) for name, kind in _KINDS.items())
        same = all(each.shape == size and each.dtype == kind for each, kind in arrays)
        return same and kept and chosen.ndim == 1 and chosen.dtype == bool

    def _inside(self) -> bool:
        """Return whether codes lie where splits say."""
        begin, end = self.begin, self.end
        inside = (begin >= 0) & (begin <= end) & (end <= len(self.chosen)) & (self.feature >= -1)
        return bool(inside.all())

    def __len__(self) -> int:
        return len(self.feature)

    @overload
    def __getitem__(self, index: int) -> Split: ...
    @overload
    def __getitem__(self, index: slice) -> list[Split]: ...
    def __getitem__(self, index: int | slice) -> Split | list[Split]:
        if isinstance(index, slice):
            return [self[t] for t in range(len(self))[index]]
        t = range(len(self))[index]
        codes = self.chosen[self.begin[t] : self.end[t]]
        return Split(
            int(self.feature[t]),
            float(self.threshold[t]),
            codes if len(codes) else None,
            bool(self.missing_right[t]),
            float(self.left[t]),
            float(self.right[t]),
            float(self.gain[t]),
        )

    def first(self, rounds: int | None = None, n_jobs: int | None = None) -> StumpEnsemble:
        """Return the first splits, or all, to be evaluated on a number of threads.

        Parameters
        ----------
        rounds : int, default=None
            How many; None for all.
        n_jobs : int, default=None

        Returns
        -------
        ensemble : StumpEnsemble
        """
        part = copy(self)
        part._n_jobs = n_jobs
        if rounds is not None and rounds < len(self):
            for name in _ARRAYS:
                setattr(part, name, getattr(self, name)[:rounds])
            part._line = self._line[:rounds]
            part.leaf_weight = None if self.leaf_weight is None else self.leaf_weight[:rounds]
        return part

    def sum(self, X: Any, coefficients: Any = None, start: Any = 0.0) -> Vector:
        """Add the values of all splits, each times its coefficient, in their order.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)
        coefficients : array-like of shape (splits,), default=None
            None for 1 each.
        start : float or array-like of shape (rows,), default=0
            What they are added to.

        Returns
        -------
        values : ndarray of shape (rows,)
        """
        total = np.full(X.shape[0], start, dtype=np.float64)
        leaves = self._scaled(coefficients)
        self._add(X, slice(None), "add_stumps", leaves, total)
        return total

    def staged_sum(self, X: Any, coefficients: Any = None, start: Any = 0.0) -> Iterator[Vector]:
        """Yield the running sum after every split; the last equals ``sum`` bit for bit.

        Parameters
        ----------
        X, coefficients, start
            As for ``sum``.

        Yields
        ------
        values : ndarray of shape (rows,)
            The same array each time, to be copied if kept.
        """
        total = np.full(X.shape[0], start, dtype=np.float64)
        leaves = self._scaled(coefficients)
        X = X.tocsc() if sparse.issparse(X) else X
        for t in range(len(self)):
            self._add(X, slice(t, t + 1), "add_stumps", leaves, total)
            yield total

    def votes(self, X: Any, left: Any, right: Any, weight: Any, n_classes: int) -> Vector:
        """Add up, for every class, the weights of the splits that vote for it.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)
        left, right : array-like of int of shape (splits,)
            The class numbers of the sides.
        weight : array-like of shape (splits,)
        n_classes : int

        Returns
        -------
        votes : ndarray of shape (rows, classes)
        """
        votes = np.zeros((X.shape[0], n_classes))
        sides, weight = np.array([left, right], dtype=np.int64), np.asarray(weight, np.float64)
        if not (sides.shape == (2, len(self)) and weight.shape == (len(self),)):
            raise ValueError(f"Each of the {len(self)} splits needs two classes and a weight.")
        if ((sides < 0) | (sides >= n_classes)).any():
            raise ValueError(f"The splits vote for other classes than the {n_classes} there are.")
        self._add(X, slice(None), "add_votes", (*sides, weight), votes)
        return votes

    def shares(self, X: Any) -> Vector:
        """Add up, for every class, its shares of the weight on the sides that a row goes to.

        Parameters
        ----------
        X : ndarray or sparse matrix of shape (rows, columns)

        Returns
        -------
        shares : ndarray of shape (rows, classes)
        """
        leaves = self.leaf_shares()
        total = np.zeros((X.shape[0], leaves.shape[2]))
        sides = np.ascontiguousarray(leaves[:, 0]), np.ascontiguousarray(leaves[:, 1])
        self._add(X, slice(None), "add_shares", sides, total)
        return total

    def leaf_shares(self) -> Vector:
        """Return the class frequencies on both sides; 1 for the class of an empty side.

        Returns
        -------
        shares : ndarray of shape (splits, 2, classes)
        """
        assert self.leaf_weight is not None
        return leaf_shares(self.leaf_weight, self.left, self.right)

    def _scaled(self, coefficients: Any) -> tuple[Vector, Vector]:
        if coefficients is None:
            return self.left, self.right
        scale = np.asarray(coefficients, dtype=np.float64)
        if scale.shape != (len(self),):
            raise ValueError(f"Each of the {len(self)} splits needs a coefficient.")
        return scale * self.left, scale * self.right

    def _add(
        self, X: Any, rounds: slice, verb: str, leaves: tuple[Any, ...], total: Vector
    ) -> None:
        """Do the rounds' additions, block by block of rows."""
        op = getattr(engine_of(total).stump_ensemble, verb)
        line, used = self._line[rounds], self._used
        if rounds != slice(None):  # only the features of these rounds are read
            used, line = _narrow(used, line)
        stumps = line, self.threshold[rounds], self.missing_right[rounds]
        chosen = self.begin[rounds], self.end[rounds], self.chosen
        sides = [leaf[rounds] for leaf in leaves]
        source = _Rows(X, used)
        size = min(max(_BLOCK_VALUES // max(1, len(used)), _FEWEST_ROWS), _MOST_ROWS)

        def work(first: int) -> None:
            part = total[first : first + size]
            op(source.block(first, len(part)), *stumps, *chosen, *sides, part)

        pieces = range(0, len(total), size)
        if len(total) * len(line) < _WORTH_THREADS:
            for piece in pieces:
                work(piece)
            return
        with Workers(self._n_jobs) as workers:
            workers.each(work, pieces)


def leaf_shares(leaf_weight: Vector, left: Vector, right: Vector) -> Vector:
    """Return the class frequencies on both sides of splits; 1 for the class of an empty side.

    Parameters
    ----------
    leaf_weight : ndarray of shape (splits, 2, classes)
    left, right : ndarray of shape (splits,)
        Their leaves, from which a class is read as in ``label_search.leaf_classes``.

    Returns
    -------
    shares : ndarray of shape (splits, 2, classes)
    """
    leaves, n_classes = np.stack([left, right], axis=1), leaf_weight.shape[2]
    sure = np.eye(n_classes)[(leaves > 0 if n_classes == 2 else leaves).astype(np.intp)]
    empty = leaf_weight.sum(axis=2, keepdims=True) == 0
    weight = np.where(empty, sure, leaf_weight)
    shares: Vector = weight / weight.sum(axis=2, keepdims=True)
    return shares


def _lines(feature: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the features used by the splits, and the index of each split's feature among them."""
    used = np.unique(feature[feature >= 0])
    return used, np.where(feature >= 0, np.searchsorted(used, feature), -1)


def _narrow(used: NDArray[np.int64], line: NDArray[np.int64]) -> tuple[Any, Any]:
    """Keep the features that some line asks about."""
    lines = np.unique(line[line >= 0])
    return used[lines], np.where(line >= 0, np.searchsorted(lines, line), -1)


class _Rows:
    """Some columns of X, copied a block of rows at a time."""

    def __init__(self, X: Any, columns: NDArray[np.int64]) -> None:
        if columns.max(initial=-1) >= X.shape[1]:  # compiled loops would read it all the same
            raise ValueError(f"A split asks for column {columns.max()}; X has {X.shape[1]}.")
        self._columns = columns
        if sparse.issparse(X):
            self._X: Any = X.tocsc()[:, columns].tocsr() if len(columns) else None
        else:
            self._X = np.ascontiguousarray(X)

    def block(self, first: int, length: int) -> Vector:
        """Return the columns of some rows, one a line."""
        block = np.empty((len(self._columns), length))
        if sparse.issparse(self._X):
            block[:] = self._X[first : first + length].toarray().T
        elif len(block):
            engine_of(block).stump_ensemble.take_columns(self._X, self._columns, first, block)
        return block
