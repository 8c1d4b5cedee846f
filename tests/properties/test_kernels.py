"""Laws of kernels on arbitrary data."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from maxmargin import kernels
from maxmargin.kernels import RBF, Constant, Laplacian, Linear, Polynomial, check, exp

numbers = st.floats(-10, 10, width=32)
points = arrays(np.float64, array_shapes(min_dims=2, max_dims=2, max_side=8), elements=numbers)

basic = st.one_of(
    st.just(Linear()),
    st.floats(0, 5).map(lambda gamma: RBF(gamma=gamma)),
    st.floats(0.01, 5).map(lambda sigma: RBF(sigma=sigma)),
    st.floats(0, 5).map(lambda gamma: Laplacian(gamma=gamma)),
    st.floats(0, 5).map(Constant),
    st.integers(0, 3).map(lambda degree: Polynomial(degree, gamma=0.1)),
)


def combine(inner):
    pairs = st.tuples(inner, inner)
    return st.one_of(
        pairs.map(lambda p: p[0] + p[1]),
        pairs.map(lambda p: p[0] * p[1]),
        st.tuples(st.floats(0, 3), inner).map(lambda p: p[0] * p[1]),
        inner.map(lambda k: k**2),
        inner.map(lambda k: k.normalized()),
        inner.map(lambda k: exp(k.normalized())),
        inner.map(lambda k: k.restrict([0])),
    )


expressions = st.recursive(basic, combine, max_leaves=4)


@given(expressions, points)
def test_every_expression_of_kernels_is_a_kernel(kernel, X):
    assert kernel.psd is True
    assert check(kernel, X), str(check(kernel, X))


@given(expressions)
def test_an_expression_prints_as_what_makes_it(kernel):
    assert eval(repr(kernel), vars(kernels).copy()) == kernel


@given(expressions, points)
def test_matrix_is_symmetric_and_has_the_diagonal(kernel, X):
    K, diagonal = kernel(X), kernel.diag(X)
    scale = max(1.0, np.abs(K).max())
    np.testing.assert_allclose(K, K.T, atol=1e-11 * scale)
    np.testing.assert_allclose(np.diag(K), diagonal, atol=1e-9 * scale)


@given(points, st.randoms(use_true_random=False))
def test_rows_may_come_in_any_order(X, random):
    order = list(range(len(X)))
    random.shuffle(order)
    K = RBF(gamma=0.5)(X)
    np.testing.assert_allclose(RBF(gamma=0.5)(X[order]), K[np.ix_(order, order)], atol=1e-12)


@given(points, st.floats(0, 3), st.floats(0, 3))
def test_algebra_is_that_of_matrices(X, a, b):
    k, j = RBF(gamma=0.3), Linear()
    np.testing.assert_allclose((a * k + b * j)(X), a * k(X) + b * j(X), rtol=1e-12)
    np.testing.assert_allclose((k * j)(X), k(X) * j(X), rtol=1e-12)
