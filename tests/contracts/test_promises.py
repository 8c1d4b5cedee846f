"""CERTIFIED bounds the relative gap: of shares, quantities, single classes, every loss and mixture.

Small problems of extreme scale, offset, cost, ties and precision. Primal and dual of every model
are summed anew in ``numpy.longdouble``, from its coefficients, exact kernel values and the values
that a user gets. Of a model that calls itself certified they are no farther apart than its
certificate allows, which is the tolerance times the objective, however large the costs. A random
share of the problems runs always, and all of them with ``-m sweep``.
"""

import warnings
from collections import Counter

import numpy as np
import pytest

from maxmargin import (
    SVC,
    SVR,
    KernelMachineClassifier,
    KernelMachineRegressor,
    LinearSVC,
    LinearSVR,
    MultipleKernelSVC,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from maxmargin.certify import Status
from maxmargin.kernels import RBF, Linear
from maxmargin.losses import Huber, Insensitive, Quantile, SquaredInsensitive

L = np.longdouble
ROUNDED = 1 + 1e-9  # what the certificate's own numbers are printed to
CHUNK, CHUNKS, SHARE = 250, 400, 40  # problems, and how many of them run always: a tenth
# More landmarks than a linear kernel has rank: features of rounding were certified once.
BEYOND_THE_RANK = [
    *(10582, 14787, 15935, 23881, 25155, 28224, 32347),
    *(37004, 42238, 59500, 60686, 76362, 78094, 90481),
]


# Data


def rows(rng):
    """Rows of scale 1e-4 to 1e4, some far from 0, rounded to ties or repeated."""
    n, d = int(rng.integers(4, 41)), int(rng.choice([1, 2, 5, 20]))
    X = rng.normal(size=(n, d))
    if rng.random() < 0.3:
        X = np.round(X, int(rng.integers(0, 2)))
    if rng.random() < 0.2:
        X[: n // 3] = X[n - n // 3 :]
    X = X * 10.0 ** rng.uniform(-4, 4)
    X = X + rng.choice([0, 0, 0, 1, 1e2, 1e4]) * np.abs(X).mean() * rng.choice([-1, 1], size=d)
    weight = None if rng.random() < 0.7 else rng.choice([0.5, 1.0, 3.0], size=n)
    return X.astype(rng.choice([np.float32, np.float64, np.float64])), weight


def targets(rng, X):
    """Targets near to a function of the rows, of any scale and offset, rounded or constant."""
    n, d = X.shape
    lines = (X - X.mean(axis=0)).astype(np.float64) @ rng.normal(size=d)
    size = np.abs(lines).max() or 1.0
    t = np.sin(3 * lines / size) if rng.random() < 0.5 else lines / size
    t = t + rng.choice([0.0, 0.1, 1.0]) * rng.normal(size=n)
    t = np.round(t, 1) if rng.random() < 0.3 else t
    t = np.zeros(n) if rng.random() < 0.03 else t
    return 10.0 ** rng.uniform(-3, 3) * (t + rng.choice([0, 0, 0, 1, 1e2, 1e4, 1e6, 1e8]))


def labels(rng, X):
    side = (X - X.mean(axis=0)).astype(np.float64) @ rng.normal(size=X.shape[1])
    side = side + rng.choice([0.0, 0.5, 2.0]) * (side.std() or 1.0) * rng.normal(size=len(X))
    y = (side > np.median(side)).astype(int)
    y[:2] = 0, 1
    return y


def kernel_of(rng, X):
    gamma = float(10.0 ** rng.uniform(-3, 1) / max(X.astype(float).var(), 1e-30) / X.shape[1])
    return Linear() if rng.random() < 0.35 else RBF(gamma)


def exact_gram(kernel, X, centred=True):
    """Evaluate a kernel from the data; a linear one around the mean, where a bias makes it good."""
    X = X.astype(L)
    if isinstance(kernel, Linear):
        X = X - X.mean(axis=0) if centred else X
        return X @ X.T
    return np.exp(-L(kernel.gamma) * ((X[:, None] - X[None]) ** 2).sum(axis=-1))


def cost_of(rng, weight, n):
    C = float(10.0 ** rng.uniform(-6, 8))
    return C, np.full(n, C, L) if weight is None else C * weight.astype(L)


def tolerance(rng, usual):
    return float(rng.choice([usual, usual, 0.01 * usual]))


def coefficients(model, n):
    beta = np.zeros(n, L)
    beta[model.support_] = np.asarray(model.dual_coef_).ravel()
    return beta


# True primal and dual of every kind of model


def of_nu_svc(rng, X, weight):
    y, kernel = labels(rng, X), kernel_of(rng, X)
    w = np.ones(len(y), L) if weight is None else weight.astype(L)
    nu = float(rng.uniform(0.02, 1.0)) * 2 * float(min(w[y == 0].sum(), w[y == 1].sum()) / w.sum())
    model = NuSVC(nu=min(nu, 1.0), kernel=kernel, tol=tolerance(rng, 1e-3), max_iter=50_000)

    def truth():
        share, t = L(model.nu) * w.sum(), np.where(y == 1, L(1), L(-1))
        beta = coefficients(model, len(y))
        rho = share / np.abs(beta).sum()
        beta, f = rho * beta, rho * model.decision_function(X).astype(L)
        half = beta @ exact_gram(kernel, X) @ beta / 2
        return half + w @ np.maximum(0, rho_of(t, f, w, share) - t * f) - share * rho_of(
            t, f, w, share
        ), -half

    return model, y, truth


def rho_of(t, f, w, share):
    """Give the rho that costs least at values f: a weighted quantile of the margins."""
    order = np.argsort(t * f)
    place = min(int(np.searchsorted(np.cumsum(w[order]), share)), len(order) - 1)
    return max((t * f)[order[place]], L(0))


def of_single_class(rng, X, weight):
    kernel = kernel_of(rng, X)
    w = np.ones(len(X), L) if weight is None else weight.astype(L)
    nu = float(rng.uniform(0.02, 1.0))
    model = OneClassSVM(nu=nu, kernel=kernel, tol=tolerance(rng, 1e-3), max_iter=50_000)

    def truth():
        beta, rho = coefficients(model, len(X)), L(model.offset_[0])
        half = beta @ exact_gram(kernel, X, centred=False) @ beta / 2
        slack = w @ np.maximum(0, -model.decision_function(X).astype(L))
        return half + slack - L(nu) * w.sum() * rho, -half

    return model, None, truth


def of_nu_svr(rng, X, weight):
    t, kernel = targets(rng, X), kernel_of(rng, X)
    C, cost = cost_of(rng, weight, len(t))
    nu = float(rng.uniform(0.02, 1.0))
    model = NuSVR(nu=nu, C=C, kernel=kernel, tol=tolerance(rng, 1e-3), max_iter=50_000)

    def truth():
        beta, off = coefficients(model, len(t)), np.abs(t.astype(L) - model.predict(X))
        half = beta @ exact_gram(kernel, X) @ beta / 2
        widths = np.append(off, 0)  # one of them costs least
        spent = (cost * np.maximum(0, off - widths[:, None])).sum(axis=1)
        # Taken off all targets, a constant changes nothing but the rounding of a sum of duals.
        dual = (t.astype(L) - np.median(t)) @ beta - half
        return half + (spent + nu * cost.sum() * widths).min(), dual

    return model, t, truth


def zone(epsilon):
    return (
        lambda f, t: np.maximum(0, np.abs(f - t) - L(epsilon)),
        lambda u: L(epsilon) * np.abs(u),
    )


def of_residuals(loss, conjugate):
    """Price and conjugate, less u t, of a loss of residuals."""
    return lambda f, t: loss(np.abs(f - t), f - t), conjugate


NUMBERS = {
    "squared_error": of_residuals(lambda r, _: r**2 / 2, lambda u: u**2 / 2),
    "absolute_error": of_residuals(lambda r, _: r, lambda u: 0 * u),
    Huber(0.5): of_residuals(
        lambda r, _: np.where(r <= 0.5, r**2 / 2, r / 2 - L(1) / 8), lambda u: u**2 / 2
    ),
    Quantile(0.75): of_residuals(lambda r, s: np.where(s > 0, r / 4, 3 * r / 4), lambda u: 0 * u),
    Insensitive(0.25): zone(0.25),
    SquaredInsensitive(0.25): of_residuals(
        lambda r, _: np.maximum(0, r - L(0.25)) ** 2, lambda u: L(0.25) * np.abs(u) + u**2 / 4
    ),
}


def of_numbers(rng, X, weight):
    t, kernel = targets(rng, X), kernel_of(rng, X)
    C, cost = cost_of(rng, weight, len(t))
    if rng.random() < 0.4:
        epsilon = float(rng.choice([0.0, 0.1, 1.0])) * float(np.abs(t - t.mean()).max())
        model = SVR(C=C, kernel=kernel, epsilon=epsilon, tol=tolerance(rng, 1e-3), max_iter=50_000)
        return model, t, lambda: of_values(model, kernel, X, t, cost, zone(epsilon), True)
    loss = list(NUMBERS)[int(rng.integers(len(NUMBERS)))]
    free = bool(rng.random() < 0.7)
    usual = {"C": C, "kernel": kernel, "tol": tolerance(rng, 1e-4), "max_iter": 50_000}
    model = KernelMachineRegressor(loss=loss, fit_intercept=free, **usual)
    return model, t, lambda: of_values(model, kernel, X, t, cost, NUMBERS[loss], free)


def of_values(model, kernel, X, t, cost, loss, free):
    price, conjugate = loss
    beta, t = coefficients(model, len(t)), t.astype(L)
    half = beta @ exact_gram(kernel, X, centred=free) @ beta / 2
    primal = half + cost @ price(model.predict(X).astype(L), t)
    level = np.median(t) if free else L(0)
    return primal, (t - level) @ beta - cost @ conjugate(-beta / cost) - half


def of_counts(rng, X, weight):
    kernel = kernel_of(rng, X)
    t = rng.poisson(10.0 ** rng.uniform(-1, 6), size=len(X)).astype(float)
    t[0] += 1
    C, cost = cost_of(rng, weight, len(t))
    C, cost = C / t.max(), cost / t.max()
    free = bool(rng.random() < 0.7)
    model = KernelMachineRegressor(
        loss="poisson", C=C, kernel=kernel, fit_intercept=free, max_iter=200
    )

    def truth():
        beta, f = coefficients(model, len(t)), np.log(model.predict(X).astype(L))
        half = beta @ exact_gram(kernel, X, centred=free) @ beta / 2
        known = np.where(t > 0, t * np.log(np.maximum(t, 1).astype(L)) - t, L(0))
        s = t - beta / cost
        if (s < -1e-9 * (1 + t)).any():
            return L(np.inf), L(0)
        s = np.maximum(s, 0)
        own = s * np.log(np.where(s > 0, s, 1)) - s - known
        return half + cost @ (np.exp(f) - t * f + known), -cost @ own - half

    return model, t, truth


MARGINS = {
    "hinge": (lambda m: np.maximum(0, 1 - m), lambda v: v),
    "squared_hinge": (lambda m: np.maximum(0, 1 - m) ** 2, lambda v: v + v**2 / 4),
    "squared": (lambda m: (1 - m) ** 2, lambda v: v + v**2 / 4),
    "logistic": (
        lambda m: np.logaddexp(L(0), -m),
        lambda v: entropy(-v) + entropy(1 + v),
    ),
    "modified_huber": (
        lambda m: np.where(m < -1, -4 * m, np.maximum(0, 1 - m) ** 2),
        lambda v: v + v**2 / 4,
    ),
}


def entropy(s):
    return np.where(s > 0, s * np.log(np.where(s > 0, s, 1)), L(0))


def of_labels(rng, X, weight):
    y, kernel = labels(rng, X), kernel_of(rng, X)
    C, cost = cost_of(rng, weight, len(y))
    loss, free = str(rng.choice(list(MARGINS))), bool(rng.random() < 0.7)
    usual = {"C": C, "kernel": kernel, "tol": tolerance(rng, 1e-4), "max_iter": 50_000}
    model = KernelMachineClassifier(loss=loss, fit_intercept=free, **usual)

    def truth():
        price, conjugate = MARGINS[loss]
        t, beta = np.where(y == 1, L(1), L(-1)), coefficients(model, len(y))
        half = beta @ exact_gram(kernel, X, centred=free) @ beta / 2
        margins = t * model.decision_function(X).astype(L)
        return half + cost @ price(margins), -cost @ conjugate(-t * beta / cost) - half

    return model, y, truth


def of_mixtures(rng, X, weight):
    y = labels(rng, X)
    C, cost = cost_of(rng, weight, len(y))
    gamma = float(1.0 / max(X.astype(float).var(), 1e-30) / X.shape[1])
    parts = [Linear(), RBF(gamma), RBF(0.1 * gamma)]
    p = float(rng.choice([1.0, 2.0]))
    model = MultipleKernelSVC(parts, C=C, p=p, normalize=False, max_iter=100)

    def truth():
        t, beta = np.where(y == 1, L(1), L(-1)), coefficients(model, len(y))
        d = np.asarray(model.weights_, L)
        squares = np.array([beta @ exact_gram(kernel, X) @ beta for kernel in parts])
        slack = cost @ np.maximum(0, 1 - t * model.decision_function(X).astype(L))
        most = squares.max() if p == 1.0 else np.sqrt((squares**2).sum())
        return d @ squares / 2 + slack, t @ beta - most / 2

    return model, y, truth


def of_lines(rng, X, weight):
    """A linear regression, whose duals are not kept: they are those of its certificate."""
    t = targets(rng, X)
    C, cost = cost_of(rng, weight, len(t))
    epsilon = float(rng.choice([0.0, 0.1])) * float(np.abs(t - t.mean()).max())
    squared, intercept = rng.random() < 0.5, str(rng.choice(["free", "regularized"]))
    loss = ("squared_" if squared else "") + "epsilon_insensitive"
    facts = {"epsilon": epsilon, "loss": loss, "intercept": intercept, "C": C}
    scaling = float(rng.choice([1.0, 1e3]))
    model = LinearSVR(**facts, intercept_scaling=scaling, tol=tolerance(rng, 1e-4), max_iter=200)

    def truth():
        w, b = model.coef_.astype(L), L(np.ravel(model.intercept_)[0])
        size = w @ w / 2 + (b**2 / L(scaling) ** 2 / 2 if intercept == "regularized" else 0)
        off = np.maximum(0, np.abs(model.predict(X).astype(L) - t) - L(epsilon))
        return size + cost @ (off**2 if squared else off), L(model.certificate_.dual)

    return model, t, truth


def of_all_classes(rng, X, weight):
    """A machine of Crammer and Singer; its dual is no larger than what any other model costs."""
    y = labels(rng, X) + 2 * labels(rng, X)
    y = np.unique(y, return_inverse=True)[1]
    C, cost = cost_of(rng, weight, len(y))
    facts = {"multi_class": "crammer_singer", "C": C, "fit_intercept": bool(rng.random() < 0.7)}
    model = LinearSVC(**facts, tol=tolerance(rng, 1e-4), max_iter=200)

    def truth():
        best = fit(LinearSVC(**facts, tol=1e-8, max_iter=300), X, y, weight)
        return joint(model, X, y, cost), min(joint(best, X, y, cost), L(model.certificate_.dual))

    return model, y, truth


def joint(model, X, y, cost):
    w, values = model.coef_.astype(L), model.decision_function(X).astype(L)
    b = np.ravel(model.intercept_).astype(L) * np.ones(len(w))
    if len(w) == 1:
        m = np.where(y == 1, 1, -1) * values
        return (w**2).sum() / 4 + (b**2).sum() / 4 + cost @ np.maximum(0, 1 - m)
    own = np.take_along_axis(values, y[:, None], axis=1)
    slack = (values - own + (np.arange(len(w)) != y[:, None])).max(axis=1)
    return (w**2).sum() / 2 + (b**2).sum() / 2 + cost @ slack


def of_landmarks(rng, X, weight):
    """An approximated machine; its dual is no larger than what any other of its landmarks costs."""
    y, kernel = labels(rng, X), kernel_of(rng, X)
    C, cost = cost_of(rng, weight, len(y))
    facts = {"C": C, "kernel": kernel, "approximate": int(rng.integers(1, len(y) + 1))}
    model = SVC(**facts, tol=tolerance(rng, 1e-3), max_iter=50_000)

    def truth():
        best = fit(SVC(**facts, tol=1e-8, max_iter=1000), X.astype(np.float64), y, weight)
        gram, t = landmarks_gram(model, X), np.where(y == 1, L(1), L(-1))

        def primal(each, values):
            beta = coefficients(each, len(y))
            return beta @ gram @ beta / 2 + cost @ np.maximum(0, 1 - t * values)

        values = gram @ coefficients(best, len(y)) - best._machine.intercepts[0]
        least = primal(best, values)
        own = primal(model, model.decision_function(X).astype(L))
        return own, min(least, L(model.certificate_.dual))

    return model, y, truth


def landmarks_gram(model, X):
    shift = model._machine.seen.shift  # which decides what the landmarks span
    seen = X.astype(L) - (0 if shift is None else shift.astype(L))
    return exact_gram(model.kernel, seen, centred=False)


KINDS = [
    of_nu_svc,
    of_nu_svr,
    of_single_class,
    of_numbers,
    of_numbers,
    of_counts,
    of_labels,
    of_mixtures,
    of_lines,
    of_all_classes,
    of_landmarks,
]


# What is claimed of them


def fit(model, X, y, weight):
    """Fit without warnings; None where it is refused in words."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return model.fit(X, y) if weight is None else model.fit(X, y, sample_weight=weight)
        except (ValueError, ArithmeticError):
            return None


def broken(model, truth):
    """Say what is false about a certified model."""
    seen = model.certificate_
    most = 10.0 if seen.status is Status.CERTIFIED else np.inf
    vanishes = max(abs(seen.primal), abs(seen.dual)) <= seen.floor
    if seen.relative_gap > most * model.tol or not (vanishes or seen.floor <= seen.allowed):
        return f"claims a relative gap of {seen.relative_gap:.3g}"
    with np.errstate(over="ignore", invalid="ignore", divide="ignore"):
        primal, dual = truth()
    if primal - dual <= seen.allowed * ROUNDED:
        return None
    return f"allowed {seen.allowed:.3g}, true primal {float(primal):.9g}, dual {float(dual):.9g}"


def problem(seed):
    """Fit the problem of a seed; say how it ended and what is false about it."""
    rng = np.random.default_rng(seed)
    X, weight = rows(rng)
    kind = KINDS[int(rng.integers(len(KINDS)))]
    weight = None if kind is of_all_classes or kind is of_landmarks else weight
    model, y, truth = kind(rng, X, weight)
    if fit(model, X, y, weight) is None:
        return kind.__name__, "refused", None
    status = model.certificate_.status
    false = broken(model, truth) if status is Status.CERTIFIED else None
    line = f"seed {seed}: {model!r} says {model.certificate_}, {false}"
    return kind.__name__, status.name, line if false else None


def chunk(number):
    found = [problem(seed) for seed in range(CHUNK * number, CHUNK * (number + 1))]
    assert [line for _, _, line in found if line] == []
    return Counter(ended for _, ended, _ in found)


@pytest.mark.parametrize("number", range(SHARE))
def test_certified_bounds_the_relative_gap(number):
    assert chunk(number)["CERTIFIED"] > CHUNK / 3


@pytest.mark.parametrize("seed", BEYOND_THE_RANK)
def test_landmarks_beyond_the_rank_keep_the_promise(seed):
    assert problem(seed) == ("of_landmarks", "CERTIFIED", None)


@pytest.mark.sweep
@pytest.mark.parametrize("number", range(SHARE, CHUNKS))
def test_certified_bounds_the_relative_gap_in_the_sweep(number):
    assert chunk(number)["CERTIFIED"] > CHUNK / 3
