import numpy as np
import pytest
from scipy import sparse
from sklearn.metrics import pairwise_distances
from sklearn.model_selection import GridSearchCV, LeaveOneOut
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor, NearestNeighbors

from maxmargin.datasets import load_mixture
from maxmargin.neighbors import (
    EditedNeighbors,
    KNeighborsClassifierCV,
    KNeighborsRegressorCV,
)
from maxmargin.neighbors import table as table_module
from maxmargin.neighbors.table import leave_one_out_table
from maxmargin.neighbors.vote import weigh

RNG = np.random.default_rng(0)
LATTICE = RNG.integers(0, 4, size=(60, 2)).astype(float)  # full of equal rows and distances
CONTINUOUS = RNG.normal(size=(24, 3))
CLASSES = np.array(["b", "a", "c"])


def by_sorting(X, k, metric="euclidean"):
    """Each row's k nearest others: the slow obvious way."""
    D = pairwise_distances(X, metric=metric)
    np.fill_diagonal(D, np.inf)
    return np.argsort(D, axis=1, kind="stable")[:, :k]


@pytest.mark.parametrize("metric", ["euclidean", "manhattan", "chebyshev"])
@pytest.mark.parametrize("algorithm", ["brute", "kd_tree", "ball_tree"])
@pytest.mark.parametrize("k", [1, 7, 58, 59])
def test_the_table_is_that_of_sorting_all_rows_whatever_the_search(metric, algorithm, k):
    for X in (LATTICE, np.repeat(LATTICE[:20], 3, axis=0)):
        search = NearestNeighbors(metric=metric, algorithm=algorithm).fit(X)
        table = leave_one_out_table(search, X, k)
        np.testing.assert_array_equal(table.indices, by_sorting(X, k, metric))


def test_far_from_the_origin_the_table_is_right_where_products_round():
    X = LATTICE + 1e8
    table = leave_one_out_table(NearestNeighbors(algorithm="brute").fit(X), X, 7)
    np.testing.assert_array_equal(table.indices, by_sorting(LATTICE, 7))


@pytest.mark.parametrize("algorithm", ["kd_tree", "brute"])
def test_far_from_the_origin_no_search_looks_at_all_rows(algorithm, monkeypatch):
    looked = []
    as_near = table_module._Ruler.as_near

    def spy(self, rows, limits):
        looked.extend(rows)
        return as_near(self, rows, limits)

    monkeypatch.setattr(table_module._Ruler, "as_near", spy)
    X = RNG.normal(size=(200, 3)) + 1e8
    table = leave_one_out_table(NearestNeighbors(algorithm=algorithm).fit(X), X, 5)
    np.testing.assert_array_equal(table.indices, by_sorting(X - 1e8, 5))
    assert len(looked) < 10


def test_a_narrow_table_is_part_of_a_wide_one():
    wide = leave_one_out_table(NearestNeighbors().fit(LATTICE), LATTICE, 40)
    for k in (1, 2, 3, 11, 25):
        narrow = leave_one_out_table(NearestNeighbors().fit(LATTICE), LATTICE, k)
        np.testing.assert_array_equal(narrow.indices, wide.indices[:, :k])


def of_stable_loop(kind, X, y, ks, scoring):
    """Loop over k and over rows left out; distances that scikit-learn cannot order are given."""
    D, scores = pairwise_distances(X), []
    for k in ks:
        said = []
        for i in range(len(X)):
            others = np.delete(np.arange(len(X)), i)
            first = others[np.argsort(D[i, others], kind="stable")[:k]]
            model = kind.set_params(n_neighbors=k).fit(X[first], y[first])
            said.append(scoring(model.predict(X[i : i + 1])[0], y[i]))
        scores.append(np.mean(said))
    return np.array(scores)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_scores_are_those_of_the_loop_over_k_with_leave_one_out(weights):
    y = CLASSES[np.digitize(CONTINUOUS[:, 0] + 0.7 * RNG.normal(size=24), [-0.5, 0.5])]
    ours = KNeighborsClassifierCV(9, weights=weights).fit(CONTINUOUS, y)
    grid = {"n_neighbors": list(range(1, 10))}
    loop = GridSearchCV(
        KNeighborsClassifier(weights=weights, algorithm="kd_tree"), grid, cv=LeaveOneOut()
    )
    loop.fit(CONTINUOUS, y)
    for name in ("mean_test_score", "std_test_score", "rank_test_score"):
        np.testing.assert_allclose(ours.cv_results_[name], loop.cv_results_[name], atol=1e-12)
    assert ours.best_params_ == loop.best_params_
    np.testing.assert_array_equal(ours.predict(CONTINUOUS), loop.predict(CONTINUOUS))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_numbers_too(weights):
    y = CONTINUOUS[:, 0] + 0.3 * RNG.normal(size=24)
    ours = KNeighborsRegressorCV([1, 2, 5, 12], weights=weights).fit(CONTINUOUS, y)
    loop = GridSearchCV(
        KNeighborsRegressor(weights=weights, algorithm="kd_tree"),
        {"n_neighbors": [1, 2, 5, 12]},
        cv=LeaveOneOut(),
        scoring="neg_mean_squared_error",
    ).fit(CONTINUOUS, y)
    found, expected = ours.cv_results_["mean_test_score"], loop.cv_results_["mean_test_score"]
    np.testing.assert_allclose(found, expected, rtol=1e-12)
    assert ours.best_params_ == loop.best_params_


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_duplicates_and_ties_are_as_in_the_loop(weights):
    """Four classes on a lattice: most votes and most distances are equal to others."""
    X, y, ks = LATTICE[:30], RNG.integers(0, 4, size=30), [1, 2, 4, 7]
    ours = KNeighborsClassifierCV(ks, weights=weights).fit(X, y)
    machine = KNeighborsClassifier(weights=weights, algorithm="kd_tree")
    loop = of_stable_loop(machine, X, y, ks, lambda said, true: said == true)
    np.testing.assert_allclose(ours.cv_results_["mean_test_score"], loop, atol=1e-12)
    numbers = KNeighborsRegressorCV(ks, weights=weights).fit(X, y)
    machine = KNeighborsRegressor(weights=weights, algorithm="kd_tree")
    loop = of_stable_loop(machine, X, y, ks, lambda said, true: -((said - true) ** 2))
    np.testing.assert_allclose(numbers.cv_results_["mean_test_score"], loop, rtol=1e-12)


