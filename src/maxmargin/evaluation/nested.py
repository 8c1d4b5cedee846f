"""Nested cross-validation: how well a way of choosing models does, not the model it chose.

In every outer fold the whole choice is made anew on the training rows, by inner folds, and what it
chose is judged on rows that had no part in it. The mean is an honest estimate for "select among
these by that protocol" (Varma and Simon, "Bias in error estimation when using cross-validation for
model selection", BMC Bioinformatics 7, 2006), which the best inner score is not.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from maxmargin.evaluation.protocol import Split, splits
from maxmargin.evaluation.rows import EvaluationRows, classifies, named, takes_kernel_matrix
from maxmargin.evaluation.run import FoldDone, score
from maxmargin.evaluation.selection import Selection, choose
from maxmargin.evaluation.trail import Trail, Use, uses_of_folds
from maxmargin.inputs.tabular import Tabular

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Nested(Tabular):
    """A choice among models, evaluated on rows that were not used for it.

    Attributes
    ----------
    scores : ndarray
        Score of the chosen model on each outer fold.
    selections : tuple of Selection
        The choice made in each outer fold.
    trail : Trail
        Which rows were used for what.
    """

    scores: Vector
    selections: tuple[Selection, ...] = field(repr=False)
    trail: Trail = field(repr=False)

    @property
    def winners(self) -> list[str]:
        """What was chosen in each outer fold."""
        return [selection.winner for selection in self.selections]

    @property
    def mean(self) -> float:
        """The mean outer score."""
        return float(self.scores.mean())

    @property
    def deviation(self) -> float:
        """The standard deviation of the outer scores."""
        return float(self.scores.std(ddof=1)) if len(self.scores) > 1 else float("nan")

    @property
    def optimism(self) -> float:
        """By how much the winners' inner scores were larger, on average."""
        inner = [selection.runs[selection.winner].mean for selection in self.selections]
        return float(np.mean(inner)) - self.mean

    def to_dicts(self) -> list[dict[str, Any]]:
        """List the outer folds.

        Returns
        -------
        list of dict
            With "fold", the "winner" inside of it, its "inner" mean score and its outer "score".
        """
        return [
            {
                "fold": number,
                "winner": chosen.winner,
                "inner": chosen.runs[chosen.winner].mean,
                "score": float(score),
            }
            for number, (chosen, score) in enumerate(
                zip(self.selections, self.scores, strict=True), 1
            )
        ]

    def __str__(self) -> str:
        counts = {name: self.winners.count(name) for name in dict.fromkeys(self.winners)}
        said = ", ".join(f"{name} in {count} folds" for name, count in counts.items())
        return (
            f"{self.mean:.3f} on rows without a part in the choice; the winners' inner scores were"
            f" {self.mean + self.optimism:.3f}. Chosen: {said}."
        )


def nested(
    models: Any,
    X: Any,
    y: Any,
    *,
    outer: Any = 5,
    inner: Any = 5,
    groups: Any = None,
    sample_weight: Any = None,
    scoring: Any = None,
    n_jobs: int | None = None,
    random_state: Any = None,
    callback: Callable[[FoldDone], object] | None = None,
    verbose: int = 0,
) -> Nested:
    """Cross-validate the choice among models.

    Parameters
    ----------
    models : estimator, mapping of str to estimator, or list of estimators
        The candidates.
    X, y
        Rows in any container, and targets; rows are selected by position.
    outer, inner : int, str, splitter or list of pairs of row numbers, default=5
        Protocols, as in :func:`evaluate`.
    groups : array-like of shape (n_samples,), default=None
        Rows of one group stay together, in both.
    sample_weight : array-like of shape (n_samples,), default=None
        Weights for fits and for scores.
    scoring : str or callable, default=None
        As in scikit-learn; larger is better.
    n_jobs : int, default=None
        Number of parallel inner fits. The result does not depend on it.
    random_state : int, RandomState or None, default=None
        Seed for all splits.
    callback : callable, default=None
        Called with a ``FoldDone`` after every inner fit; counts restart in every outer fold.
    verbose : int, default=0
        Print progress, the best score so far, the elapsed time and the time left: 1 about once a
        second, 2 after every fit. With 0 these lines go only to the logger "maxmargin".

    Returns
    -------
    Nested

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> X, y = load_mixture(return_X_y=True)
    >>> models = {f"C = {C}": SVC(gamma=1.0, C=C) for C in (0.1, 1.0, 10.0)}
    >>> found = nested(models, X, y, outer=3, inner=3, random_state=0)
    >>> len(found.winners), found.trail.problems
    (3, [])
    """
    candidates, rows = named(models), EvaluationRows.of(X, y, groups, sample_weight)
    classify, random = classifies(candidates, rows.y), check_random_state(random_state)
    outside = splits(outer, rows, classify=classify, random_state=random)
    options = {"scoring": scoring, "n_jobs": n_jobs, "callback": callback, "verbose": verbose}
    found, values = [], []
    for number, (train, other) in enumerate(outside, 1):
        options["owner"] = f"nested, outer fold {number} of {len(outside)}"
        known, judged = rows.part(train, other, takes_kernel_matrix(*candidates.values()))
        inside = splits(inner, known, classify=classify, random_state=random)
        found.append(choose(candidates, known, inside, None, n_rows=len(rows), **options))
        values.append(score(found[-1].model, judged, scoring))
    return Nested(np.array(values), tuple(found), _trail(outside, found, len(rows)))


def _trail(outside: list[Split], selections: list[Selection], n_rows: int) -> Trail:
    uses: list[Use] = []
    for number, ((train, other), selection) in enumerate(zip(outside, selections, strict=True), 1):
        folds = selection.runs[selection.winner].folds
        uses += uses_of_folds(folds, f"outer {number}, ")
        step = f"outer {number}, refit"
        uses += [Use(step, "train", train), Use(step, "validate", other)]
    return Trail(tuple(uses), n_rows)
