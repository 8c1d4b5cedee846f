import itertools

import numpy as np
import pytest

from maxmargin.course.counterexample import edit_distance, exp_edit_distance
from maxmargin.kernels import FromFunction, check, counterexamples


@pytest.mark.parametrize("example", counterexamples(), ids=lambda example: example.name)
def test_each_is_refuted_by_its_items(example):
    result = check(example.kernel, example.X)
    assert not result
    assert result.asymmetry == 0
    z = result.witness
    assert z @ example.kernel(example.X) @ z < -result.tolerance
    assert example.kernel.psd is not True


def test_the_three_questions_of_the_lectures_are_there():
    names = [example.name for example in counterexamples()]
    assert names == ["tanh(1 + <x, y>)", "exp(-edit distance)", "1 - |x - y|^2"]


@pytest.mark.parametrize(("longest", "psd"), [(3, True), (4, False)])
def test_short_strings_do_not_suffice(longest, psd):
    lengths = range(longest + 1)
    words = ["".join(w) for n in lengths for w in itertools.product("ab", repeat=n)]
    assert bool(check(FromFunction(exp_edit_distance), words)) is psd


@pytest.mark.parametrize(
    ("a", "b", "distance"),
    [("", "", 0), ("abc", "", 3), ("kitten", "sitting", 3), ("ab", "ba", 2), ("aab", "ab", 1)],
)
def test_edit_distance(a, b, distance):
    assert edit_distance(a, b) == edit_distance(b, a) == distance


def test_one_minus_square_in_numbers():
    example = counterexamples()[2]
    np.testing.assert_array_equal(example.kernel(example.X), [[1, -3], [-3, 1]])
