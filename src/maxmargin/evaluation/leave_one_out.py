r"""Leave-one-out predictions; for kernel machines exact, and fast.

Every row is judged by a model of all others. In a kernel machine

    f(x) = sum_i beta_i k(x, x_i) + b

a row with beta_i = 0 in every problem is no part of the solution: it stays optimal without the row,
so that its leave-one-out value is the full model's (Vapnik, "Statistical Learning Theory", 1998,
section 10.4). Only support vectors need another fit, and each begins at the duals of the full
solution (DeCoste and Wagstaff, "Alpha seeding for support vector machines", KDD 2000). Where no
variable is free, the bias lies between two limits; the rows that set them are fitted again too.

That holds where the problem of the other rows is that of all rows less one variable. It does not

- of estimators whose problem depends on how many rows there are, as that of nu does: only those
  that declare ``_row_by_row`` are taken, all others are fitted once a row;
- of a kernel or class weights that the rows decide, as gamma="scale" and class_weight="balanced"
  do: where leaving a row out changes them, the others are fitted again with their own.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from maxmargin.evaluation.interval import Interval, clopper_pearson
from maxmargin.evaluation.rows import EvaluationRows, fit, takes_kernel_matrix
from maxmargin.ops.clock import watch
from maxmargin.ops.threads import Workers
from maxmargin.progress.lines import CountedLines
from maxmargin.solvers.kernel_values.memory import evaluate
from maxmargin.solvers.run import warn_not_converged
from maxmargin.svm.classes import Reduction
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Learned, Recipe, learn
from maxmargin.svm.training import Training, named_columns, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_SAME = 1e-9  # distances from the bias, next to it, that are rounding


@dataclass(frozen=True)
class LeftOut:
    """Leave-one-out predictions: for every row, that of a model fitted to all others.

    Attributes
    ----------
    predictions : ndarray of shape (n_samples,)
    decision : ndarray or None
        Decision values, of kernel classifiers: (n_samples,) for two classes, else a column a class.
    y : ndarray of shape (n_samples,)
        The true labels.
    refits : int
        Number of fits after the first one to all rows.
    classes : ndarray or None
        The labels in the order of the columns of ``decision``.
    """

    predictions: NDArray[Any] = field(repr=False)
    decision: Vector | None = field(repr=False)
    y: NDArray[Any] = field(repr=False)
    refits: int
    classes: NDArray[Any] | None = field(default=None, repr=False)

    @property
    def right(self) -> NDArray[np.bool_]:
        """Which rows are classified correctly."""
        return np.asarray(self.predictions == self.y)

    @property
    def accuracy(self) -> Interval:
        """The share of rows that are classified correctly.

        The interval takes rows as independent, which their models are not quite.
        """
        return clopper_pearson(int(self.right.sum()), len(self.y))

    def __str__(self) -> str:
        if self.y.dtype.kind == "f":
            error = float(np.sqrt(np.mean(np.square(self.predictions - self.y))))
            said = f"root mean squared error {error:.4g}"
        else:
            said = f"accuracy {np.mean(self.right):.3f}"
        return (
            f"{said} over {len(self.y):,} rows left out, {self.refits:,} of them by fitting again"
        )


def leave_one_out(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    callback: Callable[[int, int], object] | None = None,
    verbose: int = 0,
) -> LeftOut:
    """Predict every row with a model fitted to all others.

    Parameters
    ----------
    model : classifier or regressor
        An ``SVC``, ``HardMarginSVC`` or ``SlackBudgetSVC`` is fitted again only for its support
        vectors, if its kernel and class weights do not depend on the rows: with a number as
        ``gamma`` and without ``class_weight="balanced"``. Everything else, pipelines around these
        included, is fitted once a row.
    X, y
        Rows in any container, and targets.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for fits.
    callback : callable, default=None
        Called with the number of fits done and of all fits.
    verbose : int, default=0
        Print progress, the elapsed time and the time left: 1 about once a second, 2 after every
        fit. With 0 these lines go only to the logger "maxmargin".

    Returns
    -------
    LeftOut

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_heart
    >>> heart = load_heart()
    >>> X = (heart.data - heart.data.mean(axis=0)) / heart.data.std(axis=0)
    >>> found = leave_one_out(SVC(kernel="linear", C=0.05), X, heart.target)
    >>> found.refits < len(X) / 2
    True
    >>> leave_one_out(SVC(), X, heart.target).refits == len(X)  # gamma="scale" is another each time
    True
    """
    rows = EvaluationRows.of(X, y, sample_weight=sample_weight)
    report = CountedLines("leave_one_out", verbose, callback)
    with watch():
        if keeps_its_solution(model):
            return _of_kernel_machine(clone(model), rows, report)
        return _one_by_one(model, rows, report)


def keeps_its_solution(model: Any) -> bool:
    """Return whether a model's solution stays what it is without a row that has no part in it."""
    return isinstance(model, KernelClassifier) and model._by_recipe and model._row_by_row


def _one_by_one(model: Any, rows: EvaluationRows, report: Callable[[int, int], object]) -> LeftOut:
    if is_classifier(model):
        _refuse_lonely(rows.y)
    everything, said = np.arange(len(rows)), []
    for i in everything:
        others, pairwise = np.delete(everything, i), takes_kernel_matrix(model)
        known, judged = rows.part(others, everything[i : i + 1], pairwise)
        said.append(fit(clone(model), known).predict(judged.X)[0])
        report(int(i) + 1, len(rows))
    return LeftOut(np.array(said), None, rows.y, len(rows))


