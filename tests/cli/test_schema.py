"""What programs read is described field by field: run.json and the events of every kind of job."""

import inspect
import json
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from maxmargin.cli import app
from maxmargin.cli.app import fit as fit_command
from maxmargin.job import fit, schema_of

ROOT = Path(__file__).parents[2]


def load(name, path):
    spec = spec_from_file_location(name, path)
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


VALIDATOR = load("validator", Path(__file__).with_name("validator.py"))
WRITER = load("schema_writer", ROOT / "docs" / "schema.py")


def check(value, name):
    """Refuse what a schema does not describe, and say what to do."""
    found = VALIDATOR.faults(value, name)
    assert not found, (
        f"\nsrc/maxmargin/job/{name}.schema.json does not describe what a run writes:\n  "
        + "\n  ".join(found[:20])
        + "\nDescribe each field there by its type and a sentence (a new field is not required),"
        + "\nthen run `python docs/schema.py`, which writes docs/run-json.md."
    )


def run(*words):
    return CliRunner().invoke(app, [str(word) for word in words])


def events(result):
    lines = [json.loads(line) for line in result.stdout.splitlines()]
    for line in lines:
        check(line, "events")
    return lines


def numbers(n):
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {"a": rng.normal(size=n) + 3.0 * (np.arange(n) % 2), "b": rng.normal(size=n)}
    )


def two_classes(n=60):
    labels = [["no", "yes"][i % 2] for i in range(n)]
    return numbers(n).with_columns(pl.Series("y", labels))


def many_classes():
    return numbers(104).with_columns(pl.Series("y", [i % 26 for i in range(104)]))


def quantity():
    return numbers(60).with_columns((2.0 * pl.col("a") + 0.25).alias("y"))


def texts():
    words = ["free money now call", "are you home tonight"]
    said = [f"{words[i % 2]} and {chr(97 + i % 26)} {i} times, or so they say" for i in range(60)]
    return two_classes().drop("b").with_columns(pl.Series("said", said))


def in_time():
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 2, 29), eager=True)
    return two_classes().with_columns(days.alias("day"))


def with_ids_and_a_leak():
    frame = two_classes(90).with_columns(pl.Series("key", [f"k{i:03d}" for i in range(90)]))
    return frame.with_columns((pl.col("y") == "yes").alias("spoiler"))


def unequal():
    labels = ["rare" if i % 8 == 0 else "usual" for i in range(96)]
    return numbers(96).with_columns(pl.Series("y", labels))


LDA = ("--models", "lda", "--folds", 2)
KINDS = {
    "two_classes": (two_classes, ("--models", "lda,svm-linear,boosting", "--folds", 2)),
    "many_classes": (many_classes, (*LDA, "--task", "classification")),
    "quantity": (quantity, ("--models", "ridge", "--folds", 2)),
    "texts": (texts, ("--models", "svm-linear", "--folds", 2)),
    "in_time": (in_time, (*LDA, "--time", "day")),
    "ids": (with_ids_and_a_leak, (*LDA, "--id", "key")),
    "unequal": (unequal, (*LDA, "--positive", "usual")),
}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """A run of every kind: its events and its folder."""
    folder = tmp_path_factory.mktemp("runs")
    found = {}
    for kind, (make, options) in KINDS.items():
        make().write_csv(folder / f"{kind}.csv")
        words = ["fit", folder / f"{kind}.csv", "--target", "y", *options, "--out", folder / kind]
        found[kind] = run(*words, "--json"), folder / kind
    return found


@pytest.mark.parametrize("kind", KINDS)
def test_a_run_is_as_its_schema_says(runs, kind):
    result, folder = runs[kind]
    assert result.exit_code == 0, result.output
    check(json.loads((folder / "run.json").read_text()), "run")


@pytest.mark.parametrize("kind", KINDS)
def test_events_tell_the_run_in_order_and_nothing_else(runs, kind):
    result, folder = runs[kind]
    told = events(result)
    names = [each["event"] for each in told]
    assert names[:2] == ["started", "table"]
    assert names[-1] == "finished"
    assert set(names[2:-1]) == {"model_begun", "progress", "model_finished", "leader"}
    seconds = [each["seconds"] for each in told]
    assert seconds == sorted(seconds)
    record = json.loads((folder / "run.json").read_text())
    assert told[-1]["results"] == record["results"]
    assert {Path(path).name for path in told[-1]["files"].values()} == {
        each.name for each in folder.iterdir()
    }
    finished = {each["model"]: each for each in told if each["event"] == "model_finished"}
    assert {name: each["mean"] for name, each in finished.items()} == {
        each["name"]: each["mean"] for each in record["results"]["models"]
    }
    leaders = [each["mean"] for each in told if each["event"] == "leader"]
    assert leaders == sorted(leaders)
    assert leaders[-1] == max(each["mean"] for each in finished.values())
    assert result.stderr == ""


