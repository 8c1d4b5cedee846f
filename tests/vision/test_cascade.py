import numpy as np
import pytest
from PIL import Image

from maxmargin.inputs.parameters import ParameterError
from maxmargin.ops.engine import Engine, serving
from maxmargin.vision import (
    Cascade,
    CascadeClassifier,
    HaarFeatures,
    LBPFeatures,
    Stage,
    Tree,
    group_rectangles,
)
from maxmargin.vision.image import resize
from maxmargin.vision.scan import list_layers
from tests.vision.conftest import some_image


def same_scan(one, two):
    np.testing.assert_array_equal(one.boxes, two.boxes)
    np.testing.assert_allclose(one.scores, two.scores, rtol=1e-12)
    np.testing.assert_array_equal(one.passed, two.passed)
    assert (one.windows, one.mean_features) == (two.windows, two.mean_features)


def test_scans_are_those_of_one_window_after_another(cascade, image):
    part = image[:34, :41]
    fast = cascade.scan(part, 1.5)
    with serving(Engine("reference")):
        slow = cascade.scan(part, 1.5)
    assert 0 < len(fast.boxes) < fast.windows
    same_scan(fast, slow)


def test_what_passes_is_what_the_values_of_features_say(cascade, image):
    """Stages evaluated from values of cut windows, without skipping."""
    layer = list_layers(image.shape, cascade.window, 1.3, (0, 0), None)[3]
    small = resize(image, layer.width, layer.height)
    width, height = cascade.window
    size = tuple(np.rint(np.float32(cascade.window) * layer.scale).astype(int).tolist())
    found = {tuple(box) for box in cascade.scan(image, 1.3, size, size).boxes.tolist()}
    places = list(np.ndindex(layer.rows, layer.columns))
    cut = [small[y * layer.step :, x * layer.step :][:height, :width] for y, x in places]
    values = cascade.features.values(np.array(cut))
    passing = set()
    for (y, x), row, window in zip(places, values, cut, strict=True):
        flat = cascade.features.family == "HAAR" and window[1:-1, 1:-1].std() <= 10
        if not flat and all(stage_sum(stage, row) >= stage.threshold for stage in cascade.stages):
            corner = np.rint(np.float32([x, y]) * layer.step * layer.scale).astype(int)
            passing.add((*corner.tolist(), *size))
    assert found
    assert found <= passing


def stage_sum(stage, row):
    return sum(leaf_of(tree, row) for tree in stage.trees)


def leaf_of(tree, row):
    node = 0
    while True:
        value = row[tree.feature[node]]
        below = tree.codes[node] >> int(value) & 1 if tree.codes else value < tree.threshold[node]
        node = tree.left[node] if below else tree.right[node]
        if node <= 0:
            return tree.leaves[-node]


def test_any_number_of_threads_and_any_container_find_the_same(cascade, image):
    alone = cascade.scan(image, n_jobs=1)
    same_scan(cascade.scan(image, n_jobs=5), alone)
    for other in (image.tolist(), image.astype(float), Image.fromarray(image), image[:, :, None]):
        np.testing.assert_array_equal(cascade.scan(other, n_jobs=1).boxes, alone.boxes)


def test_statistics_add_up(cascade, image):
    scan = cascade.scan(image)
    sizes = [len(stage.trees) for stage in cascade.stages]
    assert scan.windows >= scan.passed[0]
    assert (np.diff(scan.passed) <= 0).all()
    assert scan.passed[-1] == len(scan.boxes) == len(scan.scores)
    assert scan.mean_features == pytest.approx(scan.passed[:-1] @ sizes / scan.windows)
    assert (scan.scores >= np.float32(cascade.stages[-1].threshold - 2e-5)).all()


def test_sizes_are_kept_to(cascade, image):
    boxes = cascade.detect(image, 1.2, 0, min_size=(20, 20), max_size=(40, 33))
    assert len(boxes)
    assert boxes[:, 2:].min(axis=0).tolist() >= [20, 20]
    assert (boxes[:, 2:].max(axis=0) <= [40, 33]).all()
    everything = {tuple(box) for box in cascade.detect(image, 1.2, 0).tolist()}
    assert {tuple(box) for box in boxes.tolist()} <= everything
    assert cascade.detect(image[:9, :9]).shape == (0, 4)


