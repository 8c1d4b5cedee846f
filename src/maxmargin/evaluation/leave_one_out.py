r"""Leave-one-out predictions; for kernel machines exact, and fast.

Every row is judged by a model of all others. In a kernel machine

    f(x) = sum_i beta_i k(x, x_i) + b

a row with beta_i = 0 in every problem is no part of the solution: it stays optimal without the row,
so that its leave-one-out value is the full model's (Vapnik, "Statistical Learning Theory", 1998,
section 10.4). Only support vectors need another fit, and each begins at the duals of the full
solution (DeCoste and Wagstaff, "Alpha seeding for support vector machines", KDD 2000). Where no
variable is free, the bias lies between two limits; the rows that set them are fitted again too.

What a model takes from all rows at once, gamma="scale" and class_weight="balanced", is taken from
all rows once: the models left out of are those with that gamma and those weights.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone, is_classifier

from maxmargin.evaluation.interval import Interval, clopper_pearson
from maxmargin.evaluation.rows import Rows, fit, takes_kernel_matrix
from maxmargin.ops.clock import watch
from maxmargin.ops.threads import Workers
from maxmargin.progress.lines import CountedLines
from maxmargin.solvers.memory import evaluate
from maxmargin.svm.classes import Reduction
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_fit import Learned, Recipe, complain, learn
from maxmargin.svm.training import Training, take

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

_SAME = 1e-9  # distances from the bias, next to it, that are rounding


@dataclass(frozen=True)
class LeftOut:
    """What models without a row say of that row, for every row.

    Attributes
    ----------
    predictions : ndarray of shape (n_samples,)
    decision : ndarray or None
        Decision values, of kernel classifiers: (n_samples,) for two classes, else a column a class.
    y : ndarray of shape (n_samples,)
        The true labels.
    refits : int
        How many fits that took, after the first to all rows.
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


def leave_one_out(
    model: Any,
    X: Any,
    y: Any,
    *,
    sample_weight: Any = None,
    callback: Callable[[int, int], object] | None = None,
    verbose: int = 0,
) -> LeftOut:
    """Predict every row by a model of all others.

    Parameters
    ----------
    model : classifier or regressor
        An ``SVC``, ``HardMarginSVC`` or ``SlackBudgetSVC`` is fitted again only for its support
        vectors. Everything else, pipelines around these included, is fitted once a row.
    X, y
        Rows in any container, and what to predict.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for fits.
    callback : callable, default=None
        Called with the number of fits done and of all fits.
    verbose : int, default=0
        Print what is done of what, the time and how much of it is left: 1 about
        once a second, 2 after every fit. With 0 these lines go to the log "maxmargin" alone.

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
    """
    rows = Rows.of(X, y, sample_weight=sample_weight)
    told = CountedLines("leave_one_out", verbose, callback)
    with watch():
        if isinstance(model, KernelClassifier) and model._by_recipe:
            return _of_kernel_machine(clone(model), rows, told)
        return _one_by_one(model, rows, told)


def _one_by_one(model: Any, rows: Rows, told: Callable[[int, int], object]) -> LeftOut:
    if is_classifier(model):
        _refuse_lonely(rows.y)
    everything, said = np.arange(len(rows)), []
    for i in everything:
        others, pairwise = np.delete(everything, i), takes_kernel_matrix(model)
        known, judged = rows.part(others, everything[i : i + 1], pairwise)
        said.append(fit(clone(model), known).predict(judged.X)[0])
        told(int(i) + 1, len(rows))
    return LeftOut(np.array(said), None, rows.y, len(rows))


def _of_kernel_machine(
    model: KernelClassifier, rows: Rows, told: Callable[[int, int], object]
) -> LeftOut:
    _refuse_lonely(rows.y if rows.weight is None else rows.y[rows.weight > 0])
    model._check_parameters()
    training = model._prepare(rows.X, rows.y, rows.weight)
    with watch(model.time_limit) as clock:
        recipe = model._recipe(clock, training.intercept)
        training = _stored(training, recipe)
        whole = learn(training, recipe)
        values = whole.machine.decide(training.X, np.asarray, recipe.n_jobs)
        places = np.flatnonzero(_matters(whole))
        certificates = list(whole.certificates)
        for done, place in enumerate(places, 1):
            row = int(whole.reduced.order[place])
            left = _without(training, recipe, whole, int(place))
            certificates += left.certificates
            values[row] = left.machine.decide(take(training.X, [row]), np.asarray, 1)[0]
            told(done, len(places))
    complain(certificates, {})
    numbers, decision = whole.machine.numbers(values), whole.machine.confidences(values)
    classes = training.classes
    return LeftOut(classes[numbers], decision, rows.y, len(places), classes)


def _stored(training: Training, recipe: Recipe) -> Training:
    """Evaluate the kernel matrix once for all fits, where there is room for it."""
    if len(training) ** 2 * training.gram.dtype.itemsize > recipe.memory:
        return training
    with Workers(recipe.n_jobs) as workers:
        return training.stored(evaluate(training.gram, workers))


def _matters(whole: Learned) -> NDArray[np.bool_]:
    """Tell which of the sorted rows have a part in some problem's solution."""
    reduced = whole.reduced
    duals = reduced.join_duals([each.point.beta for each in whole.solutions])
    found: NDArray[np.bool_] = np.asarray(duals.any(axis=0))
    for task, solution in zip(reduced.tasks, whole.solutions, strict=True):
        found[reduced.variables(task)] |= _sets_bias(task.problem, solution.point)
    return found


def _sets_bias(problem: Any, point: Any) -> NDArray[np.bool_]:
    """Tell which rows the bias is read off: those whose own b, F_i, is nearest to it.

    These are the free variables, which have a dual, or the rows at the limits, which may have none.
    """
    gradient = problem.p - point.product
    b = problem.intercept(point.beta, gradient)
    off = np.abs(gradient - b)
    return np.asarray(off <= off.min() + _SAME * (1.0 + abs(b)))


def _without(training: Training, recipe: Recipe, whole: Learned, place: int) -> Learned:
    """Fit again without one of the sorted rows, from what is left of the duals."""
    reduced = whole.reduced
    weight = np.ones(len(training)) if training.weight is None else training.weight.copy()
    weight[reduced.order[place]] = 0.0  # rows without weight are left out
    rest = replace(training, weight=weight)
    duals = reduced.join_duals([each.point.beta for each in whole.solutions])
    left: Reduction = recipe.reduce(rest)
    fewer = np.delete(duals, place, axis=1)
    return learn(rest, recipe, [left.part_duals(fewer, task) for task in left.tasks])


def _refuse_lonely(y: NDArray[Any]) -> None:
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"Class {classes.tolist()[counts.argmin()]!r} has one row: without it there is nothing"
            " to learn the class from; leave the class out, or use folds."
        )
