"""What a fitted classifier gets right on some rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy.stats import binomtest
from sklearn.metrics import confusion_matrix

from maxmargin.plots import RocCurve


@dataclass(frozen=True)
class Proportion:
    """So many of so many, with the exact interval of Clopper and Pearson.

    Parameters
    ----------
    count : int
        How many.
    total : int
        Of how many.

    Examples
    --------
    >>> accuracy = Proportion(76, 90)
    >>> str(accuracy)
    '84.4 % (76 of 90; 95 % interval 75.3 to 91.2 %)'
    """

    count: int
    total: int

    @property
    def value(self) -> float:
        """The share itself."""
        return self.count / self.total

    def interval(self, confidence: float = 0.95) -> tuple[float, float]:
        """Return the exact binomial confidence interval.

        Parameters
        ----------
        confidence : float, default=0.95
            How often such an interval covers the truth, at least.

        Returns
        -------
        tuple of float
            Its lower and upper end.
        """
        low, high = binomtest(self.count, self.total).proportion_ci(confidence, method="exact")
        return float(low), float(high)

    def __str__(self) -> str:
        low, high = (100.0 * end for end in self.interval())
        return (
            f"{100.0 * self.value:.1f} % ({self.count} of {self.total};"
            f" 95 % interval {low:.1f} to {high:.1f} %)"
        )


@dataclass(frozen=True)
class Scores:
    """How a classifier did on some rows.

    Parameters
    ----------
    labels : tuple
        The classes that occur in the model or in the rows.
    confusion : ndarray of shape (n_labels, n_labels)
        Counts: true class by row, predicted class by column.
    roc : RocCurve or None
        The ROC curve; None where all rows are of one class.

    Examples
    --------
    >>> from sklearn.svm import SVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> Scores.of(SVC().fit(X, y), X, y).accuracy
    Proportion(count=4, total=4)
    """

    labels: tuple[Any, ...]
    confusion: NDArray[np.int64]
    roc: RocCurve | None

    @classmethod
    def of(cls, model: Any, X: Any, y: Any) -> Self:
        """Judge a model on rows.

        Parameters
        ----------
        model : classifier
            Fitted, with ``predict``, ``decision_function`` and ``classes_``.
        X : array-like or table
            The rows.
        y : array-like
            Their true classes.

        Returns
        -------
        Scores
            The counts and the curve.
        """
        labels = np.union1d(model.classes_, np.asarray(y))
        return cls(
            labels=tuple(labels.tolist()),
            confusion=confusion_matrix(y, model.predict(X), labels=labels),
            roc=RocCurve.from_scores(y, model.decision_function(X), model.classes_),
        )

    @property
    def counts(self) -> tuple[int, ...]:
        """How many rows each class truly has."""
        return tuple(int(count) for count in self.confusion.sum(axis=1))

    @property
    def accuracy(self) -> Proportion:
        """The share of rows that were classified correctly."""
        return Proportion(int(np.trace(self.confusion)), int(self.confusion.sum()))

    @property
    def majority(self) -> tuple[Any, Proportion]:
        """The most frequent class, and the accuracy of always naming it."""
        most = int(np.argmax(self.counts))
        return self.labels[most], Proportion(self.counts[most], sum(self.counts))
