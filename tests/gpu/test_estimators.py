"""Estimators with device="cuda": the same optimum, ordinary models, clear refusals."""

import numpy as np
import pytest
import torch
from scipy import sparse
from sklearn.base import clone

from maxmargin import (
    SVC,
    SVCCV,
    SVR,
    KernelLogisticRegression,
    KernelMachineRegressor,
    LinearClassifier,
    LinearSVC,
    LinearSVR,
    MultipleKernelSVC,
    NuSVC,
    NuSVR,
    OneClassSVM,
)
from maxmargin.kernels import RBF, FromFunction, Laplacian, Linear, Nystroem, Polynomial
from maxmargin.neighbors import BruteNeighborsTransformer
from maxmargin.ops.gpu import arrays
from maxmargin.ops.gpu import device as devices
from maxmargin.storage import load_model, save_model

r = np.random.default_rng(0)
X = r.normal(size=(160, 4))
y = np.digitize(X[:, 0] + X[:, 1] ** 2, [0.3, 1.2])
z = np.sin(X[:, 0]) + 0.1 * r.normal(size=160)
weight = r.uniform(0.2, 2.0, 160)

CASES = {
    "two classes": (SVC(kernel=RBF(0.3), tol=1e-5), X, y > 0, None),
    "pairs": (SVC(C=3.0, tol=1e-5), X, y, weight),
    "rest": (SVC(multiclass="ovr", kernel=Laplacian(0.2), tol=1e-5), X, y, None),
    "balanced": (SVC(class_weight="balanced", tol=1e-5), X, y, None),
    "linear": (SVC(kernel="linear", tol=1e-5), X, y > 0, None),
    "poly": (SVC(kernel="poly", coef0=1.0, tol=1e-5), X, y > 0, None),
    "sum": (SVC(kernel=Linear() + RBF(0.2) * Polynomial(2, 0.1), tol=1e-5), X, y > 0, None),
    "sparse": (SVC(kernel=RBF(0.1), tol=1e-5), sparse.csr_matrix(X * (X > 0)), y, None),
    "given matrix": (SVC(kernel="precomputed", tol=1e-5), RBF(0.3)(X), y > 0, None),
    "single precision": (SVC(kernel=RBF(0.3), tol=1e-5), X.astype(np.float32), y > 0, None),
    "SVR": (SVR(C=2.0, epsilon=0.05, tol=1e-5), X, z, weight),
    "NuSVC": (NuSVC(nu=0.3, tol=1e-5), X, y > 0, None),
    "NuSVR": (NuSVR(C=2.0, nu=0.4, tol=1e-5), X, z, None),
    "OneClassSVM": (OneClassSVM(nu=0.2, tol=1e-5), X, None, None),
    "logistic": (KernelLogisticRegression(gamma=0.3, tol=1e-6), X, y, None),
    "regressor": (KernelMachineRegressor(loss="huber", gamma=0.3, tol=1e-6), X, z, None),
    "mixture": (MultipleKernelSVC([RBF(0.1), RBF(1.0)], tol=1e-4), X, y > 0, None),
}


def _fitted(name, device):
    model, rows, target, weights = CASES[name]
    more = {} if weights is None else {"sample_weight": weights}
    return clone(model).set_params(device=device).fit(rows, target, **more)


@pytest.mark.parametrize("name", CASES)
def test_a_card_finds_the_optimum_of_the_cpu(name, card):
    there, here = _fitted(name, "cuda"), _fitted(name, "cpu")
    assert there.certificate_.status.name == "CERTIFIED"
    for a, b in zip(there.certificates_, here.certificates_, strict=True):
        assert a.dual == pytest.approx(b.dual, rel=1e-6 if name != "single precision" else 1e-5)
    rows = CASES[name][1]
    on_card, on_cpu = there.predict(rows), there.set_params(device="cpu").predict(rows)
    assert np.mean(on_card == on_cpu) > 0.98 or np.allclose(on_card, on_cpu, rtol=1e-6)


LINEAR = {
    "squared hinge": (LinearSVC(tol=1e-9), X, y, None),
    "hinge": (LinearSVC(loss="hinge", tol=1e-6), X, y > 0, None),
    "free": (LinearSVC(intercept="free", tol=1e-9), X, y > 0, weight),
    "sparse": (LinearSVC(tol=1e-9), sparse.csr_matrix(X * (X > 0)), y, None),
    "logistic": (LinearClassifier(loss="logistic", tol=1e-9), X, y, weight),
    "single": (LinearClassifier(loss="logistic", tol=1e-6), X.astype(np.float32), y, None),
    "regression": (LinearSVR(loss="squared_epsilon_insensitive", tol=1e-9), X, z, None),
}


@pytest.mark.parametrize("name", LINEAR)
def test_linear_models_have_the_optimum_of_the_cpu(name, card):
    model, rows, target, weights = LINEAR[name]
    here, there = (
        clone(model).set_params(device=d).fit(rows, target, weights) for d in ("cpu", "cuda")
    )
    assert there.certificate_.status.name == "CERTIFIED"
    for a, b in zip(there.certificates_, here.certificates_, strict=True):
        assert a.primal == pytest.approx(b.primal, rel=1e-5)
    assert np.allclose(there.coef_, here.coef_, atol=1e-2 if name == "hinge" else 1e-4)