def test_a_repeat_tells_the_same(runs, tmp_path):
    _, folder = runs["two_classes"]
    again = run("fit", "--repeat", folder / "run.json", "--out", tmp_path / "again", "--json")
    assert again.exit_code == 0, again.output
    last = events(again)[-1]
    check(json.loads((tmp_path / "again" / "run.json").read_text()), "run")
    assert last["results"] == json.loads((folder / "run.json").read_text())["results"]


def test_a_comparison_ends_with_its_models(tmp_path):
    two_classes().write_csv(tmp_path / "data.csv")
    told = events(run("compare", tmp_path / "data.csv", "--target", "y", *LDA, "--json"))
    assert [each["name"] for each in told[-1]["models"]] == ["lda", "baseline"]
    assert told[-1]["event"] == "compared"


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["fit", "absent.csv", "--target", "y"], "There is no file 'absent.csv'"),
        (["fit", "data.csv", "--target", "z"], "has no column 'z'"),
        (["fit", "data.csv", "--target", "y", "--folds", "few"], "'--folds'"),
        (["predict", "absent.maxmargin", "data.csv"], "There is no file"),
        (["fitt", "data.csv"], "No such command 'fitt'"),
    ],
)
def test_an_error_is_an_event_with_the_sentence_and_the_exit_code(
    tmp_path, monkeypatch, words, sentence
):
    monkeypatch.chdir(tmp_path)
    two_classes().write_csv("data.csv")
    result = run(*words, "--json")
    last = events(result)[-1]
    assert (last["event"], last["exit_code"]) == ("error", 2)
    assert result.exit_code == 2
    assert sentence in last["message"]
    assert last["message"][:40].split("'")[0] in result.stderr


def test_a_model_that_fails_is_told_after_the_files(tmp_path, monkeypatch):
    def fail(*_):
        raise TypeError("odd")

    two_classes().write_csv(tmp_path / "data.csv")
    monkeypatch.setattr("maxmargin.svm.search_cv.watch", fail)
    words = ["--target", "y", "--models", "lda,svm-linear", "--folds", 2, "--out", tmp_path / "out"]
    result = run("fit", tmp_path / "data.csv", *words, "--json")
    told = events(result)
    assert [each["event"] for each in told[-2:]] == ["finished", "error"]
    assert told[-1]["exit_code"] == result.exit_code == 1
    failed = next(e for e in told if e["event"] == "model_finished" and e["model"] == "svm-linear")
    assert (failed["status"], failed["mean"], failed["folds"]) == ("failed", None, None)


@pytest.mark.parametrize("name", ["run", "events"])
def test_the_command_prints_the_schemas(name):
    assert json.loads(run("schema", name).stdout) == schema_of(name)
    assert run("schema", "rum").exit_code == 2


def test_the_validator_finds_what_is_wrong(runs):
    text = (runs["two_classes"][1] / "run.json").read_text()
    record = json.loads(text)
    wrong = {
        ".version is 2": {**record, "version": 2},
        ".notes is missing": {name: part for name, part in record.items() if name != "notes"},
        ".more is not described": {**record, "more": 1},
        ".seed is a str": {**record, "seed": "0"},
        ".results.test.classes[0].rows": json.loads(text.replace('"rows": 6', '"rows": 6.5')),
        ".results.models[0].status is 'odd'": json.loads(text.replace('"done"', '"odd"', 1)),
    }
    for words, value in wrong.items():
        assert any(words in fault for fault in VALIDATOR.faults(value, "run")), words
    assert VALIDATOR.faults({"event": "progress"}, "events")


def test_every_field_is_described_and_the_page_has_them_all():
    for name in ("run", "events"):
        text = json.dumps(schema_of(name))
        assert '"description": ""' not in text
    page = (ROOT / "docs" / "run-json.md").read_text(encoding="utf-8")
    assert WRITER.filled(page) == page, "Run `python docs/schema.py`: the schemas have changed."


def test_python_takes_every_option_of_the_command():
    """An option that the command has and Python lacks would be a second way to do the job."""
    files = {"context", "file", "out", "raw", "json", "repeat", "jobs"}
    wanted = inspect.signature(fit_command).parameters.keys() - files
    missing = wanted - inspect.signature(fit).parameters.keys()
    assert not missing, f"Give these to maxmargin.job.fit, in src/maxmargin/job/call.py: {missing}"
