"""The problems of the golden table: small fits of all estimators, solvers, losses and kernels."""

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import maxmargin as mm
from maxmargin import kernels, losses


@dataclass(frozen=True)
class Problem:
    """An estimator, the data it is fitted to, and whether rows have weights."""

    name: str
    model: BaseEstimator
    data: str
    weighted: bool = False


def _blobs(rows: int, columns: int, classes: int, apart: float = 1.5, seed: int = 0) -> Any:
    random = np.random.default_rng(seed)
    y = np.arange(rows) % classes
    centres = apart * random.normal(size=(classes, columns)) / np.sqrt(columns)
    return centres[y] + random.normal(size=(rows, columns)), y


def _single(data: Any) -> Any:
    return data[0].astype(np.float32), data[1]


def _words(rows: int, columns: int, classes: int) -> Any:
    random = np.random.default_rng(3)
    y = np.arange(rows) % classes
    X = sparse.random(rows, columns, 0.05, "csr", rng=random)
    marks = sparse.csr_matrix((np.ones(rows), (np.arange(rows), y)), shape=(rows, columns))
    return sparse.csr_matrix(X + marks.multiply(random.random((rows, 1)) > 0.3)), y


def _ring(rows: int, columns: int = 2) -> Any:
    X = np.random.default_rng(5).normal(size=(rows, columns))
    return X, (np.square(X[:, :2]).sum(axis=1) > 1.4).astype(int)


def _curve(rows: int, columns: int) -> Any:
    random = np.random.default_rng(7)
    X = random.normal(size=(rows, columns))
    return X, np.sin(X[:, 0]) + 0.5 * X[:, 1] + 0.1 * random.normal(size=rows)


def _strings() -> Any:
    random = np.random.default_rng(9)
    y = np.arange(30) % 2
    letters = np.array(list("abcd"))
    return ["".join(random.choice(letters, 12)) + "aab" * c for c in y], y


def _matrix() -> Any:
    X, y = _ring(50)
    return X @ X.T + 1.0, y


def _binary_features() -> Any:
    random = np.random.default_rng(11)
    X = sparse.csr_matrix((random.random((400, 500)) < 0.02).astype(float))
    return X, (X[:, :40].sum(axis=1).A1 > 0.5).astype(int)


DATA: dict[str, Callable[[], Any]] = {
    "two": lambda: _blobs(60, 4, 2),
    "two32": lambda: _single(_blobs(60, 4, 2)),
    "four": lambda: _blobs(80, 5, 4),
    "four32": lambda: _single(_blobs(80, 5, 4)),
    "wide": lambda: _blobs(30, 120, 2),
    "wide3": lambda: _blobs(36, 90, 3),
    "tall": lambda: _blobs(400, 6, 2),
    "apart": lambda: _blobs(40, 3, 2, apart=9.0),
    "far": lambda: (_blobs(50, 3, 2)[0] + 1e4, _blobs(50, 3, 2)[1]),
    "words": lambda: _words(90, 300, 2),
    "words3": lambda: _words(90, 300, 3),
    "flags": _binary_features,
    "ring": lambda: _ring(70),
    "ring32": lambda: _single(_ring(70)),
    "large": lambda: _ring(2300, 3),
    "curve": lambda: _curve(60, 4),
    "curve32": lambda: _single(_curve(60, 4)),
    "curve_wide": lambda: _curve(25, 60),
    "strings": _strings,
    "matrix": _matrix,
}


@cache
def load(name: str) -> Any:
    """Return X and y."""
    return DATA[name]()


@cache
def weights(name: str) -> Any:
    """Return sample weights; some rows weigh nothing."""
    n = len(load(name)[1])
    weight = 0.25 + np.random.default_rng(1).random(n)
    weight[::11] = 0.0
    return weight


