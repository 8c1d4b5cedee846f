"""Rare levels of words that are grouped by how they begin."""

import numpy as np
import pandas as pd
import pytest

from maxmargin import TableSVR
from maxmargin.tabular.prefixes import MOST_PREFIXES, find_prefixes, match_prefixes
from maxmargin.tabular.preparation import BLOCKS, Preparation, _target_means

RNG = np.random.default_rng(0)
ROWS = 900
PLACE = RNG.integers(0, 4, ROWS)
CODES = np.array([f"{'ABCD'[p]}-{RNG.integers(0, 10**4):04}" for p in PLACE], dtype=object)
Y = np.array([2.0, -2.0, 0.0, 0.0])[PLACE] + RNG.normal(size=ROWS)


def learn(codes, y):
    return Preparation.learn([codes], ["code"], (y - y.mean())[:, None] / y.std())


def of_block(rows, name):
    return rows.X[:, rows.block == BLOCKS.index(name)]


def found(codes, y):
    levels, number = np.unique(codes.astype(str), return_inverse=True)
    sums = np.bincount(number, y)[:, None]
    return find_prefixes(levels, np.bincount(number).astype(float), sums, np.array([y @ y]))


def test_beginnings_that_tell_of_the_target_make_groups():
    preparation, rows = learn(CODES, Y)
    assert set(preparation.columns[0].prefixes.tolist()) == {"A", "B"}
    assert "by how they begin: " in str(preparation)
    indicators = of_block(rows, "levels") > 0
    shared = indicators[:, indicators.sum(axis=0) > ROWS // 8].argmax(axis=1)
    assert len(np.unique(shared[PLACE == 0])) <= 2
    assert np.bincount(shared[PLACE == 0]).argmax() != np.bincount(shared[PLACE == 1]).argmax()


def test_chance_makes_no_groups():
    for seed in range(20):
        y = np.random.default_rng(seed).normal(size=ROWS)
        assert len(found(CODES, y)) == 0


def test_a_longer_beginning_is_found_within_a_shorter_one():
    deep = np.array([f"A{RNG.integers(0, 5)}{RNG.integers(0, 999):03}" for _ in range(ROWS)])
    y = 3.0 * np.char.startswith(deep, "A3") + RNG.normal(size=ROWS)
    assert "A3" in found(deep, y).tolist()


def test_groups_are_few():
    many = np.array([f"{chr(65 + k % 20)}{k:05}" for k in range(2000)])
    y = np.repeat(RNG.permutation(20)[None], 100, axis=0).ravel() + 0.01 * RNG.normal(size=2000)
    assert len(found(many, y - y.mean())) == MOST_PREFIXES


@pytest.mark.parametrize("outputs", [0, 1])
def test_without_a_target_or_levels_there_are_none(outputs):
    none = np.zeros((0, outputs))
    assert len(find_prefixes(np.zeros(0, np.str_), np.zeros(0), none, np.zeros(outputs))) == 0


def test_the_longest_beginning_counts():
    assert match_prefixes(["ABC", "AC", "B"], np.array(["A", "AB"])).tolist() == [1, 0, -1]
    assert match_prefixes(["A"], np.zeros(0, np.str_)).tolist() == [-1]


def test_a_new_word_is_read_by_how_it_begins():
    preparation, _ = learn(CODES, Y)
    rows = preparation.rows([np.array(["A-new", "B-new", "Z-new", None], dtype=object)])
    indicators, means = of_block(rows, "levels"), of_block(rows, "target means")[:, 0]
    assert (indicators > 0).sum(axis=1).tolist() == [1, 1, 0, 0]
    assert means[0] > 0.3
    assert means[1] < -0.3
    assert means[2:].tolist() == [0.0, 0.0]


def test_no_row_sees_its_own_target():
    code, group = PLACE + 4 * (np.arange(ROWS) % 5), np.arange(20) % 2
    changed = Y.copy()
    changed[0] += 9.0
    fitted = [
        _target_means(code, each[:, None], group, 2, np.ones(ROWS))[1] for each in (Y, changed)
    ]
    assert fitted[0][0] == pytest.approx(fitted[1][0], rel=1e-12)
    assert not np.array_equal(fitted[0], fitted[1])


def test_groups_help(monkeypatch):
    X, train = pd.DataFrame({"code": CODES, "x": RNG.normal(size=ROWS)}), slice(0, 600)
    model = TableSVR().fit(X[train], Y[train])
    values = model.predict(X[600:])
    monkeypatch.setattr("maxmargin.tabular.prefixes.MOST_PREFIXES", 0)
    plain = TableSVR().fit(X[train], Y[train]).predict(X[600:])
    off, without = (np.square(each - Y[600:]).mean() for each in (values, plain))
    assert off < 0.7 * without
