"""The weights of a model on the features of its kernel: w = sum_i beta_i phi(x_i).

f(x) = <w, phi(x)> + b says what each feature adds; of a kernel of strings the features are
substrings, so the largest weights are the most telling substrings.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline
from sklearn.utils.validation import check_is_fitted

from maxmargin.kernels.base import Takes
from maxmargin.svm.kernel_classifier import KernelClassifier

_REST = "the others"


@dataclass(frozen=True, eq=False)
class FeatureWeights:
    """A weight for each feature.

    Attributes
    ----------
    names : ndarray of str
        What the features are.
    values : ndarray of float
        Their weights: positive ones speak for ``towards``, negative ones for ``against``.
    against, towards : object
        The two classes; ``against`` may be all others together.
    """

    names: NDArray[Any]
    values: NDArray[np.float64]
    against: Any
    towards: Any

    def largest(self, count: int = 10) -> NDArray[np.intp]:
        """Choose the features with the largest weights, half of them each way, in their order."""
        order = np.argsort(self.values, kind="stable")
        below, above = order[self.values[order] < 0], order[self.values[order] > 0]
        half = count // 2
        return np.concatenate([below[:half], above[::-1][: count - half][::-1]])


def feature_weights(model: Any, classes: Any = None) -> FeatureWeights:
    """Return the weights of a linear machine in the feature space of its kernel.

    Parameters
    ----------
    model : SVC, or a Pipeline that ends in a linear model
        Fitted. An SVC of a kernel whose features can be written out, such as ``Spectrum(3)``; or
        steps that name their features, such as ``Spectrum(3).features()``, before a model with
        ``coef_``.
    classes : object or pair of objects, optional
        Of more than two classes, which one against the others, or which two of an SVC that
        compares pairs.

    Returns
    -------
    FeatureWeights
        With ``names`` and ``values``.

    Examples
    --------
    >>> from maxmargin import SVC, feature_weights
    >>> from maxmargin.kernels import Spectrum
    >>> model = SVC(kernel=Spectrum(2)).fit(["aab", "ab", "bba", "bb"], [1, 1, 0, 0])
    >>> found = feature_weights(model)
    >>> [str(name) for name in found.names[found.largest(2)]]
    ['bb', 'ab']
    """
    check_is_fitted(model)
    model = getattr(model, "best_estimator_", model)
    if isinstance(model, KernelClassifier):
        return _of_kernel(model, classes)
    last = model[-1] if isinstance(model, Pipeline) else model
    last = getattr(last, "best_estimator_", last)
    if isinstance(last, KernelClassifier) or not hasattr(last, "coef_"):
        raise TypeError(
            f"{type(last).__name__} has no weights on named features; give an SVC of a kernel with "
            "features, or a pipeline of such features and a linear model."
        )
    return _chosen(_names(model, last), last.coef_, last.classes_, False, classes)


def _of_kernel(model: KernelClassifier, classes: Any) -> FeatureWeights:
    machine = model._machine
    kernel = machine.seen.kernel
    if kernel.takes is Takes.MATRIX:
        raise TypeError(f"{type(model).__name__} of a precomputed matrix has no features.")
    try:
        phi, names = kernel._features(machine.prepared), kernel._feature_names(machine.prepared)
    except ValueError as error:
        raise TypeError(f"{type(model).__name__} has no weights on features: {error}") from None
    pairs = machine.by_pairs
    weights = machine.weights_of(phi)
    weights = -weights if pairs else weights
    return _chosen(names, weights, model.classes_, pairs and len(model.classes_) > 2, classes)


def _names(model: Any, last: Any) -> Any:
    if isinstance(model, Pipeline) and len(model) > 1:
        return model[:-1].get_feature_names_out()
    usual = [f"x{j}" for j in range(np.shape(last.coef_)[-1])]
    return getattr(last, "feature_names_in_", usual)


def _chosen(
    names: Any, weights: Any, known: NDArray[Any], pairs: bool, classes: Any
) -> FeatureWeights:
    """Take the line of one problem, and say for whom its signs speak."""
    weights, labels = np.atleast_2d(weights), known.tolist()
    names = np.asarray(names, dtype=object)
    if len(labels) == 2 and len(weights) == 1:
        return FeatureWeights(names, weights[0], *labels)
    if not pairs:
        line = _place(classes, labels)
        return FeatureWeights(names, weights[line], _REST, labels[line])
    if not isinstance(classes, tuple | list) or len(classes) != 2:
        raise ValueError(f"{len(labels)} classes are compared in pairs; give classes=(one, other).")
    i, j = (_place(each, labels) for each in classes)
    problems = [(a, b) for a in range(len(labels)) for b in range(a + 1, len(labels))]
    line = problems.index((min(i, j), max(i, j)))
    return FeatureWeights(names, (1 if i < j else -1) * weights[line], *classes)


def _place(label: Any, labels: list[Any]) -> int:
    if label is None:
        raise ValueError(
            f"{len(labels)} classes are each told from the rest; give classes={labels[0]!r}, or "
            "another one."
        )
    if label not in labels:
        raise ValueError(f"There is no class {label!r} to choose; the model has {labels}.")
    return labels.index(label)
