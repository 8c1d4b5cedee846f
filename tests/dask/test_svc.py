import dask.array as da
import numpy as np
import pytest

import maxmargin
from maxmargin import Status, datasets
from maxmargin.dask import SVC
from maxmargin.kernels import Laplacian

rng = np.random.default_rng(11)
HEART, disease = datasets.load_heart(return_X_y=True)
HEART = (HEART - HEART.mean(axis=0)) / HEART.std(axis=0)
RINGS = rng.normal(size=(2600, 3))
inside = ((RINGS**2).sum(axis=1) + 0.5 * rng.normal(size=2600) > 2.5).astype(int)

CASES = [
    (HEART, disease, {}),
    (HEART, disease, {"kernel": "linear", "C": 0.1}),
    (RINGS, inside, {"C": 10.0, "class_weight": "balanced"}),
    (RINGS[:700], inside[:700], {"kernel": Laplacian(0.5)}),
]


@pytest.mark.parametrize("pieces", [7, pytest.param(100, marks=pytest.mark.sweep)])
@pytest.mark.parametrize(("X", "y", "params"), CASES)
def test_the_dual_value_is_the_local_one_and_certified(
    client, cut_up, nothing_left, X, y, params, pieces
):
    order = np.random.default_rng(pieces).permutation(len(X))
    model = SVC(tol=1e-5, **params).fit(*cut_up(X[order], y[order], pieces=pieces))
    local = maxmargin.SVC(tol=1e-5, **params).fit(X, y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.certificate_.dual == pytest.approx(local.certificate_.dual, rel=1e-6)
    assert model.decision_function(X) == pytest.approx(local.decision_function(X), abs=1e-3)


def test_the_local_machine_is_judged_again_from_the_data(client, cut_up):
    rows, label = cut_up(RINGS, inside, pieces=4)
    model = SVC(C=2.0).fit(rows, label)
    local = model.to_local()
    assert type(local) is maxmargin.SVC
    assert local.certify(RINGS, inside).status is Status.CERTIFIED
    assert np.array_equal(model.predict(rows).compute(), local.predict(RINGS))
    assert np.array_equal(local.support_vectors_, RINGS[local.support_])


def test_rows_of_weight_zero_have_no_part(client, cut_up):
    weight = np.where(np.arange(len(HEART)) < 200, 1.5, 0.0)
    model = SVC(tol=1e-6).fit(*cut_up(HEART, disease, weight, pieces=3))
    local = maxmargin.SVC(tol=1e-6, C=1.5, gamma=model.to_local()._gamma)
    local.fit(HEART[:200], disease[:200])
    assert model.certificate_.dual == pytest.approx(local.certificate_.dual, rel=1e-6)


def test_what_a_cluster_does_not_solve_is_said(client, cut_up):
    rows, label = cut_up(HEART, disease, pieces=2)
    with pytest.raises(ValueError, match="kernels of vectors with a free bias; kernel='precomp"):
        SVC(kernel="precomputed").fit(rows, label)
    with pytest.raises(ValueError, match="separates two classes, and y has 3"):
        SVC().fit(rows, da.arange(len(HEART), chunks=rows.chunks[0]) % 3)
