"""Boosting as gradient descent in the space of functions.

With F = F_0, the best constant or 0, and L the total loss of the training rows, a round is

    1  p_i = -dL/dF(x_i), the pull                                 (objective.py)
    2  h, a weak learner along the pull: largest sum p_i h(x_i)    (direction.py)
    3  stop if sum p_i h(x_i) <= 0: no weak learner leads downhill
    4  F <- F + rate a h, with a a constant or argmin_a L(F + a h), or with one step a
       leaf of h                                                   (step.py)

Mason, Baxter, Bartlett and Frean, Boosting algorithms as gradient descent, NIPS 12 (2000),
algorithm 1. Friedman, Greedy function approximation: a gradient boosting machine, Ann. Statist. 29
(2001), algorithm 1; its steps by leaves are TreeBoost, algorithms 3 to 5. With the exponential
loss, h in {-1, +1}, F_0 = 0, rate 1 and the line search this is AdaBoost.

Several classes are several functions, one a class against the rest, with a member each in a round.
Where all coefficients are fitted again after each round (``corrective.py``), step 4 is the
beginning of that search.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.corrective import Correction, JointFit
from maxmargin.boosting.direction import Direction, GradientLearner
from maxmargin.boosting.objective import Objective, ObjectivePoint, RowObjective
from maxmargin.boosting.step import StepRule
from maxmargin.boosting.theory import inner
from maxmargin.ensembles.rounds import Round, Stop
from maxmargin.losses import Exponential
from maxmargin.ops.threads import Workers

Vector = NDArray[np.float64]

_AS_IT_IS = StepRule(1.0, 1.0)
_UPHILL = 1e-12  # a cosine between pull and h that is rounding alone


class NoDescentError(ValueError):
    """Not even the first weak learner leads downhill."""


@dataclass
class HeldOut:
    """Rows held out, on which the loss is watched: their features, losses and predictions."""

    X: Any
    objectives: Sequence[Objective]
    z: list[Vector] = field(default_factory=list)

    def begin(self, constants: Vector) -> None:
        """Predict the constants."""
        self.z = [np.full(self.X.shape[0], constant) for constant in constants]

    def begin_corrective(self, constants: Vector) -> None:
        """Begin to keep what members say, whose coefficients will change."""
        self.members: list[list[Vector]] = [[] for _ in constants]

    def go_to(self, constants: Vector, coefficients: list[Vector]) -> None:
        """Predict with these coefficients of all members."""
        self.begin(constants)
        for z, said, a in zip(self.z, self.members, coefficients, strict=True):
            for coefficient, values in zip(a, said, strict=True):
                np.add(z, coefficient * values, out=z)

    def value(self, functions: Sequence[AdditiveFunction]) -> float:
        """Sum the mean losses of all functions, each with the parameters of its training loss."""
        watched = zip(functions, self.objectives, self.z, strict=True)
        return float(sum(own.like(function.fitted).value(z) for function, own, z in watched))


@dataclass(frozen=True)
class _Proposal:
    """A member h to be added to one function, and where that leads.

    With p the pull over the sum of the weights: ``pull`` is sum |p_i|, where h is -1 or +1, and
    ``slope`` is p'h.
    """

    direction: Direction
    coefficient: float
    point: ObjectivePoint
    error: float
    pull: float
    slope: float

    @property
    def fall(self) -> float:
        """By how much the loss would fall if it kept its slope."""
        return self.coefficient * self.slope

    @property
    def length(self) -> float:
        """Of the step, squared."""
        return self.coefficient**2 * self.direction.square()


class AdditiveFunction:
    """One function F of a model, at its values on the training rows.

    Parameters
    ----------
    objective : Objective
    learner : GradientLearner
    constant : float
        F_0.
    """

    def __init__(self, objective: Objective, learner: GradientLearner, constant: float) -> None:
        self._objective, self._learner = objective, learner
        self.constant, n_rows = constant, len(objective.weight)
        self.point, self._spare = ObjectivePoint.empty(n_rows), ObjectivePoint.empty(n_rows)
        self.fitted = objective  # with the parameters of the latest round
        self.sees_descent = False  # by the gradient, whatever a step finds
        self.before = self.steepness = np.nan  # the mean loss that a proposal starts from, and p'p
        self.joint: Correction | None = None
        self.joint_fit: JointFit | None = None
        self.begin()

    def fit_jointly(self, ridge: float, workers: Workers) -> None:
        """Fit all coefficients together from now on."""
        assert isinstance(self._objective, RowObjective)
        self.joint = Correction(self._objective, self.constant, ridge, workers)

    def correct(self, proposal: _Proposal | None, a: Vector) -> JointFit:
        """Fit the coefficients of the members so far, which are a, and of a proposed one."""
        assert self.joint is not None
        h = np.zeros(len(self.point.z)) if proposal is None else proposal.direction.values()
        self.joint.add(h)
        return self.joint.fit(np.append(a, 0.0 if proposal is None else proposal.coefficient))

    def go_to(self, fit: JointFit) -> None:
        """Go where coefficients that were fitted together lead."""
        self.joint_fit, self.point = fit, fit.point

    def begin(self) -> None:
        """Return to the constant."""
        self.point.z.fill(self.constant)
        self._objective.evaluate(self.point)

    def propose(self, rule: StepRule, seed: tuple[int, ...]) -> _Proposal | None:
        """Find a member and a step that lead downhill; None if there are none."""
        objective = self.fitted = self._objective.fitted_to(self.point.z)
        if objective is not self._objective:
            objective.evaluate(self.point)
        pull = self.point.pull
        square = inner(pull, pull)
        _refuse_infinite(self.point, square)
        direction = self._learner.learn(pull, objective.weight, seed)
        self.before, self.steepness = self.point.value, square / objective.size**2
        self.sees_descent = _leads_downhill(direction, pull, square)
        if not self.sees_descent:
            return None
        taken = rule.go(objective, direction, self.point, self._spare, self._learner.signs)
        if taken is None:
            return None
        error, total = _error(taken[0], pull) if self._learner.signs else (np.nan, np.nan)
        slope = taken[0].descent(pull) / objective.size
        return _Proposal(*taken, self._spare, error, total / objective.size, slope)

    def take(self, proposal: _Proposal | None) -> None:
        """Go where a proposal leads."""
        if proposal is not None:
            self.point, self._spare = self._spare, self.point

    def replay(self, member: Any, coefficient: float) -> None:
        """Add a member made earlier, to the same bits; values are evaluated by ``arrive``."""
        if coefficient != 0.0:
            self._learner.replay(member).move(self.point.z, coefficient, self._spare.z)
            self.point, self._spare = self._spare, self.point

    def recall(self, member: Any) -> None:
        """Take in a member made earlier, whose coefficient comes later."""
        assert self.joint is not None
        self.joint.add(self._learner.replay(member).values())

    def arrive(self) -> None:
        """Evaluate the loss after a replay."""
        self._objective.evaluate(self.point)

    @property
    def exact(self) -> bool:
        """Whether a member without error leaves nothing to do: AdaBoost's case."""
        objective = self._objective
        return isinstance(objective, RowObjective) and objective.loss == Exponential()


