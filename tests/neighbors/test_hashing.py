"""Hashed neighbours against all pairs, and in scikit-learn's pipelines."""

import numpy as np
import pytest
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_digits, make_blobs
from sklearn.manifold import Isomap
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, KNeighborsTransformer
from sklearn.pipeline import make_pipeline

from maxmargin.inputs.parameters import ParameterError
from maxmargin.neighbors import LSHNeighborsTransformer
from maxmargin.storage import ModelFileError, load_model, save_model

X, y = make_blobs(600, n_features=20, centers=30, random_state=0)
ASKED = X[:50] + 0.1


def exact(**given):
    """With one bit and both of its buckets nothing is left out."""
    return LSHNeighborsTransformer(n_tables=1, n_bits=1, n_flips=1, random_state=0, **given)


def test_with_every_bucket_looked_into_the_neighbours_are_the_true_ones():
    model = exact(n_neighbors=7).fit(X)
    distances, indices = model.kneighbors(ASKED)
    all_pairs = cdist(ASKED, X)
    order = np.argsort(all_pairs, axis=1, kind="stable")[:, :7]
    np.testing.assert_array_equal(indices, order)
    np.testing.assert_allclose(distances, np.take_along_axis(all_pairs, order, axis=1), rtol=1e-12)
    assert model.recall(ASKED) == 1.0


def test_the_graph_is_that_of_scikit_learns_transformer():
    ours = exact(n_neighbors=4).fit(X)
    theirs = KNeighborsTransformer(n_neighbors=4, algorithm="kd_tree").fit(X)
    for rows in (X, ASKED):
        one, other = ours.transform(rows), theirs.transform(rows)
        assert one.shape == other.shape
        np.testing.assert_array_equal(one.indptr, other.indptr)
        np.testing.assert_allclose(one.data, other.data, atol=1e-9)
        np.testing.assert_array_equal(one.indices, other.indices)
    own = ours.fit_transform(X)
    np.testing.assert_array_equal(own.indices[own.indptr[:-1]], np.arange(len(X)))


@pytest.mark.parametrize("flips", [0, 2, 4])
def test_distances_are_true_and_only_some_neighbours_are_missed(flips):
    model = LSHNeighborsTransformer(5, n_flips=flips, random_state=0).fit(X)
    distances, indices = model.kneighbors(ASKED)
    np.testing.assert_allclose(
        distances, np.linalg.norm(X[indices] - ASKED[:, None], axis=2), rtol=1e-12
    )
    assert (np.diff(distances, axis=1) >= 0).all()
    assert all(len(set(line)) == 5 for line in indices.tolist())
    share = np.isin(distances.round(9), np.sort(cdist(ASKED, X), axis=1)[:, :5].round(9)).mean()
    assert model.recall(ASKED) == pytest.approx(share, abs=0.02)


def test_recall_rises_with_tables_and_with_buckets():
    X = np.random.default_rng(0).uniform(size=(2000, 30))
    asked = np.random.default_rng(1).uniform(size=(50, 30))
    shares = [
        LSHNeighborsTransformer(n_tables=t, n_flips=f, random_state=0).fit(X).recall(asked)
        for t, f in ((2, 0), (2, 4), (16, 4))
    ]
    assert shares[0] < shares[1] < shares[2] < 1.0  # in a cube no bucket is near


def test_a_question_whose_buckets_are_empty_asks_all_rows():
    model = LSHNeighborsTransformer(50, n_tables=1, n_bits=12, n_flips=0, random_state=0).fit(X)
    distances, _ = model.kneighbors(ASKED)
    np.testing.assert_allclose(distances, np.sort(cdist(ASKED, X), axis=1)[:, :50])


def test_equal_rows_are_all_found_in_their_order():
    rows = np.repeat([[0.0, 1.0], [5.0, 5.0]], 40, axis=0)
    distances, indices = LSHNeighborsTransformer(3, random_state=0).fit(rows).kneighbors(rows[:1])
    assert indices.tolist() == [[0, 1, 2]]
    assert distances.tolist() == [[0.0, 0.0, 0.0]]


def test_estimators_that_take_distances_take_it():
    A, b = load_digits(return_X_y=True)
    hashed = LSHNeighborsTransformer(10, random_state=0)
    vote = make_pipeline(hashed, KNeighborsClassifier(5, metric="precomputed"))
    plain = KNeighborsClassifier(5).fit(A[:1200], b[:1200]).score(A[1200:], b[1200:])
    assert abs(vote.fit(A[:1200], b[:1200]).score(A[1200:], b[1200:]) - plain) < 0.02
    mean = make_pipeline(clone(hashed), KNeighborsRegressor(5, metric="precomputed"))
    assert mean.fit(A[:1200], b[:1200]).score(A[1200:], b[1200:]) > 0.9
    many = clone(hashed).set_params(n_neighbors=30)
    plane = make_pipeline(many, Isomap(n_neighbors=30, metric="precomputed"))
    assert plane.fit_transform(A[:200]).shape == (200, 2)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_threads_and_model_files_change_no_bit(dtype, tmp_path):
    rows, asked = X.astype(dtype), ASKED.astype(dtype)
    one, two = (LSHNeighborsTransformer(random_state=0, n_jobs=n).fit(rows) for n in (1, 2))
    save_model(tmp_path / "model", one)
    stored = load_model(tmp_path / "model").value
    for other in (two, stored):
        for a, b in zip(one.kneighbors(asked), other.kneighbors(asked), strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize(
    ("given", "words"),
    [
        ({"n_bits": 21}, "at most 20, since a table has"),
        ({"n_bits": "few"}, "'n_bits' parameter"),
        ({"n_neighbors": 0}, "'n_neighbors' parameter"),
        ({"n_tables": 0}, "'n_tables' parameter"),
        ({"n_flips": -1}, "'n_flips' parameter"),
    ],
)
def test_parameters_out_of_range_are_refused(given, words):
    with pytest.raises(ParameterError, match=words):
        LSHNeighborsTransformer(**given).fit(X)


def test_more_neighbours_than_rows_are_refused():
    with pytest.raises(ValueError, match="n_neighbors <= n_samples_fit"):
        LSHNeighborsTransformer(5).fit(X[:5]).transform(X[:2])


def spoilt(model):
    """Copies of a model whose loops would read where nothing is."""
    n = model.n_samples_fit_
    yield {"_order": np.where(model._order == 3, n, model._order).astype(np.int32)}
    yield {"_order": model._order[:, :-1]}
    yield {"_order": model._order.astype(np.int64)}
    yield {"_starts": model._starts + 1}
    yield {"_starts": -model._starts}
    yield {"_starts": model._starts[:, :-1]}
    yield {"n_bits_": model.n_bits_ + 1}
    yield {"n_bits_": 1.5}
    yield {"_rows": model._rows[:-1]}
    yield {"_rows": model._rows[:, :-1]}
    yield {"_rows": model._rows.astype(str)}
    yield {"_directions": model._directions[:-1]}
    yield {"_thresholds": model._thresholds[:-1]}


@pytest.mark.parametrize("which", range(13))
def test_a_model_file_whose_tables_do_not_fit_is_refused(which, tmp_path):
    model = LSHNeighborsTransformer(random_state=0).fit(X)
    vars(model).update(list(spoilt(model))[which])
    save_model(tmp_path / "model", model)
    with pytest.raises(ModelFileError, match="tables"):
        load_model(tmp_path / "model")
