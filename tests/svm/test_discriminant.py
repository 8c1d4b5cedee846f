"""Discriminant analysis with kernels: against scikit-learn's, and against its definition."""

import numpy as np
import pytest
from scipy.linalg import eigh
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis

from maxmargin import KernelDiscriminant
from maxmargin.kernels import RBF, FromFunction, Polynomial

RNG = np.random.default_rng(0)
X = RNG.normal(size=(90, 3)) + np.repeat([[0, 0, 0], [2, 1, 0], [0, 2, 2]], 30, axis=0)
Y = np.repeat(["a", "b", "c"], 30)
WEIGHT = RNG.integers(0, 3, size=90)


def test_the_linear_kernel_gives_linear_discriminant_analysis():
    peer = LinearDiscriminantAnalysis(solver="eigen").fit(X, Y)
    model = KernelDiscriminant(kernel="linear", regularization=1e-9).fit(X, Y)
    np.testing.assert_allclose(model.predict_proba(X), peer.predict_proba(X), atol=1e-5)
    np.testing.assert_array_equal(model.predict(X), peer.predict(X))
    ours, theirs = model.transform(X), peer.transform(X)
    theirs = theirs - theirs.mean(axis=0)
    cosines = (ours * theirs).sum(axis=0) / np.linalg.norm(ours, axis=0)
    np.testing.assert_allclose(np.abs(cosines), np.linalg.norm(theirs, axis=0), rtol=1e-6)
    skewed = KernelDiscriminant(kernel="linear", regularization=1e-9, priors=[8, 1, 1]).fit(X, Y)
    moved = model.predict_proba(X) * [2.4, 0.3, 0.3]
    np.testing.assert_allclose(
        skewed.predict_proba(X), moved / moved.sum(axis=1, keepdims=True), atol=1e-9
    )


def test_axes_are_those_of_the_definition_on_written_out_features():
    kernel, share = Polynomial(degree=2, gamma=0.3, coef0=1.0), 0.02
    model = KernelDiscriminant(kernel=kernel, regularization=share)
    model.fit(X, Y, sample_weight=WEIGHT)
    phi, label = kernel.features(X).repeat(WEIGHT, axis=0), Y.repeat(WEIGHT)
    mean = phi.mean(axis=0)
    between = within = 0.0
    for c in "abc":
        part = phi[label == c]
        off = part.mean(axis=0) - mean
        between = between + len(part) * np.outer(off, off)
        within = within + (part - part.mean(axis=0)).T @ (part - part.mean(axis=0))
    ridge = share * np.trace(within) * np.eye(len(mean))
    quotients, axes = eigh(between, within + ridge)
    np.testing.assert_allclose(model.quotients_, quotients[::-1][:2], rtol=1e-8)
    Z = (kernel.features(X) - mean) @ axes[:, ::-1][:, :2]
    ours = model.transform(X)
    np.testing.assert_allclose(ours * np.sign((ours * Z).sum(axis=0)), Z, atol=1e-9)
    again = KernelDiscriminant(kernel=kernel, regularization=share)
    again.fit(X.repeat(WEIGHT, axis=0), label)
    np.testing.assert_allclose(again.predict_proba(X), model.predict_proba(X), atol=1e-8)


def test_rings_are_told_apart_along_one_axis():
    angle, radius = RNG.uniform(0, 2 * np.pi, 200), np.repeat([1.0, 3.0], 100)
    rows = np.column_stack([radius * np.cos(angle), radius * np.sin(angle)])
    rows += 0.2 * RNG.normal(size=rows.shape)
    model = KernelDiscriminant(gamma=0.5).fit(rows[::2], radius[::2])
    assert model.score(rows[1::2], radius[1::2]) == 1.0
    assert model.transform(rows).shape == (200, 1)
    assert model.get_feature_names_out().tolist() == ["kerneldiscriminant0"]
    values = model.decision_function(rows)
    np.testing.assert_array_equal(model.classes_[(values > 0).astype(int)], model.predict(rows))


def test_items_matrices_and_fewer_axes():
    K = RBF(0.4)(X)
    model = KernelDiscriminant(kernel=RBF(0.4), n_components=1).fit(X, Y)
    given = KernelDiscriminant(kernel="precomputed").fit(K, Y)
    np.testing.assert_allclose(given.predict_proba(K), model.predict_proba(X), atol=1e-7)
    assert model.transform(X).shape == (90, 1)
    assert model.explained_variance_ratio_.sum() == pytest.approx(1.0)

    def common(a, b):
        return float(len(set(a) & set(b)))

    words, kinds = ["night", "light", "sight", "sun", "moon", "noon"], [1, 1, 1, 0, 0, 0]
    read = KernelDiscriminant(kernel=FromFunction(common, psd=True)).fit(words, kinds)
    assert read.predict(["fight", "soon"]).tolist() == [1, 0]


def test_refusals():
    with pytest.raises(ValueError, match="not positive semidefinite on these rows"):
        KernelDiscriminant(kernel="precomputed").fit(1 - np.eye(90), Y)
    with pytest.raises(ValueError, match="'priors' parameter of KernelDiscriminant must be 3"):
        KernelDiscriminant(priors=[1.0]).fit(X, Y)
    with pytest.raises(ValueError, match="'regularization' parameter"):
        KernelDiscriminant(regularization=0.0).fit(X, Y)


def test_rows_all_alike_leave_the_priors():
    model = KernelDiscriminant().fit(np.ones((90, 2)), Y, sample_weight=1 + (Y == "b"))
    assert model.transform(X[:2, :2]).shape == (2, 0)
    assert model.predict(X[:2, :2]).tolist() == ["b", "b"]
    np.testing.assert_allclose(model.predict_proba(X[:1, :2]), [[0.25, 0.5, 0.25]])


def test_limits_are_said_before_the_matrix_is_evaluated():
    with pytest.raises(ValueError, match="needs 0 MB for the kernel matrix of 90 rows"):
        KernelDiscriminant(cache_size=0.1).fit(X, Y)
    rows = np.zeros((30_000, 1))
    with pytest.raises(ValueError, match="needs 27,466 MB for the kernel matrix of 30000 rows"):
        KernelDiscriminant().fit(rows, np.arange(30_000) % 2)
    with pytest.raises(ValueError, match="'priors' parameter of KernelDiscriminant"):
        KernelDiscriminant(priors=[1, 1, np.inf]).fit(X, Y)
