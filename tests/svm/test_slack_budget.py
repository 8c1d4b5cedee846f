"""The soft margin with a budget of slack, and its map to and from the penalised form."""

import warnings

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from scipy import sparse
from sklearn.datasets import make_blobs
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import SVC, HardMarginSVC, NotSeparable, SlackBudgetSVC, Status, total_slack
from maxmargin.datasets import load_mixture, make_overlapping
from maxmargin.solvers import Trace

MIXTURE = load_mixture(return_X_y=True)
KERNELS = [{"kernel": "linear"}, {"kernel": "rbf", "gamma": 1.0}]
TOL = 1e-8


@given(st.integers(0, 2**32 - 1), st.sampled_from(KERNELS), st.floats(-2, 2), st.booleans())
@example(13, KERNELS[0], 2.0, False)  # many costs are right, and rounding grows with them
def test_there_and_back(seed, kernel, log_cost, weighted):
    """From C to the slack it leaves, from that as a budget to C and the same hyperplane."""
    rng, C = np.random.default_rng(seed), 10.0**log_cost
    X, y = rng.normal(size=(30, 2)), np.arange(30) % 2
    X[:, 0] += y
    weight = rng.uniform(0.5, 2, 30) if weighted else None
    svc = SVC(C=C, tol=TOL, **kernel).fit(X, y, sample_weight=weight)
    budget = total_slack(svc, X, y, sample_weight=weight)
    assume(budget > 1e-3)
    model = SlackBudgetSVC(budget=budget, tol=TOL, **kernel).fit(X, y, sample_weight=weight)
    assume(model.C_ > 0)  # w = 0 may be the best for small costs too
    again = SVC(C=model.C_, tol=TOL, **kernel).fit(X, y, sample_weight=weight)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.slack_ == pytest.approx(budget, rel=1e-6)
    for other in (svc, again):
        a, b = (gram_norm(m, X, kernel) for m in (model, other))
        assert a == pytest.approx(b, rel=1e-4, abs=1e-6)
        assert total_slack(other, X, y, sample_weight=weight) == pytest.approx(budget, rel=1e-5)


def gram_norm(model, X, kernel):
    """|w|^2, which is unique; b may have a range."""
    S, beta = X[model.support_], model.dual_coef_[0]
    K = S @ S.T if kernel["kernel"] == "linear" else rbf_kernel(S, gamma=kernel["gamma"])
    return float(beta @ K @ beta)


@pytest.mark.parametrize("C", [0.01, 1.0, 30.0])
def test_the_map_on_the_mixture(C):
    X, y = MIXTURE
    params = {"kernel": "rbf", "gamma": 1.0, "tol": TOL}
    svc = SVC(C=C, **params).fit(X, y)
    model = SlackBudgetSVC(budget=total_slack(svc, X, y), **params).fit(X, y)
    assert pytest.approx(C, rel=1e-6) == model.C_
    np.testing.assert_allclose(model.decision_function(X), svc.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("kernel", KERNELS, ids=["linear", "rbf"])
def test_a_budget_of_zero_is_the_hard_margin(kernel):
    X, y = make_blobs(40, centers=[[0, 0], [4, 4]], random_state=0)
    hard = HardMarginSVC(tol=TOL, **kernel).fit(X, y)
    none = SlackBudgetSVC(budget=0, tol=TOL, **kernel).fit(X, y)
    little = SlackBudgetSVC(budget=1e-7, tol=TOL, **kernel).fit(X, y)
    for model in (none, little):
        np.testing.assert_allclose(
            model.decision_function(X), hard.decision_function(X), rtol=1e-5, atol=1e-5
        )
    assert none.slack_ == pytest.approx(0, abs=1e-6)
    soft = SVC(C=none.C_ * 1.001, tol=TOL, **kernel).fit(X, y)
    np.testing.assert_allclose(soft.dual_coef_, hard.dual_coef_, rtol=1e-4, atol=1e-6)
    assert none.certify(X, y).status is Status.CERTIFIED


def test_a_budget_that_no_hyperplane_keeps():
    X, y = MIXTURE
    with pytest.raises(NotSeparable, match=r"total slack of 100.*at least 122\.97956") as caught:
        SlackBudgetSVC(budget=100).fit(X, y)
    witness = caught.value.witness
    np.testing.assert_allclose(X[y == 0].T @ witness[y == 0], X[y == 1].T @ witness[y == 1])
    least = 2 / witness.max()
    assert least == pytest.approx(122.97957, abs=1e-4)
    assert total_slack(SVC(kernel="linear", C=1e4).fit(X, y), X, y) >= least * (1 - 1e-9)
    model = SlackBudgetSVC(budget=1.0001 * least).fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    with pytest.raises(NotSeparable, match="No hyperplane separates 0 from 1: "):
        SlackBudgetSVC(budget=0).fit(X, y)


@pytest.mark.parametrize("form", [np.asarray, sparse.csr_array])
def test_many_rows_and_a_budget_that_no_hyperplane_keeps(form):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 10))
    y = (X[:, 0] + 0.3 * rng.normal(size=3000) > 0).astype(int)
    with pytest.raises(NotSeparable, match="total slack of 100:") as caught:
        SlackBudgetSVC(budget=100).fit(form(X), y)
    witness = caught.value.witness
    np.testing.assert_allclose(
        X[y == 0].T @ witness[y == 0], X[y == 1].T @ witness[y == 1], atol=1e-10
    )
    assert 2 / witness.max() > 100


