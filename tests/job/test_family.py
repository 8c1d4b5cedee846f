import numpy as np
import polars as pl
import pytest
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.model_selection import GridSearchCV
from sklearn.neighbors import KNeighborsClassifier

from maxmargin import SVCCV
from maxmargin.job.family import CLASSIFIERS, REGRESSORS, family_of
from maxmargin.job.preparation import as_codes, as_vectors, count_vectors
from maxmargin.job.tuned import Tuned, settled
from maxmargin.job.wanted import Wanted
from maxmargin.storage import from_plain, to_plain
from maxmargin.tables import InputError

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")


def strange(features: pl.DataFrame) -> pl.DataFrame:
    """The same columns with a level that nobody has seen, and gaps everywhere."""
    return features.with_columns(
        pl.lit("never seen").alias("level"), pl.lit(None, dtype=pl.Float64).alias("signal")
    )


@pytest.mark.parametrize("candidate", CLASSIFIERS, ids=lambda each: each.name)
def test_every_classifier_takes_gaps_and_new_levels_and_is_stored_to_the_same_bits(
    candidate, two_classes
):
    table = two_classes
    model = settled(
        candidate.build(table, Wanted("accuracy", seed=1)).fit(table.features, table.target)
    )
    assert is_classifier(model)
    assert set(model.predict(strange(table.features))) <= {"no", "yes"}
    again = from_plain(to_plain(model))
    for X in (table.features, strange(table.features)):
        assert again.predict(X).tolist() == model.predict(X).tolist()
    ask = "decision_function" if hasattr(model, "decision_function") else "predict_proba"
    assert np.array_equal(getattr(again, ask)(table.features), getattr(model, ask)(table.features))


@pytest.mark.parametrize("candidate", REGRESSORS, ids=lambda each: each.name)
def test_every_regressor_takes_gaps_and_new_levels_and_is_stored_to_the_same_bits(
    candidate, quantity
):
    model = candidate.build(quantity, Wanted("r2")).fit(quantity.features, quantity.target)
    model = settled(model)
    assert is_regressor(model)
    assert np.isfinite(model.predict(strange(quantity.features))).all()
    again = from_plain(to_plain(model))
    assert np.array_equal(again.predict(quantity.features), model.predict(quantity.features))


@pytest.mark.parametrize("candidate", CLASSIFIERS, ids=lambda each: each.name)
def test_class_weights_reach_every_model_that_has_them(candidate, two_classes):
    model = candidate.build(two_classes, Wanted("accuracy", class_weight="balanced"))
    params = model.get_params()
    own = [params[name] for name in params if name.endswith("class_weight")]
    assert own == ["balanced"] * len(own)
    assert own or candidate.name in ("baseline", "lda", "knn")


def test_numbers_are_scaled_gaps_marked_and_rare_levels_share_a_column(two_classes):
    table = two_classes
    made = as_vectors(table).fit(table.features)
    names = made.get_feature_names_out().tolist()
    assert names == [
        "signal",
        "gappy",
        "missingindicator_gappy",
        "level_u",
        "level_v",
        "level_w",
        "level_None",
        "level_infrequent_sklearn",
    ]
    X = made.transform(table.features)
    assert X.shape[1] == count_vectors(table) == 8
    assert np.allclose(X[:, :3].mean(axis=0), 0.0)
    assert np.allclose(X[:, :3].std(axis=0), 1.0)
    new = made.transform(strange(table.features))
    assert (new[:, -1] == 1.0).all()  # a level that is new counts as a rare one


def test_codes_leave_gaps_of_numbers_and_take_a_missing_level_for_one_more(two_classes):
    table = two_classes
    made = as_codes(table).fit(table.features)
    X = made.transform(table.features)
    assert np.isnan(X[:, 1]).sum() == table.features["gappy"].null_count()
    assert (X[:, 2] == 4.0).sum() == table.features["level"].null_count()
    assert np.isnan(made.transform(strange(table.features))[:, 2]).all()


def test_the_medians_are_those_of_the_training_rows(two_classes):
    some = two_classes.features[:30]
    made = as_vectors(two_classes).fit(some)
    imputed = made.named_transformers_["numbers"]["impute"].statistics_
    assert imputed[1] == some["gappy"].median()


class TestTuned:
    def test_searches_on_some_rows_and_fits_to_all(self, two_classes):
        table = two_classes
        pipeline = family_of("classification", ["svm-rbf"])[1].build(table, Wanted(tuning_rows=40))
        last = pipeline.fit(table.features, table.target)[-1]
        assert last.best_estimator_.shape_fit_[0] == 72
        whole = clone(pipeline).set_params(model__max_rows=None)
        whole.fit(table.features, table.target)
        scores = last.cv_results_["mean_test_score"], whole[-1].cv_results_["mean_test_score"]
        assert not np.array_equal(*scores)

    def test_the_rows_keep_the_classes_proportions(self):
        tuned = Tuned(GridSearchCV(DummyClassifier(), {}), max_rows=20)
        y = np.repeat([0, 1], [60, 12])
        assert np.bincount(y[tuned._some(y)]).tolist() == [17, 3]

    def test_settling_keeps_the_chosen_model_alone(self, two_classes):
        table = two_classes
        fitted = family_of("classification", ["logistic"])[1].build(table, Wanted())
        fitted.fit(table.features, table.target)
        model = settled(fitted)
        assert type(model[-1]).__name__ == "LinearClassifier"
        assert np.array_equal(
            model.decision_function(table.features), fitted.decision_function(table.features)
        )


@pytest.mark.parametrize("candidate", CLASSIFIERS, ids=lambda each: each.name)
def test_a_settled_model_does_not_say_how_many_threads_it_had(candidate, two_classes):
    built = candidate.build(two_classes, Wanted("accuracy", n_jobs=1))
    model = settled(built.fit(two_classes.features, two_classes.target))
    assert model[-1].get_params().get("n_jobs") is None


def test_the_family_stands_from_cheap_to_dear_with_the_baseline_first():
    assert family_of("classification")[0].name == "baseline"
    assert family_of("regression", ["ridge"])[0].name == "baseline"
    names = [each.name for each in family_of("classification", ["svm-poly", "knn"])]
    assert names == ["baseline", "knn", "svm-poly"]


@pytest.mark.parametrize(
    ("name", "words"), [("svm-rfb", "did you mean 'svm-rbf'"), ("x", "choose")]
)
def test_an_unknown_model_is_refused(name, words):
    with pytest.raises(InputError, match=words):
        family_of("classification", [name])


def test_groups_stay_together_in_tuning_too():
    """Near copies of a row with one label: apart, the nearest neighbour would know them all."""
    rng = np.random.default_rng(0)
    groups = np.repeat(np.arange(40), 6)
    X = rng.normal(size=(40, 3))[groups] + 1e-3 * rng.normal(size=(240, 3))
    y = rng.integers(0, 2, 40)[groups]
    model = Wanted(tuning_rows=None).search(
        KNeighborsClassifier(algorithm="brute"), n_neighbors=[1, 45]
    )
    apart = model.fit(X, y).cv_results_["mean_test_score"][0]
    together = model.fit(X, y, groups=groups).cv_results_["mean_test_score"][0]
    assert apart > 0.95
    assert together < 0.75
    some = Wanted(tuning_rows=100).own_search(SVCCV, Cs=[1.0], gammas=[0.1])
    assert some.fit(X, y, groups=groups).best_params_["C"] == 1.0
