r"""The soft margin of a vote, largest over all weak learners: a linear program by columns.

With two classes, weights s_i of the rows that sum to 1, z_ij = 1 where member h_j is right about
row i and -1 where it is wrong, and 0 < nu <= 1:

    max_{a,rho,xi}  rho - 1/nu sum_i s_i xi_i    s.t.  sum_j a_j z_ij + xi_i >= rho for all i,
                                                       sum_j a_j = 1,   a, xi >= 0,

and its dual, over weights u of the rows,

    min_{u,beta}  beta    s.t.  sum_i u_i z_ij <= beta for all j,   sum_i u_i = 1,
                                0 <= u_i <= s_i / nu.

For given a the best rho makes the objective the mean of the nu smallest margins sum_j a_j z_ij (by
weight), so that no more than nu of the rows lie below rho. Members are too many to write down. One
round solves the program of those found so far and asks for the best weak learner with its u: the
largest edge over *all* members bounds the value over all of them from above, since u with
that edge for beta is feasible in the dual. Where it is no larger than the value, nothing is left.

Demiriz, Bennett and Shawe-Taylor, Linear programming boosting via column generation, Mach. Learn.
46 (2002), algorithm 4.1, there with D = 1 / (nu n).

Two things keep the rounds from wandering. The u of few members lies at a corner of what is feasible
and leaps from round to round, so the weak learner is asked with a mean of it and of the weights
that have given the least bound so far; only where its answer gains nothing is u itself asked
(Pessoa, Sadykov, Uchoa and Vanderbeck, Automation and combination of linear-programming based
stabilization techniques in column generation, INFORMS J. Comput. 30, 2018). And with nu
too small the program has no answer worth having: h and -h with half a vote each have the soft
margin 0, and no vote has more. A single member of error e has the soft margin 1 - 2e/nu, so with a
little more than twice the error of the first one for nu there is something better than 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse

from maxmargin.boosting.theory import weight_of_error
from maxmargin.boosting.training_set import RowVotes
from maxmargin.boosting.weak_learner import Numbers, WeakLearner
from maxmargin.ensembles.rounds import Round, Stop
from maxmargin.ops.linear_program import optimum

Vector = NDArray[np.float64]
Mask = NDArray[np.bool_]

_CHANCE = 1e-12  # an edge this small is rounding
_NOTHING = 1e-9  # a soft margin this small is that of votes that cancel, to the solver's tolerance
_STEADY = 0.8  # share of the weights of the least bound in those that a learner is asked with
_LEAST_NU = 0.1
_ABOVE = 2.02  # times the first member's error: with twice of it that member has a soft margin of 0
_UNUSED = 1e-10  # a share of the vote that the solver's tolerance explains


def soft_margin(margins: ArrayLike, nu: float, sample_weight: ArrayLike | None = None) -> float:
    """Return the mean of the smallest margins, those of a fraction nu of the rows.

    Parameters
    ----------
    margins : array-like of shape (rows,)
        For example those of ``AdaBoostClassifier.margins``.
    nu : float
        In (0, 1]: near 0 the smallest margin alone, at 1 the mean of all.
    sample_weight : array-like of shape (rows,), default=None

    Returns
    -------
    value : float
        The largest over rho of rho - 1/nu sum_i s_i max(0, rho - margin_i).

    Examples
    --------
    >>> from maxmargin.boosting import soft_margin
    >>> soft_margin([0.5, -0.5, 0.25, 1.0], nu=0.5)
    -0.125
    """
    given = np.asarray(margins, dtype=np.float64)
    weight = np.ones(len(given)) if sample_weight is None else np.asarray(sample_weight, np.float64)
    share = weight / weight.sum()
    return _value(given, share, float(nu), smallest_margin(given, share, float(nu)))


def smallest_margin(margins: Vector, share: Vector, nu: float) -> float:
    """Return rho, the margin that at most a fraction nu of the rows fall below."""
    order = np.argsort(margins, kind="stable")
    place = np.searchsorted(np.cumsum(share[order]), nu)
    return float(margins[order[min(int(place), len(order) - 1)]])


def _value(margins: Vector, share: Vector, nu: float, rho: float) -> float:
    return rho - float(share @ np.maximum(0.0, rho - margins)) / nu


@dataclass(frozen=True)
class Optimality:
    """The optimality of a soft margin over all weak learners: value, bound and gap.

    Parameters
    ----------
    value : float
        The soft margin of the model, from its votes on the rows.
    bound : float
        No vote of any weak learners has a larger one: the largest edge of all of them with the
        dual weights. 1, which no margin exceeds, where weak learners are not searched exactly.
    tol : float
        The gap that was asked for.

    Examples
    --------
    >>> print(Optimality(value=0.25, bound=0.2500001, tol=1e-6))
    soft margin 0.25  bound 0.2500001  gap 1e-07: proved
    """

    value: float
    bound: float
    tol: float

    @property
    def gap(self) -> float:
        """The bound less the value, at least 0."""
        return max(0.0, self.bound - self.value)

    @property
    def proved(self) -> bool:
        """Whether the gap is at most ``tol``."""
        return self.gap <= self.tol

    def __str__(self) -> str:
        said = "proved" if self.proved else "not proved"
        return f"soft margin {self.value:.7g}  bound {self.bound:.7g}  gap {self.gap:.0e}: {said}"


class ColumnGeneration:
    """The booster of LPBoost; see ``rounds.boost``.

    Parameters
    ----------
    learner : WeakLearner
    training : RowVotes
    nu : float or None
        None for a little more than twice the error of the first member, from 0.1 to 1.
    tol : float
    exact : bool
        Whether the learner finds the least weighted error of all its members.
    """

    def __init__(
        self,
        learner: WeakLearner,
        training: RowVotes,
        nu: float | None,
        tol: float,
        exact: bool,
    ) -> None:
        self._learner, self._training = learner, training
        self.nu, self._tol, self._exact = nu or np.nan, tol, exact
        self.members: list[Any] = []
        self._predicted: list[Numbers] = []
        self._wrong: list[Mask] = []
        self.coefficients, self.weight = np.zeros(0), training.weight.copy()
        self._steady = self.weight
        self.value, self.bound = -np.inf, 1.0

    def round(self) -> Round | Stop:
        """Add the member that the dual weights like best, and fit all coefficients anew."""
        member, predicted, wrong = self._ask()
        error = self._error(self.weight, wrong)
        stop = self._nothing_left(1.0 - 2.0 * error, wrong)
        if stop is not None:
            return stop
        if np.isnan(self.nu):
            self.nu = min(1.0, max(_LEAST_NU, _ABOVE * error))
        solution = solve_master([*self._wrong, wrong], self._training.weight, self.nu)
        self.members.append(member)
        self._predicted.append(predicted)
        self._wrong.append(wrong)
        self._go_to(*solution)
        return self._report(error)

    def _ask(self) -> tuple[Any, Numbers, Mask]:
        """Ask for a member with steady weights, and with the dual ones if that one gains nothing.

        Every answer to weights that are feasible is a bound.
        """
        for share in (_STEADY, 0.0) if self._exact and self.members else (0.0,):
            weight = share * self._steady + (1.0 - share) * self.weight
            member = self._learner.learn(weight)
            predicted = self._learner.predict_training(member)
            wrong = predicted != self._training.label
            edge = 1.0 - 2.0 * self._error(weight, wrong)
            if self._exact and edge < self.bound:
                self.bound, self._steady = edge, weight
            gained = 1.0 - 2.0 * self._error(self.weight, wrong) > self.value + self._tol
            if gained or self.proved:
                break
        return member, predicted, wrong

    @staticmethod
    def _error(weight: Vector, wrong: Mask) -> float:
        return float(weight[wrong].sum() / weight.sum())

    @property
    def proved(self) -> bool:
        """Whether no vote of any members has a soft margin that is larger by more than ``tol``."""
        return self.bound <= self.value + self._tol

    def _nothing_left(self, edge: float, wrong: Mask) -> Stop | None:
        """Return the reason not to add a member if it would gain nothing, else None."""
        if not self.members and edge <= _CHANCE:
            raise ValueError(
                f"The first weak learner of LPBoostClassifier has an edge of {edge:.4g} over "
                "random guessing; use a stronger estimator or features that vary with the classes."
            )
        if self.proved:
            return Stop.OPTIMAL
        if self.members and edge <= self.value + self._tol:
            return Stop.TOO_WEAK
        known = any(np.array_equal(wrong, before) for before in self._wrong)
        return Stop.TOO_WEAK if known else None  # rounding alone makes it look better than it is

    def _go_to(self, coefficients: Vector, weight: Vector) -> None:
        self.coefficients, self.weight = coefficients, weight
        self.value = soft_margin(self.margins(), self.nu, self._training.weight)

    def margins(self) -> Vector:
        """Return sum_j a_j z_ij of the training rows."""
        wrong = np.zeros(len(self.weight))
        for coefficient, mask in zip(self.coefficients, self._wrong, strict=True):
            wrong += coefficient * mask
        return 1.0 - 2.0 * wrong

    def _report(self, error: float) -> Round:
        return Round(
            round=len(self.members),
            error=error,
            alpha=float(self.coefficients[-1]),
            loss=-self.value,
            train_error=self._train_error(),
            gap=max(0.0, self.bound - self.value) if self._exact else np.nan,
        )

    def _train_error(self) -> float:
        self._training.forget()
        error = 1.0
        for predicted, coefficient in zip(self._predicted, self.coefficients, strict=True):
            error = self._training.add(predicted, float(coefficient))
        return error

    def vote_stagewise(self) -> bool:
        """Use AdaBoost's coefficients if no vote has a positive soft margin.

        The best one then lets members cancel each other. Says whether that was so.
        """
        if self.value > _NOTHING:
            return False
        self._go_to(stagewise(self._wrong, self._training.weight), self.weight)
        return True

    def keep(self, n_rounds: int) -> None:
        """Drop the later rounds and solve for the others again."""
        del self.members[n_rounds:], self._predicted[n_rounds:], self._wrong[n_rounds:]
        self._go_to(*solve_master(self._wrong, self._training.weight, self.nu))


def solve_master(wrong: list[Mask], share: Vector, nu: float) -> tuple[Vector, Vector]:
    """Solve the dual of the members so far; returns their coefficients a and the weights u.

    sum_i u_i z_ij <= beta is written as 1 - 2 sum_i u_i [h_j is wrong] <= beta, which has a number
    for each error alone.
    """
    n_rows, caps = len(share), share / nu
    if len(wrong) == 1:  # needs no solver, which a time limit might not wait for
        return np.ones(1), _heaviest(wrong[0], caps)
    errors = sparse.csr_array(np.array(wrong, dtype=np.float64))
    A = sparse.hstack([-2.0 * errors, -np.ones((len(wrong), 1))], format="csr")
    total = np.append(np.ones(n_rows), 0.0)[None]
    bounds = np.vstack([np.column_stack([np.zeros(n_rows), caps]), [-np.inf, np.inf]])
    solved = optimum(
        np.append(np.zeros(n_rows), 1.0),
        A_ub=A,
        b_ub=-np.ones(len(wrong)),
        A_eq=total,
        b_eq=np.ones(1),
        bounds=bounds,
        presolve=False,
    )
    if solved.x is None:
        raise ArithmeticError(f"HiGHS could not solve the linear program: {solved.message}")
    return _simplex(-solved.ineqlin.marginals), _feasible(solved.x[:-1], caps)


def stagewise(wrong: list[Mask], share: Vector) -> Vector:
    """Return the coefficients, of sum 1, of AdaBoost with these members and rounds."""
    errors, weight, votes = np.array(wrong, dtype=np.float64), share.copy(), np.zeros(len(wrong))
    for _ in wrong:
        error = errors @ weight
        best = int(np.argmin(error))
        if error[best] >= 0.5 - _CHANCE:
            break
        alpha = float(weight_of_error(error[best], 2, 1.0))
        votes[best] += alpha
        weight *= np.exp(alpha * errors[best])
        weight /= weight.sum()
    return votes / votes.sum()


def _heaviest(wrong: Mask, caps: Vector) -> Vector:
    """Return weights of sum 1, as large as their caps allow on misclassified rows."""
    most = float(caps[wrong].sum())
    if most >= 1.0:
        return np.where(wrong, caps / most, 0.0)
    return np.where(wrong, caps, caps * ((1.0 - most) / float(caps[~wrong].sum())))


def _simplex(coefficients: Vector) -> Vector:
    """Make the coefficients a share of the vote each, without those that are rounding."""
    share = np.maximum(0.0, coefficients)
    share = np.where(share > _UNUSED * share.sum(), share, 0.0)
    return share / share.sum()


def _feasible(weight: Vector, caps: Vector) -> Vector:
    """Bring weights that a tolerance let stray back between 0 and their caps, with a sum of 1."""
    inside = np.clip(weight, 0.0, caps)
    room, lacking = caps - inside, 1.0 - float(inside.sum())
    left = float(room.sum())
    if 0.0 < lacking < left:
        return inside + room * (lacking / left)
    return (
        inside / inside.sum()
    )  # too much, or with nu = 1 every weight at its cap but for rounding
