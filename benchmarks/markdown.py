"""Numbers and Markdown tables as text."""

from __future__ import annotations

import numpy as np


def lay_out(header: list[str], rows: list[list[str]]) -> str:
    widths = [max(map(len, column)) for column in zip(header, *rows, strict=True)]
    rule = [":" + "-" * (w - 1) if i == 0 else "-" * (w - 1) + ":" for i, w in enumerate(widths)]
    lines = [_line(cells, widths) for cells in (header, *rows)]
    return "\n".join([lines[0], "|" + "|".join(f" {r} " for r in rule) + "|", *lines[1:]])


def _line(cells: list[str], widths: list[int]) -> str:
    padded = [
        c.ljust(w) if i == 0 else c.rjust(w)
        for i, (c, w) in enumerate(zip(cells, widths, strict=True))
    ]
    return "| " + " | ".join(padded) + " |"


def number(value: float | None, digits: int = 3) -> str:
    """So many significant digits, never in powers of ten; a dash for what was not measured."""
    if value is None:
        return "–"
    places = digits - 1 - int(np.floor(np.log10(abs(value)))) if value else 0
    return f"{value:,.{min(max(places, 0), 4)}f}"


def times(value: float | None) -> str:
    return "–" if value is None else f"{number(value)}×"
