"""What is asked of the training of a cascade, checked."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from maxmargin.inputs.parameters import (
    ParameterError,
    check_choice,
    check_number,
    check_time_limit,
)
from maxmargin.ops.clock import ON_INTERRUPT
from maxmargin.vision.checkpoint import checksum
from maxmargin.vision.haar import HaarFeatures
from maxmargin.vision.lbp import LBPFeatures
from maxmargin.vision.positives import Variation
from maxmargin.vision.stage import Features, Goal

FEWEST = 10
"""Windows of either kind that a stage is trained on."""

_OWNER = "train_cascade"
_DEAREST = 1e6  # asymmetry


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    features: Features
    stages: int
    goal: Goal
    n_positives: int | None
    n_negatives: int | None
    validation: float
    max_bytes: int | None
    seed: int

    def __post_init__(self) -> None:
        _check(self)

    def settings(self) -> dict[str, Any]:
        """Give all that a stage depends on, as plain values."""
        goal = self.goal
        return {
            "window": list(self.features.window),
            "features": f"{self.features!r} {checksum(_places(self.features))}",
            "min_detection": goal.min_detection,
            "max_false_positive": goal.max_false_positive,
            "max_features": int(goal.max_features),
            "asymmetry": goal.asymmetry,
            "n_positives": self.n_positives,
            "n_negatives": self.n_negatives,
            "validation": self.validation,
            "random_state": int(self.seed),
        }


def choose_features(features: Any, window: tuple[int, int]) -> Features:
    """Give the features of a name, or those given."""
    if not isinstance(features, HaarFeatures | LBPFeatures):
        otherwise = "HaarFeatures or LBPFeatures"
        check_choice(_OWNER, "features", features, ("haar", "lbp"), otherwise)
        features = HaarFeatures(window) if features == "haar" else LBPFeatures(window)
    if features.window != window:
        raise ParameterError(
            f"The features are of windows of {features.window}, but window={window}."
        )
    if len(features) == 0:
        raise ParameterError(f"The 'features' parameter of {_OWNER} has no feature in it.")
    if window == (3, 3) and isinstance(features, HaarFeatures):
        raise ParameterError(
            "A window of 3 x 3 has one inner pixel, which does not vary; Haar features need more."
        )
    return features


def check_run(time_limit: Any, on_interrupt: Any, n_jobs: Any, variation: Any) -> None:
    """Check what has no place in a plan: stages do not depend on it, or only by their data."""
    check_time_limit(_OWNER, "time_limit", time_limit)
    check_choice(_OWNER, "on_interrupt", on_interrupt, ON_INTERRUPT)
    if n_jobs is not None:
        how = "such as 1, or -1 for all, or None"
        check_number(_OWNER, "n_jobs", n_jobs, whole=True, otherwise=how)
        if n_jobs == 0:
            raise ParameterError(
                f"The 'n_jobs' parameter of {_OWNER} must be a whole number, {how}. Got 0 instead."
            )
    if not (variation is None or isinstance(variation, Variation)):
        raise ParameterError(
            f"The 'variation' parameter of {_OWNER} must be a Variation or None. "
            f"Got {variation!r} instead."
        )


def _check(plan: Plan) -> None:
    check_number(_OWNER, "stages", plan.stages, 1, whole=True)
    check_number(_OWNER, "max_features", plan.goal.max_features, 1, whole=True)
    check_number(_OWNER, "random_state", plan.seed, 0, whole=True)
    check_number(_OWNER, "asymmetry", plan.goal.asymmetry, 0, above=True)
    if not 1 / _DEAREST <= plan.goal.asymmetry <= _DEAREST:
        raise ParameterError(
            f"The 'asymmetry' parameter of {_OWNER} must be from {1 / _DEAREST:g} to {_DEAREST:g}: "
            f"beyond, one kind of window has no weight left. Got {plan.goal.asymmetry!r} instead."
        )
    for name in ("n_positives", "n_negatives"):
        if getattr(plan, name) is not None:
            check_number(_OWNER, name, getattr(plan, name), FEWEST, whole=True, otherwise="or None")
    if plan.max_bytes is not None:
        check_number(_OWNER, "max_bytes", plan.max_bytes, 0, whole=True, otherwise="or None")
    shares = {
        "min_detection": plan.goal.min_detection,
        "max_false_positive": plan.goal.max_false_positive,
        "validation": plan.validation,
    }
    for name, share in shares.items():
        check_number(_OWNER, name, share, 0.0, above=True)
        if share >= 1 and (share > 1 or name != "min_detection"):
            raise ParameterError(
                f"The {name!r} parameter of {_OWNER} must be below 1. Got {share!r} instead."
            )


def _places(features: Features) -> Any:
    return features.cells if isinstance(features, LBPFeatures) else features.rectangles
