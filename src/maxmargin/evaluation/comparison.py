"""Models side by side on the same rows, and whether their differences mean anything.

Every model is run on the same splits; the best mean is compared with every other by a paired test
(``verdict``), and the p-values of these comparisons are corrected together by Holm's steps. The
best one was chosen by the same scores, so a small p says that it is no accident that it is ahead,
not that its score is what it will be.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from maxmargin.evaluation.protocol import splits
from maxmargin.evaluation.rows import EvaluationRows, classifies, named
from maxmargin.evaluation.run import FoldDone, Run, run_folds
from maxmargin.evaluation.selection import best_of
from maxmargin.evaluation.verdict import Verdict, alpaydin_f, corrected_t, dietterich_t, holm
from maxmargin.inputs.parameters import ParameterError, check_choice
from maxmargin.inputs.tabular import Tabular, write_html

TESTS = ("5x2f", "5x2t", "corrected")


@dataclass(frozen=True)
class Comparison(Tabular):
    """A table of models, the best first, with a verdict on every difference from the best.

    Attributes
    ----------
    runs : mapping of str to Run
        All models, the best mean first; those that failed last.
    verdicts : mapping of str to Verdict
        Tests of the best against each of the others, with p-values corrected for their number.
    scoring : str
        Name of the score.
    """

    runs: Mapping[str, Run] = field(repr=False)
    verdicts: Mapping[str, Verdict]
    scoring: str

    @property
    def best(self) -> str:
        """The model of the best mean score."""
        return next(iter(self.runs))

    def to_dicts(self) -> list[dict[str, Any]]:
        """List the lines of the table.

        Returns
        -------
        list of dict
            With "model", "mean", "deviation", "fit_seconds", "difference" from the best, "p" and
            the verdict in words.
        """
        return [self._line(name, run) for name, run in self.runs.items()]

    def _line(self, name: str, run: Run) -> dict[str, Any]:
        verdict = self.verdicts.get(name)
        return {
            "model": name,
            "mean": run.mean,
            "deviation": run.deviation,
            "fit_seconds": run.fit_seconds,
            "difference": None if verdict is None else -verdict.difference,
            "p": None if verdict is None else verdict.p,
            "verdict": self._words(name, run, verdict),
        }

    def _words(self, name: str, run: Run, verdict: Verdict | None) -> str:
        if run.failure:
            return f"failed: {run.failure}"
        if verdict is None:
            return "the best mean"
        return verdict.words(self.best, name)

    def __str__(self) -> str:
        """Summarise the table in a sentence or two."""
        best = self.runs[self.best]
        said = f"{self.best} has the best mean {self.scoring}, {best.mean:.3f}"
        others = [
            f"against {name} {verdict.words(self.best, name)}"
            for name, verdict in self.verdicts.items()
        ]
        return f"{'; '.join([said, *others])}."

    def __repr__(self) -> str:
        lines = _cells(self)
        widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
        drawn = ["  ".join(f"{c:{w}}" for c, w in zip(line, widths, strict=True)) for line in lines]
        return "\n".join(line.rstrip() for line in drawn)

    def _repr_html_(self) -> str:
        head, *body = _cells(self)
        return write_html(head, body)


def compare(
    models: Any,
    X: Any,
    y: Any,
    *,
    test: str = "5x2f",
    protocol: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    decisions: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    error_score: Any = "raise",
    callback: Callable[[FoldDone], object] | None = None,
    verbose: int = 0,
) -> Comparison:
    """Compare models on the same rows, and test whether the differences are significant.

    Parameters
    ----------
    models : mapping of str to estimator, or list of estimators
    X, y
        Rows in any container, and targets; rows are selected by position.
    test : {"5x2f", "5x2t", "corrected"}, default="5x2f"
        Alpaydin's F-test or Dietterich's t-test on 5x2 cross-validation, or the corrected
        resampled t-test of Nadeau and Bengio on ``protocol``.
    protocol : int, str, splitter or list of pairs of row numbers, default=None
        Protocol of the corrected test, as in :func:`evaluate`; None means ten folds.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group stay together.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for fits and for scores.
    scoring : str or callable, default=None
        As in scikit-learn; larger is better.
    decisions : bool, default=False
        Keep decision values, for curves and thresholds.
    n_jobs : int, default=None
        Number of parallel fits. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for the splits.
    error_score : "raise" or float, default="raise"
        Effect of a failing fit: raise, or with NaN record the reason and rank the other models.
    callback : callable, default=None
        Called with a ``FoldDone`` after every fit.
    verbose : int, default=0
        Print progress, the best score so far, the elapsed time and the time left: 1 about once a
        second, 2 after every fit. With 0 these lines go only to the logger "maxmargin".

    Returns
    -------
    Comparison

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> models = {"gamma = 1": SVC(gamma=1.0), "gamma = 1.1": SVC(gamma=1.1)}
    >>> table = compare(models, X, y, random_state=0)
    >>> len(table.to_dicts()), "may be chance" in str(table)
    (2, True)
    """
    check_choice("compare", "test", test, TESTS)
    if protocol is not None and test != "corrected":
        raise ParameterError(
            f"test={test!r} defines the splits; a protocol is for test='corrected' only."
        )
    candidates, rows = named(models), EvaluationRows.of(X, y, groups, sample_weight)
    wanted = "5x2" if test != "corrected" else 10 if protocol is None else protocol
    classify = classifies(candidates, rows.y)
    parts = splits(wanted, rows, classify=classify, random_state=random_state)
    options = {"n_jobs": n_jobs, "error_score": error_score, "callback": callback}
    options |= {"verbose": verbose, "owner": "compare"}
    runs = run_folds(candidates, rows, parts, scoring=scoring, decisions=decisions, **options)
    return Comparison(_ranked(runs), judge_runs(runs, test), _name(scoring, classify))


def judge_runs(runs: Mapping[str, Run], test: str = "corrected") -> dict[str, Verdict]:
    """Compare the best of several runs on the same folds with each of the others.

    Parameters
    ----------
    runs : mapping of str to Run
        Results of :func:`evaluate`.
    test : {"5x2f", "5x2t", "corrected"}, default="corrected"
        The first two need runs of the protocol "5x2".

    Returns
    -------
    dict of str to Verdict
        With p-values corrected for the number of comparisons.
    """
    best = best_of(runs)
    others = [name for name in _ranked(runs) if name != best and np.isfinite(runs[name].mean)]
    verdicts = [_test(runs[best], runs[name], test) for name in others]
    corrected = holm([verdict.p for verdict in verdicts])
    pairs = zip(others, verdicts, corrected, strict=True)
    return {name: replace(verdict, p=float(p)) for name, verdict, p in pairs}


def _test(first: Run, second: Run, test: str) -> Verdict:
    differences = first.scores - second.scores
    if test == "corrected":
        n_train = float(np.mean([len(fold.train) for fold in first.folds]))
        n_test = float(np.mean([len(fold.validate) for fold in first.folds]))
        return corrected_t(differences, n_train=n_train, n_test=n_test)
    chosen = {"5x2f": alpaydin_f, "5x2t": dietterich_t}[test]
    return chosen(differences.reshape(-1, 2))


def _ranked(runs: Mapping[str, Run]) -> dict[str, Run]:
    """Sort by mean, the best first; what has none comes last."""
    order = sorted(runs, key=lambda name: -np.nan_to_num(runs[name].mean, nan=-np.inf))
    return {name: runs[name] for name in order}


def _name(scoring: Any, classify: bool) -> str:
    if scoring is None:
        return "accuracy" if classify else "score"
    return scoring if isinstance(scoring, str) else "score"


def _cells(table: Comparison) -> list[list[str]]:
    head = ["model", table.scoring, "deviation", "fit seconds", "verdict"]
    lines = [
        [
            str(line["model"]),
            f"{line['mean']:.3f}",
            f"{line['deviation']:.3f}",
            f"{line['fit_seconds']:.2g}",
            line["verdict"],
        ]
        for line in table.to_dicts()
    ]
    return [head, *lines]
