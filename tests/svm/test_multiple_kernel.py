"""Mixtures of kernels: against a search over the weights, and what a certificate of one says."""

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize_scalar
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, MultipleKernelSVC
from maxmargin.certify import MixturePoint, Status, judge
from maxmargin.kernels import RBF, FromFunction, Linear, Precomputed
from maxmargin.kernels.rounding import Rounding
from maxmargin.problems import MultipleKernel, c_svc
from maxmargin.problems.multiple_kernel import Mixed
from maxmargin.solvers import Trace

RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 4))
Y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.3 * RNG.normal(size=80) > 0.8, "yes", "no")
THREE = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.0, 1.0])
PAIR = [Linear(), RBF(0.5)]


def objective(weights, y, C=2.0):
    """The optimum of the machine with these weights."""
    kernel = float(weights[0]) * PAIR[0] + float(weights[1]) * PAIR[1]
    model = SVC(kernel=kernel, C=C, tol=1e-9).fit(X, y)
    return sum(certificate.primal for certificate in model.certificates_)


@pytest.mark.parametrize("y", [Y, THREE], ids=["two", "three"])
@pytest.mark.parametrize("p", [1.0, 1.5, 2.0])
def test_the_weights_are_those_that_a_search_finds(p, y):
    def at(share):
        return np.array([share, 1.0 - share]) ** (1.0 / p)

    best = minimize_scalar(
        lambda share: objective(at(share), y), bounds=(0.0, 1.0), options={"xatol": 1e-7}
    )
    model = MultipleKernelSVC(PAIR, p=p, C=2.0, normalize=False, tol=1e-7).fit(X, y)
    certificate = model.certificate_
    assert certificate.status is Status.CERTIFIED
    assert certificate.primal == pytest.approx(best.fun, rel=1e-6)
    assert certificate.dual <= best.fun * (1 + 1e-9)
    np.testing.assert_allclose(model.weights_, at(best.x), atol=2e-2)
    assert np.linalg.norm(model.weights_, p) == pytest.approx(1.0)


def test_the_machine_is_that_of_the_mixed_kernel():
    model = MultipleKernelSVC(PAIR, C=2.0, tol=1e-6).fit(X, Y)
    peer = SVC(kernel=model.kernel_, C=2.0, tol=1e-8).fit(X, Y)
    np.testing.assert_allclose(model.decision_function(X), peer.decision_function(X), atol=1e-4)
    again = model.certify(X, Y)
    assert again.status is Status.CERTIFIED
    assert again.dual == pytest.approx(model.certificate_.dual, rel=1e-6)
    with pytest.raises(ValueError, match="certify needs"):
        model.certify(X[1:], Y[1:])


def test_what_tells_nothing_gets_no_weight_and_the_norm_spreads_the_rest():
    kernels = [RBF(0.5).restrict([j]) for j in range(4)] + [RBF(0.5)]
    frame = pd.DataFrame(X, columns=list("abcd"), index=RNG.permutation(80))
    named = [RBF(0.5).restrict([name]) for name in "abcd"] + [RBF(0.5)]
    model = MultipleKernelSVC(kernels, C=2.0).fit(X, Y)
    assert model.weights_[:2].min() > 5 * model.weights_[2:4].max()
    of_names = MultipleKernelSVC(named, C=2.0).fit(frame, Y)
    np.testing.assert_allclose(of_names.weights_, model.weights_, atol=1e-9)
    np.testing.assert_array_equal(of_names.predict(frame), model.predict(X))
    by_norm = (MultipleKernelSVC(kernels, C=2.0, p=p).fit(X, Y).weights_ for p in (1.0, 2.0, 8.0))
    even = [weights.min() / weights.max() for weights in by_norm]
    assert even[0] < 0.01
    assert even[0] < even[1] < even[2]


