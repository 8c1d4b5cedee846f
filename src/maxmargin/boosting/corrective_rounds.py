"""Fully corrective AdaBoost of two classes: after each round all coefficients again.

The problem and its proof are in ``corrective.py``, here with the exponential loss, F = 0 and
members h_j in {-1, +1}, so that l_j = ridge. A round asks for the weak learner of least error under
the weights

    w_i = s_i exp(-t_i H(x_i)) / sum,

as AdaBoost does, and fits the coefficients of all members found so far.

Where the weak learner is searched exactly, its edge bounds the loss of every vote there is. By
convexity, for any b >= 0 over all members with sum_j b_j <= B = sum_j a_j,

    loss(b) >= loss(a) + sum_j g_j (b_j - a_j) >= loss(a) - (B max_j (-g_j) - sum_j a_j (-g_j)),

where -g_j is the loss times 1 - 2 e_j of member j, and the largest is that of the next member: the
round's ``gap`` (M. Frank and P. Wolfe, An algorithm for quadratic programming, 1956; M. Jaggi,
Revisiting Frank-Wolfe, ICML 2013).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.corrective import Correction, JointFit
from maxmargin.boosting.objective import RowObjective
from maxmargin.boosting.samme import too_weak
from maxmargin.boosting.training_set import RowVotes
from maxmargin.boosting.weak_learner import Numbers, WeakLearner
from maxmargin.ensembles.rounds import Round, Stop
from maxmargin.losses import Exponential
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

_CHANCE = 1e-12  # an error this close to that of chance differs from it by rounding


def as_signs(numbers: Numbers) -> Vector:
    """Return class numbers 0 and 1 as -1 and +1."""
    return np.where(numbers == 1, 1.0, -1.0)


@dataclass(frozen=True)
class _Answer:
    """A member, its classes of the training rows, and its weighted error."""

    member: Any
    predicted: Numbers
    error: float

    @property
    def signs(self) -> Vector:
        """Its classes as -1 and +1."""
        return as_signs(self.predicted)


class CorrectiveRounds:
    """The booster of fully corrective AdaBoost; see ``rounds.boost``.

    Parameters
    ----------
    learner : WeakLearner
    training : RowVotes
    ridge : float
    workers : Workers
    exact : bool
        Whether the learner finds the least weighted error of all its members.
    validation : RowVotes, default=None
        Rows on which the ensemble's error is watched.
    watched : array-like, default=None
        Their features.
    """

    def __init__(
        self,
        learner: WeakLearner,
        training: RowVotes,
        ridge: float,
        workers: Workers,
        exact: bool,
        validation: RowVotes | None = None,
        watched: Any = None,
    ) -> None:
        self._learner, self._training, self._exact = learner, training, exact
        self.validation, self._watched = validation, watched
        signs = as_signs(training.label)
        self._signs = signs
        objective = RowObjective(Exponential(), signs, training.weight, workers)
        self._joint = Correction(objective, 0.0, ridge, workers)
        self._begin()

    def _begin(self) -> None:
        self._joint.drop(0)
        self.members: list[Any] = []
        self.path: list[Vector] = []
        self._held: list[Vector] = []
        self._drawn: dict[int, Any] = {}
        self._next: _Answer | None = None
        self._ended, self._loss = False, 1.0
        self.weight = self._training.weight.copy()
        self.fitted: JointFit | None = None

    @property
    def coefficients(self) -> list[float]:
        """The coefficients after the last round, as scikit-learn scales them."""
        return (2.0 * self.path[-1]).tolist() if self.path else []

    def round(self) -> Round | Stop:
        """Make one round, all of it or, where time is up, nothing."""
        if self._ended:
            return Stop.PERFECT
        if self.validation is not None and self._learner.random_state is not None:
            self._drawn[len(self.members)] = self._learner.random_state.get_state()
        answer = self._ask() if self._next is None else self._next
        if answer.error >= 0.5 - _CHANCE:
            return too_weak(answer.error, 2, not self.members)
        if self._joint.knows(answer.signs):
            return Stop.TOO_WEAK
        return self._take(answer)

    def _ask(self, weight: Vector | None = None) -> _Answer:
        weight = self.weight if weight is None else weight
        for _ in range(self._learner.tries):
            member = self._learner.learn(weight)
            predicted = self._learner.predict_training(member)
            wrong = predicted != self._training.label
            error = float(np.where(wrong, weight, 0.0).sum() / weight.sum())
            if error < 0.5 - _CHANCE:
                break
        return _Answer(member, predicted, error)

    def _take(self, answer: _Answer) -> Round:
        """Take a member in and fit all coefficients."""
        made, before = len(self.members), self._loss
        self._joint.add(answer.signs)
        try:
            fit = self._joint.fit(self._start(answer.error))
            weight = fit.point.pull * self._signs
            following = self._ask(weight / weight.sum()) if self._exact else None
        except BaseException:
            self._joint.drop(made)
            raise
        self.members.append(answer.member)
        self._hold(answer.member)
        self._go_to(fit)
        self._next, self._ended = following, answer.error == 0.0
        return self._report(answer.error, before, fit)

    def _start(self, error: float) -> Vector:
        """Begin with what there is and AdaBoost's coefficient of the new member."""
        earlier = self.path[-1] if self.path else np.zeros(0)
        alpha = 0.5 * math.log((1.0 - error) / error) if error > 0.0 else 1.0
        return np.append(earlier, alpha)

    def _go_to(self, fit: JointFit) -> None:
        self.path.append(fit.a)
        self.fitted, self._loss = fit, fit.point.value
        weight = fit.point.pull * self._signs
        self.weight = weight / weight.sum()

    def _hold(self, member: Any) -> None:
        """Note what a member says of the validation rows."""
        if self.validation is not None:
            self._held.append(as_signs(self._learner.predict(member, self._watched)))

    def _report(self, error: float, before: float, fit: JointFit) -> Round:
        return Round(
            round=len(self.members),
            error=error,
            alpha=float(fit.a[-1]),
            loss=fit.point.value,
            bound=fit.point.value,
            train_error=_error(fit.point.z, self._training),
            validation_error=self._validate(fit.a),
            before=before,
            pull=before,
            gap=self._gap(fit),
            stop=Stop.PERFECT if self._ended else None,
        )

    def _gap(self, fit: JointFit) -> float:
        """Bound by how much the loss is above that of every vote of no larger coefficients."""
        if self._next is None:
            return float("nan")
        steepest = max(0.0, 1.0 - 2.0 * self._next.error) * fit.point.value
        return max(0.0, float(fit.a.sum()) * steepest + float(fit.a @ fit.g))

    def _validate(self, a: Vector) -> float:
        if self.validation is None:
            return float("nan")
        votes = np.zeros(len(self.validation.label))
        for coefficient, signs in zip(a, self._held, strict=True):
            votes += coefficient * signs
        return _error(votes, self.validation)

    def keep(self, n_rounds: int) -> None:
        """Drop the later rounds and return to the coefficients after the last that is kept."""
        self.resume(self.members[:n_rounds], self.path[:n_rounds])
        if self._learner.random_state is not None and n_rounds in self._drawn:
            self._learner.random_state.set_state(self._drawn[n_rounds])

    def resume(self, members: list[Any], path: list[Vector]) -> None:
        """Take over an ensemble, with the weights that its coefficients lead to."""
        drawn = self._drawn
        self._begin()
        self._drawn = drawn
        for member in members:
            self._joint.add(as_signs(self._learner.predict_training(member)))
            self._hold(member)
        if members:
            self._go_to(self._joint.value(path[-1]))
        self.members, self.path = list(members), list(path)


def _error(votes: Vector, rows: RowVotes) -> float:
    """Weigh the rows that votes get wrong; no vote counts as one for the first class."""
    return float(np.where((votes > 0.0) != (rows.label == 1), rows.weight, 0.0).sum())
