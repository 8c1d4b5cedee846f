"""Steps of scikit-learn on the list come back to the last bit; what would run code is refused."""

import inspect
import re

import numpy as np
import polars as pl
import pytest
from scipy import sparse
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.feature_extraction.text import CountVectorizer, HashingVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier, NearestCentroid
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import (
    FunctionTransformer,
    KBinsDiscretizer,
    OneHotEncoder,
    StandardScaler,
)
from sklearn.tree import DecisionTreeClassifier

from maxmargin import SVC, AdaBoostClassifier, BoostingClassifier, LinearSVC
from maxmargin.neighbors import (
    CondensedNeighbors,
    EditedNeighbors,
    KNeighborsClassifierCV,
    KNeighborsRegressorCV,
)
from maxmargin.storage import NotPlainError, from_plain, load_model, save_model, to_plain
from maxmargin.storage.steps import STEPS, find_step

rng = np.random.default_rng(3)
X = np.round(rng.normal(size=(40, 3)), 2)
y = (X[:, 0] + X[:, 1] > 0).astype(int) + (X[:, 2] > 0.5)
FRAME = pl.DataFrame(
    {
        "age": np.where(rng.random(40) < 0.2, None, X[:, 0]).tolist(),
        "pay": X[:, 1],
        "town": [None if i % 7 == 0 else "übcd"[i % 4] for i in range(40)],
        "left": X[:, 2],
    },
    schema_overrides={"age": pl.Float64},
)
NEEDED = {
    "ColumnTransformer": {"transformers": [("scaled", StandardScaler(), [0, 2])]},
    "Pipeline": {"steps": [("scaled", StandardScaler()), ("model", SVC())]},
    "FeatureUnion": {"transformer_list": [("scaled", StandardScaler()), ("all", "passthrough")]},
    "KBinsDiscretizer": {"quantile_method": "averaged_inverted_cdf"},
    "KNeighborsClassifier": {"algorithm": "brute"},
    "KNeighborsRegressor": {"algorithm": "brute"},
    "OneVsOneClassifier": {"estimator": LogisticRegression()},
    "OneVsRestClassifier": {"estimator": DecisionTreeClassifier(max_depth=2)},
    "QuantileTransformer": {"n_quantiles": 10},
    "MissingIndicator": {"features": "all"},
    "CalibratedClassifierCV": {"estimator": SVC(), "cv": 2},
    "FrozenEstimator": {"estimator": LogisticRegression().fit(X, y)},
}
TEXTS = np.array(["a bad day", "Über good day it is", "fine", "bad bad"] * 10)
LINE = {"IsotonicRegression", "_SigmoidCalibration"}  # of one column
NAMES = [f"{module}.{short}" for module, shorts in STEPS.items() for short in shorts]
USES = "predict", "decision_function", "predict_proba", "transform", "kneighbors", "apply"


def there_and_back(value, folder):
    save_model(folder / "model", value)
    return load_model(folder / "model").value


def answers(model, rows):
    """All that it says of rows, densely."""
    made = [getattr(model, name)(rows) for name in USES if hasattr(model, name)]
    flat = [part for each in made for part in (each if isinstance(each, tuple) else (each,))]
    return [each.toarray() if sparse.issparse(each) else np.asarray(each) for each in flat]


def assert_same_bits(one, other, rows):
    left, right = answers(one, rows), answers(other, rows)
    assert left
    for a, b in zip(left, right, strict=True):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes())


@pytest.mark.parametrize("name", NAMES)
def test_a_step_comes_back(name, tmp_path):
    kind = find_step(name)
    rows = y if kind.__name__.startswith("Label") else X
    rows = TEXTS if kind.__name__.endswith("Vectorizer") else rows
    rows = X[:, 0] if kind.__name__ in LINE else rows
    step = kind(**NEEDED.get(kind.__name__, {}))
    assert repr(there_and_back(step, tmp_path)) == repr(step)
    step.fit(rows) if rows is y else step.fit(rows, y)
    assert_same_bits(there_and_back(step, tmp_path), step, rows)


def table(**options):
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    words = make_pipeline(
        SimpleImputer(strategy="constant", fill_value="?", missing_values=None),
        OneHotEncoder(handle_unknown="ignore"),
    )
    parts = [("numbers", numbers, ["age", "pay"]), ("words", words, ["town"])]
    return ColumnTransformer(parts, remainder="passthrough", **options)


