"""Which training rows decide, and by which columns they are near."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_iris, make_friedman1

from maxmargin import TableSVC, TableSVR
from maxmargin.datasets import load_mixture
from maxmargin.tabular import final


def table(n=100):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
            "word": rng.choice(["a", "b", "c"], n),
            "same": 1.0,
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D"),
        }
    )
    return frame, np.where((frame["word"] == "a") | (frame["when"].dt.month < 4), "yes", "no")


@pytest.fixture
def large(monkeypatch):
    """Lower the border beyond which machines are made of support vectors."""
    monkeypatch.setattr(final, "MOST_SEARCHED", 90)
    monkeypatch.setattr("maxmargin.tabular.search.FIRST_ROWS", 60)
    monkeypatch.setattr("maxmargin.tabular.search.MOST_SEARCHED", 90)


@pytest.fixture(scope="module")
def words():
    frame, y = table()
    return frame, y, TableSVC().fit(frame, y)


def assert_adds_up(found, value, tolerance=1e-9):
    size = max(1.0, np.abs(found.contributions).sum())
    assert found.offset + found.contributions.sum() == pytest.approx(found.decision)
    assert abs(found.decision - value) < tolerance * size
    assert (np.diff(np.abs(found.contributions)) <= 0).all()


def test_contributions_add_up_to_the_decision_value(words):
    frame, _, model = words
    for i in (0, 1, 2, 3):
        found, value = model.explain(frame.iloc[[i]]), model.decision_function(frame.iloc[[i]])[0]
        assert found.predicted == model.predict(frame.iloc[[i]])[0]
        assert {found.predicted, found.against} == {"no", "yes"}
        assert_adds_up(found, abs(value))
        assert sorted(found.rows) == sorted(model.support_)


def test_of_several_classes_the_predicted_one_is_explained_against_all_others():
    X, y = load_iris(return_X_y=True)
    model = TableSVC().fit(X, y)
    for i in (0, 70, 140):
        found = model.explain(X[i])
        assert found.against is None
        assert_adds_up(found, model.decision_function(X[i : i + 1])[0].max())


def test_of_a_quantity_they_add_up_to_the_prediction():
    X, y = make_friedman1(80, random_state=0)
    model = TableSVR().fit(X, y)
    found = model.explain(list(X[5]))
    assert_adds_up(found, model.predict(X[5:6])[0])
    assert found.predicted == model.predict(X[5:6])[0]
    said = str(found)
    assert said.startswith("Predicted ")
    assert "Rows that raise it:" in said
    assert "x0" in said


@pytest.mark.parametrize("kind", ["classes", "quantity"])
def test_support_vectors_explain_too(kind, large):
    X, y = load_mixture(return_X_y=True)
    model = TableSVC().fit(X, y) if kind == "classes" else TableSVR().fit(X, X[:, 0] * X[:, 1])
    for i in (0, 150):
        found = model.explain(X[i])
        value = model.predict if kind == "quantity" else model.decision_function
        said = value(X[i : i + 1])[0]
        assert_adds_up(found, said if kind == "quantity" else abs(said), 1e-5)
        assert len(found.rows) < len(X)


def test_machines_that_compare_classes_in_pairs_tell_of_the_runner_up(large):
    """Of every pair: iris rows are explained by what scikit-learn calls ovo values."""
    X, y = load_iris(return_X_y=True)
    model = TableSVC().fit(X, np.array(["c", "b", "a"])[y])
    pairs = [("a", "b"), ("a", "c"), ("b", "c")]
    row = model.preparation_.rows([X[:, j] for j in range(4)])
    values = 0.0
    for member in model.members_:
        machine = member.machine.model.set_params(decision_function_shape="ovo")
        values = values + member.share * machine.decision_function(
            member.machine.candidate.scaled(row)
        )
        machine.set_params(decision_function_shape="ovr")
    seen = set()
    for i in range(0, 150, 7):
        found = model.explain(X[i])
        pair = tuple(sorted((found.predicted, found.against)))
        sign = 1 if found.predicted == pair[0] else -1
        assert_adds_up(found, sign * values[i, pairs.index(pair)], 1e-5)
        seen.add((found.predicted, found.against))
    assert seen >= {("a", "b"), ("b", "a"), ("c", "b")}


def test_a_row_adds_its_target_times_how_much_it_is_listened_to():
    """What a row adds is its target, less the trend, times how much it is listened to."""
    X, y = make_friedman1(60, random_state=0)
    model = TableSVR().fit(X, y)
    found = model.explain(X[7])
    add = dict(zip(found.rows.tolist(), found.contributions.tolist(), strict=True))
    for i in (7, 20):
        moved = 0.0
        for member in model.members_:
            machine = member.machine
            K = machine.candidate.kernel(machine.support)
            G = K + machine.candidate.ridge * np.diag(1.0 / model.weight_)
            row = model.preparation_.rows([X[7:8, j] for j in range(10)])
            k = machine.candidate.kernel(machine.candidate.scaled(row, np.float64), machine.support)
            unit = (model.support_ == i).astype(float)
            known = model.preparation_.rows([X[i : i + 1, j] for j in range(10)])
            left = y[i] - model.offset_ - model.scale_ * member.trend(known)[0, 0]
            moved += member.share * float((k @ np.linalg.inv(G) @ unit)[0]) * left
        assert add[i] == pytest.approx(moved, rel=1e-5)
    assert found.rows[0] == 7  # of all rows its own is listened to most
    assert np.abs(found.contributions).sum() < 20 * np.abs(y).max()


def test_distances_by_column_are_those_of_the_kernel(large):
    """Of one machine: the kernel of the columns' summed distances, times the coefficient."""
    frame, y = table()
    model = TableSVC().fit(frame, y)
    model.members_ = model.members_[:1]
    machine = model.members_[0].machine
    found = model.explain(frame.iloc[7])
    D = np.ascontiguousarray(found.distances.sum(axis=1)[None, :])
    K = np.empty_like(D)
    machine.candidate.kernel.of_distances(D, K)
    rows = model.support_[machine.model.support_]
    beta = dict(zip(rows.tolist(), machine.model.dual_coef_[0].tolist(), strict=True))
    sign = -1 if found.predicted == model.classes_[0] else 1
    parts = [sign * model.members_[0].share * beta[row] for row in found.rows.tolist()]
    np.testing.assert_allclose(parts * K[0], found.contributions, rtol=1e-4)
    assert (found.distances[:, 2] == 0).all()  # the column that was dropped
    assert found.shares.sum(axis=1) == pytest.approx(1.0)
    same = frame["word"].to_numpy()[found.rows] == frame["word"].iloc[7]
    assert found.distances[same, 1].max() < found.distances[~same, 1].min()


