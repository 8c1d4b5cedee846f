"""Predictions as a table."""

import polars as pl

from maxmargin.job.prediction import defused


def test_double_quotes_do_not_hide_a_formula_where_a_cell_is_split():
    """A file says x;""=1+1;y: split at semicolons, the second cell is an empty text and =1+1."""
    said = defused(pl.DataFrame({"id": ['x;"=1+1;y', 'a\t" =1', 'a"=1', 'x;"y"']}))
    assert said["id"].to_list() == ["x;\"'=1+1;y", "a\t\" '=1", 'a"=1', 'x;"y"']


def test_names_stay_different_once_they_are_defused():
    said = defused(pl.DataFrame({"=id": ["a"], "'=id": ["b"], "=id'": ["c"]}))
    assert said.columns == ["'=id", "'=id'", "'=id''"]
    assert said.row(0) == ("a", "b", "c")
