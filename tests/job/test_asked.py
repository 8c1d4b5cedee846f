"""What the winner is given: probabilities, a threshold, intervals, reasons."""

from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.linear_model import LinearRegression
from sklearn.metrics import log_loss
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import Fold
from maxmargin.job import Job, run_job
from maxmargin.job.conformal import (
    intervals_of,
    judge_intervals,
    learn_conformal,
    read_level,
    with_intervals,
)
from maxmargin.job.costs import CostCurve, Costs
from maxmargin.job.explanation import explain, learn_typical
from maxmargin.job.prediction import predictions_of
from maxmargin.job.probability import learn_calibration, values_of
from maxmargin.storage import load_model, save_model
from maxmargin.tables import InputError

QUICK = Job(models=("svm-linear",), folds=3, time_budget=None)


def rare_table(make_table, n=900):
    """A rare class that two columns tell of, with labels that are a matter of chance."""
    rng = np.random.default_rng(0)
    x = rng.normal(size=(n, 3))
    chance = 1 / (1 + np.exp(2.0 - 1.5 * x[:, 0] - x[:, 1]))
    y = np.where(rng.random(n) < chance, "sick", "well")
    return make_table(pl.DataFrame({name: x[:, j] for j, name in enumerate("abc")}), y)


class TestProbabilities:
    @pytest.mark.parametrize("scale", [1.0, 0.01, 300.0])
    def test_values_of_any_size_become_probabilities_that_hold(self, scale):
        rng = np.random.default_rng(0)
        value = rng.normal(size=4000)
        chance = 1 / (1 + np.exp(0.5 - 2.0 * value))
        y = (rng.random(4000) < chance).astype(int)
        part = np.array_split(np.arange(4000), 4)
        folds = [Fold(p[:0], p, 0.0, 0.0, scale * value[p], y[p], np.array([0, 1])) for p in part]
        calibration, floor = learn_calibration(folds, (0, 1), by_probability=False)
        said = calibration.probabilities(values_of(scale * value, floor))[:, 1]
        assert np.abs(said - chance).max() < 0.03

    def test_probabilities_that_are_too_sure_are_softened(self):
        rng = np.random.default_rng(0)
        truth = rng.integers(0, 3, 3000)
        named = np.where(rng.random(3000) < 0.7, truth, rng.integers(0, 3, 3000))
        sure = np.eye(3)[named]
        folds = [Fold(truth[:0], np.arange(3000), 0.0, 0.0, sure, truth, np.arange(3))]
        calibration, floor = learn_calibration(folds, (0, 1, 2), by_probability=True)
        said = calibration.probabilities(values_of(sure, floor))
        assert log_loss(truth, said) < 0.75
        assert said.max() == pytest.approx(0.8, abs=0.04)

    def test_folds_without_some_class_do_not_count(self):
        values, truth = np.zeros(4), np.array([0, 0, 1, 1])
        one = Fold(truth[:0], np.arange(4), 0.0, 0.0, values, truth, np.array([0]))
        assert learn_calibration([one], (0, 1), by_probability=False) is None

    def test_every_winner_has_them_and_decides_as_it_was_compared(self, make_table):
        outcome = run_job(replace(QUICK, class_weight="none"), rare_table(make_table))
        X = outcome.table.features
        shares = outcome.predictor.predict_proba(X)
        assert shares.sum(axis=1) == pytest.approx(1.0)
        assert np.array_equal(outcome.predictor.predict(X), outcome.model.predict(X))
        assert outcome.test.calibration_error < 0.1
        columns = predictions_of(outcome).columns
        assert columns[-2:] == ["probability sick", "probability well"]

    def test_several_classes(self, make_table):
        y = np.arange(300) % 3
        x = np.random.default_rng(0).normal(size=300) + 1.5 * y
        outcome = run_job(QUICK, make_table(pl.DataFrame({"x": x}), y))
        shares = outcome.test.probability
        assert shares.shape == (60, 3)
        guess = np.bincount(outcome.test.truth) / 60
        assert log_loss(outcome.test.truth, shares) < log_loss(
            outcome.test.truth, np.tile(guess, (60, 1))
        )

    def test_they_are_stored(self, make_table, tmp_path):
        outcome = run_job(replace(QUICK, cost="missed=5"), rare_table(make_table))
        save_model(tmp_path / "m.maxmargin", {"pipeline": outcome.predictor}, {})
        again = load_model(tmp_path / "m.maxmargin").value["pipeline"]
        X = outcome.table.features
        assert np.array_equal(again.predict_proba(X), outcome.predictor.predict_proba(X))
        assert np.array_equal(again.predict(X), outcome.predictor.predict(X))


