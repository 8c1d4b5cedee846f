"""The commands of cascades: train, info and detect."""

from __future__ import annotations

import json as json_text
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import typer

from maxmargin.cli.complaint import shown
from maxmargin.cli.tell import say
from maxmargin.inputs.atomic import check_destination, replacing, write_atomically
from maxmargin.job.budget import parse_budget
from maxmargin.tables import InputError
from maxmargin.vision import (
    Cascade,
    CascadeProgress,
    Variation,
    face_cascade,
    train_cascade,
)
from maxmargin.vision.picture_file import SUFFIXES, read_picture

PICTURES = (".png", ".jpg", ".jpeg", ".pdf", ".svg")
_DOTS = 100  # an inch: a pixel of the photograph is one of the picture


def parse_size(text: str) -> tuple[int, int]:
    """Read a size such as 24x24.

    Parameters
    ----------
    text : str

    Returns
    -------
    width, height : int

    Examples
    --------
    >>> parse_size("20x30")
    (20, 30)
    """
    width, sign, height = text.lower().partition("x")
    if not (sign and width.strip().isdecimal() and height.strip().isdecimal()):
        raise InputError(f"A size is written as 24x24, width and height. Got {text!r} instead.")
    return int(width), int(height)


@dataclass(frozen=True)
class Order:
    """What ``cascade train`` was asked for."""

    positives: Path
    backgrounds: Path
    out: Path
    window: str
    options: dict[str, Any]
    copies: int
    mirror: bool
    time_budget: str


def run_train(order: Order, *, json: bool) -> None:
    """Train a cascade and write it as OpenCV's XML.

    Parameters
    ----------
    order : Order
    json : bool
        Whether to print one JSON object and nothing else.
    """
    check_destination(order.out)
    _refuse_inputs(order.out, order.positives, order.backgrounds)
    _check_jobs(order.options.get("n_jobs"))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        cascade = train_cascade(
            order.positives,
            order.backgrounds,
            window=parse_size(order.window),
            variation=Variation(mirror=order.mirror, copies=order.copies),
            time_limit=parse_budget(order.time_budget),
            on_interrupt="keep",
            callback=None if json else _tell,
            **order.options,
        )
    cascade.to_opencv(order.out)
    notes = [str(each.message) for each in caught if issubclass(each.category, UserWarning)]
    if json:
        typer.echo(json_text.dumps(_facts(cascade, order.out) | {"notes": notes}))
        return
    for note in notes:
        say(note)
    say(f"{cascade!r} is in ", (shown(order.out), "bold"), ".")


def _refuse_inputs(out: Path, *inputs: Path) -> None:
    """Refuse to write over what is read, or into a folder that is read."""
    for given in inputs:
        inside = given.is_dir() and out.resolve().is_relative_to(given.resolve())
        if inside and (out.suffix.lower() in SUFFIXES or out.exists()):
            raise InputError(f"--out lies in {str(given)!r}, which is read: choose another one.")
        if not given.is_dir() and out.exists() and given.exists() and out.samefile(given):
            raise InputError(f"--out would replace {str(given)!r} itself: choose another one.")


def _check_jobs(jobs: int | None) -> None:
    if jobs == 0:
        raise InputError("--jobs 0 has no meaning; use 1 for one thread, -1 for all.")


def _tell(progress: CascadeProgress) -> None:
    if progress.done:
        say(str(progress), stderr=True)


def run_cascade_info(path: Path, *, json: bool) -> None:
    """Say what a cascade is.

    Parameters
    ----------
    path : Path
    json : bool
    """
    cascade = Cascade.from_opencv(path)
    facts = _facts(cascade, path)
    if json:
        typer.echo(json_text.dumps(facts))
        return
    width, height = cascade.window
    family = "Haar" if facts["features"] == "HAAR" else "LBP"
    say((shown(path), "bold"), f": {family} features in windows of {width} x {height} pixels")
    say(f"{len(cascade.stages)} stages of {', '.join(map(str, facts['trees']))} trees")
    say(f"{sum(facts['trees'])} trees in all, {len(cascade.features)} different features")


