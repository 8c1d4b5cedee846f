"""Nothing works for a second without a look at the clock, on 200,000 rows either.

What is measured is processor time, of each thread by itself, and time limits count it too: a
machine that does other things as well, or a slow disk, changes nothing. Loops that are compiled
meanwhile are measured again once they are.
"""

import importlib
import inspect
import pkgutil
import signal
import threading
import time
import traceback
import warnings
from contextlib import contextmanager, suppress
from functools import cache
from types import SimpleNamespace

import numpy as np
import pytest
from numba.core import event
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import get_tags

import maxmargin
from maxmargin import SVC, LinearClassifier, LinearSVC
from maxmargin.ops import clock as clocks

WIDTH, MANY, CLASSES = 50, 200_000, 26
LONGEST, LIMIT = 1.0, 1.0  # seconds of a processor: between two looks, and of a fit
EVERY = 0.02  # seconds between two knocks at the main thread

USUAL = {
    "OneVsOneClassifier": {"estimator": LinearSVC(n_jobs=1)},
    "OneVsRestClassifier": {"estimator": LinearSVC(n_jobs=1)},
    "HardMarginSVC": {"kernel": "rbf"},
    "SlackBudgetSVC": {"budget": 30.0},
}
RETURNED = {"FrameModel"}  # by the main job: a pipeline of the others
OTHER_WAYS = [
    SVC(solver="smo"),
    SVC(solver="osuna"),
    SVC(solver="coordinate_ascent"),
    SVC(approximate=500),
    SVC(kernel="linear", C=100.0),
    LinearSVC(loss="hinge", solver="dual_coordinate", tol=1e-12, max_iter=10**8),
    LinearSVC(multi_class="crammer_singer", tol=1e-12, max_iter=10**8),
    LinearSVC(penalty="l1", tol=1e-12, max_iter=10**8),
    LinearSVC(loss="hinge", intercept="free", C=1e4, tol=1e-12),
    LinearClassifier(solver="gradient_descent", learning_rate=1e-9, tol=1e-12, max_iter=10**8),
]


def kinds():
    """Every estimator that the package shows anywhere."""
    found = {}
    rooms = [each.name for each in pkgutil.iter_modules(maxmargin.__path__) if each.ispkg]
    for module in [maxmargin, *(importlib.import_module(f"maxmargin.{name}") for name in rooms)]:
        shown = [getattr(module, name) for name in getattr(module, "__all__", ())]
        found |= {e.__name__: e for e in shown if inspect.isclass(e)}
    found = {name: e for name, e in found.items() if name not in RETURNED}
    return [e for e in found.values() if issubclass(e, BaseEstimator) and hasattr(e, "fit")]


def models():
    for kind in kinds():
        given = USUAL.get(kind.__name__, {})
        alone = {"n_jobs": 1} if "n_jobs" in inspect.signature(kind).parameters else {}
        yield pytest.param(kind(**given, **alone), id=kind.__name__)
    for model in OTHER_WAYS:
        yield pytest.param(clone(model).set_params(n_jobs=1), id=" ".join(f"{model}".split()))


def taking(name):
    return [param for param in models() if name in param.values[0].get_params(deep=False)]


