"""Errors of a boosted or bagged classifier against rounds, with the bounds of AdaBoost's theorem.

With the edge gamma_t = 1/2 - e_t and Z_t = 2 sqrt(e_t (1 - e_t)),

    training error  <=  prod Z_t  <=  exp(-2 sum gamma_t^2)

(Freund and Schapire, 1997, theorem 6). Nothing bounds the error on other rows by these.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.ticker import MaxNLocator, NullFormatter
from numpy.typing import ArrayLike, NDArray
from sklearn.base import is_classifier

from maxmargin.evaluation.members import is_bag, staged_labels
from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import percent, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.legend import Legend
    from matplotlib.lines import Line2D

Array: TypeAlias = NDArray[np.float64]

_SOLID, _DASHED, _DASH_DOT, _DOTTED, _ = palette.DASHES
_KNOWN: dict[str, dict[str, Any]] = {
    "test": {"color": palette.TEST, "lw": 2.2, "ls": _SOLID, "zorder": 2.4},
    "train": {"color": palette.TRAIN, "lw": 2.0, "ls": _DASHED, "zorder": 2.3},
    "validation": {"color": palette.CURVES[2], "lw": 1.8, "ls": _DASH_DOT, "zorder": 2.2},
    "bound": {"color": palette.INK, "lw": 1.4, "ls": _DASH_DOT},
    "edge bound": {"color": palette.CHANCE, "lw": 1.4, "ls": _DOTTED},
}
_LABELS = {
    "bound": r"bound: $\prod Z_t$",
    "edge bound": r"looser bound: $\exp(-2\sum\gamma_t^2)$",
}


class ErrorCurveDisplay(Display):
    """Errors against the number of rounds, with the bounds on the training error.

    For a boosted classifier (an AdaBoostClassifier, a BoostingClassifier, or one of scikit-learn's
    with ``staged_predict``), for a BaggingClassifier, ours or scikit-learn's, for scikit-learn's
    forests, and for pipelines that end in one of these.
    Build it with :meth:`from_estimator`, or draw in one call with :func:`error_curves`.

    Parameters
    ----------
    curves : mapping of str to ndarray of shape (n_rounds,)
        Names, and the error after each round. The names "train", "test", "validation", "bound" and
        "edge bound" have looks of their own.
    unit : str, default="rounds"
        What the horizontal axis counts.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    lines_ : dict of str to Line2D
        The curves.
    legend_ : Legend
        Their names.

    Examples
    --------
    >>> from maxmargin.boosting import AdaBoostClassifier
    >>> from maxmargin.datasets import load_ten_points
    >>> from maxmargin.plots import ErrorCurveDisplay
    >>> model = AdaBoostClassifier(n_estimators=3).fit(*load_ten_points(return_X_y=True))
    >>> display = ErrorCurveDisplay.from_estimator(model)
    >>> bool((display.curves["train"] <= display.curves["bound"]).all())
    True
    """

    drawn_of: ClassVar[str] = (
        "a boosted classifier, such as an AdaBoostClassifier, or of a BaggingClassifier"
    )
    _word: ClassVar[str] = "error"

    lines_: dict[str, Line2D]
    legend_: Legend

    def __init__(self, *, curves: Mapping[str, Array], unit: str = "rounds") -> None:
        self.curves = curves
        self.unit = unit

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        sets: Mapping[str, tuple[Any, ArrayLike]] | None = None,
        *,
        log_rounds: bool = False,
        ax: Axes | None = None,
    ) -> Self:
        """Predict sets of rows after every round and draw the errors.

        Parameters
        ----------
        estimator : a boosted or bagged classifier, or a Pipeline that ends in one
            Fitted. The training error, its bounds, and validation or out-of-bag errors are drawn if
            the model has them; errors of other models are drawn on ``sets`` only.
        sets : mapping of str to pair of X and y, optional
            Names and rows, such as ``{"test": (X_test, y_test)}``.
        log_rounds : bool, default=False
            Use a logarithmic axis of rounds.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        ErrorCurveDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import plots
        >>> from maxmargin.boosting import AdaBoostClassifier
        >>> from maxmargin.datasets import load_mixture
        >>> X, y = load_mixture(return_X_y=True)
        >>> model = AdaBoostClassifier(n_estimators=30).fit(X[::2], y[::2])
        >>> list(plots.error_curves(model, {"test": (X[1::2], y[1::2])}).lines_)
        ['edge bound', 'bound', 'train', 'test']
        """
        fitted = Fitted.of(estimator)
        items, curves = _items(sets), _known_errors(fitted.model)
        _check(fitted, cls.drawn_of, has_some=bool(items or curves))
        for name, (X, y) in items:
            said = staged_labels(fitted.model, fitted.rows(X))
            curves[name] = np.array([np.mean(np.asarray(y) != label) for label in said])
        unit = "members" if is_bag(fitted.model) else "rounds"
        return cls(curves=curves, unit=unit).plot(log_rounds=log_rounds, ax=ax)

    def plot(self, *, log_rounds: bool = False, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        log_rounds : bool, default=False
            Use a logarithmic axis of rounds.
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        ErrorCurveDisplay
            Itself.
        """
        ax = self._place(ax, 6.4, 4.4)
        self.lines_ = {name: self._draw(name) for name in self._order()}
        self._finish_axes(log_rounds)
        self.legend_ = ax.legend(frameon=False, handlelength=2.8)
        return self

    def _order(self) -> list[str]:
        """List what has a fixed look in a fixed order, then the rest."""
        fixed = ("edge bound", "bound", "train", "validation", "test")
        known = [name for name in fixed if name in self.curves]
        return [*known, *(name for name in self.curves if name not in known)]

    def _draw(self, name: str) -> Line2D:
        strangers = [each for each in self.curves if each not in _KNOWN]
        style = _KNOWN.get(name) or _spare_style(strangers.index(name))
        values = self.curves[name]
        label = _LABELS.get(name, f"{plain(name)} {self._word}")
        (line,) = self.ax_.plot(np.arange(1, len(values) + 1), values, label=label, **style)
        return line

    def _finish_axes(self, log_rounds: bool) -> None:
        last = max(len(values) for values in self.curves.values())
        self.ax_.set(xlabel=self.unit, xlim=(1, max(last, 2)))
        self._finish_height()
        if log_rounds:
            self.ax_.set_xscale("log")
            self.ax_.xaxis.set_major_formatter("{x:g}")
            self.ax_.xaxis.set_minor_formatter(NullFormatter())
        else:
            self.ax_.xaxis.set_major_locator(MaxNLocator(integer=True))
        self.ax_.grid(visible=True, color=palette.CHANCE, alpha=0.25, linewidth=0.6)
        self.ax_.spines[["top", "right"]].set_visible(False)

    def _finish_height(self) -> None:
        self.ax_.set(ylabel=self._word)
        self.ax_.set_ylim(bottom=0.0)
        self.ax_.yaxis.set_major_formatter(percent)


