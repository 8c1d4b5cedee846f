"""Three questions of the lectures: none of these is a kernel, and each answer has a witness."""

import numpy as np
import pytest

from maxmargin.course.counterexample import edit_distance
from maxmargin.kernels import RBF, FromFunction, Linear, Polynomial, Sigmoid, check, counterexamples

QUESTIONS = {example.name: example for example in counterexamples()}


def refuted(kernel, X):
    result = check(kernel, X)
    z = result.witness
    assert not result
    assert z @ kernel(X) @ z < 0
    return result


def test_tanh_of_one_plus_the_product():
    """det [[tanh 2, tanh 3], [tanh 3, tanh 5]] < 0 on x = 1, 2."""
    X = np.array([[1.0], [2.0]])
    K = np.tanh(1 + X @ X.T)
    assert np.linalg.det(K) < 0
    refuted(Sigmoid(gamma=1.0, coef0=1.0), X)
    np.testing.assert_allclose(QUESTIONS["tanh(1 + <x, y>)"].kernel(X), K)


def test_exp_of_minus_the_edit_distance():
    example = QUESTIONS["exp(-edit distance)"]
    result = refuted(example.kernel, example.X)
    K = np.exp([[-edit_distance(a, b) for b in example.X] for a in example.X])
    assert result.witness @ K @ result.witness < 0


def test_one_minus_the_squared_distance():
    """Two points further apart than the square root of 2: |k(x, y)| > sqrt(k(x, x) k(y, y))."""
    kernel = FromFunction(lambda x, y: 1 - np.sum((x - y) ** 2))
    refuted(kernel, np.array([[0.0], [1.5]]))
    assert check(kernel, np.array([[0.0], [1.0]]))  # so one set of points proves nothing


@pytest.mark.parametrize("name", QUESTIONS)
def test_each_ships_with_its_witness(name):
    refuted(QUESTIONS[name].kernel, QUESTIONS[name].X)


@pytest.mark.parametrize("kernel", [Linear(), Polynomial(3, gamma=1.0, coef0=1.0), RBF(gamma=1.0)])
def test_those_that_are_kernels_pass(kernel):
    assert check(kernel, np.random.default_rng(0).normal(size=(30, 3)))