@pytest.mark.parametrize("share", [0.0, 1.0], ids=["dense", "sparse"])
@pytest.mark.parametrize(
    "last",
    [SVC(), LinearSVC(), KNeighborsClassifier(algorithm="brute"), LogisticRegression()],
    ids=lambda model: type(model).__name__,
)
def test_a_pipeline_of_a_frame_comes_back(last, share, tmp_path):
    model = make_pipeline(table(sparse_threshold=share), last).fit(FRAME, y)
    again = there_and_back(model, tmp_path)
    new = FRAME.with_columns(pl.lit("new town").alias("town"))
    assert list(again.feature_names_in_) == FRAME.columns
    assert_same_bits(again, model, FRAME)
    assert_same_bits(again, model, new)


@pytest.mark.parametrize("method", ["sigmoid", "isotonic", "temperature"])
@pytest.mark.parametrize("ensemble", [True, False])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_calibrated_classifier_comes_back(method, ensemble, classes, tmp_path):
    inner = make_pipeline(StandardScaler(), SVC())
    model = CalibratedClassifierCV(inner, method=method, ensemble=ensemble, cv=2)
    model.fit(X, np.minimum(y, classes - 1))
    again = there_and_back(model, tmp_path)
    assert_same_bits(again, model, X)
    assert_same_bits(there_and_back(again, tmp_path), model, X)


TEXT_OPTIONS = {
    "words": {},
    "pairs": {"ngram_range": (1, 2), "max_features": 4, "dtype": np.float32},
    "letters": {"analyzer": "char_wb", "ngram_range": (2, 3), "strip_accents": "unicode"},
    "stop words": {"stop_words": ["it", "is"], "token_pattern": r"(?u)\b\w+\b"},
    "English": {"stop_words": "english"},
}


@pytest.mark.parametrize("options", TEXT_OPTIONS.values(), ids=TEXT_OPTIONS)
@pytest.mark.parametrize("kind", [CountVectorizer, HashingVectorizer, TfidfVectorizer])
def test_a_model_of_texts_comes_back(kind, options, tmp_path):
    known = inspect.signature(kind).parameters
    step = kind(**{name: value for name, value in options.items() if name in known})
    if kind is HashingVectorizer:
        step.set_params(n_features=64)
    model = make_pipeline(step, LinearSVC()).fit(TEXTS, np.arange(40) % 4 > 1)
    again = there_and_back(model, tmp_path)
    new = np.array(["a new day", "bad"])
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))
    assert there_and_back(again, tmp_path).predict(new).tolist() == model.predict(new).tolist()
    again.fit(TEXTS, np.arange(40) % 4 > 1)
    np.testing.assert_array_equal(again.decision_function(new), model.decision_function(new))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"tokenizer": str.split, "token_pattern": None}, "tokenizer=None"),
        ({"preprocessor": str.lower}, "preprocessor=None"),
        ({"analyzer": str.split}, "with analyzer one of"),
        ({"token_pattern": r"(a+)+$"}, "known token_pattern"),
        ({"input": "filename"}, "input='content'"),
        ({"ngram_range": (1, 10**6)}, "do not fit together"),
        ({"encoding": "zip"}, "do not fit together"),
        ({"stop_words": [print]}, "do not fit together"),
    ],
    ids=str,
)
def test_a_counter_of_words_that_runs_code_or_for_ever_is_not_stored(options, said):
    with pytest.raises(NotPlainError, match=said):
        to_plain(TfidfVectorizer(**options))
    plain = to_plain(TfidfVectorizer())
    for name, value in options.items():
        try:
            plain["given"][name] = to_plain(value)
        except NotPlainError:
            return
    with pytest.raises(NotPlainError, match=said):
        from_plain(plain)


BROKEN_WORDS = {
    "a word twice": lambda has: has["vocabulary_"].append(has["vocabulary_"][0]),
    "a number for a word": lambda has: has["vocabulary_"].append(3),
    "no words": lambda has: has.update(vocabulary_=[]),
    "places of words": lambda has: has.update(vocabulary_={"is": "dict", "of": [["a", 10**9]]}),
    "a weight too few": lambda has: has["_tfidf"]["has"].update(idf_=np.ones(2)),
    "weights of a table": lambda has: has["_tfidf"]["has"].update(idf_=np.ones((2, 2))),
    "no weights": lambda has: has.update(_tfidf=3),
}


@pytest.mark.parametrize("damage", BROKEN_WORDS.values(), ids=BROKEN_WORDS)
def test_a_broken_vocabulary_is_refused(damage):
    plain = to_plain(TfidfVectorizer().fit(TEXTS))
    damage(plain["has"])
    with pytest.raises(NotPlainError, match="do not fit together"):
        from_plain(plain)


def pair_of(has):
    return has["calibrated_classifiers_"][0]["of"]


