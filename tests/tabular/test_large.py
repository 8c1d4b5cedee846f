"""Tables with more rows than an exact machine takes, with that border lowered."""

import time
import tracemalloc

import numpy as np
import pandas as pd
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import TableSVC, TableSVR
from maxmargin.kernels import RBF, Laplacian
from maxmargin.ops.clock import Clock
from maxmargin.storage import load_model, save_model
from maxmargin.tabular import final, landmarks, large, local, search
from maxmargin.tabular.landmarks import Landmarks, add_up, evaluate, judge_landmarks

BORDER = 700


@pytest.fixture(autouse=True)
def small(monkeypatch):
    for module in (final, search):
        monkeypatch.setattr(module, "MOST_SEARCHED", 200)
    monkeypatch.setattr(search, "FIRST_ROWS", 100)
    for name in ("OF_TWO_CLASSES", "OF_CLASSES", "OF_MANY_CLASSES", "OF_QUANTITIES"):
        monkeypatch.setattr(final, name, (BORDER,) * 3)
    monkeypatch.setattr(large, "LANDMARKS", 60)
    monkeypatch.setattr(local, "MOST", 200)
    monkeypatch.setattr(landmarks, "BLOCK", 256)


def waves(n, seed=0):
    """Rows that matter: a boundary finer than a few hundred rows tell."""
    X = np.random.default_rng(seed).uniform(-1, 1, (n, 2))
    return X, np.sin(9 * X[:, 0]) * np.sin(9 * X[:, 1])


def of_kind(kind, value):
    if kind == "quantity":
        return TableSVR, value
    if kind == "classes":
        return TableSVC, np.where(value > 0, "yes", "no")
    return TableSVC, np.digitize(value, [-0.3, 0.3])


@pytest.mark.parametrize("kind", ["classes", "several", "quantity"])
def test_all_rows_teach_more_than_a_sample_of_them(kind):
    X, value = waves(4000)
    noise = 0.2 * np.random.default_rng(1).normal(size=4000)
    estimator, y = of_kind(kind, np.where(np.arange(4000) < 3000, value + noise, value))
    sample = estimator().fit(X[:BORDER], y[:BORDER])
    model = estimator().fit(X[:3000], y[:3000])
    lost, lost_by_sample = (1.0 - each.score(X[3000:], y[3000:]) for each in (model, sample))
    assert lost < 0.85 * lost_by_sample
    assert model.certificate_.status.name == "CERTIFIED"
    said = model.search_results()["candidate"]
    assert "landmarks that all rows taught" in said[-2]
    assert "machines of the rows of" in said[-1]


def test_cells_are_left_out_where_they_do_not_help():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(1500, 3))
    model = TableSVR().fit(X, X[:, 0] + 2.0 * rng.normal(size=1500))
    (member,) = model.members_
    assert len(model.support_) < 1500
    assert sum(len(each.places) for each in member.machine.local) < 750


@pytest.mark.parametrize("kind", ["several", "quantity"])
def test_the_same_bits_for_any_number_of_threads_and_from_a_file(kind, tmp_path):
    X, value = waves(1200)
    estimator, y = of_kind(kind, value)
    one, two, four = (estimator(n_jobs=n).fit(X, y) for n in (1, 2, 4))
    np.testing.assert_array_equal(one._values(X), two._values(X))
    np.testing.assert_array_equal(one._values(X), four._values(X))
    save_model(tmp_path / "m", one)
    again = load_model(tmp_path / "m").value
    np.testing.assert_array_equal(again._values(X), one._values(X))
    np.testing.assert_allclose(again._values(X[7:8]), one._values(X)[7:8], atol=1e-9)


@pytest.mark.parametrize("kind", ["classes", "several", "quantity"])
def test_explanations_add_up(kind):
    X, value = waves(1200)
    estimator, y = of_kind(kind, value)
    model = estimator().fit(X, y)
    why = model.explain(X[5], X, y)
    total = why.offset + why.contributions.sum()
    if kind == "quantity":
        told = model.shape_.mean(np.array([total]), model.smeared_)
        assert np.isclose(told[0], model.predict(X[5:6])[0])
    else:
        values = np.atleast_1d(model.decision_function(X[5:6])[0])
        assert np.isclose(total, np.abs(values[0]) if kind == "classes" else values.max())
    assert len(np.unique(why.rows)) == len(why.rows)


def test_words_gaps_and_weights():
    X, value = waves(1500)
    rng = np.random.default_rng(1)
    frame = pd.DataFrame({"a": X[:, 0], "b": X[:, 1], "w": rng.choice(["u", "v"], 1500)})
    frame.loc[::9, "a"] = np.nan
    y = np.where((value > 0) ^ (frame["w"] == "u"), "yes", "no")
    weight = np.where(y == "yes", 3.0, 1.0)
    plain, weighed = TableSVC().fit(frame, y), TableSVC().fit(frame, y, weight)
    assert plain.score(frame, y) > plain.score(frame, y[::-1]) + 0.05
    assert (weighed.predict(frame) == "yes").mean() > (plain.predict(frame) == "yes").mean()
    p = plain.predict_proba(frame)
    assert np.isfinite(p).all()


@pytest.mark.parametrize("slow", ["", "add_up", "evaluate", "fit_cells"])
def test_a_limit_keeps_what_there_is(slow, monkeypatch):
    """Wherever time is up: at once, or in one of the steps, which then takes longer than that."""
    limit = 1.0 if slow else 0.02
    if slow:
        step = getattr(large, slow)

        def late(*given):
            time.sleep(limit)
            return step(*given)

        monkeypatch.setattr(large, slow, late)
    X, value = waves(3000)
    with pytest.warns(ConvergenceWarning, match="time_limit was reached"):
        model = TableSVR(time_limit=limit).fit(X, value)
    assert np.isfinite(model.predict(X)).all()
    assert model.stop_.name == "TIME_LIMIT"


@pytest.mark.parametrize("kernel", [RBF(1.0), Laplacian(1.0)])
def test_landmarks_solve_their_problem_in_blocks(kernel, monkeypatch):
    """Against the dense solution; and in less memory than the rows' features take."""
    n, m = 20_000, 100
    X = np.random.default_rng(0).normal(size=(n, 2)).astype(np.float32)
    Y = np.sin(2 * X[:, :1].astype(np.float64))
    weight = np.random.default_rng(1).uniform(0.5, 2.0, n)
    found = Landmarks.draw(kernel, X, m, 0)
    tracemalloc.start()
    sums = add_up(found, X, Y, weight, Clock(), 2)
    beta, theta = found.solve(sums, 0.5)
    known = evaluate(found, beta, X, Y, weight / 0.5, Clock(), 2)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 0.5 * n * m * 8
    (judged,) = judge_landmarks(found, theta, known, Y, weight / 0.5)
    assert judged.status.name == "CERTIFIED"
    assert "100 landmarks" in judged.about

    Z = X[found.places].astype(np.float64)
    K, K_mm = kernel(X.astype(np.float64), Z), kernel(Z)
    dense = np.linalg.lstsq(K.T @ (K * weight[:, None]) + 0.5 * K_mm, K.T @ (weight[:, None] * Y))
    np.testing.assert_allclose(known.values, K @ dense[0], atol=1e-3)
