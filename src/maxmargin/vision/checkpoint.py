"""The stages so far in a file, so that training goes on after whatever ended it.

All that a stage depends on is drawn from the seed and its number, so the stages before it and the
settings are enough to make the same one.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.atomic import write_atomically
from maxmargin.inputs.opening import read_ordinary
from maxmargin.vision.stage import Features
from maxmargin.vision.tree import Stage, Tree

FORMAT = "maxmargin cascade checkpoint 1"

_LARGEST = 1 << 26  # bytes of a file that is read
_SLACK = 1e-5  # of a threshold, for rounding to float32
_NUMBERS = ("leaves", "threshold")


class CheckpointError(ValueError):
    """Raised for a checkpoint from which training cannot continue."""


@dataclass(frozen=True)
class StageRecord:
    """What is known of a trained stage.

    Parameters
    ----------
    features : int
        Trees in it.
    detection, false_positive : float
        Shares of validation windows, with and without the object, that pass it.
    positives, negatives : int
        Windows it was trained on.
    scanned : int
        Windows looked at to find the negatives.
    rate : float
        Share of these that passed all earlier stages.
    """

    features: int
    detection: float
    false_positive: float
    positives: int
    negatives: int
    scanned: int
    rate: float


def write_checkpoint(
    path: Path, settings: dict[str, Any], stages: list[Stage], records: list[StageRecord]
) -> None:
    """Write all of it, or nothing."""
    entries = [
        {"stage": _plain(stage), "record": asdict(record)}
        for stage, record in zip(stages, records, strict=True)
    ]
    content = {"format": FORMAT, "settings": settings, "stages": entries}
    write_atomically(path, json.dumps(content, indent=1))


def _plain(stage: Stage) -> dict[str, Any]:
    trees = [
        {**asdict(tree), "codes": [f"{mask:x}" for mask in tree.codes]} for tree in stage.trees
    ]
    return {"threshold": stage.threshold, "trees": trees}


def read_checkpoint(
    path: Path, settings: dict[str, Any], features: Features
) -> tuple[list[Stage], list[StageRecord]]:
    """Read stages that were trained with the same settings on the same data.

    Parameters
    ----------
    path : Path
    settings : dict
        What the stages to come will be trained with.
    features : HaarFeatures or LBPFeatures
        Those that the stages ask about.

    Returns
    -------
    stages : list of Stage
    records : list of StageRecord

    Raises
    ------
    CheckpointError
        In one sentence that names the file.
    """
    with _named(path):
        content = _content(path)
        kept, stages = content["settings"], content["stages"]
    changed = sorted(name for name in settings if kept.get(name) != settings[name])
    if changed:
        names = ", ".join(changed)
        raise CheckpointError(
            f"{str(path)!r} was made with other settings or data ({names}); train with the same, "
            "or without resume."
        )
    with _named(path):
        records = [_record(each["record"]) for each in stages]
        return [_stage(each["stage"], features) for each in stages], records


@contextmanager
def _named(path: Path) -> Iterator[None]:
    """Name the file in errors about its content."""
    try:
        yield
    except FileNotFoundError:
        raise CheckpointError(f"There is no checkpoint {str(path)!r}.") from None
    except (OSError, ValueError, KeyError, TypeError, ArithmeticError, RecursionError):
        raise CheckpointError(f"{str(path)!r} is not a checkpoint of train_cascade.") from None


def _content(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads(read_ordinary(path, _LARGEST).decode("utf-8"))
    kinds = type(content["settings"]), type(content["stages"])
    if content["format"] != FORMAT or kinds != (dict, list):
        raise ValueError(content["format"])
    return content


# A damaged file may hold anything, so only what was written is accepted.


def _stage(plain: dict[str, Any], features: Features) -> Stage:
    trees = [_stump(tree, features) for tree in plain["trees"]]
    stage = Stage(_number(plain["threshold"]), tuple(trees))
    ends = np.array([np.sort(tree.leaves) for tree in trees]).sum(axis=0)
    slack = _SLACK * (1 + np.abs(ends).max())
    if not ends[0] - slack <= stage.threshold <= ends[1] + slack:  # all pass, or none
        raise ValueError(stage.threshold)
    return stage


def _stump(plain: dict[str, Any], features: Features) -> Tree:
    (feature,), ways = plain["feature"], (plain["left"], plain["right"])
    known = type(feature) is int and 0 <= feature < len(features)
    if not known or ways != ([0], [-1]) or bool(plain["codes"]) != (features.family == "LBP"):
        raise ValueError(plain)
    leaves, threshold = ([_number(each) for each in plain[name]] for name in _NUMBERS)
    codes = tuple(int(mask, 16) for mask in plain["codes"])
    return Tree((feature,), (0,), (-1,), tuple(leaves), tuple(threshold), codes)


def _record(plain: dict[str, Any]) -> StageRecord:
    return StageRecord(**{name: _number(value) for name, value in plain.items()})


def _number(value: Any) -> Any:
    if type(value) not in (int, float) or not math.isfinite(value):
        raise ValueError(value)
    return value


def checksum(*arrays: NDArray[Any]) -> int:
    """Sum up the bytes of arrays."""
    total = 0
    for array in arrays:
        total = crc32(np.ascontiguousarray(array).tobytes(), total)
    return total
