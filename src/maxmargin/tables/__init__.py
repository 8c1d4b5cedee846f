"""Files that people have, read as tables of numbers and categories with a target."""

from maxmargin.tables.error import InputError
from maxmargin.tables.schema import Feature, Schema
from maxmargin.tables.table import Column, Table

__all__ = ["Column", "Feature", "InputError", "Schema", "Table"]
