"""Rows of any number of columns in two dimensions, with the support vectors among them.

The plane is that of the first two principal components of the columns as the model sees them, each
column scaled to the same deviation. It is a shadow: rows that lie together in it may lie apart, and
no boundary of more than two columns is a line in it. Against the decision value, which is exact,
boundary and margins are lines.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from sklearn.base import is_classifier
from sklearn.decomposition import PCA
from sklearn.preprocessing import StandardScaler

from maxmargin.evaluation.run import decide
from maxmargin.inputs.container import take_rows
from maxmargin.inputs.fitted import Fitted
from maxmargin.inputs.parameters import check_choice, check_number
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.margin import are_fitted, has_margins, has_support
from maxmargin.plots.text import plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.collections import PathCollection

Array: TypeAlias = NDArray[Any]

MARKERS = (*palette.MARKERS, "s", "D", "v", "P", "X")
RIGHT_WRONG = ("right", "wrong")

_ACROSS = ("component", "decision")


class ProjectionDisplay(Display):
    """Rows in the plane of two principal components, or of one against the decision value.

    For every classifier, ours and scikit-learn's, and for pipelines and searches that end in one,
    as long as it sees numbers. Support vectors are ringed where the rows are those of the fit. Up
    to seven classes have looks of their own; for more, right and wrong predictions have.
    Build it with :meth:`from_estimator`, or draw in one call with :func:`projection`.

    Parameters
    ----------
    points : ndarray of shape (n, 2)
        Where rows stand.
    kinds : ndarray of shape (n,)
        Place of their class in ``names``.
    names : list of str
        Classes, or "right" and "wrong".
    support : ndarray of bool, or None
        Which are support vectors; None where this is not known.
    axis_names : pair of str
    levels : tuple of float, default=()
        Decision values of the boundary and of margins on either side of it.
    n_rows : int, default=None
        Of how many rows these are.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    points_ : list of PathCollection
        The points, one collection a class.
    support_ : PathCollection or None
        The rings.

    Examples
    --------
    >>> from matplotlib.figure import Figure
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_heart
    >>> from maxmargin.plots import ProjectionDisplay
    >>> from sklearn.pipeline import make_pipeline
    >>> from sklearn.preprocessing import StandardScaler
    >>> X, y = load_heart(return_X_y=True)
    >>> model = make_pipeline(StandardScaler(), SVC()).fit(X, y)
    >>> display = ProjectionDisplay.from_estimator(model, X, y, ax=Figure().subplots())
    >>> int(display.support.sum()) == len(model[-1].support_)
    True
    """

    drawn_of: ClassVar[str] = "a classifier"

    points_: list[PathCollection]
    support_: PathCollection | None

    def __init__(
        self,
        *,
        points: Array,
        kinds: Array,
        names: list[str],
        support: Array | None = None,
        axis_names: tuple[str, str] = ("first component", "second component"),
        levels: tuple[float, ...] = (),
        n_rows: int | None = None,
    ) -> None:
        self.points = points
        self.kinds = kinds
        self.names = names
        self.support = support
        self.axis_names = axis_names
        self.levels = levels
        self.n_rows = len(points) if n_rows is None else n_rows

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        across: str = "component",
        max_rows: int = 500,
        ax: Axes | None = None,
    ) -> Self:
        """Project rows as a fitted classifier sees them.

        Parameters
        ----------
        estimator : classifier, or a Pipeline or search that ends in one
            Fitted.
        X : array-like or DataFrame
            The rows. Support vectors are ringed if these are the rows of the fit.
        y : array-like of shape (n_samples,)
            Their labels.
        across : {"component", "decision"}, default="component"
            What goes from left to right: the first component, with the second going up; or the
            decision value of two classes, with the first component going up.
        max_rows : int, default=500
            Of more rows this many are drawn, a fixed random choice.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        ProjectionDisplay
            The display, already plotted.

        Examples
        --------
        >>> from matplotlib.figure import Figure
        >>> from maxmargin import SVC, plots
        >>> from maxmargin.datasets import load_mixture
        >>> X, y = load_mixture(return_X_y=True)
        >>> model = SVC(gamma=1.0).fit(X, y)
        >>> plots.projection(model, X, y, across="decision", ax=Figure().subplots()).levels
        (0.0, -1.0, 1.0)
        """
        fitted = Fitted.of(estimator)
        check_choice("projection", "across", across, _ACROSS)
        check_number("projection", "max_rows", max_rows, 1, whole=True)
        labels = _check(fitted, cls.drawn_of, y)
        rows = fitted.rows(X)
        chosen = _some(len(labels), max_rows)
        seen, support = take_rows(rows, chosen), _find_support(fitted.model, rows, len(labels))
        points, axis_names = _components(_numbers(fitted, seen))
        kinds, names = _kinds(fitted.model, seen, labels[chosen])
        levels: tuple[float, ...] = ()
        if across == "decision":
            values, levels, said = _decide(fitted, seen)
            points, axis_names = np.c_[values, points[:, 0]], (said, axis_names[0])
        return cls(
            points=points,
            kinds=kinds,
            names=names,
            support=None if support is None else support[chosen],
            axis_names=axis_names,
            levels=levels,
            n_rows=len(labels),
        ).plot(ax=ax)

    def plot(self, *, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        ProjectionDisplay
            Itself.
        """
        ax = self._place(ax, 5.6, 5.2)
        self.points_ = [self._draw(kind) for kind in range(len(self.names))]
        self.support_ = self._ring()
        for k, level in enumerate(self.levels):
            ax.axvline(level, color=palette.INK, lw=1.0 if k else 1.8, ls="--" if k else "-")
        ax.set(xlabel=self.axis_names[0], ylabel=self.axis_names[1])
        ax.spines[["top", "right"]].set_visible(False)
        handles = [*self.points_, *([] if self.support_ is None else [self.support_])]
        ax.legend(handles=handles, frameon=False, fontsize="small", loc="best")
        return self

    def look(self, kind: int) -> tuple[str, str]:
        """Return the colour and the marker of a class.

        Parameters
        ----------
        kind : int
            Its place in ``names``.

        Returns
        -------
        tuple of str
        """
        return palette.CURVES[kind], MARKERS[kind]

    def _draw(self, kind: int) -> PathCollection:
        colour, marker = self.look(kind)
        mine = self.kinds == kind
        # What is rare stands in front.
        edge = {"edgecolors": "white", "linewidths": 0.4, "zorder": 4.0 - mine.mean()}
        return self._scatter(mine, self.names[kind], s=24, marker=marker,
                             color=colour, **edge)  # fmt: skip

    def _ring(self) -> PathCollection | None:
        if self.support is None or not self.support.any():
            return None
        ring = {"color": "none", "edgecolors": palette.INK, "linewidths": 0.7, "zorder": 5}
        return self._scatter(self.support, "support vector", s=46, **ring)

    def _scatter(self, which: Array, name: str, **style: Any) -> PathCollection:
        x, y = self.points[which].T
        return self.ax_.scatter(x, y, label=plain(name), **style)