class TestCosts:
    def test_the_curve_is_that_of_every_threshold(self):
        rng = np.random.default_rng(0)
        p = rng.integers(0, 8, 60) / 8
        truth, costs = rng.random(60) < p, Costs(4.0, 1.0)
        curve = CostCurve.of(truth, p, costs)
        by_hand = [costs.of(truth, p >= threshold) for threshold in curve.thresholds]
        assert curve.costs == pytest.approx(by_hand)
        assert costs.of(truth, p >= curve.cheapest(costs.fair)) == pytest.approx(min(by_hand))

    def test_misses_that_cost_more_are_fewer(self, make_table):
        table = rare_table(make_table)
        dear, cheap = (
            run_job(replace(QUICK, cost=text), table)
            for text in ("missed=20,false=1", "missed=1,false=20")
        )
        assert dear.cost.threshold < 0.2
        assert cheap.cost.threshold > 0.8
        assert dear.cost.missed < cheap.cost.missed
        assert dear.cost.false > cheap.cost.false
        assert dear.cost.test < dear.cost.usual
        assert dear.metric == "roc_auc"
        named = dear.predictor.predict_proba(table.features)[:, 0] >= dear.cost.threshold
        assert np.array_equal(dear.predictor.predict(table.features) == "sick", named)

    def test_the_positive_class_is_the_named_one(self, make_table):
        table = replace(rare_table(make_table), positive="well")
        cost = run_job(replace(QUICK, cost="missed=20,false=1"), table).cost
        assert (cost.label, cost.missed) == ("well", 0)

    @pytest.mark.parametrize(
        "text",
        ["missed=-1", "missed=0", "missed=inf", "missed=nan", "missed=ten", "missed", "", "lost=3",
         "missed=1,missed=2", "10,1"],
    )  # fmt: skip
    def test_nonsense_is_one_sentence(self, text, make_table):
        with pytest.raises(InputError, match="--cost"):
            run_job(replace(QUICK, cost=text), rare_table(make_table, 60))

    def test_costs_are_of_two_classes(self, make_table, quantity):
        x = pl.DataFrame({"x": np.arange(60.0)})
        with pytest.raises(InputError, match="two classes, and 'y' has 3 classes"):
            run_job(replace(QUICK, cost="missed=2"), make_table(x, np.arange(60) % 3))
        with pytest.raises(InputError, match="two classes, and 'y' has a quantity"):
            run_job(replace(QUICK, models=(), cost="missed=2"), quantity)


