import numpy as np
import pytest
from sklearn.metrics.pairwise import polynomial_kernel, sigmoid_kernel

from maxmargin.kernels import Polynomial, Sigmoid, check


def test_formulas_are_those_of_scikit_learn():
    X = np.random.default_rng(0).normal(size=(6, 3))
    ours, theirs = Polynomial(4, gamma=0.3, coef0=0.5), polynomial_kernel(X, None, 4, 0.3, 0.5)
    np.testing.assert_allclose(ours(X), theirs, rtol=1e-12)
    np.testing.assert_allclose(Sigmoid(0.3, 0.5)(X), sigmoid_kernel(X, None, 0.3, 0.5), rtol=1e-12)


@pytest.mark.parametrize("degree", [0.5, -1, True, "3"])
def test_fractional_degrees_are_refused(degree):
    with pytest.raises(ValueError, match="whole number >= 0 for degree"):
        Polynomial(degree=degree)


@pytest.mark.parametrize("coef0", [None, "1"])
def test_coef0_is_a_number(coef0):
    with pytest.raises(TypeError, match="a number for coef0"):
        Sigmoid(coef0=coef0)


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_a_negative_constant_has_a_witness(degree):
    kernel = Polynomial(degree, coef0=-1.0)
    assert kernel.psd is False
    assert not check(kernel, np.linspace(-2, 2, 9)[:, None])


@pytest.mark.parametrize("coef0", [-1.0, 0.0, 0.5, 2.0])
def test_tanh_has_a_witness_for_every_constant(coef0):
    kernel = Sigmoid(gamma=1.0, coef0=coef0)
    assert kernel.psd is False
    assert not check(kernel, np.linspace(-2, 2, 9)[:, None])


def test_facts_at_the_edge():
    assert Polynomial(degree=0, coef0=-1.0).psd is True
    assert Polynomial(degree=2, gamma=0.0, coef0=-1.0).psd is True
    assert Polynomial(degree=3, gamma=0.0, coef0=-1.0).psd is False
    assert Sigmoid(gamma=0.0, coef0=1.0).psd is True
