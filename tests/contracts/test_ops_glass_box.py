"""Rounds of shapes: every engine takes the steps that the obvious way takes."""

import numpy as np
import pytest

from maxmargin.ops.reference import glass_box as obvious

GROUP = "glass_box"
RULES = [np.array([0.1, 2.0, 1e-3, np.inf, 2.5, power]) for power in (0.0, 1.0, 2.0, 8.0)]


def table(seed, rows=80, columns=5, bins=6):
    rng = np.random.default_rng(seed)
    codes = rng.integers(0, bins, size=(columns, rows)).astype(np.uint8)
    g, h = rng.normal(size=rows), rng.uniform(0.1, 1.0, size=rows)
    g[:10] = h[:10] = 0.0
    return codes, g, h


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"power {rule[5]:g}")
@pytest.mark.parametrize("floor", [-np.inf, 1.0])
def test_columns(tested, seed, rule, floor):
    codes, g, h = table(seed)
    begin = 6 * np.arange(6)
    H, W = np.zeros(30), np.zeros(30)
    obvious.sum_bins(codes, begin, h, H)
    obvious.sum_bins(codes, begin, np.ones(len(g)), W)
    kind, n_bins = np.array([0, 1, 2, 3, 0]), np.array([5, 4, 5, 5, 5])
    found = []
    for ops in (tested, obvious):
        d, values, gains = np.zeros(len(g)), np.zeros(30), np.array([2.0, 0.5, 2.0, 2.0, 2.0])
        ops.sweep_columns(codes, begin, n_bins, kind, rule, g, h, H, W, d, values, gains, floor)
        found.append((d, values, gains))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    assert np.abs(found[0][1]).sum() > 0


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("rule", RULES, ids=lambda rule: f"power {rule[5]:g}")
@pytest.mark.parametrize("kind", [(0, 0), (1, 0), (0, -1), (1, -1), (1, 1)], ids=str)
def test_pairs(tested, seed, rule, kind):
    codes, g, h = table(seed, rows=150)
    shape = np.array([[6, 6], [6, 6]])
    cells = np.stack([codes[0] * 6 + codes[1], codes[2] * 6 + codes[3]]).astype(np.uint16)
    begin, H, W = 36 * np.arange(3), np.zeros(72), np.zeros(72)
    obvious.sum_bins(cells, begin, h, H)
    obvious.sum_bins(cells, begin, np.ones(len(g)), W)
    found = []
    for ops in (tested, obvious):
        d, values, gains = np.zeros(len(g)), np.zeros(72), np.zeros(2)
        signs = np.array([kind, kind])
        ops.sweep_pairs(cells, begin, shape, signs, rule, g, h, H, W, d, values, gains, -np.inf)
        found.append((d, values, gains))
    for one, other in zip(*found, strict=True):
        np.testing.assert_allclose(one, other, atol=1e-12)
    steps = found[0][1].reshape(2, 6, 6)
    assert (kind[0] * np.diff(steps, axis=1) >= 0).all()
    assert (kind[1] * np.diff(steps, axis=2) >= 0).all()


@pytest.mark.parametrize("seed", range(4))
def test_gains_of_pairs(tested, seed):
    codes, g, h = table(seed)
    args = codes[0], codes[1], 6, 6, g, h, 1.0
    assert tested.pair_gain(*args) == pytest.approx(obvious.pair_gain(*args), rel=1e-10)


@pytest.mark.parametrize("seed", range(3))
def test_a_gain_is_what_an_interaction_saves_in_least_squares(ops, seed):
    """Of weighted fits of two columns of two bins each, with and without the product."""
    rng = np.random.default_rng(seed)
    one, other = rng.integers(0, 2, size=(2, 60)).astype(np.uint8)
    g, h = rng.normal(size=60), rng.uniform(0.5, 2.0, size=60)
    left = []
    for extra in ([], [one * other]):
        A = np.column_stack([np.ones(60), one, other, *extra]) * np.sqrt(h)[:, None]
        left.append(float(np.linalg.lstsq(A, -g / np.sqrt(h), rcond=None)[1][0]))
    assert ops.pair_gain(one, other, 2, 2, g, h, 0.0) == pytest.approx(left[0] - left[1])


@pytest.mark.parametrize("rows", [50, 1300])
def test_slopes_and_losses(tested, rows):
    rng = np.random.default_rng(0)
    z, weight = 3 * rng.normal(size=(3, rows)), rng.uniform(size=rows)
    label, fold = rng.integers(0, 3, size=rows), rng.integers(0, 4, size=rows).astype(np.int16)
    t, held = np.where(label == 0, -1.0, 1.0), np.flatnonzero(fold == 2)
    cases = [("logistic", z[0], t), ("softmax", z, label), ("square", z[0], t)]
    for name, values, target in cases:
        found = []
        for ops in (tested, obvious):
            g, h = np.zeros(values.shape), np.zeros(values.shape)
            getattr(ops, f"{name}_slopes")(values, target, weight, fold, 2, g, h)
            loss = getattr(ops, f"{name}_loss", lambda *_: 0.0)(values, target, weight, held)
            found.append((g, h, loss))
        for one, other in zip(*found, strict=True):
            np.testing.assert_allclose(one, other, atol=1e-12)
        assert (found[0][0][..., held] == 0).all()
        assert (found[0][1][..., held] == 0).all()


def test_codes_and_sums(tested):
    rng = np.random.default_rng(0)
    values = np.round(rng.normal(size=200), 1)
    values[::7] = np.nan
    cuts = np.array([-1.0, 0.0, 0.05, 0.7])
    found = [np.zeros(200, np.uint8) for _ in range(2)]
    for ops, codes in zip((tested, obvious), found, strict=True):
        ops.code_numbers(values, cuts, codes)
    np.testing.assert_array_equal(*found)
    assert found[0][0] == 0
    totals, begin = [np.zeros(5), np.zeros(5)], np.array([0, 5])
    for ops, sums in zip((tested, obvious), totals, strict=True):
        ops.sum_bins(np.minimum(found[0], 4)[None], begin, np.ones(200), sums)
        ops.add_term(found[0], np.arange(6.0), sums_of := np.zeros(200))
        np.testing.assert_array_equal(sums_of, found[0])
    np.testing.assert_array_equal(*totals)