@pytest.mark.parametrize(
    ("model", "sentence"),
    [
        (LinearSVC(penalty="l1", device="cuda"), "needs penalty='l2'"),
        (LinearSVC(multi_class="crammer_singer", device="cuda"), "multi_class='ovr'"),
        (LinearSVC(solver="dual_coordinate", device="cuda"), "'newton'"),
    ],
)
def test_linear_models_that_cannot_run_there_are_refused(model, sentence, card):
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, y)


def test_a_search_scores_as_on_the_cpu(card):
    grid = {"Cs": [0.1, 1.0, 10.0], "gammas": [0.1, 1.0], "cv": 3}
    here, there = (SVCCV(device=d, **grid).fit(X, y) for d in ("cpu", "cuda"))
    scores = [model.cv_results_["mean_test_score"] for model in (here, there)]
    assert np.allclose(*scores, atol=0.02)
    assert there.best_estimator_.device == "cuda"


def test_nystroem_features_are_those_of_the_cpu(card):
    for kernel in (RBF(0.3), "laplacian", "poly"):
        make = Nystroem(kernel, n_components=20, random_state=0, device="cuda").fit(X)
        there = make.transform(X)
        assert np.allclose(there, make.set_params(device="cpu").transform(X), atol=1e-10)


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_nearest_rows_are_those_of_the_cpu(metric, card):
    rows = np.vstack([X, X[:5]])  # with ties
    here = BruteNeighborsTransformer(4, metric=metric).fit(rows)
    there = clone(here).set_params(device="cuda").fit(rows)
    for queries in (None, X[:20], sparse.csr_matrix(X[:20])):
        if sparse.issparse(queries) and metric == "manhattan":
            continue
        a, b = here.kneighbors(queries), there.kneighbors(queries)
        assert np.allclose(a[0], b[0], atol=1e-6)
    distances, numbers = there.kneighbors(rows)
    same = distances[:, 1:] == distances[:, :-1]
    assert (numbers[:, 1:][same] > numbers[:, :-1][same]).all()
    assert (distances[:, 1:] >= distances[:, :-1]).all()
    graph = there.transform(X[:10])
    assert graph.shape == (10, len(rows))
    assert graph.nnz == 50


def test_decision_values_are_those_of_the_cpu(card):
    model = _fitted("pairs", "cuda").set_params(decision_function_shape="ovo")
    there = model.decision_function(X)
    assert np.allclose(there, model.set_params(device="cpu").decision_function(X), atol=1e-10)


def test_the_model_is_an_ordinary_one(card, tmp_path):
    model = _fitted("pairs", "cuda")
    assert model.certify(X, y, weight).status.name == "CERTIFIED"
    save_model(tmp_path / "a.maxmargin", model)
    again = load_model(tmp_path / "a.maxmargin").value
    assert np.array_equal(again.predict(X), model.predict(X))


def test_two_fits_are_equal_to_the_last_bit(card):
    one, two = (_fitted("pairs", "cuda").dual_coef_ for _ in range(2))
    assert np.array_equal(one, two)


def test_limits_and_callbacks_hold(card):
    seen = []
    SVC(device="cuda", callback=seen.append).fit(X, y > 0)
    assert len(seen) > 0
    with pytest.warns(match="ITERATION|early"):
        model = SVC(device="cuda", max_iter=1).fit(X, y > 0)
    assert model.certificate_.status.name == "ITERATION_LIMIT"


def test_auto_takes_the_cpu_for_few_rows(card):
    auto, here = SVC(device="auto").fit(X, y), SVC().fit(X, y)
    assert np.array_equal(auto.dual_coef_, here.dual_coef_)


def test_a_tensor_is_rows_like_any_other(card):
    model = SVC(device="cuda").fit(torch.tensor(X), y)
    assert np.array_equal(model.predict(torch.tensor(X)), model.predict(X))


@pytest.mark.parametrize(
    ("parameters", "sentence"),
    [
        ({"device": "gpu"}, "must be 'cpu', 'cuda'"),
        ({"device": "cuda", "solver": "smo"}, "needs solver='working_set'"),
        ({"device": "cuda", "intercept": "none", "solver": "coordinate_ascent"}, "working_set"),
        ({"device": "cuda", "approximate": 20}, "fitted on the CPU"),
        ({"device": "cuda", "kernel": FromFunction(lambda a, b: float(a @ b))}, "FromFunction"),
    ],
)
def test_what_cannot_run_there_is_refused_in_a_sentence(parameters, sentence, card):
    with pytest.raises((ValueError, TypeError), match=sentence):
        SVC(**parameters).fit(X, y > 0)


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a card")
def test_no_card_is_an_error_and_never_a_fall_back():
    with pytest.raises(devices.NoCardError, match="device='cuda'"):
        SVC(device="cuda").fit(X, y)
    model = SVC().fit(X, y).set_params(device="cuda")
    with pytest.raises(devices.NoCardError, match="device='cuda'"):
        model.predict(X)


def test_a_full_card_names_the_setting(card, monkeypatch):
    def full(*_args, **_kwargs):
        raise torch.OutOfMemoryError("CUDA out of memory")

    monkeypatch.setattr(arrays, "tree_to_device", full)
    with pytest.raises(devices.CardMemoryError, match="cache_size"):
        SVC(device="cuda").fit(X, y)
