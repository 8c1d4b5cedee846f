"""What a fitted classifier gets right on some rows."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix

from maxmargin.evaluation import RocCurve, clopper_pearson
from maxmargin.inputs.fitted import Fitted


@dataclass(frozen=True)
class Proportion:
    """A share as two counts, with the exact interval of Clopper and Pearson.

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
        found = clopper_pearson(self.count, self.total, level=confidence)
        return found.low, found.high

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
        The ROC curve; None where all rows are of one class, or where the model only names classes.

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
            Fitted, with ``predict`` and ``classes_``; for the curve also with
            ``decision_function`` or ``predict_proba``.
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
            roc=_roc(model, X, y),
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
    def confusions(self) -> list[tuple[Any, Any, int]]:
        """What was taken for what and how often, the most frequent mistakes first."""
        wrong = self.confusion - np.diag(np.diag(self.confusion))
        order = np.argsort(-wrong, axis=None, kind="stable")[: np.count_nonzero(wrong)]
        places = zip(*np.unravel_index(order, wrong.shape), strict=True)
        return [(self.labels[i], self.labels[j], int(wrong[i, j])) for i, j in places]

    @property
    def worst(self) -> tuple[Any, Proportion]:
        """The class that is found least often, and how often."""
        right = np.diag(self.confusion).tolist()
        shares = {
            label: Proportion(right[place], count)
            for place, (label, count) in enumerate(zip(self.labels, self.counts, strict=True))
            if count
        }
        return min(shares.items(), key=lambda share: share[1].value)

    @property
    def majority(self) -> tuple[Any, Proportion]:
        """The most frequent class, and the accuracy of always naming it."""
        most = int(np.argmax(self.counts))
        return self.labels[most], Proportion(self.counts[most], sum(self.counts))


def _roc(model: Any, X: Any, y: Any) -> RocCurve | None:
    """Make the curve of whatever ranks rows: decision values, else probabilities."""
    fitted = Fitted.of(model)
    classifier, rows, classes = fitted.model, fitted.rows(X), model.classes_
    if getattr(classifier, "decision_function_shape", "ovr") == "ovo":
        classifier = copy(classifier)
        classifier.decision_function_shape = "ovr"  # a value a class, not a pair
    if hasattr(classifier, "decision_function"):
        return RocCurve.from_scores(y, classifier.decision_function(rows), classes)
    if hasattr(classifier, "predict_proba"):
        p = classifier.predict_proba(rows)
        return RocCurve.from_scores(y, p[:, 1] if len(classes) == 2 else p, classes)
    return None