class GradientBooster:
    """The booster of any loss; see ``rounds.boost``.

    Parameters
    ----------
    functions : sequence of AdditiveFunction
    learner : GradientLearner
    rule : StepRule
    seed : int
        Of whatever is random in the weak learners.
    held : HeldOut, default=None
    train_error : callable, default=None
        Gives the training error by the predictions of all functions.
    first : bool, default=False
        Whether the first member is taken with the coefficient 1, as it is.
    corrective : bool, default=False
        Whether all coefficients are fitted again after each round; functions are ready for it then.
    """

    def __init__(
        self,
        functions: Sequence[AdditiveFunction],
        learner: GradientLearner,
        rule: StepRule,
        seed: int,
        held: HeldOut | None = None,
        train_error: Callable[[list[Vector]], float] | None = None,
        first: bool = False,
        corrective: bool = False,
    ) -> None:
        self._first, self._corrective = first, corrective
        self.path: list[list[Vector]] = []  # after each round, the coefficients of each function
        self._functions, self._learner, self._rule = list(functions), learner, rule
        self._seed, self._held, self._train_error = seed, held, train_error
        self.members: list[list[Any]] = []
        self.coefficients: list[list[float]] = []
        self.rounds: list[Round] = []
        self.first_loss = np.nan  # of the constants, where the first round is made here
        if held is not None:
            held.begin(self.constants)
            held.begin_corrective(self.constants)

    @property
    def constants(self) -> Vector:
        """F_0 of every function."""
        return np.array([function.constant for function in self._functions])

    def round(self) -> Round | Stop:
        """Make one round: a member for every function that can still descend."""
        if self.rounds and self.rounds[-1].stop is not None:
            return self.rounds[-1].stop
        number = len(self.rounds) + 1
        rule = _AS_IT_IS if self._first and not self.members else self._rule
        proposals = [
            function.propose(rule, (self._seed, number, k))
            for k, function in enumerate(self._functions)
        ]
        if not self.rounds:
            self.first_loss = float(sum(function.point.value for function in self._functions))
        if not any(proposals):
            return self._no_descent()
        _refuse_overflow(proposals, number)
        if self._corrective and self._known(proposals):
            return Stop.TOO_WEAK
        fits = self._fits(proposals) if self._corrective else []
        for function, proposal in zip(self._functions, proposals, strict=True):
            function.take(proposal)
        self.members.append([p.direction.member if p else self._learner.nothing for p in proposals])
        self.coefficients.append([p.coefficient if p else 0.0 for p in proposals])
        if fits:
            self._hold()
            self._go_to(fits)
        else:
            self._move_held()
        made = self._report(number, proposals)
        self.rounds.append(made)
        return made

    def _known(self, proposals: Sequence[_Proposal | None]) -> bool:
        """Return whether no proposed member is new up to its scale."""
        found = zip(self._functions, proposals, strict=True)
        return all(
            p is None or (f.joint is not None and f.joint.knows(p.direction.values()))
            for f, p in found
        )

    def _fits(self, proposals: Sequence[_Proposal | None]) -> list[JointFit]:
        """Fit all coefficients with those of the proposed members, or change nothing."""
        made, functions = len(self.members), self._functions
        earlier = self.path[-1] if self.path else [np.zeros(0)] * len(functions)
        try:
            found = zip(functions, proposals, earlier, strict=True)
            return [function.correct(proposal, a) for function, proposal, a in found]
        except BaseException:
            for function in functions:
                if function.joint is not None:
                    function.joint.drop(made)
            raise

    def _go_to(self, fits: Sequence[JointFit]) -> None:
        for function, fit in zip(self._functions, fits, strict=True):
            function.go_to(fit)
        self.path.append([fit.a for fit in fits])
        self._tell_coefficients()
        if self._held is not None:
            self._held.go_to(self.constants, self.path[-1])

    def _tell_coefficients(self) -> None:
        """Set the coefficients to those after the last round."""
        self.coefficients = np.column_stack(self.path[-1]).tolist() if self.path else []

    def _hold(self) -> None:
        """Note what the newest members say of the rows held out."""
        if self._held is not None:
            for said, member in zip(self._held.members, self.members[-1], strict=True):
                said.append(np.asarray(self._learner.predict(member, self._held.X), np.float64))

    @property
    def joint_fits(self) -> list[JointFit]:
        """What is proved of the coefficients of every function, where they were fitted together."""
        return [each.joint_fit for each in self._functions if each.joint_fit is not None]

    def _no_descent(self) -> Stop:
        """Return why there is no member: all gradients are 0, or no weak learner helps."""
        if not any(function.point.pull.any() for function in self._functions):
            return Stop.PERFECT
        if not self.members and not any(function.sees_descent for function in self._functions):
            raise NoDescentError(self._why_none())
        return Stop.TOO_WEAK

    def _why_none(self) -> str:
        """Return why not even the first weak learner decreases the loss."""
        if not any(function.point.pull @ function.point.pull for function in self._functions):
            return (
                "The gradient of the loss is so small that its squares vanish in double precision; "
                "multiply the targets, and with them the predictions, by a large number."
            )
        return (
            "The first weak learner finds no way downhill from a constant prediction: no "
            "feature varies with the target; use other features or a stronger estimator."
        )

    def _report(self, number: int, proposals: list[_Proposal | None]) -> Round:
        alone = proposals[0] if len(proposals) == 1 else None
        exact = self._rule.step == "line_search" and self._functions[0].exact
        perfect = alone is not None and alone.error == 0.0 and exact
        return Round(
            round=number,
            error=alone.error if alone else np.nan,
            alpha=self._newest(alone),
            loss=float(sum(function.point.value for function in self._functions)),
            train_error=self._error(),
            validation_loss=self._held.value(self._functions) if self._held else np.nan,
            **self._descent(proposals),
            stop=Stop.PERFECT if perfect else None,
        )

    def _newest(self, alone: _Proposal | None) -> float:
        """Return the coefficient of a round's one member."""
        if alone is None:
            return float("nan")
        return float(self.coefficients[-1][0]) if self._corrective else alone.coefficient

    def _descent(self, proposals: Sequence[_Proposal | None]) -> dict[str, Any]:
        """Return how the loss falls along the step, over all functions if there are several."""
        before = steepness = slope = length = 0.0
        for function, proposal in zip(self._functions, proposals, strict=True):
            before, steepness = before + function.before, steepness + function.steepness
            if proposal is not None:
                slope, length = slope + proposal.fall, length + proposal.length
        if self._corrective:  # the step is one of all coefficients
            return {"before": before}
        lengths = math.sqrt(steepness) * math.sqrt(length)
        alone = proposals[0] if len(proposals) == 1 else None
        return {
            "before": before,
            "slope": alone.slope if alone else slope,
            "pull": alone.pull if alone else np.nan,
            "cosine": slope / lengths if lengths > 0 else np.nan,  # squares may vanish
        }

    def _error(self) -> float:
        if self._train_error is None:
            return float("nan")
        return self._train_error([function.point.z for function in self._functions])

    def _move_held(self) -> None:
        if self._held is None:
            return
        made = zip(self.members[-1], self.coefficients[-1], strict=True)
        for z, (member, coefficient) in zip(self._held.z, made, strict=True):
            if coefficient != 0.0:
                np.add(z, coefficient * self._learner.predict(member, self._held.X), out=z)

    def keep(self, n_rounds: int) -> None:
        """Drop the later rounds; where the functions stand is of no use after that."""
        del self.members[n_rounds:], self.coefficients[n_rounds:], self.rounds[n_rounds:]
        if self._corrective:
            self._return_to(self.path[:n_rounds])

    def _return_to(self, path: list[list[Vector]]) -> None:
        """Go to the last coefficients of a path, whose members are known."""
        self.path = path[:-1]
        fits = []
        for function, a in zip(self._functions, path[-1], strict=True):
            assert function.joint is not None
            function.joint.drop(len(path))
            fits.append(function.joint.value(a))
        if self._held is not None:
            for said in self._held.members:
                del said[len(path) :]
        self._go_to(fits)

    def resume_corrective(
        self, members: list[list[Any]], path: list[list[Vector]], rounds: list[Round]
    ) -> None:
        """Take over the rounds of an earlier fit of all coefficients."""
        for line in members:
            self.members.append(line)
            self._hold()
            for function, member in zip(self._functions, line, strict=True):
                function.recall(member)
        if members:
            self._return_to(path)
        self.rounds = list(rounds)

    def resume(
        self, members: list[list[Any]], coefficients: list[list[float]], rounds: list[Round]
    ) -> None:
        """Take over the rounds of an earlier fit and go where they led."""
        for line, steps in zip(members, coefficients, strict=True):
            self.members.append(line)
            self.coefficients.append(steps)
            for function, member, coefficient in zip(self._functions, line, steps, strict=True):
                function.replay(member, coefficient)
            self._move_held()
        for function in self._functions:
            function.arrive()
        self.rounds = list(rounds)


