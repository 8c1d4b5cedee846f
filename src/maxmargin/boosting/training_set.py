"""Training and validation rows with their targets, weights and, for AdaBoost, running votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from maxmargin.boosting.weak_learner import Numbers, take_rows
from maxmargin.ops.engine import engine_of

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Targets = tuple[NDArray[Any], ...]


@dataclass(frozen=True)
class TargetRows:
    """Rows that were read.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)
    targets : tuple of ndarray of shape (rows,)
        Numbers or class numbers, and the queries of a ranking.
    weight : ndarray of shape (rows,)
    """

    X: Any
    targets: Targets
    weight: Vector

    @property
    def rows(self) -> Index:
        """The numbers of the rows that count."""
        return np.flatnonzero(self.weight > 0)

    def part(self, rows: Index) -> TargetRows:
        """Take some of the rows."""
        if len(rows) == len(self.weight):
            return self
        targets = tuple(target[rows] for target in self.targets)
        return TargetRows(self.X[rows], targets, self.weight[rows])


@dataclass(frozen=True)
class ValidationArguments:
    """Rows that the user gave to be watched, as they came.

    Parameters
    ----------
    X, y, sample_weight : array-like or None
    groups : tuple
        What else rows have, such as queries.
    """

    X: Any = None
    y: Any = None
    sample_weight: Any = None
    groups: tuple[Any, ...] = ()

    @property
    def given(self) -> bool:
        """Whether there are any; half of them is an error, in scikit-learn's words."""
        if (self.X is None) == (self.y is None):
            return self.X is not None
        there, lacking = ("X_val", "y_val") if self.y is None else ("y_val", "X_val")
        raise ValueError(f"{there} is provided, but {lacking} was not provided.")


@dataclass(frozen=True)
class TrainingSet:
    """Features, labels, class numbers and weights of rows, and what else members are fitted with.

    Parameters
    ----------
    X : ndarray or sparse matrix of shape (rows, columns)
    y : ndarray of shape (rows,)
    label : ndarray of int32 of shape (rows,)
    weight : ndarray of shape (rows,)
    params : dict
    """

    X: Any
    y: NDArray[Any]
    label: Numbers
    weight: Vector
    params: dict[str, Any]

    def part(self, rows: Index) -> TrainingSet:
        """Take some of the rows."""
        if len(rows) == len(self.y):
            return self
        params = {name: take_rows(value, rows, len(self.y)) for name, value in self.params.items()}
        return TrainingSet(self.X[rows], self.y[rows], self.label[rows], self.weight[rows], params)

    def rows(self, n_classes: int) -> Index:
        """Return the indices of the rows that count; raise if there are too few."""
        rows = np.flatnonzero(self.weight > 0)
        label = self.label[rows]
        if label.min() == label.max():
            raise ValueError(
                "The number of classes has to be greater than one; the rows with a positive "
                "sample weight all belong to one class."
            )
        if n_classes > len(rows):
            raise ValueError(
                f"There are more classes ({n_classes}) than rows with a positive sample weight "
                f"({len(rows)}); leave out the rows of classes that have no weight."
            )
        return rows


class RowVotes:
    """Rows with their classes, and the running votes on them.

    Parameters
    ----------
    label : ndarray of int32 of shape (rows,)
    weight : ndarray of shape (rows,)
    n_classes : int
    """

    def __init__(self, label: Numbers, weight: Vector, n_classes: int) -> None:
        share = weight / weight.max()  # so that the sum does not overflow
        self.label, self.weight = label, share / share.sum()
        self._n_classes = n_classes
        self.forget()

    def forget(self) -> None:
        """Start anew, without a vote."""
        shape = len(self.label) if self._n_classes == 2 else (len(self.label), self._n_classes)
        self.votes = np.zeros(shape)

    def add(self, predicted: Numbers, vote: float) -> float:
        """Count a member's votes; returns the weighted error of the ensemble."""
        verbs = engine_of(self.votes).boost_weights
        count = verbs.add_sign if self._n_classes == 2 else verbs.add_vote
        return float(count(self.votes, predicted, self.label, vote, self.weight))


def set_aside(rows: Index, label: Numbers, fraction: float, seed: int) -> tuple[Index, Index]:
    """Part rows for validation from those for training, by class."""
    try:
        training, validation = train_test_split(
            rows, test_size=fraction, random_state=seed, stratify=label[rows]
        )
    except ValueError as error:
        raise ValueError(
            f"validation_fraction={fraction} of {len(rows)} rows cannot be put aside with every "
            f"class in both parts ({str(error).rstrip('.')}); give more rows or "
            "n_iter_no_change=None."
        ) from None
    return np.sort(training), np.sort(validation)
