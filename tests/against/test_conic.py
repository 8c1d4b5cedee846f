"""Hard margins and slack budgets against a conic solver that is given the primal as it stands."""

import clarabel
import numpy as np
import pytest
from scipy import sparse
from sklearn.datasets import make_blobs

from maxmargin import HardMarginSVC, SlackBudgetSVC
from maxmargin.datasets import load_mixture, make_overlapping


def conic(X, y, budget=0.0, weight=None):
    """min |w|^2 / 2 over (w, b, xi), t_i (w'x_i + b) >= 1 - xi_i, xi >= 0, s'xi <= budget."""
    n, d = X.shape
    t, s = np.where(y == np.unique(y)[1], 1.0, -1.0), np.ones(n) if weight is None else weight
    P = sparse.csc_array(sparse.diags_array(np.r_[np.ones(d), np.zeros(1 + n)]))
    margins = np.hstack([-t[:, None] * X, -t[:, None], -np.eye(n)])
    slacks = np.hstack([np.zeros((n, d + 1)), -np.eye(n)])
    total = np.r_[np.zeros(d + 1), s][None]
    A = sparse.csc_array(np.vstack([margins, slacks, total]))
    b = np.r_[-np.ones(n), np.zeros(n), budget]
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
    cones = [clarabel.NonnegativeConeT(len(b))]
    solution = clarabel.DefaultSolver(P, np.zeros(A.shape[1]), A, b, cones, settings).solve()
    x = np.array(solution.x)
    return x[:d], x[d], solution.z[-1], solution.obj_val


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("columns", [2, 5, 60])
def test_hard_margin(seed, columns):
    X, y = make_blobs(40, columns, centers=2, cluster_std=0.5, random_state=seed)
    w, b, _, value = conic(X, y)
    model = HardMarginSVC(tol=1e-8).fit(X, y)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-5, atol=1e-6 * np.linalg.norm(w))
    np.testing.assert_allclose(model.intercept_, b, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(model.certificate_.primal, value, rtol=1e-6)
    np.testing.assert_allclose(model.margin_, 1 / np.linalg.norm(w), rtol=1e-6)


CASES = {
    "mixture": load_mixture(return_X_y=True),
    "overlapping": make_overlapping(60, random_state=2),
    "blobs": make_blobs(50, 3, centers=2, cluster_std=2.0, random_state=1),
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("share", [0.2, 0.5, 0.9])
@pytest.mark.parametrize("name", CASES)
def test_slack_budget(name, share, weighted):
    """At a share of the way from the least possible slack to that of w = 0."""
    X, y = CASES[name]
    rng = np.random.default_rng(0)
    weight = rng.uniform(0.2, 3.0, len(y)) if weighted else np.ones(len(y))
    budget = least_slack(X, y, weight)
    most = 2 * min(weight[y == label].sum() for label in np.unique(y))
    budget += share * (most - budget)
    w, _, C, value = conic(X, y, budget, weight)
    model = SlackBudgetSVC(budget=budget, tol=1e-8).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(model.coef_[0], w, rtol=1e-4, atol=1e-5 * np.linalg.norm(w))
    np.testing.assert_allclose(model.C_, C, rtol=1e-4)
    np.testing.assert_allclose(model.certificate_.primal, value, rtol=1e-6)
    np.testing.assert_allclose(model.certificate_.dual, value, rtol=1e-6)
    # w = 0 and its like leave b a range, in which the two may differ; the slack does not
    np.testing.assert_allclose(model.slack_, budget, rtol=1e-9)


def least_slack(X, y, weight):
    """Total slack of an almost infinite cost, by the same conic solver: a linear program."""
    n, d = X.shape
    t = np.where(y == np.unique(y)[1], 1.0, -1.0)
    margins = np.hstack([-t[:, None] * X, -t[:, None], -np.eye(n)])
    slacks = np.hstack([np.zeros((n, d + 1)), -np.eye(n)])
    A = sparse.csc_array(np.vstack([margins, slacks]))
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    P, q = sparse.csc_array((A.shape[1], A.shape[1])), np.r_[np.zeros(d + 1), weight]
    cones = [clarabel.NonnegativeConeT(2 * n)]
    b = np.r_[-np.ones(n), np.zeros(n)]
    return clarabel.DefaultSolver(P, q, A, b, cones, settings).solve().obj_val
