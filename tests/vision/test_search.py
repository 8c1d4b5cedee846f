import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin import AdaBoostClassifier
from maxmargin.boosting import Columns
from maxmargin.ops.clock import Clock
from maxmargin.ops.engine import Engine, engines, serving
from maxmargin.ops.threads import Workers
from maxmargin.vision import HaarFeatures, LBPFeatures, Windows
from maxmargin.vision.search import FeatureSearch
from maxmargin.vision.stage import (
    Examples,
    StageGoal,
    answer,
    rounds_of,
    stump_of,
    threshold_of,
    train_stage,
)

seeds = st.integers(0, 2**32 - 1)
every_engine = pytest.mark.parametrize("engine", [engine.name for engine in engines()])
HAAR, LBP = HaarFeatures((9, 8))[::7], LBPFeatures((9, 8))
families = pytest.mark.parametrize("features", [HAAR, LBP], ids=["haar", "lbp"])


def drawn(rng, count, greys=256):
    return rng.integers(0, greys, size=(count, 8, 9)).astype(np.uint8)


def searching(features, windows, max_bytes=None, n_jobs=1):
    with Workers(n_jobs) as workers:
        return FeatureSearch(features, Windows(windows), workers, max_bytes)


@every_engine
@families
@settings(max_examples=15)
@given(seed=seeds, greys=st.sampled_from([2, 256]))
def test_the_best_stump_is_that_of_all_columns(engine, features, seed, greys):
    """Also where many values are equal, and where many stumps are."""
    rng = np.random.default_rng(seed)
    windows, signed = drawn(rng, 23, greys), rng.choice([-1.0, 1.0, 0.25], size=23)
    coded = np.full(len(features), features is LBP)
    expected = Columns(features.values(windows), coded).best_sign(signed)
    with serving(Engine(engine)):
        assert searching(features, windows).best(signed) == expected


@families
def test_neither_memory_nor_threads_change_it(features):
    rng = np.random.default_rng(0)
    windows, signed = drawn(rng, 300), rng.normal(size=300)
    whole = searching(features, windows).best(signed)
    for max_bytes, n_jobs in ((0, 1), (20_000, 3), (None, 3)):
        assert searching(features, windows, max_bytes, n_jobs).best(signed) == whole


def test_more_windows_than_fifteen_bits_number():
    rng = np.random.default_rng(0)
    windows, signed = drawn(rng, 33_000), rng.normal(size=33_000)
    few = HAAR[:9]
    assert searching(few, windows).best(signed) == Columns(few.values(windows)).best_sign(signed)


def boosted(windows, label, rounds, **goal):
    objects, others = windows[label > 0], windows[label < 0]
    training, checked = (Examples(HAAR, objects, others) for _ in range(2))
    search = searching(HAAR, training.windows.pixels)
    goal = StageGoal(1.0, 1e-9, rounds, **goal)
    trained = train_stage(search, training, checked, goal, Clock(), lambda *_: None)
    booster = rounds_of(search, training, checked, goal)
    for _ in range(0 if trained is None else len(trained[0].trees)):
        booster.round()
    return booster, trained


def some_task(count=120):
    rng = np.random.default_rng(3)
    windows, label = drawn(rng, count), np.repeat([1.0, -1.0], count // 2)
    windows[: count // 2, 2:5, 1:4] //= 2
    label[::7] *= -1  # so that no stage is perfect
    return windows, label


def test_a_stage_is_adaboost():
    windows, label = some_task()
    booster, (stage, _) = boosted(windows, label, 12)
    X = HAAR.values(booster.watched.windows).astype(np.float64)
    model = AdaBoostClassifier(n_estimators=12).fit(X, booster.training.label)
    assert stage.trees == booster.trees
    chosen = [stump.split_.feature for stump in model.estimators_]
    assert [tree.feature[0] for tree in booster.trees] == chosen
    alphas = [max(tree.leaves) for tree in booster.trees]
    np.testing.assert_allclose(alphas, np.asarray(model.alphas_), rtol=1e-6)
    np.testing.assert_array_equal(booster.training.votes > 0.0, model.predict(X))


def test_misses_that_are_dearer_are_fewer():
    windows, label = some_task(400)
    missed = []
    for asymmetry in (1.0, 20.0):
        rows = boosted(windows, label, 8, asymmetry=asymmetry)[0].training
        missed.append(np.mean(rows.votes[rows.label == 1] < 0.0))
    assert missed[1] < missed[0]


def test_the_threshold_lets_enough_faces_pass():
    scores = np.random.default_rng(0).normal(size=200)
    for share in (0.5, 0.97, 0.995, 1.0):
        limit = threshold_of(scores, share)
        assert np.mean(scores >= limit) >= share
        assert np.mean(scores > limit + 1e-6) < share or share == 0.0
        assert np.float32(limit) == limit


@families
def test_a_tree_says_what_its_split_says(features):
    rng = np.random.default_rng(1)
    windows, signed = drawn(rng, 60, 12), rng.normal(size=60)
    split = searching(features, windows).best(signed)
    values = features.values(windows)[:, split.feature]
    said = answer(stump_of(split, 1.0), values)
    np.testing.assert_array_equal(said, np.where(split.right_of(values), split.right, split.left))


def test_nothing_is_made_of_windows_that_are_all_alike():
    windows = np.full((20, 8, 9), 9, np.uint8)
    booster, trained = boosted(windows, np.repeat([1.0, -1.0], 10), 3)
    assert trained is None
    assert booster.trees == ()