def test_a_kernel_in_other_units_weighs_the_same():
    plain = MultipleKernelSVC(PAIR, tol=1e-6).fit(X, Y)
    scaled = MultipleKernelSVC([100.0 * PAIR[0], 0.01 * PAIR[1]], tol=1e-6).fit(X, Y)
    np.testing.assert_allclose(scaled.weights_, plain.weights_, atol=1e-6)
    np.testing.assert_allclose(scaled.decision_function(X), plain.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("p", [1.0, 1.5, 4.0])
def test_a_gap_bounds_the_distance_from_the_optimum_at_any_point(p):
    model = MultipleKernelSVC(PAIR, C=2.0, p=p, normalize=False, tol=1e-7).fit(X, Y)
    best, rng = model.certificate_.primal, np.random.default_rng(1)
    grams, problem = [k(X) for k in PAIR], c_svc(np.where(Y == "no", 1.0, -1.0), 2.0)
    for size in (0.01, 0.3, 1.0):
        drawn = problem.lower + size * rng.random(80) * (problem.upper - problem.lower)
        up, down = drawn[drawn > 0].sum(), -drawn[drawn < 0].sum()
        beta = np.where(drawn > 0, drawn * min(1.0, down / up), drawn * min(1.0, up / down))
        weights = rng.random(2)
        weights /= np.linalg.norm(weights, p)
        part = Mixed(problem, beta, np.stack([K @ beta for K in grams]))
        point = MixturePoint(weights, [part], [Rounding.none(80)])
        seen = judge(MultipleKernel(p), point, 1e-6)
        assert seen.dual <= best * (1 + 1e-6)
        assert best <= seen.primal * (1 + 1e-6)
        assert seen.status is Status.STALLED
        heavy = MixturePoint(2.0 * weights, [part], [Rounding.none(80)])
        assert judge(MultipleKernel(p), heavy, 1e9).status is Status.STALLED


def test_items_weights_and_a_trace():
    def common(a, b):
        return float(len(set(a) & set(b)))

    def same_length(a, b):
        return float(len(a) == len(b))

    words, kinds = ["night", "light", "sight", "sun", "moon", "noon"], [1, 1, 1, 0, 0, 0]
    kernels, trace = [FromFunction(f, psd=True) for f in (common, same_length)], Trace()
    read = MultipleKernelSVC(kernels, callback=trace).fit(words, kinds)
    assert read.predict(["fight", "soon"]).tolist() == [1, 0]
    assert trace.lines[-1].iterations == read.n_iter_
    counts = np.arange(80) % 3
    weighted = MultipleKernelSVC(PAIR, tol=1e-8).fit(X, Y, sample_weight=counts)
    repeated = MultipleKernelSVC(PAIR, tol=1e-8).fit(X.repeat(counts, axis=0), Y.repeat(counts))
    assert (counts[weighted.support_] > 0).all()
    np.testing.assert_allclose(weighted.weights_, repeated.weights_, atol=1e-4)
    values = weighted.decision_function(X), repeated.decision_function(X)
    np.testing.assert_allclose(*values, atol=1e-3)


def test_limits_and_refusals():
    with pytest.warns(ConvergenceWarning, match="TIME_LIMIT"):
        model = MultipleKernelSVC(time_limit=0.0).fit(X, Y)
    assert model.certificate_.status is Status.TIME_LIMIT
    assert len(model.predict(X)) == 80
    with pytest.warns(ConvergenceWarning, match="ITERATION_LIMIT"):
        MultipleKernelSVC(max_iter=1, tol=1e-9).fit(X, Y)
    for params, said in (
        ({"kernels": []}, "must be a list of kernels"),
        (
            {"kernels": ["rbf", "nothing"]},
            "'kernels' parameter of MultipleKernelSVC must be",
        ),
        ({"kernels": [Precomputed()]}, "must be kernels of rows, not matrices"),
        ({"p": 0.5}, "'p' parameter of MultipleKernelSVC must be a number at least 1"),
        ({"cache_size": 0.01}, "keeps the matrices of all 2 kernels, 0 MB for 80 rows"),
    ):
        with pytest.raises(ValueError, match=said):
            MultipleKernelSVC(**params).fit(X, Y)
