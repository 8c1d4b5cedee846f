"""Samples of rows for models that cannot learn from all of them."""

import numpy as np

from maxmargin.job.sample import LEAST_OF_CLASS, SIZES, affordable_rows, draw_rows

PLACES = np.arange(10_000)[::2]
Y = np.repeat(["a", "b", "c"], [6000, 3900, 100])


def test_a_sample_is_always_the_same_and_in_order_with_classes_in_proportion():
    drawn = draw_rows(PLACES, 1000, Y)
    assert drawn.tolist() == draw_rows(PLACES, 1000, Y).tolist()
    assert np.all(np.diff(drawn) > 0)
    assert set(drawn) <= set(PLACES)
    assert [int(np.sum(Y[drawn] == label)) for label in "abc"] == [600, 390, 10]


def test_a_rare_class_keeps_some_rows():
    drawn = draw_rows(PLACES, 100, Y)
    assert np.sum(Y[drawn] == "c") == LEAST_OF_CLASS
    lone = np.array(["a"] * 9999 + ["z"])
    assert 9999 in draw_rows(np.arange(10_000), 50, lone)


def test_quantities_are_drawn_at_random_and_few_rows_are_all_taken():
    drawn = draw_rows(PLACES, 1000)
    assert len(np.unique(drawn)) == 1000
    assert abs(drawn.mean() - PLACES.mean()) < 300
    assert draw_rows(PLACES, 5000) is PLACES
    assert draw_rows(PLACES, None, Y) is PLACES


def test_the_largest_sample_that_time_allows_is_taken():
    linear = dict.fromkeys([1e9, 150.0, 60.0, 1.0])
    found = [affordable_rows(lambda rows: rows / 1000, 400_000, seconds) for seconds in linear]
    assert found == [400_000, 100_000, 50_000, SIZES[-1]]
    assert affordable_rows(lambda rows: rows / 1000, 15_000, 1.0) == 15_000
