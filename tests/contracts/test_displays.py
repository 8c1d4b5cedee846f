"""Every picture of every estimator, found by discovery: it is drawn, or refused in a sentence."""

import inspect
import re
import warnings
from functools import cache

import matplotlib.pyplot as plt
import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.exceptions import NotFittedError
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer
from sklearn.utils import all_estimators

import maxmargin
from maxmargin import SVC, plots
from maxmargin.report import DataSummary, FitReport

BOOSTED = {"BoostingClassifier", "BoostingRegressor", "BoostingRanker"}
GLASS_BOXES = {"GlassBoxClassifier", "GlassBoxRegressor"}
OF_PROBABILITIES = {"CalibrationDisplay", "ProbabilityDisplay"}
OF_ALL_CLASSIFIERS = {
    "BoundaryDisplay",
    "MarginDisplay",
    "PrecisionRecallDisplay",
    "ProjectionDisplay",
}
DRAWN = {
    "AlphaDisplay": {"AdaBoostClassifier"},
    "DescentDisplay": {"AdaBoostClassifier"} | BOOSTED,
    "ErrorCurveDisplay": {"AdaBoostClassifier", "BoostingClassifier", "BaggingClassifier"},
    "ExplanationDisplay": GLASS_BOXES,
    "ForcesDisplay": {"HardMarginSVC", "SlackBudgetSVC"},  # those that are linear unless told
    "HardestDisplay": {"AdaBoostClassifier"},
    "KernelWeightsDisplay": {"MultipleKernelSVC"},
    "LossCurveDisplay": BOOSTED,
    "MarginDistributionDisplay": {"AdaBoostClassifier", "BaggingClassifier"},
    "PairDisplay": GLASS_BOXES,
    "RoundsDisplay": {"AdaBoostClassifier"},
    "RoundsTableDisplay": {"AdaBoostClassifier"},
    "ShapeDisplay": {"AdaBoostClassifier"} | BOOSTED,
    "SlacknessDisplay": {"HardMarginSVC", "SVC", "SVCCV", "SlackBudgetSVC"},
    "TableSearchDisplay": {"TableSVC", "TableSVR"},
    "TermsDisplay": GLASS_BOXES,
    "StumpDisplay": {"AdaBoostClassifier", "DecisionStump"},
}
OF_NO_ESTIMATOR = {
    "BiasVarianceDisplay": "from_results",
    "ConvergenceDisplay": "from_traces",
    "GramDisplay": "from_matrix",
    "DetectionsDisplay": "from_boxes",
    "DetectorRocDisplay": "from_evaluations",
    "FirstFeaturesDisplay": "from_cascade",
    "LossDisplay": "from_losses",
    "OverfittingDisplay": "from_results",
    "PathDisplay": "from_path",
    "PopulationDisplay": "from_losses",
    "SearchDisplay": "from_costs",
    "SplitsDisplay": "from_trail",
    "SubtreeDisplay": "from_weights",
    "TellingDisplay": "from_weights",
    "SurvivalDisplay": "from_scan",
    "EvidenceDisplay": "from_explanation",
    "TuningDisplay": "from_results",
    "VoronoiDisplay": "from_points",
}

RNG = np.random.default_rng(0)
Y = np.arange(40) % 2
X = np.abs(RNG.normal(size=(40, 2))) + 3.0 * Y[:, None]
NEEDED = {"estimator": SVC(), "budget": 1.0}
PAIRED = {"pairs": [(0, 1)], "n_estimators": 20, "n_iter_no_change": None}
ASKED = {"GlassBoxClassifier": PAIRED, "GlassBoxRegressor": PAIRED}


def build(kind):
    """Make an estimator, with what it cannot do without."""
    given = inspect.signature(kind).parameters.items()
    needed = [name for name, each in given if each.default is each.empty]
    return kind(**{name: NEEDED[name] for name in needed})


