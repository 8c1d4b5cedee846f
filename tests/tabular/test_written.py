from datetime import date, datetime

import numpy as np
import pytest

from maxmargin.tabular.written import (
    NUMBER,
    find_form,
    look_like_dates,
    to_dates,
    to_numbers,
    to_words,
)


def words(*values):
    return np.array(values, dtype=object)


@pytest.mark.parametrize(
    ("column", "form"),
    [
        (["12", "3.5", "-1e3", " .5 "], NUMBER),
        (["0", "0.25"], NUMBER),
        (["01234", "12345"], ""),  # codes
        (["12345678901234567890"], ""),  # more than a number holds
        (["1,5", "2"], ""),
        (["1", "x"], ""),
        (["nan", "1"], ""),
        (["1e999"], ""),
        ([], ""),
        (["2024-01-05", "2024-1-6 07:30"], "year-month-day"),
        (["2024-01-05T07:30:00.25Z", "2024-01-05T07:30:00+02:00"], "year-month-day"),
        (["5.1.2024", "31.12.1999"], "day.month.year"),
        (["2024/01/05"], "year/month/day"),
        (["2024-01-05", "2024/01/06"], ""),  # mixed
        (["01/02/2024"], ""),  # a month and a day that may have changed places
        (["2024-02-30"], ""),  # no such day
    ],
)
def test_forms(column, form):
    assert find_form(column) == form


def test_dates_with_and_without_zones():
    found = to_dates(
        "d", words("2024-01-05", None, "2024-01-05T07:30:00.5+02:00"), "year-month-day"
    )
    expected = np.array(["2024-01-05", "NaT", "2024-01-05T05:30:00.5"], dtype="datetime64[us]")
    np.testing.assert_array_equal(found, expected)


def test_a_column_that_is_missing_now_is_of_any_kind():
    gone = np.full(2, np.nan)
    assert np.isnat(to_dates("d", gone, "")).all()
    assert to_words(gone).tolist() == [None, None]
    assert np.isnan(to_numbers("n", words(None, None))).all()


@pytest.mark.parametrize(
    ("convert", "sentence"),
    [
        (lambda: to_numbers("n", words("1", "x")), "'n' held numbers in fit and holds 'x' now"),
        (lambda: to_numbers("n", np.array(["2024"], "M8[us]")), "holds dates now"),
        (lambda: to_dates("d", np.ones(2), ""), "'d' held dates in fit and holds numbers now"),
        (lambda: to_dates("d", words("soon"), "year-month-day"), "holds 'soon' now: correct it"),
    ],
)
def test_columns_of_another_kind_are_refused(convert, sentence):
    with pytest.raises(ValueError, match=sentence):
        convert()


def test_numbers_and_dates_as_words():
    days = np.array(["2024-01-05", "2024-01-05T06:30", "NaT"], dtype="datetime64[us]")
    expected = [str(date(2024, 1, 5)), str(datetime(2024, 1, 5, 6, 30)), None]
    assert to_words(days).tolist() == expected
    assert to_words(np.array([3.0, 0.5])).tolist() == ["3", "0.5"]


def test_what_could_be_a_date():
    assert look_like_dates(["1/2/2024", "2024-01-05", "5.1.24"])
    assert not look_like_dates(["1/2", "2024-01-05"])
