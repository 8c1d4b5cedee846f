"""Files that come after a model was fitted."""

from datetime import date, datetime

import numpy as np
import polars as pl
import pytest

from maxmargin.storage import from_plain, to_plain
from maxmargin.tables import InputError, Reading, Schema, Wishes, make_table, read_frame

DAYS = ["31.12.2023", "01.02.2024", "05.02.2024", "07.03.2024"]
FIRST = pl.DataFrame(
    {
        "size": [1.5, 2.5, None, 4.5],
        "kind": ["u", "v", "1.50", "True"],
        "flag": [True, False, None, True],
        "day": DAYS,
        "y": ["no", "yes"] * 2,
    }
)
TABLE = make_table(FIRST, Wishes("y"))
SCHEMA = TABLE.schema


def later(**columns):
    return FIRST.with_columns(pl.Series(name, values) for name, values in columns.items())


def test_the_same_file_gives_the_same_features():
    features, notes = SCHEMA.features_of(FIRST)
    assert features.equals(TABLE.features)
    assert notes == ()


def test_columns_in_another_order_and_more_of_them():
    frame = FIRST.select(reversed(FIRST.columns)).with_columns(more=1, extra=2).drop("y")
    features, notes = SCHEMA.features_of(frame)
    assert features.equals(TABLE.features)
    assert notes == ("Columns that the model does not know are ignored: 'more', 'extra'.",)


def test_columns_that_were_left_out_are_not_missed_and_not_told_of():
    added = {"id": [7, 8, 9, 11], "same": ["u"] * 4, "g": [1, 1, 2, 2]}
    frame = FIRST.with_columns(pl.Series(name, values) for name, values in added.items())
    schema = make_table(frame, Wishes("y", group="g")).schema
    assert (schema.ids, schema.unused) == (("id",), ("same", "g"))
    assert schema.features_of(frame)[1] == schema.features_of(FIRST)[1] == ()


@pytest.mark.parametrize(
    ("drop", "also", "sentence"),
    [
        (["size"], ["Size"], "lacks the column 'size' that the model reads: did you mean 'Size'"),
        (
            ["kind", "day"],
            [],
            "lacks the columns 'kind', 'day' that .*: it has 'size', 'flag', 'y'",
        ),
    ],
)
def test_absent_columns_are_named(drop, also, sentence):
    frame = FIRST.drop(drop).with_columns(pl.lit(1).alias(name) for name in also)
    with pytest.raises(InputError, match=sentence):
        SCHEMA.features_of(frame)


@pytest.mark.parametrize(
    "columns",
    [
        {"size": ["1.5", "2.5", "", "4.5"]},
        {"size": ["1,5", "2,5", "-", "4,5"]},
        {"flag": ["true", "FALSE", None, "True"]},
        {"day": [date(2023, 12, 31), date(2024, 2, 1), date(2024, 2, 5), date(2024, 3, 7)]},
        {"day": ["2023-12-31", "2024-02-01", "2024-02-05", "2024-03-07"]},
        {
            "day": [
                datetime(2023, 12, 31),
                *(datetime(2024, m, d) for m, d in [(2, 1), (2, 5), (3, 7)]),
            ]
        },
    ],
)
def test_other_types_are_converted(columns):
    frame = later(**columns)
    assert SCHEMA.features_of(frame)[0].drop("flag").equals(TABLE.features.drop("flag"))


def test_whole_numbers_for_numbers():
    features, _ = SCHEMA.features_of(later(size=[1, 2, 3, True]))
    assert features["size"].to_list() == [1.0, 2.0, 3.0, 1.0]
    assert features.schema["size"] == pl.Float64


def test_infinite_numbers_are_missing():
    features, _ = SCHEMA.features_of(later(size=[1.0, float("inf"), float("nan"), 2.0]))
    assert features["size"].to_list() == [1.0, None, None, 2.0]


@pytest.mark.parametrize(
    ("values", "words"),
    [([1.5] * 4, ["1.50"] * 4), ([True] * 4, ["True"] * 4), ([7] * 4, ["7"] * 4)],
)
def test_categories_are_found_again_where_all_are_numbers_or_booleans(values, words):
    assert SCHEMA.features_of(later(kind=values))[0]["kind"].to_list() == words


