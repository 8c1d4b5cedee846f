"""What estimators share that find neighbours by scikit-learn's search."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from maxmargin.inputs.parameters import ParameterError, check_shared
from maxmargin.progress.callbacks import CallbackSupport

_OF_SEARCH = ("algorithm", "leaf_size", "p", "metric", "metric_params", "n_jobs")


class Searcher(CallbackSupport, BaseEstimator):
    """Parameters of a search, and the estimators of scikit-learn that they make."""

    def __init__(
        self,
        algorithm: str,
        leaf_size: int,
        p: float,
        metric: Any,
        metric_params: dict[str, Any] | None,
        n_jobs: int | None,
        time_limit: float | None,
    ) -> None:
        self.algorithm = algorithm
        self.leaf_size = leaf_size
        self.p = p
        self.metric = metric
        self.metric_params = metric_params
        self.n_jobs = n_jobs
        self.time_limit = time_limit

    def __sklearn_tags__(self) -> Any:
        """Return the input tags."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def _check_parameters(self) -> None:
        check_shared(self)
        if isinstance(self.metric, str) and self.metric == "precomputed":
            raise ParameterError(
                f"The 'metric' parameter of {type(self).__name__} must be one of rows, not "
                "'precomputed': give the rows themselves."
            )

    def _fitted(self, kind: Any, rows: Any, target: NDArray[Any], **given: Any) -> Any:
        """Fit an estimator of scikit-learn with this search."""
        search = {name: getattr(self, name) for name in _OF_SEARCH}
        search["metric_params"] = self._params(rows.shape[1])
        return kind(**search | given).fit(rows, target)

    def _params(self, n_columns: int) -> dict[str, Any] | None:
        """Return the metric's parameters; for a covariance its inverse, which they all accept."""
        given = self.metric_params
        if given is None or self.metric != "mahalanobis" or "V" not in given:
            return given
        covariance = np.asarray(given["V"])
        right = covariance.shape == (n_columns, n_columns) and covariance.dtype.kind in "fiu"
        if not right or np.linalg.matrix_rank(covariance) < n_columns:
            raise ParameterError(
                f"The 'metric_params' parameter of {type(self).__name__} must hold as V an "
                f"invertible covariance, a row and a column for each of {n_columns} columns. "
                f"Got {given['V']!r} instead."
            )
        others = {name: value for name, value in given.items() if name != "V"}
        return {**others, "VI": np.linalg.inv(covariance)}