error_curves = ErrorCurveDisplay.from_estimator
"""The same as ``ErrorCurveDisplay.from_estimator``."""


def _check(fitted: Fitted, drawn_of: str, has_some: bool) -> None:
    model, name = fitted.model, fitted.name
    if not is_classifier(model):
        raise TypeError(
            f"{name} is no classifier, and errors are shares of wrong labels, drawn of {drawn_of};"
            " plots.loss_curves draws the loss of boosted regressors and rankers."
        )
    if not hasattr(model, "staged_predict") and not is_bag(model):
        raise fitted.refusal("staged_predict", f"errors round by round are drawn of {drawn_of}")
    if not has_some:
        or_out = ", or fit it with oob_score=True" if hasattr(model, "oob_score") else ""
        raise ValueError(
            f"{name} does not know its training errors: give sets of rows to predict,"
            f" such as {{'test': (X, y)}}{or_out}."
        )


def _known_errors(estimator: Any) -> dict[str, Array]:
    """Find the errors a model has kept; what gradient boosting validates by is a loss, no error."""
    if hasattr(estimator, "oob_errors_"):
        return {"out-of-bag": np.asarray(estimator.oob_errors_)}
    if not hasattr(estimator, "history_"):
        return {}
    errors = {"train": estimator.history_.column("train_error")}
    if not hasattr(estimator, "validation_loss_"):
        errors["validation"] = estimator.history_.column("validation_error")
    known = {name: values for name, values in errors.items() if np.isfinite(values).all()}
    return {**_bounds(estimator), **known}


def _bounds(estimator: Any) -> dict[str, Array]:
    bounds = getattr(estimator, "bounds_", None)
    if bounds is None:
        return {}
    curves = {"edge bound": bounds["exponential"], "bound": bounds["product"]}
    return {name: values for name, values in curves.items() if np.isfinite(values).all()}


def _items(sets: Any) -> Any:
    if sets is not None and not isinstance(sets, Mapping):
        raise TypeError("sets must be a mapping of names to rows, such as {'test': (X, y)}.")
    return {} if sets is None else sets.items()


def _spare_style(index: int) -> dict[str, Any]:
    colours = palette.CURVES[2:]
    dashes = palette.DASHES
    return {"color": colours[index % len(colours)], "lw": 1.8, "ls": dashes[index % len(dashes)]}
