import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.evaluation import clopper_pearson, evaluate_detector
from maxmargin.evaluation.detector import overlaps
from maxmargin.inputs.parameters import ParameterError
from maxmargin.vision import Cascade, HaarFeatures, Stage, Tree

EDGES = HaarFeatures((8, 8), kinds="edge_x")
HALVES = len(EDGES) - 1  # the left half of a window against its right half
STEPS = [Tree.stump(HALVES, 0.9 + 0.13 * k, 0.0, 1.0 + 0.01 * k) for k in range(6)]
STAGES = [Stage(0.5, [Tree.stump(HALVES, limit, 0.0, 1.0)]) for limit in (0.5, 0.7)]
STAGES += [Stage(0.5, STEPS), Stage(1.5, STEPS)]
CASCADE = Cascade(EDGES, STAGES)


def some_images():
    """Light bars, whose right sides are the objects, among blobs."""
    rng = np.random.default_rng(0)
    images, truth = [], []
    for x, y, light in ((10, 8, 250), (30, 20, 105), (18, 30, 250)):
        blobs = np.kron(rng.integers(0, 120, size=(20, 25)), np.ones((4, 4)))
        image = blobs + rng.normal(scale=5, size=blobs.shape)
        image[y : y + 32, x : x + 16] = light
        images.append(np.clip(image, 0, 255).astype(np.uint8))
        truth.append([[x + 8, y + 8, 16, 16]])
    return images, [*truth[:2], []]


IMAGES, TRUTH = some_images()


@pytest.fixture(scope="module")
def found():
    return evaluate_detector(CASCADE, IMAGES, TRUTH, fewest_stages=2, points=6)


def counted(cascade, overlap=0.5, **options):
    """Count by detecting, with sets of pixels for boxes."""
    right = wrong = 0
    for image, known in zip(IMAGES, TRUTH, strict=True):
        boxes, scores = cascade.detect(image, return_scores=True, **options)
        left = [pixels(*box) for box in known]
        for k in np.argsort(-scores, kind="stable"):
            mine = pixels(*boxes[k].tolist())
            shares = [len(mine & other) / len(mine | other) for other in left]
            if shares and max(shares) >= overlap:
                left[int(np.argmax(shares))] = set()
                right += 1
            else:
                wrong += 1
    return right, wrong


def pixels(x, y, width, height):
    return {(a, b) for a in range(x, x + width) for b in range(y, y + height)}


def test_every_point_is_what_a_detector_with_that_threshold_finds(found):
    assert set(found.detected) == {1, 2}
    for k in range(0, len(found.detected), 3):
        last = found.stages[k] - 1
        limit = max(found.thresholds[k], STAGES[last].threshold)
        stages = [*STAGES[:last], Stage(limit, STAGES[last].trees)]
        expected = found.detected[k], found.false_positives[k]
        assert counted(Cascade(EDGES, stages)) == expected


def test_a_point_of_the_curve_is_a_cascade(found):
    most = int(np.median(found.false_positives))
    right, wrong = counted(found.cascade_at(most, CASCADE))
    assert wrong <= most
    assert right == round(found.detection_at(most).value * found.objects)
    with pytest.raises(ValueError, match="No point of the curve has at most -1"):
        found.cascade_at(-1, CASCADE)
    assert CASCADE.stricter(-9.0) == CASCADE
    with pytest.raises(ValueError, match="no first 5 to keep"):
        CASCADE.stricter(0.0, 5)


def test_the_detector_as_it_is_stands_in_the_curve(found):
    assert (found.found, found.wrong) == counted(CASCADE)
    assert found.detection == clopper_pearson(found.found, 2)
    assert (found.objects, found.images) == (2, 3)
    assert found.detection_at(found.wrong).value >= found.detection.value
    assert found.detection_at(-1).value == 0.0


def test_without_neighbours_every_window_counts():
    raw = evaluate_detector(CASCADE, IMAGES, TRUTH, min_neighbors=0, fewest_stages=4, points=1)
    assert (raw.found, raw.wrong) == counted(CASCADE, min_neighbors=0)
    assert raw.found + raw.wrong == raw.passed[-1]


def test_stages_and_features_are_those_of_scans(found):
    scans = [CASCADE.scan(image) for image in IMAGES]
    assert found.windows == sum(scan.windows for scan in scans)
    np.testing.assert_array_equal(found.passed, np.sum([scan.passed for scan in scans], axis=0))
    spent = sum(scan.mean_features * scan.windows for scan in scans)
    assert found.mean_features == pytest.approx(spent / found.windows)
    assert np.prod(found.pass_rates) == pytest.approx(found.passed[-1] / found.passed[0])


def test_threads_change_nothing(found):
    again = evaluate_detector(CASCADE, IMAGES, TRUTH, fewest_stages=2, points=6, n_jobs=3)
    np.testing.assert_array_equal(again.detected, found.detected)
    np.testing.assert_array_equal(again.thresholds, found.thresholds)


sides = st.integers(1, 9)
boxes = st.tuples(sides, sides, sides, sides)


@given(a=boxes, b=boxes)
def test_overlaps_are_pixels_of_both_over_pixels_of_either(a, b):
    one, other = pixels(*a), pixels(*b)
    assert overlaps([a], [b])[0, 0] == pytest.approx(len(one & other) / len(one | other))


@pytest.mark.parametrize(
    ("truth", "options", "sentence"),
    [
        (TRUTH[:2], {}, "3 images and 2 lists of boxes; give one for each"),
        ([[[1, 1, 0, 5]], [], []], {}, "Image 0 has a box without width"),
        ([[], [[1, 2, np.nan, 4]], []], {}, "Image 1 has a box .* NaN"),
        ([[], [[1, 2, 3]], []], {}, "boxes of image 1 must be rows of four numbers"),
        ([[], [], []], {}, "no objects in these images"),
        (TRUTH, {"overlap": 0.0}, "'overlap' parameter"),
        (TRUTH, {"overlap": 2.0}, "'overlap' parameter of evaluate_detector must be at most 1"),
        (TRUTH, {"points": 0}, "'points' parameter"),
        (TRUTH, {"min_neighbors": -1}, "'min_neighbors' parameter"),
        (TRUTH, {"fewest_stages": 9}, "'fewest_stages' parameter .* 4 stages"),
    ],
)
def test_bad_input_gets_a_sentence(truth, options, sentence):
    with pytest.raises(ParameterError, match=sentence):
        evaluate_detector(CASCADE, IMAGES, truth, **options)
