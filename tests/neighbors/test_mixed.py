import tracemalloc

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, LeaveOneOut, cross_val_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor

from maxmargin.datasets import load_heart
from maxmargin.neighbors import (
    CondensedNeighbors,
    EditedNeighbors,
    KNeighborsClassifierCV,
    KNeighborsRegressorCV,
    MixedDistance,
    MixedNeighborsClassifier,
    MixedNeighborsRegressor,
)

RNG = np.random.default_rng(0)
NUMBERS = RNG.normal(size=(30, 4))
TABLE = {
    "size": [0.0, 4.0, None, 10.0],
    "fruit": ["fig", "plum", "fig", None],
    "ripe": [1.0, 1.0, 2.0, 3.0],
}
FRAMES = [pd.DataFrame, pl.DataFrame]


def heart():
    table = pl.DataFrame(load_heart(complete=False, as_table=True), strict=False)
    return table.drop("AHD"), table["AHD"].to_numpy()


@pytest.mark.parametrize("p", [1, 2, 3.5, np.inf])
def test_numbers_as_they_are_have_minkowskis_distance(p):
    name = "chebyshev" if np.isinf(p) else "minkowski"
    expected = cdist(NUMBERS, NUMBERS[:9], name, **({} if np.isinf(p) else {"p": p}))
    found = MixedDistance("raw", p=p)(NUMBERS, NUMBERS[:9])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_scales_are_ranges_deviations_or_the_covariance():
    scaled = cdist(*2 * [NUMBERS / np.ptp(NUMBERS, axis=0)])
    np.testing.assert_allclose(MixedDistance()(NUMBERS), scaled, rtol=1e-12, atol=1e-15)
    scaled = cdist(*2 * [NUMBERS / NUMBERS.std(axis=0)])
    np.testing.assert_allclose(MixedDistance("deviation")(NUMBERS), scaled, atol=1e-12)
    inverse = np.linalg.inv(np.cov(NUMBERS.T))
    found = MixedDistance("mahalanobis")(NUMBERS, NUMBERS[:5])
    expected = cdist(NUMBERS, NUMBERS[:5], "mahalanobis", VI=inverse)
    np.testing.assert_allclose(found, expected, atol=1e-12)
    repeated = np.column_stack([NUMBERS, NUMBERS[:, 0], np.full(30, 7.0)])  # a singular covariance
    np.testing.assert_allclose(MixedDistance("mahalanobis")(repeated)[:, :5], expected, atol=1e-10)


def test_the_units_of_columns_change_no_mahalanobis_distance():
    distance, units = MixedDistance("mahalanobis"), np.array([1e9, 1.0, 1e-9, 1.0])
    np.testing.assert_allclose(distance(NUMBERS + 1e6), distance(NUMBERS), atol=1e-7)
    np.testing.assert_allclose(distance(NUMBERS * units), distance(NUMBERS), atol=1e-12)


def test_a_column_of_one_value_has_no_deviation_to_divide_by():
    X = np.column_stack([NUMBERS[:7, 0], np.full(7, 0.1)])  # whose deviation rounds to 1.4e-17
    assert X[:, 1].std() > 0.0
    model = MixedNeighborsClassifier(1, distance=MixedDistance("deviation")).fit(X, np.arange(7))
    np.testing.assert_array_equal(model.predict(X + np.array([0.0, 1.0])), np.arange(7))


@pytest.mark.parametrize("missing", ["far", "skip"])
@pytest.mark.parametrize(("p", "scale"), [(600, 100.0), (600, 0.01), (2, 1e200)])
def test_no_power_leaves_the_numbers(p, scale, missing):
    largest = MixedDistance("raw", p=np.inf)(NUMBERS)
    ratio = (NUMBERS[:, None] - NUMBERS) / np.where(largest > 0, largest, 1.0)[:, :, None]
    expected = scale * largest * (np.abs(ratio) ** p).sum(axis=2) ** (1 / p)
    found = MixedDistance("raw", p=p, missing=missing)(scale * NUMBERS)
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_memory_does_not_grow_with_columns():
    X = np.random.default_rng(0).normal(size=(300, 200))
    MixedDistance()(X[:9])
    tracemalloc.start()
    MixedDistance()(X)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 50e6  # a block of each column would be 144 MB, and there were several


def slowly(p, weights, missing):
    """Pair by pair, column by column."""
    scale, D = {"size": 10.0, "fruit": None, "ripe": 2.0}, np.zeros((4, 4))
    for i in range(4):
        for j in range(4):
            total, known = 0.0, 0.0
            for w, (name, column) in zip(weights, TABLE.items(), strict=True):
                a, b = column[i], column[j]
                if a is None or b is None:
                    total += w if missing == "far" else 0.0
                else:
                    gap = float(a != b) if scale[name] is None else abs(a - b) / scale[name]
                    total, known = total + w * gap**p, known + w
            if missing == "skip":
                total = total * sum(weights) / known if known else sum(weights)
            D[i, j] = total ** (1 / p)
    return D


