"""Exact neighbours by all distances, on the CPU or on a card, as a step before estimators."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.neighbors import KNeighborsTransformer
from sklearn.utils.validation import check_is_fitted

from maxmargin.inputs.parameters import check_choice
from maxmargin.inputs.vectors import check_vectors
from maxmargin.kernels.on_device import CARD, DEVICE, chosen_device


class BruteNeighborsTransformer(KNeighborsTransformer):
    """Distances to the nearest rows, by comparing every pair of rows.

    scikit-learn's ``KNeighborsTransformer(algorithm="brute")``, with ``device``: put it before any
    estimator that takes neighbours with ``metric="precomputed"``.

    Parameters
    ----------
    n_neighbors : int, default=5
        Number of neighbours. ``transform`` returns one more, as in scikit-learn: in
        ``fit_transform`` a row is its own first neighbour.
    mode : {"distance", "connectivity"}, default="distance"
        Whether ``transform`` returns distances or ones.
    metric : {"euclidean", "manhattan"}, default="euclidean"
    n_jobs : int, default=None
        Number of threads on the CPU, as in scikit-learn.
    device : {"cpu", "cuda", "auto"}, default="cpu"
        Where distances are computed; "auto" takes a card if there is one and enough to do.

    Attributes
    ----------
    n_samples_fit_, n_features_in_, feature_names_in_, effective_metric_
        As in scikit-learn.

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.neighbors import KNeighborsClassifier
    >>> from sklearn.pipeline import make_pipeline
    >>> from maxmargin.neighbors import BruteNeighborsTransformer
    >>> X, y = load_iris(return_X_y=True)
    >>> nearest = BruteNeighborsTransformer(n_neighbors=5)
    >>> model = make_pipeline(nearest, KNeighborsClassifier(5, metric="precomputed"))
    >>> round(model.fit(X, y).score(X, y), 2)
    0.97
    """

    _parameter_constraints: ClassVar[dict[str, Any]] = {}  # we check by ourselves

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        mode: str = "distance",
        metric: str = "euclidean",
        n_jobs: int | None = None,
        device: str = "cpu",
    ) -> None:
        super().__init__(
            n_neighbors=n_neighbors, mode=mode, metric=metric, n_jobs=n_jobs, algorithm="brute"
        )
        self.device = device

    def fit(self, X: Any, y: Any = None) -> BruteNeighborsTransformer:
        """Keep the rows.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (rows, columns)
        y : object, default=None
            Not looked at.

        Returns
        -------
        self : BruteNeighborsTransformer
        """
        owner = type(self).__name__
        DEVICE.check(owner, "device", self.device)
        check_choice(owner, "metric", self.metric, ("euclidean", "manhattan"))
        super().fit(X, y)
        return self

    def kneighbors(
        self, X: Any = None, n_neighbors: int | None = None, return_distance: bool = True
    ) -> Any:
        """Return the nearest rows of every query, the nearest first.

        Parameters
        ----------
        X : array-like or sparse matrix of shape (queries, columns), default=None
            None for the rows of the fit, each without itself.
        n_neighbors : int, default=None
            None for that of the constructor.
        return_distance : bool, default=True

        Returns
        -------
        distances, numbers : ndarray of shape (queries, n_neighbors)
            Or the numbers alone.
        """
        check_is_fitted(self)
        device = chosen_device(self.device, self.n_samples_fit_)
        if device == "cpu":
            return super().kneighbors(X, n_neighbors, return_distance)
        k, own = int(n_neighbors or self.n_neighbors), X is None
        queries = self._fit_X if own else check_vectors(self, X, reset=False)
        if k + own > self.n_samples_fit_:
            raise ValueError(
                f"Expected n_neighbors <= n_samples_fit, but n_neighbors = {k}, "
                f"n_samples_fit = {self.n_samples_fit_}."
            )
        there = CARD.device.find_device(device)
        with CARD.device.out_of_memory_explained("ask for fewer rows at a time"):
            facts = queries, self._fit_X, k + own, self.metric, there
            distances, numbers = CARD.nearest.nearest(*facts)
        if own:
            distances, numbers = _others(distances, numbers)
        return (distances, numbers) if return_distance else numbers


def _others(
    distances: NDArray[np.float64], numbers: NDArray[np.intp]
) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """Leave each row itself out; where it is not among its nearest, the last of them."""
    own = numbers == np.arange(len(numbers))[:, None]
    own[~own.any(axis=1), -1] = True
    shape = len(numbers), numbers.shape[1] - 1
    return distances[~own].reshape(shape), numbers[~own].reshape(shape)
