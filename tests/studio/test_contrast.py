"""Contrast of the page's colours, from its own files, as WCAG 2 level AA asks."""

import re
from itertools import product
from pathlib import Path

import pytest

from maxmargin import studio

STATIC = Path(studio.__file__).parent / "static"
TEXT, GRAPHIC = 4.5, 3.0  # WCAG 2.1, 1.4.3 and 1.4.11
WORDS = ("ink", "soft", "good", "bad", "accent")


def luminance(colour):
    shares = [int(colour[k : k + 2], 16) / 255 for k in (1, 3, 5)]
    linear = [s / 12.92 if s <= 0.04045 else ((s + 0.055) / 1.055) ** 2.4 for s in shares]
    return sum(w * s for w, s in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(first, second):
    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


def colours(theme):
    selector = {"light": ":root", "dark": ":root.dark"}[theme]
    text = (STATIC / "studio.css").read_text(encoding="utf-8")
    block = re.search(re.escape(selector) + r" \{(.*?)\}", text, re.DOTALL)[1]
    return dict(re.findall(r"--([\w-]+): (#[0-9a-f]{6})", block))


def test_contrast_is_that_of_the_standard():
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.005)


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_words_can_be_read(theme):
    known = colours(theme)
    pairs = [*product(WORDS, ("paper", "raised")), ("accent-ink", "accent")]
    faint = {pair: contrast(*(known[name] for name in pair)) for pair in pairs}
    assert {pair: ratio for pair, ratio in faint.items() if ratio < TEXT} == {}


@pytest.mark.parametrize("theme", ["light", "dark"])
def test_edges_of_controls_can_be_seen(theme):
    known = colours(theme)
    assert contrast(known["grid"], known["paper"]) >= GRAPHIC


@pytest.mark.parametrize(("theme", "name"), [("light", "COLOURS"), ("dark", "LIGHT")])
def test_points_of_every_class_can_be_seen(theme, name):
    text = (STATIC / "draw.js").read_text(encoding="utf-8")
    drawn = re.findall(r"#[0-9a-f]{6}", re.search(rf"{name} = \[(.*?)\]", text)[1])
    assert len(drawn) == 4
    assert min(contrast(each, colours(theme)["paper"]) for each in drawn) >= GRAPHIC
