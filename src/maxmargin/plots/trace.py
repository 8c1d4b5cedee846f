"""How solvers converge: one number of their traces against seconds, all on one axis."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib import patheffects
from matplotlib.ticker import LogLocator, NullFormatter
from numpy.typing import NDArray

from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.lines import Line2D
    from matplotlib.text import Annotation

    from maxmargin.solvers.trace import Progress

Array: TypeAlias = NDArray[np.float64]
Curve: TypeAlias = tuple[Array, Array]

_DECADES = 2  # seconds that span more of them are drawn on a logarithmic axis
_OFFSET = 6.0  # of a label from the end of its curve, in points
_LINE_HEIGHT = 1.25  # between the labels of two curves that end together, in font sizes


class ConvergenceDisplay(Display):
    """Traces of several solvers on one axis, logarithmic in the quantity.

    For the traces of an SVC, HardMarginSVC, SlackBudgetSVC, LinearSVC or LinearClassifier, each
    fitted with a ``Trace`` as ``callback``.
    Build it with :meth:`from_traces`, or draw in one call with :func:`convergence`.

    Parameters
    ----------
    curves : mapping of str to pair of ndarray
        Labels, and for each the seconds and the quantity; what is not positive is not drawn.
    quantity : str
        The label of the vertical axis.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : dict of str to Line2D
        The curve of each trace.
    labels_ : dict of str to Annotation
        The names at the ends of the curves; empty where a legend was asked for.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_mixture
    >>> from maxmargin.plots import ConvergenceDisplay
    >>> from maxmargin.solvers import Trace
    >>> trace = Trace()
    >>> model = SVC(callback=trace).fit(*load_mixture(return_X_y=True))
    >>> display = ConvergenceDisplay.from_traces({"working set": trace}, quantity="violation")
    >>> display.ax_.get_ylabel()
    'violation of the optimality conditions'
    """

    drawn_of: ClassVar[str] = "an SVC, HardMarginSVC, SlackBudgetSVC, LinearSVC or LinearClassifier"

    lines_: dict[str, Line2D]
    labels_: dict[str, Annotation]

    def __init__(self, *, curves: Mapping[str, Curve], quantity: str) -> None:
        self.curves = curves
        self.quantity = quantity

    @classmethod
    def from_traces(
        cls,
        traces: Mapping[str, Iterable[Progress]],
        *,
        quantity: str = "gap",
        optimum: float | None = None,
        ax: Axes | None = None,
        legend: bool = False,
    ) -> Self:
        """Work the quantity out of every line of every trace and draw it.

        Parameters
        ----------
        traces : mapping of str to Trace or iterable of Progress
            Labels and traces.
        quantity : {"gap", "error", "dual_error", "violation"}, default="gap"
            The gap relative to the larger objective; the primal's or the dual's distance from the
            optimum relative to it; or the violation by which the solver steers.
        optimum : float, optional
            The optimal value, for the errors. Without it the best value in the traces is taken,
            and the line that holds it has no error to draw.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.
        legend : bool, default=False
            Whether to name the curves in a legend rather than at their ends.

        Returns
        -------
        ConvergenceDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import SVC, plots
        >>> from maxmargin.datasets import load_mixture
        >>> from maxmargin.solvers import Trace
        >>> trace = Trace()
        >>> model = SVC(callback=trace).fit(*load_mixture(return_X_y=True))
        >>> plots.convergence({"working set": trace}).ax_.get_yscale()
        'log'
        """
        measure, label = _choose(quantity)
        columns = {name: _columns(name, lines) for name, lines in _items(traces)}
        best = _best(columns, quantity) if optimum is None else float(optimum)
        curves = {name: (table[:, 0], measure(table, best)) for name, table in columns.items()}
        return cls(curves=curves, quantity=label).plot(ax=ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = False) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        legend : bool, default=False
            Whether to name the curves in a legend rather than at their ends.

        Returns
        -------
        ConvergenceDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.4)
        start = _log_start([seconds for seconds, _ in self.curves.values()])
        self.lines_ = {
            name: self._draw(index, name, start) for index, name in enumerate(self.curves)
        }
        self._finish_axes(start)
        self.labels_ = {} if legend else self._label_ends()
        if legend:
            ax.legend(frameon=False, handlelength=2.8)
        return self

    def _draw(self, index: int, name: str, start: float | None) -> Line2D:
        seconds, values = self.curves[name]
        (line,) = self.ax_.plot(
            seconds if start is None else np.maximum(seconds, start),
            np.where(values > 0, values, np.nan),
            color=palette.CURVES[index % len(palette.CURVES)],
            linestyle=palette.DASHES[index % len(palette.DASHES)],
            linewidth=1.8,
            label=plain(name),
        )
        return line

    def _finish_axes(self, start: float | None) -> None:
        self.ax_.set(xlabel="seconds", ylabel=self.quantity, yscale="log")
        self.ax_.yaxis.set_minor_formatter(NullFormatter())
        if start is None:
            self.ax_.set_xlim(left=0.0)
        else:
            self.ax_.set_xscale("log")
            self.ax_.set_xlim(left=start)
            self.ax_.xaxis.set_major_locator(LogLocator())
        self.ax_.grid(visible=True, color=palette.CHANCE, alpha=0.25, linewidth=0.6)
        self.ax_.spines[["top", "right"]].set_visible(False)

    def _label_ends(self) -> dict[str, Annotation]:
        ends = {name: end for name in self.lines_ if (end := self._mark_end(name)) is not None}
        shifts = _shifts({name: self._box(name, end) for name, end in ends.items()})
        return {name: self._label(name, end, shifts[name]) for name, end in ends.items()}

    def _mark_end(self, name: str) -> tuple[float, float] | None:
        line = self.lines_[name]
        x, y = np.asarray(line.get_xdata()), np.asarray(line.get_ydata())
        drawn = np.flatnonzero(np.isfinite(y))
        if drawn.size == 0:
            return None
        last = int(drawn[-1])
        line.set(marker="o", markersize=4, markevery=[last])
        return float(x[last]), float(y[last])

    def _box(self, name: str, end: tuple[float, float]) -> tuple[float, float, float]:
        """Return the left and right end of a label and its height, in points."""
        self.ax_.get_xlim(), self.ax_.get_ylim()  # limits are settled only when asked for
        left, height = self.ax_.transData.transform(end) * 72.0 / self.figure_.dpi
        return left, left + _OFFSET + 0.6 * _label_size() * len(name), height

    def _label(self, name: str, end: tuple[float, float], shift: float) -> Annotation:
        return self.ax_.annotate(
            plain(name),
            xy=end,
            xytext=(_OFFSET, shift),
            textcoords="offset points",
            va="center",
            color=self.lines_[name].get_color(),
            fontsize="small",
            annotation_clip=False,
            path_effects=[patheffects.withStroke(linewidth=2.5, foreground="white")],
        )


convergence = ConvergenceDisplay.from_traces
"""The same as ``ConvergenceDisplay.from_traces``."""


def _relative_gap(table: Array, _best: float) -> Array:
    primal, dual = table[:, 1], table[:, 2]
    gap = _divide(primal - dual, np.maximum(np.abs(primal), np.abs(dual)))
    # By weak duality a gap below rounding is rounding: the curve ends there, not before.
    return np.maximum(gap, np.finfo(np.float64).eps)


def _primal_error(table: Array, best: float) -> Array:
    return _divide(np.abs(table[:, 1] - best), abs(best))


def _dual_error(table: Array, best: float) -> Array:
    return _divide(np.abs(table[:, 2] - best), abs(best))


def _violation(table: Array, _best: float) -> Array:
    return table[:, 3]


_QUANTITIES: dict[str, tuple[Callable[[Array, float], Array], str]] = {
    "gap": (_relative_gap, "relative gap"),
    "error": (_primal_error, "relative error of the objective"),
    "dual_error": (_dual_error, "relative error of the dual objective"),
    "violation": (_violation, "violation of the optimality conditions"),
}


def _choose(quantity: str) -> tuple[Callable[[Array, float], Array], str]:
    if quantity not in _QUANTITIES:
        listed = ", ".join(repr(name) for name in _QUANTITIES)
        raise ValueError(f"quantity must be one of {listed}. Got {quantity!r} instead.")
    return _QUANTITIES[quantity]


def _items(traces: Any) -> Iterable[tuple[str, Any]]:
    if not isinstance(traces, Mapping):
        raise TypeError(
            "traces must be a mapping of labels to traces, such as {'smo': trace}, each a callback"
            f" of {ConvergenceDisplay.drawn_of}."
        )
    if not traces:
        raise ValueError("There is no trace to draw: give at least one, such as {'smo': trace}.")
    return traces.items()


def _columns(name: str, lines: Iterable[Progress]) -> Array:
    """Make a table of seconds, primal, dual and violation."""
    try:
        rows = [(line.seconds, line.primal, line.dual, line.violation) for line in lines]
    except (AttributeError, TypeError):
        raise TypeError(
            f"{name!r} is no trace of a solver: give a Trace() as callback to the fit of"
            f" {ConvergenceDisplay.drawn_of}, and draw that."
        ) from None
    if not rows:
        raise ValueError(f"The trace {name!r} is empty: give it to a fit as callback first.")
    return np.array(rows, dtype=np.float64)


def _best(columns: Mapping[str, Array], quantity: str) -> float:
    """Return the best known value: the smallest primal, or the largest dual."""
    table = np.concatenate(list(columns.values()))
    column = table[:, 2] if quantity == "dual_error" else table[:, 1]
    finite = column[np.isfinite(column)]
    if finite.size == 0:
        return np.nan
    return float(finite.max() if quantity == "dual_error" else finite.min())


def _divide(values: Array, sizes: Array | float) -> Array:
    """Divide, leaving undefined what is not finite or has nothing to be relative to."""
    defined = np.isfinite(values) & (np.asarray(sizes) > 0)
    return np.divide(values, sizes, out=np.full_like(values, np.nan), where=defined)


def _log_start(times: list[Array]) -> float | None:
    """Return the start of a logarithmic axis of seconds, or None if a linear axis is enough.

    The first line of a trace is written before any step: it stands where the axis begins.
    """
    later = [seconds[1:][seconds[1:] > 0] for seconds in times]
    early = [float(each[0]) for each in later if each.size]
    if not early:
        return None
    first, last = min(early), max(float(each[-1]) for each in later if each.size)
    return first if last > 10**_DECADES * first else None


def _shifts(boxes: Mapping[str, tuple[float, float, float]]) -> dict[str, float]:
    """Raise labels, the lowest first, until none covers another."""
    placed: dict[str, tuple[float, float, float]] = {}
    step = _LINE_HEIGHT * _label_size()
    for name, (left, right, height) in sorted(boxes.items(), key=lambda item: item[1][2]):
        raised = height
        for low, high, other in sorted(placed.values(), key=lambda box: box[2]):
            if left < high and low < right and abs(raised - other) < step:
                raised = other + step
        placed[name] = (left, right, raised)
    return {name: placed[name][2] - boxes[name][2] for name in boxes}


def _label_size() -> float:
    return float(plt.rcParams["font.size"]) * 0.833  # matplotlib's "small"
