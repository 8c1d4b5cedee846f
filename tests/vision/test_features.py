import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.boosting import Columns
from maxmargin.ops.engine import Engine, engines, serving
from maxmargin.vision import HaarFeatures, ImageError, LBPFeatures, Windows

seeds = st.integers(0, 2**32 - 1)
every_engine = pytest.mark.parametrize("engine", [engine.name for engine in engines()])
SMALL = HaarFeatures((9, 8), kinds="all")
CODES = LBPFeatures((9, 8))


def test_there_are_as_many_as_viola_and_jones_count():
    features = HaarFeatures()
    kinds = ["edge_x", "edge_y", "line_x", "line_y", "checker"]
    counts = [len(HaarFeatures(kinds=kind)) for kind in kinds]
    assert counts == [43_200, 43_200, 27_600, 27_600, 20_736]
    assert len(features) == sum(counts) == 162_336
    assert features.rectangles.nbytes + features.weights.nbytes < 6_000_000
    assert len(LBPFeatures()) == sum((24 - 3 * k + 1) for k in range(1, 9)) ** 2


def counted(width, height, across, down):
    places = [width - across * w + 1 for w in range(1, width // across + 1)]
    return sum(places) * sum(height - down * h + 1 for h in range(1, height // down + 1))


@pytest.mark.parametrize(
    ("kind", "grid"),
    [("edge_x", (2, 1)), ("line_y", (1, 3)), ("wide_line_x", (4, 1)), ("center", (3, 3))],
)
def test_a_kind_has_all_sizes_and_places(kind, grid):
    features = HaarFeatures((13, 7), kinds=[kind])
    assert len(features) == counted(13, 7, *grid)
    assert len(np.unique(features.rectangles.reshape(len(features), -1), axis=0)) == len(features)


def test_tilted_ones_are_all_that_fit():
    """Counted by brute force over corners."""
    features, fitting = HaarFeatures((9, 8), kinds=["tilted_edge_x"]), 0
    for x, y, w, h in np.ndindex(9, 8, 9, 9):
        fitting += w > 0 and h > 0 and x - h >= 0 and x + 2 * w <= 9 and y + 2 * w + h <= 8
    assert len(features) == fitting
    assert features.tilted.all()


def by_hand(features, k, window):
    """Weigh pixel by pixel: upright rectangles by their sides, tilted ones by their diagonals."""
    total = 0
    for (left, top, w, h), weight in zip(
        features.rectangles[k].tolist(), features.weights[k].tolist(), strict=True
    ):
        for y, x in np.ndindex(window.shape):
            if features.tilted[k]:
                along, across = x + y - left - top, (y - x) - (top - left)
                inside = -1 <= along < 2 * w - 1 and 0 < across <= 2 * h
            else:
                inside = left <= x < left + w and top <= y < top + h
            total += weight * inside * int(window[y, x])
    inner = window[1:-1, 1:-1].astype(float)
    return total / (inner.size * inner.std()) if inner.std() > 0 else 0.0


@every_engine
@given(seeds)
def test_values_are_those_of_two_loops(engine, seed):
    rng = np.random.default_rng(seed)
    chosen = SMALL[rng.choice(len(SMALL), 4)]
    windows = rng.integers(0, 256, size=(3, 8, 9)).astype(np.uint8)
    with serving(Engine(engine)):
        values = chosen.values(windows)
    expected = [[by_hand(chosen, k, window) for k in range(4)] for window in windows]
    np.testing.assert_allclose(values, expected, rtol=1e-5, atol=1e-7)


@every_engine
@given(seeds)
def test_codes_are_those_of_nine_sums(engine, seed):
    rng = np.random.default_rng(seed)
    windows = rng.integers(0, 4, size=(3, 8, 9)).astype(np.uint8)
    with serving(Engine(engine)):
        codes = CODES.values(windows)
    for k in rng.choice(len(CODES), 5):
        x, y, w, h = CODES.cells[k].tolist()
        blocks = windows[:, y : y + 3 * h, x : x + 3 * w].astype(int)
        sums = blocks.reshape(3, 3, h, 3, w).sum(axis=(2, 4)).reshape(3, 9)
        around = sums[:, [0, 1, 2, 5, 8, 7, 6, 3]] >= sums[:, [4]]
        np.testing.assert_array_equal(codes[:, k], np.packbits(around, axis=1)[:, 0])


def test_brightness_and_contrast_do_not_matter():
    windows = np.random.default_rng(0).integers(0, 100, size=(5, 8, 9)).astype(np.uint8)
    brighter = (windows * 2 + 30).astype(np.uint8)
    np.testing.assert_allclose(SMALL.values(brighter), SMALL.values(windows), rtol=1e-4, atol=1e-6)
    flat = np.full((1, 8, 9), 77, dtype=np.uint8)
    assert not SMALL.values(flat).any()
    assert (CODES.values(flat) == 255).all()


def test_a_template_draws_what_a_feature_weighs():
    window = np.random.default_rng(0).integers(0, 256, size=(8, 9)).astype(np.uint8)
    norm = Windows.of(window[None]).norm[0]
    drawn = np.array([(SMALL.template(k) * window).sum() * norm for k in range(len(SMALL))])
    np.testing.assert_allclose(SMALL.values(window[None])[0], drawn, rtol=1e-4, atol=1e-6)
    assert max(abs(SMALL.template(k).sum()) for k in range(len(SMALL))) < 1e-4


@pytest.mark.parametrize("features", [SMALL, CODES], ids=lambda f: f.family)
def test_columns_come_in_blocks_for_the_search_of_splits(features):
    rng = np.random.default_rng(0)
    windows = rng.integers(0, 256, size=(60, 8, 9)).astype(np.uint8)
    signed = rng.choice([-1.0, 1.0], size=60)
    source, values = features.columns(windows), features.values(windows)
    block = np.arange(3, 9)
    read = np.array([entries.dense(60) for entries in source.read(block)])
    np.testing.assert_array_equal(read, values[:, block].T)
    expected = Columns(values).best_sign(signed)
    assert Columns(source, max_bytes=10_000).best_sign(signed) == expected


def test_some_of_them_are_features_too():
    part = SMALL[[5, 2]]
    assert part == HaarFeatures.from_rectangles(
        (9, 8), SMALL.rectangles[[5, 2]], SMALL.weights[[5, 2]], SMALL.tilted[[5, 2]]
    )
    assert hash(part) == hash(SMALL[[5, 2]])
    assert part != SMALL[[2, 5]]
    assert len(SMALL[SMALL.tilted]) == SMALL.tilted.sum()
    assert CODES[3:5] == LBPFeatures.from_cells((9, 8), CODES.cells[3:5])
    assert len(list(CODES[:4])) == 4


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda: HaarFeatures((2, 9)), "must be two whole numbers"),
        (lambda: HaarFeatures(24), "must be two whole numbers"),
        (lambda: HaarFeatures(kinds="square"), "Kinds of Haar features are .* Got 'square'"),
        (lambda: HaarFeatures(kinds=[]), "Kinds of Haar features are"),
        (lambda: LBPFeatures.from_cells((9, 8), [[0, 0, 4, 1]]), "reaches out of the window"),
        (
            lambda: HaarFeatures.from_rectangles(
                (9, 8), [[[0, 0, 9, 9], [0, 0, 1, 1], [0, 0, 0, 0]]], [[-1, 2, 0]]
            ),
            "Feature 0 reaches out of the window of 9 x 8 pixels",
        ),
        (lambda: SMALL.values(np.zeros((3, 9, 8), np.uint8)), "the windows given are 8 x 9"),
        (
            lambda: SMALL.values([np.zeros((8, 9)), np.zeros((7, 9))]),
            "image 1 is 9 x 7, image 0 is 9 x 8",
        ),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence):
    with pytest.raises((ValueError, ImageError), match=sentence):
        call()
