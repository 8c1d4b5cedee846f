"""What docs/deploy.md says of other tools, run."""

import re
from pathlib import Path

import numpy as np
import pytest

import maxmargin as mm
from maxmargin.datasets import load_heart
from maxmargin.export import to_onnx
from tests.export.runtime import run

PAGE = (Path(__file__).parents[2] / "docs" / "deploy.md").read_text(encoding="utf-8")
X, y = load_heart(return_X_y=True)


def code_under(heading):
    section = PAGE.partition(f"\n## {heading}\n")[2].partition("\n## ")[0]
    return re.findall(r"```py\n(.*?)```", section, re.DOTALL)[0]


@pytest.mark.filterwarnings("ignore")
def test_mlflow_logs_the_file_and_the_estimator(tmp_path, monkeypatch):
    mlflow = pytest.importorskip("mlflow")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("MLFLOW_ALLOW_FILE_STORE", "true")
    mlflow.set_tracking_uri(f"file:{tmp_path}/runs")
    model = mm.LinearSVC().fit(X, y)
    names = {"model": model}
    exec(code_under("MLflow"), names)
    found = mlflow.onnx.load_model(names["info"].model_uri)
    assert run(found, X)["label"].tolist() == model.predict(X).tolist()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(
    "model",
    [
        mm.SVC(),
        mm.AdaBoostClassifier(n_estimators=3),
        mm.GlassBoxClassifier(n_bags=2),
        mm.TableSVC(),
    ],
    ids=lambda model: type(model).__name__,
)
def test_skops_trusts_every_type_of_plain_data(model, tmp_path, monkeypatch):
    skops = pytest.importorskip("skops.io")
    monkeypatch.chdir(tmp_path)
    names = {"model": model.fit(X, y)}
    exec(code_under("skops"), names)
    assert skops.get_untrusted_types(file="heart.skops") == []
    assert names["model"] is not model
    assert names["model"].predict(X).tolist() == model.predict(X).tolist()


def test_the_page_names_outputs_that_are_there():
    made = to_onnx(mm.LinearClassifier().fit(X, y))
    names = [each.name for each in made.graph.output]
    assert names == ["label", "contributions", "probabilities", "decision"]
    assert all(f"`{name}`" in PAGE for name in names)
    assert np.isfinite(run(made, X)["decision"]).all()