def _leads_downhill(direction: Direction, pull: Vector, square: float) -> bool:
    """Return whether pull'h is positive by more than rounding; pull'pull is given."""
    lengths = np.sqrt(square) * np.sqrt(direction.square())
    return bool(direction.descent(pull) > _UPHILL * lengths)


def _error(direction: Direction, pull: Vector) -> tuple[float, float]:
    """Weighted error of a member in {-1, +1} on the signs of the pull, and the weight of all."""
    agreement = pull * direction.values()
    wrong, total = -float(agreement[agreement < 0].sum()), float(np.abs(pull).sum())
    return wrong / total, total


def _refuse_infinite(point: ObjectivePoint, square: float) -> None:
    """Raise for a loss or a pull that is not finite; the squares of a pull that is may overflow."""
    finite = np.isfinite(square) or np.isfinite(point.pull).all()
    if not (np.isfinite(point.value) and finite):
        raise ValueError(
            f"The training loss is {point.value} or its gradient is not finite at the start of a "
            "round; scale the targets, or check the value and derivative of the loss."
        )


def _refuse_overflow(proposals: Sequence[_Proposal | None], number: int) -> None:
    for proposal in proposals:
        if proposal is not None and not np.isfinite(proposal.point.value):
            raise ValueError(
                f"The training loss became {proposal.point.value} in round {number}; use a smaller "
                "step or learning_rate."
            )
