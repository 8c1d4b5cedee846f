"""The overlap of categories: missing values, unknown ones, tables by name, mixtures."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.model_selection import cross_val_score

from maxmargin import SVC, Status
from maxmargin.kernels import RBF, Categorical, Linear, check

NAMES = ["age", "colour", "chol", "shape"]


def columns(n, seed=0):
    """Two columns of numbers and two of categories, some of them missing."""
    rng = np.random.default_rng(seed)
    colour = [None if gone else c for c, gone in zip(rng.choice(list("rgb"), n),
                                                     rng.random(n) < 0.2, strict=True)]  # fmt: skip
    return {
        "age": rng.normal(size=n),
        "colour": colour,
        "chol": rng.normal(size=n),
        "shape": rng.choice(["round", "flat"], n).tolist(),
    }


def labels(data):
    pairs = zip(data["colour"], data["chol"], strict=True)
    return np.array([colour == "r" or chol > 0.5 for colour, chol in pairs])


def in_pandas(data):
    n = len(data["age"])
    return pd.DataFrame(data, index=np.random.default_rng(3).permutation(n))


FRAMES = {
    "pandas": in_pandas,
    "pandas categories": lambda data: in_pandas(data).astype({"colour": "category"}),
    "pandas strings": lambda data: in_pandas(data).astype({"colour": "string"}),
    "polars": pl.DataFrame,
    "polars categories": lambda data: pl.DataFrame(
        data, schema_overrides={"colour": pl.Categorical}
    ),
}
MIXED = RBF("scale").restrict(["age", "chol"]) + Categorical().restrict(["colour", "shape"])


def test_missing_values_agree_with_each_other_alone():
    rows = [["r", 1], [None, 1], [np.nan, 2], ["g", 2]]
    assert (2 * Categorical()(rows)).tolist() == [
        [2, 1, 0, 0],
        [1, 2, 1, 0],
        [0, 1, 2, 1],
        [0, 0, 1, 2],
    ]
    assert check(Categorical(), rows)


def test_unknown_categories_agree_with_none_of_the_training_rows():
    rows, new = [["r", "x"], ["g", "y"]], [["b", "x"], ["b", "z"]]
    assert Categorical()(rows, new).tolist() == [[0.5, 0.0], [0.0, 0.0]]
    assert Categorical().normalized()(rows, new).tolist() == [[0.5, 0.0], [0.0, 0.0]]
    model = SVC(kernel=Categorical()).fit([*rows, *rows], [0, 1, 0, 1])
    assert model.decision_function([["b", "z"]])[0] == model.intercept_[0]


def test_weights_are_one_a_column():
    rows = [[1, 2, 3], [1, 0, 3], [0, 2, 0]]
    kernel = Categorical(weights=[0.5, 2.0, 0.25])
    assert kernel(rows).tolist() == [[2.75, 0.75, 2.0], [0.75, 2.75, 0.0], [2.0, 0.0, 2.75]]
    assert kernel.diag(rows).tolist() == [2.75] * 3
    with pytest.raises(ValueError, match="has 3 weights, and X has 2 columns; give one a column"):
        kernel([[1, 2]])
    with pytest.raises(ValueError, match="needs weights >= 0, got -1"):
        Categorical(weights=[-1.0])
    with pytest.raises(ValueError, match=r"one weight a column, got 2\.0"):
        Categorical(weights=2.0)


def test_texts_beside_numbers_in_a_list_stay_what_they_are():
    rows = [["r", 1.5], ["g", float("nan")], [None, 1.5]]
    table = pd.DataFrame(rows)
    np.testing.assert_array_equal(Categorical()(rows, table.to_numpy()), Categorical()(rows))
    kernel = Linear().restrict([1])
    assert kernel([["r", 1.5], ["g", 2]]).tolist() == [[2.25, 3.0], [3.0, 4.0]]


def test_features_say_which_category_a_row_has():
    step = Categorical(weights=[4.0, 1.0]).features()
    phi = step.fit_transform([["r", 1], ["g", None], ["r", None]])
    assert step.get_feature_names_out().tolist() == ["0=r", "0=g", "1=1", "1=missing"]
    assert phi.toarray().tolist() == [[2, 0, 1, 0], [0, 2, 0, 1], [2, 0, 0, 1]]
    assert step.transform([["b", 1]]).toarray().tolist() == [[0, 0, 1, 0]]


@pytest.mark.parametrize("frame", FRAMES)
def test_a_mixed_table_by_names(frame):
    data = columns(50)
    table, y = FRAMES[frame](data), labels(data)
    model = SVC(kernel=MIXED, tol=1e-6).fit(table, y)
    assert model.certificate_.status is Status.CERTIFIED
    assert model.feature_names_in_.tolist() == NAMES
    numbers = np.column_stack([data["age"], data["chol"]])
    categories = [list(pair) for pair in zip(data["colour"], data["shape"], strict=True)]
    expected = RBF("scale")(numbers) + Categorical()(categories)
    np.testing.assert_allclose(MIXED(table), expected, rtol=1e-12)
    values = model.decision_function(table)
    np.testing.assert_array_equal(model.decision_function(table[NAMES[::-1]]), values)
    np.testing.assert_array_equal(model.decision_function(FRAMES["polars"](data)), values)
    assert model.certify(table[NAMES[::-1]], y).status is Status.CERTIFIED


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_folds_of_a_mixed_table(frame):
    data = columns(60)
    scores = cross_val_score(SVC(kernel=MIXED, C=10.0), FRAMES[frame](data), labels(data), cv=3)
    assert scores.mean() > 0.75


def test_other_columns_and_missing_numbers_are_refused():
    data = columns(20)
    table, y = in_pandas(data), labels(data)
    model = SVC(kernel=MIXED).fit(table, y)
    with pytest.raises(ValueError, match="yet now missing:\n- chol"):
        model.predict(table.drop(columns="chol"))
    with pytest.raises(ValueError, match="X has no column 'height'; it has 'age', 'colour'"):
        SVC(kernel=Categorical().restrict("height")).fit(table, y)
    table.iloc[3, 0] = np.nan
    with pytest.raises(ValueError, match="NaN"):
        model.predict(table)


def test_a_later_fit_to_items_without_names_forgets_them():
    data = columns(20)
    model = SVC(kernel=Categorical()).fit(in_pandas(data)[["shape"]], labels(data))
    assert model.n_features_in_ == 1
    model.fit(data["shape"], labels(data))
    assert not hasattr(model, "feature_names_in_")
    assert model.predict(data["shape"]).shape == (20,)


@pytest.mark.parametrize("frame", ["pandas", "polars"])
def test_a_kernel_of_numbers_does_not_mind_texts_in_other_columns(frame):
    data = columns(30)
    table, y = FRAMES[frame](data), labels(data)
    kernel = RBF("scale").restrict(["age", "chol"])
    model = SVC(kernel=kernel).fit(table, y)
    plain = SVC(kernel=RBF("scale")).fit(np.column_stack([data["age"], data["chol"]]), y)
    np.testing.assert_allclose(
        model.decision_function(table[NAMES[::-1]]),
        plain.decision_function(np.column_stack([data["age"], data["chol"]])),
        rtol=1e-9,
    )
    phi = (Linear().restrict("age") + 1.0).features().fit(table).transform(table[NAMES[::-1]])
    np.testing.assert_array_equal(phi, np.column_stack([data["age"], np.ones(30)]))


def test_a_missing_number_is_found_by_the_name_of_its_column():
    table = pd.DataFrame({"age": [1.0, 2.0], "chol": [np.nan, 2.0], "sex": ["f", "m"]})
    kernel = RBF("scale").restrict("chol")
    for X in (table, table[["age", "chol"]]):
        with pytest.raises(ValueError, match=r"NaN \(row 0, column 'chol'\)"):
            SVC(kernel=kernel).fit(X, [0, 1])
    model = SVC(kernel=kernel).fit(table.fillna(1.0), [0, 1])
    with pytest.raises(ValueError, match=r"NaN \(row 0, column 1\)"):
        model.predict(table)


def test_categories_of_another_kind_are_refused_and_of_another_precision_are_not():
    model = SVC(kernel=Categorical()).fit([["1"], ["2"]], [0, 1])
    with pytest.raises(ValueError, match="such as 1, and what it is compared with such as '1'"):
        model.predict([[1], [2]])
    tenths = np.array([[0.1], [0.2]])
    for one, other in [(np.float32, np.float64), (np.float64, np.float32)]:
        model.fit(tenths.astype(one), [0, 1])
        assert model.predict(tenths.astype(other)).tolist() == [0, 1]
    with pytest.raises(ValueError, match="make texts, numbers or tuples of them"):
        Categorical()([[["a"]], [["b"]]])
