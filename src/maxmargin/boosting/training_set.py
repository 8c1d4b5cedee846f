"""AdaBoost's training set: rows with classes and weights, and a held-out validation set."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.model_selection import train_test_split

from maxmargin.boosting.weak_learner import Numbers, take_rows

Vector = NDArray[np.float64]
Rows = NDArray[np.intp]


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

    def __len__(self) -> int:
        return len(self.y)

    @property
    def arrays(self) -> tuple[Any, ...]:
        """All that rows have, but for what members are fitted with."""
        return self.X, self.label, self.weight

    def part(self, rows: Rows) -> TrainingSet:
        """Take some of the rows."""
        if len(rows) == len(self):
            return self
        params = {name: take_rows(value, rows, len(self)) for name, value in self.params.items()}
        return TrainingSet(self.X[rows], self.y[rows], self.label[rows], self.weight[rows], params)

    def rows(self, n_classes: int) -> Rows:
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


def set_aside(rows: Rows, label: Numbers, fraction: float, seed: int) -> tuple[Rows, Rows]:
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
