"""SAMME, the rounds of AdaBoost: learn from the weights, measure, vote, weigh the rows anew.

With weights w of sum 1, h the round's weak learner and K classes (SAMME: Zhu, Zou, Rosset and
Hastie, Stat. Interface 2, 2009, algorithm 2; for K = 2 it is AdaBoost):

    e = sum of w where h is wrong,      a = rate (log((1 - e) / e) + log(K - 1)) = 2 alpha,
    w <- w exp(a [h is wrong]) / sum,   votes for h(x) <- votes + a.

All weights are divided by their sum; for stumps of two classes, which look at ratios alone, only
those of rows predicted wrong are multiplied until the sum has grown a thousandfold. Before they are
divided those of rows predicted right are multiplied by exp(-a) <= 1 and the others by 1, so nothing
overflows. A floor far below every rounding error keeps rows that have been right for a thousand
rounds from reaching 0, from where no factor would bring them back. Compiled rounds
(``stump_rounds.py``) do the same, to the same bits.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.theory import PERFECT_WEIGHT, inner, log_normaliser, weight_of_error
from maxmargin.boosting.training_set import RowVotes
from maxmargin.boosting.weak_learner import Numbers, WeakLearner
from maxmargin.ensembles.rounds import Round, Stop
from maxmargin.ops.engine import engine_of
from maxmargin.ops.round_state import GREAT, GROWTH

Vector = NDArray[np.float64]

_FLOOR = 1e-250  # of a weight; above it no product with a factor becomes subnormal
_LARGEST = 709.0  # whose exponential is a double
_CHANCE = 1e-12  # an error this close to that of chance differs from it by rounding


@dataclass
class Samme:
    """The booster of AdaBoost.

    Parameters
    ----------
    learner : WeakLearner
    training : RowVotes
    n_classes : int
    learning_rate : float
    validation : RowVotes, default=None
        Rows on which the ensemble's error is watched.
    watched : array-like, default=None
        Their features.
    first : float, default=None
        The coefficient of the first member; None is that of its error.
    """

    learner: WeakLearner
    training: RowVotes
    n_classes: int
    learning_rate: float
    validation: RowVotes | None = None
    watched: Any = None
    first: float | None = None

    def __post_init__(self) -> None:
        self.members: list[Any] = []
        self.coefficients: list[float] = []
        # Others than stumps may care for what the weights sum up to.
        self._most = GROWTH if self.n_classes == 2 and self.learner.by_ratio else 0.0
        self._drawn: dict[int, Any] = {}  # the random state after a number of rounds
        self._begin()

    def _begin(self) -> None:
        self.weight = self.training.weight.copy()
        self._total = self._base = float(self.weight.sum())
        self._squares = float(np.einsum("i,i", self.weight, self.weight))
        self._log_bound, self._loss, self._ended = 0.0, 1.0, False
        for rows in (self.training, self.validation):
            if rows is not None:
                rows.forget()

    def round(self) -> Round | Stop:
        """Make one round of AdaBoost."""
        if self._ended:
            return Stop.PERFECT
        if self.validation is not None and self.learner.random_state is not None:
            self._drawn[len(self.members)] = self.learner.random_state.get_state()
        for _ in range(self.learner.tries):
            member = self.learner.learn(self.weight)
            predicted = self.learner.predict_training(member)
            error = self._measure(predicted)[0] / self._total
            if error < 1.0 - 1.0 / self.n_classes - _CHANCE:
                return self._take(member, predicted, self._coefficient(error))
        return too_weak(error, self.n_classes, not self.members)

    def _coefficient(self, error: float) -> float:
        if self.first is not None and not self.members:
            return 2.0 * self.first
        if error == 0.0:  # more than all before it together: it is right where they are not
            return PERFECT_WEIGHT + sum(self.coefficients)
        if not self._most:
            return float(weight_of_error(error, self.n_classes, self.learning_rate))
        return self.learning_rate * math.log((1.0 - error) / error)

    def _measure(self, predicted: Numbers) -> tuple[float, float]:
        """Sum the weights of rows predicted wrong, and the squares of these where they count."""
        verbs, rows = engine_of(self.weight).boost_weights, (self.weight, predicted)
        if self._most:
            wrong, squares = verbs.weigh_wrong(*rows, self.training.label)
            return wrong, squares
        wrong, self._total = verbs.weigh_both(*rows, self.training.label)
        return wrong, 0.0

    def _take(self, member: Any, predicted: Numbers, coefficient: float) -> Round:
        """Take a member in: count its votes and weigh the rows anew."""
        wrong, squares = self._measure(predicted)
        error, alone, alpha = wrong / self._total, not self.members, 0.5 * coefficient
        descent = self._descent(error)
        self._log_bound += float(log_normaliser(error, alpha))
        if error > 0.0:
            self._reweigh(predicted, wrong, squares, coefficient)
        self._ended = error == 0.0
        train_error = self.training.add(predicted, alpha)
        validation_error = self._validate(member, alpha)
        self.members.append(member)
        self.coefficients.append(coefficient)
        loss = self._loss = _exp(self._log_bound)
        return Round(
            round=len(self.members),
            error=error,
            alpha=alpha,
            loss=loss if self.n_classes == 2 else float("nan"),
            bound=0.0 if self._ended and alone else loss,
            train_error=train_error,
            validation_error=validation_error,
            **descent,
            stop=Stop.PERFECT if self._ended else None,
        )

    def _descent(self, error: float) -> dict[str, Any]:
        """Return how the exponential loss falls along a member, from the weights before it.

        Its negative gradient is t_i w_i times the loss, w of sum 1, and h has the length sqrt(n).
        """
        if self.n_classes > 2:
            return {}
        before, edges = self._loss, 1.0 - 2.0 * error
        squares = self._squares if self._most else inner(self.weight, self.weight)
        lengths = math.sqrt(len(self.weight) * squares) / self._total
        return {
            "before": before,
            "slope": edges * before,
            "pull": before,
            "cosine": edges / lengths,
        }

    def _reweigh(
        self, predicted: Numbers, wrong: float, squares: float, coefficient: float
    ) -> None:
        verbs, error = engine_of(self.weight).boost_weights, wrong / self._total
        rows = self.weight, predicted, self.training.label
        factor = math.exp(coefficient) if coefficient < GREAT else math.inf
        if factor >= 1.0 and self._total + factor * (error * self._total) < self._most * self._base:
            verbs.reweigh(*rows, 1.0, factor, 0.0)
            self._total += (factor - 1.0) * wrong
            self._squares += (factor * factor - 1.0) * squares
            return
        right = math.exp(-coefficient) if self._most else float(np.exp(-coefficient))
        scale = 1.0 / (self._total * (error + (1.0 - error) * right))
        verbs.reweigh(*rows, right * scale, scale, _FLOOR)
        if self._most:
            self._total, self._squares = verbs.weigh_all(self.weight)
            self._base = self._total

    def _validate(self, member: Any, alpha: float) -> float:
        if self.validation is None:
            return float("nan")
        return self.validation.add(self.learner.predict(member, self.watched), alpha)

    def keep(self, n_rounds: int) -> None:
        """Drop the later rounds and play the others again, to the same bits."""
        self.resume(self.members[:n_rounds], self.coefficients[:n_rounds])
        if self.learner.random_state is not None and n_rounds in self._drawn:
            self.learner.random_state.set_state(self._drawn[n_rounds])

    def resume(self, members: list[Any], coefficients: list[float]) -> None:
        """Take over an ensemble, with the weights that its rounds lead to."""
        self.members, self.coefficients = [], []
        self._begin()
        for member, coefficient in zip(members, coefficients, strict=True):
            predicted = self.learner.predict_training(member)
            self._take(member, predicted, coefficient)


def too_weak(error: float, n_classes: int, first: bool) -> Stop:
    """Raise if the first member is no better than chance; a later one ends the fit."""
    if first:
        raise ValueError(
            f"The first weak learner of AdaBoostClassifier has a weighted error of {error:.4g},"
            f" as bad as or worse than random guessing among {n_classes} classes; use a "
            "stronger estimator or features that vary with the classes."
        )
    return Stop.TOO_WEAK


def _exp(logarithm: float) -> float:
    return math.exp(logarithm) if logarithm < _LARGEST else math.inf