def test_a_budget_that_no_parabola_keeps():
    X, y = MIXTURE
    params = {"kernel": "poly", "degree": 2, "gamma": 1.0, "coef0": 1.0}
    with pytest.raises(NotSeparable, match="total slack of 50:") as caught:
        SlackBudgetSVC(budget=50, **params).fit(X, y)
    least = 2 / caught.value.witness.max()
    costly = SVC(C=1e3, **params).fit(X, y)
    assert least * (1 - 1e-9) <= total_slack(costly, X, y) <= 1.01 * least


def test_a_budget_of_just_the_least_slack():
    X, y = MIXTURE
    svc = SVC(kernel="linear", C=100.0, tol=TOL).fit(X, y)  # beyond the last change of the path
    budget = total_slack(svc, X, y)
    model = SlackBudgetSVC(budget=budget, tol=1e-6).fit(X, y)
    np.testing.assert_allclose(model.coef_, svc.coef_, rtol=1e-5)
    with pytest.raises(NotSeparable, match="at least"):
        SlackBudgetSVC(budget=budget * (1 - 1e-6)).fit(X, y)


@pytest.mark.parametrize("budget", [200.0, 1e6])
def test_a_budget_large_enough_for_nothing_at_all(budget):
    """100 rows a class: w = 0 and b = 0 leave a slack of 1 each."""
    X, y = MIXTURE
    model = SlackBudgetSVC(budget=budget).fit(X, y)
    assert model.C_ == 0
    assert model.slack_ == 200
    assert len(model.support_) == 0
    np.testing.assert_array_equal(model.coef_, [[0, 0]])
    assert model.certificate_.primal == model.certificate_.dual == 0
    assert model.certificate_.status is Status.CERTIFIED


def test_a_larger_budget_never_costs_margin():
    X, y = make_overlapping(80, random_state=0)
    least = SVC(kernel="linear", C=1e5).fit(X, y)
    budgets = np.linspace(total_slack(least, X, y) * 1.01, 80, 6)
    models = [SlackBudgetSVC(budget=b, tol=1e-6).fit(X, y) for b in budgets]
    assert (np.diff([m.certificate_.primal for m in models]) <= 1e-9).all()
    assert (np.diff([m.C_ for m in models]) <= 1e-9).all()
    for model, budget in zip(models, budgets, strict=True):
        assert model.slack_ <= budget * (1 + 1e-9)
        assert total_slack(model, X, y) == pytest.approx(model.slack_)


