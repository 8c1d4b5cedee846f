"""How often what was given a probability came true, in bins of probability."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_consistent_length

BINS = 10


@dataclass(frozen=True)
class Reliability:
    """Rows in bins of their probability: of each the mean of it, and how many came true.

    Parameters
    ----------
    predicted : ndarray
        Mean probability of the rows of each bin that has any.
    hits, counts : ndarray
        How many of its rows came true, and how many there are.

    Examples
    --------
    >>> bins = Reliability.of([False, True, True], [0.02, 0.81, 0.89])
    >>> bins.counts.tolist(), round(bins.error, 3)
    ([1, 2], 0.107)
    """

    predicted: NDArray[np.float64]
    hits: NDArray[np.intp]
    counts: NDArray[np.intp]

    @classmethod
    def of(cls, hit: ArrayLike, probability: ArrayLike, n_bins: int = BINS) -> Self:
        """Put rows into bins of equal width.

        Parameters
        ----------
        hit : array-like of bool
            Whether it came true.
        probability : array-like
            What was said of it.
        n_bins : int, default=10

        Returns
        -------
        Reliability
        """
        truth, p = np.asarray(hit, bool), np.asarray(probability, np.float64)
        check_consistent_length(truth, p)
        place = np.minimum((p * n_bins).astype(np.intp), n_bins - 1)
        counts = np.bincount(place, minlength=n_bins)
        some = counts > 0
        predicted = np.bincount(place, p, n_bins)[some] / counts[some]
        hits = np.bincount(place[truth], minlength=n_bins)[some]
        return cls(predicted, hits, counts[some])

    @property
    def observed(self) -> NDArray[np.float64]:
        """The share that came true."""
        return self.hits / self.counts

    @property
    def error(self) -> float:
        """The mean distance between what was said and what happened (ECE), over rows."""
        return float(np.average(np.abs(self.observed - self.predicted), weights=self.counts))
