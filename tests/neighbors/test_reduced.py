import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin.datasets import load_mixture, make_overlapping
from maxmargin.neighbors import CondensedNeighbors, EditedNeighbors

MIXTURE = load_mixture(return_X_y=True)
LATTICE = np.random.default_rng(1).integers(0, 5, size=(80, 2)).astype(float)
SIDES = (LATTICE.sum(axis=1) > 4).astype(int)


def hart(X, y, order):
    """Hart's passes, row by row, as he writes them; a tie is an error."""
    store, grew = [order[0]], True
    while grew:
        grew = False
        for i in order:
            distances = np.linalg.norm(X[store] - X[i], axis=1)
            labels = y[store][distances <= distances.min() + 1e-12]
            if i not in store and (labels != y[i]).any():
                store.append(i)
                grew = True
    return store


@pytest.mark.parametrize("data", [MIXTURE, (LATTICE, SIDES)], ids=["mixture", "lattice"])
def test_the_store_is_that_of_harts_passes(data):
    X, y = data
    model = CondensedNeighbors().fit(X, y)
    assert model.condensed_indices_.tolist() == hart(X, y, range(len(X)))
    order = np.random.RandomState(3).permutation(len(X))
    model.set_params(shuffle=True, random_state=3).fit(X, y)
    assert model.condensed_indices_.tolist() == hart(X, y, order)


@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("method", ["hart", "voronoi"])
def test_every_training_row_is_right_however_ties_are_broken(method, algorithm):
    for X, y in (MIXTURE, (LATTICE, SIDES), make_overlapping(300, random_state=0)):
        model = CondensedNeighbors(method=method, algorithm=algorithm).fit(X, y)
        assert model.contradicted_indices_.size == 0
        assert model.n_kept_ < len(X)
        np.testing.assert_array_equal(model.predict(X), y)


@pytest.mark.parametrize("algorithm", ["auto", "brute"])
def test_far_from_the_origin_as_few_rows_are_kept(algorithm):
    X, y = LATTICE / 4.0, SIDES
    near = CondensedNeighbors(algorithm=algorithm).fit(X, y)
    far = CondensedNeighbors(algorithm=algorithm).fit(X + 2.0**27, y)
    np.testing.assert_array_equal(far.condensed_indices_, near.condensed_indices_)
    np.testing.assert_array_equal(far.predict(X + 2.0**27), y)
    np.testing.assert_array_equal(far.predict(sparse.csr_array(X + 2.0**27)), y)


def test_a_row_far_away_makes_no_tree_unsure():
    X, y = np.vstack([LATTICE, [[1e9, 0.0]]]), np.append(SIDES, 1)
    model = CondensedNeighbors(algorithm="kd_tree").fit(X, y)
    assert model.n_kept_ <= CondensedNeighbors().fit(LATTICE, SIDES).n_kept_ + 1
    assert model.estimator_.algorithm == "kd_tree"
    np.testing.assert_array_equal(model.predict(X), y)


def test_equal_rows_count_for_their_most_frequent_label():
    X = np.array([[0.0], [0.0], [0.0], [1.0], [1.0], [5.0]])
    y = np.array(["b", "a", "b", "b", "a", "a"])
    for rows in (X, sparse.csr_array(X)):
        model = CondensedNeighbors().fit(rows, y)
        # two of three say b at 0; one says a and one b at 1, where a is the first class
        assert model.contradicted_indices_.tolist() == [1, 3]
        assert model.predict(rows).tolist() == ["b", "b", "b", "a", "a", "a"]


def test_voronoi_condensing_changes_no_prediction_anywhere():
    X, y = MIXTURE
    model = CondensedNeighbors(method="voronoi").fit(X, y)
    whole, points = (
        KNeighborsClassifier(1).fit(X, y),
        np.random.default_rng(0).normal(0, 9, (4000, 2)),
    )
    np.testing.assert_array_equal(model.predict(points), whole.predict(points))
    line = np.column_stack([np.arange(9.0), 2 * np.arange(9.0)])
    assert CondensedNeighbors(method="voronoi").fit(line, np.arange(9) > 3).n_kept_ == 2


def test_voronoi_condensing_is_refused_in_a_sentence_where_it_would_not_end():
    with pytest.raises(ValueError, match="at most 6 columns; use method='hart'"):
        CondensedNeighbors(method="voronoi").fit(np.eye(8), np.arange(8) % 2)
    many = np.random.default_rng(0).normal(size=(4000, 6))
    with pytest.raises(ValueError, match="at most 3,084 rows of 6 columns, and there are 4,000"):
        CondensedNeighbors(method="voronoi").fit(many, np.arange(4000) % 2)


def test_editing_drops_what_leave_one_out_gets_wrong():
    X, y = MIXTURE
    right = [
        KNeighborsClassifier(3).fit(np.delete(X, i, 0), np.delete(y, i)).predict(X[[i]])[0] == y[i]
        for i in range(len(X))
    ]
    model = EditedNeighbors().fit(X, y)
    np.testing.assert_array_equal(model.edited_indices_, np.flatnonzero(right))
    assert model.n_passes_ == 1
    one = KNeighborsClassifier(1).fit(X[right], y[right])
    np.testing.assert_array_equal(model.predict(X), one.predict(X))


def test_repeated_editing_ends_where_everybody_agrees():
    X, y = MIXTURE
    once, often = (EditedNeighbors(repeat=r).fit(X, y) for r in (False, True))
    assert often.n_passes_ > 1
    assert often.n_kept_ < once.n_kept_
    assert EditedNeighbors().fit(*often.fit_resample(X, y)).n_kept_ == often.n_kept_


def test_a_class_may_vanish_and_all_rows_may_not():
    X = np.array([[0.0], [0.1], [0.2], [0.3], [9.0]])
    model = EditedNeighbors().fit(X, list("aaaab"))
    assert model.classes_.tolist() == ["a", "b"]
    assert set(model.predict(X)) == {"a"}
    with pytest.raises(ValueError, match="No row is left"):
        EditedNeighbors(1).fit([[0.0], [1.0], [5.0], [6.0]], [0, 1, 0, 1])
    with pytest.raises(ValueError, match="2 rows are too few for 3 neighbours"):
        EditedNeighbors().fit([[0.0], [1.0]], [0, 1])


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_rows_kept_come_back_in_their_container(frame):
    X, y = MIXTURE
    expected = EditedNeighbors().fit(X, y).edited_indices_
    table = frame({"a": X[:, 0], "b": X[:, 1]})
    rows, labels = EditedNeighbors().fit_resample(table, y)
    assert type(rows) is frame
    np.testing.assert_array_equal(rows.to_numpy(), X[expected])
    np.testing.assert_array_equal(labels, y[expected])
    listed, _ = EditedNeighbors().fit_resample(X.tolist(), list(y))
    np.testing.assert_array_equal(listed, X[expected])


def test_other_metrics_and_pipelines():
    X, y = MIXTURE
    for metric in ("manhattan", "chebyshev"):
        model = make_pipeline(StandardScaler(), CondensedNeighbors(metric=metric)).fit(X, y)
        assert model.score(X, y) == 1.0
