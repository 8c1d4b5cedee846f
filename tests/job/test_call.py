"""The main job from Python: the same as the command, on tables of any library."""

import html
import json
import re
import warnings

import numpy as np
import polars as pl
import pytest
from sklearn.base import clone, is_classifier
from sklearn.inspection import permutation_importance
from sklearn.metrics import accuracy_score
from typer.testing import CliRunner

from maxmargin.cli.app import app
from maxmargin.job import FrameModel, fit
from maxmargin.job.folder import NAMES
from maxmargin.job.frame import as_frame
from maxmargin.tables import InputError

QUICK = {"models": "lda,svm-linear", "folds": 2, "time_budget": None}


def make(n=60):
    rng = np.random.default_rng(0)
    return pl.DataFrame(
        {
            "size": (rng.normal(size=n) + 3.0 * (np.arange(n) % 2)).round(3),
            "weight": [None if i % 7 == 0 else i * 0.5 for i in range(n)],
            "colour": [["red", None, "blue"][i % 3] for i in range(n)],
            "count": [i % 5 for i in range(n)],
            "y": [["no", "yes"][i % 2] for i in range(n)],
        }
    )


@pytest.fixture(scope="module")
def done():
    return fit(make(), "y", **QUICK)


def test_the_command_and_python_find_the_same(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    make().write_csv("data.csv")
    words = ["fit", "data.csv", "--target=y", "--models=lda,svm-linear", "--folds=2"]
    words += ["--time-budget=none", "--out=out"]
    assert CliRunner().invoke(app, words).exit_code == 0
    record = json.loads((tmp_path / "out" / "run.json").read_text())
    for data in ("data.csv", make()):
        result = fit(data, "y", **QUICK)
        assert result.record["results"] == record["results"]
        assert result.record["splits"] == record["splits"]
        assert result.predictions.write_csv() == (tmp_path / "out" / "predictions.csv").read_text()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["data.csv", "out"]


def containers():
    frame = make()
    yield "lazy", frame.lazy()
    yield "dict", frame.to_dict(as_series=False)

    class Arrow:
        def __arrow_c_stream__(self, requested_schema=None):
            return frame.__arrow_c_stream__(requested_schema)

    yield "arrow", Arrow()
    try:
        import pandas as pd  # noqa: PLC0415
    except ImportError:
        return
    columns = frame.to_dict(as_series=False)
    yield "pandas", pd.DataFrame(columns, index=range(60, 0, -1))
    yield "pandas categories", pd.DataFrame(columns).astype({"colour": "category"})
    yield "pandas nullable", pd.DataFrame(columns).convert_dtypes()


@pytest.mark.parametrize(
    ("kind", "data"), [pytest.param(*each, id=each[0]) for each in containers()]
)
def test_a_table_of_any_library_is_the_same_table(kind, data, done):
    read = as_frame(data)
    assert read.columns == make().columns
    assert read["colour"].cast(pl.String).to_list() == make()["colour"].to_list()
    assert read["weight"].to_list() == make()["weight"].to_list()
    assert done.model.predict(data).tolist() == done.model.predict(make()).tolist()


@pytest.mark.parametrize(
    ("data", "options", "words"),
    [
        ([1, 2], {}, "Expected a DataFrame of polars or pandas"),
        (7, {}, "and not a int"),
        ({"a": [1, 2], "y": [1]}, {}, "The dict is no table"),
        (make().clear(), {}, "holds no rows"),
        (make(), {"target": "z"}, "has no column 'z'"),
        (make(), {"models": "ldb"}, "did you mean 'lda'"),
        (make(), {"time_budget": "soon"}, "--time-budget is a time"),
        (make(), {"time_budget": -1.0}, "--time-budget is a time"),
        (make(), {"folds": 1}, "--folds is 2 or more"),
        (make().select("y"), {}, "a single column"),
        (make(), {"target": None}, "Name the column to predict"),
        (make(), {"folds": 2.5}, "--folds is 2 or more, and not 2.5"),
        (make(), {"positive": 3}, "3"),
        ("absent.csv", {}, "There is no file 'absent.csv'"),
    ],
)
def test_errors_are_exceptions_with_the_sentence_of_the_command(data, options, words):
    with pytest.raises(InputError, match=words):
        fit(data, **{"target": "y", **QUICK, **options})


def test_the_result_knows_everything(done):
    assert done.table.schema.target == "y"
    assert done.scores["accuracy"] == done.score.value
    assert done.predictions.columns[:3] == ["row", "truth", "prediction"]
    shares = accuracy_score(done.predictions["truth"], done.predictions["prediction"])
    assert done.score.value == pytest.approx(shares)
    assert repr(done).startswith("<JobResult 'y': ")
    assert done.record["command"].startswith("maxmargin.job.fit(frame, target='y'")
    assert done.record["source"]["file"] is None


def test_a_notebook_shows_a_summary(done):
    shown = done._repr_html_()
    assert "<strong>y</strong>" in shown
    for entry in done.outcome.entries:
        assert entry.title in shown
    assert "<script" not in shown
    assert len(shown) < 10_000


def test_a_notebook_shows_the_report_in_a_frame(done):
    shown = done.report._repr_html_()
    assert shown.startswith("<iframe")
    inside = re.search(r'srcdoc="([^"]*)"', shown)[1]
    assert html.unescape(inside) == done.report.html


def test_nothing_is_written_unless_asked_for(done, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    fit(make(), "y", **QUICK)
    assert list(tmp_path.iterdir()) == []
    files = done.save("out")
    assert {path.name for path in files.values()} == set(NAMES)
    stored = FrameModel.load(files["model"])
    assert stored.predict(make()).tolist() == done.model.predict(make()).tolist()
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "report.html").write_text("mine")
    with pytest.raises(InputError, match="is not from a run"):
        done.save("mine")


def test_columns_of_one_name_are_refused():
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([[1, 2, "no"], [3, 4, "yes"]], columns=["a", "a", "y"])
    with pytest.raises(InputError, match="Two columns are named 'a'"):
        fit(frame, "y")


def test_progress_is_told():
    told = []
    fit(make(), "y", progress=told.append, **QUICK)
    assert {each.model for each in told} >= {"baseline", "lda", "svm-linear"}


class TestModel:
    def test_it_predicts_frames_in_any_order_of_columns(self, done):
        frame = make()
        first = done.model.predict(frame)
        assert first.tolist() == done.model.predict(frame.select(sorted(frame.columns))).tolist()
        assert first.tolist() == done.model.predict(frame.drop("y")).tolist()
        assert done.predict(frame)["prediction"].to_list() == first.tolist()

    def test_a_column_that_is_not_there_is_named(self, done):
        with pytest.raises(InputError, match="lacks the column 'size'"):
            done.model.predict(make().drop("size"))

    def test_it_is_an_estimator_of_scikit_learns(self, done):
        model, frame = done.model, make()
        y = frame["y"].to_numpy()
        assert is_classifier(model)
        assert model.classes_.tolist() == ["no", "yes"]
        assert list(model.feature_names_in_) == ["size", "weight", "colour", "count"]
        assert model.score(frame, y) == accuracy_score(y, model.predict(frame))
        assert hasattr(model, "predict_proba") == hasattr(model.pipeline, "predict_proba")
        assert hasattr(model, "decision_function")
        pandas = pytest.importorskip("pandas")
        table = pandas.DataFrame(frame.drop("y").to_dict(as_series=False))
        found = permutation_importance(model, table, y, n_repeats=2, random_state=0)
        assert found.importances_mean.argmax() == 0

    def test_it_can_be_fitted_to_other_rows(self, done):
        frame = make()
        other = np.where(frame["y"].to_numpy() == "no", "yes", "no")
        again = clone(done.model).fit(frame, other)
        assert np.mean(again.predict(frame) == other) > 0.8
        assert np.mean(done.model.predict(frame) == other) < 0.2
        with pytest.raises(InputError, match="y has the shape"):
            again.fit(frame, other[:5])


def test_a_quantity_has_its_scores():
    frame = make().with_columns((pl.col("size") * 2.0 + pl.col("count")).alias("y"))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        result = fit(frame, "y", models=["ridge"], folds=2)
    assert result.outcome.metric == "r2"
    assert not is_classifier(result.model)
    assert result.model.score(frame, frame["y"]) > 0.9
