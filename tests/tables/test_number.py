"""Numbers as people write them, and words that only look like them."""

import polars as pl
import pytest

from maxmargin.tables import Reading
from maxmargin.tables.settle import settle


def read(words, reading=None, **others):
    return settle(pl.DataFrame({"x": words, **others}), reading or Reading())


@pytest.mark.parametrize(
    ("words", "numbers"),
    [
        (["1", " 2 ", "+3", "-4"], [1, 2, 3, -4]),
        (["1.5", ".5", "2.", "1e-3", "-1E+2"], [1.5, 0.5, 2.0, 0.001, -100.0]),
        (["1,5", "0,123", "-2,25"], [1.5, 0.123, -2.25]),
        (["1.234,5", "1.234.567", "12,5"], [1234.5, 1234567.0, 12.5]),
        (["1,234.5", "1,234,567", "12.5"], [1234.5, 1234567.0, 12.5]),
        (["1 234,5", "12,5"], [1234.5, 12.5]),
        (["1\u202f234,5", "1\u00a0234,5"], [1234.5, 1234.5]),
        (["1'234.5", "1’234"], [1234.5, 1234.0]),
        (["1,234", "5,678"], [1234, 5678]),
        (["$1,200", "$5"], [1200, 5]),
        (["5 €", "1.250,50 €"], [5.0, 1250.5]),
        (["12 %", "7%"], [12, 7]),
        (["1", "-", "none", "."], [1, None, None, None]),
        (["1", "NA", "n/a", "NaN", "?", "", " null "], [1, *[None] * 6]),
    ],
)
def test_ways_to_write_numbers(words, numbers):
    found = read(words).frame.get_column("x")
    assert found.dtype.is_numeric()
    assert found.to_list() == numbers


@pytest.mark.parametrize(
    "words",
    [
        ["01234", "99999"],
        ["12345678901234567890", "1"],
        ["1,23,456", "1"],
        ["1.2.3", "1.2.4"],
        ["$5", "€6"],
        ["1_000", "2"],
        ["0x10", "1"],
        ["٣,٤", "1"],
        ["none", "-"],
        ["1", "two"],
    ],
)
def test_words_that_are_no_numbers_stay_words(words):
    assert read(words).frame.get_column("x").to_list() == words


def test_a_decimal_comma_elsewhere_makes_points_group_digits():
    other = ["0,5", "2,25"]
    assert read(["1.234", "2.000"]).frame.get_column("x").to_list() == [1.234, 2.0]
    assert read(["1.234", "2.000"], z=other).frame.get_column("x").to_list() == [1234, 2000]
    assert read(["1.25", "2.000"], z=other).frame.get_column("x").to_list() == [1.25, 2.0]


@pytest.mark.parametrize(
    ("given", "numbers"),
    [
        ({"decimal": ","}, [1.234, 2.5]),
        ({"decimal": "."}, [1234, 2500]),
        ({"thousands": ","}, [1234, 2500]),
        ({"thousands": "."}, [1.234, 2.5]),
    ],
)
def test_what_is_said_decides(given, numbers):
    assert read(["1,234", "2,500"], Reading(**given)).frame.get_column("x").to_list() == numbers


def test_a_decimal_comma_is_told():
    assert read(["1,5"], z=["1.5"]).notes == (
        "Numbers in 'x' are read with a decimal comma: --decimal changes that.",
    )


def test_words_of_ones_own_are_missing_however_a_number_is_written():
    reading = Reading(missing=("-999", "unknown"))
    found = read(["-999", "-999.0", "unknown", "1"], reading, z=[-999, 1, 2, 3]).frame
    assert found.get_column("x").to_list() == [None, None, None, 1.0]
    assert found.get_column("z").to_list() == [None, 1, 2, 3]


@pytest.mark.parametrize("words", [["True", "False"], ["TRUE", "FALSE"], ["true", "false"]])
def test_booleans_in_every_case(words):
    assert read([*words, ""]).frame.get_column("x").to_list() == [True, False, None]


def test_a_few_words_among_numbers_are_told():
    warnings = dict(read([*map(str, range(30)), "broken"]).warnings)
    assert warnings == {
        "x": "would be numbers but for 'broken': if that means missing, give --missing 'broken'"
    }
