import dask.array as da
import numpy as np
import pytest

import maxmargin
from maxmargin import Status
from maxmargin.dask import LinearClassifier, LinearSVC, LinearSVR
from maxmargin.datasets import load_heart, load_mixture

X, y = load_heart(return_X_y=True)
X = (X - X.mean(axis=0)) / X.std(axis=0)
M, z = load_mixture(return_X_y=True)
rng = np.random.default_rng(7)
many = np.digitize(M[:, 0] + 0.3 * rng.normal(size=len(M)), [0.0, 1.0])
number = M @ [1.0, -2.0] + rng.normal(size=len(M))

CASES = [
    (LinearSVC, X, y, {"C": 0.1}),
    (LinearSVC, X, y, {"C": 0.01, "loss": "hinge"}),
    (LinearSVC, M, many, {"class_weight": "balanced"}),
    (LinearClassifier, M, z, {"penalty": None}),
    (LinearSVR, M, number, {"epsilon": 0.5, "C": 0.1}),
    (LinearSVR, M, number, {"loss": "squared_epsilon_insensitive", "intercept": "free"}),
]
NAMES = [f"{case[0].__name__}-{number}" for number, case in enumerate(CASES)]


@pytest.mark.parametrize("pieces", [1, 7, pytest.param(100, marks=pytest.mark.sweep)])
@pytest.mark.parametrize(("kind", "rows", "target", "params"), CASES, ids=NAMES)
def test_the_optimum_is_the_local_one(
    client, cut_up, nothing_left, kind, rows, target, params, pieces
):
    order = np.random.default_rng(pieces).permutation(len(rows))
    model = kind(tol=1e-10, **params).fit(*cut_up(rows[order], target[order], pieces=pieces))
    local = kind.local(tol=1e-10, **params).fit(rows, target)
    assert model.certificate_.status is Status.CERTIFIED
    for ours, its in zip(model.certificates_, local.certificates_, strict=True):
        assert ours.primal == pytest.approx(its.primal, rel=1e-8)
    near = 1e-5 if "loss" in params and params["loss"] == "hinge" else 1e-7  # root of the gap
    assert model.coef_ == pytest.approx(local.coef_, rel=near, abs=near)
    assert np.asarray(model.intercept_) == pytest.approx(local.intercept_, rel=near, abs=near)


def test_weights_are_those_of_the_local_fit_and_rows_of_weight_zero_are_left_out(client, cut_up):
    weight = np.random.default_rng(1).integers(0, 3, len(X)).astype(float)
    model = LinearSVC(C=0.1, tol=1e-9).fit(*cut_up(X, y, weight, pieces=4))
    local = maxmargin.LinearSVC(C=0.1, tol=1e-9).fit(X, y, weight)
    assert model.coef_ == pytest.approx(local.coef_, abs=1e-7)


def test_two_fits_have_the_same_bits(client, cut_up):
    first, second = (LinearSVC().fit(*cut_up(X, y, pieces=5)) for _ in range(2))
    assert first.coef_.tobytes() == second.coef_.tobytes()


def test_a_large_fit_begins_with_a_sample_and_ends_at_the_same_optimum(client):
    rows = np.random.default_rng(3).normal(size=(15_000, 5))
    label = (rows @ np.arange(5) + np.random.default_rng(4).normal(size=15_000) > 0).astype(int)
    arrays = da.from_array(rows, chunks=(4_000, 5)), da.from_array(label, chunks=4_000)
    model = LinearSVC(C=1e-3, tol=1e-9).fit(*arrays)
    local = maxmargin.LinearSVC(C=1e-3, tol=1e-9).fit(rows, label)
    assert model.certificate_.primal == pytest.approx(local.certificate_.primal, rel=1e-8)
    assert model.n_iter_ <= local.n_iter_ + 3


def test_answers_for_collections_are_lazy_and_for_arrays_immediate(client, cut_up):
    rows, target = cut_up(M, z, pieces=6)
    model = LinearClassifier().fit(rows, target)
    for method in ("predict", "predict_proba", "decision_function"):
        lazily = getattr(model, method)(rows)
        assert isinstance(lazily, da.Array)
        assert np.array_equal(lazily.compute(), getattr(model, method)(M))
    assert model.score(M, z) > 0.6


def test_the_local_model_is_an_ordinary_one_with_the_same_answers(client, cut_up):
    model = LinearSVC(C=0.5, client=client).fit(*cut_up(X, y, pieces=3))
    local = model.to_local()
    assert type(local) is maxmargin.LinearSVC
    assert "client" not in local.get_params()
    assert np.array_equal(local.decision_function(X), model.decision_function(X))


def test_parameters_are_those_of_the_local_class_and_a_client():
    ours, local = LinearSVC().get_params(), maxmargin.LinearSVC().get_params()
    assert ours == local | {"client": None}


def test_what_sums_cannot_solve_is_refused(client, cut_up):
    arrays = cut_up(X, y, pieces=2)
    with pytest.raises(ValueError, match="need a loss with a curvature and the penalty 'l2'"):
        LinearClassifier(penalty="l1").fit(*arrays)
    with pytest.raises(ValueError, match="crammer_singer"):
        LinearSVC(multi_class="crammer_singer").fit(*arrays)
