"""Every estimator that the package exports, found by discovery, with each of its algorithms.

A test that asks for ``model`` is run for every estimator, one that asks for ``variant`` for every
solver, loss and option of every estimator too, and one that asks for ``stumps`` for those that are
made of stumps.

A file about a group of verbs names it (GROUP); its tests run over every engine found: ``ops`` is
the group of any engine, ``tested`` that of one to be compared with ``reference``.
"""

import inspect
from dataclasses import dataclass, fields
from itertools import product
from typing import Any

import numpy as np
import pytest
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import maxmargin
from maxmargin import (
    SVC,
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    BoostingRanker,
    BoostingRegressor,
    DecisionStump,
    LinearSVC,
)
from maxmargin.ops.engine import engines
from maxmargin.solvers import BOX_QP_SOLVERS, LINEAR_SOLVERS

# What every fit below is given, where the estimator has such a parameter.
SHORT = {"n_estimators": 6, "random_state": 0, "estimator": SVC(), "Cs": 2, "gammas": 2}
# The hard margin exists with a kernel that tells any rows apart, and some slack is needed without.
USUAL = {
    "HardMarginSVC": {"kernel": "rbf"},
    "SlackBudgetSVC": {"budget": 30.0},
    "BaggingClassifier": {"max_samples": 0.5},
}
LINEAR = {
    "loss": ["hinge", "squared_hinge", "logistic"],
    "penalty": ["l2", "l1"],
    "solver": ["auto", *LINEAR_SOLVERS],
    "intercept": ["regularized", "free"],
}
CHOICES = {
    "SVC": {"solver": [*BOX_QP_SOLVERS], "kernel": ["linear", "rbf"], "multiclass": ["ovo", "ovr"]},
    "HardMarginSVC": {"kernel": ["rbf"], "multiclass": ["ovo", "ovr"]},
    "SlackBudgetSVC": {"kernel": ["linear", "rbf"], "multiclass": ["ovo", "ovr"]},
    "LinearSVC": LINEAR | {"multi_class": ["ovr"]},
    "LinearClassifier": LINEAR,
    "OneVsOneClassifier": {"estimator": [SVC(kernel="linear"), LinearSVC()]},
    "OneVsRestClassifier": {"estimator": [SVC(kernel="linear"), AdaBoostClassifier()]},
    "DecisionStump": {"criterion": ["error", "gini"]},
    "AdaBoostClassifier": {
        "estimator": [None, DecisionTreeClassifier(max_depth=2)],
        "resample": [False, True],
        "n_iter_no_change": [None, 3],
    },
    "BaggingClassifier": {
        "estimator": [None, DecisionTreeClassifier(max_depth=2), LinearSVC()],
        "bootstrap": [True, False],
    },
    "BoostingClassifier": {"loss": ["logistic", "hinge"], "n_iter_no_change": [None, 3]},
    "BoostingRegressor": {
        "loss": ["squared_error", "huber"],
        "estimator": [None, DecisionTreeRegressor(max_depth=2)],
        "n_iter_no_change": [None, 3],
    },
    "GlassBoxClassifier": {"loss": ["logistic", "squared_hinge"], "pairs": ["none", 2]},
    "GlassBoxRegressor": {
        "loss": ["squared_error", "absolute_error"],
        "refit": [None, "optimal"],
        "pairs": ["auto", 2],
    },
    "BoostingRanker": {"loss": ["pairwise_logistic", "squared_error"]},
}


def estimators():
    exported = (getattr(maxmargin, name) for name in maxmargin.__all__)
    return [e for e in exported if inspect.isclass(e) and issubclass(e, BaseEstimator)]


def build(kind, **options):
    """Make an estimator that is quick to fit."""
    wanted = inspect.signature(kind).parameters
    needed = {name for name, each in wanted.items() if each.default is each.empty}
    short = {k: v for k, v in SHORT.items() if k in wanted and (k != "estimator" or k in needed)}
    return kind(**short | USUAL.get(kind.__name__, {}) | options)


