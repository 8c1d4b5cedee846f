import json

import numpy as np
import pytest
from PIL import Image
from typer.testing import CliRunner

from maxmargin.cli import app
from maxmargin.vision import Cascade, HaarFeatures, Stage, Tree, face_cascade

EDGE = HaarFeatures((8, 8), kinds="edge_x")[-1]


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """Crops whose left half is light, scenes of blobs, and a photograph of one object."""
    rng = np.random.default_rng(0)
    for name in ("crops", "scenes"):
        (tmp_path / name).mkdir()
    for k in range(40):
        crop = rng.normal(60, 25, size=(8, 8)) + 120 * (np.arange(8) < 4)
        _save(crop, tmp_path / "crops" / f"{k:02d}.png")
    for k in range(4):
        blobs = np.kron(rng.integers(0, 256, size=(20, 25)), np.ones((3, 3)))
        _save(blobs + rng.normal(0, 20, size=blobs.shape), tmp_path / "scenes" / f"{k}.png")
    photograph = np.zeros((60, 70))
    photograph[10:42, 10:26] = 255
    _save(photograph, tmp_path / "photo.png")
    (tmp_path / "crops" / "broken.png").write_bytes(b"no image")
    (tmp_path / "empty.png").write_bytes(b"")
    Cascade(EDGE, [Stage(0.5, [Tree.stump(0, 1.2, 0.0, 1.0)])]).to_opencv(tmp_path / "edge.xml")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def _save(image, path):
    Image.fromarray(np.clip(image, 0, 255).astype(np.uint8)).save(path)


TRAIN = ["cascade", "train", "--positives", "crops", "--backgrounds", "scenes", "-o", "made.xml"]
QUICK = ["--window", "8x8", "--stages", 2, "--max-features", 3, "--n-negatives", 40, "--jobs", 1]


def test_a_cascade_is_trained_told_of_and_used(folder):
    done = run(*TRAIN, *QUICK, "--checkpoint", "stages.json")
    assert done.exit_code == 0, done.output
    assert "stage 2 of 2" in done.stderr
    assert "1 positives are left out: 'crops/broken.png' cannot be read" in done.stdout
    made = (folder / "made.xml").read_bytes()
    told = json.loads(run("cascade", "info", "made.xml", "--json").stdout)
    assert told["window"] == [8, 8]
    assert [1 <= count <= 3 for count in told["trees"]] == [True, True]
    assert "2 stages of" in run("cascade", "info", "made.xml").stdout
    again = run(*TRAIN, *QUICK, "--resume", "stages.json", "--json")
    assert json.loads(again.stdout)["trees"] == told["trees"]
    assert (folder / "made.xml").read_bytes() == made


def test_what_is_found_is_drawn_written_or_printed(folder):
    expected = Cascade.from_opencv("edge.xml").detect(np.array(Image.open("photo.png")))
    printed = run("detect", "edge.xml", "photo.png").stdout
    assert " ".join(map(str, expected[0])) in printed
    assert run("detect", "edge.xml", "photo.png", "-o", "boxes.json").exit_code == 0
    written = json.loads((folder / "boxes.json").read_text())
    sides = "x", "y", "width", "height"
    assert [[each[name] for name in sides] for each in written["boxes"]] == expected.tolist()
    assert run("detect", "edge.xml", "photo.png", "-o", "boxes.png").exit_code == 0
    drawn = np.array(Image.open("boxes.png").convert("RGB")).astype(int)
    assert drawn.shape == (60, 70, 3)
    x, y, width, _ = expected[0].tolist()
    orange = (drawn[..., 0] - drawn[..., 2]) > 100
    assert orange[y, x : x + width].mean() > 0.8
    assert not orange[:, : x - 4].any()


def test_faces_are_found_without_a_cascade(folder):
    """The command needs nothing but a photograph; here one of nobody."""
    printed = run("detect", "photo.png")
    assert printed.exit_code == 0, printed.output
    assert "photo.png: 0 faces" in printed.stdout
    found = json.loads(run("detect", "photo.png", "--json").stdout)
    assert found["boxes"] == face_cascade().detect(np.array(Image.open("photo.png"))).tolist()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["detect", "edge.xml", "none.png"], "There is no file"),
        (["detect", "edge.xml", "empty.png"], "'empty.png' cannot be read as an image"),
        (["detect", "edge.xml", "crops/broken.png"], "broken.png' cannot be read as an image"),
        (["detect", "photo.png", "photo.png"], "'photo.png'"),
        (["detect", "edge.xml", "photo.png", "-o", "boxes.txt"], "Boxes are written to .png"),
        (["detect", "edge.xml", "photo.png", "--min-size", "9"], "A size is written as 24x24"),
        (["detect", "edge.xml", "photo.png", "--scale-factor", "1"], "'scale_factor' parameter"),
        (["detect", "edge.xml", "photo.png", "-o", "photo.png"], "would replace 'photo.png'"),
        (["detect", "photo.png", "-o", "photo.png"], "would replace 'photo.png'"),
        (["detect", "edge.xml"], "give the photograph behind it: maxmargin detect edge.xml photo"),
        (["detect", "edge.xml", "photo.png", "photo.png"], "at most one cascade before it. Got 3"),
        ([*TRAIN[:-1], "crops/face.png"], "--out lies in 'crops'"),
        (["detect", "edge.xml", "photo.png", "--jobs", "0"], "--jobs 0 has no meaning"),
        (["cascade", "info", "photo.png"], "'photo.png'"),
        ([*TRAIN, "--window", "24x24"], "There are no positives to train on"),
        ([*TRAIN, *QUICK, "--features", "sift"], "'haar', 'lbp'"),
        ([*TRAIN, *QUICK, "--resume", "edge.xml"], "is not a checkpoint"),
        ([*TRAIN, *QUICK, "--time-budget", "0s"], "time"),
    ],
)
def test_bad_input_is_one_sentence_and_leaves_nothing(folder, arguments, words):
    before = sorted(folder.iterdir())
    done = run(*arguments)
    assert done.exit_code == 2, done.output
    lines = [line for line in done.stderr.splitlines() if line.startswith("maxmargin: ")]
    assert len(lines) == 1
    assert words in lines[0]
    assert sorted(folder.iterdir()) == before
