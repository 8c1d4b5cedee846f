"""From a scene's model to an estimator, and to the Python that makes the same one."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.neighbors import KNeighborsClassifier

from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier
from maxmargin.glass_box import GlassBoxClassifier
from maxmargin.kernels import RBF, Kernel, Laplacian, Linear, Matern, Polynomial, RationalQuadratic
from maxmargin.kernels import Sigmoid as SigmoidKernel
from maxmargin.studio.scene import Model, Scene
from maxmargin.svm.hard_margin import HardMarginSVC
from maxmargin.svm.kernel_machine_classifier import KernelLogisticRegression
from maxmargin.svm.linear_classifier import LinearClassifier
from maxmargin.svm.linear_svc import LinearSVC
from maxmargin.svm.nu_svc import NuSVC
from maxmargin.svm.svc import SVC

LONGEST = 5.0
"""Seconds of a fit; the picture then shows the best point so far."""


def kernel_of(model: Model) -> Kernel:
    """Return the kernel of a model."""
    gamma = model["gamma"]
    makers: dict[str, Any] = {
        "linear": Linear,
        "rbf": lambda: RBF(gamma=gamma),
        "poly": lambda: Polynomial(degree=model["degree"], gamma=gamma, coef0=model["coef0"]),
        "sigmoid": lambda: SigmoidKernel(gamma=gamma, coef0=model["coef0"]),
        "laplacian": lambda: Laplacian(gamma=gamma),
        "matern": lambda: Matern(nu=1.5, gamma=gamma),
        "rational": lambda: RationalQuadratic(alpha=1.0, gamma=gamma),
    }
    kernel: Kernel = makers[model.kernel]()
    return kernel


def estimator_of(model: Model, **more: Any) -> Any:
    """Return the estimator that a model stands for."""
    parameters = parameters_of(model)
    limited = model.kind not in ("neighbors", "glass_box")
    return _CLASSES[model.kind](**parameters | ({"time_limit": LONGEST} if limited else {}) | more)


_CLASSES: dict[str, Any] = {
    "hard": HardMarginSVC,
    "svc": SVC,
    "nu": NuSVC,
    "logistic_kernel": KernelLogisticRegression,
    "linear": LinearSVC,
    "logistic": LinearClassifier,
    "neighbors": KNeighborsClassifier,
    "adaboost": AdaBoostClassifier,
    "boosting": BoostingClassifier,
    "glass_box": GlassBoxClassifier,
}


def parameters_of(model: Model) -> dict[str, Any]:
    """Return the parameters that the page shows and the code prints."""
    kind = model.kind
    if kind in ("hard", "svc", "nu", "logistic_kernel"):
        found: dict[str, Any] = {"kernel": kernel_of(model)}
        if kind in ("svc", "logistic_kernel"):
            found["C"] = model["C"]
        if kind == "nu":
            found["nu"] = model["nu"]
        if kind == "svc" and model.solver != "working_set":
            found["solver"] = model.solver
        return found
    return {
        "linear": {"C": model["C"], "loss": "hinge", "intercept": "free"},
        "logistic": {"C": model["C"], "loss": "logistic"},
        "neighbors": {"n_neighbors": model["neighbors"]},
        "adaboost": {"n_estimators": model["rounds"]},
        "boosting": {"n_estimators": model["rounds"], "learning_rate": model["rate"]},
        "glass_box": {"random_state": 0},
    }[kind]


def code_of(scene: Scene) -> str:
    """Return the Python that makes exactly the model of a scene, of few points with its data."""
    model = scene.model
    name = _CLASSES[model.kind].__name__
    parameters = parameters_of(model)
    kernel = parameters.get("kernel")
    source = "sklearn.neighbors" if model.kind == "neighbors" else "maxmargin"
    lines = ["import numpy as np", f"from {source} import {name}"]
    if kernel is not None:
        lines.append(f"from maxmargin.kernels import {type(kernel).__name__}")
    lines += ["", _data(scene), ""]
    given = ", ".join(f"{key}={value!r}" for key, value in parameters.items())
    lines.append(f"model = {name}({given}).fit(X, y)")
    if model.kind in ("hard", "svc", "nu", "logistic_kernel", "linear", "logistic"):
        lines.append("print(model.certificate_)")
    lines.append('print("training accuracy", model.score(X, y))')
    return "\n".join(lines)


def _data(scene: Scene) -> str:
    table = np.column_stack([scene.X, scene.y])
    if len(table) > MOST_LINES:
        return (
            'table = np.loadtxt("points.csv", delimiter=",", skiprows=1)  # saved by the studio\n'
            "X, y = table[:, :2], table[:, 2].astype(int)"
        )
    rows = ", ".join(f"({a:.6g}, {b:.6g}, {int(c)})" for a, b, c in table)
    return f"table = np.array([{rows}])\nX, y = table[:, :2], table[:, 2].astype(int)"


MOST_LINES = 40
"""Points that the code spells out; of more it reads a file."""
