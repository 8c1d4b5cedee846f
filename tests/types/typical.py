"""Typical calls, checked by mypy --strict and pyright against the installed package."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import maxmargin
from maxmargin import SVC, AdaBoostClassifier, Certificate, LinearSVC, Status, TableSVC
from maxmargin.datasets import load_mixture
from maxmargin.export import ExportError, to_python
from maxmargin.kernels import RBF, Kernel, Linear


def fit_and_judge(X: NDArray[np.float64], y: NDArray[np.int64]) -> Certificate:
    model = SVC(C=1.0, gamma=0.5, time_limit=10.0).fit(X, y)
    certificate = model.certificate_
    if certificate.status is not Status.CERTIFIED:
        raise ValueError(certificate.status.sentence)
    return certificate


def combine() -> Kernel:
    kernel: Kernel = 0.5 * RBF(gamma=1.0) + Linear() ** 2
    return kernel.normalized()


def score(X: NDArray[np.float64], y: NDArray[np.int64]) -> list[float]:
    models: list[SVC | LinearSVC | AdaBoostClassifier]
    models = [SVC(kernel=combine()), LinearSVC(C=0.1), AdaBoostClassifier(n_estimators=10)]
    return [float(model.fit(X, y).score(X, y)) for model in models]


def write(X: NDArray[np.float64], y: NDArray[np.int64]) -> str:
    model = LinearSVC().fit(X, y)
    try:
        text: str = to_python(model)
    except ExportError as error:
        text = str(error)
    return text


def on_a_table(table: object, labels: NDArray[np.int64]) -> NDArray[np.float64]:
    machine = TableSVC(time_limit=5.0).fit(table, labels)
    shares: NDArray[np.float64] = machine.predict_proba(table)
    return shares


if __name__ == "__main__":
    data, target = load_mixture(return_X_y=True)
    print(fit_and_judge(data, target).relative_gap, score(data, target), maxmargin.__version__)
    print(write(data, target))
