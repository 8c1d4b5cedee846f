"""What models are compared by, and what else is noted of every fit on the same rows.

Unless one is named, classes are compared by accuracy, and by balanced accuracy where they are
unequal: where the rarest has less than 40 % of an equal share (of two classes: less than a fifth of
the rows). Quantities are compared by R^2.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from difflib import get_close_matches
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import (
    check_scoring,
    f1_score,
    get_scorer,
    get_scorer_names,
    jaccard_score,
    make_scorer,
    precision_score,
    recall_score,
)

from maxmargin.job.area import area, shares_of
from maxmargin.ops.clock import stop_if_over
from maxmargin.tables import InputError, Table

UNEQUAL = 0.4
FURTHER = {
    "classification": ("accuracy", "balanced_accuracy"),
    "regression": ("r2", "neg_root_mean_squared_error", "neg_mean_absolute_error"),
}
_OF_ONE_CLASS = {
    "f1": f1_score,
    "precision": precision_score,
    "recall": recall_score,
    "jaccard": jaccard_score,
}
_OF_MORE = {name: f"{name}_macro" for name in _OF_ONE_CLASS}
_OF_MORE |= {"roc_auc": "roc_auc_ovr", "average_precision": "roc_auc_ovr"}


def are_unequal(table: Table) -> bool:
    """Whether the rarest class has much less than an equal share of the rows.

    Parameters
    ----------
    table : Table

    Returns
    -------
    bool
    """
    if table.schema.task == "regression":
        return False
    counts = np.unique(table.target, return_counts=True)[1]
    return bool(counts.min() * len(counts) < UNEQUAL * counts.sum())


def choose_metric(table: Table, wanted: str | None = None, *, by_rank: bool = False) -> str:
    """Name what models are compared by: what is wanted, or what the rule says.

    Parameters
    ----------
    table : Table
    wanted : str, default=None
        By scikit-learn's name.
    by_rank : bool, default=False
        Whether a threshold is chosen afterwards, so that the order of the rows alone counts.

    Returns
    -------
    str
    """
    if wanted is None and by_rank:
        return "roc_auc"
    if wanted is None:
        if table.schema.task == "regression":
            return "r2"
        return "balanced_accuracy" if are_unequal(table) else "accuracy"
    if wanted not in get_scorer_names():
        near = " or ".join(map(repr, _similar(wanted)))
        hint = f"did you mean {near}?" if near else "use one of scikit-learn's names."
        raise InputError(f"There is no metric {wanted!r}: {hint}")
    if wanted in _OF_MORE and len(table.schema.classes) > 2:
        raise InputError(
            f"--metric {wanted} is of two classes, and {table.schema.target!r} has"
            f" {len(table.schema.classes)}: use {_OF_MORE[wanted]}."
        )
    return wanted


def _similar(wanted: str) -> list[str]:
    """List metrics that are spelt so, or have these initials, as "mae" has."""
    spelt: dict[str, str] = {}
    for name in get_scorer_names():
        said = name.removeprefix("neg_")
        initials = "".join(word[0] for word in said.split("_"))
        spelt |= dict.fromkeys((name, said, initials, said.rpartition("_")[2]), name) | spelt
    typed = wanted.lower().replace("-", "_").replace(" ", "_")
    near = [typed] if typed in spelt else get_close_matches(typed, spelt, 3)
    return [*dict.fromkeys(spelt[each] for each in near)]


def sought_of(table: Table) -> Any:
    """Return the positive class of two: the user's, else the rarer one, of equal ones the second.

    Parameters
    ----------
    table : Table

    Returns
    -------
    object
        None where there are not two.
    """
    classes = table.schema.classes
    if len(classes) != 2:
        return None
    if table.positive is not None:
        return table.positive
    first, second = (np.count_nonzero(table.target == label) for label in classes)
    return classes[0] if first < second else classes[1]


def scorer_of(metric: str, sought: Any) -> Any:
    """Give what scores a model: of metrics of one class, that of the class sought.

    Parameters
    ----------
    metric : str
    sought : object
        As ``sought_of`` gives it.

    Returns
    -------
    str or scorer
    """
    if metric == "roc_auc_ovr":
        return area
    if sought is None:
        return metric
    if metric in _OF_ONE_CLASS:  # by labels: a positive one has to occur
        one = {"labels": [sought], "average": "macro", "pos_label": None, "zero_division": 0.0}
        return make_scorer(_OF_ONE_CLASS[metric], **one)
    if metric == "average_precision":
        return partial(area, name=metric, sought=sought)
    return metric


def is_of_one_class(metric: str) -> bool:
    """Whether a metric looks at the class sought alone.

    Parameters
    ----------
    metric : str

    Returns
    -------
    bool
    """
    return metric in (*_OF_ONE_CLASS, "average_precision")


@dataclass(frozen=True)
class Judgement:
    """What a fitted model said of the rows that it was judged on."""

    scores: dict[str, float]
    predicted: NDArray[Any]
    by_probability: bool
    shares: NDArray[np.float64] | None = None


@dataclass
class Judge:
    """A scorer that notes more than the score.

    Parameters
    ----------
    metric : str
    scorer : str or scorer
    further : tuple of str
        Other metrics that are noted.

    Attributes
    ----------
    judgements : list of Judgement
        In the order of the calls.
    """

    metric: str
    scorer: Any
    further: tuple[str, ...]
    judgements: list[Judgement] = field(default_factory=list)

    def __call__(self, model: Any, X: Any, y: Any) -> float:
        """Score a fitted model on rows."""
        stop_if_over()
        said = judge(model, X, y, self.metric, self.scorer, self.further)
        self.judgements.append(replace(said, shares=shares_of(model, X)))
        return self.judgements[-1].scores[self.metric]

    @property
    def means(self) -> dict[str, float]:
        """Of every metric, over the calls."""
        names = self.judgements[0].scores
        return {name: float(np.mean([j.scores[name] for j in self.judgements])) for name in names}


def judge(
    model: Any, X: Any, y: Any, metric: str, scorer: Any, further: tuple[str, ...]
) -> Judgement:
    """Score a fitted model by several metrics.

    Parameters
    ----------
    model : estimator
    X, y
        Rows that it has not seen, and the truth.
    metric, scorer, further
        As in ``Judge``.

    Returns
    -------
    Judgement
    """
    asked = {name: get_scorer(name) for name in further} | {metric: get_scorer(scorer)}
    scores = check_scoring(model, scoring=asked)(model, X, y)
    by_probability = hasattr(model, "predict_proba") and not hasattr(model, "decision_function")
    return Judgement(
        {name: float(value) for name, value in scores.items()}, model.predict(X), by_probability
    )
