"""The cascade that comes with the package, on a portrait by NASA, in the public domain."""

from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_sample_image

from maxmargin.vision import face_cascade
from maxmargin.vision.faces import FILE

PORTRAIT = np.asarray(Image.open(Path(__file__).parent / "data" / "astronaut.png"))
FACE = np.array([36, 26, 53, 53])


@pytest.mark.parametrize("times", [1, 2, 3])
def test_a_face_is_found_once_at_every_size(times):
    large = np.asarray(Image.fromarray(PORTRAIT).resize((150 * times, 150 * times)))
    (box,) = face_cascade().detect(large)
    assert np.abs(box - times * FACE).max() <= 8 * times


def test_a_face_is_found_mirrored_dark_and_on_a_scene_without_others():
    scene = load_sample_image("china.jpg").mean(axis=2)
    assert len(face_cascade().detect(scene)) == 0
    scene[200:350, 300:450] = 0.5 * PORTRAIT[:, ::-1]
    (box,) = face_cascade().detect(scene)
    middle = box[:2] + box[2:] / 2 - (300, 200)
    assert np.abs(middle - (150 - 62.5, 52.5)).max() <= 10


def test_it_says_whose_it_is():
    head = FILE.read_text(encoding="utf-8")[:300]
    assert "licence (MIT)" in head
    assert "public domain" in head
