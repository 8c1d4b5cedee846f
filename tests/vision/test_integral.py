import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from maxmargin.ops.engine import Engine, engines, serving
from maxmargin.vision import ImageError, grey_image, integral_image, rectangle_sum
from maxmargin.vision.image import resize

seeds = st.integers(0, 2**32 - 1)
every_engine = pytest.mark.parametrize("engine", [engine.name for engine in engines()])


def by_hand(image, kind):
    """Sum the pixels of every entry by two loops."""
    height, width = image.shape
    pixels = image.astype(object) ** (2 if kind == "squared" else 1)
    out = np.zeros((height + 1, width + 1), dtype=object)
    for Y, X in np.ndindex(out.shape):
        for y, x in np.ndindex(image.shape):
            triangle = abs(x - X + 1) <= Y - y - 1
            if (y < Y and triangle) if kind == "tilted" else (y < Y and x < X):
                out[Y, X] += pixels[y, x]
    return out


@every_engine
@pytest.mark.parametrize("kind", ["sum", "squared", "tilted"])
@given(seeds, st.integers(1, 7), st.integers(1, 7))
def test_sums_are_those_of_two_loops(engine, kind, seed, height, width):
    image = np.random.default_rng(seed).integers(-500, 500, size=(height, width))
    with serving(Engine(engine)):
        np.testing.assert_array_equal(integral_image(image, kind), by_hand(image, kind))
        eight = (image % 256).astype(np.uint8)
        np.testing.assert_array_equal(integral_image(eight, kind), by_hand(eight, kind))


def test_sums_of_large_images_are_exact():
    """White, as wide as sums that need more than 32 bits, and squares more than 40."""
    white = np.broadcast_to(np.uint8(255), (2_000, 9_000))
    assert integral_image(white)[-1, -1] == 255 * white.size > 2**32
    assert integral_image(white, "squared")[-1, -1] == 255**2 * white.size > 2**40
    with pytest.raises(ImageError, match="do not fit in 64 bits; scale them"):
        integral_image(np.full((2, 2), 2**62))


@given(seeds)
def test_a_rectangle_takes_four_looks(seed):
    rng = np.random.default_rng(seed)
    image = rng.integers(0, 256, size=(9, 11))
    y, x = rng.integers(0, 9), rng.integers(0, 11)
    h, w = rng.integers(0, 10 - y), rng.integers(0, 12 - x)
    assert rectangle_sum(integral_image(image), x, y, w, h) == image[y : y + h, x : x + w].sum()


RGB = np.random.default_rng(0).integers(0, 256, size=(5, 6, 3)).astype(np.uint8)
GREY = (RGB.astype(int) @ [9798, 19235, 3735] + 16384) // 32768


@pytest.mark.parametrize(
    "image",
    [
        RGB,
        RGB.tolist(),
        RGB.astype(">i4"),
        RGB.astype(np.float32),
        RGB / 255.0,
        np.dstack([RGB, np.zeros((5, 6), np.uint8)]),
        np.asfortranarray(RGB),
        Image.fromarray(RGB),
        Image.fromarray(RGB).convert("RGBA"),
        GREY.astype(np.uint8),
        GREY.astype(np.float64),
        GREY[:, :, None],
        Image.fromarray(GREY.astype(np.uint8)),
    ],
    ids=lambda image: type(image).__name__,
)
def test_any_container_gives_the_same_grey(image):
    np.testing.assert_array_equal(grey_image(image), GREY)
    if np.ndim(image) == 3:
        np.testing.assert_array_equal(integral_image(image), integral_image(GREY))


def test_colours_may_stand_the_other_way_round():
    np.testing.assert_array_equal(grey_image(RGB[:, :, ::-1], order="bgr"), GREY)
    np.testing.assert_array_equal(grey_image(GREY > 99), np.where(GREY > 99, 255, 0))
    palette = Image.fromarray(RGB).convert("P")
    expected = grey_image(np.asarray(palette.convert("RGB")))
    np.testing.assert_array_equal(grey_image(palette), expected)


@pytest.mark.parametrize(
    ("image", "sentence"),
    [
        ([[1, 2], [3]], "rows of this image have different lengths"),
        ("photo.jpg", "Expected an image as an array of numbers or of PIL, got a str"),
        (np.zeros((2, 2, 2)), r"Expected an image of shape .* got \(2, 2, 2\)"),
        (np.zeros((0, 5)), "has no pixels"),
        ([[np.nan, 0.0]], "NaN or infinite"),
        (np.full((2, 2), 300), "from 300 to 300; scale them to 0 to 255"),
        (np.full((2, 2), -1.0), "from -1 to -1"),
    ],
)
def test_what_is_no_image_is_refused_in_a_sentence(image, sentence):
    with pytest.raises(ImageError, match=sentence):
        grey_image(image)


@every_engine
@given(seeds, *[st.integers(1, 12)] * 4)
def test_resizing_weighs_four_pixels(engine, seed, h, w, height, width):
    image = np.random.default_rng(seed).integers(0, 256, size=(h, w)).astype(np.uint8)
    with serving(Engine(engine)):
        small = resize(image, width, height)
    y = np.clip((np.arange(height) + 0.5) * h / height - 0.5, 0, h - 1)
    x = np.clip((np.arange(width) + 0.5) * w / width - 0.5, 0, w - 1)
    rows = np.array([np.interp(x, np.arange(w), row) for row in image])
    expected = np.array([np.interp(y, np.arange(h), column) for column in rows.T]).T
    assert abs(small - expected).max() <= 0.5 + 2 * 255 / 512 + 1e-9


def test_it_is_opencvs():
    cv2 = pytest.importorskip("cv2")
    rng = np.random.default_rng(0)
    for _ in range(40):
        h, w, height, width = rng.integers(1, 60, size=4)
        image = rng.integers(0, 256, size=(h, w)).astype(np.uint8)
        expected = cv2.resize(image, (width, height), interpolation=cv2.INTER_LINEAR_EXACT)
        np.testing.assert_array_equal(resize(image, width, height), expected)
        for kind, sums in zip(("sum", "squared", "tilted"), cv2.integral3(image), strict=True):
            np.testing.assert_array_equal(integral_image(image, kind), sums)
    colours = rng.integers(0, 256, size=(99, 99, 3)).astype(np.uint8)
    grey = cv2.cvtColor(colours, cv2.COLOR_BGR2GRAY)
    np.testing.assert_array_equal(grey_image(colours, "bgr"), grey)
