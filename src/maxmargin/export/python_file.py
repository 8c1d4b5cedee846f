"""Small models as a Python file without imports."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import Pipeline

from maxmargin.boosting.additive_model import AdditiveModel
from maxmargin.boosting.vote import WeightedVote
from maxmargin.export.error import refuse
from maxmargin.glass_box.classifier import GlassBoxClassifier
from maxmargin.glass_box.model import GlassBoxModel
from maxmargin.glass_box.scorecard import Scorecard
from maxmargin.svm.kernel_classifier import KernelClassifier
from maxmargin.svm.kernel_regressor import KernelRegressor
from maxmargin.svm.linear_model import LinearEstimator
from maxmargin.svm.search_cv import SearchCV
from maxmargin.trees.stump_ensemble import StumpEnsemble

_MOST = 100_000  # numbers of a file that a person may still open

_HEAD = '''"""A {kind} as plain Python, written by maxmargin. It needs no package.

{columns}
A value of None or NaN is missing.
"""

NAMES = {names}
{classes}

def _value(row, place):
    """Return a value of a row, None if it is missing."""
    value = row[NAMES[place]] if isinstance(row, dict) else row[place]
    return None if value is None or value != value else value

'''
_LINEAR = '''
WEIGHTS = {weights}
CONSTANTS = {constants}


def decide(row):
    """Return the decision values of a row, a list."""
    values = [_value(row, place) for place in range(len(NAMES))]
    return [
        sum(w * x for w, x in zip(line, values)) + constant
        for line, constant in zip(WEIGHTS, CONSTANTS)
    ]

'''
_SUM = '''
# (place, threshold or None, categories that go right, known categories, right if missing)
QUESTIONS = {questions}
# Of each function: what it begins with, and what each question's two answers add.
FUNCTIONS = {functions}
FACTOR, OFFSET = {factor}, {offset}


def _right(row, question):
    """Return whether a row goes to the right."""
    place, threshold, right, known, missing = question
    if place is None:
        return False
    value = _value(row, place)
    if threshold is not None:
        return missing if value is None else value > threshold
    return value in right if value in known else missing


def decide(row):
    """Return the decision values of a row, a list."""
    sides = [_right(row, question) for question in QUESTIONS]
    values = []
    for begin, added in FUNCTIONS:
        total = begin
        for side, (low, high) in zip(sides, added):
            total += high if side else low
        values.append(total * FACTOR + OFFSET)
    return values

'''
_BOX = '''
# Of each column: the numbers between its bins, or the bin of each category and of unknown ones.
CUTS = {cuts}
# (columns, the coarser bins of a pair, values of each function)
TERMS = {terms}
CONSTANTS = {constants}


def _bin(row, place):
    """Return the bin of a row in a column."""
    value, (cuts, bins, unknown) = _value(row, place), CUTS[place]
    if value is None:
        return 0
    if cuts is not None:
        return 1 + sum(value > cut for cut in cuts)
    return bins.get(value, unknown)


def decide(row):
    """Return the decision values of a row, a list."""
    values = list(CONSTANTS)
    for columns, coarse, tables in TERMS:
        at = [_bin(row, column) for column in columns]
        if coarse:
            at = [of[place] for of, place in zip(coarse, at)]
        for number, table in enumerate(tables):
            found = table[at[0]] if len(at) == 1 else table[at[0]][at[1]]
            values[number] += found
    return values

'''
_CLASSES = '''
def predict(row):
    """Return the class of a row: a list of values, or a dict by names."""
    values = decide(row)
    if len(CLASSES) == 2:
        return CLASSES[values[0] > 0]
    return CLASSES[values.index(max(values))]
'''
_NUMBER = '''
def predict(row):
    """Return the predicted number of a row: a list of values, or a dict by names."""
    return {answer}
'''
_CARD = '''
def points(row):
    """Return the points of a row, which add up to its score."""
    return decide(row)[0]


def predict(row):
    """Return the decision value that the points of a row stand for."""
    return {constant} + points(row) / {factor}
'''


def write(model: Any) -> str:
    """Return the text of a file; ``to_python`` documents it.

    Parameters
    ----------
    model : estimator

    Returns
    -------
    str
    """
    model = _unwrapped(model)
    for kind, writer in _WRITERS:
        if isinstance(model, kind):
            return _checked(model, writer(model))
    raise refuse(model, "only linear models, sums of stumps, glass boxes and scorecards are short")


def _unwrapped(model: Any) -> Any:
    """Return what decides: a search's best model, the only step of a pipeline."""
    if isinstance(model, dict) and "pipeline" in model:
        return _unwrapped(model["pipeline"])
    if hasattr(model, "pipeline") and hasattr(model, "schema"):  # of a job
        return _unwrapped(model.pipeline)
    if isinstance(model, SearchCV | GridSearchCV):
        return _unwrapped(model.best_estimator_)
    if isinstance(model, Pipeline) and len(model.steps) == 1:
        return _unwrapped(model.steps[0][1])
    if hasattr(model, "calibration") and getattr(model, "threshold", 0.0) is None:
        return _unwrapped(model.model)
    return model


