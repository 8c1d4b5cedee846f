"""Nearest neighbours with k chosen by leave-one-out, for all k from one table of neighbours.

Leave-one-out asks of every row what its k nearest other rows say. The first k columns of a table
of each row's k_max nearest others answer that for every k up to k_max: one search instead of one a
k, and votes that go on from those of k − 1.
"""

from __future__ import annotations

from functools import partial
from numbers import Integral
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import rankdata
from sklearn.base import ClassifierMixin, RegressorMixin
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.labels import check_labels, find_classes
from maxmargin.inputs.parameters import ParameterError, all_or_nothing, check_choice, check_number
from maxmargin.neighbors.numbers import read_numbers
from maxmargin.neighbors.searcher import Searcher
from maxmargin.neighbors.table import NeighborTable, leave_one_out_pieces
from maxmargin.neighbors.vote import WEIGHTS, mean_for_each_k, vote_for_each_k, weigh
from maxmargin.ops.clock import watch
from maxmargin.progress import advance
from maxmargin.progress.lines import ProgressLines

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


class _NeighborsCV(Searcher):
    """What both share: candidates, the table, results as a grid search leaves them."""

    _kind: ClassVar[Any]

    def __init__(
        self,
        n_neighbors: Any = 30,
        *,
        weights: str = "uniform",
        algorithm: str = "auto",
        leaf_size: int = 30,
        p: float = 2,
        metric: Any = "minkowski",
        metric_params: dict[str, Any] | None = None,
        n_jobs: int | None = None,
        time_limit: float | None = None,
        verbose: int = 0,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.weights = weights
        self.verbose = verbose
        super().__init__(algorithm, leaf_size, p, metric, metric_params, n_jobs, time_limit)

    @all_or_nothing
    def fit(self, X: Any, y: Any) -> Self:
        """Choose k by leave-one-out, and keep the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : array-like of shape (rows,)
            Class labels, or numbers for a regressor.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        rows, target = self._read(X, y)
        ks = self._candidates(rows.shape[0])
        self._refuse_too_many(int(ks.max()), rows.shape[0])
        scores = self._leave_out(rows, self._as_numbers(target), ks)
        self._report(ks, scores[:, ks - 1])
        self.best_estimator_ = self._machine(rows, target, self.n_neighbors_)
        return self

    def _leave_out(self, rows: Any, target: NDArray[Any], ks: Index) -> Vector:
        """Score rows by others, for every number of neighbours up to the largest."""
        k, lines = int(ks.max()), ProgressLines(type(self).__name__, "rows", self.verbose)
        scores, judged = np.empty((len(target), k)), np.zeros(len(target), dtype=bool)
        with watch(self.time_limit) as clock:
            search = self._machine(rows, target, k)
            for some, table in leave_one_out_pieces(search, rows, k):
                scores[some], judged[some] = self._scores(table, target, target[some]), True
                share = float(judged.mean())
                advance(share)
                best = partial(_best, ks, scores, judged)
                lines.report(int(judged.sum()), len(target), share, best)
                if clock.over():
                    break
        self.n_judged_, self.complete_ = int(judged.sum()), bool(judged.all())
        return scores[judged]

    def _check_parameters(self) -> None:
        owner = type(self).__name__
        check_choice(owner, "weights", self.weights, WEIGHTS)
        super()._check_parameters()
        self._candidates(2)

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        raise NotImplementedError

    def _as_numbers(self, target: NDArray[Any]) -> NDArray[Any]:
        """Return the values that are voted on or added up."""
        return target

    def _scores(self, table: NeighborTable, target: NDArray[Any], own: NDArray[Any]) -> Vector:
        """Score every row of the table for every k, given its own target; higher is better."""
        raise NotImplementedError

    def _machine(self, rows: Any, target: NDArray[Any], k: int) -> Any:
        """Fit scikit-learn's estimator with k neighbours."""
        return self._fitted(self._kind, rows, target, n_neighbors=k, weights=self.weights)

    def _candidates(self, n_rows: int) -> Index:
        """List the numbers of neighbours to try, rising."""
        owner, given = type(self).__name__, self.n_neighbors
        if isinstance(given, Integral):
            check_number(owner, "n_neighbors", given, 1, whole=True)
            return np.arange(1, max(1, min(int(given), n_rows - 1)) + 1)
        tried = np.asarray(given)
        if tried.dtype.kind not in "iu" or tried.ndim != 1 or tried.size == 0 or tried.min() < 1:
            raise ParameterError(
                f"The 'n_neighbors' parameter of {owner} must be the largest number of neighbours "
                f"to try, or a list of whole numbers of at least 1. Got {given!r} instead."
            )
        return np.unique(tried).astype(np.intp)

    def _refuse_too_many(self, k: int, n_rows: int) -> None:
        if k >= n_rows:
            raise ValueError(
                f"{type(self).__name__} was given n_neighbors={k}, but a row of {n_rows} rows has "
                f"only {n_rows - 1} others; try smaller numbers."
            )

    def _report(self, ks: Index, scores: Vector) -> None:
        means = scores.mean(axis=0)
        self.cv_results_ = {
            "params": [{"n_neighbors": k} for k in ks.tolist()],
            "param_n_neighbors": ks,
            "mean_test_score": means,
            "std_test_score": scores.std(axis=0),
            "rank_test_score": rankdata(-means, method="min").astype(np.int32),
        }
        self.best_index_ = int(means.argmax())
        self.best_params_ = self.cv_results_["params"][self.best_index_]
        self.best_score_ = float(means[self.best_index_])
        self.n_neighbors_: int = self.best_params_["n_neighbors"]

    def predict(self, X: Any) -> NDArray[Any]:
        """Predict by the chosen number of neighbours.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        predictions : ndarray of shape (rows,)
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict(read_numbers(self, X, reset=False)))


def _best(ks: Index, scores: Vector, judged: NDArray[np.bool_]) -> str:
    """Name the best number of neighbours by the rows that are judged, with its score."""
    means = scores[judged].mean(axis=0)[ks - 1]
    place = int(means.argmax())
    return f"{means[place]:.4g} (n_neighbors={ks[place]})"


class KNeighborsClassifierCV(ClassifierMixin, _NeighborsCV):
    """scikit-learn's ``KNeighborsClassifier`` with k chosen by leave-one-out.

    The scores are those of ``GridSearchCV(KNeighborsClassifier(), ..., cv=LeaveOneOut())``, from
    one search for all k. Ties go to the first class, as there. Rows at equal distances count in the
    order of the data, which scikit-learn leaves undefined.

    Parameters
    ----------
    n_neighbors : int or array-like of int, default=30
        The largest number of neighbours to try after 1, 2, ... (fewer where there are fewer other
        rows), or the numbers to try.
    weights : {"uniform", "distance"}, default="uniform"
        Weights of the votes: equal, or 1 / distance.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in ``KNeighborsClassifier``.
    time_limit : float, default=None
        Seconds after which k is chosen from the rows left out so far, a sample of the data.
    verbose : int, default=0
        Print the number of rows left out, the best k so far, the elapsed time and the time left: 1
        about once a second, 2 after every block of rows. With 0 these lines go only to the logger
        "maxmargin".

    Attributes
    ----------
    n_neighbors_ : int
        The chosen k; among equally good ones the smallest.
    cv_results_, best_params_, best_score_, best_index_
        As in ``GridSearchCV``: a score is the share of rows whose other rows predict them.
    n_judged_ : int
        Number of rows left out in turn: all, unless the time ended.
    complete_ : bool
        Whether there was time for all.
    best_estimator_ : KNeighborsClassifier
        With all rows and the chosen k.
    classes_, n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.neighbors import KNeighborsClassifierCV
    >>> X, y = load_mixture(return_X_y=True)
    >>> model = KNeighborsClassifierCV().fit(X, y)
    >>> model.n_neighbors_, round(model.best_score_, 3)
    (5, 0.835)
    """

    _kind = KNeighborsClassifier

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        rows, given = read_numbers(self, X, y=y, dtype=np.float64, ensure_min_samples=2)
        labels = check_labels(given)
        self.classes_, _ = find_classes(labels)
        return rows, labels

    def _as_numbers(self, target: NDArray[Any]) -> NDArray[Any]:
        return find_classes(target)[1]

    def _scores(self, table: NeighborTable, target: NDArray[Any], own: NDArray[Any]) -> Vector:
        weight = weigh(table.distances, self.weights)
        won = vote_for_each_k(target[table.indices], weight, len(self.classes_))
        return (won == own[:, None]).astype(np.float64)

    def predict_proba(self, X: Any) -> Vector:
        """Return the shares of the votes.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)

        Returns
        -------
        probabilities : ndarray of shape (rows, classes)
        """
        check_is_fitted(self)
        return np.asarray(self.best_estimator_.predict_proba(read_numbers(self, X, reset=False)))


class KNeighborsRegressorCV(RegressorMixin, _NeighborsCV):
    """scikit-learn's ``KNeighborsRegressor`` with k chosen by leave-one-out.

    The scores are those of ``GridSearchCV(KNeighborsRegressor(), ..., cv=LeaveOneOut(),
    scoring="neg_mean_squared_error")``, from one search for all k. Rows at equal distances count in
    the order of the data, which scikit-learn leaves undefined.

    Parameters
    ----------
    n_neighbors : int or array-like of int, default=30
        The largest number of neighbours to try after 1, 2, ... (fewer where there are fewer other
        rows), or the numbers to try.
    weights : {"uniform", "distance"}, default="uniform"
        Weights of the neighbours: equal, or 1 / distance.
    algorithm, leaf_size, p, metric, metric_params, n_jobs
        As in ``KNeighborsRegressor``.
    time_limit : float, default=None
        Seconds after which k is chosen from the rows left out so far, a sample of the data.
    verbose : int, default=0
        Print the number of rows left out, the best k so far, the elapsed time and the time left: 1
        about once a second, 2 after every block of rows. With 0 these lines go only to the logger
        "maxmargin".

    Attributes
    ----------
    n_neighbors_ : int
        The chosen k; among equally good ones the smallest.
    cv_results_, best_params_, best_score_, best_index_
        As in ``GridSearchCV``: a score is minus the mean squared error of rows predicted by others.
    n_judged_ : int
        Number of rows left out in turn: all, unless the time ended.
    complete_ : bool
        Whether there was time for all.
    best_estimator_ : KNeighborsRegressor
        With all rows and the chosen k.
    n_features_in_, feature_names_in_
        As in scikit-learn.

    Examples
    --------
    >>> import numpy as np
    >>> from maxmargin.neighbors import KNeighborsRegressorCV
    >>> X = np.linspace(0.0, 6.0, 60)[:, None]
    >>> y = np.sin(X[:, 0]) + 0.3 * np.random.default_rng(0).normal(size=60)
    >>> KNeighborsRegressorCV().fit(X, y).n_neighbors_
    5
    """

    _kind = KNeighborsRegressor

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        given: Any = {"y": y, "y_numeric": True, "ensure_min_samples": 2}
        rows, target = read_numbers(self, X, dtype=np.float64, **given)
        return rows, np.asarray(target, np.float64)

    def _scores(self, table: NeighborTable, target: NDArray[Any], own: NDArray[Any]) -> Vector:
        weight = weigh(table.distances, self.weights)
        said = mean_for_each_k(target[table.indices], weight)
        return -np.square(said - own[:, None])