def test_where_nothing_was_to_be_learned_no_row_decides():
    X = np.arange(20.0)[:, None]
    found = TableSVR().fit(X, np.full(20, 3.0)).explain([2.0], X)
    assert found.decision == found.offset == 3.0
    assert len(found.rows) == 0
    assert str(found).count("  none") == 2


def test_it_prints_rows_of_the_training_table(words):
    frame, y, model = words
    found = model.explain(frame.iloc[3], frame, y)
    said = str(found)
    first = found.strongest()[0]
    assert f"Rows for {found.predicted}:" in said
    assert f"row {found.rows[first]}  {found.contributions[first]:+.4g}; target" in said
    name = found.near(first)[0]
    value = pd.Series(frame[name].iloc[found.rows[first]]).astype(str).str[:5][0]
    assert f"near in {name} ({value}" in said
    assert found.targets[first] == y[found.rows[first]]
    for i in found.strongest(2, sign=-1):
        assert found.contributions[i] < 0
        assert set(found.near(i)).isdisjoint(found.far(i))
    every = pd.DataFrame(found.columns())
    assert list(every.columns) == ["row", "contribution", "target", "near in", "far in"]
    assert len(every) == len(model.support_)


@pytest.mark.parametrize(
    ("row", "options", "sentence"),
    [
        ({"size": 1.0}, {}, "lacks word, same, when"),
        ({"size": 1.0, "word": "a", "same": 1, "when": None, "x": 2}, {}, "has x, unknown to"),
        ([1.0, "a"], {}, "has 2 values, the fit 4"),
        (2, {}, "One row is explained at a time, got 2 rows"),
        (None, {}, "must be a table of one row, a dict or a list of values; got None"),
        ("a", {}, "must be a table of one row, a dict or a list of values; got 'a'"),
        (1, {"X": 5}, r"must be the training table, which has at least \d+ rows; got 5"),
    ],
)
def test_bad_input(words, row, options, sentence):
    frame, _, model = words
    row = frame[:row] if isinstance(row, int) else row
    options = {name: frame[:count] for name, count in options.items()}
    with pytest.raises(ValueError, match=sentence):
        model.explain(row, **options)
