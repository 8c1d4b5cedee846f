"""What people ask of fit beside the best model, typed as they type it."""

import json
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from maxmargin.cli import app

QUICK = ["--models", "lda", "--folds", "2"]


def run(*words):
    return CliRunner().invoke(app, [*map(str, words)])


def fit(file, *words):
    result = run("fit", file, "--target", "y", *QUICK, "--out", "out", *words)
    assert result.exit_code == 0, result.output
    return result


def record():
    return json.loads(Path("out/run.json").read_text(encoding="utf-8"))


def page():
    return Path("out/report.html").read_text(encoding="utf-8")


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def rows():
    """Two classes in the order of a year's days, and a column that gives them away."""
    rng, n = np.random.default_rng(0), 120
    y = np.where(rng.random(n) < 0.4, "TRUE", "FALSE")
    days = pl.date_range(pl.date(2024, 1, 1), pl.date(2024, 4, 29), eager=True)
    columns = {"x": rng.normal(size=n) + 1.5 * (y == "TRUE"), "z": rng.normal(size=n)}
    pl.DataFrame(
        {**columns, "alive": np.where(y == "TRUE", "n", "y"), "day": days, "y": y}
    ).write_csv("rows.csv")
    return "rows.csv"


class TestLeak:
    def test_it_is_said_before_beside_the_score_and_in_the_last_lines(self, rows):
        lines = [line for line in fit(rows).stdout.splitlines() if "--drop alive" in line]
        assert len(lines) == 3
        assert lines[0].startswith("Look at 'alive'")
        assert lines[-1] == fit(rows).stdout.splitlines()[-1]
        assert record()["results"]["leaks"] == ["alive"]
        assert "suspected leak: <bdi>alive</bdi>" in page()

    def test_dropped_it_is_not_said(self, rows):
        assert "--drop" not in fit(rows, "--drop", "alive").stdout
        assert record()["results"]["leaks"] == []
        assert "suspected leak" not in page()


class TestPositive:
    def test_scores_of_one_class_are_those_of_the_named_one(self, rows):
        words = ["--metric", "recall", "--drop", "alive"]
        assert "recall of TRUE" in fit(rows, *words).stdout
        assert "recall of FALSE" in fit(rows, *words, "--positive", "FALSE").stdout
        test = record()["results"]["test"]
        assert test["sought"] == "FALSE"
        of_class = {each["label"]: each["recall"]["value"] for each in test["classes"]}
        assert test["score"]["value"] == of_class["FALSE"]
        assert "The class to be found is <bdi>FALSE</bdi>." in page()
        assert "FALSE" in run("evaluate", "out/model.maxmargin", rows).stdout

    def test_labels_are_spelt_as_in_the_file(self, rows):
        fit(rows)
        said = pl.read_csv("out/predictions.csv", infer_schema=False)
        assert {*said["truth"]} == {"TRUE", "FALSE"}
        later = run("predict", "out/model.maxmargin", rows)
        assert {line.split(",")[1] for line in later.stdout.splitlines()[1:]} == {"TRUE", "FALSE"}


class TestTime:
    def test_the_future_is_predicted_from_the_past(self, rows):
        result = fit(rows, "--time", "day", "--drop", "alive")
        assert "test rows are the latest by 'day', from 2024-04-06 on" in result.stdout
        splits = record()["splits"]
        assert splits["test"] == list(range(97, 121))
        assert max(splits["folds"][0]) < min(splits["folds"][1])
        assert "day.days" not in pl.read_csv("out/predictions.csv").columns
        again = run("fit", "--repeat", "out/run.json")
        assert again.exit_code == 0, again.output

    def test_it_is_suggested_where_there_are_dates(self, rows):
        assert "give --time day" in fit(rows, "--drop", "alive").stdout
        assert "give --time day" in page()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--positive", "maybe"], "no class 'maybe' (--positive): it has 'FALSE', 'TRUE'"),
        (["--time", "x", "--group", "z"], "not both"),
        (["--time", "alive"], "which is no date"),
        (["--time", "y"], "cannot both order rows"),
        (["--time", "dya"], "did you mean 'day'"),
    ],
)
def test_what_cannot_be_done_is_one_sentence_and_nothing_is_written(
    rows, words, sentence, tmp_path
):
    result = run("fit", rows, "--target", "y", *QUICK, *words)
    assert result.exit_code == 2
    assert sentence in " ".join(result.stderr.split())
    assert len(result.stderr.strip().splitlines()) == 1
    assert [each.name for each in tmp_path.iterdir()] == ["rows.csv"]


class TestCosts:
    def test_the_operating_point_is_said_and_drawn(self, rows):
        said = fit(rows, "--cost", "missed=10,false=1", "--drop", "alive").stdout
        (line,) = [line for line in said.splitlines() if "from a probability of" in line]
        cost = record()["results"]["cost"]
        assert f"{100 * cost['threshold']:.1f} % up" in line
        assert f"({cost['missed']} missed, {cost['false']} false alarms)" in line
        assert 'aria-labelledby="costs"' in page()


def test_coverage_of_intervals_is_said_and_drawn(rows):
    words = ["--target", "x", "--models", "ridge", "--folds", "2", "--out", "out"]
    result = run("fit", rows, *words, "--interval", "80%")
    assert result.exit_code == 0, result.output
    held = record()["results"]["intervals"]
    said = f"intervals for 80 % of new rows held {100 * held['coverage']['value']:.1f} %"
    assert said in result.stdout
    assert 'aria-labelledby="intervals"' in page()