BROKEN_CURVES = {
    "no pairs": lambda has: has.update(calibrated_classifiers_=[]),
    "no pair": lambda has: has.update(calibrated_classifiers_=[3]),
    "half a pair": lambda has: pair_of(has).pop(),
    "no classifier": lambda has: pair_of(has).__setitem__(0, 3),
    "no curves": lambda has: pair_of(has).__setitem__(1, []),
    "other classes": lambda has: pair_of(has).__setitem__(2, np.array([5, 6, 7])),
    "another method": lambda has: pair_of(has).__setitem__(3, "temperature"),
    "no method": lambda has: pair_of(has).__setitem__(3, []),
    "thresholds": lambda has: pair_of(has)[1][0]["has"].update(X_thresholds_=np.ones(3)),
    "a curve": lambda has: pair_of(has)[1][0]["has"].update(f_=3),
}


@pytest.mark.parametrize("damage", BROKEN_CURVES.values(), ids=BROKEN_CURVES)
def test_a_broken_calibration_is_refused(damage):
    model = CalibratedClassifierCV(LinearSVC(), method="isotonic", cv=2).fit(X, y)
    plain = to_plain(model)
    damage(plain["has"])
    with pytest.raises(NotPlainError, match="do not fit together"):
        from_plain(plain)


@pytest.mark.parametrize("kind", [AdaBoostClassifier, BoostingClassifier])
def test_boosting_of_a_frame_with_gaps_comes_back(kind, tmp_path):
    model = kind(n_estimators=5).fit(FRAME, y)
    assert_same_bits(there_and_back(model, tmp_path), model, FRAME)


@pytest.mark.parametrize(
    "options",
    [{"drop": "first"}, {"min_frequency": 8}, {"max_categories": 3, "drop": "if_binary"}],
    ids=str,
)
def test_a_one_hot_encoder_comes_back(options, tmp_path):
    rows = np.c_[np.arange(40) % 5, np.arange(40) % 2].astype(float)
    rows[3, 0] = np.nan
    encoder = OneHotEncoder(**options).fit(rows)
    assert_same_bits(there_and_back(encoder, tmp_path), encoder, rows)


def test_polars_output_comes_back(tmp_path):
    scaler = StandardScaler().set_output(transform="polars").fit(FRAME[["pay", "left"]])
    again = there_and_back(scaler, tmp_path)
    assert again.transform(FRAME[["pay", "left"]]).equals(scaler.transform(FRAME[["pay", "left"]]))


# what is not stored


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (
            GridSearchCV(LogisticRegression(), {"C": [1.0]}, cv=2).fit(X, y),
            "store its best_estimator_",
        ),
        (
            make_pipeline(StandardScaler(), NearestCentroid()),
            r"steps\[1\]\[1\] is a .*can be stored",
        ),
        (FunctionTransformer(np.log1p), "without a function"),
        (FunctionTransformer(inverse_func=np.expm1), "without a function"),
        (Pipeline([("scaled", StandardScaler())], memory="cache"), "memory=None"),
        (KNeighborsClassifier(algorithm="brute", metric="cosine").fit(X, y), "plain distance"),
    ],
    ids=lambda each: type(each).__name__ if hasattr(each, "fit") else "",
)
def test_what_would_run_code_is_refused(model, said, tmp_path):
    with pytest.raises(NotPlainError, match=said):
        save_model(tmp_path / "model", model)
    assert list(tmp_path.iterdir()) == []


def test_what_would_run_code_is_refused_when_it_is_read():
    plain = to_plain(FunctionTransformer())
    plain["given"]["func"] = to_plain(SVC().kernel)
    with pytest.raises(NotPlainError, match="without a function"):
        from_plain(plain)


@pytest.mark.parametrize("algorithm", ["auto", "kd_tree", "ball_tree", "brute"])
@pytest.mark.parametrize("given", [{}, {"p": 1}, {"p": 3.5}, {"metric": "chebyshev"}], ids=str)
def test_a_tree_to_search_in_is_made_again_of_its_rows(algorithm, given, tmp_path):
    model = KNeighborsClassifier(3, algorithm=algorithm, leaf_size=5, **given).fit(X, y)
    again = there_and_back(model, tmp_path)
    assert type(again._tree) is type(model._tree)
    assert_same_bits(again, model, X)


@pytest.mark.parametrize(
    "kind", [KNeighborsClassifierCV, KNeighborsRegressorCV, CondensedNeighbors, EditedNeighbors]
)
def test_neighbours_come_back_as_they_are_by_default(kind, tmp_path):
    model = kind().fit(X, y)
    assert_same_bits(there_and_back(model, tmp_path), model, X)


