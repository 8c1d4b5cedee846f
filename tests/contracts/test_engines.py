"""Every engine has the same verbs, and whole fits run on any of them."""

import inspect
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from pkgutil import iter_modules
from threading import Event

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import make_blobs

from maxmargin import (
    SVC,
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    DecisionStump,
    HardMarginSVC,
    LinearClassifier,
    LinearSVC,
    Status,
)
from maxmargin.kernels import RBF, Laplacian, Polynomial
from maxmargin.ops import cpu
from maxmargin.ops.engine import Engine, engine_of, engines, serving
from maxmargin.ops.threads import side_by_side
from maxmargin.solvers import BOX_QP_SOLVERS

every_engine = pytest.mark.parametrize("engine", engines(), ids=lambda engine: engine.name)
X, y = make_blobs(60, centers=3, cluster_std=3.0, random_state=0)
ROWS = np.random.default_rng(0).normal(size=(30, 3))

_BELOW = {"atomic", "extremes", "gate", "prefetch"}  # what loops are made of, not verbs
GROUPS = [found.name for found in iter_modules(cpu.__path__) if found.name not in _BELOW]


def verbs(group):
    module = import_module(f"maxmargin.ops.cpu.{group}")
    found = vars(module).items()
    ours = [(name, value) for name, value in found if hasattr(value, "py_func")]
    return [name for name, value in ours if name[0] != "_" and value.__module__ == module.__name__]


@every_engine
@pytest.mark.parametrize("group", GROUPS)
def test_every_engine_has_every_verb_with_the_same_arguments(engine, group):
    ours = import_module(f"maxmargin.ops.cpu.{group}")
    theirs = getattr(engine, group)
    assert verbs(group)
    for name in verbs(group):
        compiled = getattr(ours, f"_{name}", getattr(ours, name)).py_func  # hands its arguments on
        other = getattr(theirs, name)
        wanted = list(inspect.signature(compiled).parameters)
        got = inspect.signature(getattr(other, "py_func", other)).parameters
        free = any(p.kind is p.VAR_POSITIONAL for p in got.values())
        assert free or list(got) == wanted, name


@every_engine
@pytest.mark.parametrize("kernel", [RBF(0.5), Laplacian(0.5), Polynomial(degree=3)], ids=str)
def test_kernels_are_evaluated_on_any(engine, kernel):
    with serving(engine):
        assert engine_of(ROWS) is engine
        values = kernel(ROWS)
    np.testing.assert_allclose(values, kernel(ROWS), rtol=1e-10)


@every_engine
@pytest.mark.parametrize("solver", BOX_QP_SOLVERS)
@pytest.mark.parametrize("cache_size", [200, 0.01])
def test_kernel_machines_are_fitted_on_any(engine, solver, cache_size):
    options = {"solver": solver, "cache_size": cache_size, "tol": 1e-6, "gamma": 0.5}
    with serving(engine):
        model = SVC(**options).fit(X, y)
        values = model.decision_function(X)
    assert {c.status for c in model.certificates_} == {Status.CERTIFIED}
    np.testing.assert_allclose(values, SVC(**options).fit(X, y).decision_function(X), atol=1e-4)


@every_engine
def test_a_hard_margin_is_fitted_on_any(engine):
    with serving(engine):
        model = HardMarginSVC(kernel=RBF(5.0)).fit(X, y)
    assert {c.status for c in model.certificates_} == {Status.CERTIFIED}


@every_engine
@pytest.mark.parametrize(
    "chosen",
    [
        LinearSVC(solver="dual_coordinate", loss="hinge", C=0.01, tol=1e-5, random_state=0),
        LinearSVC(penalty="l1", dual=False, tol=1e-6),
        LinearSVC(multi_class="crammer_singer", tol=1e-6, random_state=0),
        LinearClassifier(loss="logistic", tol=1e-8),
    ],
    ids=str,
)
@pytest.mark.parametrize("layout", [np.asarray, csr_array], ids=["dense", "sparse"])
def test_linear_machines_are_fitted_on_any(engine, chosen, layout):
    with serving(engine):
        fitted = clone(chosen).fit(layout(X), y)
    assert fitted.certificate_.status is Status.CERTIFIED
    expected = clone(chosen).fit(layout(X), y).decision_function(X)
    np.testing.assert_allclose(fitted.decision_function(X), expected, rtol=2e-2, atol=2e-2)


@every_engine
@pytest.mark.parametrize(
    "chosen",
    [
        DecisionStump(),
        AdaBoostClassifier(n_estimators=5),
        BoostingClassifier(n_estimators=5),
        BaggingClassifier(DecisionStump(), n_estimators=5, random_state=0),
    ],
    ids=str,
)
def test_ensembles_of_stumps_are_fitted_on_any(engine, chosen):
    with serving(engine):
        values = clone(chosen).fit(X, y).predict_proba(X)
    np.testing.assert_allclose(values, clone(chosen).fit(X, y).predict_proba(X), rtol=1e-9)


def test_other_threads_are_not_served_by_it():
    usual, entered, left = engine_of(ROWS), Event(), Event()

    def other():
        with serving(Engine("reference")):
            entered.set()
            left.wait(10)
        return engine_of(ROWS)

    with ThreadPoolExecutor(1) as pool:
        with serving(Engine("reference")):
            ended = pool.submit(other)
            entered.wait(10)
        assert engine_of(ROWS) is usual
        left.set()
        assert ended.result() is usual


def test_the_threads_of_a_fit_are_served_by_it():
    with serving(Engine("reference")):
        served = side_by_side(lambda _: engine_of(ROWS).name, range(4), n_jobs=4)
    assert served == ["reference"] * 4
