"""Results as tables: lines as dicts, a DataFrame of pandas or polars, and HTML for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.util import find_spec
from typing import Any

from maxmargin.inputs.parameters import check_choice

Line = dict[str, Any]

_FRAMES = ("pandas", "polars")


class Tabular:
    """A result that is a table; a subclass lists its lines (``to_dicts``)."""

    __slots__ = ()

    def to_dicts(self) -> list[Line]:
        """List the lines of the table, each a dict of its columns."""
        raise NotImplementedError

    def to_frame(self, library: str | None = None) -> Any:
        """Return the table as a DataFrame.

        Parameters
        ----------
        library : {"pandas", "polars"}, default=None
            None for the first of these that is installed.

        Returns
        -------
        DataFrame
        """
        return make_frame(self.to_dicts(), library)

    def _repr_html_(self) -> str:
        return write_html(*_as_cells(self.to_dicts()))


def make_frame(lines: Sequence[Line], library: str | None = None) -> Any:
    """Make a DataFrame of lines.

    Parameters
    ----------
    lines : list of dict
    library : {"pandas", "polars"}, default=None
        None for the first of these that is installed.

    Returns
    -------
    DataFrame
    """
    wanted = _FRAMES if library is None else (library,)
    check_choice("to_frame", "library", wanted[0], _FRAMES)
    installed = [name for name in wanted if find_spec(name) is not None]
    if not installed:
        raise ImportError(f"to_frame needs {' or '.join(wanted)}: install it, or use to_dicts.")
    return (_pandas if installed[0] == "pandas" else _polars)(list(lines))


def write_html(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """Write a table for notebooks; whatever the cells hold is escaped.

    Examples
    --------
    >>> write_html(["a"], [["<b>"]])
    '<table><thead><tr><th>a</th></tr></thead><tbody><tr><td>&lt;b&gt;</td></tr></tbody></table>'
    """
    top = "".join(f"<th>{escape(cell)}</th>" for cell in head)
    rows = ["".join(f"<td>{escape(cell)}</td>" for cell in line) for line in body]
    return (
        f"<table><thead><tr>{top}</tr></thead><tbody>"
        + "".join(f"<tr>{row}</tr>" for row in rows)
        + "</tbody></table>"
    )


def lines_as_html(lines: Sequence[Line]) -> str:
    """Write lines as a table for notebooks."""
    return write_html(*_as_cells(lines))


def _as_cells(lines: Sequence[Line]) -> tuple[list[str], list[list[str]]]:
    head = list(lines[0]) if lines else []
    body = [[_as_cell(value) for value in line.values()] for line in lines]
    return [name.replace("_", " ") for name in head], body


def _as_cell(value: Any) -> str:
    return f"{value:.4g}" if isinstance(value, float) else "" if value is None else str(value)


def _pandas(lines: list[Line]) -> Any:
    import pandas as pd  # type: ignore[import-untyped, import-not-found, unused-ignore] # noqa: PLC0415

    return pd.DataFrame(lines)


def _polars(lines: list[Line]) -> Any:
    import polars as pl  # noqa: PLC0415  (not needed to make the lines)

    return pl.DataFrame(lines)
