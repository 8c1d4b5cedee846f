"""Linear and polynomial fits of hard scale, offset and cost, which the default must solve."""

import warnings
from itertools import combinations

import numpy as np
import pytest
from sklearn.datasets import load_digits, load_iris

from maxmargin import HardMarginSVC, LinearClassifier, LinearSVC
from maxmargin.certify import Status

KINDS = {
    "hinge": {"loss": "hinge"},
    "hinge free": {"loss": "hinge", "intercept": "free"},
    "squared hinge": {},
    "squared hinge free": {"intercept": "free"},
    "crammer singer": {"multi_class": "crammer_singer"},
    "l1": {"penalty": "l1", "dual": False},
}
PAIRS = list(combinations(range(10), 2))


def hard(seed):
    """Make rows of columns of unlike scales, far from the origin, and a cost of any size."""
    rng = np.random.default_rng(seed)
    n, d = int(rng.choice([8, 30, 100])), int(rng.choice([1, 3, 20]))
    X = rng.normal(size=(n, d)) * rng.choice([1e-4, 1e-2, 1, 1e2, 1e4])
    X = X * 10.0 ** rng.uniform(-1, 1, size=d)
    X = X + rng.choice([0, 0, 1, 1e2, 1e4]) * X.std()
    side = (X - X.mean(axis=0)) @ rng.normal(size=d) / X.std(axis=0).mean()
    y = (side + rng.choice([0, 0.5, 2]) * side.std() * rng.normal(size=n) > 0).astype(int)
    y[:2] = 0, 1
    return X, y, float(10.0 ** rng.uniform(-3, 4))


def certificates(kind, seeds):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in seeds:
            X, y, C = hard(seed)
            yield LinearSVC(C=C, **KINDS[kind]).fit(X, y).certificate_


def check_solved(kind, seeds, least):
    """Nearly all are certified, and what rounding forbids to certify is solved all the same."""
    found = list(certificates(kind, seeds))
    assert sum(c.status is Status.CERTIFIED for c in found) >= least
    assert all(c.relative_gap < 0.01 for c in found)


@pytest.mark.parametrize("kind", KINDS)
def test_small_fits_of_hard_scale_and_offset_are_certified(kind):
    check_solved(kind, range(24), 23)


@pytest.mark.sweep
@pytest.mark.parametrize("kind", KINDS)
def test_all_fits_of_hard_scale_and_offset_are_certified(kind):
    check_solved(kind, range(150), 145 if kind == "l1" else 148)


@pytest.mark.parametrize(
    ("one", "other"),
    [pytest.param(*p, marks=[] if i % 9 == 0 else pytest.mark.sweep) for i, p in enumerate(PAIRS)],
)
def test_the_default_certifies_the_hinge_on_raw_digits(one, other):
    X, y = load_digits(return_X_y=True)
    some = (y == one) | (y == other)
    model = LinearSVC(loss="hinge", intercept="free").fit(X[some], y[some])
    assert model.certificate_.status is Status.CERTIFIED
    assert model.score(X[some], y[some]) > 0.95


@pytest.mark.parametrize("offset", [0.0, 1e2, 1e4, 1e6])
@pytest.mark.parametrize("degree", [2, 3])
def test_a_polynomial_far_from_the_origin_separates_what_is_separable(offset, degree):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(30, 2))
    y = (X[:, 0] > 0).astype(int)
    X[:, 0] += np.where(y == 1, 1.0, -1.0)
    model = HardMarginSVC(kernel="poly", degree=degree, gamma=1.0, coef0=1.0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(X + offset, y)  # may be too rounded to certify, but is not inseparable
    assert model.score(X + offset, y) == 1.0


@pytest.mark.parametrize("C", [0.1, 1.0, 10.0, 100.0])
def test_crammer_singer_certifies_raw_iris_within_its_limits(C):
    X, y = load_iris(return_X_y=True)
    model = LinearSVC(multi_class="crammer_singer", C=C).fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.n_iter_ < 600


@pytest.mark.parametrize(
    "model",
    [
        LinearSVC(penalty="l1", dual=False),
        LinearSVC(penalty="l1", dual=False, solver="primal_coordinate"),
        LinearClassifier(penalty="l1", intercept="regularized"),
    ],
    ids=["squared hinge", "primal coordinate", "logistic"],
)
def test_l1_needs_few_passes_on_offset_columns(model):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 8)) + 1e3
    y = (X[:, 0] - X[:, 1] + 0.3 * rng.normal(size=200) > 0).astype(int)
    model.fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.n_iter_ < 30
