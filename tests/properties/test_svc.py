"""Laws of the support vector classifier on arbitrary data."""

from dataclasses import dataclass

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics.pairwise import linear_kernel, rbf_kernel

from maxmargin import SVC
from maxmargin.certify import Status

TOL = 1e-7
NEW = np.random.default_rng(99).normal(size=(25, 2))


@dataclass(frozen=True)
class Case:
    """Data of two classes and the parameters of a model."""

    X: np.ndarray
    y: np.ndarray
    params: dict
    seed: int

    def fit(self, X=None, y=None, sample_weight=None, **changes):
        X, y = (self.X if X is None else X), (self.y if y is None else y)
        return SVC(**(self.params | changes)).fit(X, y, sample_weight=sample_weight)

    def K(self, A, B):  # noqa: N802
        if self.params["kernel"] == "linear":
            return linear_kernel(A, B)
        return rbf_kernel(A, B, gamma=self.params["gamma"])


@st.composite
def cases(draw, kernels=("linear", "rbf")):
    seed = draw(st.integers(0, 2**32 - 1))
    rng, n = np.random.default_rng(seed), draw(st.integers(6, 40))
    X = rng.normal(size=(n, 2))
    y = np.where(X[:, 0] + draw(st.floats(0, 1.5)) * rng.normal(size=n) > 0, 1, -1)
    y[:2] = -1, 1
    kernel = draw(st.sampled_from(kernels))
    C = 10.0 ** draw(st.integers(-1, 1))
    return Case(X, y, {"kernel": kernel, "C": C, "gamma": 0.7, "tol": TOL}, seed)


def values(model, X=NEW):
    return model.decision_function(X)


def determined(model):
    """Whether a free support vector fixes the intercept, without which any b of a range is good."""
    alpha = np.abs(model.dual_coef_[0])
    return bool((alpha < model.C * (1 - 1e-6)).any())


def close(one, other):
    np.testing.assert_allclose(one, other, rtol=1e-4, atol=1e-4)


@given(cases())
def test_every_small_problem_is_certified(case):
    model = case.fit()
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.relative_gap <= 1e-5
    assert model.certify(case.X, case.y).status is Status.CERTIFIED


@given(cases())
def test_flipping_the_labels_negates_the_decision_values(case):
    close(values(case.fit()), -values(case.fit(y=-case.y)))


@given(cases())
def test_naming_the_labels_otherwise_changes_nothing(case):
    names = np.where(case.y == 1, "yes", "no")
    np.testing.assert_array_equal(values(case.fit()), values(case.fit(y=names)))


@given(cases(), st.data())
def test_a_row_given_twice_is_a_row_of_weight_two(case, data):
    twice = data.draw(st.lists(st.integers(0, len(case.y) - 1), min_size=1, unique=True))
    weight = np.ones(len(case.y))
    weight[twice] = 2.0
    X, y = np.concatenate([case.X, case.X[twice]]), np.concatenate([case.y, case.y[twice]])
    weighted, doubled = case.fit(sample_weight=weight), case.fit(X, y)
    np.testing.assert_allclose(
        weighted.certificate_.dual, doubled.certificate_.dual, rtol=1e-6, atol=1e-9
    )
    assume(determined(doubled))
    close(values(weighted), values(doubled))


@given(cases(), st.data())
def test_a_row_of_no_weight_is_no_row(case, data):
    gone = data.draw(st.lists(st.integers(2, len(case.y) - 1), min_size=1, unique=True))
    weight = np.ones(len(case.y))
    weight[gone] = 0.0
    without = case.fit(np.delete(case.X, gone, 0), np.delete(case.y, gone))
    np.testing.assert_array_equal(values(case.fit(sample_weight=weight)), values(without))


@given(cases())
def test_weights_and_cost_multiply(case):
    doubled = case.fit(C=2 * case.params["C"])
    close(values(case.fit(sample_weight=np.full(len(case.y), 2.0))), values(doubled))
    close(values(case.fit(class_weight={-1: 2, 1: 2})), values(doubled))


@given(cases())
def test_the_order_of_rows_does_not_matter(case):
    order = np.random.default_rng(case.seed).permutation(len(case.y))
    model, shuffled = case.fit(), case.fit(case.X[order], case.y[order])
    close(values(model), values(shuffled))
    np.testing.assert_allclose(model.certificate_.dual, shuffled.certificate_.dual, rtol=1e-7)


