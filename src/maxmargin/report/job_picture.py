"""The pictures of the job's page, each with its key and an alternative text that says the numbers.

Names that come from data stand in keys, outside of the drawings: there they wrap, are read in any
script, and can be found by a search.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.colors import to_hex
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator
from sklearn.metrics import PredictionErrorDisplay

from maxmargin.evaluation import Band, Trail
from maxmargin.evaluation.reliability import Reliability
from maxmargin.job.wording import Metric
from maxmargin.plots import (
    CalibrationDisplay,
    LossCurveDisplay,
    ProjectionDisplay,
    SplitsDisplay,
    TuningDisplay,
    palette,
    precision_recall,
    roc,
)
from maxmargin.plots.tuning import Grid
from maxmargin.report.picture import PAGE_COLOURS, STYLE, draw_errors, inline_svg

if TYPE_CHECKING:
    from matplotlib.axes import Axes

POINTS = 500  # rows that are drawn at most

_SQUARE, _WIDE = (4.8, 4.5), (4.9, 3.3)
_SHAPES = {
    "o": '<circle cx="14" cy="5" r="4"/>',
    "^": '<path d="M14 .5 18.5 9h-9z"/>',
    "s": '<path d="M10.2 1.2h7.6v7.6h-7.6z"/>',
    "D": '<path d="M14 0l5 5-5 5-5-5z"/>',
    "v": '<path d="M14 9.5 18.5 1h-9z"/>',
    "P": '<path d="M12.4.6h3.2v2.8h2.8v3.2h-2.8v2.8h-3.2V6.6H9.6V3.4h2.8z"/>',
    "X": '<path d="M10 2.7 11.7 1 14 3.3 16.3 1 18 2.7 15.7 5 18 7.3 16.3 9 14 6.7 11.7 9 10 7.3 12.3 5z"/>',  # noqa: E501
    "ring": '<circle cx="14" cy="5" r="4" fill="none" stroke="currentColor" stroke-width="1"/>',
    "patch": '<path d="M4 0h20v10h-20z"/>',
}


@dataclass(frozen=True)
class Key:
    """A sign in a picture, and what it stands for."""

    swatch: Markup
    label: str


@dataclass(frozen=True)
class Picture:
    """A drawing with its key."""

    svg: Markup
    keys: tuple[Key, ...] = ()
    n_rows: int = 0
    """How many rows are drawn, where they are."""


def draw_splits(trail: Trail) -> Picture:
    """Draw which rows were used for what.

    Parameters
    ----------
    trail : Trail

    Returns
    -------
    Picture
    """
    with mpl.rc_context(STYLE):
        height = 1.4 + 0.28 * min(len(trail.steps), 20)
        ax = _axes((_WIDE[0], height))
        SplitsDisplay(trail=trail).plot(ax=ax, title=False)
        ax.tick_params(axis="y", labelsize=STYLE["font.size"])
        ax.xaxis.set_major_locator(MaxNLocator(5))
        keys = _patches(ax)
        _drop_legend(ax)
        counts = ", ".join(
            f"{len(trail.rows(purpose))} {words}"
            for purpose, words in (("train", "learned from"), ("validate", "validated on"),
                                   ("test", "tested on"))
        )  # fmt: skip
        said = f"Which of {trail.n_rows} rows each of {len(trail.steps)} steps used: {counts}"
        return Picture(inline_svg(_figure(ax), said), keys)


def draw_curves(kind: str, curves: Mapping[str, Any]) -> Picture:
    """Draw ROC or precision-recall curves, those over folds in their bands.

    Parameters
    ----------
    kind : {"ROC", "precision-recall"}
    curves : mapping of str to RocCurve, PrecisionRecallCurve or Band
        The first is drawn strongest.

    Returns
    -------
    Picture
    """
    areas = {name: f"{_AREAS[kind]} {_area(curve)}" for name, curve in curves.items()}
    with mpl.rc_context(STYLE):
        ax = _axes(_SQUARE)
        plain = {str(k): curve for k, curve in enumerate(curves.values())}
        if kind == "ROC":
            roc(plain, ax=ax)
        else:
            precision_recall(plain, ax=ax)
        _drop_legend(ax)
        ax.spines[["top", "right"]].set_visible(False)
        said = "; ".join(f"{name}: {area}" for name, area in areas.items())
        svg = inline_svg(_figure(ax), f"{kind} curves: {said}")
    keys = [Key(_line(k), f"{name}, {areas[name]}") for k, name in enumerate(curves)]
    return Picture(svg, (*keys, Key(_CHANCE, "guessing")))


def draw_calibration(hit: Any, probability: Any, what: str) -> Picture:
    """Draw probabilities against what came true.

    Parameters
    ----------
    hit, probability : ndarray
        Of the test rows.
    what : str
        Whose probability it is.

    Returns
    -------
    Picture
    """
    bins = Reliability.of(hit, probability)
    with mpl.rc_context(STYLE):
        ax = _axes(_SQUARE)
        CalibrationDisplay(curves={"test": bins}).plot(ax=ax)
        _drop_legend(ax)
        said = "; ".join(
            f"{n} rows at {100 * p:.0f} %: {100 * o:.0f} % came true"
            for p, o, n in zip(bins.predicted, bins.observed, bins.counts, strict=True)
        )
        svg = inline_svg(_figure(ax), f"Probability of {what} against what happened: {said}")
    return Picture(svg, (Key(_CHANCE, "probabilities that can be taken at their word"),))


def draw_predictions(truth: Any, predicted: Any, kind: str) -> Picture:
    """Draw predicted quantities against true ones, or what is left of them.

    Parameters
    ----------
    truth, predicted : ndarray
    kind : {"actual_vs_predicted", "residual_vs_predicted"}

    Returns
    -------
    Picture
    """
    rows = np.sort(np.random.default_rng(0).permutation(len(truth))[:POINTS])
    off = np.asarray(truth, float) - np.asarray(predicted, float)
    with mpl.rc_context(STYLE):
        ax = _axes(_SQUARE)
        PredictionErrorDisplay(y_true=truth[rows], y_pred=predicted[rows]).plot(
            ax=ax,
            kind=kind,
            scatter_kwargs={"s": 18, "color": palette.TEST, "alpha": 0.6, "lw": 0},
            line_kwargs={"color": palette.INK, "lw": 1.2, "ls": "--", "alpha": 1.0},
        )
        ax.set(
            xlabel="predicted", ylabel="true" if kind.startswith("actual") else "true − predicted"
        )
        for axis in (ax.xaxis, ax.yaxis):
            axis.set_major_locator(MaxNLocator(5))
        ax.spines[["top", "right"]].set_visible(False)
        words = "True against predicted values" if kind.startswith("actual") else "Residuals"
        said = f"{words} of {len(rows)} rows: half are off by at most {np.median(np.abs(off)):.3g}"
        svg = inline_svg(_figure(ax), f"{said}, the worst by {np.abs(off).max():.3g}")
    return Picture(svg, n_rows=len(rows))


def draw_projection(model: Any, train: tuple[Any, Any], across: str) -> Picture:
    """Draw the rows of a fit in two dimensions.

    Parameters
    ----------
    model : classifier, or a Pipeline that ends in one
        Which sees numbers.
    train : tuple of (X, y)
        The rows of the fit.
    across : {"component", "decision"}

    Returns
    -------
    Picture
    """
    with mpl.rc_context(STYLE):
        ax = _axes(_SQUARE)
        display = ProjectionDisplay.from_estimator(
            model, *train, across=across, max_rows=POINTS, ax=ax
        )
        _drop_legend(ax)
        said = f"{len(display.points)} of {display.n_rows} rows, {display.axis_names[0]} against"
        said += f" {display.axis_names[1]}{_counted(display)}"
        svg = inline_svg(_figure(ax), said)
    keys = [Key(_mark(*display.look(k)), name) for k, name in enumerate(display.names)]
    if display.support_ is not None:
        keys.append(Key(_mark("", "ring"), "support vector"))
    if len(display.levels) > 1:
        keys.append(Key(_dashed(palette.INK, "5 3"), "margins, f(x) = ±1"))
    return Picture(svg, tuple(keys), len(display.points))


def _counted(display: ProjectionDisplay) -> str:
    """Count how many rows are support vectors, and how many lie inside the margins."""
    said = ""
    if display.support is not None:
        said += f"; {int(display.support.sum())} of them support vectors"
    if len(display.levels) > 1:
        inside = int((np.abs(display.points[:, 0]) < 1.0).sum())
        said += f"; {inside} between the margins"
    return said


def draw_rounds(errors: Mapping[str, Any], unit: str) -> Picture:
    """Draw errors after every round under their bounds.

    Parameters
    ----------
    errors : mapping of str to ndarray
    unit : str

    Returns
    -------
    Picture
    """
    return Picture(draw_errors(errors, unit))


def draw_losses(model: Any) -> Picture:
    """Draw the loss of a boosted model after every round.

    Parameters
    ----------
    model : boosted model, or a Pipeline that ends in one

    Returns
    -------
    Picture
    """
    with mpl.rc_context(STYLE):
        ax = _axes(_WIDE)
        display = LossCurveDisplay.from_estimator(model, ax=ax)
        last = ", ".join(f"{name} {values[-1]:.4g}" for name, values in display.curves.items())
        return _picture(ax, f"Loss after every round, in the end: {last}")


def draw_tuning(results: Mapping[str, Any], metric: Metric) -> Picture:
    """Draw what was tried to tune a model.

    Parameters
    ----------
    results : mapping of str to ndarray
        As ``cv_results_``.
    metric : Metric
        What the scores are.

    Returns
    -------
    Picture
    """
    with mpl.rc_context(STYLE):
        ax = _axes(_WIDE)
        display = TuningDisplay(grid=Grid.of(results), scoring=metric.title)
        display.plot(ax=ax, title=False)
        return _picture(ax, f"{len(display.grid.scores)} points were tried: {display.facts}")


_AREAS = {"ROC": "AUC", "precision-recall": "AP"}


def _area(curve: Any) -> str:
    spread = (
        f"\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}{curve.deviation:.3f}"
        if isinstance(curve, Band)
        else ""
    )
    return f"{curve.area:.3f}{spread}"


def _axes(size: tuple[float, float]) -> Axes:
    axes: Axes = Figure(figsize=size, layout="constrained").subplots()
    return axes


def _figure(ax: Axes) -> Figure:
    figure = ax.get_figure(root=True)
    assert figure is not None
    return figure


def _picture(ax: Axes, said: str) -> Picture:
    return Picture(inline_svg(_figure(ax), said))


def _drop_legend(ax: Axes) -> None:
    legend = ax.get_legend()
    if legend is not None:
        legend.remove()


# signs in keys


def _swatch(inside: str, colour: str = "currentColor") -> Markup:
    return Markup(
        f'<svg class="swatch" viewBox="0 0 28 10" aria-hidden="true" fill="{colour}"'
        f' stroke-width="2">{inside}</svg>'
    )


def _on_page(colour: str) -> str:
    return PAGE_COLOURS.get(colour, colour)


def _dashed(colour: str, dashes: str) -> Markup:
    pattern = f' stroke-dasharray="{dashes}"' if dashes else ""
    return _swatch(f'<path d="M0 5h28" stroke="{_on_page(colour)}"{pattern}/>')


def _line(k: int) -> Markup:
    """Show the look of the k-th curve."""
    dashes = palette.DASHES[k % len(palette.DASHES)]
    spaced: Sequence[float] = () if isinstance(dashes, str) else dashes[1]
    pattern = " ".join(f"{2 * length:g}" for length in spaced)
    return _dashed(palette.CURVES[k % len(palette.CURVES)], pattern)


def _mark(colour: str, marker: str) -> Markup:
    return _swatch(_SHAPES[marker], _on_page(colour) if colour else "none")


def _patches(ax: Axes) -> tuple[Key, ...]:
    """Take the patches of a legend out of a picture."""
    legend = ax.get_legend()
    assert legend is not None
    pairs = zip(legend.get_patches(), legend.get_texts(), strict=True)
    return tuple(
        Key(_mark(to_hex(patch.get_facecolor()).upper(), "patch"), text.get_text())
        for patch, text in pairs
    )


_CHANCE = _dashed(palette.CHANCE, "2 3")
