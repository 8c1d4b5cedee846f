"""An average of the best models, judged on the same folds as they are.

The members' probabilities, calibrated, or their predicted quantities are averaged with weights that
are found by greedy selection (Caruana, Niculescu-Mizil, Crew and Ksikes, "Ensemble selection from
libraries of models", ICML 2004). Each fold is predicted with calibrations and weights that the
other folds chose, so that the score of the average is one of unseen rows, like that of any member.
No model is fitted again.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, RegressorMixin, clone
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import Fold
from maxmargin.evaluation.run import decide
from maxmargin.job.effort import entry_of
from maxmargin.job.metric import Judge, Judgement
from maxmargin.job.outcome import Entry
from maxmargin.job.probability import has_values, learn_calibration, values_of
from maxmargin.job.rules import Rules
from maxmargin.job.trial import behind_by, by_class, losses_of
from maxmargin.tabular.calibration import Calibration

Vector = NDArray[np.float64]
Values = NDArray[np.float64]  # of members: (members, rows, classes), of quantities one column
Index = NDArray[np.intp]

NAME = "blend"
MEMBERS = 6  # the best models that may be members
STEPS = 20  # of the greedy selection, so that weights are multiples of 1/20 at the finest
GAIN = 1e-4  # share of the loss by which a step has to lessen it
BETTER = 1.0  # standard errors by which the average has to be better than the best member
PARTS = 5  # of the rows of a lone fold, in place of folds
LEAST = 1e-6  # of probabilities, whose logarithms are averaged in losses


class Member(Protocol):
    """What a model has to show to be a member."""

    name: str
    candidate: Any
    folds: list[Fold]
    judge: Judge
    model: Pipeline | None


@dataclass(frozen=True)
class Blended:
    """An average that is better than its members."""

    entry: Entry
    model: Pipeline = field(repr=False)
    judgements: list[Judgement] = field(repr=False)


class BlendClassifier(ClassifierMixin, BaseEstimator):
    """A weighted average of the calibrated probabilities of fitted classifiers.

    Parameters
    ----------
    models : list of Pipeline
        Fitted.
    calibrations : list of Calibration
        One a model.
    floors : list of float
        One a model, as ``FoldCalibratedClassifier`` has it.
    weights : ndarray
        One a model; they sum to 1.
    classes : ndarray
    frequencies : ndarray, default=None
        Shares of the classes by which probabilities are divided before the largest is taken, where
        every class counts the same.
    """

    def __init__(
        self,
        models: Any,
        calibrations: Any,
        floors: Any,
        weights: Any,
        classes: Any,
        frequencies: Any = None,
    ) -> None:
        self.models = models
        self.calibrations = calibrations
        self.floors = floors
        self.weights = weights
        self.classes = classes
        self.frequencies = frequencies

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the same models to other rows; calibrations and weights stay.

        Parameters
        ----------
        X, y
            Rows, and what to predict.

        Returns
        -------
        self : object
        """
        self.models = [clone(model).fit(X, y) for model in self.models]
        return self

    @property
    def classes_(self) -> NDArray[Any]:
        """The classes, in order."""
        return np.asarray(self.classes)

    def predict_proba(self, X: Any) -> Vector:
        """Return probabilities, a column a class."""
        members = zip(self.models, self.calibrations, self.floors, strict=True)
        each = [known.probabilities(values_of(decide(m, X), low)) for m, known, low in members]
        return _mean(np.stack(each), np.asarray(self.weights))

    def predict(self, X: Any) -> NDArray[Any]:
        """Return the class of each row."""
        return _likeliest(self.predict_proba(X), self.classes_, self.frequencies)


class BlendRegressor(RegressorMixin, BaseEstimator):
    """A weighted average of the predictions of fitted regressors.

    Parameters
    ----------
    models : list of Pipeline
        Fitted.
    weights : ndarray
        One a model; they sum to 1.
    """

    def __init__(self, models: Any, weights: Any) -> None:
        self.models = models
        self.weights = weights

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, X: Any, y: Any) -> Self:
        """Fit the same models to other rows; the weights stay.

        Parameters
        ----------
        X, y
            Rows, and what to predict.

        Returns
        -------
        self : object
        """
        self.models = [clone(model).fit(X, y) for model in self.models]
        return self

    def predict(self, X: Any) -> Vector:
        """Return the quantity of each row."""
        each = [np.asarray(model.predict(X), np.float64) for model in self.models]
        return np.asarray(np.tensordot(np.asarray(self.weights), np.stack(each), 1))


class _Recorded(BaseEstimator):
    """A model whose predictions are known: scorers take it for one that makes them."""

    def __init__(self, predicted: Any) -> None:
        self.predicted = predicted

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def fit(self, _X: Any, _y: Any) -> Self:
        return self

    def predict(self, _X: Any) -> NDArray[Any]:
        return np.asarray(self.predicted)


