"""Reading numbers, texts, DataFrames of two kinds, and what is missing in them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.compose import make_column_transformer
from sklearn.neighbors import KNeighborsClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.tree import DecisionTreeClassifier

from maxmargin import SVC, AdaBoostClassifier, BaggingClassifier, OneVsRestClassifier
from maxmargin.boosting import DecisionStump, LPBoostClassifier, RegressionStump
from maxmargin.inputs.table import read
from maxmargin.inputs.weights import read_weight

ROWS = {"colour": ["red", "blue", None, "red"], "size": [1.0, np.nan, 3.0, 4.0]}
Y = [0, 1, 1, 0]


def tables():
    return {
        "pandas": pd.DataFrame(ROWS),
        "polars": pl.DataFrame(ROWS),
        "objects": np.array([ROWS["colour"], ROWS["size"]], dtype=object).T,
        "lists": [list(row) for row in zip(*ROWS.values(), strict=True)],
    }


CODED = [[1.0, 1.0], [0.0, np.nan], [np.nan, 3.0], [1.0, 4.0]]


@pytest.mark.parametrize("kind", ["pandas", "polars", "objects", "lists"])
@pytest.mark.parametrize("given", [[0], [True, False], np.array([0], dtype=np.uint8)])
def test_categories_become_codes_in_their_order(kind, given):
    stump = DecisionStump(categorical_features=given)
    X, y = read(stump, tables()[kind], Y, reset=True)
    np.testing.assert_array_equal(X, CODED)
    np.testing.assert_array_equal(y, Y)
    assert stump.is_categorical_.tolist() == [True, False]
    assert stump.n_features_in_ == 2
    again = read(stump, tables()[kind], reset=False)
    np.testing.assert_array_equal(again, CODED)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_columns_by_name(kind):
    stump = DecisionStump(categorical_features=["colour"])
    X, _ = read(stump, tables()[kind], Y, reset=True)
    np.testing.assert_array_equal(X, CODED)
    assert stump.feature_names_in_.tolist() == ["colour", "size"]


def test_columns_of_a_categorical_dtype():
    frames = [
        pd.DataFrame(ROWS).astype({"colour": "category"}),
        pl.DataFrame(ROWS).with_columns(pl.col("colour").cast(pl.Categorical)),
        pl.DataFrame(ROWS).with_columns(pl.col("colour").cast(pl.Enum(["red", "blue"]))),
    ]
    for frame in frames:
        X, _ = read(DecisionStump(categorical_features="from_dtype"), frame, Y, reset=True)
        np.testing.assert_array_equal(X, CODED)


def test_columns_of_strings_are_categorical_by_their_dtype():
    frames = [
        pd.DataFrame(ROWS),
        pd.DataFrame(ROWS).astype({"colour": "string"}),
        pd.DataFrame(ROWS).astype(object),  # numbers that came as objects remain numbers
        pl.DataFrame(ROWS),
    ]
    for frame in frames:
        stump = DecisionStump(categorical_features="from_dtype")
        X, _ = read(stump, frame, Y, reset=True)
        np.testing.assert_array_equal(X, CODED)
        np.testing.assert_array_equal(read(stump, frame, reset=False), CODED)
        assert stump.is_categorical_.tolist() == [True, False]


def test_a_string_where_the_fit_had_numbers_is_named():
    stump = DecisionStump().fit(pd.DataFrame({"size": [1.0, 2.0, 3.0, 4.0]}), Y)
    with pytest.raises(ValueError, match="Column 'size' of X holds strings such as 'large'"):
        stump.predict(pd.DataFrame({"size": ["1", "large"]}))


def test_an_array_has_no_categorical_dtype():
    stump = DecisionStump(categorical_features="from_dtype")
    X, _ = read(stump, np.ones((4, 2)), Y, reset=True)
    assert stump.is_categorical_ is None
    assert X.shape == (4, 2)


@pytest.mark.parametrize("given", [None, "from_dtype", [0]])
def test_one_column_is_no_table(given):
    for column in (pd.Series([1.0, 2.0, 3.0, 4.0]), pl.Series([1.0, 2.0, 3.0, 4.0]), [1, 2, 3, 4]):
        with pytest.raises(ValueError, match=r"Expected (2D array|a 2-dimensional container)"):
            DecisionStump(categorical_features=given).fit(column, Y)


def test_all_columns_categorical_and_none():
    numbers = np.array([[7.0, 2.0], [3.0, np.nan], [7.0, 2.0], [5.0, 9.0]])
    X, _ = read(DecisionStump(categorical_features=[0, 1]), numbers, Y, reset=True)
    np.testing.assert_array_equal(X, [[2, 0], [0, np.nan], [2, 0], [1, 1]])
    X, _ = read(DecisionStump(categorical_features=[]), numbers, Y, reset=True)
    np.testing.assert_array_equal(X, numbers)


def test_what_pandas_calls_missing():
    frame = pd.DataFrame({"a": pd.array(["x", pd.NA, "y", "x"], dtype="string")})
    frame["b"] = pd.array([1, 2, pd.NA, 4], dtype="Int64")
    X, _ = read(DecisionStump(categorical_features=["a"]), frame, Y, reset=True)
    np.testing.assert_array_equal(X, [[0, 1], [np.nan, 2], [1, np.nan], [0, 4]])


def test_categories_that_were_not_seen_are_missing():
    stump = DecisionStump(categorical_features=[0])
    read(stump, tables()["objects"], Y, reset=True)
    X = read(stump, np.array([["green", 1.0], ["blue", 2.0]], dtype=object), reset=False)
    np.testing.assert_array_equal(X, [[np.nan, 1.0], [0.0, 2.0]])


@pytest.mark.parametrize("other", [1, 2.5, b"red"])
def test_categories_of_another_type_are_refused(other):
    stump = DecisionStump(categorical_features=[0])
    read(stump, tables()["pandas"], Y, reset=True)
    frame = pd.DataFrame({"colour": ["red", other], "size": [1.0, 2.0]}, dtype=object)
    with pytest.raises(ValueError, match=r"Column 'colour' of X holds categories such as .*, and"):
        read(stump, frame, reset=False)


def test_numbers_and_texts_of_them_are_not_the_same_categories():
    codes = np.array([[1], [2], [3], [1]])
    stump = DecisionStump(categorical_features=[0]).fit(codes, Y)
    for same in (codes.astype(float), codes.astype(np.uint8), codes.astype(object), codes > 1):
        assert stump.predict(same).shape == (4,)
    with pytest.raises(ValueError, match=r"such as '[123]', a text, and those of fit were such as"):
        stump.predict(codes.astype(str))


def test_a_category_seen_only_with_weight_0_is_one_not_seen():
    words = np.array([["ant"], ["bee"], ["cat"], ["dog"]] * 6, dtype=object)
    y = np.tile([0.0, 1.0, 5.0, 2.0], 6)
    for gone in ("ant", "bee", "dog"):
        weight = (words[:, 0] != gone).astype(float)
        model = RegressionStump(categorical_features=[0]).fit(words, y, weight)
        known = RegressionStump(categorical_features=[0])
        known.fit(words[weight > 0], y[weight > 0])
        strange = np.array([[gone], ["eel"]], dtype=object)
        np.testing.assert_array_equal(model.predict(strange), known.predict(strange))
        assert len(set(model.predict(strange).tolist())) == 1


DATES = pd.date_range("2020-01-01", periods=4)


@pytest.mark.parametrize(
    "frame",
    [
        pd.DataFrame({"size": ROWS["size"], "when": DATES}),
        pd.DataFrame({"when": DATES}),
        pd.DataFrame({"size": ROWS["size"], "when": DATES.tz_localize("UTC")}),
        pd.DataFrame({"size": ROWS["size"], "when": DATES - DATES[0]}),
        pd.DataFrame({"size": ROWS["size"], "when": DATES.to_period("D")}),
        pd.DataFrame({"size": ROWS["size"], "when": DATES.date}),
        pl.DataFrame({"size": ROWS["size"], "when": DATES.to_numpy()}),
        pl.DataFrame({"when": list(DATES.date)}),
    ],
    ids=lambda frame: str(list(frame.dtypes)[-1]),
)
def test_dates_are_named(frame):
    with pytest.raises(ValueError, match=r"Column 'when' of X holds dates or times.*; turn"):
        DecisionStump().fit(frame, Y)
    with pytest.raises(ValueError, match="Column 'when' of X holds dates or times"):
        read(DecisionStump(categorical_features=[]), frame, Y, reset=True)
    stump = DecisionStump(categorical_features=["when"]).fit(frame, Y)
    assert stump.is_categorical_[-1]


def test_an_array_of_dates_is_refused():
    with pytest.raises(ValueError, match="Column 0 of X holds dates or times"):
        DecisionStump().fit(DATES.to_numpy()[:, None], Y)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_numbers_are_not_copied(dtype):
    X = np.ones((3, 2), dtype=dtype)
    assert read(DecisionStump(), X, reset=True) is X


@pytest.mark.parametrize("form", [sparse.csr_array, sparse.csc_array])
def test_sparse_matrices_are_taken_as_they_are(form):
    X = form(np.eye(3))
    assert read(DecisionStump(), X, reset=True).format == X.format


BAD = [
    (np.ones((4, 2)), [2], "columns that are not there; X has columns 0 to 1"),
    (np.ones((4, 2)), [-1], "columns that are not there"),
    (np.ones((4, 2)), ["a"], "names of a DataFrame's columns"),
    (np.ones((4, 2)), [0.5], "must be indices, a mask of 2 columns or names"),
    (np.ones((4, 2)), [True], "must be indices, a mask of 2 columns or names"),
    (tables()["pandas"], ["shape"], r"it has \['colour', 'size'\]"),
    (tables()["pandas"], "colour", "must be None, 'from_dtype'"),
    (sparse.csr_array(np.eye(4)), [0], "read from dense tables only"),
    (np.array([["a"], [1], ["b"], [2]], dtype=object), [0], "column 0 cannot be put in order"),
    (
        np.array([["a", "b"]] * 4, dtype=object),
        [0],
        "Column 1 of X holds strings such as 'b'; list it in",
    ),
    (np.array([["1.5", "b"]] * 4), None, "Column 1 of X holds strings such as 'b'; list it in"),
    ([[1.0, "b"]] * 4, "from_dtype", "Column 1 of X holds strings such as 'b'; list it in"),
    (tables()["pandas"], None, "Column 'colour' of X holds strings such as 'red'; list it in"),
    (tables()["pandas"].astype({"colour": "category"}), None, "Column 'colour' of X holds strings"),
    (tables()["polars"], None, "Column 'colour' of X holds strings such as 'red'; list it in"),
    (tables()["polars"], ["size"], "Column 'colour' of X holds strings such as 'red'; list it in"),
    (np.array([["a", np.inf]] * 4, dtype=object), [0], "Input X contains infinity"),
]


@pytest.mark.parametrize(("X", "given", "sentence"), BAD)
def test_bad_tables(X, given, sentence):
    with pytest.raises(ValueError, match=sentence):
        DecisionStump(categorical_features=given).fit(X, Y)


def test_a_table_has_the_columns_of_the_fit():
    stump = DecisionStump(categorical_features=[0]).fit(tables()["objects"], Y)
    with pytest.raises(ValueError, match="3 features, but DecisionStump is expecting 2"):
        stump.predict(np.array([["red", 1.0, 2.0]], dtype=object))
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        stump.fit(tables()["objects"], [0, 1])


def test_weights():
    assert read_weight(None, 2).tolist() == [1, 1]
    assert read_weight(0.5, 2).tolist() == [0.5, 0.5]
    given = np.array([1.0, 0.0])
    weight = read_weight(given, 2)
    weight[0] = 7.0
    assert given.tolist() == [1.0, 0.0]


def test_an_unknown_word_is_refused_for_arrays_too():
    with pytest.raises(ValueError, match="must be None, 'from_dtype', indices, names or a mask"):
        DecisionStump(categorical_features="auto").fit(np.eye(4), Y)


WORDS = pl.DataFrame({"a": [0.1, 0.9, 0.2, 0.8] * 5, "w": ["no", "yes", "no", "may be"] * 5})
TREE = DecisionTreeClassifier(max_depth=2)


@pytest.mark.parametrize("X", [WORDS, WORDS.to_numpy()], ids=["frame", "array"])
@pytest.mark.parametrize(
    "model",
    [
        AdaBoostClassifier(TREE),
        LPBoostClassifier(TREE),
        AdaBoostClassifier(SVC(), resample=True, random_state=0),
        BaggingClassifier(TREE),
        BaggingClassifier(KNeighborsClassifier(), random_state=0),
        OneVsRestClassifier(AdaBoostClassifier(TREE)),
        OneVsRestClassifier(BaggingClassifier(SVC())),
    ],
    ids=lambda model: f"{model}"[:40],
)
def test_words_before_learners_that_take_none_are_one_sentence(model, X):
    name = "'w'" if X is WORDS else "1"
    says = rf"Column {name} of X holds strings such as '.*'; encode it as numbers, as OneHotEncoder"
    with pytest.raises(ValueError, match=says) as told:
        model.fit(X, [0, 1, 0, 1] * 5)
    assert "\n" not in str(told.value)
    assert "could not convert" not in str(told.value)


def test_learners_that_take_words_are_given_them():
    encoded = make_pipeline(make_column_transformer((OneHotEncoder(), [1])), TREE)
    label = [0, 1, 0, 1] * 5
    assert BaggingClassifier(encoded, random_state=0).fit(WORDS, label).score(WORDS, label) == 1.0
