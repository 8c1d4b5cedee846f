"""A scene to a fitted model, and to the numbers that the page draws."""

from __future__ import annotations

import base64
from time import perf_counter
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.studio.code import code_of, estimator_of
from maxmargin.studio.error import SceneError
from maxmargin.studio.scene import Scene
from maxmargin.studio.steps import at_step, count_steps, is_stepwise
from maxmargin.svm.hard_margin import NotSeparable

Vector = NDArray[np.float64]
_MARGINS = ("hard", "svc", "nu", "linear")


def draw(given: Any) -> dict[str, Any]:
    """Fit the model of a scene and return what the page draws.

    Returns
    -------
    dict
        ``values`` of the grid (float32 of two classes, positive for the second; class numbers of
        more), ``classes``, ``support``, ``slack`` of every point, ``certificate``, ``accuracy``,
        ``seconds``, ``code``, and ``steps`` for models that can be followed step by step.
    """
    scene = Scene.read(given)
    try:
        if scene.step is not None:
            return _seen(scene, *at_step(scene))
        begun = perf_counter()
        model = estimator_of(scene.model)
        _refuse(scene)
        model.fit(scene.X, scene.y)
        return _seen(scene, model, {"seconds": perf_counter() - begun})
    except NotSeparable as error:
        return _not_separable(scene, error)


def _refuse(scene: Scene) -> None:
    """Raise where the scene's model cannot be fitted to its points."""
    if scene.model.kind == "neighbors" and scene.model["neighbors"] > len(scene.X):
        raise SceneError(f"There are {len(scene.X)} points; take at most as many neighbours.")
    if scene.model.kind == "nu":
        counts = np.bincount(scene.y)[scene.classes]
        most = 2 * counts.min() / (counts.min() + counts.max())
        if scene.model["nu"] > most:
            raise SceneError(f"With these classes nu is at most {most:.3f}.")


def _seen(scene: Scene, model: Any, more: dict[str, Any]) -> dict[str, Any]:
    """Evaluate a fitted model on the grid and on the points."""
    classes = scene.classes
    found = {
        "classes": classes.tolist(),
        "grid": list(scene.grid),
        "box": list(scene.box),
        "accuracy": float(np.mean(model.predict(scene.X) == scene.y)),
        "code": code_of(scene),
        "step": scene.step,
    }
    found["values"] = _packed(_values(model, _grid_points(scene), len(classes)))
    found |= _margins(scene, model)
    if "certificate" not in more:
        found["certificate"] = certificate_of(model)
    if is_stepwise(scene.model) and scene.step is None:
        found["steps"] = count_steps(scene.model, model)
    return found | more


def _grid_points(scene: Scene) -> Vector:
    """Return the centres of the grid's cells, from the top left to the bottom right."""
    left, right, bottom, top = scene.box
    columns, rows = scene.grid
    x = left + (np.arange(columns) + 0.5) * (right - left) / columns
    y = top - (np.arange(rows) + 0.5) * (top - bottom) / rows
    return np.column_stack([np.tile(x, rows), np.repeat(y, columns)])


def _values(model: Any, points: Vector, classes: int) -> NDArray[np.float32]:
    """Return decision values of two classes, or numbers of classes of more."""
    if classes > 2:
        numbers = np.searchsorted(model.classes_, model.predict(points))
        return numbers.astype(np.float32)
    if hasattr(model, "decision_function"):
        return np.asarray(model.decision_function(points), np.float32)
    return np.asarray(2.0 * model.predict_proba(points)[:, 1] - 1.0, np.float32)


def _packed(values: NDArray[np.float32]) -> str:
    """Pack numbers as base64, which the page reads into a typed array."""
    return base64.b64encode(np.ascontiguousarray(values, "<f4").tobytes()).decode("ascii")


def _margins(scene: Scene, model: Any) -> dict[str, Any]:
    """Return support vectors, and how far points fall short of their margin."""
    found: dict[str, Any] = {"support": [], "slack": []}
    if hasattr(model, "support_"):
        found["support"] = np.asarray(model.support_).tolist()
    if scene.model.kind in _MARGINS and len(scene.classes) == 2:
        t = np.where(scene.y == scene.classes[1], 1.0, -1.0)
        values = t * model.decision_function(scene.X)
        found["slack"] = np.maximum(0.0, 1.0 - values).round(6).tolist()
        if scene.model.kind == "linear":
            found["support"] = np.flatnonzero(values <= 1.0 + 1e-3).tolist()
        found["margins"] = True
    return found


def certificate_of(model: Any) -> dict[str, Any] | None:
    """Return what a model's certificate says, or None where it has none."""
    certificate = getattr(model, "certificate_", None)
    if certificate is None:
        return None
    return {
        "status": certificate.status.name,
        "sentence": certificate.status.sentence,
        "primal": _finite(certificate.primal),
        "dual": _finite(certificate.dual),
        "gap": _finite(certificate.gap),
        "relative": _finite(certificate.relative_gap),
        "violation": _finite(certificate.kkt_violation),
    }


def _finite(value: float) -> float | None:
    return float(value) if np.isfinite(value) else None


def _not_separable(scene: Scene, error: NotSeparable) -> dict[str, Any]:
    """Return the proof that no hyperplane separates: weights that give both classes one mean."""
    weights = np.abs(np.asarray(error.witness, dtype=np.float64))
    linear = scene.model.kernel == "linear"
    mean = None
    if linear and weights.shape == (len(scene.X),) and weights.sum() > 0:
        first = scene.y == scene.classes[0]
        mean = (weights[first] @ scene.X[first] / weights[first].sum()).tolist()
    return {
        "failed": "not separable",
        "sentence": str(error),
        "witness": weights.round(9).tolist() if linear else [],
        "mean": mean,
        "classes": scene.classes.tolist(),
        "code": code_of(scene),
    }
