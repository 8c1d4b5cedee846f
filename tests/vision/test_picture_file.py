"""Images in files: turned as the camera was held, of 16 bits, and warnings left as they are."""

import warnings

import numpy as np
import pytest
from PIL import Image

from maxmargin.ops.threads import Workers
from maxmargin.vision import grey_image
from maxmargin.vision.image import ImageError
from maxmargin.vision.picture_file import read_grey, read_picture

PIXELS = np.random.default_rng(0).integers(0, 256, size=(7, 5, 3), dtype=np.uint8)


def test_a_photograph_is_turned_as_its_camera_was_held(tmp_path):
    turned, tags = Image.fromarray(np.rot90(PIXELS)), Image.Exif()
    tags[0x0112] = 6  # the camera was turned to the left: what is up lies to the left
    turned.save(tmp_path / "turned.png", exif=tags)
    np.testing.assert_array_equal(read_picture(tmp_path / "turned.png"), PIXELS)
    np.testing.assert_array_equal(read_grey(tmp_path / "turned.png"), grey_image(PIXELS))


def test_of_sixteen_bits_the_upper_eight_are_taken(tmp_path):
    deep = PIXELS[..., 0].astype(np.uint16) * 256 + PIXELS[..., 1]
    Image.fromarray(deep).save(tmp_path / "deep.png")
    np.testing.assert_array_equal(read_grey(tmp_path / "deep.png"), PIXELS[..., 0])


def test_reading_in_threads_leaves_the_filters_of_warnings_alone(tmp_path):
    paths = [tmp_path / f"{k}.png" for k in range(24)]
    for path in paths:
        Image.fromarray(PIXELS).save(path)
    before = list(warnings.filters)
    with Workers(3) as workers:
        workers.each(read_grey, paths)
    assert list(warnings.filters) == before


def test_a_broken_file_is_named(tmp_path):
    (tmp_path / "broken.png").write_bytes(b"\x89PNG")
    with pytest.raises(ImageError, match=r"broken\.png. cannot be read"):
        read_grey(tmp_path / "broken.png")


def test_a_file_that_ends_early_is_not_called_a_foreign_format(tmp_path):
    Image.fromarray(np.tile(PIXELS, (20, 20, 1))).save(tmp_path / "whole.png")
    content = (tmp_path / "whole.png").read_bytes()
    (tmp_path / "cut.png").write_bytes(content[: len(content) // 2])
    with pytest.raises(ImageError, match=r"cut\.png. cannot be read as an image: .*truncated"):
        read_grey(tmp_path / "cut.png")


def test_a_sentence_has_one_end(tmp_path, monkeypatch):
    Image.fromarray(PIXELS).save(tmp_path / "large.png")
    monkeypatch.setattr(Image, "MAX_IMAGE_PIXELS", 10)
    with pytest.raises(ImageError, match=r"exceeds limit .*[^.]\.$"):
        read_grey(tmp_path / "large.png")


def test_broken_tags_are_no_reason_to_refuse_a_picture(tmp_path):
    Image.fromarray(PIXELS).save(tmp_path / "tags.png", exif=b"Exif\0\0" + bytes(range(64)))
    np.testing.assert_array_equal(read_picture(tmp_path / "tags.png"), PIXELS)


def test_colours_are_mixed_in_pieces_alike(monkeypatch):
    whole = grey_image(PIXELS)
    monkeypatch.setattr("maxmargin.vision.image._PIXELS", 12)
    np.testing.assert_array_equal(grey_image(PIXELS), whole)
