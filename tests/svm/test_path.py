"""The whole path over C, against fits at single C."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin import SVC, Status
from maxmargin.datasets import load_heart, load_mixture
from maxmargin.kernels import RBF, Linear
from maxmargin.svm.path import SvmPath, svm_path

rng = np.random.default_rng(1)
X = rng.normal(size=(60, 3))
NOISY = X[:, 0] + 0.5 * rng.normal(size=60) > 0
RARE = np.arange(60) < 13
EQUAL = np.arange(60) % 2
TWICE = np.repeat(X[:30], 2, axis=0)
FLIPPED = np.where(rng.random(60) < 0.3, 1 - EQUAL, np.repeat(EQUAL[::2], 2))
GRID = rng.integers(0, 3, size=(60, 2)).astype(float)
ON_GRID = GRID.sum(axis=1) + rng.normal(size=60) > 2
APART = X + np.where(EQUAL, 4.0, -4.0)[:, None]

PROBLEMS = {
    "noisy, radial": (X, NOISY, {}),
    "noisy, linear": (X, NOISY, {"kernel": "linear"}),
    "noisy, polynomial": (X, NOISY, {"kernel": "poly", "degree": 2, "coef0": 1.0}),
    "as many of each class": (X, EQUAL, {"gamma": 0.3}),
    "as many of each, linear": (X, EQUAL, {"kernel": "linear"}),
    "few of one class": (X, RARE, {}),
    "few of one class, the other way": (X, ~RARE, {"kernel": Linear()}),
    "rows twice": (TWICE, FLIPPED, {"gamma": 1.0}),
    "rows twice, linear": (TWICE, FLIPPED, {"kernel": "linear"}),
    "rows on a grid": (GRID, ON_GRID, {"kernel": "linear"}),
    "rows on a grid, radial": (GRID, ON_GRID, {"kernel": 2.0 * RBF(0.5)}),
    "far apart": (APART, EQUAL, {"kernel": "linear"}),
    "far apart, radial": (APART, EQUAL, {}),
    "two rows": (X[:2], [0, 1], {"kernel": "linear"}),
    "three rows": (X[:3], [0, 1, 1], {}),
    "one row many times": (np.ones((6, 1)), [0, 1, 1, 1, 0, 1], {"kernel": "linear"}),
    "floats of single precision": (X.astype(np.float32), NOISY, {}),
    "sparse": (sparse.csr_matrix(np.round(X)), NOISY, {}),
    "texts": (X, np.where(NOISY, "yes", "no"), {}),
}


@pytest.fixture(params=PROBLEMS, scope="module")
def problem(request):
    X, y, options = PROBLEMS[request.param]
    return X, np.asarray(y), options, svm_path(X, y, C_max=50.0, **options)


def dual(alpha, X, t, model):
    rows = X.toarray() if sparse.issparse(X) else X
    K = model._machine.seen.kernel(np.asarray(rows, dtype=np.float64))
    return alpha.sum() - 0.5 * (alpha * t) @ K @ (alpha * t)


def test_it_is_the_solution_of_every_cost(problem):
    X, y, options, path = problem
    t = np.where(y == path.classes[1], 1.0, -1.0)
    for C in np.geomspace(1e-3, 49.0, 8):
        model = SVC(C=C, tol=1e-8, **options).fit(X, y)
        alpha = path.at(C).alpha
        assert alpha.min() >= 0
        assert alpha.max() <= C
        assert abs(alpha @ t) <= 1e-9 * C * len(t)
        fitted = np.zeros(len(t))
        fitted[model.support_] = np.abs(model.dual_coef_).sum(axis=0)
        values = dual(alpha, X, t, model), dual(fitted, X, t, model)
        assert values[0] == pytest.approx(values[1], rel=1e-8)
        inside = (alpha > 1e-6 * C) & (alpha < (1 - 1e-6) * C)
        if inside.any():  # then b is unique, and so are the values
            found = path.decision_function(X, C)
            np.testing.assert_allclose(found, model.decision_function(X), atol=1e-6)
            np.testing.assert_allclose((t * found)[inside], 1.0, atol=1e-5)


def test_every_corner_is_certified(problem):
    *_, path = problem
    assert path.certificate.status is Status.CERTIFIED
    assert len(path.certificates) == len(path.costs) - 1
    assert max(each.kkt_violation for each in path.certificates) < 1e-6


def test_it_says_who_moves(problem):
    *_, path = problem
    assert (np.diff(path.costs) >= 0).all()
    assert path.costs[0] == 0
    assert path.costs[-1] == 50.0
    assert path.n_events == len(path.costs) - 2
    assert not (path.elbows & path.short).any()
    for k in range(len(path.costs) - 1):
        middle = 0.5 * (path.costs[k] + path.costs[k + 1])
        alpha, still = path.at(middle).alpha, ~path.elbows[k]
        np.testing.assert_allclose(alpha[still & path.short[k]], middle)
        np.testing.assert_allclose(alpha[still & ~path.short[k]], 0.0, atol=1e-12)
        assert set(np.flatnonzero(alpha > 0)) == set(path.support(middle))


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
@pytest.mark.parametrize("kind", ["grid", "four times"])
def test_ties_are_no_end(kernel, kind):
    """Rows that arrive together, groups that are all of a class, paths that stand still."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        n = int(rng.integers(3, 40))
        X = rng.integers(0, 3, size=(n, 2)).astype(float)
        if kind == "four times":
            X = np.repeat(rng.normal(size=(n // 4 + 1, 3)), 4, axis=0)
        y = np.arange(len(X)) < rng.integers(1, len(X))
        rng.shuffle(y)
        path = svm_path(X, y, kernel=kernel, gamma=0.5, coef0=1.0, C_max=30.0)
        assert path.certificate.status is Status.CERTIFIED
        assert max(each.kkt_violation for each in path.certificates) < 1e-9


def test_real_data_are_followed_to_the_end():
    heart = load_heart()
    rows = (heart.data - heart.data.mean(axis=0)) / heart.data.std(axis=0)
    path = svm_path(rows, heart.target, gamma=0.05)
    assert path.certificate.status is Status.CERTIFIED
    assert path.costs[-1] == 1e3
    assert path.n_events > 300
    model = SVC(C=10.0, gamma=0.05, tol=1e-10).fit(rows, heart.target)
    assert set(path.support(10.0)) == set(model.support_)
    found = path.decision_function(rows[:5], 10.0)
    np.testing.assert_allclose(found, model.decision_function(rows[:5]), atol=1e-8)


def test_a_hand_worked_path():
    """Two points at -1 and 1: alpha = C until 1/2, where both are on their margins."""
    path = svm_path([[-1.0], [1.0]], [0, 1], kernel="linear", C_max=2.0)
    assert path.costs.tolist() == [0.0, 0.5, 2.0]
    np.testing.assert_allclose(path.alphas, [[0.0, 0.0], [0.5, 0.5], [0.5, 0.5]])
    np.testing.assert_allclose(path.at(0.25).alpha, [0.25, 0.25])
    np.testing.assert_allclose(path.decision_function([[1.0], [-1.0]], 1.0), [1.0, -1.0])


def test_a_given_matrix_is_followed():
    one = svm_path(X @ X.T, NOISY, kernel="precomputed", C_max=5.0)
    other = svm_path(X, NOISY, kernel="linear", C_max=5.0)
    np.testing.assert_allclose(one.costs, other.costs)
    np.testing.assert_allclose(
        one.decision_function(X @ X.T, 3.0), other.decision_function(X, 3.0), atol=1e-8
    )


def test_what_does_not_belong_is_refused():
    with pytest.raises(ValueError, match="is for two classes, and y has 3"):
        svm_path(X, np.arange(60) % 3)
    with pytest.raises(ValueError, match="'C_max' parameter of svm_path"):
        svm_path(X, NOISY, C_max=0.0)
    with pytest.raises(ValueError, match="positive semidefinite"):
        svm_path(X, NOISY, kernel="sigmoid", gamma=5.0, coef0=-3.0)
    path = svm_path(X, NOISY, C_max=1.0)
    assert isinstance(path, SvmPath)
    for C in (1.5, -0.1, float("nan")):
        with pytest.raises(ValueError, match=r"^The path goes from 0 to C=1; .*\.$"):
            path.at(C)
    with pytest.raises(ValueError, match="features"):
        path.decision_function(X[:, :2], 1.0)


def test_the_mixture_has_one_path_whatever_the_order():
    X, y = load_mixture(return_X_y=True)
    order = np.random.default_rng(0).permutation(len(y))
    one, other = (svm_path(X[rows], y[rows], gamma=1.0, C_max=5.0) for rows in (slice(None), order))
    for C in (0.1, 1.0, 4.0):
        np.testing.assert_allclose(one.at(C).alpha[order], other.at(C).alpha, atol=1e-8)
