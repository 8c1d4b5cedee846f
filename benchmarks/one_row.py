"""One row, as a service predicts it: ours and scikit-learn's, fitted to the same rows.

The median of many calls on the same row, as an array, a list and a table of one line; ours and
theirs take turns. The kernel machines have the same parameters and about the same support vectors.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contest import OURS, SKLEARN

BAR = 1.5
CALLS = 60
Pair = tuple[str, Any, Any, str, list[str]]


def _pairs() -> list[Pair]:
    from sklearn import ensemble, kernel_approximation, linear_model, multiclass, pipeline, svm
    from sklearn import neighbors as theirs
    from sklearn.kernel_ridge import KernelRidge
    from sklearn.preprocessing import StandardScaler
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

    import maxmargin as mm
    from maxmargin import kernels, neighbors

    values, both = ["predict"], ["predict", "decision_function"]
    shares = ["predict", "predict_proba"]
    calibrated = {"probability": True, "random_state": 0}
    features = {"gamma": 0.1, "n_components": 50, "random_state": 0}
    stages = pipeline.make_pipeline
    return [
        *((f"SVC, {n} classes", mm.SVC(), svm.SVC(), str(n), both) for n in (2, 3, 10, 26)),
        ("SVC, probabilities", mm.SVC(**calibrated), svm.SVC(**calibrated), "3", shares[1:]),
        ("SVC, linear", mm.SVC(kernel="linear"), svm.SVC(kernel="linear"), "2", both),
        ("NuSVC", mm.NuSVC(nu=0.3), svm.NuSVC(nu=0.3), "2", both),
        ("SVR", mm.SVR(), svm.SVR(), "quantity", values),
        ("NuSVR", mm.NuSVR(), svm.NuSVR(), "quantity", values),
        ("OneClassSVM", mm.OneClassSVM(), svm.OneClassSVM(), "nothing", both),
        ("HardMarginSVC", mm.HardMarginSVC(), svm.SVC(kernel="linear", C=1e6), "apart", both),
        (
            "KernelMachineRegressor",
            mm.KernelMachineRegressor(),
            KernelRidge(kernel="rbf"),
            "quantity",
            values,
        ),
        (
            "OneVsOneClassifier",
            mm.OneVsOneClassifier(mm.SVC()),
            multiclass.OneVsOneClassifier(svm.SVC()),
            "4",
            values,
        ),
        (
            "OneVsRestClassifier",
            mm.OneVsRestClassifier(mm.SVC()),
            multiclass.OneVsRestClassifier(svm.SVC()),
            "4",
            values,
        ),
        (
            "pipeline with SVC",
            stages(StandardScaler(), mm.SVC()),
            stages(StandardScaler(), svm.SVC()),
            "2",
            both,
        ),
        (
            "Nystroem",
            kernels.Nystroem(**features),
            kernel_approximation.Nystroem(**features),
            "nothing",
            ["transform"],
        ),
        (
            "FourierFeatures",
            kernels.FourierFeatures(**features),
            kernel_approximation.RBFSampler(**features),
            "nothing",
            ["transform"],
        ),
        (
            "KNeighborsClassifierCV",
            neighbors.KNeighborsClassifierCV(),
            theirs.KNeighborsClassifier(),
            "2",
            shares,
        ),
        (
            "KNeighborsRegressorCV",
            neighbors.KNeighborsRegressorCV(),
            theirs.KNeighborsRegressor(),
            "quantity",
            values,
        ),
        ("LinearSVC", mm.LinearSVC(), svm.LinearSVC(), "2", both),
        ("LinearSVC, 10 classes", mm.LinearSVC(), svm.LinearSVC(), "10", both),
        (
            "LinearClassifier, logistic",
            mm.LinearClassifier(loss="logistic"),
            linear_model.LogisticRegression(),
            "2",
            shares,
        ),
        ("LinearSVR", mm.LinearSVR(), svm.LinearSVR(), "quantity", values),
        (
            "AdaBoostClassifier",
            mm.AdaBoostClassifier(n_estimators=50),
            ensemble.AdaBoostClassifier(n_estimators=50),
            "2",
            [*both, "predict_proba"],
        ),
        (
            "BoostingClassifier",
            mm.BoostingClassifier(),
            ensemble.GradientBoostingClassifier(max_depth=1),
            "2",
            shares,
        ),
        (
            "BoostingRegressor",
            mm.BoostingRegressor(),
            ensemble.GradientBoostingRegressor(max_depth=1),
            "quantity",
            values,
        ),
        (
            "BaggingClassifier",
            mm.BaggingClassifier(),
            ensemble.BaggingClassifier(DecisionTreeClassifier(max_depth=1)),
            "2",
            values,
        ),
        ("DecisionStump", mm.DecisionStump(), DecisionTreeClassifier(max_depth=1), "2", shares),
        (
            "RegressionStump",
            mm.RegressionStump(),
            DecisionTreeRegressor(max_depth=1),
            "quantity",
            values,
        ),
    ]


def _data(task: str) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    classes = int(task) if task.isdecimal() else 2
    X = random.standard_normal((max(400, 40 * classes), 10))
    label = np.arange(len(X)) % classes
    X[:, 0] += (20.0 if task == "apart" else 1.0) * label
    if task == "nothing":
        return (X,)
    return (X, X[:, 0] + X[:, 1]) if task == "quantity" else (X, label)


def measure(small: bool) -> list[dict[str, Any]]:
    pairs = _pairs()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # scikit-learn 1.9 deprecates `probability`
        return [row for pair in (pairs[:1] if small else pairs) for row in _compare(*pair)]


def _compare(name: str, ours: Any, theirs: Any, task: str, methods: list[str]) -> list[Any]:
    X, *y = _data(task)
    rows = []
    for form, given in {"array": X, "list": X, "table": _table(X)}.items():
        models = [model.fit(given, *y) for model in (ours, theirs)]
        row = X[:1].tolist() if form == "list" else given[:1]
        for method in methods:
            spent = _take_turns([getattr(model, method) for model in models], row)
            seconds = dict(zip((OURS, SKLEARN), spent, strict=True))
            rows.append({"name": name, "form": form, "method": method, "seconds": seconds})
    worst = max(rows, key=_ratio)
    print(f"  {name}: {_ratio(worst):.2f}, {worst['form']}, {worst['method']}", flush=True)
    return rows


def _ratio(row: dict[str, Any]) -> float:
    return float(row["seconds"][OURS] / row["seconds"][SKLEARN])


def _table(X: Any) -> Any:
    import pandas as pd

    return pd.DataFrame(X, columns=[f"c{i}" for i in range(X.shape[1])])


def _take_turns(functions: list[Callable[[Any], Any]], row: Any) -> list[float]:
    spent: list[list[float]] = [[] for _ in functions]
    for _ in range(CALLS):
        for function, seconds in zip(functions, spent, strict=True):
            start = time.perf_counter()
            function(row)
            seconds.append(time.perf_counter() - start)
    return [float(np.median(seconds)) for seconds in spent]
