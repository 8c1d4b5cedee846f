"""Stored models and recorded runs, used again."""

import json
import re
import subprocess
import sys
import warnings
from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline
from typer.testing import CliRunner

from maxmargin.cli import app
from maxmargin.cli.stored import judged, load
from maxmargin.job.prediction import name_rows
from maxmargin.job.request import Request
from maxmargin.storage import load_model, save_model
from maxmargin.tables import Reading


def run(*arguments: object):
    return CliRunner().invoke(app, [str(argument) for argument in arguments])


def frame(n: int = 60) -> pl.DataFrame:
    """Two numbers and a category, of which the first says what the class is."""
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "size": rng.normal(size=n) + 3.0 * (np.arange(n) % 2),
            "weight": rng.normal(size=n),
            "colour": rng.choice(["red", "green", "blue"], n),
            "y": np.array(["no", "yes"])[np.arange(n) % 2],
        }
    )


@pytest.fixture(scope="module")
def stored(tmp_path_factory):
    """The folder of a job."""
    folder = tmp_path_factory.mktemp("stored")
    frame().write_csv(folder / "data.csv")
    words = ["--target", "y", "--models", "lda", "--folds", "2", "--out", folder / "out", "--json"]
    done = run("fit", folder / "data.csv", *words)
    assert done.exit_code == 0, done.output
    return folder


@pytest.fixture
def model(stored, monkeypatch):
    monkeypatch.chdir(stored)
    return "out/model.maxmargin"


def test_a_repeat_on_another_file_is_refused(model):
    frame(58).write_csv("other.csv")
    done = run("fit", "other.csv", "--repeat", "out/run.json", "--out", "x")
    assert done.exit_code == 2
    assert "its bytes differ" in done.stderr


def test_a_repeat_finds_the_table_from_anywhere(stored, tmp_path, monkeypatch):
    monkeypatch.chdir(stored)
    words = ["--target", "y", "--models", "lda", "--folds", "2", "--out", "near", "--json"]
    assert run("fit", "data.csv", *words).exit_code == 0
    monkeypatch.chdir(tmp_path)
    again = Request.again(json.loads((stored / "near" / "run.json").read_text()), job=None)
    assert again.file == stored / "data.csv"
    frame(20).write_csv("data.csv")
    again = Request.again(json.loads((stored / "near" / "run.json").read_text()), job=None)
    assert str(again.file) == "data.csv"


def test_a_repeat_with_other_numbers_says_where_they_are(stored, model):
    record = json.loads((stored / "out" / "run.json").read_text())
    record["results"]["test"]["baseline"] += 1e-12
    (stored / "changed.json").write_text(json.dumps(record))
    done = run("fit", "--repeat", "changed.json", "--out", "changed", "--json")
    assert done.exit_code == 4
    assert "other numbers, the first in results.test.baseline" in done.stderr


def test_predict_finds_columns_by_name_and_takes_what_is_new(model):
    table = frame(20).with_columns(pl.lit("violet").alias("colour"), pl.lit(1).alias("more"))
    table.select("more", "colour", "weight", "size").write_csv("new.csv")
    done = run("predict", model, "new.csv", "--out", "said.csv")
    assert done.exit_code == 0, done.stderr
    assert "'more'" in done.stderr
    assert "never seen" in done.stderr
    said = pl.read_csv("said.csv")
    assert (said["prediction"] == table["y"]).mean() > 0.8
    assert said["row"].to_list() == list(range(1, 21))
    assert pl.read_csv(run("predict", model, "new.csv").stdout.encode()).equals(said)
    told = json.loads(run("predict", model, "new.csv", "--json").stdout)
    assert [each["prediction"] for each in told["predictions"]] == said["prediction"].to_list()


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda table: table.drop("size"), "lacks the column 'size'"),
        (lambda table: table.with_columns(pl.lit("big").alias("size")), "'size'"),
    ],
)
def test_predict_refuses_what_the_model_cannot_read(model, change, words):
    change(frame(20)).write_csv("odd.csv")
    done = run("predict", model, "odd.csv", "--out", "odd-said.csv")
    assert done.exit_code == 2
    assert words in done.stderr
    assert done.stderr.count("\n") == 1


def test_predict_names_rows_as_fit_does(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"P{i:03}" for i in range(60)]
    frame().with_columns(pl.Series("patient", names)).write_csv("named.csv")
    words = ["--id", "patient", "--models", "svm-linear", "--folds", "2", "--out", "out", "--json"]
    assert run("fit", "named.csv", "--target", "y", *words).exit_code == 0
    fitted = pl.read_csv("out/predictions.csv")
    said = pl.read_csv(run("predict", "out/model.maxmargin", "named.csv").stdout.encode())
    surely = ["probability no", "probability yes"]
    assert fitted.columns == ["row", "patient", "truth", "prediction", *surely]
    assert said.columns == [name for name in fitted.columns if name != "truth"]
    assert said["patient"].to_list() == names
    named = said["prediction"] == "yes"
    assert (
        said.filter(named)["probability yes"].min() > said.filter(~named)["probability yes"].max()
    )
    frame().write_csv("nameless.csv")
    without = run("predict", "out/model.maxmargin", "nameless.csv").stdout
    assert without.startswith("row,prediction,probability no,probability yes\n")


def test_predict_does_not_replace_what_it_reads(model):
    frame(20).write_csv("new.csv")
    done = run("predict", model, "new.csv", "--out", "new.csv")
    assert done.exit_code == 2
    assert "names a file that is read" in done.stderr


