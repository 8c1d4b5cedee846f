import polars as pl
import pytest

from maxmargin.tables import InputError, Wishes, make_table

N = 60
LABELS = ["no", "yes"] * (N // 2)
DAYS = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)


def made(when, **wishes):
    frame = pl.DataFrame({"x": [float(i % 7) for i in range(N)], "when": when, "y": LABELS})
    return make_table(frame, Wishes("y", **wishes))


@pytest.mark.parametrize(
    "when",
    [
        DAYS,
        DAYS.dt.strftime("%d.%m.%Y"),
        pl.Series(range(2000, 2060)),
        pl.Series([i / 4 for i in range(N)]),
    ],
    ids=["dates", "words", "years", "fractions"],
)
def test_rows_are_ordered_by_dates_and_by_numbers(when):
    order = pl.Series(range(N)).shuffle(seed=1)
    table = made(when[order], time="when")
    assert table.timeline.ranks.tolist() == order.to_list()
    column = next(each for each in table.columns if each.name == "when")
    assert column.role == "time"


def test_of_the_time_what_recurs_is_a_feature():
    assert made(DAYS, time="when").features.columns == ["x", "when.weekday"]
    years = (
        DAYS.dt.offset_by("0d")
        .to_frame("a")
        .select(pl.date_range(pl.date(2019, 1, 1), pl.date(2023, 12, 1), "1mo", eager=False))
    )
    table = made(years.to_series(), time="when")
    assert table.features.columns == ["x", "when.month", "when.weekday"]


def test_equal_times_have_one_rank():
    table = made([2020 + i // 20 for i in range(N)], time="when")
    assert table.timeline.ranks.tolist() == [i // 20 for i in range(N)]
    assert table.timeline.show(1) == "2021"


@pytest.mark.parametrize(
    ("when", "sentence"),
    [
        (["2024-01-01"] * 4 + ["soon"] + ["2024-01-02"] * (N - 5), "'soon' in labelled row 5"),
        (["red", "blue"] * (N // 2), "'red' in labelled row 1, which is no date"),
        ([None, *DAYS[1:]], "no value in 1 row, the first of them labelled row 1"),
        (["2024-01-01"] * N, "holds one time only, '2024-01-01'"),
        (["12:30", "13:15"] * (N // 2), "times of day"),
        ([True, False] * (N // 2), "boolean values"),
    ],
)
def test_times_that_are_none_are_one_sentence(when, sentence):
    with pytest.raises(InputError, match=sentence):
        made(when, time="when")


@pytest.mark.parametrize(
    ("wishes", "sentence"),
    [
        ({"time": "whem"}, "did you mean 'when'"),
        ({"time": "y"}, "cannot both order rows"),
        ({"time": "when", "drop": "when"}, "both used and dropped"),
        ({"time": "when", "group": "x"}, "not both"),
    ],
)
def test_wishes_that_contradict_each_other(wishes, sentence):
    with pytest.raises(InputError, match=sentence):
        made(DAYS, **wishes)


def test_a_column_of_dates_suggests_an_order_unless_one_is_given():
    def warning(**wishes):
        return next(each.warning for each in made(DAYS, **wishes).columns if each.name == "when")

    assert "give --time when" in warning()
    assert warning(time="when") == warning(group="when") == ""
    frame = pl.DataFrame({"x": range(N), "birth_date": DAYS, "y": LABELS})
    assert not any(each.warning for each in make_table(frame, Wishes("y")).columns)
