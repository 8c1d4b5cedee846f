import numpy as np
import pytest

from maxmargin.boosting import Split
from maxmargin.ops.clock import Clock, TimeUp
from maxmargin.ops.threads import Workers
from maxmargin.vision import HaarFeatures
from maxmargin.vision.search import FeatureSearch
from maxmargin.vision.stage import (
    Examples,
    StageGoal,
    answer,
    passes,
    rate,
    rounds_of,
    stump_of,
    train_stage,
)

FEATURES = HaarFeatures((9, 8))[::7]


@pytest.fixture
def examples():
    windows = np.random.default_rng(1).integers(0, 256, size=(40, 8, 9)).astype(np.uint8)
    windows[:20, 2:5, 1:4] //= 4
    return Examples(FEATURES, windows[:20], windows[20:])


@pytest.fixture
def search(examples):
    with Workers(1) as workers:
        return FeatureSearch(FEATURES, examples.windows, workers)


def test_a_stage_passes_what_its_goal_asks_for(examples, search):
    said = []
    goal = StageGoal(0.9, 0.3, 20)
    stage, rates = train_stage(
        search, examples, examples, goal, Clock(), lambda count, rates: said.append((count, rates))
    )
    assert said[-1] == (len(stage.trees), rates)
    assert rates.detection >= 0.9
    assert rates.false_positive <= 0.3
    passed = passes(FEATURES, stage, examples.windows.pixels)
    assert passed[:20].mean() == rates.detection


def test_votes_are_those_of_the_stored_trees(examples, search):
    rounds = rounds_of(search, examples, examples, StageGoal(1.0, 0.0, 3))
    for _ in range(3):
        rounds.round()
    sums = sum(answer(tree, examples.values(tree.feature[0])) for tree in rounds.trees)
    np.testing.assert_array_equal(sums, rounds.training.votes)
    threshold, rates = rate(rounds.validation, StageGoal(1.0, 0.0, 3))
    assert rates.detection == 1.0
    assert np.float32(threshold) == threshold


def test_both_classes_weigh_the_same(examples):
    votes = Examples(FEATURES, examples.windows.pixels[:5], examples.windows.pixels[20:]).votes()
    assert votes.weight[votes.label == 1].sum() == pytest.approx(0.5)


def test_a_clock_that_is_over_ends_the_stage(examples, search):
    with pytest.raises(TimeUp):
        train_stage(search, examples, examples, StageGoal(1.0, 0.0, 3), Clock(0.0), lambda *_: None)


def test_a_tree_sends_equal_values_where_its_split_does():
    tree = stump_of(Split(0, 2.0, left=-1.0, right=1.0), 0.5)
    values = np.array([1.0, 2.0, 3.0], dtype=np.float32)
    np.testing.assert_array_equal(answer(tree, values), [-0.5, -0.5, 0.5])
