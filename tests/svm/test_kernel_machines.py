"""Kernel machines of any loss: against extended precision, linear models and other estimators."""

import warnings

import numpy as np
import pytest
from scipy import sparse
from sklearn.exceptions import ConvergenceWarning
from sklearn.kernel_ridge import KernelRidge
from sklearn.linear_model import LogisticRegression
from sklearn.metrics.pairwise import rbf_kernel

from maxmargin import (
    SVC,
    SVR,
    KernelLogisticRegression,
    KernelMachineClassifier,
    KernelMachineRegressor,
    LinearClassifier,
)
from maxmargin.certify import Point, Status, judge
from maxmargin.kernels import FromFunction, Polynomial
from maxmargin.kernels.rounding import Rounding
from maxmargin.losses import (
    AbsoluteError,
    Exponential,
    Hinge,
    Huber,
    Insensitive,
    Logistic,
    MarginLoss,
    ModifiedHuber,
    Poisson,
    Quantile,
    Squared,
    SquaredError,
    SquaredHinge,
    SquaredInsensitive,
)
from maxmargin.problems import KernelProblem, kernel_problem

L = np.longdouble
RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3))
LABEL = np.where(X[:, 0] + X[:, 1] ** 2 + 0.4 * RNG.normal(size=60) > 0.8, "yes", "no")
TARGET = 2 * np.sin(X[:, 0]) + 0.2 * RNG.normal(size=60)
COUNT = RNG.poisson(np.exp(np.clip(X[:, 0], -2, 2))).astype(float)
WEIGHT = RNG.integers(1, 4, size=60) / 2.0
GAMMA = 0.4

OF_LABELS = [Logistic(), SquaredHinge(), Exponential(), Squared(), ModifiedHuber()]
OF_NUMBERS = [SquaredError(), Huber(0.3), SquaredInsensitive(0.2), Poisson()]
STRAIGHT = [AbsoluteError(), Quantile(0.3), Insensitive(0.1)]


def fitted(loss, **params):
    """Fit the estimator of a loss; gives the targets of its problem too."""
    kind = KernelMachineClassifier if isinstance(loss, MarginLoss) else KernelMachineRegressor
    y = LABEL if kind is KernelMachineClassifier else COUNT if loss == Poisson() else TARGET
    weight = params.pop("sample_weight", None)
    model = kind(loss=loss, gamma=GAMMA, **params).fit(X, y, sample_weight=weight)
    return model, np.where(y == "yes", 1.0, -1.0) if kind is KernelMachineClassifier else y


def values(model, rows=X):
    return model.decision_function(rows) if hasattr(model, "classes_") else model._values(rows)


# In extended precision: Newton's method on (b, a) with f = K a + b, by Gauss and Jordan.


PRICE = {
    "logistic": lambda z, t: np.logaddexp(L(0), -t * z),
    "exponential": lambda z, t: np.exp(-t * z),
    "squared": lambda z, t: (1 - t * z) ** 2,
    "squared_error": lambda z, t: (z - t) ** 2 / 2,
    "poisson": lambda z, t: (
        np.exp(z) - t * z + np.where(t > 0, t * np.log(np.maximum(t, 1)), 0) - t
    ),
}
SLOPE = {
    "logistic": lambda z, t: (-t / (1 + np.exp(t * z)), 1 / (2 + np.exp(z) + np.exp(-z))),
    "exponential": lambda z, t: (-t * np.exp(-t * z), np.exp(-t * z)),
    "squared": lambda z, t: (2 * (z - t), np.full(len(z), L(2))),
    "squared_error": lambda z, t: (z - t, np.ones(len(z), L)),
    "poisson": lambda z, t: (np.exp(z) - t, np.exp(z)),
}


def solved(A, r):
    A, r = A.copy(), r.copy()
    for i in range(len(r)):
        swap = i + int(np.argmax(np.abs(A[i:, i])))
        A[[i, swap]], r[[i, swap]] = A[[swap, i]], r[[swap, i]]
        r[i], A[i] = r[i] / A[i, i], A[i] / A[i, i]
        others = np.arange(len(r)) != i
        r[others] -= A[others, i] * r[i]
        A[others] -= A[others, i][:, None] * A[i]
    return r