# what compiled loops would follow blindly


def neighbors():
    return to_plain(KNeighborsClassifier(3, algorithm="brute").fit(X, y))


@pytest.mark.parametrize(
    "change",
    [
        {"_fit_X": X[:, :1].copy()},
        {"_fit_X": X[:5].copy()},
        {"_fit_X": X.astype(int)},
        {"n_features_in_": 7},
        {"n_features_in_": True},
        {"n_samples_fit_": 10**6},
        {"_y": np.full(40, 10**6)},
        {"_y": np.full(40, -1)},
        {"_y": y[:3].copy()},
        {"_y": y.astype(float)},
        {"classes_": np.zeros(1)},
        {"effective_metric_": "seuclidean"},
        {"outputs_2d_": True},
        {"_fit_method": "precomputed"},
        {"_tree": "kd_tree"},
        {"_fit_method": "kd_tree", "effective_metric_params_": to_plain({"p": "two"})},
        {"_fit_method": "kd_tree", "_fit_X": np.where(X > 1, np.nan, X)},
    ],
    ids=str,
)
def test_neighbors_that_lie_elsewhere_are_refused(change):
    plain = neighbors()
    plain["has"].update(change)
    with pytest.raises(NotPlainError, match=re.escape("do not fit together.")):
        from_plain(plain)


@pytest.mark.parametrize(
    "change", [{"n_neighbors": 41}, {"n_neighbors": 0}, {"leaf_size": 0}], ids=str
)
def test_more_neighbors_than_rows_are_refused(change):
    plain = neighbors()
    plain["given"].update(change)
    with pytest.raises(NotPlainError, match="do not fit together"):
        from_plain(plain)


def test_a_metric_with_numbers_of_its_own_is_refused():
    plain = neighbors()
    plain["given"]["metric"] = "mahalanobis"
    with pytest.raises(NotPlainError, match="plain distance"):
        from_plain(plain)


@pytest.mark.parametrize(
    "change",
    [
        {"_n_features_outs": [1, 1]},
        {"_n_features_outs": [5, 2, 1]},
        {"categories_": [np.array([3.0, 1.0, 2.0, 0.0, 4.0]), np.array([0.0, 1.0])]},
        {"categories_": [np.array([0.0, 1.0, 2.0, 2.0, 4.0]), np.array([0.0, 1.0])]},
        {"categories_": [np.zeros((5, 1)), np.array([0.0, 1.0])]},
        {"n_features_in_": 3},
        {"_drop_idx_after_grouping": [99, 0], "_n_features_outs": [4, 1]},
    ],
    ids=str,
)
def test_categories_that_lie_elsewhere_are_refused(change):
    plain = to_plain(OneHotEncoder().fit(np.c_[np.arange(40) % 5, np.arange(40) % 2].astype(float)))
    plain["has"].update(change)
    with pytest.raises(NotPlainError, match="do not fit together"):
        from_plain(plain)


def test_groups_of_rare_categories_that_lie_elsewhere_are_refused():
    encoder = OneHotEncoder(max_categories=3).fit(np.arange(40)[:, None] % 5)
    encoder._default_to_infrequent_mappings = [np.full(5, 10**6)]
    with pytest.raises(NotPlainError, match="do not fit together"):
        from_plain(to_plain(encoder))


def test_bins_are_checked_too():
    plain = to_plain(KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf").fit(X))
    plain["has"]["_encoder"]["has"]["_n_features_outs"] = [1, 1, 1]
    with pytest.raises(NotPlainError, match="do not fit together"):
        from_plain(plain)


@pytest.mark.parametrize(
    ("where", "change"),
    [
        ("model", {"n_features_in_": 1}),
        ("tree", {"n_features": 2}),
        ("tree", {"max_depth": 1}),
        ("tree", {"n_outputs": 9}),
        ("tree", {"n_classes": np.array([-1])}),
        ("tree", {"values": np.zeros((1, 1, 1))}),
    ],
    ids=str,
)
def test_a_tree_of_other_rows_is_refused(where, change):
    plain = to_plain(DecisionTreeClassifier(max_depth=3).fit(X, y))
    (plain["has"] if where == "model" else plain["has"]["tree_"]).update(change)
    with pytest.raises(ValueError, match="do not fit together"):
        from_plain(plain)


def test_a_union_of_steps_comes_back(tmp_path):
    union = FeatureUnion([("scaled", StandardScaler()), ("bins", "passthrough")]).fit(X)
    assert_same_bits(there_and_back(union, tmp_path), union, X)
