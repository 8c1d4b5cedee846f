import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.metrics import get_scorer

from maxmargin.job.metric import Judge, are_unequal, choose_metric, judge, scorer_of, sought_of
from maxmargin.tables import InputError


def labels(*counts):
    return np.repeat([f"class {i}" for i in range(len(counts))], counts)


@pytest.mark.parametrize(
    ("counts", "metric"),
    [
        ((50, 50), "accuracy"),
        ((76, 24), "accuracy"),
        ((81, 19), "balanced_accuracy"),
        ((987, 13), "balanced_accuracy"),
        ((34, 33, 33), "accuracy"),
        ((60, 30, 10), "balanced_accuracy"),
    ],
)
def test_unequal_classes_are_compared_by_balanced_accuracy(make_table, counts, metric):
    y = labels(*counts)
    table = make_table(pl.DataFrame({"x": np.zeros(len(y))}), y)
    assert choose_metric(table) == metric
    assert are_unequal(table) == (metric == "balanced_accuracy")


def test_a_quantity_is_compared_by_r2(quantity):
    assert choose_metric(quantity) == "r2"


def test_what_is_wanted_is_taken_and_what_is_unknown_refused(two_classes):
    assert choose_metric(two_classes, "f1_macro") == "f1_macro"
    with pytest.raises(InputError, match="did you mean 'roc_auc'"):
        choose_metric(two_classes, "roc_acu")


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("mae", "'neg_mean_absolute_error'"),
        ("rmse", "'neg_root_mean_squared_error'"),
        ("log-loss", "'neg_log_loss'"),
        ("auc", "'roc_auc'"),
    ],
)
def test_what_people_call_a_metric_is_found(two_classes, typed, meant):
    with pytest.raises(InputError, match=f"did you mean .*{meant}"):
        choose_metric(two_classes, typed)


@pytest.mark.parametrize(
    ("wanted", "instead"),
    [
        ("roc_auc", "roc_auc_ovr"),
        ("f1", "f1_macro"),
        ("precision", "precision_macro"),
        ("recall", "recall_macro"),
        ("jaccard", "jaccard_macro"),
        ("average_precision", "roc_auc_ovr"),
    ],
)
def test_metrics_of_two_classes_are_refused_for_more(make_table, wanted, instead):
    table = make_table(pl.DataFrame({"x": np.zeros(3)}), labels(1, 1, 1))
    with pytest.raises(InputError, match=f"'y' has 3: use {instead}"):
        choose_metric(table, wanted)
    assert choose_metric(table, instead) == instead


@pytest.mark.parametrize(("counts", "sought"), [((3, 1), 1), ((1, 3), 0), ((2, 2), 1)])
def test_the_class_sought_is_the_rarer_one(make_table, counts, sought):
    table = make_table(pl.DataFrame({"x": np.zeros(4)}), labels(*counts))
    assert sought_of(table) == f"class {sought}"


@pytest.mark.parametrize("metric", ["f1", "precision", "recall", "jaccard", "average_precision"])
def test_metrics_of_one_class_take_the_last_of_two_equal_ones(two_classes, metric):
    model = DummyClassifier(strategy="prior").fit(np.zeros((3, 1)), ["no", "yes", "yes"])
    y, scorer = np.array(["no", "yes", "yes", "yes"]), scorer_of(metric, sought_of(two_classes))
    expected = {"recall": 1.0, "f1": 6 / 7}.get(metric, 0.75)
    assert get_scorer(scorer)(model, np.zeros((4, 1)), y) == pytest.approx(expected)


def test_a_judge_notes_further_metrics_and_predictions():
    model = DummyClassifier(strategy="prior").fit(np.zeros((3, 1)), [0, 1, 1])
    watched = Judge("accuracy", "accuracy", ("balanced_accuracy",))
    assert watched(model, np.zeros((4, 1)), [0, 1, 1, 1]) == 0.75
    assert watched.means == {"accuracy": 0.75, "balanced_accuracy": 0.5}
    assert watched.judgements[0].predicted.tolist() == [1, 1, 1, 1]
    assert watched.judgements[0].by_probability


def test_a_metric_that_does_not_fit_says_so(make_table):
    table = make_table(pl.DataFrame({"x": np.zeros(3)}), labels(1, 1, 1))
    model = DummyClassifier(strategy="prior").fit(np.zeros((3, 1)), table.target)
    with pytest.raises(ValueError, match="multi_class"):
        judge(model, np.zeros((3, 1)), table.target, "roc_auc", "roc_auc", ())
