"""What the winner is given before it is judged and stored, from what the folds said of it.

A classifier gets calibrated probabilities, and a threshold where mistakes have costs; a regressor
intervals. The result is a pipeline like any other: its last step predicts as the stored model will.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import Fold
from maxmargin.job.conformal import (
    USUAL_LEVEL,
    IntervalResult,
    intervals_of,
    judge_intervals,
    learn_conformal,
    read_level,
    with_intervals,
)
from maxmargin.job.costs import CostCurve, CostResult, Costs, choose_cheapest
from maxmargin.job.metric import Judgement, sought_of
from maxmargin.job.outcome import TestResult
from maxmargin.job.probability import (
    FoldCalibratedClassifier,
    learn_calibration,
    values_of,
    with_probabilities,
)
from maxmargin.tables import InputError, Table

TOO_FEW = "There are too few rows for intervals that hold {:g} % of new rows."


@dataclass(frozen=True)
class Asked:
    """What is asked of the winner beside being the best.

    Parameters
    ----------
    costs : Costs or None
        Of mistakes.
    level : float or None
        Of intervals.
    """

    costs: Costs | None = None
    level: float | None = None

    @classmethod
    def of(cls, table: Table, cost: str | None, interval: str | None) -> Asked:
        """Read what was typed, and refuse what the target does not allow.

        Parameters
        ----------
        table : Table
        cost, interval : str or None
            As ``--cost`` and ``--interval`` have them.

        Returns
        -------
        Asked
        """
        target, classes = table.schema.target, len(table.schema.classes)
        if classes and interval is not None:
            raise InputError(f"--interval is for quantities, and {target!r} has classes.")
        if cost is not None and classes != 2:
            what = f"{classes} classes" if classes else "a quantity"
            raise InputError(f"--cost needs a target of two classes, and {target!r} has {what}.")
        level = USUAL_LEVEL if interval is None else read_level(interval)
        return cls(None if cost is None else Costs.read(cost), None if classes else level)


@dataclass(frozen=True)
class Finished:
    """The winner with what it was given.

    Parameters
    ----------
    model : Pipeline
    asked : Asked
    curve : CostCurve or None
        By which the threshold was chosen.
    notes : tuple of str
    """

    model: Pipeline
    asked: Asked
    curve: CostCurve | None = None
    notes: tuple[str, ...] = ()


def finish(
    asked: Asked,
    table: Table,
    model: Pipeline,
    folds: Sequence[Fold],
    judgements: Sequence[Judgement],
) -> Finished:
    """Give the winner probabilities and a threshold, or intervals.

    Parameters
    ----------
    asked : Asked
    table : Table
    model : Pipeline
        The winner, fitted to all rows that are no test rows.
    folds : sequence of Fold
        Of the winner.
    judgements : sequence of Judgement
        What it said there.

    Returns
    -------
    Finished
    """
    if table.schema.task == "regression":
        return _with_intervals(asked, table, model, folds, judgements)
    by_probability = bool(judgements) and judgements[0].by_probability
    found = learn_calibration(folds, table.schema.classes, by_probability)
    whole = with_probabilities(model, found)
    if asked.costs is None:
        return Finished(whole, asked)
    return _with_threshold(asked, table, whole, folds)


def _with_intervals(
    asked: Asked,
    table: Table,
    model: Pipeline,
    folds: Sequence[Fold],
    judgements: Sequence[Judgement],
) -> Finished:
    if asked.level is None:
        return Finished(model, asked)
    predicted = [np.asarray(each.predicted, np.float64) for each in judgements]
    truth = [table.target[fold.validate] for fold in folds]
    conformal = learn_conformal(predicted, truth, asked.level)
    notes = (TOO_FEW.format(100 * asked.level),) if conformal is None else ()
    return Finished(with_intervals(model, conformal), asked, notes=notes)


def _with_threshold(asked: Asked, table: Table, model: Pipeline, folds: Sequence[Fold]) -> Finished:
    """Choose the threshold of the least cost by the probabilities of the folds."""
    *before, (name, last) = model.steps
    if asked.costs is None or not isinstance(last, FoldCalibratedClassifier):
        note = "No fold has values of both classes, so that costs could not choose a threshold."
        return Finished(model, asked, notes=(note,))
    label, known = sought_of(table), [each for each in folds if each.decision is not None]
    place = table.schema.classes.index(label)
    shares = [
        last.calibration.probabilities(values_of(each.decision, last.floor))[:, place]
        for each in known
    ]
    truth = np.concatenate([np.asarray(each.truth) == label for each in known])
    threshold, curve = choose_cheapest(truth, np.concatenate(shares), asked.costs)
    last.set_params(threshold=threshold, positive=label)
    return Finished(Pipeline([*before, (name, last)]), asked, curve)


def judge_costs(finished: Finished, test: TestResult, X: Any) -> CostResult | None:
    """Compute what mistakes on the test rows cost; None where no threshold was chosen.

    Parameters
    ----------
    finished : Finished
    test : TestResult
        Of the finished model.
    X : DataFrame
        The test rows.

    Returns
    -------
    CostResult or None
    """
    costs, last = finished.asked.costs, finished.model.steps[-1][1]
    if costs is None or finished.curve is None:
        return None
    positive, named = test.truth == last.positive, test.predicted == last.positive
    usual = _own_decision(finished.model, X) == last.positive
    everything = np.ones(len(positive), bool)
    return CostResult(
        costs=costs,
        label=last.positive,
        threshold=float(last.threshold),
        curve=finished.curve,
        test=costs.of(positive, named),
        usual=costs.of(positive, usual),
        constant=min(costs.of(positive, everything), costs.of(positive, ~everything)),
        missed=int((positive & ~named).sum()),
        false=int((~positive & named).sum()),
    )


def _own_decision(model: Pipeline, X: Any) -> NDArray[Any]:
    """Predict as the model decides without a threshold."""
    *before, (name, last) = model.steps
    return np.asarray(Pipeline([*before, (name, last.model)]).predict(X))


def judge_level(finished: Finished, test: TestResult, X: Any) -> IntervalResult | None:
    """Count how many test rows lie in their intervals; None where there are none.

    Parameters
    ----------
    finished : Finished
    test : TestResult
    X : DataFrame
        The test rows.

    Returns
    -------
    IntervalResult or None
    """
    ends = intervals_of(finished.model, X)
    if ends is None or finished.asked.level is None:
        return None
    return judge_intervals(finished.asked.level, ends, test.truth)
