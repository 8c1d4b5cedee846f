"""Pictures of what was asked of the winner: the curve of costs, and intervals of a quantity."""

from __future__ import annotations

from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator, PercentFormatter

from maxmargin.job.conformal import IntervalResult
from maxmargin.job.costs import CostResult
from maxmargin.plots import palette
from maxmargin.report.job_picture import Picture
from maxmargin.report.picture import STYLE, inline_svg

MOST_POINTS = 400  # of a curve of costs
MOST_ROWS = 150  # whose intervals are drawn
_SIZE = (4.9, 3.5)


def draw_costs(cost: CostResult) -> Picture:
    """Draw the mean cost of a row by threshold on the folds, with the chosen threshold.

    Parameters
    ----------
    cost : CostResult

    Returns
    -------
    Picture
    """
    thresholds, costs = cost.curve.thresholds, cost.curve.costs
    shown = np.unique(np.linspace(0, len(thresholds) - 1, MOST_POINTS).astype(int))
    chosen = float(costs[np.searchsorted(thresholds, cost.threshold, "right") - 1])
    with mpl.rc_context(STYLE):
        ax = Figure(figsize=_SIZE, layout="constrained").subplots()
        ax.step(thresholds[shown], costs[shown], where="post", color=palette.TEST, linewidth=1.6)
        ax.axvline(cost.threshold, color=palette.CHANCE, linewidth=1.0, linestyle="--")
        ax.plot([cost.threshold], [chosen], "o", color=palette.TRAIN, markersize=8)
        ax.set(xlabel="threshold of the probability", ylabel="mean cost of a row, folds")
        ax.set(xlim=(0.0, 1.0), ylim=(0.0, None))
        ax.xaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
        ax.spines[["top", "right"]].set_visible(False)
        said = f"Mean cost of a row by threshold: {chosen:.3g} at the chosen one of"
        said += f" {100 * cost.threshold:.3g} %, {costs.min():.3g} at the least"
        return Picture(inline_svg(_figure(ax), said))


def draw_intervals(found: IntervalResult, truth: Any) -> Picture:
    """Draw intervals of test rows in the order of their predictions, with the true values.

    Parameters
    ----------
    found : IntervalResult
    truth : ndarray of shape (rows,)

    Returns
    -------
    Picture
    """
    rows = np.random.default_rng(0).permutation(len(truth))[:MOST_ROWS]
    middle = found.ends[rows].mean(axis=1)
    rows = rows[np.argsort(middle, kind="stable")]
    ends, true = found.ends[rows], np.asarray(truth, float)[rows]
    inside, place = (ends[:, 0] <= true) & (true <= ends[:, 1]), np.arange(len(rows))
    with mpl.rc_context(STYLE):
        ax = Figure(figsize=_SIZE, layout="constrained").subplots()
        ax.vlines(place, ends[:, 0], ends[:, 1], color=palette.CHANCE, linewidth=1.6, alpha=0.6)
        for part, colour, marker in ((inside, palette.TEST, "o"), (~inside, palette.TRAIN, "D")):
            ax.plot(place[part], true[part], marker, color=colour, markersize=3.5)
        ax.set(xlabel="test rows, by their predictions", ylabel="interval and true value")
        ax.set_xticks([])
        ax.yaxis.set_major_locator(MaxNLocator(5))
        ax.spines[["top", "right"]].set_visible(False)
        said = f"Intervals of {len(rows)} test rows: {int(inside.sum())} hold the true value"
        return Picture(inline_svg(_figure(ax), said), n_rows=len(rows))


def _figure(ax: Any) -> Figure:
    figure: Figure = ax.get_figure(root=True)
    return figure