def minimum(name, t, cost):
    """Find values and objective of the optimum, to about 18 digits."""
    difference = X[:, None].astype(L) - X[None].astype(L)
    K, t, cost = np.exp(-L(GAMMA) * (difference**2).sum(axis=-1)), t.astype(L), cost.astype(L)
    n, b, a = len(t), L(0), np.zeros(len(t), L)
    for _ in range(60):
        g, h = (cost * part for part in SLOPE[name](K @ a + b, t))
        # a + c L'(f) = 0 row by row, and sum a = 0
        system = np.zeros((n + 1, n + 1), L)
        system[:n, :n], system[:n, n], system[n, :n] = np.eye(n) + h[:, None] * K, h, 1
        step = solved(system, np.append(-(a + g), -a.sum()))
        short = min(L(1), 2 / np.abs(K @ step[:n] + step[n]).max())
        a, b = a + short * step[:n], b + short * step[n]
        if np.abs(step).max() < 1e-17 * np.abs(a).max():
            break
    f = K @ a + b
    return f, a @ K @ a / 2 + cost @ PRICE[name](f, t)


@pytest.mark.parametrize("C", [0.3, 30.0])
@pytest.mark.parametrize("loss", [x for x in OF_LABELS + OF_NUMBERS if x.name in PRICE])
def test_the_optimum_is_that_of_extended_precision(loss, C):
    model, t = fitted(loss, C=C, sample_weight=WEIGHT)
    f, best = minimum(loss.name, t, C * WEIGHT)
    certificate = model.certificate_
    assert certificate.status is Status.CERTIFIED
    np.testing.assert_allclose(values(model), f.astype(float), rtol=1e-7, atol=1e-7)
    assert certificate.dual <= float(best) * (1 + 1e-12)
    assert certificate.primal == pytest.approx(float(best), rel=1e-12)


@pytest.mark.parametrize("loss", ["logistic", "squared_hinge", "modified_huber", "hinge"])
def test_on_explicit_features_it_is_the_linear_classifier(loss):
    kernel = Polynomial(degree=2, gamma=1.0, coef0=1.0)
    phi = kernel.features(X)
    constant = np.ptp(phi, axis=0) == 0  # the free intercept's
    features = np.where(constant, 0.0, phi)
    for rows, kind in ((X, kernel), (features, "linear")):
        model = KernelMachineClassifier(kind, loss, C=0.7, tol=1e-8).fit(rows, LABEL)
        peer = LinearClassifier(loss, C=0.7, tol=1e-8).fit(features, LABEL)
        np.testing.assert_allclose(
            model.decision_function(rows), peer.decision_function(features), atol=1e-4
        )
        assert model.certificate_.primal == pytest.approx(peer.certificate_.primal, rel=1e-7)
    np.testing.assert_allclose(model.coef_, peer.coef_, atol=1e-4)


def test_kernel_ridge_is_that_of_scikit_learn_and_an_intercept_is_free():
    ridge = KernelRidge(alpha=0.25, kernel="rbf", gamma=GAMMA).fit(X, TARGET, sample_weight=WEIGHT)
    params = {"C": 4.0, "sample_weight": WEIGHT}
    model, _ = fitted(SquaredError(), fit_intercept=False, **params)
    np.testing.assert_allclose(model.predict(X), ridge.predict(X), atol=1e-10)
    assert model.intercept_ == 0.0
    free, _ = fitted(SquaredError(), **params)
    moved = KernelMachineRegressor(gamma=GAMMA, C=4.0).fit(X, TARGET + 1e4, sample_weight=WEIGHT)
    np.testing.assert_allclose(moved.predict(X) - 1e4, free.predict(X), atol=1e-7)


@pytest.mark.parametrize("intercept", [True, False])
def test_losses_of_straight_pieces_fill_the_box_qp(intercept):
    def machine(loss):
        return fitted(loss, C=2.0, tol=1e-8, fit_intercept=intercept)[0]

    if intercept:
        hinge = SVC(C=2.0, gamma=GAMMA, tol=1e-8).fit(X, LABEL)
        np.testing.assert_allclose(values(machine(Hinge())), values(hinge), atol=1e-6)
        zone = SVR(C=2.0, gamma=GAMMA, epsilon=0.1, tol=1e-8).fit(X, TARGET)
        found = machine(Insensitive(0.1)).predict(X)
        np.testing.assert_allclose(found, zone.predict(X), atol=1e-6)
        below = machine(Quantile(0.3)).predict(X) - 1e-6 > TARGET
        assert below.sum() <= 0.3 * 60 <= 60 - (machine(Quantile(0.3)).predict(X) < TARGET).sum()
    # Half of the absolute error is the median's; no zone at all is one of no width.
    twice = KernelMachineRegressor(
        loss=Quantile(0.5), C=4.0, gamma=GAMMA, tol=1e-8, fit_intercept=intercept
    ).fit(X, TARGET)
    absolute, none = machine(AbsoluteError()), machine(Insensitive(0.0))
    np.testing.assert_allclose(twice.predict(X), absolute.predict(X), atol=1e-5)
    np.testing.assert_allclose(none.predict(X), absolute.predict(X), atol=1e-5)
    assert absolute.certificate_.status is none.certificate_.status is Status.CERTIFIED


