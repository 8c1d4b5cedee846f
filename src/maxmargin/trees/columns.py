"""The training set presorted once, and asked for its best split in every round."""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning

from maxmargin.ops.clock import Clock
from maxmargin.ops.cpu.stump import ROW, TOGETHER, mark_side
from maxmargin.ops.threads import Workers
from maxmargin.trees.categories import Categories, Rules, best_group
from maxmargin.trees.criterion import Classes, Criterion, Gini, Sign, Square, Vector
from maxmargin.trees.presort import sort_columns
from maxmargin.trees.split import Split, midpoint

Mask = NDArray[np.bool_]

_PIECE = 50_000  # rows that a thread takes at a time, at least
_WORTH_THREADS = 400_000  # stored rows; fewer are scanned before another thread has woken up


class Columns:
    """Columns of a training set, sorted once and scanned by every round.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)
        Numbers; NaN is a missing value. Categories are codes 0, 1, ...
    categorical : ndarray of bool of shape (columns,), default=None
        Which columns are categorical.
    categorical_split : {"subset", "one_vs_rest"}, default="subset"
        Whether any categories may go to one side, or a single one against the rest.
    n_jobs : int, default=None
        Threads; the splits do not depend on their number.
    weight : array-like of shape (rows,), default=None
        What the next two are counted in, whatever the weights of a round; None for 1 each.
    min_weight_fraction_leaf : float, default=0.0
        Share of the weight that either side of a split must have, missing values left aside.
    min_category_weight : float, default=0.0
        Of more than ten categories, those that weigh less than so many rows do on average go where
        missing values go.
    category_smoothing : bool, default=False
        Whether gains of more than ten categories are shrunk by what chance would give them.
    clock : Clock, default=None
        Once it is over no more columns are sorted, and those left are not searched.

    Notes
    -----
    Of equally good splits the one with the smallest feature is taken, then the one with the
    smallest threshold; equal means up to rounding. Threads end with a ``with`` block around the
    columns, or with the columns.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.boosting import Columns
    >>> columns = Columns(np.array([[1.0], [2.0], [3.0], [4.0]]))
    >>> split = columns.best_sign(np.array([-0.25, -0.25, 0.25, 0.25]))
    >>> split.feature, split.threshold, split.left, split.right, split.gain
    (0, 2.5, -1.0, 1.0, 1.0)
    """

    def __init__(
        self,
        X: Any,
        categorical: Any = None,
        categorical_split: str = "subset",
        n_jobs: int | None = None,
        *,
        weight: Any = None,
        min_weight_fraction_leaf: float = 0.0,
        min_category_weight: float = 0.0,
        category_smoothing: bool = False,
        clock: Clock | None = None,
    ) -> None:
        self.n_rows, self.n_features = X.shape
        self._X = _by_column(X)
        weight = np.ones(self.n_rows) if weight is None else np.asarray(weight, np.float64)
        self._rules = Rules(categorical_split, min_weight_fraction_leaf, category_smoothing)
        self._workers = Workers(n_jobs)
        self._latest: tuple[Split | None, bool, int] = None, False, 0
        mask = np.zeros(self.n_features, bool) if categorical is None else np.asarray(categorical)
        self._sort(np.flatnonzero(~mask), clock or Clock())
        self._categories = {
            int(j): Categories.of(self._X[:, j], weight, min_category_weight)
            for j in np.flatnonzero(mask)
        }
        if min_weight_fraction_leaf > 0.0:
            self._forbid_light_sides(weight, min_weight_fraction_leaf * float(weight.sum()))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._workers.__exit__(*error)

    def _sort(self, numeric: NDArray[np.intp], clock: Clock) -> None:
        columns, left = sort_columns(self._X, numeric, self._workers, clock)
        if left:
            warnings.warn(
                f"time_limit={clock.time_limit} was reached while columns were sorted: {left} of "
                f"{len(numeric)} are not searched; give more time, or fewer rows or columns.",
                ConvergenceWarning,
                stacklevel=2,
            )
        runs = [run for column in columns for run in (column.below, column.above)]
        self._rows = np.concatenate([np.zeros(0, np.uint32), *runs])
        self._start = np.cumsum([0] + [len(run) for run in runs]).astype(np.uint64)
        self._bounds: list[int] = self._start.tolist()
        self._middle = np.array([column.middle for column in columns])
        self._n_missing = np.array([len(column.missing) for column in columns])
        self._missing = np.concatenate([np.zeros(0, np.uint32), *(c.missing for c in columns)])
        lengths = np.array([len(run) for run in runs], dtype=np.intp)
        # Neighbours of equal length share a loop.
        order = np.argsort(lengths, kind="stable")
        self._order, self._pieces = order.astype(np.uint64), _pieces(lengths[order])
        self._light: list[int] = []  # columns with missing values too few for a side of their own

    def _forbid_light_sides(self, weight: Vector, least: float) -> None:
        """Allow splits only where both sides of the values weigh enough."""
        first, total = 0, float(weight.sum())
        for j in range(self.n_features):
            missing = self._missing[first : first + int(self._n_missing[j])]
            first += len(missing)
            apart = float(weight[missing].sum())
            if len(missing) and min(apart, total - apart) < least:
                self._light.append(j)
            for begin, end in pairwise(self._bounds[2 * j : 2 * j + 3]):
                run = self._rows[begin:end]
                side = np.cumsum(weight[run & ROW])
                run[np.minimum(side, total - apart - side) < least] &= ROW

    # the best split

    def best_sign(self, signed: Any) -> Split:
        """Find the split of the largest edge |S_right - S_left|, for labels -1 and +1.

        Parameters
        ----------
        signed : array-like of shape (rows,)
            w t, the weight of each row times its label.

        Returns
        -------
        split : Split
            With leaves -1 and +1; without a question where one label for all rows is as good.
            ``gain`` is the edge, so the weighted error is half of (sum of weights - gain).
        """
        return self._best(Sign(np.asarray(signed, dtype=np.float64)))

    def best_square(self, pull: Any, weight: Any = None, criterion: str = "square") -> Split:
        """Find the split of weighted least squares, which maximises G_l^2/H_l + G_r^2/H_r.

        Parameters
        ----------
        pull : array-like of shape (rows,)
            Weight times target of each row; G is its sum.
        weight : array-like of shape (rows,), default=None
            H is its sum; None for 1 each.
        criterion : {"square", "gini"}, default="square"
            With "gini" the pull is w t for labels t of -1 and +1, its size is the weight, and the
            leaves are labels.

        Returns
        -------
        split : Split
            With leaves G/H, or their signs. ``gain`` is the decrease of the sum of squares.
        """
        pull = np.asarray(pull, dtype=np.float64)
        if criterion == "gini":
            return self._best(Gini(pull))
        return self._best(Square(pull, None if weight is None else np.asarray(weight, float)))

    def best_classes(
        self, label: Any, weight: Any, n_classes: int, criterion: str = "error"
    ) -> Split:
        """Find the split of several classes, by weighted error or Gini's index.

        Parameters
        ----------
        label : array-like of int of shape (rows,)
            Class numbers 0, 1, ...
        weight : array-like of shape (rows,)
        n_classes : int
        criterion : {"error", "gini"}, default="error"

        Returns
        -------
        split : Split
            With class numbers as leaves. ``gain`` is the decrease of the error or the impurity.
        """
        label = np.asarray(label, dtype=np.intp)
        return self._best(Classes(label, np.asarray(weight, float), n_classes, criterion))

    def _best(self, criterion: Criterion) -> Split:
        shift = self._missing_sums(criterion)
        gain = self._scan(criterion, shift)
        groups = {j: self._group(criterion, j) for j in self._categories}
        for j, (value, _) in groups.items():
            gain[2 * j] = value
        best = max(float(gain.max(initial=-np.inf)), criterion.baseline)
        slack = criterion.slack(best)
        if not best > criterion.baseline + slack:
            return self._no_split(criterion)
        feature = int((gain >= best - slack).argmax()) // 2
        if feature in groups:
            return self._categorical_split(criterion, feature, groups[feature][1])
        runs = gain[2 * feature : 2 * feature + 2].tolist()
        return self._numeric_split(criterion, feature, shift[feature], best - slack, runs)

    def _missing_sums(self, criterion: Criterion) -> Vector:
        if len(self._missing) == 0:
            return np.zeros((self.n_features, len(criterion.total)))
        column = np.repeat(np.arange(self.n_features), self._n_missing)
        sums = criterion.sums(column, self._missing, self.n_features)
        sums[self._light] = 0.0
        return sums

    def _scan(self, criterion: Criterion, shift: Vector) -> Vector:
        """Score both runs of every numeric column."""
        gain = np.full(2 * self.n_features, -np.inf)

        def scan(piece: tuple[int, int]) -> None:
            criterion.scan(self._rows, self._start, self._order, *piece, shift, gain)

        if len(self._rows) < _WORTH_THREADS:
            scan((0, len(gain)))
        else:
            self._workers.each(scan, self._pieces)
        return gain

    def _group(self, criterion: Criterion, feature: int) -> tuple[float, Mask]:
        categories = self._categories[feature]
        return best_group(criterion, categories, self._sums(criterion, categories), self._rules)

    def _sums(self, criterion: Criterion, categories: Categories) -> Vector:
        return criterion.sums(categories.codes, slice(None), categories.n_groups)

    # from a score to a split

    def _no_split(self, criterion: Criterion) -> Split:
        value = criterion.constant()
        gain = criterion.gain(criterion.baseline)
        return Split(left=value, right=value, gain=gain)

    def _numeric_split(
        self, criterion: Criterion, feature: int, shift: Vector, target: float, runs: list[float]
    ) -> Split:
        """Find where in a column the target is reached, at the smallest threshold."""
        side = shift.copy()
        for above in (False, True):
            if runs[above] < target:
                continue
            begin, end = self._bounds[2 * feature + above], self._bounds[2 * feature + above + 1]
            found = criterion.place(self._rows, begin, end, shift, target, above, side)
            if found:
                count, along = abs(found), found < 0
                threshold = self._threshold(feature, begin, end, count)
                missing_right = along == above if self._n_missing[feature] else None
                if feature in self._light:  # counted with the rest
                    missing_right = not above
                return self._split(criterion, feature, side, above, count, threshold, missing_right)
        assert criterion.score(shift) >= target, "a split that was found cannot be placed"
        return self._split(criterion, feature, side, True, 0, np.inf, True)

    def _threshold(self, feature: int, begin: int, end: int, count: int) -> float:
        """Put a threshold behind the first rows of a run."""
        last = self._value(begin + count - 1, feature)
        inner = begin + count < end
        then = self._value(begin + count, feature) if inner else float(self._middle[feature])
        return midpoint(min(last, then), max(last, then))

    def _value(self, place: int, feature: int) -> float:
        return float(self._X[int(self._rows[place] & ROW), feature]) + 0.0

    def _split(
        self,
        criterion: Criterion,
        feature: int,
        side: Vector,
        above: bool,
        count: int,
        threshold: float,
        missing_right: bool | None,
    ) -> Split:
        leaf, rest = criterion.leaves(side)
        left, right = (rest, leaf) if above else (leaf, rest)
        if missing_right is None:  # none seen: to the side with more rows
            missing_right = 2 * (count if above else self.n_rows - count) > self.n_rows
        gain = criterion.gain(float(criterion.score(side)))
        split = Split(feature, threshold, None, missing_right, left, right, gain)
        self._latest = split, above, count
        return split

    def _categorical_split(self, criterion: Criterion, feature: int, right: Mask) -> Split:
        categories = self._categories[feature]
        side = self._sums(criterion, categories)[right].sum(axis=0)
        leaf, rest = criterion.leaves(side)
        missing_right = bool(right[-1])
        if categories.complete:  # none missing: to the side with more rows
            missing_right = bool(2 * np.count_nonzero(right[categories.codes]) > self.n_rows)
        chosen = np.where(categories.known, right[:-1], missing_right)
        gain = criterion.gain(float(criterion.score(side)))
        return Split(feature, np.nan, chosen, missing_right, rest, leaf, gain)

    # what a split does to the training rows

    def right_side(self, split: Split) -> Mask:
        """Tell which training rows go right.

        Parameters
        ----------
        split : Split

        Returns
        -------
        right : ndarray of bool of shape (rows,)
        """
        if split.feature < 0 or split.feature in self._categories:
            return split.right_side(self._X)
        latest, above, count = self._latest
        if split is not latest:
            above, count = self._find(split)
        right = np.full(self.n_rows, not above)
        begin = self._bounds[2 * split.feature + above]
        mark_side(self._rows, begin, begin + count, above, right)
        if n_missing := int(self._n_missing[split.feature]):
            first = int(self._n_missing[: split.feature].sum())
            right[self._missing[first : first + n_missing]] = split.missing_right
        return right

    def _find(self, split: Split) -> tuple[bool, int]:
        """Find the run that a threshold cuts, the one above or not, and how much of it is one side.

        The frequent value's rows go with the other run.
        """
        j, threshold = split.feature, split.threshold
        below, middle, end = self._bounds[2 * j : 2 * j + 3]
        if self._middle[j] > threshold:
            run = range(below, middle)
            return False, bisect_right(run, threshold, key=lambda k: self._value(k, j))
        run = range(middle, end)
        return True, bisect_left(run, -threshold, key=lambda k: -self._value(k, j))


def _pieces(lengths: NDArray[np.intp]) -> list[tuple[int, int]]:
    """Cut the runs into pieces of enough rows, which share their loops but at the end."""
    goals = np.arange(_PIECE, lengths.sum(), _PIECE)
    ends = 1 + np.searchsorted(np.cumsum(lengths), goals)
    whole = -(-ends // TOGETHER) * TOGETHER
    cuts = np.unique(np.minimum([0, *whole, len(lengths)], len(lengths))).tolist()
    return list(pairwise(cuts))


def _by_column(X: Any) -> Any:
    """Store a sparse matrix by columns, with the rows of each in order."""
    if not sparse.issparse(X):
        return X
    columns = X.tocsc(copy=False)
    if not columns.has_canonical_format:
        columns = columns.copy()
        columns.sum_duplicates()
    return columns
