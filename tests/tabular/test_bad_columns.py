"""Columns as people have them: each is used, or dropped with a word about it."""

from decimal import Decimal

import numpy as np
import pandas as pd
import polars as pl
import pytest

from maxmargin import TableSVC, TableSVR
from maxmargin.tabular.columns import read_columns
from maxmargin.tabular.preparation import BLOCKS, LONGEST_WORD, Preparation

N = 40


def learn(X):
    """Prepare a table beside a column of numbers; returns what it says of the first column."""
    frame = pd.DataFrame({"c": X}) if not isinstance(X, pd.DataFrame | pl.DataFrame) else X
    columns = read_columns(TableSVR(), frame, reset=True)
    columns.append(np.arange(float(len(columns[0]))))
    names = [*map(str, frame.columns), "x"]
    y = np.linspace(-1, 1, len(columns[0]))[:, None]
    learned, rows = Preparation.learn(columns, names, y)
    assert np.isfinite(rows.X).all()
    np.testing.assert_array_equal(learned.rows(columns).X.shape, rows.X.shape)
    return str(learned).split("\n")[0].removeprefix("c").strip(), learned, rows


def block(rows, name):
    return rows.X[:, rows.block == BLOCKS.index(name)]


def repeat(*values):
    return [values[i % len(values)] for i in range(N)]


@pytest.mark.parametrize(
    ("column", "said"),
    [
        (repeat("12", "3.5", "7"), "a number, written as text"),
        (
            repeat("12", None, "7"),
            "a number, written as text, with an indicator of missing values",
        ),
        (repeat("01", "02", "10"), "a category of 3 levels"),
        (repeat("2024-01-05", "2024-02-06"), "days as a number, written as text (year-month-day)"),
        (
            repeat("2024-01-05", "5.1.2024"),
            "a category of 2 levels; dates in several formats, or in one that leaves doubt, are "
            "read as words",
        ),
        (
            [f"1/{i % 12 + 1}/{1990 + i}" for i in range(N)],
            "dropped: every row has a word of its own; dates in several formats, or in one that "
            "leaves doubt, are read as words",
        ),
        (repeat(None, np.nan), "dropped: every value is missing"),
        (repeat(1.0, np.inf, -np.inf, 2.0), "a number, with an indicator of missing values"),
        (repeat(True, False, None), "a number, with an indicator of missing values"),
        (repeat("True", "False"), "a category of 2 levels"),
        (repeat(1, "a", 2.0, b"b"), "a category of 4 levels"),
        (repeat(Decimal("1.5"), Decimal(2)), "a number"),
        (repeat("", " ", "a"), "a category of 3 levels"),
        (pd.array(repeat(1, 2, None), dtype="Int64"), "a number, with an indicator of missing"),
        (pd.array(repeat(True, None, False), dtype="boolean"), "a number, with an indicator of"),
        (pd.array(repeat("a", None, "b"), dtype="string"), "a category of 2 levels"),
        (pd.array(repeat(0.5, None), dtype="Float32"), "a number, with an indicator of missing"),
        (pd.Categorical(repeat("a", "b"), categories=["z", "a", "b"]), "a category of 2 levels"),
        (pd.Categorical(repeat("a", "a"), categories=["a", "b"]), "dropped: every row has the"),
        (pd.cut(np.arange(N), 3), "a category of 3 levels"),
        (pl.DataFrame({"c": repeat("a", "b", None)}), "a category of 2 levels"),
        (pl.DataFrame({"c": repeat("a", "b")}, {"c": pl.Enum(["a", "b", "z"])}), "a category of 2"),
        (pl.DataFrame({"c": repeat(1, None, 3)}), "a number, with an indicator of missing values"),
        (pl.DataFrame({"c": repeat(True, False)}), "a number"),
        (pl.DataFrame({"c": repeat("2", "3")}), "a number, written as text"),
    ],
)
def test_what_becomes_of_columns(column, said):
    assert learn(column)[0].startswith(said)


def test_equal_columns_are_used_once():
    values = np.arange(4.0) ** 2
    _, learned, rows = learn(pd.DataFrame({"c": values, "again": values}))
    assert "again  dropped: the same as 'c'" in str(learned)
    assert rows.X.shape[1] == 4


def test_columns_of_equal_names_are_refused():
    with pytest.raises(ValueError, match="X has several columns named 'c': rename them"):
        learn(pd.DataFrame(np.eye(3), columns=["c", "d", "c"]))


def test_very_many_words_are_few_numbers():
    n = 100_000
    column = np.array([f"w{i % (n - 1)}" for i in range(n)], dtype=object)
    said, _, rows = learn(column)
    assert said.startswith("a category of 99,999 levels")
    assert rows.X.shape[1] < 80


def test_very_long_words_take_little():
    long = [f"{'x' * 1_000_000}{i % 20}" for i in range(N)]
    _, learned, rows = learn(np.array(long, dtype=object))
    assert learned.columns[0].levels.nbytes <= 20 * 4 * LONGEST_WORD
    assert len(np.unique(block(rows, "levels"), axis=0)) == 20


def frames():
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "n": rng.normal(size=N).round(2),
            "w": rng.choice(["a", "b", "7"], N),
            "d": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 99, N), "D"),
        }
    )
    return frame, np.where(frame["w"] == "a", 1.0, 0.0) + frame["n"]


def test_values_of_new_rows_may_be_stored_otherwise():
    """Numbers as text, dates as text, words that are all numbers: read as in fit."""
    frame, y = frames()
    model = TableSVR().fit(frame, y)
    usual = model.predict(frame)
    text = frame.assign(n=frame["n"].astype(str), d=frame["d"].dt.strftime("%Y-%m-%d"))
    np.testing.assert_array_equal(model.predict(text), usual)
    sevens = frame[frame["w"] == "7"]
    as_number = sevens.assign(w=np.full(len(sevens), 7))
    np.testing.assert_array_equal(model.predict(as_number), model.predict(sevens))


def test_new_words_and_columns_that_are_missing_now():
    frame, y = frames()
    model = TableSVR().fit(frame, y)
    other = frame.assign(w="new", d=[None] * N, n=[None] * N)
    assert np.isfinite(model.predict(other)).all()
    assert len(set(model.predict(other))) == 1


def test_words_where_numbers_were_are_named():
    frame, y = frames()
    model = TableSVR().fit(frame, y)
    with pytest.raises(ValueError, match="Column 'n' held numbers in fit and holds 'much' now"):
        model.predict(frame.assign(n="much"))
    with pytest.raises(ValueError, match="Column 'd' held dates in fit and holds numbers now"):
        model.predict(frame.assign(d=3.0))


def test_no_usable_column():
    frame = pd.DataFrame({"gaps": [None] * N, "same": "a", "own": [f"k{i}" for i in range(N)]})
    with pytest.raises(ValueError, match=r"No column of X can be used: gaps +dropped"):
        TableSVC().fit(frame, np.arange(N) % 2)