def taken(model):
    """Whether an estimator takes its parameters together."""
    try:
        model._check_parameters()
    except ValueError:
        return False
    return True


def variants():
    for kind in estimators():
        choices = CHOICES.get(kind.__name__, {})
        for values in product(*choices.values()):
            options = dict(zip(choices, values, strict=True))
            if taken(model := build(kind, **options)):
                yield pytest.param(model, id="-".join([kind.__name__, *map(str, values)]))
    yield pytest.param(LinearSVC(multi_class="crammer_singer"), id="LinearSVC-crammer_singer")


def usual():
    """Every estimator, and boosters in the ways of reading data that these have besides."""
    tree, ways = {"estimator": DecisionTreeClassifier(max_depth=2)}, {"n_iter_no_change": 3}
    besides = [
        build(AdaBoostClassifier, **tree),
        build(AdaBoostClassifier, resample=True, **ways),
        build(BaggingClassifier, **tree),
        build(BoostingClassifier, warm_start=True, **ways),
        build(BoostingRegressor, estimator=DecisionTreeRegressor(max_depth=2)),
        build(BoostingRanker, warm_start=True, **ways),
    ]
    return [*map(build, estimators()), *besides]


def of_stumps():
    bagged = build(BaggingClassifier, estimator=DecisionStump())
    return [bagged, *(m for m in usual() if "categorical_features" in vars(m) and _plain(m))]


def _plain(model):
    return getattr(model, "estimator", None) is None


def pytest_generate_tests(metafunc):
    lists = {"model": usual, "stumps": of_stumps}
    for name in [name for name in lists if name in metafunc.fixturenames]:
        metafunc.parametrize(name, lists[name](), ids=_id)
    if "variant" in metafunc.fixturenames:
        metafunc.parametrize("variant", list(variants()))
    if hasattr(metafunc.module, "GROUP"):
        _over_engines(metafunc, metafunc.module.GROUP)


def _over_engines(metafunc, group):
    chosen = {"ops": engines(), "tested": [e for e in engines() if e.name != "reference"]}
    for name in [name for name in chosen if name in metafunc.fixturenames]:
        verbs = [getattr(engine, group) for engine in chosen[name]]
        metafunc.parametrize(name, verbs, ids=[engine.name for engine in chosen[name]])


def _id(model):
    return " ".join(repr(model).split())


@pytest.fixture(scope="session")
def models():
    """All of them at once."""
    return usual()


@dataclass(frozen=True)
class Data:
    """Rows with all that a fit may be given; which of it, the estimator says."""

    X: Any
    labels: Any
    numbers: Any
    weight: Any
    query: Any

    def of(self, make):
        """Put everything into another container."""
        return Data(*(make(getattr(self, field.name)) for field in fields(self)))

    def y(self, model):
        return self.labels if is_classifier(model) else self.numbers

    def beside(self, model):
        """What else its fit takes."""
        given = {"sample_weight": self.weight, "qid": self.query}
        wanted = inspect.signature(model.fit).parameters
        return {name: value for name, value in given.items() if name in wanted}

    def fit(self, model):
        return model.fit(self.X, self.y(model), **self.beside(model))

    def learn(self, model):
        """Fit a clone."""
        return self.fit(clone(model))


@pytest.fixture(scope="session")
def data():
    """Some zeros, three classes that whole numbers and signs of the rows tell apart too."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 4)), 1)
    X[rng.random(X.shape) < 0.3] = 0.0
    label = np.where(X[:, 1] > 0, 2, X[:, 0] > 0)
    numbers = X[:, 0] + np.abs(X[:, 1]) + 0.5 * rng.normal(size=60)
    words = np.array(["yes", "no", "may be"])[label]
    return Data(X, words, numbers, rng.uniform(0.5, 2.0, size=60), rng.integers(0, 6, size=60))
