"""Random models of random kinds on random tables agree with ONNX Runtime."""

import numpy as np
import pytest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin as mm
from maxmargin import kernels
from tests.export.runtime import assert_same

COUNT, ALWAYS = 200, 20


def some_kernel(random, depth=2):
    gamma = float(random.uniform(0.05, 1.0))
    simple = [
        kernels.Linear(),
        kernels.RBF(gamma),
        kernels.Laplacian(gamma),
        kernels.Polynomial(int(random.integers(1, 4)), gamma, 1.0),
        kernels.Matern(random.choice([1.5, 2.5]), gamma, random.choice(["squared", "absolute"])),
        kernels.RationalQuadratic(float(random.uniform(0.5, 3.0)), gamma),
    ]
    one = simple[random.integers(len(simple))]
    if depth == 0:
        return one
    other = some_kernel(random, depth - 1)
    combined = [one, one + other, one * other, 0.5 * one, one.normalized(), one.restrict([0, 1])]
    return combined[random.integers(len(combined))]


def some_model(random, classify):
    C, rounds = float(10 ** random.uniform(-1, 2)), int(random.integers(1, 30))
    kernel, rate = some_kernel(random), float(random.uniform(0.1, 1.0))
    if classify:
        return [
            lambda: mm.SVC(kernel=kernel, C=C, break_ties=bool(random.integers(2))),
            lambda: mm.SVC(kernel=kernel, C=C, multiclass="ovr"),
            lambda: mm.LinearSVC(C=C),
            lambda: mm.AdaBoostClassifier(n_estimators=rounds, learning_rate=rate),
            lambda: mm.BoostingClassifier(n_estimators=rounds, learning_rate=rate),
            lambda: mm.BaggingClassifier(n_estimators=rounds, random_state=0),
            lambda: mm.GlassBoxClassifier(n_estimators=rounds, n_bags=2),
            lambda: make_pipeline(StandardScaler(), mm.KernelLogisticRegression(kernel, C=C)),
        ][random.integers(8)]()
    return [
        lambda: mm.SVR(kernel=kernel, C=C),
        lambda: mm.LinearSVR(C=C),
        lambda: mm.BoostingRegressor(n_estimators=rounds, learning_rate=rate),
        lambda: mm.GlassBoxRegressor(n_estimators=rounds, n_bags=2),
    ][random.integers(4)]()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "seed",
    [
        *range(ALWAYS),
        *(pytest.param(n, marks=pytest.mark.sweep) for n in range(ALWAYS, COUNT)),
    ],
)
def test_a_random_model(seed):
    random = np.random.default_rng(seed)
    n, d = int(random.integers(20, 80)), int(random.integers(2, 8))
    X, new = random.normal(size=(n, d)), random.normal(size=(30, d))
    if random.integers(2):
        X, new = X.round(), new.round()
    score = X @ random.normal(size=d) + random.normal(size=n)
    classify = bool(random.integers(4))
    edges = np.quantile(score, [0.5] if random.integers(2) else [0.3, 0.7])
    target = np.digitize(score, edges) if classify else score
    model = some_model(random, classify).fit(X, target)
    assert assert_same(model, new, ties=not isinstance(model, mm.SVC))
