"""Figures as SVG that lives inside a page and takes on its colours."""

import re
import warnings
import zlib
from collections.abc import Mapping
from io import StringIO
from typing import Any

import matplotlib as mpl
from markupsafe import Markup, escape
from matplotlib.figure import Figure

from maxmargin.evaluation import RocCurve
from maxmargin.plots import ErrorCurveDisplay, palette, roc
from maxmargin.report.page import visible

# Ink follows the page's text, curves its accents: one picture serves light and dark pages.
PAGE_COLOURS = {
    palette.INK: "currentColor",
    palette.TEST: "var(--test)",
    palette.TRAIN: "var(--train)",
    palette.CHANCE: "var(--muted)",
    palette.FACTS: "var(--muted)",
    palette.WRONG: "var(--line)",
    "#FFFFFF": "var(--card)",
}
BOUNDS = {  # without formulas, which a page's own letters would pull apart
    "bound": "bound on the training error",
    "edge bound": "looser bound on it",
}
STYLE: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "maxmargin",  # the same fit gives the same bytes
    "font.size": 11,
    "font.sans-serif": ["DejaVu Sans"],  # to measure by; the page has letters of its own
    **dict.fromkeys(
        ("text.color", "axes.edgecolor", "axes.labelcolor", "xtick.color", "ytick.color"),
        palette.INK,
    ),
}


def draw_roc(test: RocCurve, train: RocCurve | None) -> Markup:
    """Draw the curves of a fit as an inline SVG.

    Parameters
    ----------
    test : RocCurve
        On the rows held out.
    train : RocCurve or None
        On the rows of the fit.

    Returns
    -------
    Markup
        Safe to put into a page.

    Examples
    --------
    >>> curve = RocCurve.from_scores([0, 1], [-1.0, 1.0], classes=[0, 1])
    >>> draw_roc(curve, None)[:20]
    Markup('<svg role="img" aria')
    """
    curves = {"test": test} | ({"training, optimistic": train} if train else {})
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 5.0), layout="constrained")
        axes = roc(curves, figure.subplots()).ax_
        axes.spines[["top", "right"]].set_visible(False)
        areas = ", ".join(f"{name} AUC {curve.area:.3f}" for name, curve in curves.items())
        return inline_svg(figure, f"ROC curve: {areas}")


def draw_errors(curves: Mapping[str, Any], unit: str = "rounds") -> Markup:
    """Draw errors after every round as an inline SVG.

    Parameters
    ----------
    curves : mapping of str to ndarray
        As in ErrorCurveDisplay.
    unit : str, default="rounds"
        What is counted.

    Returns
    -------
    Markup
        Safe to put into a page.

    Examples
    --------
    >>> "after 2 rounds: test 10.0 %" in draw_errors({"test": [0.4, 0.1]})
    True
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.4, 3.8), layout="constrained")
        display = ErrorCurveDisplay(curves=curves, unit=unit).plot(ax=figure.subplots())
        for name, label in BOUNDS.items():
            if name in display.lines_:
                display.lines_[name].set_label(label)
        display.ax_.legend(frameon=False, handlelength=2.8, fontsize="small")
        count = max(len(values) for values in curves.values())
        last = ", ".join(f"{name} {100 * values[-1]:.1f} %" for name, values in curves.items())
        return inline_svg(figure, f"Errors after {count} {unit}: {last}")


def inline_svg(figure: Figure, alternative: str) -> Markup:
    """Return a figure as an SVG element with an alternative text.

    Parameters
    ----------
    figure : Figure
        What to show.
    alternative : str
        What to say to those who cannot see it.

    Returns
    -------
    Markup
        Safe to put into a page.

    Examples
    --------
    >>> "nothing" in inline_svg(Figure(), "nothing")
    True
    """
    buffer = StringIO()
    with warnings.catch_warnings():
        # Letters are the browser's, which knows more of them than matplotlib's own font.
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        figure.savefig(buffer, format="svg", transparent=True, metadata=_NO_METADATA)
    text = buffer.getvalue()
    head, body = text[text.index("<svg") :].split(">", 1)
    for drawn, on_page in PAGE_COLOURS.items():
        body = body.replace(drawn.lower(), on_page)
    said = escape(visible(alternative))
    opening = head.replace("<svg", f'<svg role="img" aria-label="{said}"', 1)
    return Markup(f"{opening}><title>{said}</title>{_own_names(_rounded(body))}")


_NO_METADATA = dict.fromkeys(("Date", "Creator", "Format", "Type"))
_PLACES = re.compile(r' (?:d|x|y)="[^"]*"')
_DIGITS = re.compile(r"(\.\d\d)\d+")
_GROUP = re.compile(r'<g id="[^"]*"')
_NAME = re.compile(r'(\bid="|href="#|url\(#)')


def _rounded(body: str) -> str:
    """Write places to hundredths of a point."""
    return _PLACES.sub(lambda found: _DIGITS.sub(r"\1", found[0]), body)


def _own_names(body: str) -> str:
    """Keep the names inside a picture apart from those of others on the page."""
    return _NAME.sub(rf"\g<1>{zlib.crc32(body.encode()):x}-", _GROUP.sub("<g", body))
