"""Graphs with their nodes coloured by what the subtrees around them weigh in a linear form."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Self

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from numpy.typing import ArrayLike, NDArray

from maxmargin.kernels import Graph
from maxmargin.kernels.graph import as_graphs, is_networkx
from maxmargin.plots import palette
from maxmargin.plots.graph_layout import lay_out
from maxmargin.plots.text import head, plain
from maxmargin.svm.feature_weights import feature_weights
from maxmargin.svm.node_weights import node_weights

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_COLOURS = LinearSegmentedColormap.from_list(
    "weights", [palette.CLASSES[0], "#FFFFFF", palette.CLASSES[1]]
)
_COLUMNS = 3  # panels in a line
_DARK = 0.75  # of the scale, from which on labels are white
_SIZES = ((40, 9.0), (20, 13.0), (0, 17.0))  # least number of nodes, radius and font size
_LONG = 3  # letters of a label that fit into a node


class SubtreeDisplay:
    """Graphs whose nodes show which class the subtrees around them speak for.

    For weights of nodes as ``maxmargin.node_weights`` gives them for models of
    ``WeisfeilerLehman(h)``.
    A node's colour is the weight of the subtrees that it is the root of; their sum over a graph,
    with the intercept, is the decision of the linear model. All panels share one scale. Build it
    with :meth:`from_weights`, or draw in one call with :func:`subtrees`.

    Parameters
    ----------
    shares : mapping of str to pair of Graph and ndarray
        Titles; graphs with a weight for each node.
    classes : pair of objects, optional
        For whom weights below and above 0 speak.

    Attributes
    ----------
    axes_ : ndarray of Axes
        One a graph.
    figure_ : matplotlib Figure

    Examples
    --------
    >>> from maxmargin.kernels import Graph
    >>> from maxmargin.plots import SubtreeDisplay
    >>> water = Graph([(0, 1), (0, 2)], ["O", "H", "H"])
    >>> display = SubtreeDisplay.from_weights({"water": (water, [1.0, -0.5, -0.5])})
    >>> len(display.axes_)
    1
    """

    drawn_of: ClassVar[str] = "a mapping of titles to pairs (graph, weights of its nodes)"

    axes_: NDArray[np.object_]
    figure_: Figure

    def __init__(
        self, *, shares: Mapping[str, tuple[Graph, NDArray[np.float64]]], classes: Any = None
    ) -> None:
        self.shares = shares
        self.classes = classes

    @classmethod
    def from_weights(
        cls, shares: Mapping[str, tuple[Any, ArrayLike]], *, classes: Any = None, axes: Any = None
    ) -> Self:
        """Draw graphs by title.

        Parameters
        ----------
        shares : mapping of str to pair of graph and array-like
            Titles; graphs, of networkx too, with a weight for each node.
        classes : pair of objects, optional
            For whom weights below and above 0 speak.
        axes : array of Axes, optional
            Where to draw, one a graph; a new figure otherwise.

        Returns
        -------
        SubtreeDisplay
            The display, already plotted.
        """
        if not (isinstance(shares, Mapping) and shares and all(map(_is_pair, shares.values()))):
            raise TypeError(
                f"{type(shares).__name__} holds no weights of nodes, and subtrees are drawn of "
                f"{cls.drawn_of}."
            )
        pairs = {name: (as_graphs([g])[0], weights) for name, (g, weights) in shares.items()}
        found = {name: (g, _checked(name, g, weights)) for name, (g, weights) in pairs.items()}
        return cls(shares=found, classes=classes).plot(axes=axes)

    def plot(self, axes: Any = None) -> Self:
        """Draw on ``axes``, or on a new figure.

        Parameters
        ----------
        axes : array of Axes, optional
            One a graph.

        Returns
        -------
        SubtreeDisplay
            Itself.
        """
        given = self._axes() if axes is None else np.atleast_1d(np.asarray(axes, object)).ravel()
        for spare in given[len(self.shares) :]:
            spare.set_axis_off()
        self.axes_ = given[: len(self.shares)]
        self.figure_ = given[0].get_figure(root=True)
        sizes = [np.abs(weights).max(initial=0.0) for _, weights in self.shares.values()]
        scale = Normalize(*np.array([-1.0, 1.0]) * (max(sizes) or 1.0))
        for ax, (name, (graph, weights)) in zip(self.axes_, self.shares.items(), strict=True):
            _draw(ax, graph, weights, scale)
            head(ax, plain(name), f"weights add up to {weights.sum():+.2f}".replace("-", "−"))
        bar = self.figure_.colorbar(
            ScalarMappable(scale, _COLOURS), ax=list(self.axes_), shrink=0.8, pad=0.02
        )
        bar.set_label(self._meaning())
        return self

    def _meaning(self) -> str:
        if self.classes is None:
            return "weight of a node's subtrees"
        below, above = map(plain, self.classes)
        return f"weight of a node's subtrees\nbelow 0 for {below}, above for {above}"

    def _axes(self) -> NDArray[Any]:
        count = len(self.shares)
        lines, across = -(-count // _COLUMNS), min(count, _COLUMNS)
        size = (3.2 * across + 1.0, 3.1 * lines)
        _, axes = plt.subplots(lines, across, figsize=size, squeeze=False, layout="constrained")
        return np.asarray(axes.ravel())


def subtrees(
    model: Any, graphs: Any = None, *, classes: Any = None, axes: Any = None
) -> SubtreeDisplay:
    """Draw graphs with their nodes coloured by the weight of the subtrees around them.

    Parameters
    ----------
    model : estimator, or mapping of str to pair of graph and array-like
        Fitted, of ``WeisfeilerLehman(h)``; or titles, and graphs with a weight for each node, as
        ``maxmargin.node_weights`` gives them.
    graphs : list of graphs, or mapping of str to graph, optional
        Which are drawn, of a model; with their titles.
    classes : object or pair of objects, optional
        Of a model of more than two classes, which one against the others, or which two; of weights,
        for whom those below and above 0 speak.
    axes : array of Axes, optional
        Where to draw, one a graph; a new figure otherwise.

    Returns
    -------
    SubtreeDisplay
        With ``axes_`` and ``figure_``.

    Examples
    --------
    >>> from maxmargin import SVC, node_weights, plots
    >>> from maxmargin.kernels import Graph, WeisfeilerLehman
    >>> water, acid = Graph([(0, 1), (0, 2)], list("OHH")), Graph([(0, 1)], ["H", "Cl"])
    >>> model = SVC(kernel=WeisfeilerLehman(1)).fit([water, acid], [0, 1])
    >>> len(plots.subtrees(model, {"water": water, "acid": acid}).axes_)
    2
    >>> display = plots.subtrees({"water": (water, node_weights(model, water))})
    >>> len(display.axes_)
    1
    """
    if graphs is None:
        return SubtreeDisplay.from_weights(model, classes=classes, axes=axes)
    titled = (
        graphs if isinstance(graphs, Mapping) else {f"graph {i}": g for i, g in enumerate(graphs)}
    )
    shares = {name: (graph, node_weights(model, graph, classes)) for name, graph in titled.items()}
    found = feature_weights(model, classes)
    sides = found.against, found.towards
    return SubtreeDisplay.from_weights(shares, classes=sides, axes=axes)


def _is_pair(value: Any) -> bool:
    graph = isinstance(value, tuple) and len(value) == 2 and value[0]
    return isinstance(graph, Graph) or is_networkx(graph)


def _checked(name: str, graph: Graph, weights: ArrayLike) -> NDArray[np.float64]:
    given = np.asarray(weights, dtype=np.float64)
    if given.shape != (graph.n_nodes,):
        raise ValueError(
            f"{name!r} has {graph.n_nodes} nodes and weights of shape {given.shape}; give one each."
        )
    return given


def _draw(ax: Axes, graph: Graph, weights: NDArray[np.float64], scale: Normalize) -> None:
    X, size = lay_out(graph.adjacency), next(s for n, s in _SIZES if graph.n_nodes >= n)
    ax.add_collection(
        LineCollection(list(X[graph.ends]), colors=palette.FACTS, linewidths=1.3, zorder=1)
    )
    ax.scatter(X[:, 0], X[:, 1], s=size**2, c=weights, cmap=_COLOURS, norm=scale,
               edgecolors=palette.INK, linewidths=0.9, zorder=2)  # fmt: skip
    if graph.node_labels is not None:
        _write_labels(ax, graph, X, np.abs(scale(weights) - 0.5) * 2, 0.55 * size)
    ax.set_aspect("equal", adjustable="datalim")
    ax.margins(0.18)
    ax.set_axis_off()


def _write_labels(
    ax: Axes, graph: Graph, X: NDArray[np.float64], depth: NDArray[np.float64], size: float
) -> None:
    """Write labels into their nodes, white on dark ones."""
    assert graph.node_labels is not None
    for place, label, deep in zip(X.tolist(), graph.node_labels.tolist(), depth, strict=True):
        colour = "white" if deep > _DARK else palette.INK
        words: Any = {"ha": "center", "va": "center", "fontsize": size, "color": colour}
        ax.text(place[0], place[1], plain(str(label)[:_LONG]), zorder=3, **words)