def test_evaluate_judges_on_rows_with_labels(model):
    table = frame(30).with_columns(pl.when(pl.int_range(30) > 1).then(pl.col("y")))
    table.write_csv("later.csv")
    done = run("evaluate", model, "later.csv", "--json")
    told = json.loads(done.stdout)
    assert told["score"]["value"] > 0.8
    assert sum(map(sum, told["confusion"])) == 28
    assert "2 rows" in told["notes"][0]


def test_evaluate_stands_beside_guessing(model):
    table = frame(30).filter((pl.col("y") == "no") | (pl.int_range(30) < 10))
    table.write_csv("later.csv")
    told = json.loads(run("evaluate", model, "later.csv", "--json").stdout)
    assert told["baseline"] == 15 / 20
    assert "guessing: 75.0 %" in run("evaluate", model, "later.csv").stdout


@pytest.mark.parametrize("metric", ["roc_auc", "average_precision", "neg_log_loss", "recall"])
def test_evaluate_takes_rows_that_lack_a_class(stored, metric):
    found = load(stored / "out" / "model.maxmargin")
    rows = frame(30).filter(pl.col("y") == "no")
    asked = replace(found, about={**found.about, "metric": metric})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        result = judged(asked, rows, rows["y"].to_numpy())
    assert result.scores["accuracy"] > 0.8
    assert np.isnan(result.look.result.value) == (metric != "recall")


def test_evaluate_says_that_labels_are_missing(model):
    frame(30).drop("y").write_csv("unlabelled.csv")
    done = run("evaluate", model, "unlabelled.csv")
    assert done.exit_code == 2
    assert "lacks the column 'y' that a model is judged by" in done.stderr


def test_evaluate_on_the_rows_of_the_fit_is_said_to_flatter(model):
    done = run("evaluate", model, "data.csv")
    assert done.exit_code == 0, done.stderr
    assert "the scores flatter it" in done.stderr
    assert "found (recall)" in done.stdout


def test_info_says_what_the_model_is(model):
    about = json.loads(run("info", model, "--json").stdout)
    assert about["target"] == "y"
    assert about["train_rows"] == 48
    assert [each["name"] for each in about["features"]] == ["size", "weight", "colour"]
    assert "predicts y (no, yes) from 3 columns" in run("info", model).stdout


def test_later_files_are_read_as_the_one_that_was_learned_from(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    rng, classes = np.random.default_rng(0), np.arange(80) % 2
    size = np.where(rng.random(80) < 0.4, -999.0, rng.normal(size=80) + 4.0 * classes)
    rows = [f"{value};{kind}" for value, kind in zip(size, classes, strict=True)]
    (tmp_path / "data.txt").write_text("\n".join(rows))
    options = ["--no-header", "--missing", "-999.0", "--separator", "semicolon"]
    words = ["--target", "c1", "--models", "lda", "--folds", "2", "--out", "out", "--json"]
    done = run("fit", "data.txt", *words, *options)
    assert done.exit_code == 0, done.output
    (tmp_path / "later.txt").write_text("-999.0;0\n4,5;1\n0;1\n")
    plainly, fully = (run("predict", "out/model.maxmargin", "later.txt", *o) for o in ([], options))
    assert plainly.exit_code == 0, plainly.output
    assert plainly.stdout == fully.stdout
    assert len(plainly.stdout.splitlines()) == 4
    other = run("predict", "out/model.maxmargin", "later.txt", "--missing", "0")
    assert other.stdout.splitlines()[1:2] != plainly.stdout.splitlines()[1:2]


def test_a_model_file_without_a_reading_is_read(stored, tmp_path):
    found = load_model(stored / "out" / "model.maxmargin")
    value = {name: part for name, part in found.value.items() if name != "reading"}
    save_model(tmp_path / "old.maxmargin", value, found.about)
    assert load(tmp_path / "old.maxmargin").reading == Reading()


@pytest.mark.parametrize("options", [[], ["--json"]])
def test_a_later_file_without_one_of_the_classes_is_judged_in_silence(model, options):
    frame(30).filter(pl.col("y") == "no").write_csv("no.csv")
    typed = [sys.executable, "-W", "always", "-c", "from maxmargin.cli import app; app()"]
    words = ["evaluate", model, "no.csv", *options]
    done = subprocess.run([*typed, *words], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert not re.search(r"\bnan\b", done.stdout.lower())


def test_a_model_file_of_somebody_else_is_refused_and_steers_no_terminal(model, tmp_path):
    found = load_model(model)
    hostile = {**found.about, "model": "evil\x1b]0;owned\x1b[2J"}
    save_model(tmp_path / "hostile", found.value, hostile)
    told = run("info", tmp_path / "hostile")
    assert told.exit_code == 0
    assert "\x1b" not in told.output
    for about, value in (
        ({}, found.value),
        ({**found.about, "metric": "no such thing"}, found.value),
        (found.about, {**found.value, "pipeline": Pipeline([("model", DummyClassifier())])}),
        (found.about, {"schema": found.value["schema"]}),
    ):
        save_model(tmp_path / "other", value, about)
        told = run("info", tmp_path / "other")
        assert told.exit_code != 0
        assert "not one that fit wrote" in told.output


def test_foreign_files_of_the_same_names_are_not_replaced(stored, tmp_path):
    (tmp_path / "run.json").write_text('{"mine": 1}')
    (tmp_path / "report.html").write_text("mine")
    done = run("fit", stored / "data.csv", "--target", "y", "--models", "lda", "--out", tmp_path)
    assert done.exit_code == 2
    assert "is not from a run of this command" in done.stderr
    assert (tmp_path / "report.html").read_text() == "mine"


def test_names_of_rows_never_stand_twice():
    said, ids = pl.DataFrame({"prediction": [1]}), pl.DataFrame({"row": [7], "row (id)": [8]})
    assert name_rows(said, ids, [1]).columns == ["row", "row (id)", "row (id) (id)", "prediction"]
