r"""The dual of a fitted machine, told on its own rows: both values, and every optimality condition.

With labels t_i, costs C_i and f(x) = <w, phi(x)> + b:

    primal       min  |w|^2 / 2 + sum_i C_i xi_i      s.t.  t_i f(x_i) >= 1 - xi_i,   xi_i >= 0

    Lagrangian   L = |w|^2 / 2 + sum_i C_i xi_i
                     + sum_i alpha_i (1 - xi_i - t_i f(x_i)) - sum_i mu_i xi_i,    alpha, mu >= 0

    dual         max  sum_i alpha_i - |w|^2 / 2       s.t.  w = sum_i alpha_i t_i phi(x_i),
                      0 <= alpha_i <= C_i,   sum_i alpha_i t_i = 0

because L is least over w where w = sum_i alpha_i t_i phi(x_i), has a least value over b only where
sum_i alpha_i t_i = 0, and over xi only where mu_i = C_i - alpha_i. At any such point with
xi_i = max(0, 1 - t_i f(x_i))

    primal - dual = sum_i alpha_i (t_i f(x_i) - 1 + xi_i) + sum_i (C_i - alpha_i) xi_i,

a sum of terms none of which is negative: the gap is 0 if and only if every one of them is, which is
complementary slackness. With C_i infinite, the hard margin, there are no xi_i. References: Cortes
and Vapnik, "Support-vector networks", Machine Learning 20, 1995; Boyd and Vandenberghe, "Convex
Optimization", 2004, section 5.5.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.certify import Certificate, Point, judge
from maxmargin.inputs.fitted import Fitted
from maxmargin.problems import BoxQP
from maxmargin.svm.kernel_classifier import has_unit_margin

Vector = NDArray[np.float64]
Index = NDArray[np.intp]
Words = NDArray[np.str_]

KINDS = ("outside", "on the margin", "inside or wrong")
PLACES = ("at 0", "between", "at C")

_AT_BOUND = 1e-9  # of C: a dual that was divided by a weight is off its bound by rounding


@dataclass(frozen=True)
class Condition:
    """One of the optimality conditions, and by how much which row breaks it most.

    Attributes
    ----------
    name : str
    formula : str
    worst : float
        The largest amount by which it fails; 0 where it holds exactly.
    row : int or None
        Where that is; None where it holds exactly, or is not about single rows.
    """

    name: str
    formula: str
    worst: float
    row: int | None = None

    def __str__(self) -> str:
        where = "" if self.row is None else f"  row {self.row}"
        return f"{self.name:24s} {self.formula:36s} {self.worst:8.1e}{where}"


@dataclass(frozen=True, eq=False, repr=False)
class DualExplanation:
    """What a machine's duals say of its rows; made by ``explain_dual``.

    Attributes
    ----------
    certificate : Certificate
        Of these duals, judged anew on the data; the primal value is that of the model's own b.
    rows : ndarray of shape (n,)
        The rows that are told of, all of positive weight; the arrays below are in their order.
    t : ndarray of shape (n,)
        Labels, -1 for the first class and +1 for the second.
    alpha : ndarray of shape (n,)
        The dual variables.
    cost : ndarray of shape (n,)
        Their upper bounds C_i, infinite for the hard margin.
    decision : ndarray of shape (n,)
        f(x_i) as a sum over the support vectors, evaluated anew in double precision.
    predicted : ndarray of shape (n,)
        f(x_i) as the model's ``decision_function`` has it.
    squared_norm : float
        |w|^2 in the feature space.
    intercept : float
        b, which is 0 where the kernel's own constant stands for it.
    coef : ndarray of shape (columns,) or None
        w itself, where the kernel is linear.
    free_bias : bool
        Whether b is free, so that sum_i alpha_i t_i = 0.
    tol : float
        How far from 1 a t_i f(x_i) counts as on the margin: the fit's tolerance.
    """

    certificate: Certificate
    rows: Index
    t: Vector
    alpha: Vector
    cost: Vector
    decision: Vector
    predicted: Vector
    squared_norm: float
    intercept: float
    coef: Vector | None
    free_bias: bool
    tol: float

    @property
    def primal(self) -> float:
        """|w|^2 / 2 + sum_i C_i xi_i; of the hard margin |w|^2 / 2 once all rows have their 1."""
        return self.certificate.primal

    @property
    def dual(self) -> float:
        """sum_i alpha_i - |w|^2 / 2."""
        return self.certificate.dual

    @property
    def gap(self) -> float:
        """Primal minus dual."""
        return self.certificate.gap

    @property
    def lagrangian(self) -> float:
        """L at this point; as mu_i = C_i - alpha_i, the slacks have left it."""
        return 0.5 * self.squared_norm + float(self.alpha @ (1.0 - self.margin))

    @cached_property
    def margin(self) -> Vector:
        """t_i f(x_i)."""
        return self.t * self.decision

    @cached_property
    def slack(self) -> Vector:
        """xi_i = max(0, 1 - t_i f(x_i)); 0 where the cost is infinite and allows none."""
        return np.where(np.isinf(self.cost), 0.0, np.maximum(0.0, 1.0 - self.margin))

    @property
    def mu(self) -> Vector:
        """The multipliers C_i - alpha_i of xi_i >= 0."""
        return self.cost - self.alpha

    @cached_property
    def kind(self) -> Words:
        """Where each row lies: "outside", "on the margin" or "inside or wrong"."""
        short = 1.0 - self.margin
        return np.select([short < -self.tol, short <= self.tol], KINDS[:2], KINDS[2])

    @cached_property
    def place(self) -> Words:
        """Where each alpha_i lies in its box: "at 0", "between" or "at C"."""
        at_bound = self.alpha >= (1.0 - _AT_BOUND) * self.cost
        return np.select([self.alpha == 0, ~at_bound], PLACES[:2], PLACES[2])

    @cached_property
    def conditions(self) -> tuple[Condition, ...]:
        """Every optimality condition (Karush, Kuhn and Tucker) with its worst row."""
        alpha, cost, slack, over = self.alpha, self.cost, self.slack, self.margin - 1.0
        spare = np.where(np.isinf(cost), 0.0, cost - alpha)
        total = abs(float(alpha @ self.t))
        of_rows = [
            ("stationary in w", "w = sum_i alpha_i t_i phi(x_i)", self.predicted - self.decision),
            ("primal feasible", "t_i f(x_i) >= 1 - xi_i, xi_i >= 0", np.minimum(over + slack, 0.0)),
            ("dual feasible", "0 <= alpha_i <= C_i", alpha - np.clip(alpha, 0.0, cost)),
            ("complementary", "alpha_i (t_i f(x_i) - 1 + xi_i) = 0", alpha * (over + slack)),
            ("complementary", "(C_i - alpha_i) xi_i = 0", spare * slack),
        ]
        found = [self._worst(name, formula, amounts) for name, formula, amounts in of_rows]
        if self.free_bias:
            found.insert(1, Condition("stationary in b", "sum_i alpha_i t_i = 0", total))
        return tuple(found)

    def _worst(self, name: str, formula: str, amounts: Vector) -> Condition:
        sizes = np.abs(amounts)
        worst = int(np.argmax(sizes))
        row = int(self.rows[worst]) if sizes[worst] > 0 else None
        return Condition(name, formula, float(sizes[worst]), row)

    def table(self, rows: Iterable[int] | None = None) -> str:
        """Write a line for each row: its dual, slack and margin, and what follows from them.

        Parameters
        ----------
        rows : iterable of int, optional
            Which of the data's rows; all when not given.

        Returns
        -------
        text : str
        """
        places = range(len(self.rows)) if rows is None else map(self._place_of, rows)
        head = (
            f"{'row':>5s}   t {'alpha':>9s} {'xi':>9s} {'t f(x)':>9s}  {'the row is':15s}  alpha is"
        )
        return "\n".join([head, *map(self._line, places)])

    def _place_of(self, row: int) -> int:
        found = np.flatnonzero(self.rows == row)
        if len(found) == 0:
            raise ValueError(
                f"Row {row} is none of the {len(self.rows)} that are told of; see `rows`."
            )
        return int(found[0])

    def _line(self, i: int) -> str:
        numbers = f"{self.alpha[i]:9.4f} {self.slack[i]:9.4f} {self.margin[i]:9.4f}"
        return f"{self.rows[i]:5d}  {self.t[i]:+.0f} {numbers}  {self.kind[i]:15s}  {self.place[i]}"

    def __repr__(self) -> str:
        values = f"primal {self.primal:.6g}  dual {self.dual:.6g}  gap {self.gap:.1e}"
        return "\n".join([
            f"{len(self.rows)} rows  {values}  {self.certificate.status.name}",
            *map(str, self.conditions),
            _counted("rows", self.kind, KINDS),
            _counted("alpha", self.place, PLACES),
        ])  # fmt: skip


def explain_dual(model: Any, X: Any, y: Any, sample_weight: Any = None) -> DualExplanation:
    """Explain a fitted machine's dual on its own data: values, conditions, and a table of rows.

    Nothing is solved: the model's duals are evaluated anew, in double precision, as by ``certify``,
    and told as the solution of what was fitted, whatever ``set_params`` has said since.

    Parameters
    ----------
    model : SVC, HardMarginSVC, SlackBudgetSVC, or a Pipeline or search that ends in one
        Fitted to two classes, with any kernel. A budget of slack is told as the ``SVC`` of its
        ``C_``.
    X, y, sample_weight
        The training data, as they were given to the pipeline.

    Returns
    -------
    explanation : DualExplanation
        Printed, it lists the conditions; ``table()`` lists the rows.

    Examples
    --------
    >>> from maxmargin import SVC, explain_dual
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [0, 0, 1, 1]
    >>> told = explain_dual(SVC(kernel="linear").fit(X, y), X, y)
    >>> print(told.table())
      row   t     alpha        xi    t f(x)  the row is       alpha is
        0  -1    0.0000    0.0000    2.0000  outside          at 0
        1  -1    0.5000    0.0000    1.0000  on the margin    between
        2  +1    0.5000    0.0000    1.0000  on the margin    between
        3  +1    0.0000    0.0000    2.0000  outside          at 0
    >>> round(told.primal, 6), round(told.dual, 6)
    (0.5, 0.5)
    """
    fitted = Fitted.of(model)
    model, X = fitted.model, fitted.rows(X)
    _refuse_others(model)
    ((rows, problem, point),) = model._evaluate_duals(X, y, sample_weight, "explain_dual")
    box = _penalised(problem, point)
    b = float(model._machine.intercepts[0]) - model._machine.offset * float(point.beta.sum())
    # The judge takes the b that the duals say; what is told is the model's own, once and for all.
    own = box.attained(point.beta, point.product, b)
    certificate = replace(judge(box, point, model.tol), primal=own)
    order = np.argsort(rows)
    predicted = np.asarray(model.decision_function(X), dtype=np.float64)
    # The machine's positive class is the first, the user's the second.
    return DualExplanation(
        certificate=certificate,
        rows=rows[order],
        t=-box.p[order],
        alpha=np.abs(point.beta)[order],
        cost=(box.upper - box.lower)[order],
        decision=-(point.product + b)[order],
        predicted=predicted[rows[order]],
        squared_norm=float(point.beta @ point.product),
        intercept=-b,
        coef=_weights(model),
        free_bias=box.bias,
        tol=max(float(model.tol), certificate.kkt_violation),
    )


def _refuse_others(model: Any) -> None:
    if not has_unit_margin(model):
        kind = type(model)
        raise TypeError(
            f"{kind.__module__.partition('._')[0]}.{kind.__name__} keeps no duals of a margin that "
            "can be told of: take maxmargin's SVC without approximate, HardMarginSVC or "
            "SlackBudgetSVC; SVC(kernel='linear') is a linear machine that has them."
        )
    classes = getattr(model, "classes_", ())
    if len(classes) > 2:
        raise ValueError(
            f"The model knows {len(classes)} classes, but a dual is told for 2: fit it to two of "
            "them."
        )


def _penalised(problem: Any, point: Point) -> BoxQP:
    """Return the penalised problem whose price the duals of a budget of slack imply."""
    if isinstance(problem, BoxQP):
        return problem
    box: BoxQP = problem.penalised(problem.multiplier(point.beta))
    return box


def _weights(model: Any) -> Vector | None:
    if not model._machine.seen.kernel.linear:
        return None
    return -np.asarray(model._machine.weights[0], dtype=np.float64)


def _counted(what: str, words: Words, order: tuple[str, ...]) -> str:
    counts = Counter(words.tolist())
    return f"{what}: " + ", ".join(f"{counts[word]} {word}" for word in order)