def test_scores_come_with_boxes(cascade, image):
    boxes, scores = cascade.detect(image, return_scores=True)
    raw, sums = cascade.detect(image, min_neighbors=0, return_scores=True)
    assert len(boxes) == len(scores) < len(raw)
    assert set(scores) <= set(sums)
    assert (boxes[:, :2] >= 0).all()
    assert (boxes[:, :2] + boxes[:, 2:] <= image.shape[::-1]).all()


def test_a_pattern_is_found_where_it_stands():
    """A dark band between bright ones, at three sizes, and nothing else."""
    rng = np.random.default_rng(0)
    image = np.full((150, 200), 128.0) + rng.normal(scale=3.0, size=(150, 200))
    truth = [(10, 20, 24), (60, 70, 36), (120, 40, 54)]
    for x, y, size in truth:
        image[y : y + size, x : x + size] = 220
        image[y + size // 3 : y + 2 * size // 3, x : x + size] = 20
    whole = HaarFeatures((12, 12), kinds=["line_y"])
    largest = np.flatnonzero((whole.rectangles[:, 0] == [0, 0, 12, 12]).all(axis=1))
    cascade = Cascade(whole[largest], (Stage(0.5, (Tree.stump(0, -1.6, 1.0, 0.0),)),))
    boxes = cascade.detect(image.clip(0, 255), min_neighbors=1)
    assert len(boxes) == 3
    for box, (x, y, size) in zip(sorted(boxes.tolist()), truth, strict=True):
        assert overlap(box, [x, y, size, size]) > 0.6


def overlap(one, two):
    """Area of the common part over that of both."""
    one, two = np.array(one), np.array(two)
    low, high = np.maximum(one[:2], two[:2]), np.minimum(one[:2] + one[2:], two[:2] + two[2:])
    common = np.prod(np.maximum(high - low, 0))
    return common / (np.prod(one[2:]) + np.prod(two[2:]) - common)


def test_grouping_joins_chains_and_drops_what_is_inside_or_alone():
    chain = [[k, 0, 40, 40] for k in range(0, 30, 3)]
    inside = [[12, 12, 10, 10]] * 4
    lonely = [[200, 200, 20, 20]] * 3
    boxes, counts, best = group_rectangles(chain + inside + lonely, 3, scores=range(17))
    assert boxes.tolist() == [[14, 0, 40, 40]]
    assert (counts.tolist(), best.tolist()) == ([10], [9.0])
    assert [len(part) for part in group_rectangles([])] == [0, 0, 0]


@pytest.mark.parametrize("seed", range(3))
def test_groups_are_those_of_the_reference(seed):
    rng = np.random.default_rng(seed)
    boxes = np.column_stack([rng.integers(0, 60, size=(80, 2)), rng.integers(15, 40, size=(80, 2))])
    with serving(Engine("reference")):
        slow = group_rectangles(boxes, 2)
    for one, two in zip(group_rectangles(boxes, 2), slow, strict=True):
        np.testing.assert_array_equal(one, two)


@pytest.mark.parametrize(
    ("call", "sentence"),
    [
        (lambda c: c.detect(np.zeros((50, 50)), 1.0), "'scale_factor' parameter of detect must be"),
        (lambda c: c.detect(np.zeros((50, 50)), min_neighbors=-1), "'min_neighbors' parameter"),
        (lambda c: c.detect("photo.jpg"), "Expected an image"),
        (lambda c: Cascade(c.features, ()), "needs at least one stage"),
        (lambda c: Stage(0.0, ()), "needs at least one tree"),
        (lambda c: Cascade(c.features[:1], c.stages), "there are 1"),
        (lambda c: Tree((0,), (1,), (0,), (0.0, 1.0), (0.5,)), "leads to 1, which is not below"),
        (lambda c: Tree((0, 0), (1, 0), (-1, 1), (0.0, 1.0, 2.0), (0.5, 0.5)), "Node 1"),
        (lambda c: Tree((0,), (0,), (-1,), (0.0,), (0.5,)), "two ways for each"),
        (lambda c: Tree.stump(0, np.nan, 0.0, 1.0), "must be finite"),
        (lambda c: Tree((0,), (0,), (-1,), (0.0, 1.0), codes=(1 << 256,)), "256 bits"),
    ],
)
def test_bad_input_gets_a_sentence(call, sentence, cascade):
    with pytest.raises(ValueError, match=sentence):
        call(cascade)


def test_families_are_not_mixed():
    stage = Stage(0.0, (Tree.stump(0, 0.5, 0.0, 1.0),))
    with pytest.raises(ValueError, match="of LBP features codes"):
        Cascade(LBPFeatures((9, 9)), (stage,))
    with pytest.raises(ValueError, match="Haar features need thresholds"):
        Cascade(HaarFeatures((9, 9)), (Stage(0.0, (Tree.of_codes(0, [1, 255], 0.0, 1.0),)),))


def test_opencv_finds_the_same(cascade, tmp_path, opencv):
    """Windows and boxes, in grey and colour, by its own class and by ours of the same name."""
    file = str(tmp_path / "cascade.xml")
    cascade.to_opencv(file)
    theirs, ours = opencv.CascadeClassifier(file), CascadeClassifier(file)
    assert theirs.getOriginalWindowSize() == ours.getOriginalWindowSize() == cascade.window
    assert theirs.getFeatureType() == ours.getFeatureType()
    assert theirs.isOldFormatCascade() == ours.isOldFormatCascade()
    rng = np.random.default_rng(3)
    for height, width, factor in ((60, 90, 1.1), (101, 47, 1.3), (33, 34, 2.1)):
        grey = some_image(rng, height, width)
        colour = np.dstack([grey, grey[::-1], grey[:, ::-1]])
        for picture in (grey, np.ascontiguousarray(colour)):
            raw = theirs.detectMultiScale(picture, factor, 0)
            assert same_boxes(raw, ours.detectMultiScale(picture, factor, 0))
            assert same_boxes(raw, cascade.detect(picture, factor, 0, order="bgr"))
            boxes, counts = theirs.detectMultiScale2(picture, factor, 2, minSize=(14, 14))
            mine, number = ours.detectMultiScale2(picture, factor, 2, minSize=(14, 14))
            assert same_boxes(boxes, mine)
            assert sorted(counts) == sorted(number)


def same_boxes(one, two):
    return sorted(np.reshape(one, (-1, 4)).tolist()) == sorted(np.reshape(two, (-1, 4)).tolist())


def test_levels_are_opencvs(cascade, image, tmp_path, opencv):
    file = str(tmp_path / "cascade.xml")
    cascade.to_opencv(file)
    given = {"minNeighbors": 0, "outputRejectLevels": True}
    theirs = opencv.CascadeClassifier(file).detectMultiScale3(image, **given)
    ours = CascadeClassifier(file).detectMultiScale3(image, **given)
    orders = [np.lexsort(np.vstack([found[2], found[0].T])) for found in (theirs, ours)]
    for one, two in zip(theirs, ours, strict=True):
        assert one.dtype == two.dtype
        np.testing.assert_allclose(one[orders[0]], two[orders[1]], rtol=1e-12)


def test_opencvs_class_without_a_cascade(image, tmp_path):
    empty = CascadeClassifier()
    assert empty.empty()
    assert not empty.load(tmp_path / "none.xml")
    with pytest.raises(ValueError, match="No cascade is loaded"):
        empty.detectMultiScale(image)


def test_where_nothing_is_found_opencvs_class_gives_empty_tuples(cascade, tmp_path):
    cascade.to_opencv(tmp_path / "cascade.xml")
    ours, dot = CascadeClassifier(tmp_path / "cascade.xml"), np.zeros((5, 5), np.uint8)
    assert ours.detectMultiScale(dot) == ()
    assert ours.detectMultiScale2(dot) == ((), ())
    assert ours.detectMultiScale3(dot, outputRejectLevels=True) == ((), (), ())


@pytest.mark.parametrize("size", [30, (1, 2, 3), (np.nan, 3), (-1, 3), ("a", 3)])
def test_sizes_that_are_none_get_a_sentence(cascade, image, size):
    with pytest.raises(ParameterError, match=r"'min_size' .* must be \(width, height\)"):
        cascade.detect(image, min_size=size)
    with pytest.raises(ParameterError, match=r"'max_size' .* must be \(width, height\)"):
        cascade.detect(image, max_size=size)
