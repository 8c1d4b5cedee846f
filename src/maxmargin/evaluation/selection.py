"""Choosing among models, with a trail of which rows were used for what.

Candidates are compared on validation rows; the winner is fitted again to training and validation
rows together; the test rows stay in a vault until you look. The winner's validation score is
the largest of several and so too large on average: what it is worth is said by the test rows, or by
nested cross-validation.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.utils import check_random_state

from maxmargin.evaluation.protocol import NAMES, Ratio, count_units, hold_out, splits
from maxmargin.evaluation.rows import EvaluationRows, classifies, fit, named, takes_kernel_matrix
from maxmargin.evaluation.run import FoldDone, Run, run_folds
from maxmargin.evaluation.trail import Trail, Use, uses_of_folds
from maxmargin.evaluation.vault import Look, TestVault
from maxmargin.inputs.tabular import Tabular
from maxmargin.ops.clock import watch

Index = NDArray[np.intp]


@dataclass(frozen=True)
class Selection(Tabular):
    """The outcome of a choice among models.

    Attributes
    ----------
    runs : mapping of str to Run
        Every candidate on the validation rows.
    winner : str
        The candidate with the best mean score; ties go to the first.
    model : estimator
        The winner, fitted to training and validation rows.
    vault : TestVault or None
        The test rows; None if none were held out.
    scoring : str or callable
    rows : ndarray
        The rows that the winner was fitted to.
    n_rows : int
        Number of rows of all data.
    """

    runs: Mapping[str, Run] = field(repr=False)
    winner: str
    model: Any = field(repr=False)
    vault: TestVault | None
    scoring: Any
    rows: Index = field(repr=False)
    n_rows: int

    @property
    def trail(self) -> Trail:
        """Which rows were used for what, looks at the test rows included."""
        uses = [*uses_of_folds(self.runs[self.winner].folds), Use("refit", "train", self.rows)]
        if self.vault is not None:
            looks = self.vault.looks
            uses += [Use(f"look {look.number}", "test", self.vault.test_rows) for look in looks]
        return Trail(tuple(uses), self.n_rows)

    def to_dicts(self) -> list[dict[str, Any]]:
        """List the candidates, the best first.

        Returns
        -------
        list of dict
            With "model", "mean" and "deviation" of its scores on validation rows, "fit_seconds",
            and whether it was "chosen".
        """
        order = sorted(
            self.runs, key=lambda name: -np.nan_to_num(self.runs[name].mean, nan=-np.inf)
        )
        return [
            {
                "model": name,
                "mean": self.runs[name].mean,
                "deviation": self.runs[name].deviation,
                "fit_seconds": self.runs[name].fit_seconds,
                "chosen": name == self.winner,
            }
            for name in order
        ]

    def test(self, *, reason: str = "the winner of the selection", level: float = 0.95) -> Look:
        """Judge the winner on the test rows; this is a look.

        Parameters
        ----------
        reason : str
            What the look is for.
        level : float, default=0.95
            Of the interval.

        Returns
        -------
        Look
        """
        if self.vault is None:
            raise ValueError("No test rows were held out; select with test_size, or by a ratio.")
        return self.vault.score(
            self.model, scoring=self.scoring, name=self.winner, reason=reason, level=level
        )

    def __str__(self) -> str:
        best = self.runs[self.winner]
        tried = "model was" if len(self.runs) == 1 else "models were"
        lines = [
            f"{len(self.runs)} {tried} tried; {self.winner} has the best score on validation rows,"
            f" {best.mean:.3f}.",
            f"It was fitted again to all {len(self.rows)} training and validation rows.",
        ]
        if self.vault is not None:
            looks = [f"{str(look)[0].upper()}{str(look)[1:]}." for look in self.vault.looks]
            lines += looks or [f"{len(self.vault.test_rows)} test rows were never looked at."]
        return "\n".join(lines)


def select(
    models: Any,
    X: Any,
    y: Any,
    protocol: Any = "50/25/25",
    *,
    test_size: float = 0.2,
    groups: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    decisions: bool = False,
    n_jobs: int | None = None,
    random_state: Any = None,
    error_score: Any = "raise",
    callback: Callable[[FoldDone], object] | None = None,
    verbose: int = 0,
) -> Selection:
    """Choose among models on validation rows, with the test rows locked away.

    Parameters
    ----------
    models : estimator, mapping of str to estimator, or list of estimators
        The candidates; a search such as ``GridSearchCV`` is one too.
    X, y
        Rows in any container, and targets; rows are selected by position.
    protocol : str, int, splitter, Ratio or list of pairs of row numbers, default="50/25/25"
        Shares of training, validation and test rows, in per cent such as "70/10/20" or in parts
        such as "1/1/1" ("1/3" is the same); or a cross-validation protocol for the rows outside the
        test set, as in :func:`evaluate`. Pairs of row numbers refer to these rows, in the order of
        the vault's ``rows``.
    test_size : float, default=0.2
        The share of test rows if ``protocol`` does not set it; 0 for none.
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
        Seed for all splits.
    error_score : "raise" or float, default="raise"
        Effect of a failing fit: raise, or with NaN exclude the model.
    callback : callable, default=None
        Called with a ``FoldDone`` after every fit.
    verbose : int, default=0
        Print progress, the best score so far, the elapsed time and the time left: 1 about once a
        second, 2 after every fit. With 0 these lines go only to the logger "maxmargin".

    Returns
    -------
    Selection

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> models = {"linear": SVC(kernel="linear"), "radial": SVC(gamma=1.0)}
    >>> chosen = select(models, X, y, "50/25/25", random_state=0)
    >>> chosen.trail.problems, chosen.vault
    ([], TestVault(50 of 200 rows, never opened))
    """
    found, rows = named(models), EvaluationRows.of(X, y, groups, sample_weight)
    classify, random = classifies(found, rows.y), check_random_state(random_state)
    protocol = _read(protocol)
    share: float = test_size
    if isinstance(protocol, Ratio):
        _, validation, share = protocol.counts(count_units(rows))
    vault = None
    if share != 0:
        vault = TestVault(
            rows.X,
            rows.y,
            test_size=share,
            groups=rows.groups,
            sample_weight=rows.weight,
            stratify=classify,
            pairwise=takes_kernel_matrix(*found.values()),
            random_state=random,
        )
    kept = rows if vault is None else vault._open
    if isinstance(protocol, Ratio):
        parts = [hold_out(kept, validation, classify=classify, random_state=random)]
    else:
        parts = splits(protocol, kept, classify=classify, random_state=random)
    return choose(
        found,
        kept,
        parts,
        vault,
        n_rows=len(rows),
        scoring=scoring,
        decisions=decisions,
        n_jobs=n_jobs,
        error_score=error_score,
        callback=callback,
        verbose=verbose,
        owner="select",
    )


def choose(
    models: Mapping[str, Any],
    rows: EvaluationRows,
    parts: Any,
    vault: TestVault | None,
    *,
    n_rows: int,
    scoring: Any,
    **options: Any,
) -> Selection:
    """Run the candidates on the splits and fit the best one again to all of the rows."""
    runs = run_folds(models, rows, parts, scoring=scoring, **options)
    winner = best_of(runs)
    with watch():
        model = fit(clone(models[winner]), rows)
    return Selection(runs, winner, model, vault, scoring, rows.index, n_rows)


def best_of(runs: Mapping[str, Run]) -> str:
    """Name the run of the best mean score, the first of several."""
    scored = {name: run.mean for name, run in runs.items() if np.isfinite(run.mean)}
    if not scored:
        reasons = "; ".join(f"{name}: {run.failure}" for name, run in runs.items())
        raise ValueError(f"No model could be fitted on all folds ({reasons}).")
    return max(scored, key=scored.__getitem__)


def _read(protocol: Any) -> Any:
    named_shares = isinstance(protocol, str) and protocol not in NAMES
    return Ratio.of(protocol) if named_shares else protocol
