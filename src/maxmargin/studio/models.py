"""A stored model: what it is, what it answers to a row, and to a file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from maxmargin.job.explanation import Typical, explain
from maxmargin.job.frame_model import FrameModel
from maxmargin.job.prediction import defused
from maxmargin.storage import ModelFileError, load_model
from maxmargin.studio.scene import SceneError
from maxmargin.tables import InputError

MOST_FIELDS: Final = 500
MOST_CHOICES: Final = 200
MOST_REASONS: Final = 12
MOST_NEIGHBOURS: Final = 5


@dataclass(frozen=True)
class Opened:
    """A model file that was read."""

    model: FrameModel
    about: Mapping[str, Any]
    typical: Typical

    @property
    def last(self) -> Any:
        """The estimator at the end of the pipeline."""
        return self.model.pipeline[-1]


_FACTS: Final = ("source", "metric", "train_rows", "test_rows")
_known: dict[tuple[str, int], Opened] = {}


def _read(path: str) -> Opened:
    """Read a model file, once as long as it is not written again."""
    key = path, Path(path).stat().st_mtime_ns
    if key not in _known:
        try:
            stored = load_model(path)
        except ModelFileError as error:
            raise SceneError(str(error).replace(path, Path(path).name)) from None
        value = stored.value
        if not (isinstance(value, dict) and {"pipeline", "schema"} <= value.keys()):
            raise SceneError(
                "This model was not written by the main job; open it in Python with load_model."
            )
        model = FrameModel(value["pipeline"], value["schema"], value.get("reading"))
        _known.clear()
        _known[key] = Opened(model, stored.about, value.get("typical", Typical({})))
    return _known[key]


def describe(given: Any) -> dict[str, Any]:
    """Return what a model file holds.

    Returns
    -------
    dict
        ``title``, ``target``, ``task``, ``classes``, ``facts`` (pairs of words), ``fields`` of a
        row with their kinds, usual values and choices, and ``shapes`` of an additive model.
    """
    opened = _read(given["path"])
    schema, about = opened.model.schema, opened.about
    return {
        "title": str(about.get("model", type(opened.last).__name__)),
        "target": schema.target,
        "task": schema.task,
        "classes": [str(label) for label in schema.classes],
        "facts": _facts(opened),
        "fields": [_field(each, opened.typical) for each in schema.features[:MOST_FIELDS]],
    }


def _facts(opened: Opened) -> list[list[str]]:
    """Return what is known of a model, as pairs of words."""
    about, last = opened.about, opened.last
    rows = [["kind", type(last).__name__]]
    known = [name for name in _FACTS if about.get(name) not in (None, "")]
    rows += [[name.replace("_", " "), str(about[name])] for name in known]
    test = about.get("test")
    if isinstance(test, Mapping):
        rows += [[str(k), f"{v:.4g}"] for k, v in test.items() if isinstance(v, int | float)]
    certificate = getattr(last, "certificate_", None)
    if certificate is not None:
        rows.append(["certificate", str(certificate)])
    support = getattr(last, "n_support_", None)
    if support is not None:
        rows.append(["support vectors", str(int(np.sum(support)))])
    return rows


def _field(feature: Any, typical: Typical) -> dict[str, Any]:
    """Return a field of the form: a number with a range, or a choice."""
    values = [v for v in typical.values.get(feature.name, []) if v is not None]
    usual = values[len(values) // 2] if values else None
    found = {"name": feature.name, "kind": feature.kind, "column": feature.column}
    if feature.kind == "number":
        low, high = (min(values), max(values)) if values else (0.0, 1.0)
        wide = (float(high) - float(low)) or 1.0
        return found | {
            "usual": None if usual is None else float(usual),
            "low": float(low) - wide,
            "high": float(high) + wide,
        }
    choices = [str(each) for each in getattr(feature, "categories", None) or []]
    return found | {
        "usual": None if usual is None else str(usual),
        "choices": choices[:MOST_CHOICES],
    }


def predict(given: Any) -> dict[str, Any]:
    """Predict one row of the form, with the columns that moved the prediction most."""
    opened = _read(given["path"])
    row = {name: [None if v == "" else v] for name, v in dict(given["row"]).items()}
    try:
        features = opened.model.read(pl.DataFrame(row))[0]
    except InputError as error:
        raise SceneError(str(error)) from None
    pipeline, schema = opened.model.pipeline, opened.model.schema
    found: dict[str, Any] = {"prediction": _plain(pipeline.predict(features)[0])}
    if schema.task == "classification" and hasattr(pipeline, "predict_proba"):
        shares = pipeline.predict_proba(features)[0]
        pairs = zip(pipeline.classes_, shares, strict=True)
        found["probabilities"] = [[str(_plain(label)), float(share)] for label, share in pairs]
    found["reasons"] = _reasons(opened, features)
    found["nearest"] = _nearest(opened, features)
    return found


def _reasons(opened: Opened, features: pl.DataFrame) -> list[list[Any]]:
    """Return columns and how far each moved the prediction, the largest first."""
    if not opened.typical.values:
        return []
    model = opened.model
    facts = model.pipeline, model.schema, opened.typical, features, MOST_REASONS
    return [[r.column, str(r.value), float(r.effect)] for r in explain(*facts)[0]]


def _nearest(opened: Opened, features: pl.DataFrame) -> list[list[Any]]:
    """Return the training rows that decide most, where the model keeps them."""
    steps, last = opened.model.pipeline[:-1], opened.last
    if not hasattr(last, "explain"):
        return []
    try:
        found = last.explain(steps.transform(features) if len(steps) else features)
        return [list(map(_plain, row)) for row in found.to_frame().head(MOST_NEIGHBOURS).rows()]
    except (AttributeError, TypeError, ValueError):
        return []  # a model that explains itself in another way


def score(given: Any) -> dict[str, Any]:
    """Predict the rows of a file; return them as CSV, with the accuracy where labels are there."""
    opened = _read(given["path"])
    try:
        said = opened.model.predictions(given["file"])
    except InputError as error:
        raise SceneError(str(error)) from None
    out = io.StringIO()
    defused(said).write_csv(out)
    head = [[str(_plain(v)) for v in row] for row in said.head(20).rows()]
    return {"rows": said.height, "columns": said.columns, "head": head, "csv": out.getvalue()}


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, int | float | str | bool) or value is None else str(value)
