"""Every estimator ends in time: on Ctrl-C, within whatever called it, and at its time limit.

Times are those of the clock on the wall or of the processor, whichever is less: on a machine that
does other things as well the one runs on, and with several threads the other runs ahead.
"""

import faulthandler
import inspect
import signal
import threading
import time
import warnings
from contextlib import contextmanager
from copy import copy

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone
from sklearn.ensemble import BaggingClassifier as AnyBagging
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier as AnyOneVsRest
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import maxmargin
from maxmargin import SVC, LinearSVC

RNG = np.random.default_rng(0)
N, D = 4000, 400
X = RNG.normal(size=(N, D))
NOISE = RNG.integers(0, 2, size=N)
CLASSES = RNG.integers(0, 6, size=N)
TALL = RNG.normal(size=(600_000, 40)).astype(np.float32)
WARM: dict = {}  # models that were fitted once, by what they are
LATE, LIMIT, SLACK = 1.0, 0.3, 0.5  # seconds: to the prompt; to the end of a fit, and beyond

SVMS = {"C": 1e8, "tol": 1e-13, "gamma": 1e-5}
LINEAR = {"loss": "hinge", "dual": True, "C": 1e4, "tol": 1e-13, "max_iter": 10**8}
CURVED = {"C": 1e8, "tol": 1e-13, "gamma": 1e-3}
SLOW = {"C": 1.0, "tol": 1e-13, "max_iter": 10**8}
LONG = {  # what makes a fit take many seconds
    "SVC": SVMS,
    "SVR": SVMS | {"epsilon": 0.0},
    "NuSVC": {"gamma": 1e-5, "tol": 1e-13},
    "NuSVR": SVMS,
    "OneClassSVM": {"gamma": 1e-5, "tol": 1e-13},
    "LinearSVR": {"C": 1e4, "tol": 1e-13, "max_iter": 10**8},
    "KernelLogisticRegression": CURVED,
    "KernelMachineClassifier": CURVED,
    "KernelMachineRegressor": CURVED | {"loss": "absolute_error"},
    "SlackBudgetSVC": {"budget": 10.0, "gamma": 1e-5, "tol": 1e-13},
    "LinearSVC": LINEAR,
    "LinearClassifier": {**SLOW, "solver": "gradient_descent", "learning_rate": 1e-9},
    "GlassBoxClassifier": {"n_estimators": 10**7, "n_iter_no_change": None},
    "GlassBoxRegressor": {"n_estimators": 10**7, "n_iter_no_change": None},
    "OneVsOneClassifier": {"estimator": SVC(**SVMS)},
    "OneVsRestClassifier": {"estimator": LinearSVC(**LINEAR)},
}
ENDLESS = {"n_estimators": 10**7}
FAR = {"n_estimators": 2, "max_iter": 2000, "estimator__max_iter": 2000, "time_limit": 10.0}
FAR |= {"Cs": 2, "gammas": 2}
OTHER_WAYS = [
    SVC(solver="smo", **SVMS),
    SVC(solver="osuna", **SVMS | {"gamma": 1e-4}),
    SVC(solver="coordinate_ascent", **SVMS),
    LinearSVC(intercept="free", solver="working_set", **LINEAR),
    LinearSVC(multi_class="crammer_singer", C=1e4, tol=1e-13, max_iter=10**8),
    LinearSVC(penalty="l1", dual=False, C=1.0, tol=1e-15, max_iter=10**8),
]


def estimators():
    """Every estimator of the package, made to take long."""
    for name in maxmargin.__all__:
        kind = getattr(maxmargin, name)
        if inspect.isclass(kind) and issubclass(kind, BaseEstimator):
            taken = inspect.signature(kind).parameters
            given = LONG.get(name) or {k: v for k, v in ENDLESS.items() if k in taken}
            yield pytest.param(kind(**given), id=name)
    yield from (pytest.param(model, id=f"{model}".replace("\n", "")) for model in OTHER_WAYS)


def taking(name):
    """Those that have a parameter of this name."""
    return [param for param in estimators() if name in param.values[0].get_params(deep=False)]


