"""The lecture on basis expansion: all monomials, scaled, and a linear machine are the kernel.

(1 + x'y)^d = sum over monomials of degree <= d of multinomial(d; a0, a1, ..) x^a y^a with
a0 = d - |a|, so columns times the root of their multinomial coefficient have this inner product.
"""

from math import factorial, prod

import numpy as np
import pytest
from sklearn.datasets import make_circles, make_moons
from sklearn.preprocessing import PolynomialFeatures

from maxmargin import SVC, LinearSVC
from maxmargin.datasets import load_mixture


def expand(X, degree):
    """All monomials to the degree but the constant, times the roots of their coefficients."""
    monomials = PolynomialFeatures(degree, include_bias=False).fit(X)
    roots = [
        np.sqrt(factorial(degree) / prod(map(factorial, [degree - sum(a), *a])))
        for a in monomials.powers_.tolist()
    ]
    return monomials.transform(X) * roots


def test_two_variables_become_five_columns_or_nine():
    X = np.array([[2.0, 3.0]])
    assert expand(X, 3).shape == (1, 9)
    r = np.sqrt(2)
    np.testing.assert_allclose(expand(X, 2), [[2 * r, 3 * r, 4, 6 * r, 9]])


@pytest.mark.parametrize("degree", [1, 2, 3, 4])
def test_the_inner_product_is_the_kernel(degree):
    X = np.random.default_rng(0).normal(size=(20, 3))
    Z = expand(X, degree)
    np.testing.assert_allclose(1 + Z @ Z.T, (1 + X @ X.T) ** degree, rtol=1e-10, atol=1e-12)


DATA = {
    "circles": make_circles(80, noise=0.2, factor=0.5, random_state=0),
    "moons": make_moons(80, noise=0.3, random_state=0),
    "mixture": load_mixture(return_X_y=True),
}


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("degree", [2, 3])
@pytest.mark.parametrize("C", [0.1, 1.0])
def test_a_linear_machine_on_them_is_the_polynomial_kernels(name, degree, C):
    """The free intercept takes in the constant column, which no margin depends on."""
    X, y = DATA[name]
    Z = expand(X, degree)
    linear = LinearSVC(loss="hinge", intercept="free", C=C, tol=1e-12).fit(Z, y)
    kernel = SVC(kernel="poly", gamma=1, coef0=1, degree=degree, C=C, tol=1e-9).fit(X, y)
    axis = np.linspace(-2, 3, 12)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    values = kernel.decision_function(grid)
    np.testing.assert_allclose(
        linear.decision_function(expand(grid, degree)),
        values,
        atol=1e-6 * np.abs(values).max(),
    )
    assert linear.certificate_.primal == pytest.approx(kernel.certificate_.primal, rel=1e-7)
    w = (kernel.dual_coef_ @ expand(X[kernel.support_], degree))[0]
    np.testing.assert_allclose(linear.coef_[0], w, atol=1e-6 * np.abs(w).max())
