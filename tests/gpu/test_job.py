"""The main job with models on a card: what is written predicts on the CPU."""

import numpy as np
import polars as pl
import pytest

from maxmargin.job import FrameModel, fit


def rows(quantity, n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 2)).round(3)
    score = X[:, 0] - X[:, 1]
    y = score.round(3) if quantity else np.where(score > 0, "more", "less")
    return pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y})


@pytest.mark.usefixtures("card")
@pytest.mark.parametrize(
    ("quantity", "models"),
    [(False, "svm-laplacian"), (False, "svm-linear,logistic"), (True, "svm-linear")],
)
def test_a_job_on_a_card_leaves_a_model_for_the_cpu(quantity, models, tmp_path):
    facts = {"models": models, "folds": 2, "time_budget": None, "seed": 1, "blend": False}
    table = rows(quantity)
    found = fit(table, "y", device="cuda", **facts)
    found.save(tmp_path)
    assert {each.status for each in found.outcome.entries} == {"done"}
    assert found.record["machine"]["card"]
    assert found.outcome.winner != "baseline"
    stored = FrameModel.load(tmp_path / "model.maxmargin")
    np.testing.assert_array_equal(stored.predict(table), found.model.predict(table))
    usual = fit(table, "y", **facts)
    assert found.score.value == pytest.approx(usual.score.value, abs=0.1)