@pytest.mark.parametrize("loss", OF_LABELS + OF_NUMBERS, ids=lambda loss: loss.name)
def test_conjugate_gradients_on_matrices_that_do_not_fit_reach_the_same_machine(loss):
    exact, _ = fitted(loss, C=3.0)
    rough, _ = fitted(loss, C=3.0, cache_size=1e-3)
    assert rough.certificate_.status is Status.CERTIFIED
    np.testing.assert_allclose(values(rough), values(exact), atol=1e-4)


@pytest.mark.parametrize("loss", OF_LABELS + OF_NUMBERS, ids=lambda loss: loss.name)
def test_a_gap_bounds_the_distance_from_the_optimum_at_any_point(loss):
    model, t = fitted(loss, C=2.0)
    best, K = model.certificate_.primal, rbf_kernel(X, gamma=GAMMA)
    problem, rng = KernelProblem(loss, t, np.full(60, 2.0)), np.random.default_rng(1)
    for size in (1e-3, 0.1, 3.0):
        beta = problem.near(size * rng.normal(size=60))
        seen = judge(problem, Point(beta, K @ beta, Rounding.none(60)), 1e-6)
        assert seen.dual <= best * (1 + 1e-9)
        assert best <= seen.primal * (1 + 1e-9)
        assert seen.status is Status.STALLED
    away = np.ones(60)  # does not sum to 0, so it proves nothing
    assert judge(problem, Point(away, K @ away, Rounding.none(60)), 1e9).status is Status.STALLED


@pytest.mark.parametrize("loss", [*OF_LABELS, Hinge(), *OF_NUMBERS, *STRAIGHT])
def test_conjugates_are_finite_exactly_within_the_domain(loss):
    t = np.array([1.0, -1.0] if isinstance(loss, MarginLoss) else [2.0, 0.0])
    low, high = loss.domain(t)
    edge = np.where(np.isfinite(low), low, -5.0), np.where(np.isfinite(high), high, 5.0)
    assert all(np.isfinite(loss.conjugate(u, t)).all() for u in edge)
    assert np.isinf(loss.conjugate(low - 1e-6, t)[np.isfinite(low)]).all()
    assert np.isinf(loss.conjugate(high + 1e-6, t)[np.isfinite(high)]).all()


@pytest.mark.parametrize("loss", [Logistic(), Hinge(), SquaredError(), Insensitive(0.1)])
def test_any_form_of_the_rows_gives_the_same_machine(loss):
    model, _ = fitted(loss, tol=1e-6)
    kind, y = type(model), LABEL if hasattr(model, "classes_") else TARGET
    rows, K = sparse.csr_matrix(X), rbf_kernel(X, gamma=GAMMA)
    for given, params in ((rows, {"gamma": GAMMA}), (K, {"kernel": "precomputed"})):
        other = kind(loss=loss, tol=1e-6, **params).fit(given, y)
        np.testing.assert_allclose(values(other, given), values(model), atol=1e-5)
    single = kind(loss=loss, gamma=GAMMA).fit(X.astype(np.float32), y)
    np.testing.assert_allclose(values(single, X.astype(np.float32)), values(model), atol=2e-3)
    again = model.certify(X, y)
    assert again.status is Status.CERTIFIED
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-6)
    with pytest.raises(ValueError, match="certify needs"):
        model.certify(X[:-1], y[:-1])


def test_probabilities_of_several_classes_and_kernels_on_items():
    y = np.digitize(X[:, 0], [-0.5, 0.5])
    model = KernelLogisticRegression(kernel="linear", C=5.0).fit(X, y)
    p = model.predict_proba(X)
    np.testing.assert_allclose(p.sum(axis=1), 1.0)
    np.testing.assert_array_equal(model.classes_[p.argmax(axis=1)], model.predict(X))
    assert len(model.certificates_) == 3
    alone = LogisticRegression(C=5.0, tol=1e-10, max_iter=1000).fit(X, y == 0)
    np.testing.assert_allclose(
        model.decision_function(X)[:, 0], alone.decision_function(X), atol=1e-3
    )

    def common(a, b):
        return float(len(set(a) & set(b)))

    words, kinds = ["night", "light", "sight", "sun", "moon", "noon"], [1, 1, 1, 0, 0, 0]
    read = KernelLogisticRegression(kernel=FromFunction(common, psd=True)).fit(words, kinds)
    assert read.predict(["fight", "soon"]).tolist() == [1, 0]


