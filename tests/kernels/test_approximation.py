"""Approximate features: against scikit-learn's, and against the kernels they stand for."""

import numpy as np
import pandas as pd
import pytest
from scipy import sparse
from sklearn import kernel_approximation
from sklearn.base import clone
from sklearn.utils.estimator_checks import estimator_checks_generator

from maxmargin.kernels import (
    RBF,
    Categorical,
    FourierFeatures,
    FromFunction,
    Laplacian,
    Nystroem,
    Polynomial,
)

RNG = np.random.default_rng(0)
X = RNG.normal(size=(300, 4))
LANDMARKS = ["uniform", "kmeans++", "leverage"]
ELSEWHERE = "check_array_api_input"  # needs an environment variable before SciPy is imported


def checks():
    for model in (Nystroem(n_components=2), FourierFeatures(n_components=2)):
        for each, check in estimator_checks_generator(model):
            name = getattr(check, "func", check).__name__
            if name != ELSEWHERE:
                yield pytest.param(each, check, id=f"{type(each).__name__}-{name}")


@pytest.mark.filterwarnings("ignore:n_components > n_samples")
@pytest.mark.filterwarnings("ignore:Can't check dok sparse matrix")
@pytest.mark.parametrize(("estimator", "check"), list(checks()))
def test_check(estimator, check):
    check(estimator)


@pytest.mark.parametrize(
    "params",
    [
        {},
        {"kernel": "polynomial", "degree": 2, "gamma": 0.3},
        {"kernel": "laplacian", "gamma": 0.2},
        {"kernel": "cosine", "n_components": 3},
    ],
)
def test_nystroem_is_that_of_scikit_learn(params):
    common = {"n_components": 30, "random_state": 3} | params
    ours = Nystroem(**common).fit(X)
    theirs = kernel_approximation.Nystroem(**common).fit(X)
    np.testing.assert_array_equal(ours.component_indices_, theirs.component_indices_)
    np.testing.assert_array_equal(ours.components_, theirs.components_)
    Z, peer = ours.transform(X), theirs.transform(X)
    np.testing.assert_allclose(Z @ Z.T, peer @ peer.T, atol=1e-6)
    np.testing.assert_array_equal(ours.get_feature_names_out(), theirs.get_feature_names_out())


@pytest.mark.parametrize("landmarks", LANDMARKS)
def test_landmarks_are_exact_and_all_rows_are_all_of_the_kernel(landmarks):
    kernel = RBF(0.3)
    model = Nystroem(kernel, n_components=60, landmarks=landmarks, random_state=0).fit(X)
    Z, some = model.transform(X), model.component_indices_
    assert len(np.unique(some)) == 60
    np.testing.assert_allclose(Z @ Z[some].T, kernel(X, X[some]), atol=1e-6)
    left = np.linalg.eigvalsh(kernel(X) - Z @ Z.T)
    assert left.min() > -1e-7  # a projection leaves something positive semidefinite
    exact = Nystroem(kernel, n_components=90, landmarks=landmarks).fit_transform(X[:90])
    np.testing.assert_allclose(exact @ exact.T, kernel(X[:90]), atol=1e-6)


def test_chosen_landmarks_tell_more_of_uneven_rows_than_uniform_ones():
    rows = np.concatenate([0.05 * RNG.normal(size=(950, 2)), 4 * RNG.normal(size=(50, 2))])
    kernel, left = RBF(0.5), {}
    for landmarks in LANDMARKS:
        Z = Nystroem(kernel, n_components=50, landmarks=landmarks, random_state=0).fit_transform(
            rows
        )
        left[landmarks] = len(rows) - np.square(Z).sum()
    assert max(left["kmeans++"], left["leverage"]) < 0.5 * left["uniform"]


def test_leverage_scores_choose_no_worse_than_chance():
    random = np.random.default_rng(1)
    sets = [
        (random.integers(0, 3, size=(2000, 3)).astype(float), 1.0, 60),  # 27 different rows
        (random.normal(size=(1000, 4)), 0.2, 80),
        (random.uniform(size=(1000, 1)), 1000.0, 20),
        (
            np.concatenate([random.normal(size=(990, 2)), random.normal(8, 1, size=(10, 2))]),
            0.5,
            40,
        ),
    ]
    for rows, gamma, m in sets:
        left = {}
        for landmarks in ("uniform", "leverage"):
            models = [Nystroem(RBF(gamma), n_components=m, landmarks=landmarks, random_state=seed)
                      for seed in range(8)]  # fmt: skip
            features = [model.fit_transform(rows) for model in models]
            left[landmarks] = np.mean([len(rows) - np.square(Z).sum() for Z in features])
        assert left["leverage"] <= left["uniform"]


