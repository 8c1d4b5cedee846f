"""The Gram matrix of some items, class beside class."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import numpy as np
from matplotlib.colors import LinearSegmentedColormap
from numpy.typing import ArrayLike, NDArray

from maxmargin.inputs.container import take_rows
from maxmargin.kernels.choice import as_kernel
from maxmargin.plots import palette
from maxmargin.plots.display import Display
from maxmargin.plots.text import head, plain

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.image import AxesImage

Array: TypeAlias = NDArray[np.float64]

_BLUES = LinearSegmentedColormap.from_list("blues", ["#FFFFFF", palette.CLASSES[0], palette.INK])
_MOST = 600  # items that are drawn; more would be smaller than the dots of a screen


class GramDisplay(Display):
    """A kernel matrix as a picture: the more similar two items, the darker.

    For the matrix of any kernel; sorted by class, similar classes are dark squares on the diagonal.
    Build it with :meth:`from_matrix`, or draw in one call with :func:`gram`.

    Parameters
    ----------
    matrix : array-like of shape (items, items)
        Kernel values.
    labels : array-like of shape (items,), optional
        The class of each item; items are drawn class by class.

    Attributes
    ----------
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    image_ : AxesImage
        The matrix.

    Examples
    --------
    >>> from maxmargin.plots import GramDisplay
    >>> display = GramDisplay.from_matrix([[1.0, 0.2], [0.2, 1.0]], ["a", "b"])
    >>> [tick.get_text() for tick in display.ax_.get_yticklabels()]
    ['a', 'b']
    """

    drawn_of: ClassVar[str] = "a square matrix of kernel values"

    image_: AxesImage

    def __init__(self, *, matrix: ArrayLike, labels: ArrayLike | None = None) -> None:
        self.matrix: Array = np.asarray(matrix, dtype=np.float64)
        self.labels: Any = None if labels is None else np.asarray(labels)

    @classmethod
    def from_matrix(
        cls, matrix: Any, labels: ArrayLike | None = None, *, ax: Axes | None = None
    ) -> Self:
        """Draw a matrix.

        Parameters
        ----------
        matrix : array-like of shape (items, items)
            Kernel values.
        labels : array-like of shape (items,), optional
            The class of each item.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.

        Returns
        -------
        GramDisplay
            The display, already plotted.
        """
        values = np.asarray(matrix)
        square = values.ndim == 2 and values.shape[0] == values.shape[1] and values.size
        if not square or values.dtype.kind not in "fiub":
            found = f"An array of shape {values.shape}" if values.ndim else type(matrix).__name__
            raise ValueError(f"{found} is none: a Gram matrix is drawn of {cls.drawn_of}.")
        if labels is not None and np.shape(labels) != (len(values),):
            raise ValueError(
                f"The matrix has {len(values)} items, and labels have shape {np.shape(labels)}; "
                "give one an item."
            )
        return cls(matrix=values, labels=labels).plot(ax=ax)

    def plot(self, ax: Axes | None = None) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.

        Returns
        -------
        GramDisplay
            Itself.
        """
        ax = self._place(ax, 5.6, 4.6)
        order = self._order()
        values = self.matrix[np.ix_(order, order)]
        self.image_ = ax.imshow(values, cmap=_BLUES, interpolation="nearest", vmin=self._lowest())
        bar = self.figure_.colorbar(self.image_, ax=ax, shrink=0.85)
        bar.set_label("kernel value")
        bar.outline.set_visible(False)
        self._finish_axes()
        return self

    def _lowest(self) -> float:
        return min(0.0, float(self.matrix.min()))

    def _order(self) -> NDArray[np.intp]:
        if self.labels is None:
            return np.arange(len(self.matrix))
        return np.argsort(self.labels, kind="stable")

    def _finish_axes(self) -> None:
        n = len(self.matrix)
        if self.labels is None:
            self.ax_.set(xlabel="item", ylabel="item")
        else:
            self._name_classes()
        how = "as given" if self.labels is None else "class by class"
        head(self.ax_, "Gram matrix", f"{n} items, {how}")

    def _name_classes(self) -> None:
        """Part the classes by lines, and name each in the middle of its rows."""
        classes, counts = np.unique(self.labels, return_counts=True)
        edges = np.concatenate([[0], np.cumsum(counts)]) - 0.5
        for edge in edges[1:-1]:
            for line in (self.ax_.axhline, self.ax_.axvline):
                line(edge, color=palette.CLASSES[1], lw=1.0)
        middles, names = (edges[1:] + edges[:-1]) / 2, [plain(name) for name in classes]
        self.ax_.set_xticks(middles, names)
        self.ax_.set_yticks(middles, names)
        self.ax_.tick_params(length=0)


def gram(kernel: Any, X: Any, y: ArrayLike | None = None, *, ax: Axes | None = None) -> GramDisplay:
    """Draw the Gram matrix of items, sorted by class.

    Parameters
    ----------
    kernel : Kernel, str or callable
        As for :func:`maxmargin.kernels.check`.
    X : array, sparse matrix, DataFrame or list of items
        Of more than 600, evenly spaced ones are drawn.
    y : array-like of shape (items,), optional
        The class of each item.
    ax : matplotlib Axes, optional
        Axes to draw into; by default a new figure.

    Returns
    -------
    GramDisplay
        With ``ax_``, ``figure_`` and ``image_``.

    Examples
    --------
    >>> from maxmargin import plots
    >>> from maxmargin.kernels import Spectrum
    >>> plots.gram(Spectrum(2).normalized(), ["abab", "abb", "ba"]).matrix.round(2).tolist()
    [[1.0, 0.63, 0.45], [0.63, 1.0, 0.0], [0.45, 0.0, 1.0]]
    """
    n = X.shape[0] if hasattr(X, "shape") else len(X)
    if n > _MOST:
        some = np.linspace(0, n - 1, _MOST).astype(np.intp)
        X, y = take_rows(X, some), None if y is None else take_rows(y, some)
    return GramDisplay.from_matrix(as_kernel(kernel)(X), y, ax=ax)
