import pytest

from maxmargin.progress.duration import duration, time_left


@pytest.mark.parametrize("seconds", [0.0, 0.4, 12.0, 75.0, 3_700.0, 100_000.0])
def test_a_time_is_short_and_has_a_unit(seconds):
    text = duration(seconds)
    assert any(letter.isalpha() for letter in text)
    assert len(text) < 20


def test_an_unknown_time_left_is_said_to_be_unknown():
    assert time_left(None) != time_left(60.0)
    assert time_left(61.0) == time_left(62.0)