def test_any_form_of_the_rows_gives_the_same_features():
    model = Nystroem("rbf", gamma=0.3, n_components=20, random_state=1)
    fourier = FourierFeatures(gamma=0.3, n_components=40, random_state=1)
    for each in (model, fourier):
        Z = clone(each).fit_transform(X)
        rows = sparse.csr_matrix(X)
        np.testing.assert_allclose(clone(each).fit_transform(rows), Z, atol=1e-6)
        single = clone(each).fit_transform(X.astype(np.float32))
        assert single.dtype == np.float32
        assert np.abs(single @ single.T - Z @ Z.T).max() < 2e-3
        np.testing.assert_array_equal(clone(each).set_params(n_jobs=1).fit_transform(X), Z)
    far = clone(model).fit_transform(X + 1e6)
    Z = model.fit_transform(X)
    np.testing.assert_allclose(far @ far.T, Z @ Z.T, atol=1e-4)


def test_rounding_of_single_precision_is_not_multiplied():
    rows = np.repeat(X[:8], 10, axis=0)  # most eigenvalues of the landmarks are rounding
    model = Nystroem(RBF(0.5), n_components=40, random_state=0).fit(rows.astype(np.float32))
    Z = model.transform(rows.astype(np.float32))
    assert Z.dtype == np.float32
    np.testing.assert_allclose(Z @ Z.T, RBF(0.5)(rows), atol=2e-3)


def test_kernels_on_items_have_features_too():
    def common(a, b):
        return float(len(set(a) & set(b)))

    words = ["night", "light", "sight", "sun", "moon", "noon"]
    Z = Nystroem(FromFunction(common, psd=True), n_components=6).fit_transform(words)
    wanted = [[common(a, b) for b in words] for a in words]
    np.testing.assert_allclose(Z @ Z.T, wanted, atol=1e-6)
    model = Nystroem(lambda x, y, p: (x @ y + 1) ** p, kernel_params={"p": 2}, n_components=40)
    Z = model.fit_transform(X[:40])
    np.testing.assert_allclose(Z @ Z.T, Polynomial(2, 1.0, 1.0)(X[:40]), atol=1e-5)


def test_columns_of_a_table_are_known_by_their_names():
    table = pd.DataFrame({"age": [1.0, 2, 3, 4], "thal": [1, 2, 1, 2]})
    mixed = RBF(0.5).restrict(["age"]) + Categorical().restrict(["thal"])
    model = Nystroem(mixed, n_components=4, random_state=0).fit(table)
    assert model.feature_names_in_.tolist() == ["age", "thal"]
    Z = model.transform(table)
    np.testing.assert_array_equal(model.transform(table[["thal", "age"]]), Z)
    np.testing.assert_allclose(Z @ Z.T, mixed(table), atol=1e-6)
    with pytest.raises(ValueError, match="thal"):
        model.transform(table[["age"]])
    noted = table.assign(note=list("abcd"))  # at which the kernel does not look
    part = Nystroem(RBF("scale").restrict("age"), n_components=4).fit(noted)
    Z = part.transform(noted)
    np.testing.assert_allclose(Z @ Z.T, RBF("scale")(table[["age"]]), atol=1e-6)


@pytest.mark.parametrize(("name", "kernel"), [("rbf", RBF(0.3)), ("laplacian", Laplacian(0.3))])
def test_fourier_features_have_the_kernel_as_their_mean(name, kernel):
    common = {"n_components": 20_000, "random_state": 0}
    Z = FourierFeatures(name, gamma=0.3, **common).fit_transform(X)
    np.testing.assert_array_equal(FourierFeatures(kernel, **common).fit_transform(X), Z)
    off = Z @ Z.T - kernel(X)
    assert np.abs(off).max() < 6 / np.sqrt(20_000)
    assert abs(off.mean()) < 2 / np.sqrt(20_000)


def test_refusals():
    for params, said in (
        ({"kernel": "precomputed"}, "'kernel' parameter of Nystroem"),
        ({"n_components": 0}, "'n_components' parameter of Nystroem"),
        ({"landmarks": "best"}, "'landmarks' parameter of Nystroem"),
        ({"kernel_params": 3}, "'kernel_params' parameter of Nystroem"),
    ):
        with pytest.raises(ValueError, match=said):
            Nystroem(**params).fit(X)
    with pytest.raises(ValueError, match="'kernel' parameter of FourierFeatures"):
        FourierFeatures(kernel="poly").fit(X)
    with pytest.raises(ValueError, match="'rbf', 'laplacian', an RBF or Laplacian"):
        FourierFeatures(Polynomial(2)).fit(X)
    with pytest.warns(UserWarning, match="n_components was set to 300"):
        assert Nystroem(n_components=500).fit(X).transform(X).shape == (300, 300)