def test_weights_are_those_of_slack():
    """A row of weight 2 is a row given twice."""
    X, y = make_overlapping(30, random_state=3)
    twice = np.vstack([X, X[:10]]), np.append(y, y[:10])
    weight = np.where(np.arange(30) < 10, 2.0, 1.0)
    one = SlackBudgetSVC(budget=32, tol=TOL).fit(*twice)
    other = SlackBudgetSVC(budget=32, tol=TOL).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(one.coef_, other.coef_, rtol=1e-6)
    assert pytest.approx(other.C_, rel=1e-6) == one.C_
    by_class = SlackBudgetSVC(budget=32, tol=TOL, class_weight={y[0]: 2.0}).fit(X, y)
    by_row = SlackBudgetSVC(budget=32, tol=TOL).fit(X, y, sample_weight=1.0 + (y == y[0]))
    np.testing.assert_allclose(by_class.coef_, by_row.coef_)


def test_several_classes_have_a_budget_each():
    X, y = make_blobs(90, centers=[[0, 0], [3, 0], [1, 3]], random_state=5)
    model = SlackBudgetSVC(budget=25.0, tol=1e-6).fit(X, y)
    assert model.C_.shape == model.slack_.shape == (3,)
    assert (model.slack_ <= 25 * (1 + 1e-9)).all()
    pair = SlackBudgetSVC(budget=25.0, tol=1e-6).fit(X[y < 2], y[y < 2])
    assert pytest.approx(model.C_[0], rel=1e-6) == pair.C_
    assert model.certify(X, y).status is Status.CERTIFIED
    rest = SlackBudgetSVC(budget=55.0, multiclass="ovr").fit(X, y)
    assert rest.predict(X).shape == y.shape


def test_sparse_is_dense():
    X, y = make_overlapping(50, random_state=1)
    dense = SlackBudgetSVC(budget=40, tol=TOL).fit(X, y)
    csr = SlackBudgetSVC(budget=40, tol=TOL).fit(sparse.csr_array(X), y)
    np.testing.assert_allclose(csr.coef_.toarray(), dense.coef_, rtol=1e-7)


def test_more_rows_than_a_working_set():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(2600, 5))
    y = (X[:, 0] + 0.5 * rng.normal(size=2600) > 0).astype(int)
    model = SlackBudgetSVC(budget=1200.0).fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.slack_ == pytest.approx(1200.0)
    svc = SVC(kernel="linear", C=model.C_).fit(X, y)
    np.testing.assert_allclose(model.coef_, svc.coef_, rtol=1e-2, atol=1e-2)


def test_every_trace_point_obeys_weak_duality():
    trace = Trace()
    model = SlackBudgetSVC(budget=130.0, callback=trace, tol=1e-6).fit(*MIXTURE)
    best = model.certificate_.dual
    assert len(trace) > 3
    for line in trace:
        assert line.primal >= line.dual - 1e-12
        assert line.dual <= best * (1 + 1e-6) <= line.primal * (1 + 1e-5)


def test_stopped_early():
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        model = SlackBudgetSVC(budget=130.0, max_iter=3).fit(*MIXTURE)
    assert model.certificate_.status is Status.ITERATION_LIMIT
    assert model.certificate_.gap > 0


def test_bad_budgets_and_slacks():
    X, y = MIXTURE
    for budget in (-1.0, np.nan, np.inf, "1"):
        with pytest.raises(ValueError, match="'budget' parameter of SlackBudgetSVC must be"):
            SlackBudgetSVC(budget=budget).fit(X, y)
    with pytest.raises(ValueError, match="two classes"):
        total_slack(SVC().fit(X, y), X, y + 1)


@pytest.mark.parametrize("offset", [1e6, 1e7, 1e8])
def test_rows_far_from_the_origin_are_never_refused_falsely(offset):
    # Their least total slack is the same wherever the origin is: 9.12.
    rng = np.random.default_rng(1)
    X = rng.normal(size=(30, 3))
    y = (X[:, 0] + 0.5 * rng.normal(size=30) > 0).astype(int)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model = SlackBudgetSVC(budget=11.0).fit(X + offset, y)
    exact = SlackBudgetSVC(budget=11.0).fit(X, y).certificate_.primal
    certified = model.certificate_.status is Status.CERTIFIED
    assert not certified or model.certificate_.primal == pytest.approx(exact, rel=0.02)
