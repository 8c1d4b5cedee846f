import gzip
from datetime import UTC, datetime, timedelta
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from maxmargin.cli.complaint import InputError
from maxmargin.cli.table import load_table
from maxmargin.datasets import heart_path

CSV = "a,b,y\n1.5,u,no\n2.5,v,yes\n3.5,u,no\n4.5,v,yes\n"


def write(folder: Path, text: str, name: str = "table.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def treatments(table) -> dict[str, str]:
    return {column.name: column.treatment for column in table.summary.columns}


@pytest.mark.parametrize("name", ["t.csv", "t.CSV", "t.csv.gz", "t.tsv", "t.tsv.gz", "t.parquet"])
def test_every_format_reads_the_same(tmp_path, name):
    path, frame = tmp_path / name, pl.read_csv(CSV.encode())
    lower = name.lower()
    if lower.endswith(".parquet"):
        frame.write_parquet(path)
    else:
        text = frame.write_csv(separator="\t" if ".tsv" in lower else ",").encode()
        path.write_bytes(gzip.compress(text) if lower.endswith(".gz") else text)
    table = load_table(path, "y")
    assert table.features.rows() == [(1.5, "u"), (2.5, "v"), (3.5, "u"), (4.5, "v")]
    assert table.target.tolist() == ["no", "yes", "no", "yes"]
    assert (table.numbers, table.categories) == (["a"], ["b"])


def test_a_semicolon_is_found(tmp_path):
    assert load_table(write(tmp_path, CSV.replace(",", ";")), "y").features.width == 2


def test_a_name_with_a_star_is_one_file(tmp_path):
    write(tmp_path, CSV, "ab.csv")
    table = load_table(write(tmp_path, CSV, "a*.csv"), "y")
    assert table.summary.n_rows == 4


def test_the_heart_data_keep_297_rows():
    table = load_table(heart_path(), "AHD")
    assert (table.summary.n_rows, table.summary.n_incomplete, table.summary.n_used) == (303, 6, 297)
    assert table.categories == ["ChestPain", "Thal"]


@pytest.mark.parametrize("mark", ["", "NA", "?", "NaN"])
def test_incomplete_rows_are_dropped(tmp_path, mark):
    table = load_table(write(tmp_path, CSV + f"{mark},u,no\n5.5,u,{mark}\n"), "y")
    assert table.summary.n_incomplete == 2
    assert table.features.schema["a"] == pl.Float64


def test_the_column_that_costs_most_rows_is_named(tmp_path):
    table = load_table(write(tmp_path, CSV + ",u,no\n,v,no\n1.5,,no\n"), "y")
    assert table.summary.notes == ("Column 'a' has the most missing values: 2 of 7.",)


@pytest.mark.parametrize("header", ["", "key", "Unnamed"])
def test_row_numbers_are_dropped(tmp_path, header):
    lines = CSV.splitlines()
    text = [f"{header},{lines[0]}", *(f'"{i}",{line}' for i, line in enumerate(lines[1:], 1))]
    table = load_table(write(tmp_path, "\n".join(text)), "y")
    assert treatments(table)[header] == "dropped: it only numbers the rows"
    assert table.features.columns == ["a", "b"]


def test_an_empty_column_does_not_cost_every_row(tmp_path):
    text = CSV.replace("a,b", "a,e,b").replace(",u", ",,u").replace(",v", ",,v")
    table = load_table(write(tmp_path, text), "y")
    assert treatments(table)["e"] == "dropped: every value is missing"
    assert table.summary.n_incomplete == 0


def test_texts_that_all_differ_are_dropped(tmp_path):
    rows = "".join(f"{i % 7}.5,person {i},{'yes' if i % 2 else 'no'}\n" for i in range(60))
    table = load_table(write(tmp_path, "a,name,y\n" + rows), "y")
    assert treatments(table)["name"] == "dropped: nearly every row differs"


def test_dates_and_lists_are_dropped_and_booleans_kept(tmp_path):
    path, day = tmp_path / "t.parquet", datetime(2024, 1, 1)
    pl.DataFrame(
        {
            "stamp": [day.replace(tzinfo=UTC)] * 4,
            "day": [day.date()] * 4,
            "hour": [day.time()] * 4,
            "waited": [timedelta(hours=h) for h in range(4)],
            "list": [[1], [2], [3], [4]],
            "flag": [True, False, True, False],
            "y": ["no", "yes", "no", "yes"],
        }
    ).write_parquet(path)
    table = load_table(path, "y")
    assert table.features.columns == ["flag"]
    held = {column.name: column.kind for column in table.summary.columns}
    for name in ("stamp", "day", "hour", "waited"):
        assert held[name] == "date or time"
        assert treatments(table)[name].startswith("dropped: give an age, a month")


@pytest.mark.parametrize(
    ("values", "labels"),
    [
        (["1.0", "0.0"], [1, 0]),
        (["1", "0"], [1, 0]),
        (["0.5", "1.5"], ["0.5", "1.5"]),
        (["true", "false"], ["true", "false"]),
    ],
)
def test_labels_are_whole_numbers_or_texts(tmp_path, values, labels):
    rows = "".join(f"{i}.5,{values[i % 2]}\n" for i in range(6))
    target = load_table(write(tmp_path, "a,y\n" + rows), "y").target
    assert target[:2].tolist() == labels
    assert target.dtype.kind in "iU"


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("", "is empty"),
        ("\n\n", "is empty"),
        ("a,y\n", "holds no rows"),
        ("y\n1\n2\n", "has a single column"),
        ("a,y\n1,2,3\n4\n", "rows of different lengths"),
        ("a,y\n1,no\n2,no\n", "holds one class only, 'no'"),
        ("a,y\n1.5,no\n2.5,no\n3.5,yes\n", "Class 'yes' of column 'y' has a single row"),
        ("a,y\n,no\n,yes\n", "No column beside 'y' can serve"),
        ("a,b,y\n1.5,,no\n,2.5,yes\n", "Every row .* misses a value"),
        ("a,y\ninf,no\n1.5,no\n2.5,yes\n2.5,yes\n", "Column 'a' holds infinite values"),
    ],
)
def test_bad_tables_are_one_sentence(tmp_path, text, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        load_table(write(tmp_path, text), "y")
    assert "\n" not in str(caught.value)


def test_a_quantity_is_no_class(tmp_path):
    rows = "".join(f"{i % 3}.5,{i * 1.25}\n" for i in range(50))
    with pytest.raises(InputError, match="50 different numbers, which is a quantity"):
        load_table(write(tmp_path, "a,y\n" + rows), "y")


@pytest.mark.parametrize(
    "content",
    [
        "a,y\n1,caf\xe9\n2,no\n".encode("latin-1"),
        CSV.encode("utf-16"),
        np.random.default_rng(0).bytes(5000),
        bytes(100),
    ],
    ids=["latin-1", "utf-16", "noise", "zeros"],
)
@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "t.tsv", "t.parquet"])
def test_what_is_no_table_is_one_sentence(tmp_path, content, name):
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        load_table(path, "y")
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("cut", [20, 40])
def test_a_truncated_gzip_is_one_sentence(tmp_path, cut):
    path = tmp_path / "t.csv.gz"
    path.write_bytes(gzip.compress((CSV * 50).encode())[:cut])
    with pytest.raises(InputError):
        load_table(path, "y")


@pytest.mark.parametrize(
    ("asked", "hint"),
    [("Y", "did you mean 'y'"), ("Label", "it has 'a', 'b', 'y'")],
)
def test_an_unknown_target_gets_a_hint(tmp_path, asked, hint):
    with pytest.raises(InputError, match=hint):
        load_table(write(tmp_path, CSV), asked)


def test_other_endings_folders_and_absent_files_are_refused(tmp_path):
    (tmp_path / "folder.csv").mkdir()
    for name, sentence in [
        ("t.xlsx", "of no known kind"),
        ("t.parquet.gz", "of no known kind"),
        ("folder.csv", "is a folder"),
        ("absent.csv", "There is no file"),
    ]:
        with pytest.raises(InputError, match=sentence):
            load_table(tmp_path / name, "y")
