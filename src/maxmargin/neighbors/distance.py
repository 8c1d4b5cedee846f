"""A distance of rows whose columns are numbers and words, some of them missing.

    d(a, b) = ( Σ_j w_j δ_j(a_j, b_j)^p )^(1/p)

    δ_j = |a_j − b_j| / s_j    for numbers, s_j the range or the standard deviation of the column
    δ_j = [a_j ≠ b_j]          for words (Hamming)

With p = 2 and ranges it is the heterogeneous Euclidean-overlap metric of Wilson and Martinez
("Improved heterogeneous distance functions", Journal of Artificial Intelligence Research 6, 1997),
who also take a missing value for as far from everything as can be, δ_j = 1. Gower ("A general
coefficient of similarity and some of its properties", Biometrics 27, 1971) leaves such columns out
of the sum and weighs the others up.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import BaseEstimator

from maxmargin.inputs.parameters import ParameterError, check_choice, check_number
from maxmargin.inputs.table import FROM_DTYPE, read
from maxmargin.ops.clock import stop_if_over

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]

_NUMBERS = ("range", "deviation", "raw", "mahalanobis")
_MISSING = ("far", "skip")
_ENTRIES = 1 << 20  # terms of columns that are worked on at a time
_FLAT = 1e-12  # of the largest variance of scaled columns: a direction with less is none
_STEEP = 8.0  # powers above which a difference of a tenth may vanish beside one of 1
_LARGEST = 1000.0  # powers of 2 that may be added up


class MixedDistance(BaseEstimator):
    """A distance for tables: numbers scaled, categories compared, columns weighted.

    Parameters
    ----------
    numbers : {"range", "deviation", "raw", "mahalanobis"}, default="range"
        Scale of numeric columns: their range, their standard deviation, or none. "mahalanobis"
        treats all numeric columns together, √((a − b)' S⁻¹ (a − b)) with their covariance S;
        directions without variance are ignored, and ``p`` is 2.
    p : float, default=2
        Exponent of the sum, at least 1: 1 is the sum of absolute values, 2 the Euclidean norm,
        infinity the maximum.
    weights : array-like of shape (columns,) or dict, default=None
        Weights of the columns, at least 0 and not all 0: a number for each, in their order, or a
        dict by column name, where others have weight 1. None means 1 for each. Columns of weight 0
        are left out. With p = infinity it only matters which are 0.
    missing : {"far", "skip"}, default="far"
        "far": a missing value or an unknown category differs from everything, δ = 1. "skip" leaves
        the column out for that pair and scales the others up; a pair without a common column has
        the largest distance.

    Examples
    --------
    >>> import polars as pl
    >>> from maxmargin.neighbors import MixedDistance
    >>> table = pl.DataFrame({"size": [0.0, 5.0, 10.0], "fruit": ["fig", "plum", "fig"]})
    >>> MixedDistance(p=1)(table)
    array([[0. , 1.5, 1. ],
           [1.5, 0. , 1.5],
           [1. , 1.5, 0. ]])
    """

    def __init__(
        self, numbers: str = "range", *, p: float = 2.0, weights: Any = None, missing: str = "far"
    ) -> None:
        self.numbers = numbers
        self.p = p
        self.weights = weights
        self.missing = missing

    def __eq__(self, other: object) -> bool:
        return isinstance(other, MixedDistance) and self._key == other._key

    def __hash__(self) -> int:
        return hash(self._key)

    @property
    def _key(self) -> tuple[Any, ...]:
        named = isinstance(self.weights, Mapping)
        given = sorted(self.weights.items()) if named else self.weights
        weights = None if given is None else tuple(np.ravel(np.asarray(given, object)).tolist())
        return self.numbers, self.p, weights, self.missing

    def __call__(self, X: Any, Y: Any = None, *, categorical_features: Any = FROM_DTYPE) -> Vector:
        """Return the distances of all rows of X from all rows of Y.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
            Ranges and deviations are those of its columns.
        Y : array-like, sparse matrix or DataFrame of shape (other rows, columns), default=None
            None is X.
        categorical_features : "from_dtype", indices, names, a mask or None
            The categorical columns; "from_dtype" takes the columns of a DataFrame that hold
            categories or strings.

        Returns
        -------
        distances : ndarray of shape (rows, other rows)
            Between a row and itself too, where with "far" a missing value counts.
        """
        reader = BaseEstimator()
        rows = dense(read(reader, X, reset=True, categorical=categorical_features))
        others = rows if Y is None else dense(read(reader, Y, reset=False))
        names = getattr(reader, "feature_names_in_", None)
        ruler = self.measure(rows, reader.is_categorical_, names)
        return np.vstack([block for _, block in ruler.blocks(rows, others)])

    def measure(self, rows: Vector, is_categorical: Mask | None = None, names: Any = None) -> Ruler:
        """Take the ranges, deviations or the covariance of a table that was read.

        Parameters
        ----------
        rows : ndarray of shape (rows, columns)
            Words as codes, NaN where missing.
        is_categorical : ndarray of bool of shape (columns,), default=None
            Which columns are categorical.
        names : sequence of str, default=None
            Of the columns, for weights by name.

        Returns
        -------
        Ruler
        """
        words = np.zeros(rows.shape[1], dtype=bool) if is_categorical is None else is_categorical
        weights = self.check(rows.shape[1], names)
        if self.numbers != "mahalanobis":
            return Ruler(self, words, _scales(rows, words, self.numbers), weights)
        _refuse_missing(rows[:, ~words])
        return Ruler(self, words, np.ones(len(words)), weights, _whitening(rows[:, ~words]))

    def check(self, n_columns: int, names: Any = None) -> Vector:
        """Raise for parameters that define no distance of this many columns.

        Parameters
        ----------
        n_columns : int
        names : sequence of str, default=None
            Of the columns, for weights by name.

        Returns
        -------
        weights : ndarray of shape (columns,)
        """
        owner = type(self).__name__
        check_choice(owner, "numbers", self.numbers, _NUMBERS)
        check_choice(owner, "missing", self.missing, _MISSING)
        check_number(owner, "p", self.p, 1, infinite=True)
        if self.numbers == "mahalanobis" and (self.p != 2 or self.weights is not None):
            raise ParameterError(
                "The 'p' parameter of MixedDistance must be 2 and 'weights' must be None with "
                "numbers='mahalanobis', which determines the scale."
            )
        if self.weights is None:
            return np.ones(n_columns)
        weights = self.weights
        if isinstance(weights, Mapping):
            weights = _by_name(weights, [] if names is None else list(names))
        _check_weights(weights, n_columns)
        return np.asarray(weights, np.float64)


class Terms(NamedTuple):
    """What each column adds to the distances of pairs, before it is weighed."""

    values: list[Vector]
    known: list[Mask] | None
    """Where both values are there; None if a missing one counts like any other."""
    raised: bool
    """Whether the values are δ_j^p rather than δ_j, whose powers would leave the numbers."""


@dataclass(frozen=True)
class Ruler:
    """A distance that knows the scales of a table's columns."""

    distance: MixedDistance
    words: Mask
    scales: Vector
    weights: Vector
    whitening: Vector | None = None

    def blocks(self, rows: Vector, others: Vector) -> Iterator[tuple[slice, Vector]]:
        """Return the distances of a few rows at a time."""
        for part in chunks(len(rows), others.size):
            stop_if_over()
            yield part, self.combine(self.terms(rows[part], others), self._weights_of_parts)

    @property
    def _weights_of_parts(self) -> Vector:
        """Weights of the differences: those of numbers taken together are one."""
        if self.whitening is None:
            return self.weights
        return np.ones(int(self.words.sum()) + 1)

    def terms(self, rows: Vector, others: Vector) -> Terms:
        """Return δ_j^p of all pairs for every column, before weighting."""
        p, skip = self.distance.p, self.distance.missing == "skip"
        gaps = self._differences(rows, others)
        known = [~np.isnan(gap) for gap in gaps]
        filled = [np.where(k, g, 0.0 if skip else 1.0) for k, g in zip(known, gaps, strict=True)]
        raised = _may_be_raised(filled, p)
        values = [_power(gap, p) for gap in filled] if raised else filled
        return Terms(values, known if skip else None, raised)

    def _differences(self, rows: Vector, others: Vector) -> list[Vector]:
        """Return δ_j of all pairs; NaN if one of the two is missing."""
        if self.whitening is None:
            return [self._difference(j, rows, others) for j in range(len(self.words))]
        centre = others[0, ~self.words]  # products of numbers far from 0 would round
        left, right = ((part[:, ~self.words] - centre) @ self.whitening for part in (rows, others))
        words = np.flatnonzero(self.words).tolist()
        return [cdist(left, right), *(self._difference(j, rows, others) for j in words)]

    def _difference(self, j: int, rows: Vector, others: Vector) -> Vector:
        left, right = rows[:, j, None], others[None, :, j]
        gap = np.abs(left - right) / self.scales[j]
        return np.where(np.isnan(gap), gap, gap > 0.0) if self.words[j] else gap

    def combine(self, terms: Terms, weights: Vector) -> Vector:
        """Add up the terms of columns into distances."""
        p, used = self.distance.p, np.flatnonzero(weights).tolist()
        values = [terms.values[j] for j in used]
        if np.isinf(p):
            total = np.maximum.reduce(values)
        else:
            unit = None if terms.raised else _largest(values)
            total = _add_up(values, weights[used], p, unit)
        if terms.known is not None:
            known = sum(weights[j] * terms.known[j] for j in used)
            total = _weigh_up(total, known, float(weights.sum()), p)
        if np.isinf(p):
            return total
        root = np.asarray(total ** (1.0 / p))
        return root if terms.raised else root * unit


def dense(rows: Any) -> Vector:
    """Return what was read as an array of float64.

    Parameters
    ----------
    rows : ndarray or sparse matrix

    Returns
    -------
    rows : ndarray
    """
    return np.asarray(rows.toarray() if sparse.issparse(rows) else rows, dtype=np.float64)


def chunks(n_rows: int, width: int) -> Iterator[slice]:
    """Yield parts of the rows, small enough for a block of wide lines.

    Parameters
    ----------
    n_rows, width : int

    Yields
    ------
    part : slice
    """
    step = max(1, _ENTRIES // max(1, width))
    return (slice(start, start + step) for start in range(0, n_rows, step))


def _power(gap: Vector, p: float) -> Vector:
    if p == 1 or np.isinf(p):
        return gap
    return np.square(gap) if p == 2 else gap**p


def _may_be_raised(gaps: list[Vector], p: float) -> bool:
    """Return whether powers of the differences stay finite."""
    if p == 1 or np.isinf(p):
        return True
    largest = max(float(gap.max(initial=1.0)) for gap in gaps)
    return p <= _STEEP and p * np.log2(largest) < _LARGEST


def _largest(gaps: list[Vector]) -> Vector:
    """Return the largest difference of each pair, the unit of its powers; 1 if it is 0."""
    largest = np.maximum.reduce(gaps)
    return np.where(largest > 0.0, largest, 1.0)


def _add_up(values: list[Vector], weights: Vector, p: float, unit: Vector | None) -> Vector:
    total = np.zeros(values[0].shape)
    for value, weight in zip(values, weights.tolist(), strict=True):
        total += weight * (value if unit is None else _power(value / unit, p))
    return total


def _weigh_up(total: Vector, known: Vector, whole: float, p: float) -> Vector:
    """Extrapolate from the known columns of a pair to all."""
    if np.isinf(p):
        return np.where(known > 0.0, total, 1.0)
    return np.where(known > 0.0, total * whole / np.where(known > 0.0, known, 1.0), whole)


def _scales(rows: Vector, words: Mask, numbers: str) -> Vector:
    """Return the scale of each column; 1 for constant and categorical columns."""
    scales = np.ones(len(words))
    for j in np.flatnonzero(~words):
        known = rows[~np.isnan(rows[:, j]), j]
        if numbers != "raw" and len(known):
            scales[j] = _spread(known, numbers)
    return scales


def _spread(column: Vector, numbers: str) -> float:
    """Return the range or the deviation; 1 for one value, whose deviation may round to more than 0.

    A range or deviation too small for a number is none either.
    """
    width = float(np.ptp(column))
    spread = width if numbers == "range" or width == 0.0 else float(column.std())
    return spread or 1.0


def _whitening(numbers: Vector) -> Vector:
    """Return V with V V' = S⁻¹ in the directions that vary, whatever the units of the columns."""
    if numbers.shape[1] == 0:
        return np.zeros((0, 1))
    units = np.array([_spread(column, "deviation") for column in numbers.T])
    scaled = (numbers - numbers.mean(axis=0)) / units
    variances, directions = np.linalg.eigh(scaled.T @ scaled / max(1, len(numbers) - 1))
    there = variances > _FLAT * max(float(variances.max()), 1.0)  # a column that varies has 1
    if not there.any():
        return np.zeros((numbers.shape[1], 1))
    return np.asarray(directions[:, there] / np.sqrt(variances[there]) / units[:, None])


def _refuse_missing(numbers: Vector) -> None:
    gaps = np.argwhere(np.isnan(numbers))
    if len(gaps):
        raise ValueError(
            f"Row {gaps[0][0]} has a missing number, and numbers='mahalanobis' takes all of them "
            "together; fill it in, or use numbers='deviation'."
        )


def _by_name(weights: Mapping[str, float], names: list[str]) -> list[float]:
    """Put weights in the order of the columns; those not named count 1."""
    unknown = [name for name in weights if name not in names]
    if unknown:
        known = f"the columns are {', '.join(map(repr, names))}"
        way_out = known if names else "X has no names: give a number for each column"
        raise ParameterError(
            f"The 'weights' parameter of MixedDistance names {unknown[0]!r}, but {way_out}."
        )
    return [weights.get(name, 1.0) for name in names]


def _check_weights(weights: Any, n_columns: int) -> None:
    given = np.asarray(weights)
    right = given.dtype.kind in "fiub" and given.shape == (n_columns,)
    if not right or not np.isfinite(given).all() or (given < 0).any() or not given.any():
        raise ParameterError(
            f"The 'weights' parameter of MixedDistance must be {n_columns} numbers, one a column, "
            f"at least 0 and not all 0. Got {weights!r} instead."
        )
