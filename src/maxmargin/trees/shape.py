"""Shape functions: an ensemble of stumps is a sum of step functions, each of one feature.

A stump asks about one feature, so the members that ask about feature j add up to a function of x_j
alone, constant between their thresholds:

    F(x) = constant + sum_j f_j(x_j),    f_j = sum of coefficient_t h_t over t that ask about j.

Nothing is approximated (Hastie and Tibshirani, Generalized Additive Models, 1990; Lou, Caruana and
Gehrke, Intelligible models for classification and regression, KDD 2012).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin.inputs.weights import read_weight
from maxmargin.trees.split import Split, column, floor_as

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class ShapeFunction:
    """The contribution of one feature to a model.

    Attributes
    ----------
    feature : int
        Its column.
    name : str
        Its name.
    thresholds : ndarray of shape (steps,)
        Where the function steps, ascending; a value x adds ``values[k]`` where k thresholds are
        below x. Empty for a categorical feature.
    values : ndarray of shape (steps + 1,), or one for each category
        What is added.
    missing : float or None
        What a missing value adds; None if the feature had none in training.
    unseen : float
        The same, known or not: what a missing value, or a category never seen, would add.
    categories : list or None
        The categories, in the order of ``values``; None for a numeric feature.
    importance : float
        As in the model's ``feature_importances_``.
    """

    feature: int
    name: str
    thresholds: Vector
    values: Vector
    missing: float | None
    unseen: float
    categories: list[Any] | None
    importance: float

    def __call__(self, x: ArrayLike) -> Vector:
        """Return the contributions of values of the feature; categories are codes.

        Parameters
        ----------
        x : array-like of shape (rows,)

        Returns
        -------
        added : ndarray of shape (rows,)
        """
        x = np.asarray(x)
        x = x if x.dtype.kind == "f" else x.astype(np.float64)
        if self.categories is not None:
            return self._by_code(x)
        # x > threshold goes right, so a value on a threshold counts as below it.
        added = self.values[np.searchsorted(floor_as(self.thresholds, x.dtype), x, side="left")]
        return np.where(np.isnan(x), self.unseen, added)

    def _by_code(self, code: NDArray[Any]) -> Vector:
        known = (code >= 0) & (code < len(self.values))
        added = np.full(len(code), self.unseen)
        added[known] = self.values[code[known].astype(np.intp)]
        return added

    def shifted(self, by: float) -> Self:
        """Add a constant."""
        missing = None if self.missing is None else self.missing + by
        return replace(self, values=self.values + by, missing=missing, unseen=self.unseen + by)


@dataclass(frozen=True)
class ShapeFunctions:
    """A model as a constant and one function for each feature that it uses.

    Iterate over it for the functions, the most important first.
    ``maxmargin.plots.shape_functions(model, X)`` draws them, each with a mean of 0 over rows.

    Attributes
    ----------
    constant : float
        What every row gets.
    functions : tuple of ShapeFunction
        One for each feature used, the most important first.

    Examples
    --------
    >>> from maxmargin.boosting import BoostingRegressor
    >>> X = [[0.0, 1.0], [1.0, 1.0], [2.0, 0.0], [3.0, 0.0]]
    >>> model = BoostingRegressor(n_estimators=1, learning_rate=1.0).fit(X, [0, 0, 2, 2])
    >>> shapes = model.shape_functions()
    >>> [(shape.feature, shape.thresholds.tolist(), shape.values.tolist()) for shape in shapes]
    [(0, [1.5], [-1.0, 1.0])]
    >>> shapes.constant, shapes.sum(X)
    (1.0, array([0., 0., 2., 2.]))
    """

    constant: float
    functions: tuple[ShapeFunction, ...]
    _read: Callable[[Any], Any] = field(repr=False, compare=False)

    def __iter__(self) -> Iterator[ShapeFunction]:
        return iter(self.functions)

    def __len__(self) -> int:
        return len(self.functions)

    def __getitem__(self, feature: int | str) -> ShapeFunction:
        """Return the function of a column, by its number or its name."""
        for function in self.functions:
            if feature in (function.feature, function.name):
                return function
        raise KeyError(f"The model does not use feature {feature!r}.")

    def sum(self, X: Any) -> Vector:
        """Add up the constant and all functions: the model's F, up to rounding.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        F : ndarray of shape (rows,)
        """
        return self._sum(self._read(X))

    def _sum(self, X: Any) -> Vector:
        columns = X.tocsc() if sparse.issparse(X) else X
        total = np.full(X.shape[0], self.constant)
        for function in self.functions:
            total += function(column(columns, function.feature))
        return total

    def centred(self, X: Any, sample_weight: ArrayLike | None = None) -> ShapeFunctions:
        """Move the mean of each function over rows into the constant.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
        sample_weight : array-like of shape (rows,), default=None

        Returns
        -------
        shapes : ShapeFunctions
            With the same sum, and each function of mean 0 over these rows.
        """
        X = self._read(X)
        columns = X.tocsc() if sparse.issparse(X) else X
        weight = read_weight(sample_weight, X.shape[0])
        means = [
            float(np.average(f(column(columns, f.feature)), weights=weight)) for f in self.functions
        ]
        moved = tuple(f.shifted(-m) for f, m in zip(self.functions, means, strict=True))
        return replace(self, constant=self.constant + sum(means), functions=moved)


def additive_shape(
    splits: Sequence[Split],
    coefficients: ArrayLike,
    constant: float,
    importances: Vector,
    read: Callable[[Any], Any],
    names: Any = None,
    categories: dict[int, dict[Any, int]] | None = None,
    had_missing: NDArray[np.bool_] | None = None,
) -> ShapeFunctions:
    """Sort the members of an ensemble by the feature they ask about.

    Parameters
    ----------
    splits : sequence of Split
        The members.
    coefficients : array-like of shape (members,)
    constant : float
        F before the first member.
    importances : ndarray of shape (features,)
    read : callable
        Checks X and turns categories into codes, as the model does.
    names : sequence of str, default=None
        Of the features.
    categories : dict, default=None
        For each categorical feature its categories with their codes.
    had_missing : ndarray of bool of shape (features,), default=None
        Which features had missing values in training.

    Returns
    -------
    shapes : ShapeFunctions
    """
    members: dict[int, list[tuple[Split, float]]] = {}
    for split, coefficient in zip(splits, np.asarray(coefficients, np.float64), strict=True):
        if split.feature < 0:
            constant += float(coefficient) * split.left
        else:
            members.setdefault(split.feature, []).append((split, float(coefficient)))
    functions = []
    for j, asked in members.items():
        thresholds, values = _codes(asked) if asked[0][0].categories is not None else _steps(asked)
        unseen = sum(c * (s.right if s.missing_right else s.left) for s, c in asked)
        known = (categories or {}).get(j)
        functions.append(
            ShapeFunction(
                feature=j,
                name=str(names[j]) if names is not None else f"x{j}",
                thresholds=thresholds,
                values=values,
                missing=unseen if had_missing is not None and had_missing[j] else None,
                unseen=unseen,
                categories=None if asked[0][0].categories is None else _listed(known, values),
                importance=float(importances[j]),
            )
        )
    functions.sort(key=lambda f: (-f.importance, f.feature))
    return ShapeFunctions(constant, tuple(functions), read)


def chosen_class(classes: NDArray[Any], label: Any) -> int | None:
    """Return the index of the requested class; None if two classes share a function."""
    if len(classes) == 2 and label is None:
        return None
    place = np.flatnonzero(classes == label if label is not None else np.zeros(0))
    listed = classes.tolist()
    if len(classes) == 2:
        raise ValueError(
            f"The classes {listed} share their functions, which speak for {listed[1]!r} where they "
            f"are positive; leave out the label. Got {label!r}."
        )
    if len(place) == 0:
        raise ValueError(
            f"Of {len(classes)} classes each has its own functions; choose whose to see with "
            f"label=, one of {listed}. Got {label!r}."
        )
    return int(place[0])


def _steps(asked: list[tuple[Split, float]]) -> tuple[Vector, Vector]:
    """Add up steps: from the sum of all left values, up or down at every threshold."""
    place = np.array([split.threshold for split, _ in asked])
    low = np.array([coefficient * split.left for split, coefficient in asked])
    rise = np.array([c * (split.right - split.left) for split, c in asked])
    # A threshold of infinity asks only whether the value is missing: no value is above it.
    inner = np.isfinite(place)
    thresholds, number = np.unique(place[inner], return_inverse=True)
    steps = np.bincount(number, rise[inner], len(thresholds)) if inner.any() else np.zeros(0)
    start = low.sum() + rise[place == -np.inf].sum()
    return thresholds, start + np.append(0.0, np.cumsum(steps))


def _codes(asked: list[tuple[Split, float]]) -> tuple[Vector, Vector]:
    """Add up what each category gets; one that a member did not know counts as missing there."""
    count = max(len(split.categories) for split, _ in asked)  # type: ignore[arg-type]
    values = np.zeros(count)
    for split, coefficient in asked:
        assert split.categories is not None
        right = np.full(count, split.missing_right)
        right[: len(split.categories)] = split.categories
        values += coefficient * np.where(right, split.right, split.left)
    return np.zeros(0), values


def _listed(known: dict[Any, int] | None, values: Vector) -> list[Any]:
    return list(range(len(values))) if known is None else list(known)[: len(values)]
