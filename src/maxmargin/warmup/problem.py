"""Small problems that lead estimators along all paths whose loops are compiled.

A kernel machine has loops for problems that fit into one working set and for those that do not,
for two classes and for several, in a few columns and in many; hence several problems of a kind.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any, Final

import numpy as np
from scipy import sparse

import maxmargin
from maxmargin import kernels, neighbors

KINDS: Final = ("float32", "float64", "csr")
_FEW, _MANY = 60, 2_100  # rows; more than fit into one working set
_NARROW, _WIDE = 4, 40  # columns, by which several classes are evaluated one way or the other
_TEXTS: Final = ["abcab", "bcabc", "aabba", "bbaab", "cabca", "acbba"]


@dataclass(frozen=True)
class Shape:
    """How large a problem is, and how many classes it has."""

    rows: int = _FEW
    columns: int = _NARROW
    classes: int = 2


_SHAPES = Shape(), Shape(classes=3)
_KERNEL_SHAPES = *_SHAPES, Shape(columns=_WIDE, classes=3), Shape(rows=_MANY)


@dataclass(frozen=True)
class Estimator:
    """One public estimator: how it is made, what it learns, and which rows it takes."""

    make: Callable[[], Any]
    learns: str = "classes"
    shapes: tuple[Shape, ...] = _SHAPES
    takes_csr: bool = True

    def fit_and_predict(self, kind: str) -> None:
        """Fit all problems of a kind, and ask the models what they can tell."""
        if kind == "csr" and not self.takes_csr:
            return
        for shape in self.shapes:
            X, *rest = _problem(self.learns, shape, kind)
            _ask(self.make().fit(X, *rest), X)


def _ask(model: Any, X: Any) -> None:
    """Let a model predict one row and several."""
    for name in ("predict", "decision_function", "predict_proba", "transform"):
        if hasattr(model, name):
            for rows in (X[:1], X[:20]):
                getattr(model, name)(rows)


@cache
def _problem(learns: str, shape: Shape, kind: str) -> tuple[Any, ...]:
    random = np.random.default_rng(0)
    X = random.standard_normal((shape.rows, shape.columns))
    label = random.integers(shape.classes, size=shape.rows)
    label[: shape.classes] = range(shape.classes)
    X[:, 0] += {"separable": 20.0}.get(learns, 1.0) * label
    rows = sparse.csr_matrix(X) if kind == "csr" else X.astype(kind)
    return rows, *_targets(learns, X, label)


def _targets(learns: str, X: Any, label: Any) -> tuple[Any, ...]:
    if learns == "nothing":
        return ()
    if learns == "quantity":
        return (X[:, 0] + 0.1 * X[:, 1],)
    if learns == "ranking":
        return label, np.arange(len(label)) // 5
    return (label,)


@dataclass(frozen=True)
class Items:
    """A kernel of texts, graphs or categories, in an ``SVC`` on a few items."""

    make: Callable[[], Any]
    items: Callable[[], list[Any]]

    def fit_and_predict(self, kind: str) -> None:
        """Fit the items, once: they have no precision."""
        if kind == "float64":
            items = self.items()
            model = maxmargin.SVC(kernel=self.make()).fit(items, np.arange(len(items)) % 2)
            model.predict(items[:1])


def _graphs() -> list[Any]:
    rings = [[(i, (i + 1) % n) for i in range(n)] for n in (3, 4, 5)]
    return [kernels.Graph(edges) for ring in rings for edges in (ring, ring[1:])]


def _kernel(name: str, learns: str = "classes", **parameters: Any) -> Estimator:
    return _plain(name, learns, shapes=_KERNEL_SHAPES, **parameters)


def _plain(
    name: str,
    learns: str = "classes",
    *,
    shapes: tuple[Shape, ...] = _SHAPES,
    takes_csr: bool = True,
    home: Any = maxmargin,
    **parameters: Any,
) -> Estimator:
    if learns != "classes":
        shapes = tuple(shape for shape in shapes if shape.classes == 2)
    return Estimator(lambda: getattr(home, name)(**parameters), learns, shapes, takes_csr)


def _texts() -> list[Any]:
    return list(_TEXTS)


def _members(name: str) -> Estimator:
    return Estimator(lambda: getattr(maxmargin, name)(maxmargin.SVC()))


ESTIMATORS: Final[dict[str, Estimator | Items]] = {
    "SVC": _kernel("SVC"),
    "SVR": _kernel("SVR", "quantity"),
    "NuSVC": _kernel("NuSVC", nu=0.1),
    "NuSVR": _kernel("NuSVR", "quantity"),
    "OneClassSVM": _kernel("OneClassSVM", "nothing"),
    "SVCCV": _plain("SVCCV", cv=2),
    "HardMarginSVC": _plain("HardMarginSVC", "separable"),
    "TableOneClass": _plain("TableOneClass", "nothing"),
    "TableSVC": _plain("TableSVC"),
    "TableSVR": _plain("TableSVR", "quantity"),
    "SlackBudgetSVC": _plain("SlackBudgetSVC", budget=1000.0),
    "MultipleKernelSVC": _plain("MultipleKernelSVC"),
    "KernelLogisticRegression": _plain("KernelLogisticRegression"),
    "KernelMachineClassifier": _plain("KernelMachineClassifier"),
    "KernelMachineRegressor": _plain("KernelMachineRegressor", "quantity"),
    "KernelDiscriminant": _plain("KernelDiscriminant"),
    "LinearSVC": _kernel("LinearSVC"),
    "LinearSVCCV": _plain("LinearSVCCV", cv=2),
    "LinearClassifier": _kernel("LinearClassifier"),
    "LinearSVR": _kernel("LinearSVR", "quantity"),
    "OneVsOneClassifier": _members("OneVsOneClassifier"),
    "OneVsRestClassifier": _members("OneVsRestClassifier"),
    "AdaBoostClassifier": _kernel("AdaBoostClassifier", n_estimators=5),
    "BoostingClassifier": _kernel("BoostingClassifier", n_estimators=5),
    "BoostingRegressor": _kernel("BoostingRegressor", "quantity", n_estimators=5),
    "BoostingRanker": _plain("BoostingRanker", "ranking", n_estimators=5),
    "BaggingClassifier": _plain("BaggingClassifier", n_estimators=3),
    "GlassBoxClassifier": _plain("GlassBoxClassifier", n_estimators=5),
    "GlassBoxRegressor": _plain("GlassBoxRegressor", "quantity", n_estimators=5),
    "DecisionStump": _plain("DecisionStump"),
    "RegressionStump": _plain("RegressionStump", "quantity"),
    "Nystroem": _plain("Nystroem", "nothing", home=kernels, n_components=20),
    "FourierFeatures": _plain("FourierFeatures", "nothing", home=kernels, n_components=20),
    "KNeighborsClassifierCV": _plain("KNeighborsClassifierCV", home=neighbors),
    "KNeighborsRegressorCV": _plain("KNeighborsRegressorCV", "quantity", home=neighbors),
    "LSHNeighborsTransformer": _plain(
        "LSHNeighborsTransformer", "nothing", takes_csr=False, home=neighbors
    ),
    "Spectrum": Items(lambda: kernels.Spectrum(2), _texts),
    "Mismatch": Items(lambda: kernels.Mismatch(3, 1), _texts),
    "Subsequence": Items(lambda: kernels.Subsequence(2), _texts),
    "WeightedDegree": Items(lambda: kernels.WeightedDegree(2), _texts),
    "Words": Items(kernels.Words, _texts),
    "WeisfeilerLehman": Items(lambda: kernels.WeisfeilerLehman(2), _graphs),
    "ShortestPath": Items(kernels.ShortestPath, _graphs),
    "Graphlet": Items(lambda: kernels.Graphlet(3), _graphs),
    "RandomWalk": Items(lambda: kernels.RandomWalk(0.1), _graphs),
}


def jobs(names: list[str], kinds: list[str]) -> Iterator[tuple[str, str]]:
    """List which estimator is fitted to which kind of rows."""
    for name in names:
        estimator = ESTIMATORS[name]
        for kind in kinds:
            dense = isinstance(estimator, Estimator) and not estimator.takes_csr
            if not (kind == "csr" and dense) and (
                isinstance(estimator, Estimator) or kind == KINDS[1]
            ):
                yield name, kind