def _of_kernel_machine(
    model: KernelClassifier, rows: EvaluationRows, report: Callable[[int, int], object]
) -> LeftOut:
    _refuse_lonely(rows.y if rows.weight is None else rows.y[rows.weight > 0])
    model._check_parameters()
    training = model._prepare(rows.X, rows.y, rows.weight)
    with watch(model.time_limit) as clock:
        recipe = model._recipe(clock, training.intercept)
        left = _LeftOut(model, rows, training, _stored(training, recipe), recipe)
        values = left.whole.machine.decide(training.X, np.asarray, recipe.n_jobs)
        again = [(i, rest) for i in range(len(rows)) if (rest := left.changed_by(i)) is not None]
        certificates = list(left.whole.certificates)
        for done, (i, rest) in enumerate(again, 1):
            learned = left.learn(i, rest)
            certificates += learned.certificates
            values[i] = learned.machine.decide(take(training.X, [i]), np.asarray, 1)[0]
            report(done, len(again))
    warn_not_converged(certificates, {})
    machine, classes = left.whole.machine, training.classes
    numbers, decision = machine.numbers(values), machine.confidences(values)
    return LeftOut(classes[numbers], decision, rows.y, len(again), classes)


@dataclass(frozen=True)
class _Without:
    """What the rows decide when one of them is missing."""

    kernel: Any
    class_weight: Vector


class _LeftOut:
    """The fit to all rows, and those to all rows but one."""

    def __init__(
        self,
        model: KernelClassifier,
        rows: EvaluationRows,
        training: Training,
        stored: Training,
        recipe: Any,
    ) -> None:
        self._model, self._rows, self._recipe = model, rows, recipe
        self._training, self._stored = training, stored
        self.whole = learn(stored, recipe)
        reduced = self.whole.reduced
        self._duals = reduced.join_duals([each.point.beta for each in self.whole.solutions])
        self._places = dict(zip(reduced.order.tolist(), range(len(reduced.order)), strict=True))
        self._matters = _matters(self.whole)
        self._asked = model._kernel()
        self._decides = self._asked.resolved(named_columns(rows.X, training.X)) != self._asked

    def changed_by(self, i: int) -> _Without | None:
        """Compute the decision without one of the rows; None if the solution does not change."""
        rest = self._without(i)
        place = self._places.get(i)
        kept = place is None or not self._matters[place]
        return None if kept and self._same(rest) else rest

    def _same(self, rest: _Without) -> bool:
        same_kernel = rest.kernel == self._training.seen.kernel
        return same_kernel and np.array_equal(rest.class_weight, self._training.class_weight)

    def _without(self, i: int) -> _Without:
        training, others = self._training, np.delete(np.arange(len(self._rows)), i)
        if not (self._decides or isinstance(self._model.class_weight, str)):
            return _Without(training.seen.kernel, training.class_weight)
        some = self._rows.take(others)
        weighed = self._model._check_labels(some.y, some.weight)
        kernel = training.seen.kernel
        if self._decides:
            X = named_columns(some.X, take(training.X, others))
            kernel = self._asked.resolved(X, weighed.weight)
        return _Without(kernel, weighed.class_weight)

    def learn(self, i: int, rest: _Without) -> Learned:
        """Fit to the other rows, from what is left of the duals of all."""
        training = self._stored
        if rest.kernel != training.seen.kernel:
            seen = replace(training.seen, kernel=rest.kernel)
            training = replace(training, seen=seen, gram=seen.gram(training.X, training.offset))
        weight = np.ones(len(training)) if training.weight is None else training.weight.copy()
        weight[i] = 0.0  # rows without weight are left out
        training = replace(training, weight=weight, class_weight=rest.class_weight)
        left: Reduction = self._recipe.reduce(training)
        fewer = self._duals
        if i in self._places:
            fewer = np.delete(fewer, self._places[i], axis=1)
        return learn(training, self._recipe, [left.part_duals(fewer, task) for task in left.tasks])


def _stored(training: Training, recipe: Recipe) -> Training:
    """Evaluate the kernel matrix once for all fits, where there is room for it."""
    if len(training) ** 2 * training.gram.dtype.itemsize > recipe.memory:
        return training
    with Workers(recipe.n_jobs) as workers:
        return training.stored(evaluate(training.gram, workers))


def _matters(whole: Learned) -> NDArray[np.bool_]:
    """Return which of the sorted rows are support vectors of some problem."""
    reduced = whole.reduced
    duals = reduced.join_duals([each.point.beta for each in whole.solutions])
    found: NDArray[np.bool_] = np.asarray(duals.any(axis=0))
    for task, solution in zip(reduced.tasks, whole.solutions, strict=True):
        found[reduced.variables(task)] |= _sets_bias(task.problem, solution.point)
    return found


def _sets_bias(problem: Any, point: Any) -> NDArray[np.bool_]:
    """Return the rows that determine the bias: those whose F_i is nearest to it.

    These are the free variables, which have a dual, or the rows at the limits, which may have none.
    """
    gradient = problem.p - point.product
    b = problem.intercept(point.beta, gradient)
    off = np.abs(gradient - b)
    return np.asarray(off <= off.min() + _SAME * (1.0 + abs(b)))


def _refuse_lonely(y: NDArray[Any]) -> None:
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"Class {classes.tolist()[counts.argmin()]!r} has one row: without it there is nothing"
            " to learn the class from; leave the class out, or use folds."
        )