class TestIntervals:
    def test_they_hold_as_many_new_rows_as_they_say(self):
        """Over many draws; noise that grows with the prediction makes them wider there."""
        rng, held, narrow, wide = np.random.default_rng(0), [], [], []
        for _ in range(40):
            x = rng.uniform(0, 4, size=(900, 1))
            y = x[:, 0] + (0.1 + 0.5 * x[:, 0]) * rng.normal(size=900)
            train, new = slice(0, 500), slice(500, 900)
            parts = np.array_split(np.arange(500), 5)
            others = [np.setdiff1d(np.arange(500), part) for part in parts]
            said = [
                LinearRegression().fit(x[o], y[o]).predict(x[p])
                for o, p in zip(others, parts, strict=True)
            ]
            conformal = learn_conformal(said, [y[p] for p in parts], 0.9)
            model = Pipeline([("model", LinearRegression().fit(x[train], y[train]))])
            ends = intervals_of(with_intervals(model, conformal), x[new])
            held.append(judge_intervals(0.9, ends, y[new]).coverage.value)
            width = ends[:, 1] - ends[:, 0]
            narrow.append(width[x[new, 0] < 1].mean())
            wide.append(width[x[new, 0] > 3].mean())
        assert np.mean(held) == pytest.approx(0.9, abs=0.015)
        assert np.mean(wide) > 3 * np.mean(narrow)

    def test_a_job_has_them_and_counts_what_they_hold(self, quantity):
        outcome = run_job(replace(QUICK, models=("ridge",)), quantity)
        said = predictions_of(outcome)
        assert said.columns == ["row", "truth", "prediction", "lower", "upper"]
        inside = said.filter(pl.col("truth").is_between(pl.col("lower"), pl.col("upper"))).height
        assert outcome.intervals.coverage.value == inside / said.height
        assert outcome.intervals.level == 0.9

    def test_none_are_wanted_or_possible(self, quantity):
        job = replace(QUICK, models=("ridge",))
        assert run_job(replace(job, interval="none"), quantity).intervals is None
        outcome = run_job(replace(job, interval="99%"), quantity)
        assert outcome.intervals is None
        assert any("too few rows for intervals that hold 99 %" in each for each in outcome.notes)

    @pytest.mark.parametrize("text", ["0%", "100%", "900%", "-0.5", "much", "nan", ""])
    def test_nonsense_is_one_sentence(self, text):
        with pytest.raises(InputError, match="--interval is a share such as 90%"):
            read_level(text)

    def test_classes_have_none(self, two_classes):
        with pytest.raises(InputError, match="quantities, and 'y' has classes"):
            run_job(replace(QUICK, interval="90%"), two_classes)


class TestReasons:
    def test_the_columns_of_a_known_sum_come_in_their_order(self, make_table):
        rng = np.random.default_rng(0)
        x = pl.DataFrame({name: rng.normal(size=200) for name in "abc"})
        y = (3.0 * x["a"] - 1.0 * x["b"]).to_numpy()
        table = make_table(x, y, "regression")
        model = Pipeline([("model", LinearRegression())]).fit(x, y)
        typical = learn_typical(x)
        (reasons,) = explain(model, table.schema, typical, x[:1], 3)
        expected = {
            name: weight * (x[name][0] - np.mean(typical.values[name]))
            for name, weight in {"a": 3.0, "b": -1.0}.items()
        }
        assert {each.column: each.effect for each in reasons[:2]} == pytest.approx(expected)
        assert [each.column for each in reasons[:2]] == sorted(
            expected, key=lambda name: -abs(expected[name])
        )

    def test_they_are_the_same_for_a_row_alone(self, two_classes):
        outcome = run_job(replace(QUICK, explain=2), two_classes)
        rows, table = outcome.test.rows, outcome.table
        facts = (outcome.predictor, table.schema, outcome.typical)
        (alone,) = explain(*facts, table.features[rows[3:4]], 2)
        assert [each.column for each in alone] == [each.column for each in outcome.reasons[3]]
        assert [each.effect for each in alone] == pytest.approx(
            [each.effect for each in outcome.reasons[3]]
        )
        said = predictions_of(outcome)
        assert said["reason 1"][3].startswith(f"{alone[0].column} = ")
        first = [each[0].column for each in outcome.reasons]
        assert first.count("signal") > len(first) / 2

    def test_gaps_and_levels_are_named(self, make_table):
        x = pl.DataFrame({"level": ["u", "v"] * 30, "gap": [None, 1.0, 2.0] * 20})
        y = x["gap"].fill_null(9.0) + 5.0 * (x["level"] == "u")
        table = make_table(x, y.to_numpy(), "regression")
        outcome = run_job(replace(QUICK, models=("boosting",)), table)
        reasons = explain(outcome.predictor, table.schema, outcome.typical, x, 2)
        told = {each.value for row in reasons for each in row}
        assert {"missing", "u", "v"} <= told

    def test_fewer_than_none_are_refused(self):
        with pytest.raises(InputError, match="--explain is a number of columns"):
            Job(explain=-1)
