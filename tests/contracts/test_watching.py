"""Watching changes nothing: a model is the same to the last bit whether somebody listens or not.

Nor does a time limit that is not met, nor lines that are printed: whoever wants to see more of a
fit must not be given another one.
"""

import dataclasses
import inspect
import time
from types import SimpleNamespace

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.utils import get_tags

from maxmargin import (
    SVC,
    SVCCV,
    AdaBoostClassifier,
    BaggingClassifier,
    LinearSVC,
    LinearSVR,
    NuSVC,
    OneVsOneClassifier,
    OneVsRestClassifier,
)
from maxmargin.boosting import History
from maxmargin.datasets import make_overlapping
from maxmargin.ops import clock

pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")

GENEROUS = 1e6  # seconds
CLOCKS = ("seconds", "_time", "_time_")  # how long something took is not what was learnt


def watchers():
    """What may be asked for that is not part of the model."""
    return {
        "callback": {"callback": [].append},
        "verbose": {"verbose": 1},
        "time_limit": {"time_limit": GENEROUS},
        "all": {"callback": [].append, "verbose": 1, "time_limit": GENEROUS},
    }


def asked(model, options):
    """Such of them as this estimator takes, and whoever is inside it."""
    names = [name for name in model.get_params() if name.rpartition("__")[2] in options]
    return {name: options[name.rpartition("__")[2]] for name in names}


def kept(value):
    """All that a fitted object holds, as plain values that are equal only if their bits are."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, History):  # as it is shown: how many rounds a call made does not show
        return kept(value.rounds)
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: kept(each) for key, each in value.items() if not _watching(str(key))}
    if isinstance(value, list | tuple):
        return [kept(each) for each in value]
    plain = value is None or isinstance(value, str | bytes | int | np.dtype | type)
    return value if plain or inspect.isroutine(value) else kept(value.__reduce_ex__(4))


def _watching(name):
    return name.endswith(CLOCKS) or name.rpartition("__")[2] in watchers()


def assert_unchanged(model, fit, ways=None):
    expected = kept(fit(clone(model)))
    for way in watchers() if ways is None else ways:
        options = asked(model, watchers()[way])
        if options:
            watched = fit(clone(model).set_params(**options))
            assert kept(watched) == expected, way


def test_every_algorithm_makes_the_same_model(variant, data, capsys):
    assert_unchanged(variant, data.fit)


def test_every_algorithm_makes_the_same_model_of_sparse_rows(model, data, capsys):
    rows = dataclasses.replace(data, X=sparse.csr_matrix(data.X))
    if _takes_sparse(model):
        assert_unchanged(model, rows.fit, ["all"])


def _takes_sparse(model):
    return get_tags(model).input_tags.sparse


@pytest.mark.parametrize("error", [StopIteration, ValueError, KeyboardInterrupt])
def test_what_a_callback_raises_arrives_and_the_model_stays(model, data, error):
    """A StopIteration too, which would end a loop over what is lazy without a word."""
    if "callback" not in model.get_params(deep=False):
        return

    def fail(*_told):
        raise error("of the callback")

    fitted = data.learn(model)
    before = kept(fitted)
    fitted.set_params(callback=fail, **_more_rounds(model))
    with pytest.raises(error, match="of the callback"):
        data.fit(fitted)
    assert kept(fitted.set_params(**clone(model).get_params(deep=False))) == before


def test_a_fit_in_a_callback_has_a_limit_of_its_own(model, data, monkeypatch):
    """That of the fit which calls back would end it with an exception that nobody waits for."""
    if not {"callback", "time_limit"} <= model.get_params(deep=False).keys():
        return
    found, late = [], [0.0]
    watch = SimpleNamespace(perf_counter=lambda: time.perf_counter() + late[0])
    monkeypatch.setattr(clock, "time", watch)

    def fit_another(*_told):
        late[0] = 0.5  # the time of the other is over
        found.append(SVC(C=10.0).fit(data.X, data.labels).certificate_.status.name)

    outer = clone(model).set_params(callback=fit_another, time_limit=0.3, **_more_rounds(model))
    assert data.fit(outer) is outer
    assert set(found) <= {"CERTIFIED"}


def _more_rounds(model):
    return {"n_estimators": 12} if getattr(model, "warm_start", False) else {}


LARGE = make_overlapping(1500, separation=2, n_features=10, random_state=0)
MANY = {  # rows enough for loops that go on for several calls, and for kernel rows that are cached
    "newton": LinearSVC(loss="hinge", C=0.1, tol=1e-6, solver="newton"),
    "hinge": LinearSVC(loss="hinge"),
    "free": LinearSVC(loss="hinge", intercept="free", C=10.0),
    "squared": LinearSVC(tol=1e-8),
    "coordinates": LinearSVC(loss="hinge", solver="dual_coordinate"),
    "targets": LinearSVR(C=10.0),
    "kernel": SVC(C=10.0),
    "cached": SVC(C=10.0, cache_size=1.0),
    "nu": NuSVC(nu=0.3),
    "search": SVCCV(Cs=3, gammas=2),
    "boosted": AdaBoostClassifier(n_estimators=300),
    "bagged": BaggingClassifier(LinearSVC(loss="hinge"), n_estimators=3, random_state=0),
    "pairs": OneVsOneClassifier(LinearSVC(loss="hinge", tol=1e-6)),
    "rest": OneVsRestClassifier(SVC(C=10.0)),
}


@pytest.mark.parametrize("name", MANY)
@pytest.mark.parametrize("weighted", [False, True], ids=["plain", "weighted"])
def test_many_rows_make_the_same_model(name, weighted, capsys):
    X, y = LARGE
    takes = "sample_weight" in inspect.signature(MANY[name].fit).parameters
    if weighted and not takes:
        return
    weight = {"sample_weight": np.linspace(0.5, 2.0, len(y))} if weighted else {}
    assert_unchanged(MANY[name], lambda model: model.fit(X, y, **weight), ["all"])


@pytest.mark.parametrize("C", [0.01, 0.1, 1.0, 10.0, 100.0])
@pytest.mark.parametrize("tol", [1e-4, 1e-6])
def test_watched_hinges_are_certified(C, tol):
    """One step without a gain is not the end, wherever the compiled steps are looked at."""
    for seed in range(3):
        data = make_overlapping(1500, separation=2, n_features=10, random_state=seed)
        lines = []
        model = LinearSVC(loss="hinge", C=C, tol=tol, solver="newton", callback=lines.append)
        assert model.fit(*data).certificate_.status.name == "CERTIFIED"
        assert [line.iterations for line in lines] == list(range(model.n_iter_ + 1))
        assert lines[-1].gap <= tol * lines[-1].primal
