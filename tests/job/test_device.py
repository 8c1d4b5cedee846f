"""The job's device: what is refused before anything is read, and what is recorded."""

import json

import numpy as np
import polars as pl
import pytest
from sklearn.pipeline import Pipeline
from typer.testing import CliRunner

from maxmargin import SVC, SVR, LinearSVC
from maxmargin.cli.app import app
from maxmargin.job import Job, fit
from maxmargin.job.device import move_to_cpu
from maxmargin.job.kernel_models import EXACT_ROWS, KERNEL_CLASSIFIERS
from maxmargin.job.plain_models import PLAIN_CLASSIFIERS
from maxmargin.job.scaled_target import ScaledTarget
from maxmargin.job.tuned import settled
from maxmargin.job.wanted import Wanted
from maxmargin.ops.gpu import device
from maxmargin.tables import InputError, Wishes, make_table

QUICK = {"models": "lda", "folds": 2, "time_budget": None}


def frame(n=40):
    x = np.random.default_rng(0).normal(size=n).round(3)
    return pl.DataFrame({"x": x, "z": x[::-1], "y": np.where(np.arange(n) % 2, "a", "b")})


@pytest.fixture
def no_card(monkeypatch):
    def missing(name):
        raise device.NoCardError(f"device={name!r} needs torch.")

    monkeypatch.setattr(device, "find_device", missing)


@pytest.fixture
def card(monkeypatch):
    monkeypatch.setattr(device, "card_is_there", lambda: True)
    monkeypatch.setattr(device, "find_device", lambda name: name)
    monkeypatch.setattr(device, "card_name", lambda name: f"a card as {name}")


@pytest.mark.usefixtures("no_card")
def test_without_a_card_the_job_ends_before_anything_is_read(tmp_path):
    (tmp_path / "broken.parquet").write_bytes(b"no table at all")
    words = ["fit", str(tmp_path / "broken.parquet"), "--target=y", "--device=cuda"]
    found = CliRunner().invoke(app, words)
    assert found.exit_code == 2
    assert "device='cuda' needs torch." in found.stderr
    with pytest.raises(InputError, match="needs torch"):
        fit(object(), "y", device="cuda:1")


@pytest.mark.parametrize("name", ["gpu", "cuda:", "CPU", "cuda:1x", 3, None])
def test_an_unknown_device_is_a_sentence(name):
    with pytest.raises(InputError, match="--device is auto, cpu, cuda"):
        Job(device=name)


@pytest.mark.usefixtures("no_card")
def test_auto_without_a_card_is_the_job_on_the_cpu():
    usual, auto = fit(frame(), "y", **QUICK), fit(frame(), "y", device="auto", **QUICK)
    assert auto.record["results"] == usual.record["results"]
    assert (usual.record["options"]["device"], auto.record["options"]["device"]) == ("cpu", "auto")
    assert auto.record["machine"]["card"] is None
    assert "device='auto'" in auto.record["command"]
    assert "device" not in usual.record["command"]


@pytest.mark.usefixtures("card")
def test_the_card_is_recorded(tmp_path):
    fit(frame(), "y", device="cuda:1", **QUICK).save(tmp_path)
    record = json.loads((tmp_path / "run.json").read_text())
    assert record["machine"]["card"] == "a card as cuda:1"
    assert fit(frame(), "y", device="auto", **QUICK).record["machine"]["card"] == "a card as cuda"


def built(name, rows, place):
    table = make_table(frame(rows), Wishes("y"))
    found = next(each for each in (*KERNEL_CLASSIFIERS, *PLAIN_CLASSIFIERS) if each.name == name)
    wanted = Wanted(tuning_rows=5000, device=place)
    return found.build(table, wanted)[-1]


@pytest.mark.usefixtures("card")
def test_models_get_the_device():
    for name in ("svm-rbf", "svm-laplacian", "svm-poly"):
        assert built(name, 100, "cuda").search.device == "cuda"
    assert built("logistic", 100, "cuda").search.estimator.device == "cuda"
    assert type(built("svm-linear", 100, "cuda").search.estimator) is LinearSVC
    assert type(built("svm-linear", 100, "auto").search).__name__ == "LinearSVCCV"
    assert built("svm-linear", 20_000, "auto").search.estimator.device == "auto"


@pytest.mark.usefixtures("card")
def test_many_rows_need_no_landmarks_on_a_card():
    many = EXACT_ROWS + 1
    assert built("svm-rbf", many, "cuda").final is None
    assert built("svm-rbf", many, "cpu").final == {"approximate": 1000, "device": "cpu"}


@pytest.mark.usefixtures("no_card")
def test_auto_without_a_card_takes_landmarks():
    assert built("svm-rbf", EXACT_ROWS + 1, "auto").final == {"approximate": 1000, "device": "cpu"}


def test_what_is_kept_predicts_on_the_cpu():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    model = SVC().fit(X, y).set_params(device="cuda")
    assert settled(Pipeline([("model", model)]))[-1].device == "cpu"
    inner = ScaledTarget(SVR()).fit(X, X[:, 0])
    inner.model_.set_params(device="cuda")
    inner.set_params(model__device="cuda")
    move_to_cpu(inner)
    assert (inner.model.device, inner.model_.device) == ("cpu", "cpu")


@pytest.mark.usefixtures("card")
def test_a_full_card_leaves_the_model_out(monkeypatch):
    def full(*_):
        raise device.CardMemoryError("The memory of the card is full.")

    monkeypatch.setattr(LinearSVC, "fit", full)
    wish = {**QUICK, "models": "lda,svm-linear"}
    entry = fit(frame(), "y", device="cuda", **wish).outcome["svm-linear"]
    assert (entry.status, entry.fault) == ("failed", False)
    assert entry.reason == "the memory of the card is too small for it"