@cache
def rows(count):
    """Classes and numbers that a bend tells apart, with noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(count, WIDTH)).astype(np.float32)
    numbers = X[:, 0] + X[:, 1] * X[:, 2] + rng.normal(size=count)
    return X, numbers


def fit(model, count):
    X, numbers = rows(count)
    several = getattr(model, "multi_class", "") == "crammer_singer"
    if several:
        y = np.digitize(numbers, np.quantile(numbers, np.linspace(0, 1, CLASSES + 1)[1:-1]))
    else:
        y = numbers > 0 if is_classifier(model) else numbers
    if get_tags(model).input_tags.pairwise:
        X = X[:0]
    beside = (
        {"qid": np.arange(count) // 20} if "qid" in inspect.signature(model.fit).parameters else {}
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return model.fit(X, y, **beside)
        except ValueError:  # a matrix that no memory holds is refused
            return None


class Looks:
    """The longest that any thread has worked without a look."""

    def __init__(self):
        self.longest, self.where, self._last, self.total = 0.0, "", {}, 0.0

    def begin(self):
        self._last[threading.get_ident()] = time.thread_time()

    def __call__(self):
        thread, now = threading.get_ident(), time.thread_time()
        since = now - self._last.get(thread, now)
        if since > self.longest:
            self.longest = since
            self.where = "".join(traceback.format_stack(limit=12)) if since > 0.1 else ""
        self._last[thread] = time.thread_time()


@contextmanager
def looks_at(monkeypatch):
    """Count looks at the clock, which shows processor time."""
    looks, over = Looks(), clocks.Clock.over

    def look(self):
        looks()
        return over(self)

    with monkeypatch.context() as patched:
        patched.setattr(clocks.Clock, "over", look)
        patched.setattr(clocks, "time", SimpleNamespace(perf_counter=time.process_time))
        looks.begin()
        begin = time.process_time()
        yield looks
        looks()
        looks.total = time.process_time() - begin


@contextmanager
def knocked(after):
    """Knock at the main thread's door now and then, and press Ctrl-C after so many seconds."""
    looks, begin, pressed = Looks(), time.process_time(), []

    def knock(_number, _frame):
        looks()
        if not pressed and time.process_time() - begin >= after:
            pressed.append(True)
            signal.raise_signal(signal.SIGINT)

    usual = signal.signal(signal.SIGPROF, knock)
    interrupt = signal.signal(signal.SIGINT, signal.default_int_handler)
    looks.begin()
    signal.setitimer(signal.ITIMER_PROF, EVERY, EVERY)
    try:
        yield looks
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0.0)
        looks()
        signal.signal(signal.SIGPROF, usual)
        signal.signal(signal.SIGINT, interrupt)


def measured(run):
    """Do it until nothing was compiled meanwhile; gives its looks."""
    for _ in range(8):
        with event.install_recorder("numba:compile") as compiled:
            looks = run()
        if not compiled.buffer:
            return looks
    raise AssertionError("Something is compiled in every fit.")


def assert_soon(looks, longest):
    assert looks.longest < longest, f"{looks.longest:.2f} s before\n{looks.where}"


def assert_in_time(model, monkeypatch, count, limit, longest):
    def run():
        with looks_at(monkeypatch) as looks:
            fit(clone(model).set_params(time_limit=limit), count)
        return looks

    looks = measured(run)
    assert_soon(looks, longest)
    assert looks.total < limit + longest, f"{looks.total:.2f} s"


def assert_raised(model, count, after, longest):
    """Whoever has no limit, or is not asked for one, hears Ctrl-C."""

    def run():
        # A fit that ends by itself as Ctrl-C is pressed leaves it to the end of the block.
        with suppress(KeyboardInterrupt), knocked(after) as looks:
            fit(clone(model), count)
        return looks

    assert_soon(measured(run), longest)


def assert_kept(model, monkeypatch, count, after, longest):
    def run():
        kept = False
        with suppress(KeyboardInterrupt), looks_at(monkeypatch) as looks, knocked(after):
            fit(clone(model).set_params(on_interrupt="keep"), count)
            kept = True
        assert kept
        return looks

    assert_soon(measured(run), longest)


@pytest.mark.parametrize("chosen", taking("time_limit"))
def test_a_limit_is_kept(chosen, monkeypatch):
    assert_in_time(chosen, monkeypatch, MANY // 10, 0.1 * LIMIT, 0.5 * LONGEST)


@pytest.mark.parametrize("chosen", list(models()))
def test_ctrl_c_is_heard(chosen):
    assert_raised(chosen, MANY // 10, 0.1 * LIMIT, 0.5 * LONGEST)


@pytest.mark.parametrize("chosen", taking("on_interrupt"))
def test_ctrl_c_keeps_what_there_is(chosen, monkeypatch):
    assert_kept(chosen, monkeypatch, MANY // 10, 0.1 * LIMIT, 0.5 * LONGEST)


@pytest.mark.sweep
@pytest.mark.parametrize("chosen", taking("time_limit"))
def test_a_limit_is_kept_on_many_rows(chosen, monkeypatch):
    assert_in_time(chosen, monkeypatch, MANY, LIMIT, LONGEST)


@pytest.mark.sweep
@pytest.mark.parametrize("chosen", list(models()))
def test_ctrl_c_is_heard_on_many_rows(chosen):
    assert_raised(chosen, MANY, LIMIT, LONGEST)


@pytest.mark.sweep
@pytest.mark.parametrize("chosen", taking("on_interrupt"))
def test_ctrl_c_keeps_what_there_is_of_many_rows(chosen, monkeypatch):
    assert_kept(chosen, monkeypatch, MANY, LIMIT, LONGEST)
