"""What CERTIFIED promised, and once did not keep: dear costs, far targets, far single classes."""

import numpy as np
import pytest
from sklearn import svm

from maxmargin import SVR, KernelMachineRegressor, NuSVC, NuSVR, OneClassSVM
from maxmargin.certify import Status
from maxmargin.kernels import RBF

L = np.longdouble


def rounded_rows(seed=0, n=40):
    X = np.round(np.random.default_rng(seed).normal(size=(n, 3)), 1)
    return X, np.sin(X[:, 0])


@pytest.mark.parametrize("C", [1.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("seed", range(3))
def test_dear_shares_are_solved_and_not_only_near_in_relation_to_their_cost(C, seed):
    model = NuSVR(C=C, gamma=0.5, nu=0.3).fit(*rounded_rows(seed))
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.relative_gap <= 10 * model.tol


@pytest.mark.parametrize("seed", range(6))
def test_decisions_of_shares_are_those_of_the_solution(seed):
    """In units of rho, by which LIBSVM and we divide: what tol allows is tol of a margin."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(200, 4))
    y = np.where(X[:, 0] + rng.normal(size=200) > 0, 1, -1)
    model, exact = (NuSVC(nu=0.3, tol=tol).fit(X, y) for tol in (1e-3, 1e-9))
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.relative_gap <= 10 * model.tol
    off = model.decision_function(X) - exact.decision_function(X)
    assert np.abs(off).max() <= 10 * model.tol


def true_value(model, X, t, K, C, epsilon):
    """Value of the primal of a regression, of what predict says."""
    beta = np.zeros(len(t), L)
    beta[model.support_] = model.dual_coef_[0]
    off = np.abs(model.predict(X).astype(L) - t.astype(L))
    return beta @ K.astype(L) @ beta / 2 + L(C) * np.maximum(0, off - L(epsilon)).sum()


@pytest.mark.parametrize("offset", [0.0, 1e2, 1e4, 1e6, 1e8, -1e8])
@pytest.mark.parametrize("C", [1.0, 1e3, 1e6, 1e9])
@pytest.mark.parametrize("kind", ["linear", "rbf"])
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_value_of_a_model_far_from_zero_is_within_gap_and_floor(offset, C, kind):
    x = np.sort(np.random.default_rng(0).uniform(-1, 1, 40))[:, None]
    t = np.sin(x[:, 0]) + offset
    around = x.astype(L)
    K = around @ around.T if kind == "linear" else np.exp(-((around - around.T) ** 2))
    usual = {"C": C, "kernel": kind, "gamma": 1.0}
    for model in (
        SVR(epsilon=0.5, **usual),
        SVR(epsilon=0.01, **usual),
        KernelMachineRegressor(loss="insensitive", **usual),
    ):
        model.fit(x, t)
        seen, epsilon = model.certificate_, getattr(model, "epsilon", 0.1)
        true = float(true_value(model, x, t, K, C, epsilon))
        assert abs(true - seen.primal) <= abs(seen.gap) + seen.floor + 1e-9 * seen.primal
        if seen.status is Status.CERTIFIED:
            assert true - seen.dual <= seen.allowed * (1 + 1e-9)


@pytest.mark.parametrize("kind", [SVR, NuSVR, KernelMachineRegressor])
@pytest.mark.parametrize("offset", [1e4, -1e8])
def test_targets_that_lie_far_from_zero_are_learnt_as_if_near(kind, offset):
    X, t = rounded_rows()
    t = np.round(t * 2**10) / 2**10  # which a shift by a whole number leaves as they are
    near, far = kind(kernel=RBF(0.5)).fit(X, t + 64), kind(kernel=RBF(0.5)).fit(X, t + offset)
    np.testing.assert_array_equal(near.dual_coef_, far.dual_coef_)
    np.testing.assert_allclose(near.predict(X) - 64, far.predict(X) - offset, atol=1e-6)
    assert far.certify(X, t + offset).status is Status.CERTIFIED


@pytest.mark.parametrize("kind", [SVR, NuSVR, KernelMachineRegressor])
@pytest.mark.parametrize("value", [0.0, 0.1, 1e8])
def test_a_constant_is_learnt_exactly(kind, value):
    model = kind().fit(rounded_rows()[0], np.full(40, value))
    assert model.certificate_.status is Status.CERTIFIED
    np.testing.assert_array_equal(model.predict(rounded_rows()[0]), value)


def test_rows_far_from_zero_are_a_single_class_of_their_own():
    """A plane between them and 0: with the rows' mean taken off there would be none."""
    X = np.random.default_rng(0).normal(size=(60, 2)) + 1e3
    model = OneClassSVM(kernel="linear", nu=0.31).fit(X)
    peer = svm.OneClassSVM(kernel="linear", nu=0.31, tol=1e-10).fit(X)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.primal < -1e6
    np.testing.assert_allclose(model.coef_, peer.coef_, rtol=1e-3)
    assert model.certify(X).status is Status.CERTIFIED


def test_a_single_class_around_zero_has_an_optimum_of_zero():
    X = np.random.default_rng(0).normal(size=(60, 2))
    seen = OneClassSVM(kernel="linear", nu=0.5).fit(X).certificate_
    assert seen.status is Status.CERTIFIED
    assert max(abs(seen.primal), abs(seen.dual)) <= seen.floor < 1e-8
    assert seen.relative_gap == 0.0