def fit(model, rows=N):
    """Fit to rows without any pattern, or for a stump to many."""
    name = type(model).__name__
    if "Stump" in name:
        target = TALL[:, 0] > 0 if name == "DecisionStump" else TALL[:, 0]
        return model.fit(TALL[: 150 * rows], target[: 150 * rows])
    given = {"qid": np.arange(rows) // 20} if "Ranker" in name else {}
    if getattr(model, "penalty", "") == "l1":
        wide = X[:rows].reshape(-1, 2 * D)
        return model.fit(wide, NOISE[: len(wide)])
    several = "OneVs" in name or getattr(model, "multi_class", "") == "crammer_singer"
    return model.fit(X[:rows], (CLASSES if several else NOISE)[:rows], **given)


@contextmanager
def ctrl_c(after=0.1, again=20.0):
    """Interrupt the main thread; gives a list that tells when, on both clocks.

    Once more if that has no effect: a test shall fail, not hang.
    """
    sent, ready, done = [], threading.Event(), threading.Event()

    def press():
        ready.wait()  # starting a thread can take long, and nobody expects Ctrl-C meanwhile
        for wait in (after, again):
            if done.wait(wait):
                return
            sent.append((time.perf_counter(), time.process_time()))
            signal.pthread_kill(threading.main_thread().ident, signal.SIGINT)

    # What ran before in this process may have turned Ctrl-C off; a test that waits ends anyway.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    faulthandler.dump_traceback_later(60.0, exit=True)
    finger = threading.Thread(target=press)
    finger.start()
    try:
        ready.set()
        yield sent
    finally:
        done.set()
        finger.join()
        faulthandler.cancel_dump_traceback_later()


def seconds_since(then):
    """By the clock that shows less."""
    return min(time.perf_counter() - then[0], time.process_time() - then[1])


def assert_raises_soon(work):
    with ctrl_c() as sent, pytest.raises(KeyboardInterrupt):
        work()
    assert seconds_since(sent[0]) < LATE


def warm_up(model):
    """Have every loop compiled or loaded: Ctrl-C may be lost meanwhile, inside LLVM.

    Once for each model, however many tests want it; gives one that was fitted.
    """
    name = f"{type(model).__name__} {model.get_params()}"
    if name not in WARM:
        WARM[name] = fit_briefly(model)
    return copy(WARM[name])


def fit_briefly(model):
    few = {"n_estimators": 2, "max_iter": 5, "C": 1e-4, "tol": 0.1, "Cs": 2, "gammas": 2}
    short = clone(model)
    short.set_params(**{k: v for k, v in few.items() if k in model.get_params(deep=False)})
    if "OneVs" in type(model).__name__:
        short.set_params(estimator__max_iter=5, estimator__tol=0.1)
    far = clone(model)  # on a few rows, but to the end: some loops run only near the optimum
    far.set_params(**{k: v for k, v in FAR.items() if k in model.get_params()})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit(far, rows=60)
        return fit(short)


@pytest.mark.parametrize("chosen", list(estimators()))
def test_ctrl_c_raises_and_changes_nothing(chosen):
    model = warm_up(chosen).set_params(**chosen.get_params())
    before = dict(vars(model))
    assert_raises_soon(lambda: fit(model))
    assert list(vars(model)) == list(before)
    assert all(vars(model)[name] is value for name, value in before.items())


@pytest.mark.parametrize("chosen", taking("on_interrupt"))
def test_ctrl_c_keeps_the_best_so_far_on_demand(chosen):
    warm_up(chosen)
    model = clone(chosen).set_params(on_interrupt="keep")
    with ctrl_c() as sent, warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit(model)
    assert seconds_since(sent[0]) < LATE
    stopped = model.stop_ if hasattr(model, "stop_") else model.certificate_.status
    assert stopped.name == "INTERRUPTED"
    assert len(model.predict(X[:6].reshape(-1, model.n_features_in_))) in (3, 6)


@pytest.mark.parametrize("chosen", taking("time_limit"))
def test_time_limit(chosen):
    warm_up(chosen)
    model = clone(chosen).set_params(time_limit=LIMIT, n_jobs=1)
    begin = time.perf_counter(), time.process_time()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        fit(model)
    assert seconds_since(begin) < LIMIT + SLACK
    stopped = model.stop_ if hasattr(model, "stop_") else model.certificate_.status
    assert stopped.name == "TIME_LIMIT"
    assert len(model.predict(X[:6].reshape(-1, model.n_features_in_))) in (3, 6)


def grid(model):
    return GridSearchCV(model, {"C": [1e7, 1e8]}, cv=3)


AROUND = {
    "cross_val_score": lambda model: cross_val_score(model, X, NOISE),
    "pipeline": lambda model: make_pipeline(StandardScaler(), model).fit(X, NOISE),
    "search": lambda model: grid(model).fit(X, NOISE),
    "search in a pipeline": lambda model: make_pipeline(grid(model)).fit(X, NOISE),
    "bagging": lambda model: maxmargin.BaggingClassifier(model).fit(X, NOISE),
    "bagging of scikit-learn's": lambda model: AnyBagging(model).fit(X, NOISE),
    "one vs one": lambda model: maxmargin.OneVsOneClassifier(model).fit(X, CLASSES),
    "one vs rest of scikit-learn's": lambda model: AnyOneVsRest(model).fit(X, CLASSES),
}


@pytest.mark.parametrize("around", AROUND)
@pytest.mark.parametrize("chosen", [SVC(**SVMS), LinearSVC(**LINEAR)], ids=["SVC", "LinearSVC"])
def test_ctrl_c_ends_whatever_is_around(chosen, around):
    """Also where a fit would keep what it has: nobody asked to go on with that."""
    warm_up(chosen)
    model = clone(chosen).set_params(on_interrupt="keep")
    assert_raises_soon(lambda: AROUND[around](model))


def test_ctrl_c_ends_a_linear_program():
    rows, labels = np.tile(X, (2, 1)), RNG.integers(0, 2, size=2 * N)
    assert_raises_soon(lambda: maxmargin.separate(rows, labels))


@pytest.mark.parametrize("verb", ["predict", "decision_function"])
def test_ctrl_c_ends_a_prediction(verb):
    model = SVC(gamma=1e-3).fit(X, NOISE)
    many = np.tile(X, (20, 1))
    assert_raises_soon(lambda: getattr(model, verb)(many))
