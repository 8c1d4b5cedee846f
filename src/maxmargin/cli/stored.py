"""The commands that work on a stored model: predict, evaluate and info."""

from __future__ import annotations

import json as json_text
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import typer
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.metrics import get_scorer_names
from sklearn.pipeline import Pipeline

from maxmargin.cli.complaint import shown
from maxmargin.cli.tell import interval, say, tell_classes, tell_test, title
from maxmargin.evaluation import Look
from maxmargin.inputs.atomic import replacing
from maxmargin.job.examination import interval_of, of_classes
from maxmargin.job.explanation import Typical, columns_of, explain
from maxmargin.job.metric import FURTHER, judge, scorer_of
from maxmargin.job.outcome import TestResult
from maxmargin.job.prediction import defused, name_rows, predict_frame
from maxmargin.job.record import interval_from, plain, test_of
from maxmargin.job.request import parse_bytes, reading_of
from maxmargin.storage import ModelFileError, load_model
from maxmargin.tables import InputError, Reading, Schema, read_frame
from maxmargin.tables.file import digest


@dataclass(frozen=True)
class Stored:
    """A model that fit wrote."""

    pipeline: Pipeline
    schema: Schema
    about: dict[str, Any]
    reading: Reading
    typical: Typical | None = None

    @property
    def sought(self) -> Any:
        """The rarer of two classes when it was fitted, the second where that was not stored."""
        usual = self.schema.classes[1] if len(self.schema.classes) == 2 else None
        return self.about.get("sought", usual)


def load(path: Path, memory: int | None = None) -> Stored:
    """Read a model file.

    Parameters
    ----------
    path : Path
    memory : int, default=None
        Bytes that it may take; 4 GiB if left out.

    Returns
    -------
    Stored
    """
    found = load_model(path) if memory is None else load_model(path, max_bytes=memory)
    value = found.value
    if not (isinstance(value, dict) and _is_whole(value, found.about)):
        raise ModelFileError(f"{str(path)!r} holds a model, but not one that fit wrote.")
    reading = value.get("reading", Reading())  # which the first release did not store
    facts = dict(found.about)
    return Stored(value["pipeline"], value["schema"], facts, reading, value.get("typical"))


_ABOUT = {
    "model": str,
    "metric": str,
    "source": str,
    "command": str,
    "params": dict,
    "train_rows": int,
    "test_rows": int,
    "test": dict,
    "baseline": float | int | None,
}


def _is_whole(value: Mapping[str, Any], about: Mapping[str, Any]) -> bool:
    """Whether a file holds all that fit writes, of the kinds that it writes."""
    parts = {"schema": Schema, "pipeline": Pipeline, "reading": Reading, "typical": Typical}
    held = {
        "reading": Reading(),
        "typical": Typical({}),
        **value,
    }  # which the first release did not store
    kinds = all(isinstance(held.get(name), kind) for name, kind in parts.items())
    facts = all(name in about and isinstance(about[name], kind) for name, kind in _ABOUT.items())
    known = facts and about["metric"] in get_scorer_names()
    return kinds and known and value["pipeline"].__sklearn_is_fitted__()


def run_predict(
    model: Path, file: Path, options: Mapping[str, Any], out: Path | None, *, json: bool
) -> None:
    """Predict the rows of a file.

    Parameters
    ----------
    model, file : Path
    options : mapping of str to object
        How the file is written, where it is not as the one that the model learned from; "raw" to
        leave texts as they are that spreadsheets would run.
    out : Path or None
        A csv file; None to print.
    json : bool
    """
    memory = parse_bytes(options.get("memory"))
    stored = load(model, memory)
    if out is not None and out.exists() and (out.samefile(file) or out.samefile(model)):
        raise InputError("--out names a file that is read: choose another one.")
    frame = read_frame(file, reading_of(options, stored.reading), memory=memory)
    features, notes = stored.schema.features_of(frame)
    ids = frame.select(name for name in stored.schema.ids if name in frame.columns)
    said = predict_frame(stored.pipeline, features)
    if options.get("explain"):
        said = pl.concat([said, _explained(stored, features, options["explain"])], how="horizontal")
    said = name_rows(said, ids if ids.width else None, np.arange(1, len(said) + 1))
    written = said if options.get("raw") else defused(said)
    if out is not None:
        with replacing(out) as part:
            written.write_csv(part)
    if json:
        typer.echo(json_text.dumps({"predictions": plain(said.to_dicts()), "notes": list(notes)}))
        return
    _note(notes)
    if out is None:
        typer.echo(written.write_csv(), nl=False)
    else:
        say(f"{len(said)} predictions written to ", (shown(out.resolve()), "bold cyan"))


def _explained(stored: Stored, features: pl.DataFrame, most: int) -> pl.DataFrame:
    """Write which columns moved each prediction."""
    if most < 0:
        raise InputError(f"--explain is a number of columns, and not {most}.")
    if stored.typical is None:
        raise InputError(
            "The model was stored by an earlier release without typical values: fit again."
        )
    return columns_of(explain(stored.pipeline, stored.schema, stored.typical, features, most), most)