class _RecordedClassifier(ClassifierMixin, _Recorded):
    """The same with probabilities."""

    def __init__(self, predicted: Any, shares: Any, classes_: Any) -> None:
        super().__init__(predicted)
        self.shares = shares
        self.classes_ = classes_

    def predict_proba(self, _X: Any) -> Vector:
        return np.asarray(self.shares)


class _RecordedRegressor(RegressorMixin, _Recorded):
    """The same for a quantity."""


def blend(rules: Rules, judged: Sequence[Member]) -> tuple[Blended | None, str]:
    """Average the best models, if the average is better by more than chance.

    Parameters
    ----------
    rules : Rules
    judged : sequence of Member
        The best first, fitted to all rows.

    Returns
    -------
    Blended or None
    note : str
        Why there is none, where one was tried.
    """
    members = [each for each in judged if each.name != "baseline" and _has_all(rules, each)]
    members = members[:MEMBERS]
    if len(members) < 2:
        return None, ""
    work = _Work(rules, members)
    judge, folds = work.judged_folds()
    weights = {"weights": work.shown_weights}
    entry = entry_of(rules, (NAME, work.title), folds, judge, best_params=weights, fitted=True)
    best = members[0]
    losses = _losses(rules, best.folds, best.judge.judgements)
    better = behind_by(losses, _losses(rules, folds, judge.judgements))
    assert entry.run is not None
    rose = entry.run.mean > float(np.mean([fold.score for fold in best.folds]))
    if np.count_nonzero(work.weights) < 2 or better < BETTER or not rose:
        return None, f"An average of the best models was no better than {best.candidate.title}."
    return Blended(entry, Pipeline([("model", work.model())]), judge.judgements), ""


def _has_all(rules: Rules, member: Member) -> bool:
    """Whether every fold has values of all classes."""
    if member.model is None:
        return False
    classes = rules.table.schema.classes
    return not rules.classify or all(has_values(fold, classes) for fold in member.folds)


def _losses(rules: Rules, folds: Sequence[Fold], judgements: Sequence[Judgement]) -> Vector:
    pairs = zip(folds, judgements, strict=True)
    return np.concatenate(
        [losses_of(said, rules.table.target[fold.validate], rules.metric) for fold, said in pairs]
    )


