"""The stages so far in a file, so that training goes on after whatever ended it.

All that a stage depends on is drawn from the seed and its number, so the stages before it and the
settings are enough to make the same one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.atomic import write_atomically
from maxmargin.vision.tree import Stage, Tree

FORMAT = "maxmargin cascade checkpoint 1"


class CheckpointError(ValueError):
    """A checkpoint that cannot be gone on from."""


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
        Share of these that passed all stages before.
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
    told = [
        {"stage": _plain(stage), "record": asdict(record)}
        for stage, record in zip(stages, records, strict=True)
    ]
    content = {"format": FORMAT, "settings": settings, "stages": told}
    write_atomically(path, json.dumps(content, indent=1))


def _plain(stage: Stage) -> dict[str, Any]:
    trees = [
        {**asdict(tree), "codes": [f"{mask:x}" for mask in tree.codes]} for tree in stage.trees
    ]
    return {"threshold": stage.threshold, "trees": trees}


def read_checkpoint(path: Path, settings: dict[str, Any]) -> tuple[list[Stage], list[StageRecord]]:
    """Read stages that were trained with the same settings on the same data.

    Parameters
    ----------
    path : Path
    settings : dict
        What the stages to come will be trained with.

    Returns
    -------
    stages : list of Stage
    records : list of StageRecord

    Raises
    ------
    CheckpointError
        In one sentence that names the file.
    """
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
        if content["format"] != FORMAT:
            raise ValueError(content["format"])
        kept = content["settings"]
        stages = [_stage(each["stage"]) for each in content["stages"]]
        records = [StageRecord(**each["record"]) for each in content["stages"]]
    except FileNotFoundError:
        raise CheckpointError(f"There is no checkpoint {str(path)!r}.") from None
    except (OSError, ValueError, KeyError, TypeError, AttributeError):
        raise CheckpointError(f"{str(path)!r} is not a checkpoint of train_cascade.") from None
    changed = sorted(name for name in settings if kept.get(name) != settings[name])
    if changed:
        names = ", ".join(changed)
        raise CheckpointError(
            f"{str(path)!r} was made with other settings or data ({names}); train with the same, "
            "or without resume."
        )
    return stages, records


def _stage(plain: dict[str, Any]) -> Stage:
    return Stage(float(plain["threshold"]), tuple(_tree(tree) for tree in plain["trees"]))


def _tree(plain: dict[str, Any]) -> Tree:
    fields = {name: tuple(plain[name]) for name in ("feature", "left", "right", "leaves")}
    codes = tuple(int(mask, 16) for mask in plain["codes"])
    return Tree(**fields, threshold=tuple(plain["threshold"]), codes=codes)


def checksum(*arrays: NDArray[Any]) -> int:
    """Sum up the bytes of arrays."""
    total = 0
    for array in arrays:
        total = crc32(np.ascontiguousarray(array).tobytes(), total)
    return total