def test_limits_and_refusals():
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = KernelLogisticRegression(time_limit=0.0).fit(X, LABEL)
    assert model.certificate_.status is Status.TIME_LIMIT
    with pytest.warns(ConvergenceWarning, match="max_iter=1"):
        KernelLogisticRegression(max_iter=1, C=100.0).fit(X, LABEL)
    with pytest.raises(ValueError, match="not positive semidefinite on these rows"):
        KernelLogisticRegression(kernel="precomputed", C=100.0).fit(-np.eye(60), LABEL)
    for loss, said in {
        "zero_one": "must be convex",
        "squared_error": "squared_error is for numbers, of KernelMachineRegressor",
    }.items():
        with pytest.raises(ValueError, match=said):
            KernelMachineClassifier(loss=loss).fit(X, LABEL)
    for loss, said in {
        "logistic": "logistic is for labels, of KernelMachineClassifier",
        Huber(level=0.9): "fixed delta",
    }.items():
        with pytest.raises(ValueError, match=said):
            KernelMachineRegressor(loss=loss).fit(X, TARGET)
    with pytest.raises(ValueError, match="counts, which are not negative"):
        KernelMachineRegressor(loss="poisson").fit(X, TARGET)
    assert not hasattr(KernelMachineClassifier(loss="hinge"), "predict_proba")
    assert kernel_problem(np.ones(2), np.ones(2), loss=Hinge()).upper.tolist() == [1.0, 1.0]


def test_a_loss_that_is_set_later_says_nothing_of_the_fitted_model():
    model = KernelMachineClassifier("rbf", "logistic").fit(X, LABEL)
    p = model.predict_proba(X)
    np.testing.assert_array_equal(model.set_params(loss="exponential").predict_proba(X), p)
    np.testing.assert_array_equal(model.set_params(loss="hinge").predict_proba(X), p)
    counts = KernelMachineRegressor(loss="poisson").fit(X, np.arange(60) % 4)
    mean = counts.predict(X)
    np.testing.assert_array_equal(counts.set_params(loss="huber").predict(X), mean)
    first = KernelLogisticRegression(Polynomial(2)).fit(X, LABEL)  # the kernel comes first
    assert first.certificate_.status is Status.CERTIFIED


EXTENDED = PRICE | {
    "squared_hinge": lambda z, t: np.maximum(0, 1 - t * z) ** 2,
    "hinge": lambda z, t: np.maximum(0, 1 - t * z),
}


def problem_of(seed):
    """Fit rows of any scale at any cost; gives the certificate, and the primal by extended sums."""
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(24, 3)) * 10.0 ** rng.uniform(-4, 4)
    y = (rows @ rng.normal(size=3) + rows.std() * rng.normal(size=24) > 0).astype(int)
    y[:2], C = (0, 1), float(10.0 ** rng.uniform(-6, 9))
    loss = str(rng.choice(["logistic", "exponential", "squared", "squared_hinge", "hinge"]))
    kernel = str(rng.choice(["linear", "rbf"]))
    gamma = float(10.0 ** rng.uniform(-2, 1) / rows.var())
    model = KernelMachineClassifier(kernel, loss, gamma=gamma, C=C, max_iter=20_000)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(rows, y)
    wide, beta = rows.astype(L), np.zeros(24, L)
    beta[model.support_] = model.dual_coef_[0]
    K = wide @ wide.T
    if kernel == "rbf":
        K = np.exp(-L(gamma) * ((wide[:, None] - wide[None]) ** 2).sum(axis=-1))
    with np.errstate(over="ignore"):
        prices = EXTENDED[loss](model.decision_function(rows).astype(L), np.where(y == 1, 1, -1))
    return model.certificate_, beta @ K @ beta / 2 + L(C) * prices.sum()


def test_whoever_says_certified_is_believed_in_extended_precision_only():
    found = [problem_of(seed) for seed in range(60)]
    certified = [(c, primal) for c, primal in found if c.status is Status.CERTIFIED]
    assert len(certified) > 40
    assert all(primal - c.dual <= c.allowed * (1 + 1e-9) for c, primal in certified)
    assert {c.status for c, _ in found} <= {
        Status.CERTIFIED,
        Status.STALLED,
        Status.ITERATION_LIMIT,
    }
