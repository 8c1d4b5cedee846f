"""The threshold from which on a row is called positive, chosen on rows kept for that.

Every cut between two scores is tried. A threshold chosen on training rows flatters itself, and one
chosen on test rows spoils them: choose it on validation rows, and give it to scikit-learn's
``FixedThresholdClassifier``.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import roc_curve
from sklearn.utils.validation import check_consistent_length, column_or_1d

from maxmargin.evaluation.delong import positive_rows
from maxmargin.inputs.parameters import check_choice, check_number

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Threshold:
    """A decision threshold, and its scores on the rows it was chosen on.

    Attributes
    ----------
    value : float
        Rows with a score of at least this are positive.
    goal : str
        The score that was maximised.
    score : float
        Its value.
    recall, precision, false_positive_rate : float
        On the same rows; the precision is NaN if no row is predicted positive.
    """

    value: float
    goal: str
    score: float
    recall: float
    precision: float
    false_positive_rate: float


@dataclass(frozen=True)
class _Counts:
    """Weights of positive rows found and of negative rows mistaken, at every cut."""

    found: Vector
    mistaken: Vector

    @property
    def recall(self) -> Vector:
        return self.found / self.found[-1]

    @property
    def fall_out(self) -> Vector:
        return self.mistaken / self.mistaken[-1]

    @property
    def precision(self) -> Vector:
        called = self.found + self.mistaken
        return np.divide(self.found, called, out=np.full(len(called), np.nan), where=called > 0)

    @property
    def accuracy(self) -> Vector:
        right = self.found + self.mistaken[-1] - self.mistaken
        return right / (self.found[-1] + self.mistaken[-1])

    @property
    def balanced_accuracy(self) -> Vector:
        return (self.recall + 1.0 - self.fall_out) / 2

    @property
    def f1(self) -> Vector:
        return 2 * self.found / (self.found + self.mistaken + self.found[-1])


GOALS: dict[str, Callable[[_Counts], Vector]] = {
    "balanced_accuracy": lambda counts: counts.balanced_accuracy,
    "accuracy": lambda counts: counts.accuracy,
    "f1": lambda counts: counts.f1,
    "precision": lambda counts: np.nan_to_num(counts.precision),
    "recall": lambda counts: counts.recall,
}


def choose_threshold(
    y: ArrayLike,
    scores: ArrayLike,
    goal: str = "balanced_accuracy",
    *,
    min_recall: float = 0.0,
    min_precision: float = 0.0,
    pos_label: Any = None,
    sample_weight: Any = None,
) -> Threshold:
    """Choose the threshold that maximises the goal on these rows.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels of two classes.
    scores : array-like of shape (n_samples,)
        Decision values or probabilities of the positive class.
    goal : {"balanced_accuracy", "accuracy", "f1", "precision", "recall"}, \
default="balanced_accuracy"
        The score to maximise; the balanced accuracy is largest where Youden's index is.
    min_recall, min_precision : float, default=0.0
        Lower bounds that the threshold must satisfy.
    pos_label : label, default=None
        The positive class; None for the larger of the two.
    sample_weight : array-like of shape (n_samples,), default=None

    Returns
    -------
    Threshold
        The midpoint between two scores; among equally good ones the one furthest from both.

    Examples
    --------
    >>> y, scores = [0, 0, 0, 1, 0, 1, 1], [0.1, 0.2, 0.3, 0.4, 0.5, 0.8, 0.9]
    >>> choose_threshold(y, scores).value
    0.35
    >>> round(choose_threshold(y, scores, "recall", min_precision=0.9).value, 2)
    0.65
    """
    check_choice("choose_threshold", "goal", goal, tuple(GOALS))
    check_number("choose_threshold", "min_recall", min_recall, 0.0)
    check_number("choose_threshold", "min_precision", min_precision, 0.0)
    positive, values = positive_rows(y, pos_label), column_or_1d(scores)
    check_consistent_length(positive, values)
    counts, cuts, gaps = _cuts(positive, values, sample_weight)
    kept = counts.recall >= min_recall
    if min_precision > 0:
        kept &= np.nan_to_num(counts.precision) >= min_precision
    if not kept.any():
        raise ValueError(
            f"No threshold gives recall >= {min_recall:g} and precision >= {min_precision:g} here."
        )
    reached = np.where(kept, GOALS[goal](counts), -np.inf)
    best = int(np.lexsort((gaps, reached))[-1])
    facts = (reached, counts.recall, counts.precision, counts.fall_out)
    return Threshold(float(cuts[best]), goal, *(float(fact[best]) for fact in facts))


def _cuts(
    positive: NDArray[np.bool_], scores: Vector, sample_weight: Any
) -> tuple[_Counts, Vector, Vector]:
    """Count at every cut, from above all scores to below all, and say how wide each gap is."""
    fall_out, recall, _ = roc_curve(
        positive, scores, sample_weight=sample_weight, drop_intermediate=False
    )
    weight = np.ones(len(scores)) if sample_weight is None else np.asarray(sample_weight)
    totals = weight[positive].sum(), weight[~positive].sum()
    levels = np.unique(scores[weight > 0])[::-1].astype(np.float64)
    edge = 1.0 if len(levels) == 1 else float(np.diff(levels).mean()) * -1.0
    ends = np.concatenate([[levels[0] + edge], levels, [levels[-1] - edge]])
    middles, gaps = (ends[:-1] + ends[1:]) / 2, ends[:-1] - ends[1:]
    gaps[[0, -1]] = 0.0  # beyond all scores there is nothing to be far from
    return _Counts(recall * totals[0], fall_out * totals[1]), middles, gaps
