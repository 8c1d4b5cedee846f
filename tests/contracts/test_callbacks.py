"""Every estimator calls scikit-learn's callbacks, and its model is the same bit for bit."""

import inspect
import pickle
import signal
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import pytest
from joblib import parallel_config
from sklearn.base import BaseEstimator, clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import maxmargin
from maxmargin import (
    SVC,
    SVCCV,
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    LinearSVC,
    OneVsRestClassifier,
)
from maxmargin.boosting import LPBoostClassifier, Stop
from maxmargin.kernels import Nystroem
from maxmargin.neighbors import CondensedNeighbors, EditedNeighbors, KNeighborsClassifierCV
from maxmargin.storage import load_model, save_model, to_plain

callback = pytest.importorskip("sklearn.callback", exc_type=ImportError)

OTHERS = [
    CondensedNeighbors(),
    EditedNeighbors(),
    KNeighborsClassifierCV(3),
    OneVsRestClassifier(LPBoostClassifier(n_estimators=4)),
    Nystroem(n_components=5, random_state=0),
]
FITTED_TO = "decision_function", "predict_proba", "transform", "predict"


class Recorder:
    """Keeps what it is told; callbacks of this name are handed on by searches and pipelines."""

    max_propagation_depth = None

    def __init__(self, stop_at=None):
        self.told, self.stop_at = [], stop_at

    def _note(self, hook, context):
        self.told.append((hook, context.estimator_name, context.task_name))

    def setup(self, estimator, context):
        self._note("setup", context)

    def teardown(self, estimator, context):
        self._note("teardown", context)

    def on_fit_task_begin(self, estimator, context):
        self._note("begin", context)

    def on_fit_task_end(self, estimator, context, *, fitted_estimator=None):
        self._note("end", context)
        if context.task_name == "fit" and context.parent is None:
            self.fitted = fitted_estimator
        return self.stop_at is not None and self.count("end", "percent") >= self.stop_at

    def count(self, hook, task):
        return sum((hook, task) == (a, c) for a, _, c in self.told)


def answers(model, X):
    return [getattr(model, name)(X) for name in FITTED_TO if hasattr(model, name)]


def check_same(model, other, X):
    for mine, others in zip(answers(model, X), answers(other, X), strict=True):
        np.testing.assert_array_equal(mine, others)


def check_watched(fit, model, X):
    """Fit with a callback and without; the model and what is told are as they should be."""
    plain, recorder = fit(clone(model)), Recorder()
    watched = fit(clone(model).set_callbacks(recorder))
    check_same(watched, plain, X)
    name = type(model).__name__
    assert recorder.told[:2] == [("setup", name, "fit"), ("begin", name, "fit")]
    assert recorder.told[-2:] == [("end", name, "fit"), ("teardown", name, "fit")]
    assert recorder.told[2:-2] == 100 * [("begin", name, "percent"), ("end", name, "percent")]
    check_same(recorder.fitted, plain, X)
    assert vars(watched).keys() - vars(plain).keys() == {"_skl_callbacks"}


@pytest.fixture(autouse=True)
def _quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        yield


def test_a_watched_fit_gives_the_same_model(model, data):
    check_watched(data.fit, model, data.X)


@pytest.mark.parametrize("other", OTHERS, ids=repr)
def test_what_is_not_at_the_top_is_watched_too(other, data):
    check_watched(lambda model: model.fit(data.X, data.labels), other, data.X)


@pytest.mark.sweep
def test_every_way_to_fit_gives_the_same_model_watched(variant, data):
    check_watched(data.fit, variant, data.X)


def test_all_that_is_fitted_takes_callbacks():
    rooms = [maxmargin, maxmargin.boosting, maxmargin.kernels, maxmargin.neighbors]
    kinds = {getattr(room, name) for room in rooms for name in room.__all__}
    fitted = [k for k in kinds if inspect.isclass(k) and issubclass(k, BaseEstimator)]
    fitted = [k for k in fitted if hasattr(getattr(k, "fit", None), "__wrapped__")]
    assert len(fitted) > 30
    assert [kind for kind in fitted if not hasattr(kind, "set_callbacks")] == []


def test_what_is_no_callback_is_refused():
    with pytest.raises(TypeError, match="callbacks must be instances"):
        SVC().set_callbacks(print)


def test_no_callbacks_take_them_away(data):
    recorder = Recorder()
    SVC().set_callbacks(recorder).set_callbacks().fit(data.X, data.labels)
    assert recorder.told == []


# what takes long reports on the way


@pytest.mark.parametrize(
    "slow",
    [
        AdaBoostClassifier(DecisionTreeClassifier(max_depth=1)),
        SVC(C=10.0),
        LinearSVC(loss="hinge", solver="dual_coordinate"),
        SVCCV(),
    ],
    ids=repr,
)
def test_progress_is_told_before_the_end(slow, data, monkeypatch):
    """Where there is more than one piece of work, more than one share of it is told."""
    seen = []
    monkeypatch.setattr("maxmargin.progress.callbacks._Steps.__call__", lambda _, s: seen.append(s))
    rng = np.random.default_rng(0)
    X = rng.normal(size=(3000, 8)) if not isinstance(slow, SVCCV) else data.X
    y = (X[:, 0] + rng.normal(size=len(X)) > 0).astype(int)
    slow.set_callbacks(Recorder()).fit(X, y)
    assert seen == sorted(seen)
    assert len(set(seen)) > 5
    assert seen[-1] == 1.0


# failure and the end


