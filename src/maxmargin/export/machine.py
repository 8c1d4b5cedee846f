"""Kernel machines and linear models as tensors."""

from __future__ import annotations

from itertools import combinations, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin import losses
from maxmargin.export import kernel as kernels
from maxmargin.export.error import refuse
from maxmargin.export.registry import as_matrix, convert, converts, transforms
from maxmargin.export.result import Additive, Classes, Quantity, Result, by_sign
from maxmargin.export.tensor import Tensor, expit, softmax
from maxmargin.kernels import FourierFeatures, Nystroem
from maxmargin.kernels.base import Takes
from maxmargin.svm.calibration import ProbabilityMixin
from maxmargin.svm.decision import _wins
from maxmargin.svm.discriminant import KernelDiscriminant
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_machine_classifier import KernelMachineClassifier
from maxmargin.svm.kernel_machine_regressor import KernelMachineRegressor
from maxmargin.svm.kernel_regressor import KernelRegressor
from maxmargin.svm.linear_model import LinearModel
from maxmargin.svm.linear_svr import LinearSVR
from maxmargin.svm.machine import KernelMachine
from maxmargin.svm.one_class import OneClassSVM
from maxmargin.svm.search_cv import SearchCV

Matrix = NDArray[np.float64]


def dense(X: Any) -> Matrix:
    """Return rows as an array of float64.

    Parameters
    ----------
    X : array-like or sparse matrix

    Returns
    -------
    ndarray
    """
    return np.asarray(X.toarray() if sparse.issparse(X) else X, dtype=np.float64)


def machine_values(machine: KernelMachine, X: Tensor) -> Tensor:
    """Return the value of every problem of a machine, of shape (rows, problems).

    Parameters
    ----------
    machine : KernelMachine
    X : Tensor

    Returns
    -------
    Tensor
    """
    view = machine.seen
    if view.kernel.takes is Takes.MATRIX or machine.everything is not None:
        raise refuse(view.kernel, "it needs kernel values with the training rows")
    moved = X if view.shift is None else X - np.asarray(view.shift, np.float64)[None]
    if view.kernel.linear:
        return moved @ np.ascontiguousarray(machine.weights.T) + machine.intercepts[None]
    if not len(machine.rows):
        return X.filled(np.float64(0.0), 1) * 0.0 + machine.intercepts[None]
    try:
        support = dense(view.moved(machine.support))
    except (TypeError, ValueError):
        raise refuse(view.kernel, "it compares no rows of numbers") from None
    K = kernels.values(view.kernel, moved, support)
    return K @ _weights(machine) + machine.intercepts[None]


def _weights(machine: KernelMachine) -> Matrix:
    """Return the coefficient of each support vector in each problem."""
    if not machine.by_pairs:
        return np.ascontiguousarray(machine.coefficients.T)
    edges = [*pairwise(np.cumsum([0, *machine.counts]).tolist())]
    pairs = [*combinations(range(machine.n_classes), 2)]
    W = np.zeros((len(machine.rows), len(pairs)))
    for column, (i, j) in enumerate(pairs):
        for (low, high), line in ((edges[i], j - 1), (edges[j], i)):
            W[low:high, column] = machine.coefficients[line, low:high]
    return W


def _votes(first_wins: Tensor, count: int) -> Tensor:
    gain, second = _wins(count)
    return first_wins.as_kind("number") @ gain + second[None]


def one_value_a_class(values: Tensor, count: int) -> Tensor:
    """Return votes of pairs, with ties broken by their values.

    Parameters
    ----------
    values : Tensor
        (rows, pairs), positive for the first class of a pair.
    count : int
        Classes.

    Returns
    -------
    Tensor
    """
    return _votes(values >= 0.0, count) + squeezed(values, count)


def squeezed(values: Tensor, count: int) -> Tensor:
    """Return the summed values of each class's pairs, within (-1/3, 1/3).

    Parameters
    ----------
    values : Tensor
    count : int

    Returns
    -------
    Tensor
    """
    total = values @ _wins(count)[0]
    return total / (3.0 * (total.abs() + 1.0))


@converts(KernelClassifier)
def _kernel_classifier(model: Any, X: Any) -> Result:
    machine, count = model._machine, len(model.classes_)
    values = machine_values(machine, as_matrix(X))
    if not machine.by_pairs:
        return by_sign(values, model.classes_)
    if model.break_ties and count > 2:
        number = one_value_a_class(values, count).argmax()
    else:
        number = _votes(values > 0.0, count).argmax()
    decision = -values if count == 2 else one_value_a_class(values, count)
    probability = _tempered(model, decision, number, count)
    if count > 2 and model.decision_function_shape == "ovo":
        decision = values
    additive = _of_linear(-machine.weights, -machine.shifted_intercepts(), X, machine)
    return Classes(number, model.classes_, decision, probability, additive)


def _of_linear(weights: Any, intercepts: Any, X: Any, machine: Any = None) -> Additive | None:
    """Return what each column adds to a linear decision of two classes."""
    if machine is not None and not machine.seen.kernel.linear:
        return None
    if len(weights) != 1:
        return None
    parts = as_matrix(X) * np.asarray(weights, np.float64)
    names = tuple(f"x{j}" for j in range(weights.shape[1]))
    return Additive(parts, names, float(np.ravel(intercepts)[0]))


