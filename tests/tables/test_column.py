"""What becomes of a column."""

from datetime import UTC, date, datetime, time, timedelta

import numpy as np
import polars as pl
import pytest

from maxmargin.tables import InputError, Reading, Wishes, make_table
from maxmargin.tables.decision import MOST_CATEGORIES

N = 60
LABELS = ["no", "yes"] * (N // 2)
USUAL = [round(0.37 * i % 7, 3) for i in range(N)]


def table(values, name="x", **wishes):
    frame = pl.DataFrame({name: values, "usual": USUAL, "y": LABELS}, strict=False)
    return make_table(frame, Wishes("y", **wishes))


def column(values, name="x", **wishes):
    return table(values, name, **wishes).columns[0]


WORDS = [f"{a}{b}" for a in ("ba", "ke", "lo", "mi", "su", "ta") for b in "dfglmnprst"]
KEPT = {
    "number": ([float(i % 9) for i in range(N)], "number"),
    "whole number": ([i * 7 % 31 for i in range(N)], "number"),
    "number with gaps": ([None, 1.5, 2.5] * 20, "number"),
    "unique numbers": ([i * 1.5 for i in range(N)], "number"),
    "unique whole numbers": ([i * i for i in range(N)], "number"),
    "one number and gaps": ([1.5, None] * 30, "number"),
    "category": (["u", "v", "w"] * 20, "category"),
    "texts": ([f"the {word} number {i}" for i, word in enumerate(WORDS)], "text"),
    "Chinese texts": ([f"我今天{i}很高興" for i in range(N)], "text"),
    "boolean": ([True, False, None] * 20, "category"),
    "twenty words": ([f"w{i % 20}" for i in range(N)], "category"),
    "as many words as half of the rows": ([f"w{i % 30}" for i in range(N)], "category"),
    "one word and gaps": (["u", None, "u"] * 20, "category"),
    "decimal": (pl.Series([i % 7 for i in range(N)]).cast(pl.Decimal(10, 2)), "number"),
    "waiting": ([timedelta(hours=i % 5) for i in range(N)], "number"),
    "enum": (pl.Series(["1", "2", "3"] * 20, dtype=pl.Enum(["1", "2", "3"])), "category"),
}
LEFT_OUT = {
    "nothing": ([None] * N, "nothing", "every value is missing"),
    "words for nothing": (["NA", "?", ""] * 20, "nothing", "every value is missing"),
    "one number": ([2.5] * N, "number", "every row has the same value"),
    "one word": (["u"] * N, "category", "every row has the same value"),
    "one day": ([date(2024, 1, 1)] * N, "date", "every row has the same value"),
    "codes with dashes": (
        [f"RAT-DONOR-{i % 50}" for i in range(N)],
        "text",
        "nearly every row differs",
    ),
    "one word and a number": (
        [f"text {i % 40}" for i in range(N)],
        "text",
        "nearly every row differs",
    ),
    "lists": ([[i] for i in range(N)], "text", "neither number nor category"),
    "bytes": ([bytes([i]) for i in range(N)], "text", "neither number nor category"),
}
NAMING = {
    "counts from 1": ("x", list(range(1, N + 1))),
    "counts from 0": ("x", list(range(N))),
    "unique numbers called id": ("PassengerId", [i * i for i in range(N)]),
    "unique numbers without a name": ("unnamed 0", [i * i for i in range(N)]),
    "unique words called key": ("row_key", [f"the {i}" for i in range(N)]),
    "a word of its own for each row": ("x", [f"{i:x}{i * 7919:x}" for i in range(100, 100 + N)]),
}


@pytest.mark.parametrize("what", KEPT)
def test_features(what):
    values, kind = KEPT[what]
    found = table(values)
    assert (found.columns[0].kind, found.columns[0].role) == (kind, "feature")
    assert found.features.schema["x"] == (pl.Float64 if kind == "number" else pl.String)
    assert found.features["x"].null_count() == found.columns[0].missing
    assert found.features.height == N


@pytest.mark.parametrize("what", LEFT_OUT)
def test_columns_that_are_dropped(what):
    values, kind, why = LEFT_OUT[what]
    found = column(values)
    assert (found.kind, found.role) == (kind, "dropped")
    assert found.treatment.startswith("dropped: ")
    assert found.treatment.endswith(why)


@pytest.mark.parametrize("what", NAMING)
def test_columns_that_name_rows_are_left_out_and_kept_for_names(what):
    name, values = NAMING[what]
    found = table(values, name)
    assert (found.columns[0].role, found.columns[0].treatment[:9]) == ("id", "left out:")
    assert found.features.columns == ["usual"]
    assert found.ids.get_column(name).to_list() == values


def test_numbers_may_count_up_by_chance_in_a_small_table():
    frame = pl.DataFrame({"x": range(1, 11), "y": LABELS[:10]})
    assert make_table(frame, Wishes("y")).numbers == ["x"]


def test_too_many_categories_are_text():
    words = [f"w {i % (MOST_CATEGORIES + 1)}" for i in range(3 * MOST_CATEGORIES)]
    frame = pl.DataFrame({"x": words, "z": np.arange(len(words)) % 7})
    found = make_table(frame.with_columns(y=pl.col("z") % 2), Wishes("y"))
    assert found.columns[0].treatment == "dropped: 10,001 different words are too many"


def test_many_repeated_texts_are_texts():
    words = [f"the same story {i % (MOST_CATEGORIES + 1)}" for i in range(3 * MOST_CATEGORIES)]
    frame = pl.DataFrame({"x": words, "z": np.arange(len(words)) % 7})
    assert make_table(frame.with_columns(y=pl.col("z") % 2), Wishes("y")).texts == ["x"]


def test_wishes_are_followed():
    values = ["u", "v", "w"] * 20
    assert column(values, drop="x").treatment == "dropped: as you said"
    named = table(values, id="x")
    assert (named.columns[0].role, named.ids.columns) == ("id", ["x"])
    grouped = table(values, group="x")
    assert (grouped.columns[0].role, grouped.groups.tolist()) == ("group", values)
    assert grouped.features.columns == ["usual"]


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        (["u", None, "w"] * 20, "'x' is to group rows and has no value in 20 rows"),
        (["u"] * N, "'x' holds one group only"),
    ],
)
def test_groups_that_are_none(values, sentence):
    with pytest.raises(InputError, match=sentence):
        table(values, group="x")


