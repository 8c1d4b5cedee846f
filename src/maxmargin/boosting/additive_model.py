"""Additive models: what a fitted sum of weak learners does, from predictions to importances.

F(x) = constant + sum_t coefficient_t h_t(x), one such function or one for each class.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.tree import DecisionTreeRegressor
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted

from maxmargin.boosting.direction import is_presorted, is_tree
from maxmargin.boosting.theory import descent_of
from maxmargin.ensembles.members import LazyMembers
from maxmargin.ensembles.rounds import History, Stop
from maxmargin.inputs.table import read
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.trees.shape import ShapeFunctions, additive_shape
from maxmargin.trees.stump import DecisionStump, StumpMaker
from maxmargin.trees.stump_ensemble import StumpEnsemble

Vector = NDArray[np.float64]


class AdditiveModel(CallbackSupport, BaseEstimator):
    """A sum of weak learners.

    A subclass sets ``constants_``, ``coefficients_``, ``history_``, ``stop_``, ``_had_missing`` and
    ``_functions``, the members of each function: a ``StumpEnsemble`` where they are stumps and
    otherwise a list.
    """

    history_: History
    stop_: Stop
    constants_: Vector
    coefficients_: Vector
    _functions: Sequence[Sequence[Any]]
    _had_missing: NDArray[np.bool_]
    _path: Vector | None

    def __sklearn_tags__(self) -> Any:
        """Return the input tags: stumps take any input, otherwise those of the weak learner."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.target_tags.required = True
        tags.input_tags.categorical = self._reads_categories
        if is_presorted(self.estimator):
            return tags
        if hasattr(self.estimator, "__sklearn_tags__"):
            weak = get_tags(self.estimator).input_tags
            tags.input_tags.sparse, tags.input_tags.allow_nan = weak.sparse, weak.allow_nan
        return tags

    @property
    def _reads_categories(self) -> bool:
        """Whether columns may hold categories: stumps split sets of them, trees their codes."""
        return is_presorted(self.estimator) or is_tree(self.estimator)

    @property
    def n_estimators_(self) -> int:
        """The number of rounds kept."""
        return len(self.coefficients_)

    @property
    def estimators_(self) -> NDArray[Any]:
        """The members, of shape (rounds, functions); stumps are created on access."""
        check_is_fitted(self)
        members = np.empty(self.coefficients_.shape, dtype=object)
        for k, function in enumerate(map(self._estimators, self._functions)):
            for t in range(len(members)):
                members[t, k] = function[t]
        return members

    def _estimators(self, function: Sequence[Any]) -> Sequence[Any]:
        """Return the members of a function as estimators."""
        if not isinstance(function, StumpEnsemble):
            return function
        signs = np.array([-1.0, 1.0]) if isinstance(self.estimator, DecisionStump) else None
        return LazyMembers(StumpMaker.of(self, function, signs), len(function))

    def _rounds(self) -> Iterator[tuple[tuple[Any, ...], Vector]]:
        """Return the members and the coefficients of every round."""
        yield from zip(zip(*self._functions, strict=True), self.coefficients_, strict=True)

    @property
    def descent_(self) -> Any:
        """Every round as a descent step, with the prediction of its gradient."""
        check_is_fitted(self)
        return descent_of(self.history_)

    @property
    def feature_importances_(self) -> Vector:
        """The share of each feature in the total gain of the members.

        For regression stumps and trees the decrease of the squares to which they were fitted, as in
        scikit-learn; for members in {-1, +1} their coefficients.
        """
        check_is_fitted(self)
        stumps = self._stumps()
        total = self._stump_gains(stumps) if stumps else self._member_gains()
        return total / total.sum() if total.sum() > 0 else total

    def _stumps(self) -> list[StumpEnsemble]:
        """Return the stumps of each function; an empty list if the members are not stumps."""
        return [function for function in self._functions if isinstance(function, StumpEnsemble)]

    def _stump_gains(self, stumps: list[StumpEnsemble]) -> Vector:
        feature = np.stack([each.feature for each in stumps], axis=1)
        gain = np.stack([each.gain for each in stumps], axis=1)
        if isinstance(self.estimator, DecisionStump):
            gain = self.coefficients_
        asked = (self.coefficients_ != 0.0) & (feature >= 0)
        return np.bincount(feature[asked], gain[asked], self.n_features_in_).astype(np.float64)

    def _member_gains(self) -> Vector:
        total = np.zeros(self.n_features_in_)
        for line, steps in self._rounds():
            for member, coefficient in zip(line, steps, strict=True):
                if coefficient != 0.0:
                    total += self._importance(member, coefficient)
        return total

    def _importance(self, member: Any, coefficient: float) -> Vector:
        if hasattr(member, "tree_") and not is_classifier(member):
            return member.tree_.compute_feature_importances(normalize=False)
        if not hasattr(member, "feature_importances_"):
            raise AttributeError(
                f"{type(member).__name__} has no feature_importances_, so the ensemble has none; "
                "sklearn.inspection.permutation_importance takes any model."
            )
        return coefficient * np.asarray(member.feature_importances_)

    def _read_new(self, X: Any) -> Any:
        check_is_fitted(self)
        X = read(self, X, reset=False)
        self._refuse_missing(X)
        return X

    def _staged_raw(self, X: Any) -> Iterator[Vector]:
        """Return F of the rows after every round, of shape (rows, functions)."""
        yield from self._stages(self._read_new(X))

    def _stages(self, X: Any) -> Iterator[Vector]:
        for raw in self._running(X):
            yield raw.copy()

    def _running(self, X: Any) -> Iterator[Vector]:
        """Return F of the rows after every round, in the same array."""
        if self._corrected:
            yield from self._corrected_stages(X)
            return
        raw, values = np.tile(self.constants_, (X.shape[0], 1)), _Values(X)
        for line, steps in self._rounds():
            for k, (member, coefficient) in enumerate(zip(line, steps, strict=True)):
                if coefficient != 0.0:
                    raw[:, k] += coefficient * values.of(member)
            yield raw

    @property
    def _corrected(self) -> bool:
        """Whether every round fitted all coefficients again; older models do not say."""
        return getattr(self, "_path", None) is not None

    def _paths(self) -> list[list[Vector]]:
        """Return the coefficients of each function after every round of a corrective fit."""
        if self._path is None:
            return []
        rounds = range(1, len(self.coefficients_) + 1)
        blocks = [self._path[m * (m - 1) // 2 : m * (m + 1) // 2] for m in rounds]
        return [[column.copy() for column in block.T] for block in blocks]

    def _corrected_stages(self, X: Any) -> Iterator[Vector]:
        """Return F after every round if each has separate coefficients for all members."""
        values = _Values(X)
        said: list[list[Vector]] = []
        for (line, _), coefficients in zip(self._rounds(), self._paths(), strict=True):
            said.append([values.of(member) for member in line])
            raw = np.tile(self.constants_, (X.shape[0], 1))
            for number, members in enumerate(said):
                for k, h in enumerate(members):
                    if coefficients[k][number] != 0.0:
                        raw[:, k] += coefficients[k][number] * h
            yield raw

    def _raw(self, X: Any) -> Vector:
        """Return F of the rows, of shape (rows, functions)."""
        X = self._read_new(X)
        if stumps := self._stumps():
            return self._sum_stumps(X, stumps)
        raw = np.tile(self.constants_, (X.shape[0], 1))
        if self._corrected:
            return self._sum_members(X)
        for raw in self._running(X):  # noqa: B007  (the last one counts)
            pass
        return raw

    def _sum_members(self, X: Any) -> Vector:
        """Add up all members, with the coefficients after the last round."""
        raw, values = np.tile(self.constants_, (X.shape[0], 1)), _Values(X)
        for line, steps in self._rounds():
            for k, (member, coefficient) in enumerate(zip(line, steps, strict=True)):
                if coefficient != 0.0:
                    raw[:, k] += coefficient * values.of(member)
        return raw

    def _sum_stumps(self, X: Any, functions: list[StumpEnsemble]) -> Vector:
        X = X.tocsc() if sparse.issparse(X) else np.ascontiguousarray(X)
        raw = np.empty((X.shape[0], len(self.constants_)))
        for k, stumps in enumerate(functions):
            coefficients, start = self.coefficients_[:, k], float(self.constants_[k])
            raw[:, k] = stumps.first(n_jobs=self.n_jobs).sum(X, coefficients, start)
        return raw

    def _shape(self, k: int) -> ShapeFunctions:
        return additive_shape(
            self._functions[k],
            self.coefficients_[:, k],
            float(self.constants_[k]),
            self.feature_importances_,
            self._read_new,
            names=getattr(self, "feature_names_in_", None),
            categories=getattr(self, "_categories", None),
            had_missing=self._had_missing,
        )

    def shape_functions(self) -> ShapeFunctions:
        """Return the model as a constant plus one step function of each feature.

        Returns
        -------
        shapes : ShapeFunctions
            ``shapes.sum(X)`` is the model's F on rows, up to rounding.
        """
        check_is_fitted(self)
        if not is_presorted(self.estimator):
            raise AttributeError(
                "shape_functions is for ensembles of stumps, which are sums of functions of one "
                f"feature; {type(self.estimator).__name__} may use several at once."
            )
        return self._shape(0)

    def _refuse_missing(self, X: Any) -> None:
        """Raise for missing values where the weak learner cannot take them."""
        if is_presorted(self.estimator) or get_tags(self.estimator).input_tags.allow_nan:
            return
        missing = np.isnan(X.data if sparse.issparse(X) else X)
        if missing.any():
            raise ValueError(
                f"Input X contains NaN, which {type(self.estimator).__name__} does not take; "
                "impute it first, or use stumps (estimator=None), which do."
            )


class _Values:
    """What members say of some rows, which trees of scikit-learn want in float32."""

    def __init__(self, X: Any) -> None:
        self._X, self._for_trees = X, None
        if not sparse.issparse(X):
            with np.errstate(over="ignore"):  # where it matters, ``predict`` complains
                self._for_trees = np.ascontiguousarray(X, dtype=np.float32)
            if np.isinf(self._for_trees).any():
                self._for_trees = None

    def of(self, member: Any) -> Vector:
        """Ask a member; a tree without checking rows that are checked, thousands of times."""
        if hasattr(member, "right_side"):
            return member.values(self._X)
        if type(member) is DecisionTreeRegressor and self._for_trees is not None:
            return member.tree_.predict(self._for_trees)[:, 0]
        return np.asarray(member.predict(self._X), dtype=np.float64)