def _tempered(model: Any, decision: Tensor, number: Tensor, count: int) -> Tensor | None:
    """Return the softmax at the model's temperature; the predicted class is the likeliest."""
    temperature = getattr(model, "_temperature", None)
    if not isinstance(model, ProbabilityMixin) or temperature is None:
        return None
    z = decision.filled(np.float64(0.0), 1).beside(decision) if count == 2 else decision
    p = softmax(z / float(temperature))
    places = np.arange(count)[None]
    likeliest = p.argmax().shaped(-1, 1).equals(places)
    predicted = number.shaped(-1, 1).equals(places)
    zero = np.float64(0.0)
    largest, own = likeliest.where(p, zero).sum(), predicted.where(p, zero).sum()
    return predicted.where(largest, likeliest.where(own, p))


@converts(KernelMachineClassifier)
def _kernel_loss(model: Any, X: Any) -> Result:
    machine = model._machine
    values = machine_values(machine, as_matrix(X))
    decision = -values if machine.by_pairs else values
    found = class_probabilities(model._as_fitted()._loss(), decision, len(model.classes_))
    return by_sign(decision, model.classes_, probability=found)


def class_probabilities(loss: Any, values: Tensor, count: int) -> Tensor | None:
    """Return probabilities of decision values, if the loss defines them.

    Parameters
    ----------
    loss : Loss
    values : Tensor
        (rows, 1) or (rows, classes).
    count : int
        Classes.

    Returns
    -------
    Tensor or None
    """
    if loss.name in ("logistic", "exponential"):
        p = expit(values if loss.name == "logistic" else values * 2.0)
    elif loss.name in ("squared", "squared_hinge", "modified_huber"):
        p = ((values + 1.0) * 0.5).clip(0.0, 1.0)
    else:
        return None
    if count == 2:
        return (1.0 - p).beside(p)
    total = p.sum()
    positive = total > 0.0
    share = p / positive.where(total, np.float64(1.0))
    return positive.where(share, np.float64(1.0 / count))


@converts(KernelRegressor)
def _kernel_regressor(model: Any, X: Any) -> Result:
    values = machine_values(model._machine, as_matrix(X))
    if isinstance(model, KernelMachineRegressor):
        return Quantity(respond(model._as_fitted()._loss(), values))
    machine = model._machine
    return Quantity(
        values,
        _of_linear(machine.weights, machine.shifted_intercepts(), X, machine)
        if machine.seen.kernel.linear
        else None,
    )


def respond(loss: Any, values: Tensor) -> Tensor:
    """Return what a loss predicts at a value.

    Parameters
    ----------
    loss : Loss
    values : Tensor

    Returns
    -------
    Tensor
    """
    probe = np.array([-1.5, 0.25, 2.0])
    said = loss.response(probe)
    if np.array_equal(said, probe):
        return values
    if np.allclose(said, np.exp(probe), rtol=1e-14):
        return values.exp()
    raise refuse(loss, "its predictions are another function of its values")


@converts(OneClassSVM)
def _one_class(model: Any, X: Any) -> Result:
    values = machine_values(model._machine, as_matrix(X))
    number = (values >= 0.0).as_kind("place").shaped(-1)
    return Classes(number, np.array([-1, 1]), values)


@converts(KernelDiscriminant)
def _discriminant(model: Any, X: Any) -> Result:
    Z = machine_values(model._machine, as_matrix(X))
    means = np.asarray(model.means_, np.float64)
    inner = Z @ np.ascontiguousarray(means.T) - 0.5 * np.square(means).sum(axis=1)[None]
    with np.errstate(divide="ignore"):
        prior = np.log(np.asarray(model.priors_, np.float64))
    values = inner * float(model._total) + prior[None]
    two = len(model.classes_) == 2
    decision = values.take([1]) - values.take([0]) if two else values
    return Classes(values.argmax(), model.classes_, decision, softmax(values))


@converts(LinearModel)
def _linear_classifier(model: Any, X: Any) -> Result:
    weights, bias = dense(model.coef_), np.broadcast_to(model.intercept_, len(model.coef_))
    values = as_matrix(X) @ np.ascontiguousarray(weights.T) + np.asarray(bias, np.float64)[None]
    loss, count = losses.named(model.loss), len(model.classes_)
    proper = hasattr(model, "predict_proba")
    found = class_probabilities(loss, values, count) if proper else None
    parts = _of_linear(weights, bias, X)
    return by_sign(values, model.classes_, probability=found, additive=parts)


@converts(LinearSVR)
def _linear_regressor(model: Any, X: Any) -> Result:
    weights = np.atleast_2d(dense(model.coef_))
    bias = np.ravel(np.asarray(model.intercept_, np.float64))
    values = as_matrix(X) @ np.ascontiguousarray(weights.T) + bias[None]
    return Quantity(values, _of_linear(weights, bias, X))


@converts(SearchCV)
def _searched(model: Any, X: Any) -> Result:
    return convert(model.best_estimator_, X)


@transforms(Nystroem)
def _nystroem(step: Any, X: Any) -> Tensor:
    moved = as_matrix(X)
    rows = dense(step.components_)
    if step._shift is not None:
        shift = np.asarray(step._shift, np.float64)
        moved, rows = moved - shift[None], rows - shift
    K = kernels.values(step._kernel, moved, rows)
    return K @ np.ascontiguousarray(step.normalization_.T, np.float64)


@transforms(FourierFeatures)
def _fourier(step: Any, X: Any) -> Tensor:
    weights, offset = dense(step.random_weights_), dense(step.random_offset_)
    angles = as_matrix(X) @ weights + offset[None]
    return angles.cos() * float(np.sqrt(2.0 / len(offset)))