def test_a_row_too_near_to_divide_by_counts_alone():
    X, y = [[0.0], [1e-310], [1.0]], [0.0, 1.0, 2.0]
    model = KNeighborsRegressorCV(2, weights="distance", p=1, algorithm="brute").fit(X, y)
    # the two near rows see only each other, and the third both alike
    np.testing.assert_allclose(model.cv_results_["mean_test_score"], [-2.0, -(2 + 1.5**2) / 3])
    near = weigh(np.array([[1e-308, 1e-308, 2e-308]]), "distance")  # 1 / distance, in some unit
    np.testing.assert_allclose(near / near.sum(), [[0.4, 0.4, 0.2]])


def test_equal_rows_are_neighbours_and_a_row_is_not_its_own():
    X, y = np.zeros((6, 1)), np.array([0, 0, 0, 1, 1, 1])
    model = KNeighborsClassifierCV([1]).fit(X, y)
    # the first other row is row 0, and for row 0 it is row 1: all of class 0
    assert model.best_score_ == 0.5


def test_sparse_and_dense_rows_are_one():
    X, y = load_mixture(return_X_y=True)
    dense = KNeighborsClassifierCV().fit(X, y)
    rows = KNeighborsClassifierCV().fit(sparse.csr_array(X), y)
    np.testing.assert_array_equal(*(m.cv_results_["mean_test_score"] for m in (dense, rows)))


@pytest.mark.parametrize("metric", ["euclidean", "manhattan"])
def test_single_precision_is_what_its_numbers_are_in_double(metric):
    X = np.round(np.random.default_rng(0).normal(size=(60, 4)), 1).astype(np.float32)
    y = X[:, 0] > 0
    single = KNeighborsClassifierCV(metric=metric).fit(X, y).cv_results_["mean_test_score"]
    double = KNeighborsClassifierCV(metric=metric).fit(X.astype(np.float64), y)
    np.testing.assert_array_equal(single, double.cv_results_["mean_test_score"])


def test_few_rows_bound_k_unless_numbers_were_given():
    X, y = np.arange(4.0)[:, None], [0, 0, 1, 1]
    assert KNeighborsClassifierCV().fit(X, y).cv_results_["param_n_neighbors"].tolist() == [1, 2, 3]
    with pytest.raises(ValueError, match="n_neighbors=9, but a row of 4 rows has only 3 others"):
        KNeighborsClassifierCV([2, 9]).fit(X, y)


@pytest.mark.parametrize("kind", [KNeighborsClassifierCV, EditedNeighbors])
def test_a_covariance_that_is_none_gets_a_sentence(kind):
    X, y = np.arange(9.0)[:, None], np.arange(9) // 4
    for wrong in (np.zeros((1, 1)), np.array(60.0), np.eye(2)):
        model = kind(3, metric="mahalanobis", metric_params={"V": wrong})
        with pytest.raises(ValueError, match="must hold as V an invertible covariance"):
            model.fit(X, y)
    model.set_params(metric_params={"V": [[4.0]]}).fit(X, y)
    np.testing.assert_array_equal(model.predict(X), kind(3).fit(X, y).predict(X))


@pytest.mark.parametrize("wrong", [0, 2.5, [], [1.5], [0, 1], "many"])
def test_a_wrong_k_gets_a_sentence(wrong):
    with pytest.raises(ValueError, match="'n_neighbors' parameter of KNeighborsRegressorCV must"):
        KNeighborsRegressorCV(wrong).fit(CONTINUOUS, CONTINUOUS[:, 0])