projection = ProjectionDisplay.from_estimator
"""The same as ``ProjectionDisplay.from_estimator``."""


def holds_numbers(rows: Any) -> bool:
    """Return whether prepared rows are a matrix of finite numbers."""
    values = rows.data if sparse.issparse(rows) else np.asarray(rows)
    try:
        numbers = values.astype(np.float64)
    except (TypeError, ValueError):
        return False
    return len(rows.shape) == 2 and bool(np.isfinite(numbers).all())


def _numbers(fitted: Fitted, rows: Any) -> Array:
    if not holds_numbers(rows):
        raise ValueError(
            f"{fitted.name} sees words or gaps, and a projection is drawn of numbers: put steps"
            " before it that make them."
        )
    values = rows.toarray() if sparse.issparse(rows) else np.asarray(rows)
    return np.asarray(values, np.float64)


def _check(fitted: Fitted, drawn_of: str, y: ArrayLike) -> Array:
    if not is_classifier(fitted.model):
        raise fitted.refusal("classes", f"projections are drawn of {drawn_of}")
    return np.asarray(y)


def _some(count: int, limit: int) -> NDArray[np.intp]:
    """Choose rows at random, the same ones for every picture of the same rows."""
    return np.sort(np.random.default_rng(0).permutation(count)[:limit])


def _find_support(model: Any, rows: Any, count: int) -> NDArray[np.bool_] | None:
    """Return which rows are support vectors; None for rows of another set."""
    if not has_support(model) or not are_fitted(model, rows, count):
        return None
    found = np.zeros(count, bool)
    found[np.asarray(model.support_)] = True
    return found


def _components(numbers: Array) -> tuple[Array, tuple[str, str]]:
    """Return the first two principal components and their names."""
    scaled = StandardScaler().fit_transform(numbers)
    count = min(2, *scaled.shape)
    with np.errstate(invalid="ignore"):  # columns that never vary explain no share of nothing
        pca = PCA(count, random_state=0).fit(scaled)
    points = np.zeros((len(scaled), 2))
    points[:, :count] = pca.transform(scaled)
    shares = np.zeros(2)
    shares[:count] = np.nan_to_num(pca.explained_variance_ratio_)
    first, second = (f"{100 * share:.0f} % of the variance" for share in shares)
    return points, (f"first component ({first})", f"second component ({second})")


def _kinds(model: Any, rows: Any, labels: Array) -> tuple[Array, list[str]]:
    """Return class indices, or for too many classes whether the prediction is right."""
    classes = np.asarray(model.classes_)
    if len(classes) > len(MARKERS):
        return (model.predict(rows) != labels).astype(np.intp), list(RIGHT_WRONG)
    return np.searchsorted(classes, labels), [str(name) for name in classes]


def _decide(fitted: Fitted, rows: Any) -> tuple[Array, tuple[float, ...], str]:
    """Return values of two classes, the levels of boundary and margins, and their labels."""
    inner = fitted.of_two_classes()
    values = decide(inner.model, rows) if len(fitted.model.classes_) == 2 else None
    if values is None:
        raise ValueError(f"{fitted.name} has no decision value of two classes: draw components.")
    if not hasattr(inner.model, "decision_function"):
        return values, (0.5,), "probability of the second class"
    margins = (-1.0, 1.0) if has_margins(inner.model) else ()
    return np.ravel(values), (0.0, *margins), "decision value f(x)"