@pytest.mark.parametrize("missing", ["far", "skip"])
@pytest.mark.parametrize(("p", "weights"), [(1, [1, 1, 1]), (2, [0.5, 2, 1]), (2, [1, 1, 0])])
def test_words_missing_values_and_weights(missing, p, weights):
    distance = MixedDistance(p=p, weights=weights, missing=missing)
    expected = slowly(p, weights, missing)
    for frame in FRAMES:
        np.testing.assert_allclose(distance(frame(TABLE)), expected, rtol=1e-12)
    rows = np.array(list(TABLE.values()), dtype=object).T
    found = distance(rows.tolist(), categorical_features=[1])
    np.testing.assert_allclose(found, expected, rtol=1e-12)


def test_a_word_not_seen_before_is_as_far_as_can_be():
    known, new = pl.DataFrame(TABLE), pl.DataFrame({**TABLE, "fruit": ["kiwi"] * 4})
    found = MixedDistance(p=1, weights=[0, 1, 0])(known, new)
    np.testing.assert_array_equal(found, np.ones((4, 4)))


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_predictions_are_scikit_learns_of_the_same_distances(weights):
    X, y = heart()
    distance, given = MixedDistance("deviation"), {"weights": weights, "metric": "precomputed"}
    near, far = distance(X), distance(X, X[::3])
    sex = X["Sex"].to_numpy() + near[:, 0]
    label = MixedNeighborsClassifier(7, weights=weights, distance=distance).fit(X, y)
    theirs = KNeighborsClassifier(7, **given).fit(near, y)
    np.testing.assert_array_equal(label.predict(X[::3]), theirs.predict(far.T))
    shares = label.predict_proba(X[::3])
    np.testing.assert_allclose(shares, theirs.predict_proba(far.T), atol=1e-12)
    number = MixedNeighborsRegressor(7, weights=weights, distance=distance).fit(X, sex)
    theirs = KNeighborsRegressor(7, **given).fit(near, sex)
    np.testing.assert_allclose(number.predict(X[::3]), theirs.predict(far.T), rtol=1e-12)


def noisy(n=80):
    """One column decides; three others only disturb."""
    X = np.random.default_rng(5).uniform(size=(n, 4))
    return X, (X[:, 2] > 0.5).astype(int)


def leave_one_out_error(model, X, y):
    return 1.0 - cross_val_score(model, X, y, cv=LeaveOneOut()).mean()


def test_elimination_drops_the_noise_and_its_losses_are_those_of_leave_one_out():
    X, y = noisy()
    raw = MixedDistance("raw")
    model = MixedNeighborsClassifier(3, distance=raw, selection="eliminate").fit(X, y)
    found = model.attribute_search_
    assert found.kept == ["x2"]
    assert [step.weight for step in found.steps] == [0.0] * 3
    plain = MixedNeighborsClassifier(3, distance=raw)
    assert found.first_loss == pytest.approx(leave_one_out_error(plain, X, y))
    weights = np.ones(4)
    for step in found.steps:
        weights[int(step.attribute[1])] = 0.0
        fewer = plain.set_params(distance=MixedDistance("raw", weights=weights))
        assert step.loss == pytest.approx(leave_one_out_error(fewer, X, y))
    assert found.loss == found.steps[-1].loss < found.first_loss
    assert str(found).splitlines()[-1].startswith(f"{found.steps[-1].attribute} = 0")


def test_weighing_never_makes_the_loss_larger_and_lowers_it_at_every_step():
    X, y = noisy()
    for kind in (MixedNeighborsClassifier, MixedNeighborsRegressor):
        found = kind(3, selection="weigh").fit(X, y).attribute_search_
        losses = [found.first_loss, *(step.loss for step in found.steps)]
        assert (np.diff(losses) < 0).all()
        assert found.loss == losses[-1]
        assert found.complete


def test_a_search_in_pieces_finds_the_same(monkeypatch):
    X, y = noisy(40)
    model = MixedNeighborsClassifier(3, selection="weigh")
    whole = model.fit(X, y).attribute_search_
    monkeypatch.setattr("maxmargin.neighbors.distance._ENTRIES", 1000)  # six rows at a time
    monkeypatch.setattr("maxmargin.neighbors.mixed._KEPT", 0)
    pieces = model.fit(X, y).attribute_search_
    assert (pieces.steps, pieces.loss) == (whole.steps, whole.loss)


def test_a_search_out_of_time_keeps_what_it_has():
    X, y = noisy()
    model = MixedNeighborsClassifier(3, selection="eliminate", time_limit=1e-9)
    found = model.fit(X, y).attribute_search_
    assert not found.complete
    assert found.kept == ["x0", "x1", "x2", "x3"]
    assert found.steps == ()


def test_neighbours_of_the_rows_of_the_fit_are_others():
    X, y = heart()
    model = MixedNeighborsClassifier(4).fit(X, y)
    distances, indices = model.kneighbors()
    D = MixedDistance()(X)
    np.fill_diagonal(D, np.inf)
    np.testing.assert_array_equal(indices, np.argsort(D, axis=1, kind="stable")[:, :4])
    np.testing.assert_array_equal(distances, np.take_along_axis(D, indices, axis=1))
    with pytest.raises(ValueError, match="n_samples_fit = 303; ask for at most 302"):
        model.kneighbors(n_neighbors=303)


