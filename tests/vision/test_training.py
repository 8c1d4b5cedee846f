"""Whole cascades, trained on generated windows: what they find, and what they say if not."""

import copy
import json
import operator
import os
import signal
import subprocess
import sys
import time
import warnings
from functools import reduce
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.exceptions import ConvergenceWarning

from maxmargin.inputs.atomic import WriteError
from maxmargin.inputs.parameters import ParameterError
from maxmargin.vision import (
    Cascade,
    CheckpointError,
    HaarFeatures,
    ImageError,
    LastStage,
    LBPFeatures,
    TrainingError,
    Variation,
    train_cascade,
)
from maxmargin.vision.positives import read_positives

WINDOW = (12, 12)
FEATURES = HaarFeatures(WINDOW)[::9]


def face(rng, side=12):
    """Two dark eyes and a mouth."""
    grey = np.full((12, 12), rng.uniform(140, 200))
    grey[3:5, 2:5] = grey[3:5, 7:10] = grey[8:10, 4:8] = rng.uniform(50, 110)
    grey += rng.normal(scale=25, size=grey.shape)
    large = np.kron(grey, np.ones((side // 12, side // 12)))
    return np.clip(large, 0, 255).astype(np.uint8)


def scene(rng, shape=(60, 84)):
    coarse = rng.integers(0, 256, size=(shape[0] // 4, shape[1] // 4)).astype(float)
    fine = np.kron(coarse, np.ones((4, 4)))
    return np.clip(fine + rng.normal(scale=20, size=fine.shape), 0, 255).astype(np.uint8)


RNG = np.random.default_rng(0)
FACES = np.stack([face(RNG) for _ in range(150)])
SCENES = [scene(RNG, (120, 160)) for _ in range(20)]
QUICK = {
    "window": WINDOW,
    "features": FEATURES,
    "stages": 3,
    "min_detection": 0.97,
    "n_negatives": 80,
    "max_features": 4,
    "variation": Variation(copies=2, scale=0.08),
}


def train(positives=FACES, backgrounds=SCENES, **options):
    return train_cascade(positives, backgrounds, **(QUICK | options))


@pytest.fixture(scope="module")
def cascade():
    return train()


def test_faces_are_found_where_they_are(cascade):
    rng = np.random.default_rng(1)
    image = scene(rng, (80, 120))
    image[20:44, 30:54], image[40:76, 70:106] = face(rng, 24), face(rng, 36)
    boxes = cascade.detect(image, min_neighbors=1)
    for place in ([30, 20, 24, 24], [70, 40, 36, 36]):
        assert (np.abs(boxes - place).max(axis=1) <= 8).any()


def test_each_stage_passes_what_it_was_asked_to(cascade):
    rng = np.random.default_rng(2)
    fresh = np.stack([face(rng) for _ in range(200)])
    passed = sum(len(cascade.scan(window, min_size=WINDOW).boxes) for window in fresh)
    assert passed >= 0.85 * len(fresh)
    scan = cascade.scan(scene(rng, (120, 160)))
    assert scan.passed[-1] < 0.05 * scan.windows
    assert all(np.diff(scan.passed) <= 0)


def test_it_survives_the_file_of_opencv(cascade, tmp_path):
    cascade.to_opencv(tmp_path / "face.xml")
    assert Cascade.from_opencv(tmp_path / "face.xml") == cascade


def test_neither_threads_nor_memory_change_it(cascade):
    assert train(n_jobs=3) == cascade
    assert train(max_bytes=30_000, n_jobs=1) == cascade


def test_patterns_are_trained_too():
    made = train(features="lbp", stages=2)
    assert isinstance(made.features, LBPFeatures)
    passed = sum(len(made.scan(window, min_size=WINDOW).boxes) for window in FACES)
    assert passed >= 0.85 * len(FACES)


# the long last stage

LAST = LastStage(features=(4, 12), min_detection=0.95, n_negatives=60)


def test_a_last_stage_learns_from_what_it_takes_for_the_object(cascade):
    told = []
    made = train(last=LAST, callback=told.append)
    first = [[len(stage.trees) for stage in each.stages] for each in (made, cascade)]
    assert first == [[*first[1], 12], first[1]]
    assert [each.stage for each in told if each.done] == [1, 2, 3, 4]
    assert "stage 4 of 4: 12 features" in str(told[-1])
    rng = np.random.default_rng(3)
    image = scene(rng, (120, 160))
    assert len(made.scan(image).boxes) < len(cascade.scan(image).boxes)
    fresh = np.stack([face(rng) for _ in range(200)])
    assert sum(len(made.scan(window, min_size=WINDOW).boxes) for window in fresh) >= 160


def test_a_last_stage_does_not_depend_on_threads_or_on_where_it_went_on(tmp_path):
    whole = train(last=LAST, checkpoint=tmp_path / "stages.json")
    assert train(last=LAST, n_jobs=3, resume=tmp_path / "stages.json") == whole


def test_a_last_stage_that_is_cut_short_leaves_the_others(cascade):
    def stop(progress):
        if progress.stage == 4:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(ConvergenceWarning, match="has 3 of 4 stages: without its last one"):
        assert train(last=LAST, callback=stop, on_interrupt="keep") == cascade


# what is told, and stopping


def test_progress_tells_stage_features_rates_and_time():
    told = []
    train(stages=2, callback=told.append)
    done = [each for each in told if each.done]
    assert [each.stage for each in done] == [1, 2]
    assert all(0.0 <= each.false_positive <= 1.0 and each.detection >= 0.97 for each in told)
    assert done[1].rate < done[0].rate == 1.0
    assert "stage 2 of 2" in str(done[1])
    assert f"; 100 % of {done[0].scanned:,} windows passed the stages before" in str(done[0])
    assert f" % of {done[1].scanned:,} windows passed the stages before" in str(done[1])


def test_it_goes_on_after_a_kill(cascade, tmp_path):
    """The second stage is cut off by signal 9, and the third is the same as ever."""
    script = tmp_path / "killed.py"
    script.write_text(
        "import os, signal, sys\n"
        "sys.path.insert(0, sys.argv[1])\n"
        "import test_training as t\n"
        "def told(progress):\n"
        "    if progress.stage == 2:\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "t.train(callback=told, checkpoint=sys.argv[2])\n"
    )
    file = tmp_path / "stages.json"
    here = Path(__file__).parent
    done = subprocess.run([sys.executable, script, here, file], check=False, timeout=120)
    assert done.returncode == -signal.SIGKILL
    assert len(json.loads(file.read_text())["stages"]) == 1
    assert train(resume=file) == cascade
    assert len(json.loads(file.read_text())["stages"]) == 3
    assert train(resume=file, stages=2) == train(stages=2)
    with pytest.raises(CheckpointError, match=r"other settings or data \(asymmetry"):
        train(resume=file, asymmetry=2.0)
    file.write_text("{}")
    with pytest.raises(CheckpointError, match="not a checkpoint"):
        train(resume=file)


def test_a_checkpoint_is_of_its_backgrounds_alone(tmp_path):
    """Others have the same names, and files of the same size."""
    photos, file = tmp_path / "photos", tmp_path / "stages.json"
    photos.mkdir()
    for image in SCENES[:4]:
        Image.fromarray(image).save(photos / f"{np.sum(image)}.pgm")
    train(backgrounds=photos, stages=1, checkpoint=file)
    first = sorted(photos.iterdir())[0]
    Image.fromarray(SCENES[5]).save(first)
    with pytest.raises(CheckpointError, match=r"other settings or data \(backgrounds"):
        train(backgrounds=photos, resume=file)
    train(backgrounds=SCENES, stages=1, checkpoint=file)
    with pytest.raises(CheckpointError, match=r"other settings or data \(backgrounds"):
        train(backgrounds=[image.reshape(160, 120) for image in SCENES], resume=file)


@pytest.fixture(scope="module")
def whole_checkpoint(tmp_path_factory):
    file = tmp_path_factory.mktemp("whole") / "stages.json"
    train(stages=1, checkpoint=file)
    return json.loads(file.read_text())


@pytest.mark.parametrize(
    ("place", "value"),
    [
        (("settings",), []),
        (("settings",), None),
        (("stages",), 3),
        (("stages", 0, "stage", "threshold"), 1e6),
        (("stages", 0, "stage", "threshold"), 10**400),
        (("stages", 0, "stage", "threshold"), float("nan")),
        (("stages", 0, "stage", "trees"), []),
        (("stages", 0, "stage", "trees", 0, "feature"), [10**6]),
        (("stages", 0, "stage", "trees", 0, "feature"), [-1]),
        (("stages", 0, "stage", "trees", 0, "feature"), ["0"]),
        (("stages", 0, "stage", "trees", 0, "left"), [-1]),
        (("stages", 0, "stage", "trees", 0, "codes"), ["ff"]),
        (("stages", 0, "stage", "trees", 0, "leaves"), ["0.5", 1.0]),
        (("stages", 0, "stage", "trees", 0, "threshold"), []),
        (("stages", 0, "record", "false_positive"), "0.1"),
    ],
)
def test_damaged_checkpoints_are_refused(whole_checkpoint, tmp_path, place, value):
    content = copy.deepcopy(whole_checkpoint)
    *way, last = place
    reduce(operator.getitem, way, content)[last] = value
    (tmp_path / "damaged.json").write_text(json.dumps(content))
    with pytest.raises(CheckpointError, match=r"damaged\.json' is not a checkpoint"):
        train(resume=tmp_path / "damaged.json")


@pytest.mark.parametrize("text", ["[" * 100_000, "[1, 2]", "null", '{"format": ' + "1" * 5000])
def test_what_is_no_checkpoint_is_refused(tmp_path, text):
    (tmp_path / "other.json").write_text(text)
    with pytest.raises(CheckpointError, match=r"other\.json' is not a checkpoint"):
        train(resume=tmp_path / "other.json")


def test_ctrl_c_keeps_complete_stages():
    def told(progress):
        if progress.stage == 1 and progress.done:
            os.kill(os.getpid(), signal.SIGINT)

    with pytest.warns(ConvergenceWarning, match="1 of 3 stages: it was interrupted"):
        made = train(callback=told, on_interrupt="keep")
    assert len(made.stages) == 1
    with pytest.raises(KeyboardInterrupt):
        train(callback=told)


def test_a_time_limit_is_kept(cascade):
    with pytest.raises(TrainingError, match=r"Not even one stage .* time_limit=0.0 was reached"):
        train(time_limit=0.0)
    assert train(time_limit=600.0) == cascade


@pytest.mark.parametrize("cause", ["Ctrl-C", "time"])
def test_a_first_stage_that_is_cut_short_is_nowhere(cause, tmp_path):
    """It passes too much, and no resumed training would ever complete it."""

    def told(progress):
        if cause == "time":
            time.sleep(0.5)
        else:
            os.kill(os.getpid(), signal.SIGINT)

    file = tmp_path / "stages.json"
    options = {"time_limit": 0.5} if cause == "time" else {"on_interrupt": "keep"}
    error = TrainingError if cause == "time" else KeyboardInterrupt
    with pytest.raises(error):
        train(stages=1, max_false_positive=0.001, callback=told, checkpoint=file, **options)
    assert not file.exists()


def test_negatives_that_run_out_are_told_of(tmp_path):
    for k, image in enumerate(SCENES[:2]):
        Image.fromarray(image).save(tmp_path / f"{k}.png")
    (tmp_path / "broken.jpg").write_bytes(b"no image")
    (tmp_path / "empty.png").write_bytes(b"")
    Image.fromarray(SCENES[0][:9]).save(tmp_path / "low.png")
    with pytest.warns(UserWarning, match="stages: only|left out") as caught:
        made = train(backgrounds=tmp_path, stages=30)
    assert issubclass(caught[0].category, ConvergenceWarning)
    said = " ".join(str(each.message) for each in caught)
    assert 1 <= len(made.stages) < 30
    for part in ("negatives were found", "pass the stages so far", "at a rate of"):
        assert part in said
    assert "3 background images are left out" in said
    for name, why in (("broken.jpg", "cannot be read"), ("empty.png", "cannot be read")):
        assert f"{name}' {why}" in said
    assert "low.png' is of 160 x 9 pixels, smaller than the window" in said


def test_backgrounds_of_no_use_are_named_where_all_goes_well(tmp_path):
    Image.fromarray(SCENES[0]).save(tmp_path / "whole.png")
    (tmp_path / "cut.png").write_bytes((tmp_path / "whole.png").read_bytes()[:3000])
    spoilt = [tmp_path / "cut.png", np.full((20, 20), np.nan)]
    said = r"2 background images are left out: .*cut\.png' cannot be read.* Background 1: .*NaN"
    with pytest.warns(UserWarning, match=said):
        made = train(backgrounds=[*spoilt, *SCENES[:9]], stages=1)
    assert len(made.stages) == 1


def test_a_stage_that_misses_its_goal_is_told_of():
    said = r"max_false_positive=0.01: 1 \(0\.\d+ with 1 features\); raise max_features"
    with pytest.warns(ConvergenceWarning, match=said):
        train(stages=1, max_features=1, max_false_positive=0.01)


def test_flat_backgrounds_are_negatives_of_patterns_alone():
    """A scan for Haar features leaves them out, one for patterns does not."""
    dark = [np.zeros((60, 60), np.uint8)]
    said = r"only 0 of 100 .* ([\d,]+) were drawn; \1 deviate by no more .* images that vary or"
    with pytest.raises(TrainingError, match=said):
        train(backgrounds=dark)
    made = train(backgrounds=dark, features="lbp", stages=1)
    assert len(made.detect(dark[0], min_neighbors=0)) == 0


# bad input


def test_a_checkpoint_that_cannot_be_written_is_refused_first(tmp_path):
    told = []
    for file in (tmp_path, tmp_path / "no folder" / "stages.json"):
        with pytest.raises(WriteError, match="Cannot write"):
            train(checkpoint=file, callback=told.append)
    assert told == []


def test_files_that_are_no_use_are_named_and_others_go_on(tmp_path):
    Image.fromarray(face(RNG, 24)).save(tmp_path / "good.png")
    Image.fromarray(np.zeros((9, 9), np.uint8)).save(tmp_path / "small.png")
    Image.fromarray(np.zeros((20, 60), np.uint8)).save(tmp_path / "wide.png")
    (tmp_path / "broken.png").write_bytes(b"no image")
    crops, notes = read_positives(tmp_path, WINDOW)
    assert len(crops) == 1
    assert len(notes) == 3
    for name, why in (("small", "smaller"), ("wide", "shape"), ("broken", "cannot be read")):
        assert any(f"{name}.png" in note and why in note for note in notes)


def test_positives_of_mixed_sizes_become_windows_and_others_are_named():
    crops = [np.zeros((0, 0)), FACES[0], face(RNG, 24), face(RNG, 36), FACES[1][:, :8]]
    with pytest.warns(UserWarning, match=r"2 positives are left out: Image 0: .* Image 4 is of 8"):
        made = train([*crops, *FACES], stages=1)
    assert made.window == WINDOW


def test_positives_that_no_detector_finds_do_not_count():
    """Of every third the contrast is so low that a scan does not evaluate it."""
    faint = [
        120 + (FACES[k].astype(float) - 120) * 0.12 if k % 3 == 0 else FACES[k] for k in range(90)
    ]
    crops = np.rint(faint).astype(np.uint8)
    told = []
    with pytest.warns(UserWarning, match=r"30 positives are left out: Image 0 deviates by no more"):
        made = train(crops, stages=1, validation=0.5, callback=told.append)
    found = [len(made.scan(crop, min_size=WINDOW).boxes) > 0 for crop in crops]
    assert np.mean(found) == pytest.approx(2 / 3 * told[-1].detection, abs=0.03)
    with pytest.raises(ImageError, match=r"no positives to train on\. Image 0 deviates"):
        train(crops[::3])
    assert train(crops, features="lbp", stages=1).window == WINDOW


def test_boxes_come_from_annotations(tmp_path):
    photo = scene(RNG, (60, 80))
    Image.fromarray(photo).save(tmp_path / "a photo.png")
    lines = ["a photo.png 2 10 20 24 24 40 5 12 12", "", "a photo.png 1 70 20 24 24"]
    lines += ["a photo.png 2 1 2 3 4", "none.png 1 0 0 12 12"]
    (tmp_path / "info.txt").write_text("\n".join(lines))
    crops, notes = read_positives(tmp_path / "info.txt", WINDOW)
    np.testing.assert_array_equal(crops[0], photo[20:44, 10:34])
    np.testing.assert_array_equal(crops[1], photo[5:17, 40:52])
    assert len(crops) == 2
    assert ["Line 3" in notes[0], "Line 4" in notes[1], "none.png" in notes[2]] == [True] * 3


def test_long_lines_of_annotations_are_no_trouble(tmp_path):
    """They took the square of their length, and a number of 5,000 digits has no int."""
    Image.fromarray(SCENES[0]).save(tmp_path / "a.png")
    lines = ["\ufeffa.png 1 0 0 24 24", "a.png " + "1 " * 100_000 + "x", f"a.png 1{' ' * 100_000}x"]
    lines += [f"a.png 1 {'9' * 5000} 1 24 24", "a.png", "a.png 0", "a.png -1 3"]
    (tmp_path / "info.txt").write_text("\n".join(lines), encoding="utf-8")
    crops, notes = read_positives(tmp_path / "info.txt", WINDOW)
    np.testing.assert_array_equal(crops, SCENES[0][None, :24, :24])
    assert [note.partition(" of ")[0] for note in notes] == [f"Line {k}" for k in (2, 3, 4, 5, 7)]


def test_variation_moves_and_mirrors_a_little():
    crops = [face(RNG, 24) for _ in range(5)]
    windows = Variation(copies=2).windows(crops, WINDOW, 0)
    assert windows.shape == (30, 12, 12)
    np.testing.assert_array_equal(windows[15:], windows[:15, :, ::-1])
    still = Variation(copies=1, shift=0.0, rotation=0.0, scale=0.0).windows(crops, WINDOW, 0)
    assert np.abs(still[5:10].astype(int) - still[:5]).max() <= 1
    apart = np.abs(windows[5:15].astype(int) - np.tile(windows[:5], (2, 1, 1))).mean()
    assert 1 < apart < 40


def test_variation_blurs_and_adds_noise_to_copies_alone():
    crops = [face(RNG, 24) for _ in range(5)]
    still = {"copies": 1, "shift": 0.0, "rotation": 0.0, "scale": 0.0, "mirror": False}
    plain, blurred, noisy = (
        Variation(**still, **more).windows(crops, WINDOW, 0).astype(float)
        for more in ({}, {"blur": 2.0}, {"noise": 30.0})
    )
    for worse in (blurred, noisy):
        np.testing.assert_array_equal(worse[:5], plain[:5])
    steps = [np.abs(np.diff(each[5:], axis=2)).mean() for each in (blurred, plain, noisy)]
    assert steps == sorted(steps)


@pytest.mark.parametrize(
    ("call", "error", "sentence"),
    [
        (lambda: train([]), ImageError, "no positives to train on"),
        (lambda: train("no such folder"), ImageError, "no folder 'no such folder'"),
        (lambda: train(backgrounds=[]), ImageError, "no background images"),
        (lambda: train(backgrounds=["no.png"]), TrainingError, "no file 'no.png'"),
        (lambda: train(FACES[:1]), TrainingError, "1 positives are too few to put validation=0.2"),
        (lambda: train(features="sift"), ParameterError, "'haar', 'lbp'"),
        (lambda: train(features=HaarFeatures((9, 8))), ParameterError, "windows of"),
        (lambda: train(min_detection=1.5), ParameterError, "must be below 1"),
        (lambda: train(stages=0), ParameterError, "'stages' parameter"),
        (lambda: train(resume="none.json"), CheckpointError, "no checkpoint 'none.json'"),
        (lambda: train(None), ImageError, "sequence of images as positives, got NoneType"),
        (lambda: train(backgrounds=5), ImageError, "sequence of images as backgrounds, got int"),
        (lambda: train(backgrounds=[[[1, 2], [3]]]), TrainingError, "Background 0: The rows"),
        (lambda: train(features=FEATURES[[]]), ParameterError, "has no feature"),
        (lambda: train(window=(1, 1)), ParameterError, "from 3 to 256"),
        (lambda: train(window=(400, 400)), ParameterError, "from 3 to 256"),
        (lambda: train(window=(3, 3), features="haar"), ParameterError, "one inner pixel"),
        (lambda: train(asymmetry=1e300), ParameterError, r"'asymmetry' .* from 1e-06 to 1e\+06"),
        (lambda: train(on_interrupt="x"), ParameterError, "'on_interrupt' parameter"),
        (lambda: train(time_limit=-1), ParameterError, "'time_limit' parameter"),
        (lambda: train(time_limit=np.nan), ParameterError, "'time_limit' parameter"),
        (lambda: train(time_limit=0), TrainingError, "time_limit=0 was reached; give it more"),
        (lambda: train(n_jobs=0), ParameterError, "'n_jobs' parameter"),
        (lambda: train(variation="x"), ParameterError, "must be a Variation or None"),
        (lambda: Variation(copies=-1), ParameterError, "'copies' parameter"),
        (lambda: Variation(blur=-1.0), ParameterError, "'blur' parameter"),
        (lambda: Variation(noise=np.nan), ParameterError, "'noise' parameter"),
        (lambda: train(last=5), ParameterError, "must be a LastStage or None. Got 5"),
        (lambda: LastStage(()), ParameterError, "has no round in it"),
        (lambda: LastStage((10, 0)), ParameterError, "'features' parameter of LastStage"),
        (lambda: LastStage(min_detection=1.5), ParameterError, "must be at most 1"),
        (lambda: LastStage(n_negatives=2), ParameterError, "'n_negatives' parameter"),
    ],
)
def test_bad_input_gets_a_sentence(call, error, sentence):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # of what was left out before the error
        with pytest.raises(error, match=sentence):
            call()
