"""A stored model: what it is, what it answers to a row, and to a file."""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from maxmargin.glass_box import GlassBoxClassifier, GlassBoxRegressor
from maxmargin.job.explanation import Typical, explain
from maxmargin.job.frame_model import FrameModel
from maxmargin.job.prediction import defused
from maxmargin.job.probability import FoldCalibratedClassifier
from maxmargin.storage import ModelFileError, load_model
from maxmargin.studio.error import SceneError
from maxmargin.tables import InputError, Reading, read_frame
from maxmargin.tabular import TableSVC, TableSVR

MOST_FIELDS: Final = 500
MOST_CHOICES: Final = 200
MOST_REASONS: Final = 12
MOST_NEIGHBOURS: Final = 6
MOST_SHAPES: Final = 24


@dataclass(frozen=True)
class Opened:
    """A model file that was read."""

    model: FrameModel
    about: Mapping[str, Any]
    typical: Typical
    reading: Reading

    @property
    def last(self) -> Any:
        """The estimator at the end of the pipeline, without what calibrates it."""
        last = self.model.pipeline[-1]
        return last.model if isinstance(last, FoldCalibratedClassifier) else last


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
        typical, reading = value.get("typical", Typical({})), value.get("reading") or Reading()
        _known[key] = Opened(model, stored.about, typical, reading)
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
        "shapes": _shapes(opened.last),
        "fields": [_field(each, opened.typical) for each in schema.features[:MOST_FIELDS]],
    }


def _facts(opened: Opened) -> list[list[str]]:
    """Return what is known of a model, as pairs of words."""
    about, last = opened.about, opened.last
    rows = [["estimator", type(last).__name__]]
    known = [name for name in _FACTS if about.get(name) not in (None, "")]
    rows += [[name.replace("_", " "), str(about[name])] for name in known]
    test = about.get("test")
    if isinstance(test, Mapping) and isinstance(test.get("value"), float):
        low, high = test.get("low"), test.get("high")
        ends = (
            f" ({low:.4g} to {high:.4g})"
            if isinstance(low, float) and isinstance(high, float)
            else ""
        )
        rows.append(["test score", f"{test['value']:.4g}{ends}"])
    certificate = getattr(last, "certificate_", None)
    if certificate is not None:
        rows.append(["certificate", str(certificate)])
    support = getattr(last, "n_support_", None)
    if support is not None:
        rows.append(["support vectors", str(int(np.sum(support)))])
    return rows


def _shapes(last: Any) -> list[dict[str, Any]]:
    """Return what the bins of each column add, of an additive model with one function."""
    if not isinstance(last, GlassBoxClassifier | GlassBoxRegressor):
        return []
    terms = [term for term in last.terms_ if term.kind != "pair" and len(term.values) == 1]
    return [
        {
            "name": term.name,
            "kind": term.kind,
            "bins": [str(name)[:60] for name in term.bins[0]],
            "values": np.asarray(term.values[0], np.float64).round(6).tolist(),
            "weight": np.asarray(term.weight, np.float64).tolist(),
        }
        for term in terms[:MOST_SHAPES]
    ]


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
    """Return the training rows that count most, where a kernel machine for tables keeps them."""
    if not isinstance(opened.last, TableSVC | TableSVR):
        return []
    steps = opened.model.pipeline[:-1]
    told = opened.last.explain(steps.transform(features) if len(steps) else features)
    return [
        [
            int(told.rows[k]),
            float(told.contributions[k]),
            ", ".join(told.near(k)),
            ", ".join(told.far(k)),
        ]
        for k in range(min(MOST_NEIGHBOURS, len(told.rows)))
    ]


def score(given: Any) -> dict[str, Any]:
    """Predict the rows of a file; return them as CSV, and how many agree with labels in it."""
    opened = _read(given["path"])
    try:
        said = opened.model.predictions(given["file"])
        right = _right(opened, given["file"], said)
    except InputError as error:
        raise SceneError(str(error).replace(given["file"], Path(given["file"]).name)) from None
    out = io.StringIO()
    defused(said).write_csv(out)
    head = [[str(_plain(v)) for v in row] for row in said.head(20).rows()]
    found = {"rows": said.height, "columns": said.columns, "head": head, "csv": out.getvalue()}
    return found | {"right": right}


def _right(opened: Opened, file: str, said: pl.DataFrame) -> int | None:
    """Return how many rows are predicted right; None without their labels, or of a quantity."""
    target = opened.model.schema.target
    frame = read_frame(Path(file), opened.reading)
    if target not in frame.columns or not opened.model.schema.classes:
        return None
    given = frame.get_column(target).cast(pl.String)
    return int((given == said.get_column("prediction").cast(pl.String)).sum())


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        value = value.item()
    return value if isinstance(value, int | float | str | bool) or value is None else str(value)
