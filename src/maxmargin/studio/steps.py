"""Models stopped after some of their steps: pairs of SMO, sets, rounds of boosting.

A solver's step k is the library's own: the same fit with ``max_iter=k``, whose first k steps are
those of the whole fit. A round k of boosting is the model's first k members. So the last step is
the fitted model, and any step can be shown at any time.
"""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning

from maxmargin.studio.code import estimator_of
from maxmargin.studio.error import SceneError
from maxmargin.studio.scene import Model, Scene

_ITERATIVE = ("smo", "smo_first_order", "coordinate_ascent")
_ROUNDS = ("adaboost", "boosting")


def is_stepwise(model: Model) -> bool:
    """Whether a model can be followed step by step."""
    return model.kind in _ROUNDS or (model.kind == "svc" and model.solver in _ITERATIVE)


def count_steps(model: Model, fitted: Any) -> int:
    """Return how many steps a fit took."""
    if model.kind in _ROUNDS:
        return len(fitted.estimators_)
    return int(np.max(fitted.n_iter_))


def at_step(scene: Scene) -> tuple[Any, dict[str, Any]]:
    """Return the model after the scene's step, and what the step did."""
    if not is_stepwise(scene.model):
        raise SceneError("This model is not followed step by step; choose SMO or boosting.")
    if scene.model.kind in _ROUNDS:
        return _after_rounds(scene)
    return _after_pairs(scene)


# pairs and coordinates


def _after_pairs(scene: Scene) -> tuple[Any, dict[str, Any]]:
    """Fit with as many steps, and with one less to see which duals moved."""
    assert scene.step is not None
    if len(scene.classes) > 2:
        raise SceneError("Steps are shown for two classes; leave the others out.")
    now, before = (_stopped(scene, k) for k in (max(1, scene.step), max(1, scene.step - 1)))
    duals = _duals(now, len(scene.X))
    moved = np.flatnonzero(duals != _duals(before, len(scene.X)))
    if scene.step <= 1:
        moved = np.flatnonzero(duals)
    return now, {"moved": moved.tolist(), "duals": duals.round(9).tolist()}


def _stopped(scene: Scene, steps: int) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)  # it was meant to stop
        return estimator_of(scene.model, max_iter=steps).fit(scene.X, scene.y)


def _duals(model: Any, n: int) -> NDArray[np.float64]:
    duals = np.zeros(n)
    duals[model.support_] = np.ravel(model.dual_coef_)
    return duals


# rounds


def _after_rounds(scene: Scene) -> tuple[Any, dict[str, Any]]:
    """Fit as many rounds, and describe the last of them."""
    assert scene.step is not None
    rounds = max(1, min(scene.step, int(scene.model["rounds"])))
    shorter = replace(scene.model, numbers={**scene.model.numbers, "rounds": rounds})
    model = estimator_of(shorter).fit(scene.X, scene.y)
    if scene.model.kind == "adaboost":
        return model, _adaboost_round(scene, model)
    return model, _boosting_round(scene, model)


def _adaboost_round(scene: Scene, model: Any) -> dict[str, Any]:
    """Return the weights that the last stump saw, the stump, its error, and the bound."""
    k = len(model.estimators_)
    weights = np.ones(len(scene.X))
    if k > 1 and len(scene.classes) == 2:
        t = np.where(scene.y == scene.classes[1], 1.0, -1.0)
        votes = np.zeros(len(scene.X))
        for alpha, stump in zip(model.alphas_[: k - 1], model.estimators_[: k - 1], strict=True):
            votes += alpha * np.where(stump.predict(scene.X) == scene.classes[1], 1.0, -1.0)
        weights = np.exp(-t * votes)
    weights /= weights.sum()
    bounds = model.bounds_
    return {
        "weights": weights.tolist(),
        "stump": _stump(model.estimators_[-1]),
        "weighted_error": float(np.ravel(model.estimator_errors_)[k - 1]),
        "alpha": float(model.alphas_[k - 1]),
        "errors": np.asarray(bounds["error"]).tolist(),
        "bounds": np.asarray(bounds["product"]).tolist(),
    }


def _boosting_round(scene: Scene, model: Any) -> dict[str, Any]:
    """Return what is left to explain after the rounds, and the loss so far."""
    probabilities = model.predict_proba(scene.X)
    own = np.searchsorted(model.classes_, scene.y)
    residuals = 1.0 - probabilities[np.arange(len(own)), own]
    last = model.estimators_[-1]
    found: dict[str, Any] = {
        "residuals": residuals.round(6).tolist(),
        "losses": np.asarray(model.train_loss_, dtype=np.float64).tolist(),
    }
    if len(scene.classes) == 2:
        found["stump"] = _stump(last)
    return found


def _stump(stump: Any) -> dict[str, Any] | None:
    """Return the line of a stump: which coordinate, and where."""
    split = getattr(stump, "split_", None)
    if split is None or split.threshold is None:
        return None
    return {
        "feature": int(split.feature),
        "threshold": float(split.threshold),
        "left": float(np.ravel(split.left)[0]),
        "right": float(np.ravel(split.right)[0]),
    }