def test_containers_are_one():
    X, y = heart()
    expected = MixedNeighborsClassifier(9).fit(X, y).predict(X)
    order = np.random.default_rng(0).permutation(len(y))
    frame = pd.DataFrame(X.to_dict(as_series=False), index=order)
    np.testing.assert_array_equal(
        MixedNeighborsClassifier(9).fit(frame, pd.Series(y, order)).predict(frame), expected
    )
    rows = sparse.csr_array(np.abs(NUMBERS))
    found = MixedNeighborsRegressor(2).fit(rows, NUMBERS[:, 0]).predict(rows)
    dense = MixedNeighborsRegressor(2).fit(np.abs(NUMBERS), NUMBERS[:, 0]).predict(np.abs(NUMBERS))
    np.testing.assert_array_equal(found, dense)


def test_a_distance_is_a_value_with_parameters():
    distance = MixedDistance(p=1, weights=[1, 2])
    assert clone(distance) == distance == MixedDistance(p=1, weights=np.array([1.0, 2.0]))
    assert len({distance, clone(distance), MixedDistance()}) == 2
    X, y = noisy(30)
    grid = {"distance__p": [1, 2], "distance__numbers": ["range", "raw"]}
    search = GridSearchCV(MixedNeighborsClassifier(distance=MixedDistance()), grid, cv=2)
    assert set(search.fit(X, y).best_params_) == set(grid)


def test_weights_are_given_by_order_or_by_name_and_0_leaves_a_column_out():
    table = pd.DataFrame({"size": [0.0, 5.0, 10.0], "fruit": ["fig", "plum", "fig"]})
    alone = MixedDistance()(table[["size"]])
    for weights in ([1, 0], {"fruit": 0}, {"fruit": 0.0, "size": 1}):
        np.testing.assert_array_equal(MixedDistance(weights=weights)(table), alone)
    named = MixedDistance(weights={"fruit": 0})
    assert clone(named) == named != MixedDistance(weights={"fruit": 1})
    model = MixedNeighborsClassifier(1, distance=named).fit(table, [0, 1, 2])
    np.testing.assert_array_equal(model.kneighbors(table, 3)[0], np.sort(alone, axis=1))
    with pytest.raises(ValueError, match="names 'colour', but the columns are 'size', 'fruit'"):
        MixedDistance(weights={"colour": 1})(table)
    with pytest.raises(ValueError, match="X has no names: give a number for each column"):
        MixedDistance(weights={"fruit": 0})(NUMBERS)


@pytest.mark.parametrize(
    "model",
    [KNeighborsClassifierCV(2), CondensedNeighbors(), EditedNeighbors(2), KNeighborsRegressorCV(2)],
    ids=str,
)
def test_who_measures_numbers_points_to_who_takes_words(model):
    rows, labels = [[1.0, "fig"], [2.0, "plum"]] * 3, [0, 1] * 3
    kind = "Regressor" if isinstance(model, KNeighborsRegressorCV) else "Classifier"
    for X in (rows, pd.DataFrame(rows), pl.DataFrame(rows, orient="row")):
        with pytest.raises(ValueError, match=rf"'fig'.*MixedNeighbors{kind} takes both\.$"):
            model.fit(X, labels)


WRONG = {
    "'p' parameter of MixedDistance must be": MixedDistance(p=0.5),
    "'numbers' parameter of MixedDistance must be one of": MixedDistance("scaled"),
    "'missing' parameter of MixedDistance": MixedDistance(missing="drop"),
    "must be 4 numbers, one a column": MixedDistance(weights=[1, 2]),
    "at least 0 and not all 0": MixedDistance(weights=[0, 0, 0, 0]),
    "'p' parameter of MixedDistance must be 2": MixedDistance("mahalanobis", p=1),
}


@pytest.mark.parametrize("sentence", WRONG)
def test_what_is_no_distance_gets_a_sentence(sentence):
    with pytest.raises(ValueError, match=sentence):
        MixedNeighborsRegressor(distance=WRONG[sentence]).fit(NUMBERS, NUMBERS[:, 0])


def test_other_sentences():
    gaps = np.where(NUMBERS > 2, np.nan, NUMBERS)
    row = np.argwhere(np.isnan(gaps))[0][0]
    with pytest.raises(ValueError, match=f"Row {row} has a missing number"):
        MixedDistance("mahalanobis")(gaps)
    model = MixedNeighborsRegressor(distance=MixedDistance("mahalanobis"), selection="weigh")
    with pytest.raises(ValueError, match="'selection' parameter must be None with"):
        model.fit(NUMBERS, NUMBERS[:, 0])
    with pytest.raises(ValueError, match=r"'distance' parameter .* must be a MixedDistance"):
        MixedNeighborsClassifier(distance="gower").fit(NUMBERS, NUMBERS[:, 0] > 0)
    with pytest.raises(ValueError, match="n_neighbors = 30, n_samples = 30; ask for fewer"):
        MixedNeighborsRegressor(30, selection="weigh").fit(NUMBERS, NUMBERS[:, 0])
