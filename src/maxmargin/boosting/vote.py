"""A weighted vote of classifiers: predictions, staged ones, margins.

Values are scaled as scikit-learn's AdaBoost scales them. With coefficients a_t, S their sum and v_k
the sum of those whose member says class k,

    two classes        2 (v_1 - v_0) / S               in [-2, 2],
    K > 2 classes      (v_k - (S - v_k) / (K - 1)) / S  for each k,

and probabilities are the softmax of (-d/2, d/2), or of the values over K - 1.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from scipy.special import softmax
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.metrics import accuracy_score
from sklearn.utils.validation import check_is_fitted, validate_data

from maxmargin.boosting.theory import heaviest, vote_margins
from maxmargin.boosting.weak_learner import Numbers, class_numbers
from maxmargin.ensembles.members import MemberSequence
from maxmargin.inputs.parameters import check_number
from maxmargin.inputs.table import read
from maxmargin.inputs.tabular import lines_as_html, make_frame
from maxmargin.progress.callbacks import CallbackSupport
from maxmargin.trees.label_search import leaf_classes
from maxmargin.trees.shape import ShapeFunctions, additive_shape, chosen_class
from maxmargin.trees.split import Split
from maxmargin.trees.stump_ensemble import StumpEnsemble

Vector = NDArray[np.float64]
Array = NDArray[Any]

ANYTHING: dict[str, Any] = {  # what X is checked for on behalf of a learner that checks it again
    "accept_sparse": ["csr", "csc"],
    "dtype": None,
    "ensure_all_finite": False,
    "allow_nd": True,
}


class Hardest(NamedTuple):
    """Training rows of the most weight, heaviest first."""

    rows: NDArray[np.intp]
    weights: Vector

    def to_dicts(self) -> list[dict[str, Any]]:
        """List the rows.

        Returns
        -------
        list of dict
            With "row" and "weight".
        """
        pairs = zip(self.rows.tolist(), self.weights.tolist(), strict=True)
        return [{"row": row, "weight": weight} for row, weight in pairs]

    def to_frame(self, library: str | None = None) -> Any:
        """Return the rows as a DataFrame.

        Parameters
        ----------
        library : {"pandas", "polars"}, default=None
            None for the first of these that is installed.

        Returns
        -------
        DataFrame
        """
        return make_frame(self.to_dicts(), library)

    def _repr_html_(self) -> str:
        return lines_as_html(self.to_dicts())


class WeightedVote(MemberSequence, ClassifierMixin, CallbackSupport, BaseEstimator):
    """What a fitted AdaBoost does.

    A subclass sets ``classes_``, ``estimators_``, ``estimator_weights_`` and ``weights_``; where
    the members are stumps, also ``_stumps``, in which they are stored, and ``_had_missing``, which
    otherwise are None.
    """

    classes_: Array
    estimators_: Sequence[Any]
    estimator_weights_: Vector
    weights_: Vector
    _stumps: StumpEnsemble | None
    _path: Vector | None
    _had_missing: NDArray[np.bool_] | None

    @property
    def n_classes_(self) -> int:
        """The number of classes."""
        return len(self.classes_)

    def _read(self, X: Any) -> Any:
        """Check rows to predict."""
        check_is_fitted(self)
        if self._stumps is not None:
            return read(self, X, reset=False)
        return validate_data(self, X, reset=False, **ANYTHING)

    # votes

    def _predict_member(self, number: int, X: Any) -> Numbers:
        """Return the class numbers that one member predicts."""
        if self._stumps is None:
            return class_numbers(self.classes_, self.estimators_[number].predict(X))
        split = self._stumps[number]
        low, high = leaf_classes(split, self.n_classes_)
        return np.where(split.right_side(X), np.int32(high), np.int32(low))

    def _staged_votes(self, X: Any) -> Iterator[tuple[Vector, float]]:
        """Return the votes on rows after every round, and the sum of the coefficients."""
        two, n_rows, total = self.n_classes_ == 2, X.shape[0], 0.0
        votes = np.zeros(n_rows if two else (n_rows, self.n_classes_))
        if sparse.issparse(X) and self._stumps is not None:
            X = X.tocsc()
        if self._corrected:
            yield from self._corrected_votes(X)
            return
        for number, weight in enumerate(self.estimator_weights_):
            predicted = self._predict_member(number, X)
            if two:
                votes += np.where(predicted == 1, weight, -weight)
            else:
                votes[np.arange(n_rows), predicted] += weight
            total += weight
            yield votes, total

    @property
    def _corrected(self) -> bool:
        """Whether every round fitted all coefficients again; older models do not say."""
        return getattr(self, "_path", None) is not None

    def _weights_after(self, rounds: int) -> Vector:
        """Return the members' coefficients after a number of rounds."""
        if not self._corrected:
            return self.estimator_weights_[:rounds]
        assert self._path is not None
        begin = rounds * (rounds - 1) // 2
        return self._path[begin : begin + rounds]

    def _corrected_votes(self, X: Any) -> Iterator[tuple[Vector, float]]:
        """Return the votes after every round if each has separate coefficients for all members."""
        signs: list[NDArray[np.int8]] = []
        for number in range(len(self.estimators_)):
            predicted = self._predict_member(number, X)
            signs.append(np.where(predicted == 1, 1, -1).astype(np.int8))
            weights, votes = self._weights_after(number + 1), np.zeros(X.shape[0])
            for weight, sign in zip(weights, signs, strict=True):
                votes += weight * sign
            yield votes, float(np.cumsum(weights)[-1])

    def _votes(self, X: Any, rounds: int | None = None) -> tuple[Vector, float]:
        """Return the votes after some rounds, or all, bit for bit equal to the staged ones."""
        last = len(self.estimators_) if rounds is None else rounds
        if self._stumps is None:
            return next(islice(self._staged_votes(X), last - 1, None))
        weights = self._weights_after(last)
        total = float(np.cumsum(weights)[-1])
        stumps = self._stumps.first(last, self.n_jobs)
        if self.n_classes_ == 2:
            return stumps.sum(X, weights), total
        return stumps.votes(X, stumps.left, stumps.right, weights, self.n_classes_), total

    def _values(self, votes: Vector, total: float) -> Vector:
        if votes.ndim == 1:
            return 2.0 * votes / total
        K = self.n_classes_
        return (K * (votes / total) - 1.0) / (K - 1.0)

    # predictions

    def _labels(self, values: Vector) -> Array:
        numbers = (values > 0).astype(np.intp) if values.ndim == 1 else values.argmax(axis=1)
        labels: Array = self.classes_[numbers]
        return labels

    def _probabilities(self, values: Vector) -> Vector:
        if values.ndim == 1:
            values = 0.5 * np.column_stack([-values, values])
        else:
            values = values / (self.n_classes_ - 1.0)
        return softmax(values, axis=1)

    def decision_function(self, X: Any) -> Vector:
        """Return the weighted vote on each row.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        values : ndarray of shape (rows,) or (rows, classes)
            For two classes one number from -2 (all votes for the first class) to 2; otherwise one
            for each class. Divided by the sum of ``estimator_weights_``, as in scikit-learn.
        """
        return self._values(*self._votes(self._read(X)))

    def predict(self, X: Any) -> Array:
        """Predict the class with the most votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        labels : ndarray of shape (rows,)
        """
        return self._labels(self.decision_function(X))

    def predict_proba(self, X: Any) -> Vector:
        """Turn the vote into probabilities, as scikit-learn does.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        p : ndarray of shape (rows, classes)
        """
        return self._probabilities(self.decision_function(X))

    def predict_log_proba(self, X: Any) -> Vector:
        """Take the logarithm of predict_proba."""
        return np.log(self.predict_proba(X))

    # what the vote says about rows

    def margins(self, X: Any, y: Any, rounds: int | None = None) -> Vector:
        """Return the normalised margins of rows: the confidence of the vote in their labels.

        The share of the vote for a row's label minus that for the strongest other class: 1 if all
        members agree with the label, at most 0 if the vote is wrong.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : array-like of shape (rows,)
            Their labels.
        rounds : int, default=None
            Number of rounds; None means all. ``MarginDistribution.of`` computes their cumulative
            distribution.

        Returns
        -------
        margins : ndarray of shape (rows,)
            In [-1, 1].
        """
        X = self._read(X)
        if rounds is not None:
            check_number("margins", "rounds", rounds, 1, whole=True)
            if rounds > len(self.estimators_):
                raise ValueError(
                    f"rounds={rounds} is more than the {len(self.estimators_)} of the model."
                )
        labels = np.asarray(y)
        if labels.shape != (X.shape[0],) or not np.isin(labels, self.classes_).all():
            raise ValueError(
                f"margins needs a label for each of the {X.shape[0]} rows, one of "
                f"{self.classes_.tolist()}."
            )
        return vote_margins(*self._votes(X, rounds), class_numbers(self.classes_, labels))

    def hardest(self, k: int = 10) -> Hardest:
        """Return the training rows with the largest final weights: mislabelled or ambiguous ones.

        Parameters
        ----------
        k : int, default=10
            Number of rows. Rows not used for training (validation rows, rows of sample weight 0)
            are never among them.

        Returns
        -------
        hardest : Hardest
            ``rows``, their indices in the X passed to ``fit``, heaviest first and ties in their
            order; ``weights``, which sum to 1 over all training rows.
        """
        check_is_fitted(self)
        check_number("hardest", "k", k, 1, whole=True)
        rows = heaviest(self.weights_, min(int(k), int(np.count_nonzero(self.weights_))))
        return Hardest(rows, self.weights_[rows])

    def shape_functions(self, label: Any = None) -> ShapeFunctions:
        """Return the vote as a constant plus one step function of each feature.

        Parameters
        ----------
        label : object, default=None
            With more than two classes, the class whose functions are returned.

        Returns
        -------
        shapes : ShapeFunctions
            ``shapes.sum(X)`` is the decision function, up to rounding.
        """
        check_is_fitted(self)
        if self._stumps is None:
            raise AttributeError(
                "shape_functions is for ensembles of stumps, which are sums of functions of one "
                f"feature; {type(self.estimators_[0]).__name__} may use several at once."
            )
        splits, factor, constant = self._votes_for(chosen_class(self.classes_, label))
        return additive_shape(
            splits,
            factor * self.estimator_weights_ / self.estimator_weights_.sum(),
            constant,
            self.feature_importances_,
            self._read,
            names=getattr(self, "feature_names_in_", None),
            categories=getattr(self, "_categories", None),
            had_missing=self._had_missing,
        )

    def _votes_for(self, number: int | None) -> tuple[list[Split], float, float]:
        """Return members whose values, times a factor and added to a constant, are the decision."""
        assert self._stumps is not None
        K, votes = self.n_classes_, []
        for split in self._stumps:
            low, high = leaf_classes(split, K)
            predicted = (
                (2 * low - 1, 2 * high - 1) if number is None else (low == number, high == number)
            )
            votes.append(replace(split, left=float(predicted[0]), right=float(predicted[1])))
        if number is None:
            return votes, 2.0, 0.0
        return votes, K / (K - 1.0), -1.0 / (K - 1.0)

    @property
    def feature_importances_(self) -> Vector:
        """Mean of the members' importances by coefficient.

        A stump has one important feature, so in an ensemble of stumps each feature gets its share
        of the coefficients.
        """
        check_is_fitted(self)
        mean: Vector = np.average(self._importances(), axis=0, weights=self.estimator_weights_)
        return mean

    def _importances(self) -> Any:
        """Return the importances of each member."""
        if self._stumps is not None:
            importances = np.zeros((len(self._stumps), self.n_features_in_))
            asking = np.flatnonzero(self._stumps.feature >= 0)
            importances[asking, self._stumps.feature[asking]] = 1.0
            return importances
        try:
            return [member.feature_importances_ for member in self.estimators_]
        except AttributeError:
            raise AttributeError(
                f"{type(self.estimators_[0]).__name__} has no feature_importances_, so the "
                "ensemble has none; sklearn.inspection.permutation_importance takes any model."
            ) from None


class StagedVote(WeightedVote):
    """A vote whose members keep the coefficients of their rounds: it has been what it was."""

    def staged_decision_function(self, X: Any) -> Iterator[Vector]:
        """Yield the decision function after every round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Yields
        ------
        values : ndarray of shape (rows,) or (rows, classes)
        """
        for votes, total in self._staged_votes(self._read(X)):
            yield self._values(votes, total)

    def staged_predict(self, X: Any) -> Iterator[Array]:
        """Predict classes after every round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Yields
        ------
        labels : ndarray of shape (rows,)
        """
        for values in self.staged_decision_function(X):
            yield self._labels(values)

    def staged_predict_proba(self, X: Any) -> Iterator[Vector]:
        """Yield probabilities after every round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Yields
        ------
        p : ndarray of shape (rows, classes)
        """
        for values in self.staged_decision_function(X):
            yield self._probabilities(values)

    def staged_score(self, X: Any, y: Any, sample_weight: Any = None) -> Iterator[float]:
        """Yield the accuracy after every round.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : array-like of shape (rows,)
        sample_weight : array-like of shape (rows,), default=None

        Yields
        ------
        score : float
        """
        for labels in self.staged_predict(X):
            yield float(accuracy_score(y, labels, sample_weight=sample_weight))
