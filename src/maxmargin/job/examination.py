"""The winner on the test rows: one look, and all that is learned from it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import confusion_matrix
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import (
    Interval,
    PrecisionRecallCurve,
    RocCurve,
    TestVault,
    clopper_pearson,
    score_interval,
)
from maxmargin.evaluation.reliability import Reliability
from maxmargin.evaluation.run import decide
from maxmargin.job.area import areas_of, shares_of
from maxmargin.job.metric import judge
from maxmargin.job.outcome import ClassResult, Importance, TestResult
from maxmargin.job.rules import Rules
from maxmargin.ops.clock import stop_if_over

SHUFFLES = 5
SHUFFLED_ROWS = 1000  # of the test rows, whose columns are shuffled


def examine(
    rules: Rules, vault: TestVault, model: Pipeline, baseline: Pipeline | None, title: str
) -> tuple[TestResult, Any]:
    """Look at the test rows once.

    Parameters
    ----------
    rules : Rules
    vault : TestVault
    model : Pipeline
        The winner, fitted to all other rows.
    baseline : Pipeline or None
        The majority, or the mean, of the same rows.
    title : str
        What the winner is called.

    Returns
    -------
    result : TestResult
    X : DataFrame
        The test rows.
    """
    X, truth = vault.open("the winner of the comparison")
    scorer = rules.scorer
    said = judge(model, X, truth, rules.metric, scorer, rules.judge().further)
    interval = interval_of(model, X, truth, scorer, said.scores[rules.metric])
    look = replace(vault.looks[-1], model=title, scoring=rules.metric, result=interval)
    guess = float("nan")
    if baseline is not None:
        guess = judge(baseline, X, truth, rules.metric, scorer, ()).scores[rules.metric]
    result = TestResult(
        look, vault.test_rows, truth, said.predicted, scores=said.scores, baseline=guess
    )
    return (of_classes(result, model, X, rules.sought) if rules.classify else result), X


def interval_of(model: Pipeline, X: Any, truth: Any, scorer: Any, value: float) -> Interval:
    """Give a score with its interval, or without ends where some resample has no score.

    Parameters
    ----------
    model : Pipeline
    X, truth
        Rows that it has not seen.
    scorer : str or scorer
    value : float
        The score.

    Returns
    -------
    Interval
    """
    try:
        return score_interval(model, X, truth, scoring=scorer)
    except ValueError:  # such as the log loss of rows that lack a class
        return Interval(value, float("nan"), float("nan"), method="none")


def of_classes(result: TestResult, model: Pipeline, X: Any, sought: Any = None) -> TestResult:
    """Add what is known of classes: counts, curves, recall and precision of each.

    Parameters
    ----------
    result : TestResult
        With truth and predictions.
    model : Pipeline
    X : DataFrame
        The rows.
    sought : object, default=None
        Of two classes, the one whose average precision is given; None for the second.

    Returns
    -------
    TestResult
    """
    labels = np.unique(np.concatenate([model.classes_, result.truth]))
    confusion = confusion_matrix(result.truth, result.predicted, labels=labels)
    decision = decide(model, X)
    curves = _curves(result.truth, decision, model.classes_)
    probability = model.predict_proba(X) if hasattr(model, "predict_proba") else None
    shares = shares_of(model, X)
    values = decision if shares is None else shares
    areas = areas_of(result.truth, values, model.classes_, sought)
    two = len(labels) == 2
    return replace(
        result,
        decision=decision,
        scores={**result.scores, **areas},
        labels=tuple(labels.tolist()),
        confusion=confusion,
        classes=_each_class(labels.tolist(), confusion),
        roc=curves.get("roc_auc") if two else None,
        precision_recall=curves.get("average_precision") if two else None,
        sought=sought,
        probability=probability,
        calibration_error=_calibration_error(result.truth, probability, model.classes_, sought),
    )


def _calibration_error(truth: Any, probability: Any, classes: Any, sought: Any) -> float:
    if probability is None:
        return float("nan")
    if sought is None:
        hit, said = truth == classes[probability.argmax(axis=1)], probability.max(axis=1)
    else:
        hit, said = truth == sought, probability[:, classes.tolist().index(sought)]
    return Reliability.of(hit, said).error


def _curves(truth: NDArray[Any], decision: Any, classes: NDArray[Any]) -> dict[str, Any]:
    if decision is None:
        return {}
    kinds: dict[str, Any] = {"roc_auc": RocCurve, "average_precision": PrecisionRecallCurve}
    return {name: kind.from_scores(truth, decision, classes) for name, kind in kinds.items()}


def _each_class(labels: Sequence[Any], confusion: NDArray[np.int64]) -> tuple[ClassResult, ...]:
    right, true, said = confusion.diagonal(), confusion.sum(axis=1), confusion.sum(axis=0)
    return tuple(
        ClassResult(label, int(true[i]), _part(right[i], true[i]), _part(right[i], said[i]))
        for i, label in enumerate(labels)
    )


def _part(count: np.int64, total: np.int64) -> Interval:
    if total == 0:
        return Interval(float("nan"), 0.0, 1.0, method="no rows")
    return clopper_pearson(int(count), int(total))


def importances(
    rules: Rules, model: Pipeline, X: Any, truth: NDArray[Any]
) -> tuple[Importance, ...]:
    """Shuffle each column of the test rows in turn, and see how far the metric falls.

    Parameters
    ----------
    rules : Rules
    model : Pipeline
        Fitted to other rows.
    X : DataFrame
        Test rows that were looked at already.
    truth : ndarray

    Returns
    -------
    tuple of Importance
        The largest first.
    """
    random = np.random.default_rng(rules.seed)
    some = np.sort(random.permutation(len(truth))[:SHUFFLED_ROWS])
    X, truth = X[some], truth[some]
    scorer = rules.scorer

    def score(rows: Any) -> float:
        stop_if_over()
        return judge(model, rows, truth, rules.metric, scorer, ()).scores[rules.metric]

    whole, found = score(X), []
    for name in X.columns:
        falls = [
            whole - score(X.with_columns(X[name].gather(random.permutation(len(truth)))))
            for _ in range(SHUFFLES)
        ]
        found.append(Importance(name, float(np.mean(falls)), float(np.std(falls, ddof=1))))
    return tuple(sorted(found, key=lambda each: -each.mean))