def fit(model):
    takes = inspect.signature(model.fit).parameters
    return model.fit(X, Y, **({"qid": np.arange(40) // 10} if "qid" in takes else {}))


def drawn_name(model):
    """Of a search the best model is drawn, and named."""
    return type(getattr(model, "best_estimator_", model)).__name__


@cache
def fitted(name):
    return fit(build(OURS[name]).set_params(**ASKED.get(name, {})))


def displays():
    found = {name: getattr(plots, name) for name in plots.__all__ if name.endswith("Display")}
    return {name: kind for name, kind in found.items() if hasattr(kind, "from_estimator")}


def estimators():
    exported = {name: getattr(maxmargin, name) for name in maxmargin.__all__}
    classes = {name: each for name, each in exported.items() if inspect.isclass(each)}
    return {name: kind for name, kind in classes.items() if issubclass(kind, BaseEstimator)}


DISPLAYS, OURS = displays(), estimators()
IN_STEPS = FunctionTransformer().fit(X)  # which leaves rows as they are, and models fitted

# Those of several targets, and that of codes rather than numbers.
NOT_OF_A_PLANE = {"ClassifierChain", "MultiOutputClassifier", "CategoricalNB"}
THEIRS = {
    name: kind
    for name, kind in all_estimators(type_filter="classifier")
    if name not in NOT_OF_A_PLANE
}
INNER = {"estimator": LogisticRegression()}
NEEDED_BY = {
    "FixedThresholdClassifier": INNER | {"threshold": 0.9},
    "LabelPropagation": {"kernel": "knn"},  # the radial one is undefined far from all rows
    "LabelSpreading": {"kernel": "knn"},
    "OneVsOneClassifier": INNER,
    "OneVsRestClassifier": INNER,
    "OutputCodeClassifier": INNER | {"random_state": 0},
    "RadiusNeighborsClassifier": {"outlier_label": "most_frequent"},
    "SelfTrainingClassifier": INNER,
    "StackingClassifier": {"estimators": [("svc", SVC())]},
    "TunedThresholdClassifierCV": INNER,
    "VotingClassifier": {"estimators": [("svc", SVC()), ("other", LogisticRegression())]},
}


def draw(kind, model):
    """Ask for a picture with whatever of the data it takes."""
    data = {"X": X, "y": Y, "sets": {"test": (X, Y)}, "grid_resolution": 12, "k": 3}
    takes = inspect.signature(kind.from_estimator).parameters
    return kind.from_estimator(model, **{name: data[name] for name in data if name in takes})


def is_drawn(display, model):
    if display in OF_ALL_CLASSIFIERS:
        return is_classifier(model)
    if display in OF_PROBABILITIES:
        best = getattr(model, "best_estimator_", model)
        return is_classifier(model) and hasattr(best, "predict_proba")
    return type(model).__name__ in DRAWN[display]


def assert_one_sentence(message):
    assert "\n" not in message
    assert re.search(r"[a-z0-9)]\.$", message)
    assert not re.search(r"\. (?!Got )[A-Z]", message)


def test_no_display_and_no_estimator_escapes():
    assert set(DISPLAYS) == set(DRAWN) | OF_ALL_CLASSIFIERS | OF_PROBABILITIES
    others = {name for name in plots.__all__ if name.endswith("Display")} - set(DISPLAYS)
    assert others == set(OF_NO_ESTIMATOR)
    assert set().union(*DRAWN.values()) <= set(OURS)
    assert len(OURS) >= 13


@pytest.fixture(autouse=True)
def _close_figures():
    yield
    plt.close("all")


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("display", DISPLAYS)
def test_it_is_drawn_or_refused_in_a_sentence(display, name):
    kind, model = DISPLAYS[display], fitted(name)
    if is_drawn(display, model):
        drawn = draw(kind, model)
        drawn.figure_.draw_without_rendering()
        assert isinstance(drawn, kind)
        return
    with pytest.raises(TypeError) as caught:
        draw(kind, model)
    assert_one_sentence(str(caught.value))
    assert str(caught.value).startswith(drawn_name(model))
    assert kind.drawn_of in str(caught.value)
    assert plt.get_fignums() == []


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("display", DISPLAYS)
def test_pipelines_are_drawn_where_their_last_step_is(display, name):
    kind, pipeline = DISPLAYS[display], make_pipeline(IN_STEPS, fitted(name))
    if is_drawn(display, pipeline[-1]):
        assert isinstance(draw(kind, pipeline), kind)
    else:
        with pytest.raises(TypeError, match=f"^{drawn_name(pipeline[-1])} "):
            draw(kind, pipeline)


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("display", DISPLAYS)
def test_what_is_not_fitted_is_refused_as_scikit_learn_does(display, name):
    with pytest.raises(NotFittedError):
        draw(DISPLAYS[display], clone(fitted(name)))


@pytest.mark.parametrize("display", DISPLAYS)
def test_the_docstring_names_the_estimators(display):
    kind = DISPLAYS[display]
    text = " ".join(kind.__doc__.split())
    assert "For " in text
    named = DRAWN.get(display, {"classifier"})
    assert all(each in text for each in named)
    assert any(each in kind.drawn_of for each in named)


@pytest.mark.parametrize("name", THEIRS)
def test_margins_are_drawn_of_every_classifier_of_scikit_learn(name):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated ones, and those that do not converge
        model = THEIRS[name](**NEEDED_BY.get(name, {})).fit(X, Y)
    drawn = draw(plots.MarginDisplay, model)
    rows, said = np.c_[drawn.xx0.ravel(), drawn.xx1.ravel()], drawn.response.ravel()
    clear = np.abs(said) > 1e-9
    np.testing.assert_array_equal((said > 0)[clear], model.predict(rows)[clear] == 1)


@pytest.mark.parametrize("name", OURS)
def test_every_classifier_has_a_report_and_nothing_else_has(name):
    model, data = fitted(name), DataSummary("rows.csv", "", len(Y), 0, "y", ())
    if is_classifier(model):
        report = FitReport.of(model, (X, Y), (X, Y), data=data, command="")
        assert f"<p>{drawn_name(model)}" in report.render()
        return
    with pytest.raises(TypeError, match=f"^{name} is no classifier") as caught:
        FitReport.of(model, (X, Y), (X, Y), data=data, command="")
    assert_one_sentence(str(caught.value))


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("display", OF_NO_ESTIMATOR)
def test_pictures_of_no_estimator_say_what_they_are_of(display, name):
    kind = getattr(plots, display)
    take = getattr(kind, OF_NO_ESTIMATOR[display])
    model = fitted(name)
    searched = display == "TuningDisplay" and hasattr(model, "cv_results_")  # what it is drawn of
    for given in ({"a": model},) if searched else (model, {"a": model}):
        with pytest.raises((TypeError, ValueError)) as caught:
            take(given)
        assert_one_sentence(str(caught.value))
    assert "For " in kind.__doc__
