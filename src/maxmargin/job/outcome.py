"""Everything that the main job found out: what the report, the terminal and run.json tell."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.evaluation import (
    Band,
    Interval,
    Look,
    PrecisionRecallCurve,
    RocCurve,
    Run,
    Trail,
    Verdict,
)
from maxmargin.job.conformal import IntervalResult
from maxmargin.job.costs import CostResult
from maxmargin.job.explanation import Reason, Typical
from maxmargin.tables import Table

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Entry:
    """A model of the family, as it came out.

    Parameters
    ----------
    name : str
        As ``--models`` calls it, such as "svm-rbf".
    title : str
        What people call it, such as "SVM, radial kernel".
    status : {"done", "behind", "failed", "stopped"}
        Behind is a model that stopped early since another was clearly better and time was short;
        stopped is one that Ctrl-C or the time budget ended.
    reason : str
        Why there is no result; empty for "done".
    run : Run or None
        Its folds, with decision values.
    scores : mapping of str to float
        Means over folds of further metrics, by scikit-learn's names ("roc_auc",
        "balanced_accuracy", "average_precision", "r2", ...); the average precision of two classes
        is that of the rarer one.
    best_params : mapping of str to object
        What was chosen in the fit to all rows that are no test rows; empty where nothing is tuned.
    tuning : mapping of str to ndarray or None
        The ``cv_results_`` of that choice.
    fit_seconds : float
        Of a fit with its tuning, on average.
    proof : str
        Of the optimisation: the certified gap, or the bound on the training error; else empty.
    roc, precision_recall : Band or None
        Over folds, for two classes.
    fault : bool
        Whether it failed by a fault of this package.
    fitted : bool
        Whether it was also fitted to all rows that are no test rows.
    spent_seconds : float
        Of all its fits: the trial, the folds and the fit to all rows.
    sampled_rows : int or None
        Rows of the sample that it learned from; None where it learned from all rows.
    """

    name: str
    title: str
    status: str
    reason: str = ""
    run: Run | None = field(default=None, repr=False)
    scores: Mapping[str, float] = field(default_factory=dict)
    best_params: Mapping[str, Any] = field(default_factory=dict)
    tuning: Mapping[str, Any] | None = field(default=None, repr=False)
    fit_seconds: float = float("nan")
    proof: str = ""
    roc: Band | None = field(default=None, repr=False)
    precision_recall: Band | None = field(default=None, repr=False)
    fault: bool = False
    fitted: bool = False
    spent_seconds: float = 0.0
    sampled_rows: int | None = None


def samples_of(entries: Iterable[Entry], rows: int) -> str:
    """Name the models that learned from a sample of the rows; empty if there is none."""
    found = [each for each in entries if each.status == "done" and each.sampled_rows is not None]
    if not found:
        return ""
    named = ", ".join(f"{each.title} ({each.sampled_rows})" for each in found)
    return f"Models that learned from a sample of the {rows} rows: {named}."


def faults_of(entries: Iterable[Entry]) -> str:
    """Name the models that failed by a fault of this package, and how; empty if there is none."""
    return "; ".join(f"{each.title}: {each.reason}" for each in entries if each.fault)


@dataclass(frozen=True)
class ClassResult:
    """A class on the test rows."""

    label: Any
    rows: int
    recall: Interval
    precision: Interval


@dataclass(frozen=True)
class Suspect:
    """A row that looks mislabelled: the folds that had not seen it are sure of another class.

    ``row`` is its line of data in the file, from 1; ``margin`` how far below 0 its margin is, or of
    regression how far off the prediction is.
    """

    row: int
    given: Any
    predicted: Any
    margin: float
    id: str = ""


@dataclass(frozen=True)
class Importance:
    """How much the metric falls on the test rows when a column is shuffled."""

    feature: str
    mean: float
    deviation: float


@dataclass(frozen=True)
class TestResult:
    """The winner on the test rows, looked at once.

    Parameters
    ----------
    look : Look
        The metric with its interval.
    rows : ndarray
        Places of the test rows in the table.
    truth, predicted : ndarray
    decision : ndarray or None
        Decision values or probabilities.
    scores : mapping of str to float
        Further metrics, as in ``Entry``.
    labels : tuple
        The classes of ``confusion``.
    confusion : ndarray or None
        Counts: true class by row, predicted class by column.
    classes : tuple of ClassResult
    baseline : float
        The metric of the majority (or the mean) on the same rows.
    roc : RocCurve or None
    precision_recall : PrecisionRecallCurve or None
        For two classes.
    probability : ndarray of shape (rows, classes), or None
        For the calibration curve, where the model has probabilities.
    sought : object
        The positive class of two, whose average precision is told; None where there are not two.
    calibration_error : float
        How far probabilities are from what came true, on average (ECE); of two classes those of the
        positive one, of more those of the likeliest.
    """

    __test__ = False

    look: Look
    rows: NDArray[np.intp]
    truth: NDArray[Any]
    predicted: NDArray[Any]
    decision: Vector | None = None
    scores: Mapping[str, float] = field(default_factory=dict)
    labels: tuple[Any, ...] = ()
    confusion: NDArray[np.int64] | None = None
    classes: tuple[ClassResult, ...] = ()
    baseline: float = float("nan")
    roc: RocCurve | None = None
    precision_recall: PrecisionRecallCurve | None = None
    probability: Vector | None = None
    sought: Any = None
    calibration_error: float = float("nan")


@dataclass(frozen=True)
class Outcome:
    """What the main job leaves behind.

    Parameters
    ----------
    table : Table
    metric : str
        scikit-learn's name of what models are compared by.
    entries : tuple of Entry
        The best first; those without a result last.
    winner : str
        Name of the chosen entry.
    runner_up : str
        Name of the second, empty if there is none.
    verdict : Verdict or None
        The winner against the runner-up by 5x2 cross-validation; None where there was no second or
        no time, and then ``notes`` says so.
    model : Pipeline
        The winner, fitted again to all rows that are no test rows.
    test : TestResult
    suspects : tuple of Suspect
        The worst first.
    importances : tuple of Importance
        The largest first.
    trail : Trail
        Which rows were used for what.
    command : str
        What to type to get the same again.
    seed : int
    seconds : float
        All together.
    notes : tuple of str
        What the user should know, a sentence each: Ctrl-C, the time budget, rows used for tuning.
    train : tuple of (X, y)
        The rows of ``model``, for pictures of margins and of rounds.
    job : Job or None
        What was asked for.
    predictor : Pipeline or None
        The model with calibrated probabilities, a threshold or intervals, as it is stored.
    cost : CostResult or None
        What mistakes cost, where that was asked for.
    intervals : IntervalResult or None
        Of a quantity.
    typical : Typical or None
        Values by which rows are explained.
    reasons : list of list of Reason, or None
        Columns that moved the prediction of each test row, where that was asked for.
    shapes : Pipeline or None
        The glass box, whether or not it won, fitted to all rows that are no test rows.
    """

    table: Table = field(repr=False)
    metric: str
    entries: tuple[Entry, ...]
    winner: str
    runner_up: str
    verdict: Verdict | None
    model: Any = field(repr=False)
    test: TestResult = field(repr=False)
    suspects: tuple[Suspect, ...]
    importances: tuple[Importance, ...]
    trail: Trail = field(repr=False)
    command: str
    seed: int
    seconds: float
    notes: tuple[str, ...] = ()
    train: tuple[Any, Any] | None = field(default=None, repr=False)
    job: Any = field(default=None, repr=False)
    predictor: Any = field(default=None, repr=False)
    cost: CostResult | None = field(default=None, repr=False)
    intervals: IntervalResult | None = field(default=None, repr=False)
    typical: Typical | None = field(default=None, repr=False)
    reasons: list[list[Reason]] | None = field(default=None, repr=False)
    shapes: Any = field(default=None, repr=False)

    def __getitem__(self, name: str) -> Entry:
        """Find an entry by its name."""
        return next(entry for entry in self.entries if entry.name == name)