def _svc() -> Iterator[tuple[BaseEstimator, str]]:
    for data in ("two", "two32", "four", "four32", "wide", "far", "words", "ring", "ring32"):
        for kernel in ("linear", "rbf", "poly"):
            yield mm.SVC(kernel=kernel), data
    for solver, data in product(
        ("smo", "smo_first_order", "osuna", "coordinate_ascent"), ("two", "four32", "ring")
    ):
        yield mm.SVC(solver=solver, random_state=0), data
    for multiclass, C in product(("ovo", "ovr"), (0.01, 100.0)):
        yield mm.SVC(multiclass=multiclass, C=C, class_weight="balanced"), "four"
    for kernel in (
        kernels.Laplacian(0.5),
        kernels.Matern(gamma=0.7),
        kernels.RationalQuadratic(gamma=0.7),
        kernels.RBF(0.5) + kernels.Linear(),
        kernels.Normalized(kernels.Polynomial(2)),
        kernels.FromFunction(_min_kernel, batch=True),
    ):
        yield mm.SVC(kernel=kernel), "ring"
    yield mm.SVC(kernel="sigmoid"), "two"
    yield mm.SVC(kernel=kernels.Spectrum(2)), "strings"
    yield mm.SVC(kernel="precomputed"), "matrix"
    yield mm.SVC(kernel="linear", C=1e12), "apart"
    for intercept in ("regularized", "none"):
        yield mm.SVC(intercept=intercept), "ring"
    yield mm.SVC(), "large"
    yield mm.SVC(solver="smo"), "large"
    yield mm.SVC(cache_size=1.0), "large"
    yield mm.SVC(cache_size=1.0, shrinking=False), "large"
    yield mm.SVC(max_iter=20), "ring"
    yield mm.SVC(tol=1e-9), "two32"
    yield mm.SVC(approximate=12, random_state=0), "tall"
    yield mm.SVC(approximate=12, random_state=0), "four32"


def _min_kernel(A: Any, B: Any) -> Any:
    return np.minimum(np.abs(A)[:, None], np.abs(B)[None]).sum(axis=2)


def _kernel_machines() -> Iterator[tuple[BaseEstimator, str]]:
    for data in ("two", "four32", "ring"):
        yield mm.NuSVC(nu=0.3), data
        yield mm.NuSVC(nu=0.2, kernel="linear"), data
        yield mm.SlackBudgetSVC(budget=20.0), data
        yield mm.SlackBudgetSVC(budget=10.0, kernel="rbf"), data
        yield mm.OneClassSVM(nu=0.2), data
        yield mm.KernelMachineClassifier(), data
        yield mm.KernelMachineClassifier(loss="squared_hinge", C=10.0), data
        yield mm.KernelLogisticRegression(kernel="linear"), data
        yield mm.KernelDiscriminant(), data
    yield mm.OneClassSVM(nu=0.1, kernel="linear"), "wide"
    yield mm.OneClassSVM(nu=0.1), "large"
    for kernel in ("rbf", "linear"):
        yield mm.HardMarginSVC(kernel=kernel), "apart"
    yield mm.HardMarginSVC(kernel="rbf", multiclass="ovr"), "four"
    yield mm.MultipleKernelSVC(), "two"
    yield mm.MultipleKernelSVC(p=2.0), "four"
    for data in ("curve", "curve32", "curve_wide"):
        for kernel in ("rbf", "linear"):
            yield mm.SVR(kernel=kernel), data
            yield mm.NuSVR(kernel=kernel, nu=0.4), data
        yield mm.KernelMachineRegressor(), data
        yield mm.KernelMachineRegressor(loss="huber"), data
    yield mm.SVR(C=100.0, epsilon=0.01), "curve"


def _linear() -> Iterator[tuple[BaseEstimator, str]]:
    data = ("two", "four32", "wide", "tall", "words", "flags")
    for loss, intercept, name in product(("hinge", "squared_hinge"), ("regularized", "free"), data):
        yield mm.LinearSVC(loss=loss, intercept=intercept), name
    for solver in ("dual_coordinate", "newton", "gradient_descent"):
        yield mm.LinearSVC(solver=solver), "two"
        yield mm.LinearSVC(solver=solver), "words"
    yield mm.LinearSVC(loss="hinge", solver="working_set", intercept="free"), "words"
    for solver in ("projected_subgradient", "pegasos"):
        yield mm.LinearSVC(loss="hinge", solver=solver, tol=0.05), "two"
    for name in ("two", "words3", "wide"):
        yield mm.LinearSVC(penalty="l1"), name
        yield mm.LinearSVC(multi_class="crammer_singer"), name
    yield mm.LinearSVC(dual=False), "wide3"
    yield mm.LinearSVC(dual=True), "tall"
    yield mm.LinearSVC(loss="hinge", C=1e6), "flags"
    yield mm.LinearSVC(max_iter=2, loss="hinge"), "words"
    yield mm.LinearSVC(fit_intercept=False), "far"
    for loss, name in product(
        ("logistic", "exponential", "squared", "modified_huber", "hinge"), ("two", "wide3", "words")
    ):
        yield mm.LinearClassifier(loss=loss), name
    yield mm.LinearClassifier(penalty="l1", C=0.3), "four"
    yield mm.LinearClassifier(penalty=None), "tall"
    yield mm.LinearClassifier(penalty=None, loss="hinge"), "tall"
    yield mm.LinearClassifier(loss=losses.SquaredHinge(), intercept="regularized"), "far"
    for loss, name in product(
        ("epsilon_insensitive", "squared_epsilon_insensitive"), ("curve", "curve32", "curve_wide")
    ):
        yield mm.LinearSVR(loss=loss, epsilon=0.1), name


