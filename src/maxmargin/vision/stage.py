"""One stage: AdaBoost adds features until few enough windows without the object pass.

With labels t of -1 and +1 and weights w of sum 1, a round takes the stump h of the least weighted
error e, votes for it with alpha = log((1 - e) / e) / 2 and weighs anew,

    w <- w exp(-alpha t h),

so the stage says F = sum of alpha h (Freund and Schapire 1997; Viola and Jones 2001, table 1). A
miss shall cost k times a false positive: weights are multiplied by exp(t log sqrt(k) / N)
before each of the first N rounds, since the first round would absorb a factor given at once (Viola
and Jones 2002, "Fast and robust classification using asymmetric AdaBoost"). The threshold of F
is the largest at which enough validation faces pass.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from maxmargin.boosting.theory import PERFECT_WEIGHT, alpha_of_error
from maxmargin.ops.clock import Clock
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
_FLOOR = 1e-12  # error of a stump that makes none, where alpha would be infinite


@dataclass(frozen=True)
class Goal:
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
class Rates:
    """What a stage reaches on validation windows."""

    detection: float
    false_positive: float


class Examples:
    """Windows with and without the object, and what a stage says of them so far.

    Parameters
    ----------
    features : HaarFeatures or LBPFeatures
    objects, others : ndarray of uint8 of shape (windows, height, width)
    """

    def __init__(self, features: Features, objects: Pixels, others: Pixels) -> None:
        self.windows = Windows(np.concatenate([objects, others]))
        self.label = np.repeat([1.0, -1.0], [len(objects), len(others)])
        self.scores = np.zeros(len(self.windows))
        self._source = features.columns(self.windows)

    def add(self, tree: Tree) -> Vector:
        """Add a tree's answers to the scores; gives them."""
        values = self._source.block(np.array(tree.feature))[0]
        answers = answer(tree, values)
        self.scores += answers
        return answers

    @property
    def objects(self) -> Vector:
        """Scores of windows with the object."""
        return self.scores[self.label > 0]

    @property
    def others(self) -> Vector:
        """Scores of windows without it."""
        return self.scores[self.label < 0]


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


class StageBooster:
    """The rounds of one stage.

    Parameters
    ----------
    search : FeatureSearch
        Over the windows of ``training``.
    training, validation : Examples
    goal : Goal
    """

    def __init__(
        self, search: FeatureSearch, training: Examples, validation: Examples, goal: Goal
    ) -> None:
        self._search, self._training, self._validation = search, training, validation
        self._goal, self.threshold = goal, 0.0
        self.trees: list[Tree] = []
        self.rates: Rates | None = None  # of the trees so far
        positive = training.label > 0
        self._weight = np.where(positive, 0.5 / positive.sum(), 0.5 / (~positive).sum())

    def round(self) -> Rates | None:
        """Add a tree; gives the rates of the stage, or None if no feature separates the classes."""
        label = self._training.label
        self._lean()
        split = self._search.best(self._weight * label)
        error = 0.5 * (1.0 - split.gain)
        if split.feature < 0 or error >= 0.5:
            return None
        tree = stump_of(split, self._alpha(error))
        self.trees.append(tree)
        agreement = label * self._training.add(tree)
        self._weight *= np.exp(-agreement)
        self._weight /= self._weight.sum()
        self._validation.add(tree)
        return self._rates()

    def _lean(self) -> None:
        """Raise the cost of misses, a little every round."""
        if len(self.trees) < self._goal.spread:
            step = 0.5 * math.log(self._goal.asymmetry) / self._goal.spread
            self._weight *= np.exp(step * self._training.label)
        self._weight /= self._weight.sum()

    def _alpha(self, error: float) -> float:
        if error <= _FLOOR:  # more than all before it together
            return PERFECT_WEIGHT + sum(abs(tree.leaves[0]) for tree in self.trees)
        return float(alpha_of_error(error))

    def _rates(self) -> Rates:
        objects, others = self._validation.objects, self._validation.others
        self.threshold = threshold_of(objects, self._goal.min_detection)
        detection = float(np.mean(objects >= self.threshold))
        return Rates(detection, float(np.mean(others >= self.threshold)))

    def run(self, clock: Clock, tell: Callable[[int, Rates], None]) -> Rates | None:
        """Add trees until the goal is reached; None where not one could be."""
        while len(self.trees) < self._goal.max_features:
            clock.stop_if_over()
            rates = self.round()
            if rates is None:
                break
            self.rates = rates
            tell(len(self.trees), rates)
            if rates.false_positive <= self._goal.max_false_positive:
                break
        return self.rates

    def stage(self) -> Stage:
        """Return the stage."""
        return Stage(self.threshold, tuple(self.trees))


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
