"""The columns of a training set: sorted once, and asked for the best split in every round."""

from __future__ import annotations

from functools import cached_property
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from maxmargin.inputs.warning import warn_user
from maxmargin.ops.clock import Clock
from maxmargin.ops.pieces import Pieces
from maxmargin.ops.threads import Scratch, Workers
from maxmargin.trees.categories import CategoryCodes, CategoryRules, best_group
from maxmargin.trees.criterion import (
    ClassesCriterion,
    Criterion,
    GiniCriterion,
    SignCriterion,
    SquareCriterion,
    Vector,
)
from maxmargin.trees.presort import sort_columns
from maxmargin.trees.sorted_block import SortedBlock
from maxmargin.trees.source import ColumnSource, source_of
from maxmargin.trees.split import Split, midpoint

Mask = NDArray[np.bool_]


class Columns:
    """Columns of a training set, sorted once and scanned by every round.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns), or ColumnSource
        Numbers; NaN is a missing value. Categories are codes 0, 1, ... A source is read a few
        columns at a time.
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
        Of more than ten categories, those that weigh less than this many average rows go where
        missing values go.
    category_smoothing : bool, default=False
        Whether gains of more than ten categories are shrunk by what chance would give them.
    clock : Clock, default=None
        Once it is over no more columns are sorted, and those left are not searched.
    max_bytes : int, default=None
        Memory for columns in order, 4 bytes a row and column; those that do not fit are read and
        sorted again in every round. None keeps all of them.

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
        max_bytes: int | None = None,
    ) -> None:
        self._source = source_of(X)
        self.n_rows, self.n_features = self._source.n_rows, self._source.n_columns
        self._weight = np.ones(self.n_rows) if weight is None else np.asarray(weight, np.float64)
        self._rules = CategoryRules(categorical_split, min_weight_fraction_leaf, category_smoothing)
        self._workers = Workers(n_jobs)
        self._latest: tuple[Split | None, bool, int] = None, False, 0
        mask = np.zeros(self.n_features, bool) if categorical is None else np.asarray(categorical)
        self._part(np.flatnonzero(~mask), max_bytes, clock or Clock())
        self._categories: dict[int, CategoryCodes] = {}
        for j in np.flatnonzero(mask).tolist():
            self._categories[j] = CategoryCodes.of(self._read(j), self._weight, min_category_weight)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self._workers.__exit__(*error)

    @cached_property
    def pieces(self) -> Pieces:
        """The rows, cut for threads."""
        return Pieces(self.n_rows, self._workers)

    @cached_property
    def _scratch(self) -> Scratch:
        """Memory for the sums of a round."""
        return Scratch(self.n_rows, np.float64)

    # in order

    def _part(self, numeric: NDArray[np.intp], max_bytes: int | None, clock: Clock) -> None:
        """Sort the columns that are kept; others are sorted whenever they are scanned."""
        size = len(numeric)
        if max_bytes is not None:
            size = _count_fitting(size, self.n_rows, max_bytes)
        self._kept, left = self._sort(numeric[:size], clock)
        self._single = self._kept  # the block of the column looked at last
        self._passing: list[NDArray[np.intp]] = []
        if size < len(numeric):
            if clock.over():
                left += len(numeric) - size
            else:
                self._passing = np.split(numeric, range(size, len(numeric), size))[1:]
        if left:
            warn_user(
                f"time_limit={clock.time_limit} was reached while columns were sorted: {left} of "
                f"{len(numeric)} are not searched; give more time, or fewer rows or columns.",
                ConvergenceWarning,
            )

    def _sort(self, features: NDArray[np.intp], clock: Clock) -> tuple[SortedBlock, int]:
        """Read and sort some columns; gives how many there was no time for."""
        columns, left = sort_columns(self._source, features, self._workers, clock)
        block = SortedBlock(features, columns)
        if self._rules.least > 0.0:
            block.forbid_light_sides(self._weight, self._rules.least * float(self._weight.sum()))
        return block, left

    def _block_of(self, feature: int) -> SortedBlock:
        """Return a block with this column in it."""
        for block in (self._kept, self._single):
            if feature in block:
                return block
        self._single, _ = self._sort(np.array([feature]), Clock())
        return self._single

    def _read(self, feature: int) -> NDArray[Any]:
        """Return the values of a column."""
        return self._source.column(feature).dense(self.n_rows)

    def plain(self) -> tuple[SortedBlock, ColumnSource, Workers] | None:
        """Return all sorted columns if they are numeric, stored and unrestricted; else None."""
        apart = self._categories or self._passing or self._rules.least > 0.0
        return None if apart else (self._kept, self._source, self._workers)

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
        signed = np.asarray(signed, dtype=np.float64)
        return self._best(SignCriterion(signed, self._scratch.memory(), self.pieces))

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
            return self._best(GiniCriterion(pull, self._scratch.memory(), self.pieces))
        weight = None if weight is None else np.asarray(weight, float)
        return self._best(SquareCriterion(pull, weight, self.pieces))

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
        return self._best(ClassesCriterion(label, np.asarray(weight, float), n_classes, criterion))

    def _best(self, criterion: Criterion) -> Split:
        shift, gain = self._scan(criterion)
        groups = {}
        for j in self._categories:
            gain[j, 0], groups[j] = self._group(criterion, j)
        best = max(float(gain.max(initial=-np.inf)), criterion.baseline)
        slack = criterion.slack(best)
        if not best > criterion.baseline + slack:
            return self._no_split(criterion)
        feature = int((gain >= best - slack).argmax()) // 2
        if feature in groups:
            return self._categorical_split(criterion, feature, groups[feature])
        runs = gain[feature].tolist()
        return self._numeric_split(criterion, feature, shift[feature], best - slack, runs)

    def _scan(self, criterion: Criterion) -> tuple[Vector, Vector]:
        """Return the sums of missing values and the scores of both runs of each numeric column."""
        if len(self._kept.features) == self.n_features:
            shift = self._kept.missing_sums(criterion)
            return shift, self._kept.scan(criterion, shift, self._workers)
        shift = np.zeros((self.n_features, len(criterion.total)))
        gain = np.full((self.n_features, 2), -np.inf)

        def scan(block: SortedBlock) -> None:
            sums = shift[block.features] = block.missing_sums(criterion)
            gain[block.features] = block.scan(criterion, sums, self._workers)

        scan(self._kept)
        for features in self._passing:  # without a name, so that none outlives its turn
            scan(self._sort(features, Clock())[0])
        return shift, gain

    def _group(self, criterion: Criterion, feature: int) -> tuple[float, Mask]:
        categories = self._categories[feature]
        return best_group(criterion, categories, self._sums(criterion, categories), self._rules)

    def _sums(self, criterion: Criterion, categories: CategoryCodes) -> Vector:
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
        block = self._block_of(feature)
        place = block.place(feature)
        for above in (False, True):
            if runs[above] < target:
                continue
            begin, end = block.run(place, above)
            found, side = block.reach(criterion, begin, end, shift, target, above, self._workers)
            if found:
                count, along = abs(found), found < 0
                threshold = self._threshold(feature, block, begin, end, count)
                missing_right = along == above if block.n_missing[place] else None
                if block.is_light(place):  # counted with the rest
                    missing_right = not above
                return self._split(criterion, feature, side, above, count, threshold, missing_right)
        assert criterion.score(shift) >= target, "a split that was found cannot be placed"
        return self._split(criterion, feature, shift.copy(), True, 0, np.inf, True)

    def _threshold(
        self, feature: int, block: SortedBlock, begin: int, end: int, count: int
    ) -> float:
        """Put a threshold behind the first rows of a run."""
        column, then = self._source.column(feature), block.middle[block.place(feature)]
        last = block.value(column, begin + count - 1)
        if begin + count < end:
            then = block.value(column, begin + count)
        return midpoint(min(last, then), max(last, then))

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
        """Return which training rows go right.

        Parameters
        ----------
        split : Split

        Returns
        -------
        right : ndarray of bool of shape (rows,)
        """
        if split.feature < 0:
            return np.zeros(self.n_rows, dtype=bool)
        if split.feature in self._categories:
            return split.right_of(self._read(split.feature))
        (latest, above, count), block = self._latest, self._block_of(split.feature)
        if latest is None or not split.asks_like(latest):
            above, count = block.find(split, self._source.column(split.feature))
        return block.right_side(split, above, count, self.n_rows)


def _count_fitting(n_columns: int, n_rows: int, max_bytes: int) -> int:
    """Return the number of columns to keep sorted: all, or half of those that fit."""
    each = np.dtype(np.uint32).itemsize * n_rows
    if n_columns * each <= max_bytes:
        return n_columns
    return max(1, max_bytes // (2 * each))
