"""Models fitted and scored on the same folds, in parallel, with progress.

``evaluate`` is scikit-learn's ``cross_validate`` for several models at once: every model sees the
same splits, so that scores can be compared fold by fold. Ctrl-C ends everything, also a fit that
was asked to keep its best point.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.metrics import check_scoring
from sklearn.pipeline import Pipeline
from sklearn.utils.parallel import Parallel, delayed

from maxmargin.evaluation.band import Band, band_of
from maxmargin.evaluation.leave_one_out import keeps_its_solution, leave_one_out
from maxmargin.evaluation.precision_recall import PrecisionRecallCurve
from maxmargin.evaluation.protocol import Split, splits
from maxmargin.evaluation.roc import RocCurve
from maxmargin.evaluation.rows import EvaluationRows, classifies, fit, named, takes_kernel_matrix
from maxmargin.evaluation.threshold import Threshold, choose_threshold
from maxmargin.inputs.tabular import Tabular
from maxmargin.ops.clock import TimeUp, watch
from maxmargin.progress.lines import SearchLines

Vector = NDArray[np.float64]
Index = NDArray[np.intp]


@dataclass(frozen=True)
class Fold:
    """One fit and its score.

    Attributes
    ----------
    train, validate : ndarray
        The training and validation rows, as indices into the data.
    score : float
        The score; NaN if the fit failed.
    fit_seconds : float
    decision : ndarray or None
        Decision values, or else probabilities, of the validation rows, if they were kept.
    truth : ndarray or None
        The labels of the validation rows, if their decision values were kept.
    classes : ndarray or None
        The labels in the order of the columns of ``decision``.
    best_params : dict or None
        The parameters chosen, if the model is a search.
    failure : str
        The reason if there is no score.
    """

    train: Index
    validate: Index
    score: float
    fit_seconds: float
    decision: Vector | None = field(default=None, repr=False)
    truth: NDArray[Any] | None = field(default=None, repr=False)
    classes: NDArray[Any] | None = field(default=None, repr=False)
    best_params: Mapping[str, Any] | None = None
    failure: str = ""


@dataclass(frozen=True)
class FoldDone:
    """The argument of a ``callback`` after each fit: which fit it was, and how many there are."""

    model: str
    fold: int
    score: float
    seconds: float
    done: int
    total: int


@dataclass(frozen=True)
class Run(Tabular):
    """A model on all folds of a protocol.

    Attributes
    ----------
    name : str
    folds : tuple of Fold
    """

    name: str
    folds: tuple[Fold, ...]

    def __repr__(self) -> str:
        some = f"{len(self.folds)} folds" if len(self.folds) > 1 else "1 fold"
        if self.failure:
            return f"Run({self.name!r}, no score on {some}: {self.failure})"
        spread = f" ± {self.deviation:.3g}" if len(self.folds) > 1 else ""
        return f"Run({self.name!r}, {self.mean:.4g}{spread} on {some})"

    @property
    def scores(self) -> Vector:
        """One score a fold."""
        return np.array([fold.score for fold in self.folds])

    @property
    def mean(self) -> float:
        """The mean score, each fold weighing the same."""
        return float(self.scores.mean())

    @property
    def deviation(self) -> float:
        """The standard deviation of the scores; NaN for a single fold."""
        return float(self.scores.std(ddof=1)) if len(self.folds) > 1 else float("nan")

    @property
    def fit_seconds(self) -> float:
        """Seconds of a fit, on average."""
        return float(np.mean([fold.fit_seconds for fold in self.folds]))

    @property
    def failure(self) -> str:
        """Why there is no score; empty where there is one."""
        return next((fold.failure for fold in self.folds if fold.failure), "")

    def to_dicts(self) -> list[dict[str, Any]]:
        """List the folds.

        Returns
        -------
        list of dict
            With "fold", the number of rows to "train" and to "validate", "score", "fit_seconds"
            and "failure".
        """
        return [
            {
                "fold": number,
                "train": len(fold.train),
                "validate": len(fold.validate),
                "score": float(fold.score),
                "fit_seconds": float(fold.fit_seconds),
                "failure": fold.failure,
            }
            for number, fold in enumerate(self.folds, 1)
        ]

    def roc(self) -> Band:
        """Average the ROC curves of the folds, with the band they lie in.

        Returns
        -------
        Band
        """
        return band_of(self._curves(RocCurve))

    def precision_recall(self) -> Band:
        """Average the precision-recall curves of the folds, with the band they lie in.

        Returns
        -------
        Band
        """
        return band_of(self._curves(PrecisionRecallCurve))

    def threshold(self, goal: str = "balanced_accuracy", **limits: Any) -> Threshold:
        """Choose a threshold on the rows that the folds were judged on, none on its own training.

        Parameters
        ----------
        goal : str, default="balanced_accuracy"
        **limits
            As in :func:`choose_threshold`.

        Returns
        -------
        Threshold
        """
        folds = self._with_decisions()
        values = np.concatenate([_decision(fold) for fold in folds])
        truth = np.concatenate([np.asarray(fold.truth) for fold in folds])
        if values.ndim > 1:
            raise ValueError("A threshold parts two classes; this model decides between more.")
        return choose_threshold(truth, values, goal, pos_label=_last(folds[0]), **limits)

    def _curves(self, kind: Any) -> list[Any]:
        found = [
            kind.from_scores(fold.truth, _decision(fold), fold.classes)
            for fold in self._with_decisions()
        ]
        curves = [curve for curve in found if curve is not None]
        if not curves:
            raise ValueError(
                f"No fold of {self.name!r} has rows of two classes to draw a curve of."
            )
        return curves

    def _with_decisions(self) -> list[Fold]:
        kept = [fold for fold in self.folds if fold.decision is not None]
        if not kept:
            raise ValueError(
                f"The decision values of {self.name!r} were not kept; run the protocol with"
                " decisions=True, for classifiers that have them."
            )
        return kept


def evaluate(
    models: Any,
    X: Any,
    y: Any,
    *,
    protocol: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    decisions: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    error_score: Any = "raise",
    callback: Callable[[FoldDone], object] | None = None,
    verbose: int = 0,
) -> dict[str, Run]:
    """Fit and score models on the same folds.

    Parameters
    ----------
    models : estimator, mapping of str to estimator, or list of estimators
    X, y
        Rows in any container, and targets; rows are selected by position.
    protocol : int, str, splitter or list of pairs of row numbers, default=5
        The number of folds; "kfold", "stratified", "grouped", "loo" or "5x2"; or what scikit-learn
        takes as ``cv``. Shares such as "70/10/20" hold out test rows: use them with :func:`select`.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group stay together.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for fits and for scores. In a pipeline they are passed to the last step.
    scoring : str or callable, default=None
        As in scikit-learn; None for the models' own ``score``.
    decisions : bool, default=False
        Keep the decision values of the validation rows, for curves and thresholds.
    n_jobs : int, default=None
        Number of parallel fits, as in scikit-learn. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for the splits.
    error_score : "raise" or float, default="raise"
        Effect of a failing fit: raise, or use this score and record the reason in ``failure``.
    callback : callable, default=None
        Called with a ``FoldDone`` after every fit; an exception it raises ends the run.
    verbose : int, default=0
        Print progress, the best score so far, the elapsed time and the time left: 1 about once a
        second, 2 after every fit. With 0 these lines go only to the logger "maxmargin".

    Returns
    -------
    dict of str to Run

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> run = evaluate(SVC(gamma=1.0), X, y, random_state=0)["SVC"]
    >>> len(run.folds), 0.7 < run.mean < 0.9
    (5, True)
    """
    found, rows = named(models), EvaluationRows.of(X, y, groups, sample_weight)
    classify = classifies(found, rows.y)
    if isinstance(protocol, str) and "/" in protocol:
        raise ValueError(
            f"{protocol!r} puts test rows aside, which evaluate does not do: use select, or a"
            " TestVault."
        )
    parts = splits(protocol, rows, classify=classify, random_state=random_state)
    return run_folds(
        found,
        rows,
        parts,
        scoring=scoring,
        decisions=decisions,
        n_jobs=n_jobs,
        error_score=error_score,
        callback=callback,
        verbose=verbose,
        owner="evaluate",
    )


def run_folds(
    models: Mapping[str, Any],
    rows: EvaluationRows,
    parts: Sequence[Split],
    *,
    scoring: Any = None,
    decisions: bool = False,
    n_jobs: int | None = None,
    error_score: Any = "raise",
    callback: Callable[[FoldDone], object] | None = None,
    verbose: int = 0,
    owner: str = "",
) -> dict[str, Run]:
    """Fit every model on every split, in the order of the splits, and report progress."""
    quick = {name for name, model in models.items() if _leaves_one_out(model, parts, scoring)}
    names = sorted(models, key=lambda name: name not in quick)  # what is quick comes first
    jobs = [(name, number) for name in names for number in range(len(parts))]
    work = (
        (models[name], rows, *parts[number], scoring, decisions, error_score)
        for name, number in jobs
        if name not in quick
    )
    folds: dict[str, list[Fold]] = {name: [] for name in models}
    counts = dict.fromkeys(models, len(parts))
    lines = SearchLines(owner, counts, verbose=verbose, unlike=True) if owner else None
    with watch():  # inner fits then raise at Ctrl-C, whatever they were asked to do
        at_once = (
            fold
            for name in names
            if name in quick
            for fold in _left_out(models[name], rows, error_score)
        )
        each = chain(at_once, _each(work, n_jobs))
        for done, ((name, number), fold) in enumerate(zip(jobs, each, strict=True), 1):
            folds[name].append(fold)
            if lines is not None:
                lines.add(name, fold.fit_seconds, name, fold.score)
            if callback is not None:
                report = FoldDone(name, number, fold.score, fold.fit_seconds, done, len(jobs))
                callback(report)
    return {name: Run(name, tuple(found)) for name, found in folds.items()}


def _leaves_one_out(model: Any, parts: Sequence[Split], scoring: Any) -> bool:
    """Return whether rows are left out of a kernel machine that needs fewer refits."""
    left = [int(other[0]) for _, other in parts if len(other) == 1]
    every = left == list(range(len(parts))) and all(len(t) == len(parts) - 1 for t, _ in parts)
    by_accuracy = scoring is None or (isinstance(scoring, str) and scoring == "accuracy")
    return every and by_accuracy and keeps_its_solution(model)


def _left_out(model: Any, rows: EvaluationRows, error_score: Any) -> Iterator[Fold]:
    begun = time.perf_counter()
    places = [(np.delete(rows.index, i), rows.index[i : i + 1]) for i in range(len(rows))]
    try:
        found = leave_one_out(model, rows.X, rows.y, sample_weight=rows.weight)
    except Exception as error:
        reason = _reason(error, error_score)
        yield from (Fold(*place, float(error_score), 0.0, failure=reason) for place in places)
        return
    seconds = (time.perf_counter() - begun) / len(rows)
    for i, right in enumerate(found.right):
        kept = None if found.decision is None else found.decision[i : i + 1]
        yield Fold(*places[i], float(right), seconds, kept, rows.y[i : i + 1], found.classes)


def _each(work: Iterator[Any], n_jobs: int | None) -> Iterator[Fold]:
    if n_jobs in (None, 1):
        return (judge_fold(*each) for each in work)
    found: Iterator[Fold] = Parallel(n_jobs=n_jobs, return_as="generator")(
        delayed(judge_fold)(*each) for each in work
    )
    return found


def judge_fold(
    model: Any,
    rows: EvaluationRows,
    train: Index,
    other: Index,
    scoring: Any,
    decisions: bool,
    error_score: Any,
) -> Fold:
    """Fit a fresh copy to the training rows and judge it on the others."""
    known, judged = rows.part(train, other, takes_kernel_matrix(model))
    places, begun = (known.index, judged.index), time.perf_counter()
    try:
        fitted = fit(clone(model), known)
        seconds = time.perf_counter() - begun
        value = score(fitted, judged, scoring)
    except Exception as error:
        reason = _reason(error, error_score)
        return Fold(*places, float(error_score), time.perf_counter() - begun, failure=reason)
    return Fold(
        *places,
        value,
        seconds,
        decision=decide(fitted, judged.X) if decisions else None,
        truth=judged.y if decisions else None,
        classes=getattr(fitted, "classes_", None),
        best_params=getattr(fitted, "best_params_", None),
    )


def _reason(error: Exception, error_score: Any) -> str:
    """Describe a failed fit; raise it instead if requested, or if an outer time limit ended it."""
    wanted = isinstance(error_score, str) and error_score == "raise"
    if wanted or isinstance(error, TimeUp):
        raise error
    return f"{type(error).__name__}: {error}"


def score(fitted: Any, rows: EvaluationRows, scoring: Any) -> float:
    """Score a fitted model on rows, weighted if they have weights."""
    scorer = check_scoring(fitted, scoring=scoring)
    weights = {} if rows.weight is None else {"sample_weight": rows.weight}
    return float(scorer(fitted, rows.X, rows.y, **weights))


def decide(fitted: Any, X: Any) -> Vector | None:
    """Return decision values, or else probabilities; for two classes those of the second."""
    if hasattr(fitted, "decision_function"):
        return np.asarray(_by_class(fitted).decision_function(X))
    if hasattr(fitted, "predict_proba"):
        p = np.asarray(fitted.predict_proba(X))
        return p[:, 1] if p.shape[1] == 2 else p
    return None


def _by_class(fitted: Any) -> Any:
    """Return a classifier whose decision function has one value for each class, not each pair."""
    steps = getattr(fitted, "steps", None)
    last = fitted if steps is None else steps[-1][1]
    if getattr(last, "decision_function_shape", "ovr") == "ovr":
        return fitted
    last = copy(last)
    last.decision_function_shape = "ovr"
    return last if steps is None else Pipeline([*steps[:-1], (steps[-1][0], last)])


def _decision(fold: Fold) -> Vector:
    return np.asarray(fold.decision)


def _last(fold: Fold) -> Any:
    return None if fold.classes is None else fold.classes[-1]
