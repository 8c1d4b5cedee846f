"""Words in pictures: titles with a line of facts, and names that come from data."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from matplotlib.textpath import TextPath

from maxmargin.plots import palette

if TYPE_CHECKING:
    from matplotlib.axes import Axes


def plain(text: object) -> str:
    """Keep matplotlib from reading dollars in a name as mathematics."""
    return str(text).replace("$", r"\$")


def percent(share: float, _: object = None) -> str:
    """Write a share as a tick in per cent, with as many digits as it has."""
    return f"{round(100.0 * share, 6):g}%"


def width(text: str, size: float, weight: str = "normal") -> float:
    """Measure a line, in inches."""
    points = TextPath((0.0, 0.0), text, prop={"size": size, "weight": weight})  # type: ignore[arg-type]
    return float(points.get_extents().width) / 72.0


def turn(names: Sequence[str], room: float, size: float = 8) -> dict[str, Any]:
    """Style names below an axis of the given width in inches: rotated if they would overlap."""
    wide = max((width(name, size) for name in names), default=0.0)
    turned = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
    return {"fontsize": size} | (turned if len(names) * wide > room else {})


def head(ax: Axes, title: str, facts: str) -> None:
    """Write a bold title with a line of facts below it."""
    ax.set_title(title, loc="left", fontweight="bold", fontsize=10, pad=19)
    ax.text(0.0, 1.025, facts, transform=ax.transAxes, fontsize=9, color=palette.FACTS)