def _ensembles() -> Iterator[tuple[BaseEstimator, str]]:
    short: Any = {"n_estimators": 12}
    for name in ("two", "four", "ring32", "wide"):
        yield mm.AdaBoostClassifier(**short), name
        yield mm.BoostingClassifier(**short), name
    tree, shallow = DecisionTreeClassifier(max_depth=2), DecisionTreeRegressor(max_depth=2)
    yield mm.AdaBoostClassifier(tree, random_state=0, **short), "four"
    yield mm.AdaBoostClassifier(resample=True, random_state=0, **short), "ring"
    yield mm.AdaBoostClassifier(n_iter_no_change=3, random_state=0, **short), "ring"
    yield mm.AdaBoostClassifier(corrective=True, **short), "two"
    for loss in ("hinge", "squared_hinge", "exponential", "modified_huber"):
        yield mm.BoostingClassifier(loss=loss, **short), "two"
    yield mm.BoostingClassifier(n_iter_no_change=3, random_state=0, **short), "ring"
    for loss in ("squared_error", "absolute_error", "huber", "quantile"):
        yield mm.BoostingRegressor(loss=loss, **short), "curve"
    yield mm.BoostingRegressor(estimator=shallow, random_state=0, **short), "curve32"
    yield mm.BaggingClassifier(random_state=0), "two"
    yield mm.BaggingClassifier(mm.DecisionStump(), random_state=0, oob_score=True), "four"
    yield mm.BaggingClassifier(mm.SVC(), n_estimators=4, random_state=0), "ring"
    yield mm.boosting.LPBoostClassifier(n_estimators=12), "two"
    yield mm.DecisionStump(), "four"
    yield mm.RegressionStump(), "curve"
    yield mm.OneVsOneClassifier(mm.LinearSVC()), "four"
    yield mm.OneVsRestClassifier(mm.SVC(kernel="linear")), "four"
    yield mm.SVCCV(2, 2), "ring"
    yield mm.LinearSVCCV(3), "two"


def _weighted() -> Iterator[tuple[BaseEstimator, str]]:
    for model in (
        mm.SVC(),
        mm.NuSVC(nu=0.2),
        mm.LinearSVC(),
        mm.LinearSVC(loss="hinge", intercept="free"),
        mm.LinearClassifier(class_weight="balanced"),
        mm.AdaBoostClassifier(n_estimators=8),
        mm.BoostingClassifier(n_estimators=8),
        mm.KernelMachineClassifier(),
    ):
        yield model, "two"
    for model in (mm.SVR(), mm.NuSVR(), mm.LinearSVR(), mm.BoostingRegressor(n_estimators=8)):
        yield model, "curve"


def _one_thread(model: BaseEstimator) -> BaseEstimator:
    return model.set_params(n_jobs=1) if "n_jobs" in model.get_params(deep=False) else model


def all_problems() -> list[Problem]:
    """Return every problem of the table; names are unique."""
    plain = [*_svc(), *_kernel_machines(), *_linear(), *_ensembles()]
    listed = [(model, data, False) for model, data in plain]
    listed += [(model, data, True) for model, data in _weighted()]
    problems = {}
    for model, data, weighted in listed:
        name = f"{_short(model)} on {data}{' with weights' if weighted else ''}"
        assert name not in problems
        problems[name] = Problem(name, _one_thread(model), data, weighted)
    return list(problems.values())


def _short(model: BaseEstimator) -> str:
    return re.sub(r" at 0x\w+", "", " ".join(repr(model).split()))