class _Work:
    """The members' values on all judged rows, and what is chosen by them."""

    def __init__(self, rules: Rules, members: Sequence[Member]) -> None:
        self.rules, self.members = rules, members
        self.folds = members[0].folds
        self.truth = np.concatenate([rules.table.target[fold.validate] for fold in self.folds])
        self.fold = np.repeat(range(len(self.folds)), [len(f.validate) for f in self.folds])
        self.classes = np.asarray(rules.table.schema.classes)
        everything = np.ones(len(self.truth), bool)
        self.calibrations = self._calibrations(everything)
        self.weights = self._weights(everything)

    @property
    def title(self) -> str:
        """What people call it."""
        return f"average of {np.count_nonzero(self.weights)} models"

    @property
    def shown_weights(self) -> dict[str, float]:
        """The weights by the members' names."""
        pairs = zip(self.members, self.weights, strict=True)
        return {each.name: round(float(weight), 4) for each, weight in pairs if weight}

    def judged_folds(self) -> tuple[Judge, list[Fold]]:
        """Judge the average fold by fold, each with what the other rows chose."""
        groups = self._groups()
        blended = np.empty((len(self.truth), max(len(self.classes), 1)))
        for group in np.unique(groups):
            known, unseen = groups != group, groups == group
            calibrations, weights = self._calibrations(known), self._weights(known)
            blended[unseen] = _mean(self._values(unseen, calibrations), weights)
        judge = self.rules.judge()
        return judge, [self._judge(judge, number, blended) for number in range(len(self.folds))]

    def _groups(self) -> Index:
        """Return the fold of each row; of a lone fold parts of it, drawn at random."""
        if len(self.folds) > 1:
            return np.asarray(self.fold)
        random = np.random.default_rng(self.rules.seed)
        return random.permutation(np.arange(len(self.truth)) % PARTS)

    def _judge(self, judge: Judge, number: int, blended: Vector) -> Fold:
        own, fold = blended[self.fold == number], self.folds[number]
        truth = self.truth[self.fold == number]
        rows = np.zeros((len(own), 1))
        spent = float(sum(each.folds[number].fit_seconds for each in self.members))
        if not self.rules.classify:
            score = judge(_RecordedRegressor(own[:, 0]), rows, truth)
            return Fold(fold.train, fold.validate, score, spent)
        predicted = _likeliest(own, self.classes, self._frequencies)
        score = judge(_RecordedClassifier(predicted, own, self.classes), rows, truth)
        decision = own[:, 1] if len(self.classes) == 2 else own
        return Fold(fold.train, fold.validate, score, spent, decision, truth, self.classes)

    @property
    def _frequencies(self) -> Vector | None:
        """The shares of classes where every class counts the same."""
        if not by_class(self.rules.metric):
            return None
        return np.asarray([np.mean(self.truth == label) for label in self.classes])

    def _calibrations(self, known: NDArray[np.bool_]) -> list[tuple[Calibration, float] | None]:
        return [self._calibration(member, known) for member in self.members]

    def _calibration(
        self, member: Member, known: NDArray[np.bool_]
    ) -> tuple[Calibration, float] | None:
        """Learn the probabilities of a member on some of the rows."""
        if not self.rules.classify:
            return None
        by_probability = member.judge.judgements[0].by_probability
        return learn_calibration([_some(member, known)], list(self.classes), by_probability)

    def _values(self, of: NDArray[np.bool_], calibrations: Sequence[Any]) -> Values:
        """Return probabilities or quantities of members on some of the rows."""
        if not self.rules.classify:
            said = [
                np.concatenate([np.asarray(j.predicted, np.float64) for j in each.judge.judgements])
                for each in self.members
            ]
            return np.stack(said)[:, of, None]
        pairs = zip(self.members, calibrations, strict=True)
        return np.stack(
            [known.probabilities(values_of(_decisions(m)[of], low)) for m, (known, low) in pairs]
        )

    def _weights(self, known: NDArray[np.bool_]) -> Vector:
        """Choose weights on some of the rows."""
        values, truth = self._values(known, self._calibrations(known)), self.truth[known]
        if not self.rules.classify:
            return select(values, lambda mean: float(np.mean((mean[:, 0] - truth) ** 2)))
        label = np.searchsorted(self.classes, truth)
        weight = np.ones(len(label))
        if by_class(self.rules.metric):
            weight = 1.0 / np.bincount(label, minlength=len(self.classes))[label]
        return select(values, lambda mean: _log_loss(mean, label, weight))

    def model(self) -> BlendClassifier | BlendRegressor:
        """Return the average of the fitted members."""
        chosen = [int(m) for m in np.flatnonzero(self.weights)]
        models = [self.members[m].model for m in chosen]
        if not self.rules.classify:
            return BlendRegressor(models, self.weights[chosen])
        known = [self.calibrations[m] for m in chosen]
        pairs = [each for each in known if each is not None]
        return BlendClassifier(
            models,
            [calibration for calibration, _ in pairs],
            [floor for _, floor in pairs],
            self.weights[chosen],
            self.classes,
            self._frequencies,
        )


def _decisions(member: Member) -> Vector:
    return np.concatenate([np.asarray(fold.decision) for fold in member.folds])


def _some(member: Member, known: NDArray[np.bool_]) -> Fold:
    """Return the rows of all folds as one fold, some of them."""
    first = member.folds[0]
    truth = np.concatenate([np.asarray(fold.truth) for fold in member.folds])[known]
    decision = _decisions(member)[known]
    return Fold(first.train, np.flatnonzero(known), 0.0, 0.0, decision, truth, first.classes)


def select(values: Values, loss: Any) -> Vector:
    """Choose weights of members greedily: each step adds the member that lessens the loss most.

    Parameters
    ----------
    values : ndarray of shape (members, rows, columns)
    loss : callable
        Of an average of shape (rows, columns).

    Returns
    -------
    ndarray
        They sum to 1.

    Examples
    --------
    >>> values = np.array([[[0.0], [2.0]], [[2.0], [0.0]], [[9.0], [9.0]]])
    >>> select(values, lambda mean: float(np.sum((mean - 1.0) ** 2)))
    array([0.5, 0.5, 0. ])
    """
    counts, total = np.zeros(len(values)), np.zeros(values.shape[1:])
    least, best = np.inf, counts
    for step in range(1, STEPS + 1):
        losses = [loss((total + each) / step) for each in values]
        place = int(np.argmin(losses))
        counts[place] += 1.0
        total += values[place]
        if losses[place] < least * (1.0 - GAIN):
            least, best = losses[place], counts / step
        elif step > len(values):
            break
    return best


def _mean(values: Values, weights: Vector) -> Vector:
    return np.asarray(np.tensordot(weights, values, 1))


def _log_loss(shares: Vector, label: Index, weight: Vector) -> float:
    own = np.maximum(shares[np.arange(len(label)), label], LEAST)
    return -float(np.average(np.log(own), weights=weight))


def _likeliest(shares: Vector, classes: NDArray[Any], frequencies: Any) -> NDArray[Any]:
    weighed = shares if frequencies is None else shares / np.asarray(frequencies)
    return np.asarray(classes)[weighed.argmax(axis=1)]