def _checked(model: Any, text: str) -> str:
    if text.count(",") > _MOST:
        raise refuse(model, f"a file of more than {_MOST:,} numbers is for ONNX")
    return text


def _head(model: Any, count: int) -> str:
    names = getattr(model, "feature_names_in_", None)
    names = [f"x{j}" for j in range(count)] if names is None else [str(name) for name in names]
    classes = getattr(model, "classes_", None)
    said = "" if classes is None else f"CLASSES = {plain(np.asarray(classes).tolist())}\n"
    columns = f"predict(row) takes the values of {len(names)} columns in order, or a dict."
    return _HEAD.format(
        kind=type(model).__name__, columns=columns, names=plain(names), classes=said
    )


def plain(value: Any) -> str:
    """Return a literal of lists, numbers and texts that Python reads without names.

    Parameters
    ----------
    value : object

    Returns
    -------
    str
    """
    if isinstance(value, float) and not math.isfinite(value):
        return f"float({str(value)!r})"
    if isinstance(value, dict):
        return "{" + ", ".join(f"{plain(k)}: {plain(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        inner = ", ".join(map(plain, value))
        return f"[{inner}]" if isinstance(value, list) else f"({inner}{',' * (len(value) == 1)})"
    if value is None or type(value) in (bool, int, float, str):
        return repr(value)
    raise refuse(value, "a literal of it needs an import")


def _number(model: Any) -> str:
    loss = getattr(model, "_loss", None)
    answer = "decide(row)[0]"
    if loss is not None and hasattr(loss(), "response"):
        probe = np.array([-1.0, 2.0])
        said = loss().response(probe)
        if np.allclose(said, np.exp(probe)):
            answer = f"{math.e!r} ** decide(row)[0]"
        elif not np.array_equal(said, probe):
            raise refuse(loss(), "its predictions are another function of its values")
    return _NUMBER.format(answer=answer)


def _linear(model: Any) -> str:
    weights, constants = _weights(model)
    if weights is None:
        raise refuse(model._machine.seen.kernel, "only linear machines are short")
    body = _LINEAR.format(weights=plain(weights.tolist()), constants=plain(constants.tolist()))
    end = _CLASSES if hasattr(model, "classes_") else _NUMBER.format(answer="decide(row)[0]")
    return _head(model, weights.shape[1]) + body + end


def _weights(model: Any) -> tuple[Any, Any]:
    if isinstance(model, LinearEstimator):
        coef = model.coef_.toarray() if hasattr(model.coef_, "toarray") else model.coef_
        weights = np.atleast_2d(np.asarray(coef, np.float64))
        return weights, np.array(np.broadcast_to(model.intercept_, len(weights)), np.float64)
    machine = model._machine
    if not machine.seen.kernel.linear or (machine.by_pairs and machine.n_classes > 2):
        return None, None
    sign = -1.0 if machine.by_pairs else 1.0
    return sign * machine.weights, sign * machine.shifted_intercepts()


def _vote(model: Any) -> str:
    if model._stumps is None:
        raise refuse(model.estimators_[0], "only votes of stumps are short")
    stumps, count = model._stumps, len(model.classes_)
    weights = np.asarray(model._weights_after(len(model.estimators_)), np.float64)
    if count == 2:
        functions = [(0.0, _added(weights * stumps.left, weights * stumps.right))]
    else:
        functions = [
            (0.0, _added(weights * (stumps.left == c), weights * (stumps.right == c)))
            for c in range(count)
        ]
    return _head(model, model.n_features_in_) + _sum(model, stumps, functions) + _CLASSES


def _added(low: Any, high: Any) -> list[tuple[float, float]]:
    return [*zip(low.tolist(), high.tolist(), strict=True)]


def _sum(model: Any, stumps: StumpEnsemble, functions: list[Any]) -> str:
    questions = [_question(model, stumps, t) for t in range(len(stumps))]
    return _SUM.format(
        questions=plain(questions), functions=plain(functions), factor=1.0, offset=0.0
    )


def _question(model: Any, stumps: StumpEnsemble, t: int) -> tuple[Any, ...]:
    place, missing = int(stumps.feature[t]), bool(stumps.missing_right[t])
    if place < 0:
        return None, None, [], [], False
    sides = stumps.chosen[stumps.begin[t] : stumps.end[t]]
    if not len(sides):
        return place, float(stumps.threshold[t]), [], [], missing
    known = [(value, code) for value, code in model._categories[place].items() if code < len(sides)]
    right = [value for value, code in known if sides[code]]
    return place, None, right, [value for value, _ in known], missing


def _additive(model: Any) -> str:
    functions = []
    for k, stumps in enumerate(model._functions):
        if not isinstance(stumps, StumpEnsemble):
            raise refuse(model.estimator, "only sums of stumps are short")
        if k > 0:
            raise refuse(model, "several functions have several sets of questions; export to ONNX")
        steps = np.asarray(model.coefficients_[:, k])
        added = _added(steps * stumps.left, steps * stumps.right)
        functions.append((float(model.constants_[k]), added))
    body = _sum(model, model._functions[0], functions)
    end = _CLASSES if hasattr(model, "classes_") else _number(model)
    return _head(model, model.n_features_in_) + body + end


def _box(model: Any) -> str:
    tables = [term.values for term in model._terms]
    end = _CLASSES if isinstance(model, GlassBoxClassifier) else _number(model)
    return _head(model, model.n_features_in_) + _bins(model, tables, model.constants_) + end


def _bins(model: Any, tables: Iterable[Any], constants: Any) -> str:
    cuts: list[Any] = []
    for j, column in enumerate(model._binning.columns):
        if not column.categorical:
            cuts.append((column.cuts.tolist(), None, 0))
            continue
        bins = {v: int(column.members[code]) for v, code in model._categories[j].items()}
        cuts.append((None, bins, column.n_bins + 1))
    terms = [
        (list(term.columns), [np.asarray(of).tolist() for of in term.coarse], table.tolist())
        for term, table in zip(model._terms, tables, strict=True)
    ]
    begin = np.asarray(constants).tolist()
    return _BOX.format(cuts=plain(cuts), terms=plain(terms), constants=plain(begin))


def card(model: Any, scorecard: Scorecard) -> str:
    """Return the text of a file that adds up the points of a scorecard.

    Parameters
    ----------
    model : GlassBoxClassifier or GlassBoxRegressor
        That the card was made of.
    scorecard : Scorecard

    Returns
    -------
    str
    """
    shapes = [term.weight.shape for term in scorecard._terms]
    tables = [
        points.reshape(1, *shape) for points, shape in zip(scorecard._points, shapes, strict=True)
    ]
    body = _bins(model, tables, [int(scorecard.base)])
    end = _CARD.format(constant=scorecard.constant, factor=scorecard.factor)
    return _head(model, model.n_features_in_) + body + end


_WRITERS: tuple[tuple[Any, Any], ...] = (
    (LinearEstimator, _linear),
    (KernelClassifier, _linear),
    (KernelRegressor, _linear),
    (WeightedVote, _vote),
    (AdditiveModel, _additive),
    (GlassBoxModel, _box),
)
