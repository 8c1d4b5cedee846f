"""What displays with one Axes share: where they draw."""

from __future__ import annotations

from typing import TYPE_CHECKING

import matplotlib.pyplot as plt

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


class Display:
    """A picture on one Axes."""

    ax_: Axes
    figure_: Figure

    def _place(self, ax: Axes | None, width: float, height: float) -> Axes:
        """Set ``ax_`` and ``figure_``, to those given or to new ones of a size in inches.

        Returns
        -------
        Axes
        """
        if ax is None:
            _, ax = plt.subplots(figsize=(width, height), layout="constrained")
        self.ax_ = ax
        self.figure_ = ax.get_figure(root=True)  # type: ignore[assignment]
        return ax
