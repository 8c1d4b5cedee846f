"""What is asked of the training of a cascade, checked."""

from __future__ import annotations

from dataclasses import dataclass, replace
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
from maxmargin.vision.stage import Features, StageGoal

FEWEST = 10
"""Windows of either kind that a stage is trained on."""

_OWNER = "train_cascade"
_DEAREST = 1e6  # asymmetry


@dataclass(frozen=True)
class LastStage:
    """A long last stage, trained on its own false positives.

    The sum of a long stage measures how much a window looks like the object, better than that of a
    short one. Its threshold can therefore be raised far before objects are lost, and few windows
    reach it. It is trained anew in each round, on all negatives of the earlier rounds and its new
    false positives.

    Parameters
    ----------
    features : tuple of int, default=(100, 300, 900)
        Number of features in each round; the cascade keeps the stage of the last.
    min_detection : float, default=0.98
        Share of the validation objects that it must pass.
    n_negatives : int, default=None
        New negatives of each round; None means as many as for other stages.
    passes : int, default=2
        How often a round scans all backgrounds for them, rotated and mirrored from the second time
        on. If fewer are found, they are used.

    Examples
    --------
    >>> from maxmargin.vision import LastStage
    >>> LastStage(features=(50, 200))
    LastStage(features=(50, 200), min_detection=0.98, n_negatives=None, passes=2)
    """

    features: tuple[int, ...] = (100, 300, 900)
    min_detection: float = 0.98
    n_negatives: int | None = None
    passes: int = 2

    def __post_init__(self) -> None:
        object.__setattr__(self, "features", tuple(self.features))
        if not self.features:
            raise ParameterError("The 'features' parameter of LastStage has no round in it.")
        for count in self.features:
            check_number("LastStage", "features", count, 1, whole=True)
        check_number("LastStage", "passes", self.passes, 1, whole=True)
        check_number("LastStage", "min_detection", self.min_detection, 0.0, above=True)
        if self.min_detection > 1:
            raise ParameterError(
                "The 'min_detection' parameter of LastStage must be at most 1. "
                f"Got {self.min_detection!r} instead."
            )
        if self.n_negatives is not None:
            check_number("LastStage", "n_negatives", self.n_negatives, FEWEST, whole=True)

    def goals(self, goal: StageGoal) -> list[StageGoal]:
        """List what each round has to reach; none ends before it has all its features."""
        endless = replace(goal, min_detection=self.min_detection, max_false_positive=-1.0)
        return [replace(endless, max_features=count) for count in self.features]


@dataclass(frozen=True)
class Plan:
    """What was asked for."""

    features: Features
    stages: int
    goal: StageGoal
    n_positives: int | None
    n_negatives: int | None
    validation: float
    max_bytes: int | None
    seed: int
    last: LastStage | None = None

    def __post_init__(self) -> None:
        _check(self)

    def settings(self) -> dict[str, Any]:
        """Return all inputs of a stage, as plain values."""
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
    """Return the features of a name, or those given."""
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


def check_run(
    time_limit: Any, on_interrupt: Any, n_jobs: Any, variation: Any, last: Any = None
) -> None:
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
    if not (last is None or isinstance(last, LastStage)):
        raise ParameterError(
            f"The 'last' parameter of {_OWNER} must be a LastStage or None. Got {last!r} instead."
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
