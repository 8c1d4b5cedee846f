"""Files that people have, read as tables of numbers and categories with a target."""

from maxmargin.inputs.extra import require

require("maxmargin.tables", "command", "polars")

# ruff: noqa: E402  (the sentence about what is missing comes before what is missing)

from maxmargin.tables.error import InputError
from maxmargin.tables.frame import read_frame
from maxmargin.tables.preparation import load_table, make_table
from maxmargin.tables.reading import Reading
from maxmargin.tables.schema import Feature, Schema
from maxmargin.tables.table import Column, Table
from maxmargin.tables.tu_dortmund import GraphCollection, read_graphs
from maxmargin.tables.wishes import Wishes

__all__ = [
    "Column",
    "Feature",
    "GraphCollection",
    "InputError",
    "Reading",
    "Schema",
    "Table",
    "Wishes",
    "load_table",
    "make_table",
    "read_frame",
    "read_graphs",
]