def test_new_categories_are_passed_on_and_told():
    features, notes = SCHEMA.features_of(later(kind=["u", "new", "w", "new"]))
    assert features["kind"].to_list() == ["u", "new", "w", "new"]
    assert notes == ("Column 'kind' holds 'new', 'w' in 3 rows, which the model has never seen.",)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        ({"size": ["1", "2", "3", "four"]}, "'size' holds 'four' in row 4, where .* numbers"),
        (
            {"size": [date(2024, 1, 1)] * 4},
            "'size' holds date values, where the model knows numbers",
        ),
        ({"day": ["31.12.2023", "soon", *DAYS[2:]]}, "'day' holds 'soon' in row 2, .* 31.12.2024"),
        ({"day": ["12/31/2023"] * 4}, "'day' holds '12/31/2023' in row 1"),
    ],
)
def test_what_is_something_else_is_refused(columns, sentence):
    with pytest.raises(InputError, match=sentence) as caught:
        SCHEMA.features_of(later(**columns))
    assert "\n" not in str(caught.value)


def test_a_column_without_values_is_all_gaps():
    frame = later(size=[None] * 4, kind=[None] * 4, day=[None] * 4)
    features, notes = SCHEMA.features_of(frame)
    assert features.drop("flag").null_count().row(0) == (4,) * (features.width - 1)
    assert notes == ()


def test_columns_that_sparse_rows_do_not_name_are_zero(write):
    first = read_frame(write("1 1:1 2:2 3:4\n0 1:2 3:1\n1 2:1\n0 3:2\n", "a.svm"))
    schema = make_table(first, Wishes("label")).schema
    features, notes = schema.features_of(read_frame(write("1 1:5\n0 2:3\n", "b.svm")))
    assert features.rows() == [(5.0, 0.0, 0.0), (0.0, 3.0, 0.0)]
    assert notes == ("Columns that no row of the file names are zero: '3'.",)


class TestTarget:
    def test_labels_have_the_type_of_the_classes(self):
        assert SCHEMA.target_of(FIRST).tolist() == ["no", "yes"] * 2
        numbers = Schema(SCHEMA.features, "y", "classification", (0, 1))
        for values in ([0, 1], [0.0, 1.0], ["0", "1"]):
            found = numbers.target_of(pl.DataFrame({"y": values}))
            assert (found.tolist(), found.dtype) == ([0, 1], np.int64)
        words = Schema(SCHEMA.features, "y", "classification", ("0", "1"))
        assert words.target_of(pl.DataFrame({"y": [0, 1]})).tolist() == ["0", "1"]

    def test_quantities(self):
        schema = Schema(SCHEMA.features, "y", "regression")
        assert schema.target_of(pl.DataFrame({"y": ["1,5", "2"]})).tolist() == [1.5, 2.0]

    @pytest.mark.parametrize(
        ("frame", "sentence"),
        [
            (
                pl.DataFrame({"y": ["no", "maybe"]}),
                "holds 'maybe', and the model's classes are 'no'",
            ),
            (pl.DataFrame({"y": ["no", None]}), "has no label in 1 row, the first of them row 2"),
            (pl.DataFrame({"Y": ["no"]}), "lacks the column 'y' .* did you mean 'Y'"),
        ],
    )
    def test_labels_that_are_none(self, frame, sentence):
        with pytest.raises(InputError, match=sentence):
            SCHEMA.target_of(frame)

    def test_rows_without_a_label_are_left_out(self):
        rows, notes = SCHEMA.labelled(later(y=["no", None, "yes", None]))
        assert rows["y"].to_list() == ["no", "yes"]
        assert notes == ("2 rows of 4 set aside for want of a label.",)
        assert SCHEMA.labelled(FIRST)[0].equals(FIRST)


VALUES = (
    *(Schema(SCHEMA.features, "y", "classification", each) for each in (("no", "yes"), (0, 1))),
    Schema(SCHEMA.features, "y", "regression", ids=("id",), unused=("same",)),
    Reading(separator=";", decimal=",", missing=("unknown",)),
    Wishes("y", drop=("a",), group="g"),
)


@pytest.mark.parametrize("value", VALUES, ids=lambda value: type(value).__name__)
def test_what_is_stored_with_a_model_is_plain_data(value):
    assert from_plain(to_plain(value)) == value


def test_a_very_long_value_is_not_told_whole():
    schema = make_table(
        pl.DataFrame({"x": [1.0, 2.5] * 30, "y": ["a", "b"] * 30}), Wishes("y")
    ).schema
    with pytest.raises(InputError) as caught:
        schema.features_of(pl.DataFrame({"x": ["1.0", "x" * 10**6]}))
    assert len(str(caught.value)) < 300
