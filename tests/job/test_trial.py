import numpy as np
import polars as pl
import pytest

from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.job.metric import Judgement
from maxmargin.job.trial import LEAST_ROWS, MOST_ROWS, behind_by, losses_of, trial_split


def rows_of(y):
    return EvaluationRows.of(pl.DataFrame({"x": np.arange(float(len(y)))}), np.asarray(y))


def said(predicted):
    return Judgement({}, np.asarray(predicted), by_probability=False)


class TestSplit:
    y = np.repeat(["a", "b"], [900, 9100])
    part = np.arange(0, 8000), np.arange(8000, 10_000)

    def test_rows_are_those_of_the_fold_with_classes_in_proportion(self):
        train, judged = trial_split(rows_of(self.y), self.part, 60.0, classify=True)
        assert len(train) == 1200  # 20 a second
        assert set(train) <= set(self.part[0])
        assert judged.tolist() == self.part[1].tolist()
        share = np.mean(self.y[self.part[0]] == "a")
        assert np.mean(self.y[train] == "a") == pytest.approx(share, abs=1e-3)

    def test_how_many_rows_depends_on_the_budget_within_bounds(self):
        sizes = [
            len(trial_split(rows_of(self.y), self.part, budget, classify=True)[0])
            for budget in (1.0, 600.0)
        ]
        assert sizes == [LEAST_ROWS, MOST_ROWS]

    def test_there_is_none_without_a_budget_or_where_it_saves_nothing(self):
        assert trial_split(rows_of(self.y), self.part, None, classify=True) is None
        small = np.arange(1500), np.arange(2000, 3000)
        assert trial_split(rows_of(self.y), small, 60.0, classify=True) is None

    def test_a_class_of_one_row_or_more_classes_than_rows_are_no_obstacle(self):
        lone = np.array(["a"] * 7999 + ["b"] + ["a"] * 2000)
        many = np.array([str(i // 2) for i in range(10_000)])
        for y in (lone, many):
            train, _ = trial_split(rows_of(y), self.part, 20.0, classify=True)
            assert len(train) == 400


class TestLosses:
    def test_errors_of_classes(self):
        y = np.array(["a", "a", "a", "b"])
        assert losses_of(said(["a", "b", "a", "a"]), y, "accuracy").tolist() == [0, 1, 0, 1]

    def test_classes_count_the_same_where_the_metric_says_so(self):
        y = np.array(["a", "a", "a", "b"])
        losses = losses_of(said(["b", "b", "b", "a"]), y, "balanced_accuracy")
        assert losses == pytest.approx([2 / 3, 2 / 3, 2 / 3, 2.0])
        assert losses.mean() == pytest.approx(1.0)

    def test_squared_errors_of_quantities_are_shares_of_the_variance(self):
        y = np.array([0.0, 2.0, 4.0])
        assert losses_of(said(np.full(3, 2.0)), y, "r2").mean() == pytest.approx(1.0)


def test_behind_by_is_the_paired_t_statistic():
    rng = np.random.default_rng(0)
    worse, best = rng.random(200), rng.random(200)
    off = worse - best
    expected = off.mean() / (off.std(ddof=1) / np.sqrt(200))
    assert behind_by(worse, best) == pytest.approx(expected)
    assert behind_by(best, best) == 0.0
    assert behind_by(np.ones(5), np.zeros(5)) == np.inf