def _note(notes: Sequence[str]) -> None:
    for note in notes:
        say((shown(note), "yellow"), stderr=True)


def run_evaluate(model: Path, file: Path, options: Mapping[str, Any], *, json: bool) -> None:
    """Judge a model on the labelled rows of a file.

    Parameters
    ----------
    model, file : Path
    options : mapping of str to object
        How the file is written, where it is not as the one that the model learned from.
    json : bool
    """
    memory = parse_bytes(options.get("memory"))
    stored = load(model, memory)
    frame = read_frame(file, reading_of(options, stored.reading), memory=memory)
    _refuse_unlabelled(stored.schema.target, frame.columns)
    frame, gaps = stored.schema.labelled(frame)
    features, notes = stored.schema.features_of(frame)
    result = judged(stored, features, stored.schema.target_of(frame))
    notes = (*gaps, *notes, *_seen(stored, file), *_scoreless(result))
    if json:
        typer.echo(json_text.dumps({**plain(test_of(result)), "notes": list(notes)}))
        return
    _note(notes)
    say((stored.about["model"], "bold"), f" on {shown(file.name)}")
    tell_test(result, stored.about["metric"], "rows")
    if result.classes:
        tell_classes(result)


def _refuse_unlabelled(target: str, columns: Sequence[str]) -> None:
    if target not in columns:
        near = get_close_matches(target, columns, 1)
        hint = f"did you rename it to {near[0]!r}?" if near else "without labels there is predict."
        raise InputError(f"The table lacks the column {target!r} that a model is judged by: {hint}")


def _seen(stored: Stored, file: Path) -> list[str]:
    if digest(file) != stored.about.get("digest"):
        return []
    return ["The model learned from rows of this very file: the scores flatter it."]


def _scoreless(result: TestResult) -> list[str]:
    if result.look.result is None or math.isfinite(result.look.result.value):
        return []
    return [f"These rows have no {title(result.look.scoring)}: some class is not among them."]


def judged(stored: Stored, X: Any, truth: Any) -> TestResult:
    """Score a stored model on rows.

    Parameters
    ----------
    stored : Stored
    X : DataFrame
    truth : ndarray

    Returns
    -------
    TestResult
    """
    metric, model, task = stored.about["metric"], stored.pipeline, stored.schema.task
    scorer = scorer_of(metric, stored.sought)
    said = judge(model, X, truth, FURTHER[task][0], FURTHER[task][0], FURTHER[task])
    scores = {**said.scores, metric: _score(model, X, truth, metric, scorer)}
    interval = interval_of(model, X, truth, scorer, scores[metric])
    look = Look(1, "", stored.about["model"], metric, interval)
    guess = _guess(X, truth, metric, scorer, task)
    result = TestResult(
        look, np.arange(len(truth)), truth, said.predicted, scores=scores, baseline=guess
    )
    return of_classes(result, model, X, stored.sought) if task == "classification" else result


def _guess(X: Any, truth: Any, metric: str, scorer: Any, task: str) -> float:
    """Score the commonest class of the rows themselves, or their mean."""
    baseline = DummyClassifier(strategy="prior") if task == "classification" else DummyRegressor()
    return _score(baseline.fit(X, truth), X, truth, metric, scorer)


def _score(model: Any, X: Any, truth: Any, metric: str, scorer: Any) -> float:
    """Score a model; NaN where rows of these classes have no such score."""
    try:
        return judge(model, X, truth, metric, scorer, ()).scores[metric]
    except ValueError:
        return math.nan


def run_info(model: Path, memory: str | None = None, *, json: bool) -> None:
    """Say what a model is.

    Parameters
    ----------
    model : Path
    memory : str, default=None
        What it may take.
    json : bool
    """
    stored = load(model, parse_bytes(memory))
    schema, about = stored.schema, stored.about
    if json:
        features = [{"name": each.name, "kind": each.kind} for each in schema.features]
        facts = {"target": schema.target, "task": schema.task, "classes": list(schema.classes)}
        typer.echo(json_text.dumps(plain({**about, **facts, "features": features})))
        return
    say((about["model"], "bold"), f" of {shown(about['source'])}")
    kinds = ", ".join(map(shown, schema.classes)) if schema.classes else "a quantity"
    say(f"predicts {shown(schema.target)} ({kinds}) from {_counted(len(schema.features))}:")
    say(f"  {', '.join(shown(each.name) for each in schema.features)}")
    say(f"learned from {about['train_rows']} rows, {shown(about['params'] or 'nothing tuned')}")
    score = interval(about["metric"], interval_from(about["test"]))
    guess = interval(about["metric"], interval_from({"value": about["baseline"]}))
    say(f"{title(about['metric'], stored.sought)} {score} on {about['test_rows']} test rows")
    say(f"guessing: {guess}")
    say(f"repeat: {shown(about['command'])}")


def _counted(columns: int) -> str:
    return "1 column" if columns == 1 else f"{columns} columns"
