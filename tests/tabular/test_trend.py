"""A linear trend in what machines for tables learn."""

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import r2_score

from maxmargin import TableSVC, TableSVR
from maxmargin.storage import load_model, save_model
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.least_squares import LeaveOneOut
from maxmargin.tabular.machine import Member, fit_least_squares
from maxmargin.tabular.preparation import CLIP, Preparation
from maxmargin.tabular.search import Trial, _keep_if_better
from maxmargin.tabular.task import Task


def _heavy(rows, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_t(2.0, size=(rows, 4))
    return X, X[:, 0] + 0.5 * X[:, 1] + np.sin(2 * X[:, 2]) + 0.2 * random.normal(size=rows)


@pytest.fixture(scope="module")
def fitted():
    X, y = _heavy(400)
    return TableSVR().fit(X, y), X, y


def test_heavy_tails_get_a_trend_that_predicts_them(fitted):
    model, _, _ = fitted
    X, y = _heavy(800, seed=1)
    assert all(member.slope is not None for member in model.members_)
    assert "with a linear trend" in str(model.members_[0].machine.candidate)
    assert r2_score(y, model.predict(X), sample_weight=np.abs(X).max(axis=1) < 20) > 0.9
    assert model.certificate_.status.name == "CERTIFIED"


def test_a_trend_has_to_save_enough():
    found = LeaveOneOut(np.zeros((1, 1)), np.zeros((1, 1)))
    candidate = Candidate((0.5,) * 7, "absolute", "exponential", 1.0, 0.1)
    plain = [Trial(candidate, 9, loss, found) for loss in (0.5, 0.6)]
    trended = [Trial(replace(candidate, trend=1.0), 9, 0.498, found)]
    assert _keep_if_better(plain, trended) == plain
    better = [replace(trended[0], loss=0.49)]
    assert _keep_if_better(plain, better) == [*better, *plain]
    assert _keep_if_better(plain, []) == plain


def test_classes_have_no_trend_and_no_tails():
    X, y = _heavy(200)
    model = TableSVC().fit(X, y > 0)
    assert all(member.slope is None for member in model.members_)
    assert all(column.tail == () for column in model.preparation_.columns)


def test_a_machine_with_a_trend_solves_the_sum_of_both_kernels():
    X, y = _heavy(120)
    y = (y - y.mean())[:, None]
    _, rows = Preparation.learn(list(X.T), list("abcd"), y, tails=True)
    candidate = Candidate(
        (0.5, 0.5, 0.5, 1.0, 1.0, 1.0, 1.0), "absolute", "exponential", 1.0, 0.1, 3.0, trend=0.7
    )
    member = fit_least_squares(Task(rows, y, None), candidate, 1.0, np.zeros(1))
    seen = candidate.scaled(rows, np.float64)
    K = candidate.kernel(seen) + 0.7 * rows.trend @ rows.trend.T
    beta = np.linalg.solve(K + 0.1 * np.eye(len(K)), y)
    np.testing.assert_allclose(member.values(rows, 1), K @ beta, atol=1e-6)


def test_the_trend_sees_what_clipping_takes_off():
    x = np.append(np.random.default_rng(0).normal(size=500), [100.0])
    _, rows = Preparation.learn([x], ["x"], x[:, None], tails=True)
    standard = (x - x.mean()) / x.std()
    assert standard.max() > CLIP
    assert rows.X[:, 0].max() == CLIP
    np.testing.assert_allclose(rows.trend[:, 0], standard)


def test_new_values_beyond_those_of_the_fit_count_as_its_largest():
    x = np.append(np.random.default_rng(0).normal(size=500), [100.0])
    learned, rows = Preparation.learn([x], ["x"], x[:, None], tails=True)
    new = learned.rows([np.array([1e6, np.nan, -np.inf])])
    assert new.trend[0, 0] == pytest.approx(rows.trend[:, 0].max())
    assert new.trend[1:, 0].tolist() == [0.0, 0.0]


def test_predictions_stay_near_the_range_of_the_targets(fitted):
    model, _, y = fitted
    far = np.full((2, 4), [[1e5], [-1e5]])
    low, high = y.min(), y.max()
    predicted = model.predict(far)
    assert predicted.max() <= high + 0.5001 * (high - low)
    assert predicted.min() >= low - 0.5001 * (high - low)


def test_an_explanation_adds_up_with_its_trend(fitted):
    model, X, _ = fitted
    told = model.explain(X[3].tolist())
    assert told.decision == pytest.approx(model.predict(X[3:4])[0])
    assert told.offset + told.contributions.sum() == pytest.approx(told.decision)


def test_a_model_file_keeps_the_trend(fitted, tmp_path):
    model, X, _ = fitted
    save_model(tmp_path / "model.mm", model)
    again = load_model(tmp_path / "model.mm").value
    np.testing.assert_array_equal(again.predict(X), model.predict(X))


def test_a_trend_that_does_not_fit_is_refused(fitted):
    member = fitted[0].members_[0]
    wrong = replace(member, slope=np.zeros((3, 5)))
    assert isinstance(wrong, Member)
    with pytest.raises(ValueError, match="do not fit together"):
        wrong.__restored__()


def test_support_vector_machines_of_many_rows_have_a_trend_as_well(monkeypatch):
    for module, name in (("search", "MOST_SEARCHED"), ("final", "MOST_SEARCHED")):
        monkeypatch.setattr(f"maxmargin.tabular.{module}.{name}", 300)
    X, y = _heavy(700)
    model = TableSVR().fit(X[:500], y[:500])
    assert model.members_[0].slope is not None
    line = Ridge().fit(X[:500], y[:500])
    assert r2_score(y[500:], model.predict(X[500:])) > r2_score(y[500:], line.predict(X[500:]))


def test_landmarks_and_cells_learn_what_a_trend_leaves(monkeypatch):
    for module, name in (("search", "MOST_SEARCHED"), ("final", "MOST_SEARCHED")):
        monkeypatch.setattr(f"maxmargin.tabular.{module}.{name}", 300)
    monkeypatch.setattr("maxmargin.tabular.final.OF_QUANTITIES", (1, 2, 3))
    X, y = _heavy(900)
    model = TableSVR().fit(X[:700], y[:700])
    assert model.members_[0].slope is not None
    near = np.abs(X[700:]).max(axis=1) < 20
    assert r2_score(y[700:][near], model.predict(X[700:][near])) > 0.9
    told = model.explain(X[5].tolist())
    assert told.decision == pytest.approx(model.predict(X[5:6])[0], rel=1e-4)