@pytest.mark.parametrize(
    ("values", "warning"),
    [
        (LABELS, "equals the target"),
        ([1, 2] * (N // 2), "duplicates the target in other values"),
        ([True, False] * (N // 2), "duplicates the target in other values"),
    ],
)
def test_a_column_that_gives_the_target_away_is_warned_of(values, warning):
    found = column(values)
    assert found.role == "feature"
    assert found.warning.startswith(warning)
    assert column(values, drop="x").warning == ""


def test_a_column_that_helps_is_not_warned_of():
    assert column([*LABELS[:-1], "no"]).warning == ""
    assert column([None, *[1, 0] * 29, 1]).warning == ""


@pytest.mark.parametrize("change", [lambda y: y, lambda y: 32.0 - 1.8 * y])
def test_a_quantity_given_away(change):
    y = np.random.default_rng(0).normal(size=N)
    frame = pl.DataFrame({"x": change(y), "z": y + 0.01 * np.array(USUAL), "y": y})
    found = make_table(frame, Wishes("y"))
    assert [bool(each.warning) for each in found.columns] == [True, False, False]


def test_a_name_that_tells_who_is_warned_of():
    assert "consider --id, --group" in column([i // 2 for i in range(N)], "customer_id").warning
    assert "consider --id, --group" in column([i // 2 for i in range(N)], "customerID").warning
    assert column([i // 2 for i in range(N)], "humidity").warning == ""


def test_infinite_numbers_are_missing_and_told():
    found = table([float("inf"), 1.5, -float("inf"), float("nan")] * 15)
    assert found.features["x"].to_list()[:4] == [None, 1.5, None, None]
    assert found.notes == ("Infinite values count as missing: 30 in 'x'.",)


class TestDates:
    DAYS = tuple(date(2023, 12, 20) + timedelta(days=i) for i in range(N))

    @pytest.mark.parametrize(
        "form",
        [
            *("%Y-%m-%d", "%Y/%m/%d", "%d.%m.%Y", "%d/%m/%Y", "%m/%d/%Y", "%d-%m-%Y"),
            *("%d %b %Y", "%d-%b-%Y", "%B %d, %Y", "%Y-%m-%d 00:00", "%Y-%m-%dT00:00:00"),
            *("%Y-%m-%d 00:00:00.000", "%Y-%m-%dT00:00:00Z", "%Y-%m-%dT02:00:00+02:00"),
        ],
    )
    def test_words_give_what_dates_give(self, form):
        words = table([day.strftime(form) for day in self.DAYS], "when")
        dates = table(list(self.DAYS), "when")
        assert words.features.equals(dates.features)
        assert words.features.columns == ["when.days", "when.month", "when.weekday", "usual"]
        assert words.features.row(0)[:3] == (19711.0, 12.0, 3.0)
        assert words.columns[0] == dates.columns[0]
        assert words.columns[0].treatment == "becomes days, month, weekday"

    def test_times_of_day_are_hours(self):
        stamps = [datetime(2024, 1, 1, i % 24, 30) for i in range(N)]
        assert table(stamps, "t").features.columns == ["t.hour", "usual"]
        assert table([stamp.time() for stamp in stamps], "t").features["t.hour"][1] == 1.5
        words = [stamp.strftime("%H:%M") for stamp in stamps]
        assert table(words, "t").features["t.hour"][1] == 1.5

    def test_zones_are_one_time(self):
        here = pl.Series([datetime(2024, 1, 1, i % 24, tzinfo=UTC) for i in range(N)])
        there = here.dt.convert_time_zone("Asia/Tokyo")
        assert table(here).features.equals(table(there).features)

    def test_gaps_stay(self):
        found = table([None, "-", *(day.isoformat() for day in self.DAYS[2:])])
        assert found.features["x.days"].null_count() == 2

    @pytest.mark.parametrize("stranger", ["soon", "2024-02-30", "24-01-01"])
    def test_one_word_that_is_no_date_makes_words(self, stranger):
        words = [stranger, *(day.isoformat() for day in self.DAYS[1:])]
        assert column(words).kind in ("category", "text")

    def test_months_and_days_that_could_change_places_are_told(self):
        notes = table([f"{i % 12 + 1:02}/{i % 11 + 1:02}/2024" for i in range(N)]).notes
        assert notes == (
            "Dates in 'x' could have months or days first: months first is taken; write them as"
            " 2024-12-31 to be sure.",
        )

    def test_a_part_does_not_take_the_name_of_a_column(self):
        frame = pl.DataFrame({"t": self.DAYS, "t.days": USUAL, "y": LABELS})
        names = make_table(frame, Wishes("y", drop=())).features.columns
        assert names == ["t.days'", "t.month", "t.weekday", "t.days"]

    def test_a_time_alone_is_no_date(self):
        assert table([time(i % 24) for i in range(N)]).features.columns == ["x.hour", "usual"]


def test_words_count_as_missing_in_frames_too():
    found = table(["u", "v", "unknown"] * 20)
    assert found.columns[0].distinct == 3
    frame = pl.DataFrame({"x": ["u", "v", "unknown"] * 20, "y": LABELS})
    found = make_table(frame, Wishes("y"), Reading(missing="unknown"))
    assert (found.columns[0].missing, found.columns[0].distinct) == (20, 2)


def test_a_frame_without_rows():
    with pytest.raises(InputError, match="A table in memory holds no rows"):
        make_table(pl.DataFrame({"x": [], "y": []}), Wishes("y"))


@pytest.mark.parametrize(
    ("first", "role"), [(0, "id"), (1001, "id"), (1950, "feature"), (-7, "id")]
)
def test_numbers_that_count_the_rows_are_their_names_but_years_are_not(first, role):
    assert column(list(range(first, first + N)), "when").role == role