@given(cases(kernels=["linear"]), st.floats(0.1, 10))
def test_scaling_the_rows_of_a_linear_model(case, s):
    """X s with C / s^2 is the same problem: w becomes w / s."""
    model, scaled = case.fit(), case.fit(s * case.X, C=case.params["C"] / s**2)
    close(values(model), values(scaled, s * NEW))
    close(model.coef_, s * scaled.coef_)


@given(cases(), st.floats(-3, 3))
def test_shifting_the_rows_changes_nothing(case, shift):
    """A bias absorbs a shift under the linear kernel; the radial one sees distances only."""
    close(values(case.fit()), values(case.fit(case.X + shift), NEW + shift))


@given(cases())
def test_removing_what_is_no_support_vector_changes_nothing(case):
    model = case.fit()
    assume(determined(model))
    kept = np.sort(model.support_)
    close(values(model), values(case.fit(case.X[kept], case.y[kept])))


@given(cases())
def test_the_decision_function_is_a_sum_over_support_vectors(case):
    model = case.fit()
    sums = case.K(NEW, model.support_vectors_) @ model.dual_coef_[0] + model.intercept_
    np.testing.assert_allclose(values(model), sums, rtol=1e-9, atol=1e-9)


@given(cases())
def test_the_optimality_conditions_hold_at_the_model(case):
    model = case.fit()
    alpha = np.zeros(len(case.y))
    alpha[model.support_] = model.dual_coef_[0] * case.y[model.support_]
    C, margins = case.params["C"], case.y * values(model, case.X)
    assert ((alpha >= 0) & (alpha <= C)).all()
    np.testing.assert_allclose(alpha @ case.y, 0, atol=1e-9)
    assert (margins[alpha == 0] >= 1 - 1e-5).all()
    assert (margins[alpha == C] <= 1 + 1e-5).all()
    np.testing.assert_allclose(margins[(alpha > 0) & (alpha < C)], 1, atol=1e-5)


@given(cases())
def test_the_certificate_is_that_of_the_fitted_model(case):
    """Primal and dual values from the fitted attributes alone, by their formulas."""
    model = case.fit()
    beta, support = model.dual_coef_[0], model.support_
    square = beta @ case.K(model.support_vectors_, model.support_vectors_) @ beta
    hinge = np.maximum(0.0, 1 - case.y * values(model, case.X)).sum()
    primal = square / 2 + case.params["C"] * hinge
    dual = beta @ case.y[support] - square / 2
    np.testing.assert_allclose(model.certificate_.primal, primal, rtol=1e-6, atol=1e-9)
    np.testing.assert_allclose(model.certificate_.dual, dual, rtol=1e-6, atol=1e-9)


@given(cases(), st.floats(1.5, 10))
def test_a_larger_cost_never_widens_the_margin(case, factor):
    """|w| grows with C, and the sum of slacks falls."""
    gentle, firm = case.fit(), case.fit(C=factor * case.params["C"])

    def square_norm(model):
        beta = model.dual_coef_[0]
        return beta @ case.K(model.support_vectors_, model.support_vectors_) @ beta

    def slack(model):
        return np.maximum(0.0, 1 - case.y * values(model, case.X)).sum()

    assert square_norm(firm) >= square_norm(gentle) - 1e-4
    assert slack(firm) <= slack(gentle) + 1e-4


@given(cases())
def test_single_precision_comes_close(case):
    single = case.fit(case.X.astype(np.float32), tol=1e-4)
    np.testing.assert_allclose(
        single.certificate_.dual, case.fit().certificate_.dual, rtol=1e-3, atol=1e-6
    )


def test_a_coefficient_of_pure_rounding_does_not_block_the_way():
    """Six points on which a leftover of 3e-17 above its bound once stopped all progress."""
    X = [[1.488, -1.248], [-1.619, -0.927], [-0.178, 0.445], [-0.455, 2.179], [-0.84, -0.504]]
    X, y = np.array([*X, [-0.578, 0.687]]), np.array([-1, 1, -1, -1, -1, -1])
    for C in np.geomspace(0.1, 100, 60):
        model = SVC(kernel="linear", C=C).fit(X, y)
        assert model.certificate_.status is Status.CERTIFIED
        assert np.abs(model.dual_coef_).min() > 1e-12 * C
