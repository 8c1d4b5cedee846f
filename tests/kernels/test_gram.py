import numpy as np
import pytest

from maxmargin.kernels import FromFunction, Linear, Precomputed
from maxmargin.kernels.gram import Gram

X = np.random.default_rng(0).normal(size=(20, 2))
ROWS = np.arange(20)


def test_an_asymmetric_function_is_told_from_one_that_is_not_convex():
    def crossed(x, y):
        return float(x[0] * y[1])

    gram = Gram.of(FromFunction(crossed), X)
    i, j = gram.asymmetry(ROWS)
    apart = abs(crossed(X[i], X[j]) - crossed(X[j], X[i]))
    assert apart == max(abs(crossed(x, y) - crossed(y, x)) for x in X for y in X)
    assert not gram.seems_convex(ROWS)


@pytest.mark.parametrize(
    "kernel", [FromFunction(lambda x, y: -float(x @ y)), FromFunction(lambda x, y: 0.0), Linear()]
)
def test_what_is_symmetric_is_not_accused(kernel):
    assert Gram.of(kernel, X).asymmetry(ROWS) is None
    assert Gram.of(kernel, X).asymmetry(ROWS[:0]) is None


def test_one_entry_of_a_matrix_and_rounding():
    K = X @ X.T
    K[3, 7] += 1e-14
    assert Gram.of(Precomputed(), K).asymmetry(ROWS) is None
    K[3, 7] += 1.0
    assert set(Gram.of(Precomputed(), K).asymmetry(ROWS[::-1])) == {3, 7}
