"""Laws: how a table is stored changes nothing, and width costs what it should."""

import io
import subprocess
import sys
from dataclasses import replace
from datetime import date

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from maxmargin.tables import InputError, Reading, Wishes, load_table

WORDS = ["u", "v w", "Zoë", "x, y", 'says "hm"', "it's", "none", "3 m", "a;b", "line\nbreak"]
VALUES = {
    "number": st.floats(-1e9, 1e9).map(lambda x: round(x, 6)) | st.none(),
    "whole": st.integers(-(10**12), 10**12) | st.none(),
    "word": st.sampled_from(WORDS) | st.none(),
    "flag": st.booleans() | st.none(),
    "day": st.dates(date(1900, 1, 1), date(2100, 1, 1)) | st.none(),
    "stamp": st.datetimes()
    .filter(lambda t: t.year >= 1000)
    .map(lambda t: t.replace(microsecond=0)),
}
TYPES = {"number": pl.Float64, "whole": pl.Int64, "word": pl.String, "flag": pl.Boolean}
TYPES |= {"day": pl.Date, "stamp": pl.Datetime("us")}


@st.composite
def frames(draw):
    n_rows = draw(st.integers(6, 30))
    kinds = draw(st.lists(st.sampled_from(sorted(VALUES)), min_size=1, max_size=5))
    columns = [
        pl.Series(
            f"x{j}", draw(st.lists(VALUES[kind], min_size=n_rows, max_size=n_rows)), TYPES[kind]
        )
        for j, kind in enumerate(kinds)
    ]
    labels = [("no", "yes")[i % 2] for i in range(n_rows)]
    usual = [i * 0.75 % 2.0 for i in range(n_rows)]
    return pl.DataFrame([*columns, pl.Series("usual", usual), pl.Series("y", labels)])


def facts(table):
    features = [replace(each, form="") for each in table.schema.features]
    return features, table.target.tolist(), table.columns, table.rows.tolist(), table.notes


@settings(max_examples=40)
@given(frame=frames(), separator=st.sampled_from(",;\t|"))
def test_csv_and_parquet_give_the_same_table(tmp_path_factory, frame, separator):
    folder = tmp_path_factory.mktemp("same")
    frame.write_parquet(folder / "t.parquet")
    frame.write_csv(folder / "t.csv", separator=separator)
    text, typed = (load_table(folder / name, Wishes("y")) for name in ("t.csv", "t.parquet"))
    assert facts(text) == facts(typed)
    assert text.features.equals(typed.features)


def test_gaps_cost_no_row(load):
    rows = "".join(f"{i if i % 2 else ''},{'' if i % 3 else 'u'},{i % 2}\n" for i in range(50))
    table = load("a,b,y\n" + rows)
    assert table.features.height == table.n_rows == 50
    assert table.features.null_count().row(0) == (25, 33)


def count_calls(path):
    """Count calls of Python while a table is loaded: no clock, and a quadratic cost shows."""
    calls = 0

    def count(*_event):
        nonlocal calls
        calls += 1

    sys.setprofile(count)
    try:
        load_table(path, Wishes("y"))
    finally:
        sys.setprofile(None)
    return calls


def test_the_cost_of_columns_is_linear(write):
    def wide(n_columns):
        columns = {f"n{j}": [0.5, j, 1.25, None] * 3 for j in range(n_columns)}
        columns |= {f"w{j}": ["u", "v", None, "w"] * 3 for j in range(n_columns)}
        file = io.BytesIO()
        pl.DataFrame(columns | {"y": [0, 1] * 6}, strict=False).write_csv(file)
        return count_calls(write(file.getvalue(), f"{n_columns}.csv"))

    few, many = wide(100), wide(400)
    assert many < 5 * few


def test_a_wrong_name_is_answered_without_loading_a_library_of_learning():
    code = (
        "import sys\nfrom maxmargin.tables import *\n"
        "try: read_frame('no such file.csv')\nexcept InputError as error: print(error)\n"
        "print(*{'sklearn', 'scipy', 'numba', 'matplotlib', 'pandas'} & {*sys.modules})"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.split("\n")[:2] == ["There is no file 'no such file.csv'.", ""]


def test_a_table_without_header_by_number(load):
    table = load("1.5,u,no\n2.5,v,yes\n3.5,u,no\n4.5,w,yes\n", "2", reading=Reading(header=False))
    assert (table.schema.target, table.features.columns) == ("c2", ["c0", "c1"])


def test_a_single_column_is_no_table(load):
    with pytest.raises(InputError, match="has a single column, 'y', and needs a target and at"):
        load("y\n1\n2\n")