def test_a_fit_that_fails_leaves_nothing_behind(data):
    recorder = Recorder()
    model = SVC(C=-1.0).set_callbacks(recorder)
    with pytest.raises(ValueError, match="'C' parameter"):
        model.fit(data.X, data.labels)
    assert recorder.told[-1] == ("teardown", "SVC", "fit")
    assert vars(model).keys() - vars(SVC()).keys() == {"_skl_callbacks"}


def test_a_callback_may_fail(data):
    class Broken(Recorder):
        def on_fit_task_end(self, estimator, context):
            raise RuntimeError("broken")

    model = AdaBoostClassifier().set_callbacks(Broken())
    with pytest.raises(RuntimeError, match="broken"):
        model.fit(data.X, data.labels)
    assert not hasattr(model, "estimators_")


def test_fits_inside_of_a_fit_are_not_watched_again(data):
    """Calibration fits clones of the model, callbacks and all."""
    recorder, model = Recorder(), SVC(probability=True).set_callbacks(Recorder())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # as in scikit-learn
        model.set_callbacks(recorder).fit(data.X, data.labels)
    assert recorder.count("begin", "fit") == 1
    wrapped = OneVsRestClassifier(SVC().set_callbacks(inner := Recorder()), n_jobs=1)
    wrapped.fit(data.X, data.labels)
    assert inner.count("begin", "fit") == 3


@pytest.mark.parametrize("callbacks", [[], [Recorder()]])
@pytest.mark.parametrize(
    ("cautious", "fit_again", "said"),
    [
        (BaggingClassifier(n_estimators=2, warm_start=True), True, "All members asked for"),
        (BoostingClassifier("exponential", n_estimators=1, time_limit=0.0), False, None),
        (SVC(max_iter=1), False, "Solver terminated early"),
    ],
    ids=repr,
)
def test_warnings_point_at_the_line_of_the_user(cautious, fit_again, said, callbacks, data):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        watched = clone(cautious).set_callbacks(*callbacks)
        for _ in range(1 + fit_again):
            watched.fit(data.X, data.labels)
    assert all(Path(each.filename) == Path(__file__) for each in caught)
    assert said is None or said in str(caught[-1].message)


def test_an_interrupt_is_the_users_with_callbacks_too(data):
    def interrupt(_progress):
        signal.raise_signal(signal.SIGINT)

    model = SVC(C=1e6, gamma=1e-3, callback=interrupt, on_interrupt="keep")
    model.set_callbacks(Recorder()).fit(data.X, data.labels)
    assert model.certificate_.status.name == "INTERRUPTED"


@pytest.mark.parametrize("booster", [AdaBoostClassifier, BoostingClassifier])
def test_a_callback_can_end_rounds(booster, data):
    model = booster(n_estimators=50, callback=lambda _: None).set_callbacks(Recorder(stop_at=20))
    model.fit(data.X, data.labels)
    assert (model.stop_, len(model.history_)) == (Stop.CALLBACK, 10)


# together with scikit-learn


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_a_search_hands_its_callbacks_on(n_jobs, data):
    recorder = Recorder()
    search = GridSearchCV(SVC(), {"C": [0.1, 1.0]}, cv=2, n_jobs=n_jobs)
    alone = clone(search).set_params(n_jobs=None).fit(data.X, data.labels)
    with parallel_config("threading"):
        search.set_callbacks(recorder).fit(data.X, data.labels)
    check_same(search, alone, data.X)
    assert recorder.count("end", "percent") == 5 * 100
    assert not hasattr(search.best_estimator_, "_parent_callback_ctx")


def test_a_pipeline_hands_its_callbacks_on(data):
    recorder = Recorder()
    model = make_pipeline(StandardScaler(), OneVsRestClassifier(SVC())).set_callbacks(recorder)
    model.fit(data.X, data.labels)
    told = [(name, task) for hook, name, task in recorder.told if hook == "end"]
    assert told.count(("OneVsRestClassifier", "percent")) == 100
    assert ("SVC", "fit") not in told


def test_scikit_learns_bar_draws_ours(data, capsys):
    SVC().set_callbacks(callback.ProgressBar()).fit(data.X, data.labels)
    said = capsys.readouterr().out
    assert "SVC - fit" in said
    assert "100%" in said


def test_scores_are_monitored(data):
    monitor = callback.ScoringMonitor(scoring="accuracy")
    model = SVC().set_callbacks(monitor).fit(data.X, data.labels)
    (found,) = monitor.get_logs().data
    assert found["accuracy"] == model.score(data.X, data.labels)


# callbacks are no part of a model


def test_model_files_leave_callbacks_out(data, tmp_path):
    model = make_pipeline(StandardScaler(), SVC()).fit(data.X, data.labels)
    model[-1].set_callbacks(Recorder())
    save_model(tmp_path / "a.maxmargin", model)
    check_same(load_model(tmp_path / "a.maxmargin").value, model, data.X)
    assert "_skl_callbacks" not in str(to_plain(model[-1]))


def test_pickles_and_clones_keep_them(data):
    model = SVC().set_callbacks(callback.ProgressBar(max_propagation_depth=0))
    assert clone(model)._skl_callbacks == model._skl_callbacks
    check_same(
        pickle.loads(pickle.dumps(model)).fit(data.X, data.labels),
        clone(SVC()).fit(data.X, data.labels),
        data.X,
    )


def test_older_versions_of_scikit_learn_have_none():
    code = (
        "import sys; sys.modules['sklearn.callback'] = None\n"
        "from maxmargin import SVC; assert not hasattr(SVC, 'set_callbacks')\n"
        "SVC().fit([[0.0], [1.0]], [0, 1])"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
