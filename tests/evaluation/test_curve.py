import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.metrics import (
    accuracy_score,
    auc,
    average_precision_score,
    balanced_accuracy_score,
    f1_score,
    precision_score,
    recall_score,
    roc_auc_score,
)
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import SVC
from maxmargin.evaluation import (
    PrecisionRecallCurve,
    RocCurve,
    Run,
    band_of,
    choose_threshold,
    evaluate,
)

RNG = np.random.default_rng(0)
Y = RNG.integers(0, 2, 80)
SCORES = np.round(RNG.normal(size=80) + Y, 1)  # with ties


def test_the_area_of_the_steps_is_the_average_precision():
    weight = RNG.uniform(0.5, 2.0, 80)
    for given in (None, weight):
        curve = PrecisionRecallCurve.from_scores(Y, SCORES, [0, 1], given)
        assert curve.area == pytest.approx(average_precision_score(Y, SCORES, sample_weight=given))
        assert curve.chance == pytest.approx(np.average(Y, weights=given))
    assert curve.recall[0] == 0
    assert curve.recall[-1] == 1
    assert (np.diff(curve.recall) > 0).all()


def test_several_classes_average_their_curves():
    y = RNG.integers(0, 3, 90)
    scores = RNG.normal(size=(90, 3)) + np.eye(3)[y]
    curve = PrecisionRecallCurve.from_scores(y, scores, [0, 1, 2])
    areas = [average_precision_score(y == c, scores[:, c]) for c in range(3)]
    assert curve.area == pytest.approx(np.mean(areas))


@pytest.mark.parametrize("y", [np.zeros(4), np.ones(4)])
def test_rows_of_one_class_have_no_curve(y):
    assert PrecisionRecallCurve.from_scores(y, np.arange(4.0), [0, 1]) is None


def test_a_band_holds_the_mean_of_the_folds():
    X, y = make_classification(120, flip_y=0.2, random_state=0)
    run = evaluate(SVC(), X, y, protocol=4, decisions=True, random_state=0)["SVC"]
    areas = [
        (roc_auc_score(f.truth, f.decision), average_precision_score(f.truth, f.decision))
        for f in run.folds
    ]
    for band, column in zip((run.roc(), run.precision_recall()), np.transpose(areas), strict=True):
        assert band.area == pytest.approx(np.mean(column))
        assert band.deviation == pytest.approx(np.std(column, ddof=1))
        assert (band.low <= band.mean).all()
        assert (band.mean <= band.high).all()
        assert len(band.curves) == 4
    assert (np.diff(run.roc().mean) >= 0).all()


def test_values_of_pairs_become_values_of_classes():
    X, y = make_classification(90, n_classes=3, n_informative=4, random_state=0)
    plain = SVC(gamma=0.1)
    pairs = SVC(gamma=0.1, decision_function_shape="ovo")
    models = {"plain": plain, "pairs": pairs, "inside": make_pipeline(StandardScaler(), pairs)}
    runs = evaluate(models, X, y, protocol=3, decisions=True, random_state=0)
    assert runs["pairs"].roc().area == runs["plain"].roc().area
    assert runs["inside"].folds[0].decision.shape == (30, 3)


def test_a_band_of_one_curve_is_the_curve():
    curve = RocCurve.from_scores(Y, SCORES, [0, 1])
    band = band_of([curve])
    np.testing.assert_array_equal(band.low, band.high)
    assert auc(band.x, band.mean) == pytest.approx(curve.area, abs=0.02)
    assert band.deviation == 0


def test_curves_of_two_kinds_are_no_band():
    curves = [k.from_scores(Y, SCORES, [0, 1]) for k in (RocCurve, PrecisionRecallCurve)]
    for given in (curves, []):
        with pytest.raises(TypeError, match="all RocCurve or all PrecisionRecallCurve"):
            band_of(given)


GOALS = {
    "balanced_accuracy": balanced_accuracy_score,
    "accuracy": accuracy_score,
    "f1": f1_score,
    "recall": recall_score,
}


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("goal", GOALS)
def test_no_other_threshold_reaches_more(goal, weighted):
    weight = RNG.integers(1, 4, 80).astype(float) if weighted else None
    found = choose_threshold(Y, SCORES, goal, min_precision=0.6, sample_weight=weight)

    def reached(cut):
        said = (cut <= SCORES).astype(int)
        if precision_score(Y, said, sample_weight=weight, zero_division=0) < 0.6:
            return -np.inf
        return GOALS[goal](Y, said, sample_weight=weight)

    assert reached(found.value) == pytest.approx(found.score)
    assert found.score == pytest.approx(max(map(reached, [*np.unique(SCORES), 99.0])))
    said = found.value <= SCORES
    assert found.recall == pytest.approx(recall_score(Y, said, sample_weight=weight))
    assert found.precision == pytest.approx(precision_score(Y, said, sample_weight=weight))


def test_a_threshold_stands_between_scores_and_in_the_widest_of_equal_gaps():
    assert choose_threshold([0, 1, 0, 1], [0.0, 0.1, 0.4, 1.4]).value == pytest.approx(0.9)
    assert choose_threshold(["n", "y"], [3.0, 1.0], pos_label="n").value == pytest.approx(2.0)


def test_a_threshold_of_folds_uses_rows_that_models_did_not_learn_from():
    X, y = make_classification(150, weights=[0.85], flip_y=0.1, random_state=1)
    run = evaluate(SVC(), X, y, decisions=True, random_state=0)["SVC"]
    found = run.threshold("balanced_accuracy")
    truth, values = (
        np.concatenate([getattr(f, a) for f in run.folds]) for a in ("truth", "decision")
    )
    assert found.score == pytest.approx(balanced_accuracy_score(truth, values >= found.value))
    assert found.score > balanced_accuracy_score(truth, values >= 0)


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (lambda: choose_threshold(Y, SCORES, min_recall=1.1), "No threshold gives recall >= 1.1"),
        (lambda: choose_threshold(Y, SCORES, "auc"), "'goal' parameter of choose_threshold"),
        (lambda: choose_threshold([1, 1], [0, 1]), "rows of two classes, got 1"),
        (Run("SVC", ()).roc, "with decisions=True"),
    ],
)
def test_what_cannot_be_chosen_is_refused_in_a_sentence(call, said):
    with pytest.raises(ValueError, match=said):
        call()
