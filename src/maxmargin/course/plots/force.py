"""The weights as a sum of support vectors: forces on a stiff sheet that keep it at rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeAlias

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.lines import Line2D
from numpy.typing import ArrayLike, NDArray

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import palette
from maxmargin.plots.margin import MarginDisplay
from maxmargin.plots.plane import Plane
from maxmargin.plots.slack import ARROW
from maxmargin.plots.text import head
from maxmargin.svm.duality import explain_dual
from maxmargin.svm.kernel_classifier import has_unit_margin

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure
    from matplotlib.legend import Legend
    from matplotlib.quiver import Quiver

Array: TypeAlias = NDArray[np.float64]

_LONGEST = 0.16  # of the picture's width is the longest arrow
_ZERO = 5e-10  # of all forces: less is rounding


class ForcesDisplay:
    """The support vectors of a linear machine, each with its force alpha_i t_i w / |w|.

    For a linear HardMarginSVC, SlackBudgetSVC or SVC of two columns and two classes, and pipelines
    and searches that end in one, in the columns that it sees. Take the hyperplane for a stiff sheet
    at which every support vector pulls. As sum_i alpha_i t_i = 0 the forces cancel, and as
    w = sum_i alpha_i t_i x_i has no lever across itself, so do their torques (Burges, "A tutorial
    on support vector machines", 1998, section 3.7). Together, those of a class act in the mean of
    its support vectors, weighted with alpha; the line between the two means is therefore
    perpendicular to the sheet, and w is half the sum of all alpha times it. Build it with
    :meth:`from_estimator`, or draw in one call with :func:`forces`.

    Parameters
    ----------
    margins : MarginDisplay
        What is drawn behind.
    X : array-like of shape (n, 2)
        The support vectors.
    t : array-like of shape (n,)
        Their labels, -1 or +1.
    alpha : array-like of shape (n,)
        Their dual variables.

    Attributes
    ----------
    weights, force, torque : ndarray of shape (2,), ndarray of shape (2,) and float
        w as the sum of its support vectors, and the sums of all forces and torques.
    ax_, figure_ : matplotlib Axes and Figure
        Where it was drawn.
    arrows_ : Quiver
        The forces.
    means_ : Line2D
        The means of the two sides and the line between them.
    legend_ : Legend or None
        The legend, below the axes.

    Examples
    --------
    >>> from maxmargin import HardMarginSVC
    >>> from maxmargin.datasets import make_separable
    >>> from maxmargin.plots import ForcesDisplay
    >>> X, y = make_separable(30, random_state=0)
    >>> display = ForcesDisplay.from_estimator(HardMarginSVC().fit(X, y), X, y)
    >>> bool(abs(display.force).max() < 1e-9 and abs(display.torque) < 1e-9)
    True
    """

    drawn_of: ClassVar[str] = "a linear HardMarginSVC, SlackBudgetSVC or SVC of two columns"

    ax_: Axes
    figure_: Figure
    arrows_: Quiver
    means_: Line2D
    legend_: Legend | None

    def __init__(
        self, *, margins: MarginDisplay, X: ArrayLike, t: ArrayLike, alpha: ArrayLike
    ) -> None:
        self.margins = margins
        self.X: Array = np.asarray(X, dtype=np.float64)
        self.t: Array = np.asarray(t, dtype=np.float64)
        self.alpha: Array = np.asarray(alpha, dtype=np.float64)

    @property
    def weights(self) -> Array:
        """sum_i alpha_i t_i x_i."""
        total: Array = (self.alpha * self.t) @ self.X
        return total

    @property
    def forces(self) -> Array:
        """The force of each support vector, alpha_i t_i w / |w|."""
        length = float(np.linalg.norm(self.weights))
        return np.outer(self.alpha * self.t, self.weights / length if length else self.weights)

    @property
    def force(self) -> Array:
        """Their sum."""
        total: Array = self.forces.sum(axis=0)
        return total

    @property
    def torque(self) -> float:
        """The sum of their torques, about the origin and so, as they cancel, about any point."""
        F = self.forces
        return float((self.X[:, 0] * F[:, 1] - self.X[:, 1] * F[:, 0]).sum())

    @property
    def means(self) -> Array:
        """The mean of either class's support vectors, weighted with alpha."""
        sides = [np.where(self.t == sign, self.alpha, 0.0) for sign in (-1.0, 1.0)]
        return np.array([side @ self.X / side.sum() for side in sides])

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        sample_weight: ArrayLike | None = None,
        grid_resolution: int = 200,
        ax: Axes | None = None,
        legend: bool = True,
    ) -> Self:
        """Draw the forces of a fitted machine.

        Parameters
        ----------
        estimator : HardMarginSVC, SlackBudgetSVC or SVC, or a Pipeline or search that ends in one
            Fitted to two columns and two classes, with the linear kernel.
        X, y, sample_weight
            The training data.
        grid_resolution : int, default=200
            Lattice points an axis.
        ax : matplotlib Axes, optional
            Axes to draw into; by default a new figure.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        ForcesDisplay
            The display, already plotted.

        Examples
        --------
        >>> from maxmargin import SVC, plots
        >>> from maxmargin.datasets import make_overlapping
        >>> X, y = make_overlapping(30, random_state=0)
        >>> model = SVC(kernel="linear").fit(X, y)
        >>> display = plots.forces(model, X, y)
        >>> bool(abs(display.weights - model.coef_).max() < 1e-9)
        True
        """
        fitted = Fitted.of(estimator)
        if not (has_unit_margin(fitted.model) and hasattr(fitted.model, "coef_")):
            raise fitted.refusal("weights that are duals", f"forces are drawn of {cls.drawn_of}")
        rows = fitted.rows(X)
        points = Plane.of(rows, "forces", None).points
        dual = explain_dual(fitted.model, rows, y, sample_weight)
        pulls = dual.alpha > 0
        if not pulls.any():
            raise ValueError(
                "No row has a dual variable above 0, so that w = 0 and no force acts: give the fit "
                "a larger C, or a smaller budget."
            )
        return cls(
            margins=MarginDisplay._of(fitted.model, rows, y, None, grid_resolution),
            X=points[dual.rows[pulls]],
            t=dual.t[pulls],
            alpha=dual.alpha[pulls],
        ).plot(ax=ax, legend=legend)

    def plot(self, ax: Axes | None = None, *, legend: bool = True) -> Self:
        """Draw on ``ax``, or on a new figure.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw.
        legend : bool, default=True
            Whether to put a legend below the axes.

        Returns
        -------
        ForcesDisplay
            Itself.
        """
        if ax is None:
            _, ax = plt.subplots(figsize=(5.8, 6.2), layout="constrained")
        self.margins.plot(ax=ax, legend=False)
        self.ax_, self.figure_ = ax, self.margins.figure_
        ax.set_aspect("equal")  # otherwise no force looks perpendicular
        (self.means_,) = ax.plot(
            *self.means.T, color=palette.BAYES, lw=1.1, ls="--", marker="X", ms=8, mec="white"
        )
        self.means_.set_zorder(6)
        self.arrows_ = self._draw_arrows()
        head(ax, "Forces of the support vectors", self._facts())
        self.legend_ = self._add_legend() if legend else None
        return self

    def _draw_arrows(self) -> Quiver:
        """Draw the longest as a share of the picture, the others in proportion."""
        (left, right), longest = self.ax_.get_xlim(), float(self.alpha.max())
        scale = longest / (_LONGEST * (right - left))
        style: Any = {"angles": "xy", "scale_units": "xy", "scale": scale, "units": "inches"}
        colours = [palette.CLASSES[int(sign > 0)] for sign in self.t]
        return self.ax_.quiver(
            *self.X.T, *self.forces.T, color=colours, width=0.028, zorder=5.5, **style
        )

    def _facts(self) -> str:
        all_of_it = float(self.alpha.sum())
        small = _ZERO * all_of_it * (1.0 + np.abs(self.X).max())
        numbers = [0.0 if abs(v) < small else v for v in (*self.force, self.torque)]
        w = ", ".join(f"{value:.3g}" for value in self.weights)
        total = ", ".join(f"{value:.3g}" for value in numbers[:2])
        return f"w = Σ αᵢ tᵢ xᵢ = ({w}); forces sum to ({total}), torques to {numbers[2]:.3g}"

    def _add_legend(self) -> Legend:
        force = Line2D([], [], ls="none", marker=ARROW, ms=10, color=palette.INK)
        force.set_label("force αᵢ tᵢ w / ‖w‖")
        mean = Line2D([], [], color=palette.BAYES, ls="--", marker="X", mec="white")
        mean.set_label("means of the two sides, weighted with α")
        handles = [h for h in self.margins.legend_handles() if "support" not in str(h.get_label())]
        return self.ax_.legend(
            handles=[*handles, force, mean],
            loc="upper center",
            bbox_to_anchor=(0.5, -0.12),
            ncols=2,
            frameon=False,
            fontsize="small",
        )


forces = ForcesDisplay.from_estimator
"""The same as ``ForcesDisplay.from_estimator``."""
