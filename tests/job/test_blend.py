"""The average of the best models: chosen without the rows that it is judged on."""

from dataclasses import dataclass, field
from types import SimpleNamespace

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import Ridge
from sklearn.metrics import log_loss
from sklearn.pipeline import Pipeline
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin import LinearClassifier
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.evaluation.run import run_folds
from maxmargin.job.blend import NAME, blend, select
from maxmargin.job.metric import Judge
from maxmargin.job.rules import Rules
from maxmargin.job.wanted import Wanted
from maxmargin.storage.plain import from_plain, to_plain

RNG = np.random.default_rng(0)


@dataclass
class Member:
    name: str
    judge: Judge
    folds: list
    model: Pipeline
    candidate: SimpleNamespace = field(default_factory=lambda: SimpleNamespace(title="it"))


def members_of(rules, rows, models, parts):
    """Fit models to folds and to all rows, as the contest does; the best first."""
    found = []
    for name, model in models.items():
        judge = rules.judge()
        options = {"scoring": judge, "decisions": rules.classify}
        run = run_folds({name: Pipeline([("m", model)])}, rows, parts, **options)[name]
        fitted = Pipeline([("m", model)]).fit(rows.X, rows.y)
        found.append(Member(name, judge, list(run.folds), fitted))
    return sorted(found, key=lambda each: -np.mean([fold.score for fold in each.folds]))


def parts_of(count, rows):
    fold = np.arange(rows) % count
    return [(np.flatnonzero(fold != k), np.flatnonzero(fold == k)) for k in range(count)]


@pytest.fixture
def two_sides(make_table):
    """Half of what there is to learn is linear, the other half a step: a model each."""
    X = RNG.normal(size=(1500, 6))
    value = X[:, :5].sum(axis=1) + 4.0 * (np.abs(X[:, 5]) > 0.7)
    return make_table, pl.DataFrame({f"x{j}": X[:, j] for j in range(6)}), value


MODELS = {"linear": LinearClassifier(loss="logistic"), "tree": DecisionTreeClassifier(max_depth=4)}


def rules_and_rows(table, metric):
    rules = Rules(table, metric, Wanted(metric), 3, 0)
    return rules, EvaluationRows.of(table.features, table.target)


def test_it_is_better_than_its_members_and_says_so_on_unseen_rows(two_sides):
    make_table, X, value = two_sides
    y = np.where(value + RNG.logistic(size=1500) * 0.3 > np.median(value), "yes", "no")
    rules, rows = rules_and_rows(make_table(X, y), "accuracy")
    members = members_of(rules, rows, MODELS, parts_of(3, 1500))
    found, note = blend(rules, members)
    assert note == ""
    assert found.entry.name == NAME
    assert found.entry.run.mean > max(m.judge.means["accuracy"] for m in members)
    assert sum(found.entry.best_params["weights"].values()) == pytest.approx(1.0)
    # its decision values are of all judged rows, in the order of the folds
    for fold, member in zip(found.entry.run.folds, members[0].folds, strict=True):
        assert fold.validate.tolist() == member.validate.tolist()
        assert fold.truth.tolist() == y[fold.validate].tolist()
        own = np.where(fold.decision > 0.5, "yes", "no") == fold.truth
        assert own.mean() == pytest.approx(fold.score)


def test_the_model_averages_probabilities_and_comes_back_from_a_file(two_sides):
    make_table, X, value = two_sides
    y = np.where(value + RNG.logistic(size=1500) * 0.3 > np.median(value), "yes", "no")
    rules, rows = rules_and_rows(make_table(X, y), "accuracy")
    found, _ = blend(rules, members_of(rules, rows, MODELS, parts_of(3, 1500)))
    shares = found.model.predict_proba(rows.X)
    np.testing.assert_allclose(shares.sum(axis=1), 1.0)
    assert (
        found.model.predict(rows.X).tolist()
        == np.where(shares[:, 1] > shares[:, 0], "yes", "no").tolist()
    )
    single = [log_loss(y, model.predict_proba(rows.X)) for model in found.model[-1].models]
    assert log_loss(y, shares) < max(single)
    again = from_plain(to_plain(found.model))
    assert again.predict_proba(rows.X).tolist() == shares.tolist()


def test_noise_as_a_second_model_changes_nothing(two_sides):
    make_table, X, _value = two_sides
    y = np.where(X["x0"].to_numpy() > 0, "yes", "no")
    noise = DecisionTreeClassifier(max_depth=1, max_features=1, random_state=3)
    rules, rows = rules_and_rows(make_table(X, y), "accuracy")
    models = {"linear": LinearClassifier(loss="logistic", C=1e4), "noise": noise}
    found, note = blend(rules, members_of(rules, rows, models, parts_of(3, 1500)))
    assert found is None
    assert "no better" in note


@pytest.mark.parametrize("folds", [1, 3])
def test_quantities(two_sides, folds):
    make_table, X, value = two_sides
    y = value + RNG.normal(size=1500) * 0.3
    rules, rows = rules_and_rows(make_table(X, y, "regression"), "r2")
    models = {"linear": Ridge(), "tree": DecisionTreeRegressor(max_depth=5)}
    parts = parts_of(3, 1500)[:folds]
    found, _ = blend(rules, members_of(rules, rows, models, parts))
    assert len(found.entry.run.folds) == folds
    assert found.entry.run.mean > 0.5
    again = from_plain(to_plain(found.model))
    assert again.predict(rows.X).tolist() == found.model.predict(rows.X).tolist()


def test_classes_count_the_same_where_the_metric_says_so(two_sides):
    make_table, X, value = two_sides
    y = np.where(value + RNG.logistic(size=1500) > np.quantile(value, 0.93), "rare", "usual")
    rules, rows = rules_and_rows(make_table(X, y), "balanced_accuracy")
    balanced = {name: m.set_params(class_weight="balanced") for name, m in MODELS.items()}
    found, _ = blend(rules, members_of(rules, rows, balanced, parts_of(3, 1500)))
    if found is not None:
        recall = np.mean(found.model.predict(rows.X)[y == "rare"] == "rare")
        assert recall > 0.6


def test_one_model_is_no_average(two_sides):
    make_table, X, value = two_sides
    y = np.where(value > np.median(value), "yes", "no")
    rules, rows = rules_and_rows(make_table(X, y), "accuracy")
    one = {"linear": LinearClassifier(loss="logistic")}
    assert blend(rules, members_of(rules, rows, one, parts_of(3, 1500))) == (None, "")


def test_selection_finds_the_weights_of_independent_errors():
    truth = RNG.normal(size=4000)
    values = np.stack([truth + s * RNG.normal(size=4000) for s in (1.0, 2.0, 4.0)])[:, :, None]
    found = select(values, lambda mean: float(np.mean((mean[:, 0] - truth) ** 2)))
    inverse = 1.0 / np.array([1.0, 4.0, 16.0])  # of the variances
    np.testing.assert_allclose(found, inverse / inverse.sum(), atol=0.06)
