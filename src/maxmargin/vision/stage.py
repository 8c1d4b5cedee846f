"""One stage: AdaBoost adds features until few enough windows without the object pass.

The rounds are those of ``boosting/samme.py`` and the loop is that of ``ensembles/rounds.py``; the
weak learner is the stump of the least weighted error over all features. The stage is F = sum of
alpha h (Freund and Schapire 1997; Viola and Jones 2001, table 1). A miss shall cost k times a false
positive: weights are multiplied by exp(t log sqrt(k) / N) before each of the first N rounds, t = +1
for the object and -1 otherwise, since the first round would absorb a factor given at once (Viola
and Jones 2002, "Fast and robust classification using asymmetric AdaBoost"). The threshold of F is
the largest at which enough validation faces pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.samme import Samme
from maxmargin.boosting.training_set import RowVotes
from maxmargin.boosting.weak_learner import Numbers
from maxmargin.ensembles.rounds import Round, RoundLimits, Stop, boost
from maxmargin.ops.clock import Clock
from maxmargin.progress import muted
from maxmargin.trees.split import Split, floor_as
from maxmargin.vision.haar import HaarFeatures
from maxmargin.vision.lbp import LBPFeatures
from maxmargin.vision.search import FeatureSearch
from maxmargin.vision.tree import Stage, Tree
from maxmargin.vision.windows import Windows

Features = HaarFeatures | LBPFeatures
Vector = NDArray[np.float64]
Pixels = NDArray[np.uint8]

_CODES = np.arange(256)


@dataclass(frozen=True)
class StageGoal:
    """What a stage has to reach.

    Parameters
    ----------
    min_detection : float
        Share of the objects that must pass.
    max_false_positive : float
        Share of the other windows that may pass.
    max_features : int
    asymmetry : float, default=1.0
        The cost of a miss relative to a false positive.
    spread : int, default=10
        Rounds over which that is spread.
    """

    min_detection: float
    max_false_positive: float
    max_features: int
    asymmetry: float = 1.0
    spread: int = 10


@dataclass(frozen=True)
class StageRates:
    """What a stage reaches on validation windows."""

    detection: float
    false_positive: float


class Examples:
    """Windows with the object, class 1, before those without it, class 0.

    Parameters
    ----------
    features : HaarFeatures or LBPFeatures
    objects, others : ndarray of uint8 of shape (windows, height, width)
    """

    def __init__(self, features: Features, objects: Pixels, others: Pixels) -> None:
        self.windows = Windows(np.concatenate([objects, others]))
        self.label = np.repeat([1, 0], [len(objects), len(others)]).astype(np.int32)
        self._source = features.columns(self.windows)

    def values(self, feature: int) -> NDArray[np.float32]:
        """Return the values of a feature."""
        return self._source.block(np.array([feature]))[0]

    def votes(self) -> RowVotes:
        """Return the windows as rows of AdaBoost, both classes of the same total weight."""
        return RowVotes(self.label, 0.5 / np.bincount(self.label, minlength=2)[self.label], 2)


class FeatureLearner:
    """The stump of the least weighted error over all features, as a weak learner of AdaBoost.

    Parameters
    ----------
    search : FeatureSearch
        Over the windows of ``training``.
    training : Examples
    """

    tries, by_ratio = 1, False
    random_state: np.random.RandomState | None = None

    def __init__(self, search: FeatureSearch, training: Examples) -> None:
        self._search, self._training = search, training
        self._sign = np.where(training.label == 1, 1.0, -1.0)

    def learn(self, weight: Vector) -> Split:
        """Search all features."""
        return self._search.best(weight * self._sign)

    def predict_training(self, member: Split) -> Numbers:
        """Predict the classes of the training windows."""
        return self.predict(member, self._training)

    def predict(self, member: Split, X: Examples) -> Numbers:
        """Predict the classes of windows."""
        values = X.values(member.feature)
        return (np.where(member.right_of(values), member.right, member.left) > 0.0).astype(np.int32)


def answer(tree: Tree, values: NDArray[np.float32]) -> Vector:
    """Return the predictions of a stump for values of its feature."""
    if tree.codes:
        inside = (tree.codes[0] >> _CODES.astype(object)) & 1
        left = inside.astype(bool)[values.astype(np.intp)]
    else:
        left = values < np.float32(tree.threshold[0])
    return np.where(left, *tree.leaves)


def stump_of(split: Split, alpha: float) -> Tree:
    """Make a tree of a split: its two labels, times alpha."""
    left, right = alpha * split.left, alpha * split.right
    if split.categories is None:
        # Left are values up to the threshold there, and those below it here.
        least = np.nextafter(floor_as(split.threshold, np.dtype(np.float32)), np.float32(np.inf))
        return Tree.stump(split.feature, float(least), left, right)
    goes_right = split.right_of(_CODES.astype(np.float32))
    return Tree.of_codes(split.feature, np.flatnonzero(~goes_right).tolist(), left, right)


def threshold_of(scores: Vector, min_detection: float) -> float:
    """Return the largest float32 threshold that the given share of the scores reaches."""
    allowed = math.floor(len(scores) * (1.0 - min_detection) + 1e-9)
    least = np.partition(scores, allowed)[allowed]
    rounded = np.float32(least)
    return float(rounded if rounded <= least else np.nextafter(rounded, np.float32(-np.inf)))


@dataclass
class StageRounds(Samme):
    """Rounds of AdaBoost in which misses cost more than false positives.

    Parameters
    ----------
    learner, training, n_classes, learning_rate, validation, watched, first
        As of ``Samme``; the learner is a ``FeatureLearner``.
    asymmetry : float, default=1.0
        The cost of a miss relative to a false positive.
    spread : int, default=10
        Rounds over which that is spread.
    """

    asymmetry: float = 1.0
    spread: int = 10

    def round(self) -> Round | Stop:
        """Make one round; TOO_WEAK if no feature separates the classes."""
        if self._ended:
            return Stop.PERFECT
        self._raise_cost_of_misses()
        member = self.learner.learn(self.weight)
        if member.feature < 0:
            return Stop.TOO_WEAK
        predicted = self.learner.predict_training(member)
        error = self._measure(predicted)[0] / self._total
        if error >= 0.5:
            return Stop.TOO_WEAK
        return self._take(member, predicted, self._coefficient(error))

    def _raise_cost_of_misses(self) -> None:
        if len(self.members) < self.spread:
            step = 0.5 * math.log(self.asymmetry) / self.spread
            self.weight *= np.exp(np.where(self.training.label == 1, step, -step))

    def _coefficient(self, error: float) -> float:
        """Return twice an alpha that float32 can hold, so that votes are those of the cascade."""
        return 2.0 * float(np.float32(0.5 * super()._coefficient(error)))

    @property
    def trees(self) -> tuple[Tree, ...]:
        """The members, each with its vote in its leaves."""
        pairs = zip(self.members, self.coefficients, strict=True)
        return tuple(stump_of(member, 0.5 * coefficient) for member, coefficient in pairs)


def train_stage(
    search: FeatureSearch,
    training: Examples,
    validation: Examples,
    goal: StageGoal,
    clock: Clock,
    report: Callable[[int, StageRates], None],
) -> tuple[Stage, StageRates] | None:
    """Add features until the goal is reached; return None if no feature separates the classes.

    Parameters
    ----------
    search : FeatureSearch
        Over the windows of ``training``.
    training, validation : Examples
    goal : StageGoal
    clock : Clock
        If it is over, ``TimeUp`` is raised: an unfinished stage is of no use.
    report : callable
        Called with the number of features and the rates after every round.

    Returns
    -------
    stage : Stage
    rates : StageRates
    """
    rounds = rounds_of(search, training, validation, goal)

    def look(made: Round) -> bool:
        rates = rate(rounds.validation, goal)[1]
        report(made.round, rates)
        clock.stop_if_over()
        return rates.false_positive <= goal.max_false_positive

    clock.stop_if_over()
    with muted():
        boost(rounds, RoundLimits(goal.max_features, callback=look))
    if not rounds.members:
        return None
    threshold, rates = rate(rounds.validation, goal)
    return Stage(threshold, rounds.trees), rates


def rounds_of(
    search: FeatureSearch, training: Examples, validation: Examples, goal: StageGoal
) -> StageRounds:
    """Return the rounds of a stage, before the first one."""
    return StageRounds(
        FeatureLearner(search, training),
        training.votes(),
        2,
        1.0,
        validation.votes(),
        validation,
        asymmetry=goal.asymmetry,
        spread=goal.spread,
    )


def rate(votes: RowVotes | None, goal: StageGoal) -> tuple[float, StageRates]:
    """Return the threshold that detects enough objects, and the rates at it."""
    assert votes is not None
    objects, others = votes.votes[votes.label == 1], votes.votes[votes.label == 0]
    threshold = threshold_of(objects, goal.min_detection)
    passing = float(np.mean(objects >= threshold)), float(np.mean(others >= threshold))
    return threshold, StageRates(*passing)


def passes(features: Features, stage: Stage, windows: Pixels) -> NDArray[np.bool_]:
    """Return which windows pass a stage."""
    source = features.columns(Windows(windows))
    score = np.zeros(len(windows))
    for tree in stage.trees:
        score += answer(tree, source.block(np.array(tree.feature))[0])
    passed: NDArray[np.bool_] = (score >= stage.threshold) & evaluated(features, windows)
    return passed


def evaluated(features: Features, windows: Pixels) -> NDArray[np.bool_]:
    """Return which windows a detector evaluates: with Haar features only those that vary."""
    if isinstance(features, LBPFeatures):
        return np.ones(len(windows), dtype=bool)
    return Windows(windows).varied