def _facts(cascade: Cascade, path: Path) -> dict[str, Any]:
    return {
        "file": str(path),
        "features": cascade.features.family,
        "different_features": len(cascade.features),
        "window": list(cascade.window),
        "trees": [len(stage.trees) for stage in cascade.stages],
    }


def told_apart(files: list[Path]) -> tuple[Path | None, Path]:
    """Give the cascade, or None for the one that comes with the package, and the photograph.

    Parameters
    ----------
    files : list of Path

    Returns
    -------
    cascade : Path or None
    image : Path

    Examples
    --------
    >>> from pathlib import Path
    >>> told_apart([Path("photo.jpg")])[0] is None
    True
    """
    *before, image = files
    if len(before) > 1:
        raise InputError(
            f"Give one photograph, and at most one cascade before it. Got {len(files)} files."
        )
    if not before and image.suffix.lower() == ".xml":
        raise InputError(
            f"{str(image)!r} is a cascade; give the photograph behind it: "
            f"maxmargin detect {image} photo.jpg"
        )
    return (before[0] if before else None), image


def run_detect(
    path: Path | None, image: Path, out: Path | None, options: dict[str, Any], *, json: bool
) -> None:
    """Find objects in a photograph, and draw, write or print them.

    Parameters
    ----------
    path : Path or None
        Of the cascade; None for that of faces.
    image : Path
    out : Path or None
        A picture or a .json file.
    options : dict
        For ``Cascade.detect``; sizes as text.
    json : bool
    """
    if out is not None:
        check_destination(out)
        if out.suffix.lower() not in (*PICTURES, ".json"):
            kinds = ", ".join((*PICTURES, ".json"))
            raise InputError(f"Boxes are written to {kinds}. Got {str(out)!r} instead.")
        _refuse_inputs(out, *([path] if path else []), image)
    _check_jobs(options.get("n_jobs"))
    sizes: dict[str, Any] = {
        k: parse_size(v) if isinstance(v, str) else v for k, v in options.items()
    }
    cascade = face_cascade() if path is None else Cascade.from_opencv(path)
    photograph = read_picture(image)
    boxes, scores = cascade.detect(photograph, return_scores=True, **sizes)
    found = _found(image, photograph.shape, boxes, scores)
    if out is not None and out.suffix.lower() == ".json":
        write_atomically(out, json_text.dumps(found, indent=1))
    elif out is not None:
        _draw(out, photograph, boxes)
    if json:
        typer.echo(json_text.dumps(found))
        return
    what = "object" if path else "face"
    count = f"1 {what}" if len(boxes) == 1 else f"{len(boxes)} {what}s"
    say((shown(image), "bold"), f": {count}", f" in {shown(out)}" if out else "")
    if out is None:
        for each in found["boxes"]:
            say(" ".join(str(each[name]) for name in ("x", "y", "width", "height")))


def _found(image: Path, shape: tuple[int, ...], boxes: Any, scores: Any) -> dict[str, Any]:
    names = "x", "y", "width", "height"
    listed = [
        dict(zip(names, box, strict=True)) | {"score": score}
        for box, score in zip(boxes.tolist(), np.asarray(scores).tolist(), strict=True)
    ]
    return {"image": str(image), "width": shape[1], "height": shape[0], "boxes": listed}


def _draw(out: Path, photograph: Any, boxes: Any) -> None:
    """Draw boxes on the photograph, in a file that is complete or not there."""
    from matplotlib.figure import Figure

    from maxmargin.plots import detections

    height, width = photograph.shape[:2]
    figure = Figure(figsize=(width / _DOTS, height / _DOTS), dpi=_DOTS)
    detections(photograph, boxes, ax=figure.add_axes((0.0, 0.0, 1.0, 1.0)))
    kind = out.suffix.lower()[1:].replace("jpeg", "jpg")
    with replacing(out) as file:
        figure.savefig(file, format=kind, dpi=_DOTS)
