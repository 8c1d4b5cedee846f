from dataclasses import replace

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin, clone
from sklearn.metrics import average_precision_score, roc_auc_score
from sklearn.pipeline import Pipeline

from maxmargin.evaluation import evaluate
from maxmargin.evaluation.rows import EvaluationRows
from maxmargin.job import Job, contest, family_of, replay_of, run_comparison, run_job
from maxmargin.job import job as job_module
from maxmargin.job.candidate import Candidate
from maxmargin.job.effort import Effort
from maxmargin.job.record import differences, plain, record_of
from maxmargin.job.wanted import Wanted
from maxmargin.ops.clock import TimeUp, stop_if_over
from maxmargin.tables import InputError

QUICK = Job(models=("lda",), folds=3, time_budget=None)


def results(outcome):
    return record_of(outcome, {})["results"]


class Scripted(ClassifierMixin, BaseEstimator):
    """Says "no" of everything, after doing something while it is fitted."""

    def __init__(self, act=lambda: None):
        self.act = act

    def fit(self, X, y):
        self.act()
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return np.full(len(X), self.classes_[0])


def scripted(act, name="scripted", cost=1.0):
    return Candidate(name, name, lambda *_: Pipeline([("model", Scripted(act))]), cost)


def interrupt():
    raise KeyboardInterrupt


def run_out_of_time():
    raise TimeUp


def wait_for_ever():
    while True:
        stop_if_over()


@pytest.fixture
def with_members(monkeypatch):
    def members(*candidates):
        chosen = (*family_of("classification", ["lda"]), *candidates)
        monkeypatch.setattr(job_module, "family_of", lambda *_: chosen)

    return members


class TestProtocol:
    def test_rows_are_used_as_an_honest_protocol_does(self, two_classes):
        outcome = run_job(QUICK, two_classes)
        assert outcome.trail.problems == []
        assert outcome.test.look.first
        assert len(outcome.test.rows) == 15
        learned = np.sort(np.concatenate([outcome.trail.rows("train", "refit"), outcome.test.rows]))
        assert learned.tolist() == list(range(72))
        assert len(outcome.train[1]) == 57

    def test_scores_are_those_of_tuning_inside_the_folds(self, two_classes):
        outcome = run_job(replace(QUICK, models=("svm-linear",)), two_classes)
        entry = outcome["svm-linear"]
        built = family_of("classification", ["svm-linear"])[1].build(
            two_classes, Wanted("accuracy")
        )
        pairs = [(fold.train, fold.validate) for fold in entry.run.folds]
        facts = {"protocol": pairs, "scoring": "accuracy"}
        runs = evaluate(clone(built), two_classes.features, two_classes.target, **facts)
        assert entry.run.scores.tolist() == next(iter(runs.values())).scores.tolist()
        assert entry.run.mean == entry.scores["accuracy"]

    def test_the_best_mean_wins_and_is_compared_with_the_second(self, two_classes):
        outcome = run_job(QUICK, two_classes)
        means = [entry.run.mean for entry in outcome.entries]
        assert means == sorted(means, reverse=True)
        assert outcome.winner == "lda"
        assert [outcome.winner, outcome.runner_up] == [e.name for e in outcome.entries[:2]]
        assert outcome.verdict.test == "5x2cv F"
        assert 0.0 <= outcome.verdict.p <= 1.0

    def test_groups_are_never_parted(self, two_classes):
        groups = np.arange(72) // 6
        outcome = run_job(QUICK, replace(two_classes, groups=groups))
        test = set(groups[outcome.test.rows])
        assert test.isdisjoint(groups[outcome.trail.rows("train")])
        for fold in outcome["lda"].run.folds:
            assert set(groups[fold.train]).isdisjoint(groups[fold.validate])

    def test_class_results_are_those_of_the_confusion_matrix(self, two_classes):
        test = run_job(QUICK, two_classes).test
        assert test.confusion.sum() == len(test.rows)
        for i, each in enumerate(test.classes):
            assert each.rows == np.count_nonzero(test.truth == each.label)
            assert each.recall.value == test.confusion[i, i] / each.rows
            assert each.recall.value in each.recall
        assert test.baseline == pytest.approx(np.mean(test.truth == "no"), abs=0.1)
        assert test.scores["roc_auc"] == test.roc.area

    def test_a_shuffled_column_matters_if_it_says_something(self, two_classes):
        importances = run_job(QUICK, two_classes).importances
        assert importances[0].feature == "signal"
        assert importances[0].mean > 0.1
        assert {each.feature for each in importances} == {"signal", "gappy", "level"}

    def test_rows_with_a_wrong_label_are_suspected(self, make_table):
        x = np.linspace(-3.0, 3.0, 60)
        y = np.where(x > 0, "right", "left")
        y[[5, 50]] = ["right", "left"]
        outcome = run_job(QUICK, make_table(pl.DataFrame({"x": x}), y))
        tested = set(outcome.test.rows) & {5, 50}
        suspects = {each.row - 1 for each in outcome.suspects[:2]}
        assert suspects | tested >= {5, 50}

    def test_a_quantity(self, quantity):
        outcome = run_job(replace(QUICK, models=()), quantity)
        assert outcome.metric == "r2"
        assert {entry.status for entry in outcome.entries} == {"done"}
        assert outcome.entries[-1].name == "baseline"
        assert outcome.test.look.result.value > 0.8 > outcome.test.baseline
        assert outcome.test.confusion is None

    def test_several_classes(self, make_table):
        y = np.arange(90) % 3
        x = np.random.default_rng(0).normal(size=90) + 3.0 * y
        outcome = run_job(
            replace(QUICK, models=("lda", "svm-rbf")), make_table(pl.DataFrame({"x": x}), y)
        )
        assert outcome.test.labels == (0, 1, 2)
        assert outcome.test.confusion.shape == (3, 3)
        assert outcome.test.roc is None
        assert outcome["svm-rbf"].scores["roc_auc"] > 0.9

    def test_unequal_classes_are_noted(self, make_table):
        y = np.where(np.arange(100) % 10 == 0, "rare", "usual")
        x = np.random.default_rng(0).normal(size=100) + 2.0 * (y == "rare")
        outcome = run_job(QUICK, make_table(pl.DataFrame({"x": x}), y))
        assert outcome.metric == "balanced_accuracy"
        assert any("unequal" in note for note in outcome.notes)
        assert outcome["baseline"].scores["accuracy"] > 0.85
        assert outcome["baseline"].run.mean == 0.5

    def test_what_is_given_already_is_not_advised(self, make_table):
        y = np.where(np.arange(100) % 10 == 0, "rare", "usual")
        table = make_table(pl.DataFrame({"x": np.arange(100.0)}), y)
        job = replace(QUICK, class_weight="balanced")
        (note,) = (each for each in run_job(job, table).notes if "unequal" in each)
        assert note.endswith("by balanced accuracy.")

    def test_the_average_precision_is_that_of_the_rarer_class(self, make_table):
        y = np.where(np.arange(100) % 5 == 0, "a", "b")
        x = np.random.default_rng(0).normal(size=100) + 1.0 * (y == "a")
        outcome = run_job(QUICK, make_table(pl.DataFrame({"x": x}), y))
        entry, test = outcome["lda"], outcome.test
        folds = [average_precision_score(f.truth == "a", -f.decision) for f in entry.run.folds]
        assert entry.scores["average_precision"] == pytest.approx(np.mean(folds))
        right = average_precision_score(test.truth == "a", -test.decision)
        assert test.scores["average_precision"] == pytest.approx(right)
        assert test.sought == results(outcome)["test"]["sought"] == "a"
        chosen = run_job(replace(QUICK, metric="average_precision"), outcome.table)
        assert chosen["lda"].run.mean == pytest.approx(np.mean(folds))

    def test_the_area_of_several_classes_is_that_of_probabilities(self, make_table):
        y = np.repeat([0, 1, 2], [50, 30, 10])
        x = np.random.default_rng(0).normal(size=(90, 2)) + np.eye(3)[y, :2]
        table = make_table(pl.DataFrame({"a": x[:, 0], "b": x[:, 1]}), y)
        outcome = run_job(QUICK, table)
        truth, shares = outcome.test.truth, outcome.test.probability
        right = roc_auc_score(truth, shares, multi_class="ovr")
        assert outcome.test.scores["roc_auc"] == pytest.approx(right)
        ovr = run_job(replace(QUICK, models=("lda", "svm-linear"), metric="roc_auc_ovr"), table)
        for name in ("lda", "svm-linear"):
            assert ovr[name].scores["roc_auc"] == pytest.approx(ovr[name].run.mean)
        assert ovr.test.look.result.low < ovr.test.look.result.value

    def test_a_score_that_some_resample_lacks_has_no_interval(self, make_table):
        y = np.repeat(["a", "b", "c"], [20, 15, 5])
        x = np.random.default_rng(0).normal(size=40) + np.repeat([0.0, 3.0, 6.0], [20, 15, 5])
        outcome = run_job(
            replace(QUICK, metric="neg_log_loss"), make_table(pl.DataFrame({"x": x}), y)
        )
        result = outcome.test.look.result
        assert np.isfinite(result.value)
        assert np.isnan([result.low, result.high]).all()

    def test_of_equal_means_any_model_is_before_the_baseline(self, make_table):
        y = np.where(np.arange(100) % 20 == 0, "rare", "usual")
        x = np.random.default_rng(0).normal(size=100) + 1.0 * (y == "rare")
        table = make_table(pl.DataFrame({"x": x, "noise": np.cos(np.arange(100.0) * 7)}), y)
        outcome = run_job(replace(QUICK, models=("logistic",), class_weight="none"), table)
        assert [each.run.mean for each in outcome.entries] == [0.5, 0.5]
        assert outcome.winner == "logistic"

    def test_a_class_of_a_single_row_is_no_obstacle(self, make_table):
        y = np.array(["a", "b"])[np.arange(40) % 2].astype("<U4")
        y[7] = "once"
        outcome = run_job(QUICK, make_table(pl.DataFrame({"x": np.arange(40.0) % 2}), y))
        assert outcome["lda"].status == "done"
        assert any("too rare" in note for note in outcome.notes)

    def test_progress_goes_from_nothing_to_everything(self, two_classes):
        told = []
        run_job(QUICK, two_classes, told.append)
        assert {"majority class", "linear discriminant analysis", "test rows"} <= {
            each.title for each in told
        }
        assert all(0.0 <= each.share <= 1.0 for each in told)
        assert told[-1].share == 1.0

    def test_each_model_is_told_once_when_it_is_finished(self, two_classes, with_members):
        with_members(scripted(run_out_of_time))
        told = []
        outcome = run_job(QUICK, two_classes, told.append)
        results = [each.result for each in told if each.result is not None]
        assert sorted(each.name for each in results) == sorted(e.name for e in outcome.entries)
        for each in results:
            assert each.status == outcome[each.name].status
            if each.run is not None:
                assert each.run.mean == outcome[each.name].run.mean
        begun = [each.model for each in told if each.model and each.result is None]
        assert list(dict.fromkeys(begun)) == ["baseline", "lda", "scripted"]

    def test_proofs_speak_of_gaps_and_bounds(self, two_classes):
        names = ("svm-linear", "adaboost", "boosting")
        outcome = run_job(replace(QUICK, models=names), two_classes)
        assert outcome["svm-linear"].proof.startswith("relative gap")
        for name in names[1:]:
            bound = float(outcome[name].proof.rpartition(" ")[2])
            model = family_of("classification", [name])[1].build(two_classes, Wanted("accuracy"))
            model.fit(*outcome.train)
            assert np.mean(model.predict(outcome.train[0]) != outcome.train[1]) <= bound < 1.0
        assert outcome["baseline"].proof == ""


class TestSameBits:
    def test_another_number_of_threads_gives_the_same(self, two_classes):
        job = replace(QUICK, models=("knn", "boosting", "bagging", "svm-poly"))
        first, second = (run_job(replace(job, n_jobs=n), two_classes) for n in (1, 2))
        assert differences(results(first), results(second)) == []
        X = two_classes.features
        assert np.array_equal(first.model.predict(X), second.model.predict(X))

    def test_another_seed_splits_otherwise(self, two_classes):
        first, second = (run_job(replace(QUICK, seed=seed), two_classes) for seed in (0, 1))
        assert first.test.rows.tolist() != second.test.rows.tolist()

    def test_a_replay_decides_as_the_run_did(self, two_classes, with_members):
        with_members(scripted(run_out_of_time))
        cut = run_job(QUICK, two_classes)
        assert cut["scripted"].status == "stopped"
        again = run_job(replace(QUICK, replay=replay_of(cut)), two_classes)
        assert differences(results(cut), results(again)) == []


class TestEndings:
    def test_a_fit_without_end_is_stopped(self, two_classes):
        rules = job_module._Work(QUICK, two_classes, print).rules
        rows = EvaluationRows.of(two_classes.features, two_classes.target)
        halves = [(np.arange(36), np.arange(36, 72))]
        effort = Effort(rules, rows, halves, scripted(wait_for_ever))
        effort.step(1e-6)
        assert (effort.status, effort.over) == ("stopped", True)
        assert effort.reason.startswith("the time budget ended it")

    def test_a_model_that_takes_too_long_is_stopped_and_the_others_are_not(
        self, two_classes, with_members
    ):
        with_members(scripted(run_out_of_time))
        outcome = run_job(QUICK, two_classes)
        assert outcome["lda"].status == outcome["baseline"].status == "done"
        assert "time budget" in outcome["scripted"].reason
        assert any("Not finished: scripted" in note for note in outcome.notes)

    def test_a_budget_too_short_for_any_model_is_refused(self, two_classes):
        with pytest.raises(InputError, match="too short for any model but the baseline"):
            run_job(replace(QUICK, time_budget=1e-3), two_classes)

    def test_the_baseline_alone_may_be_asked_for(self, two_classes):
        outcome = run_job(replace(QUICK, time_budget=1e-3, models=("baseline",)), two_classes)
        assert outcome.winner == "baseline"
        assert outcome.verdict is None

    def test_what_is_put_off_is_finished_when_time_is_left(self, two_classes, monkeypatch):
        monkeypatch.setattr(contest.Budget, "share", lambda *_: 1e-9)
        monkeypatch.setattr(contest.Effort, "to_come", property(lambda own: 1.0 - own.over))
        outcome = run_job(replace(QUICK, time_budget=60.0), two_classes)
        assert outcome["lda"].status == "done"

    def test_a_model_that_fails_says_why_and_the_others_go_on(self, two_classes, with_members):
        def fail():
            raise TypeError("something odd")

        with_members(scripted(fail))
        outcome = run_job(QUICK, two_classes)
        assert outcome["scripted"].status == "failed"
        assert outcome["scripted"].reason == "TypeError: something odd"
        assert outcome.entries[-1].name == "scripted"

    def test_a_fault_of_ours_is_told_from_other_failures(self, two_classes, monkeypatch):
        def fail(*_):
            raise TypeError("something odd")

        monkeypatch.setattr("maxmargin.svm.search_cv.watch", fail)
        monkeypatch.setattr("sklearn.discriminant_analysis.LinearDiscriminantAnalysis.fit", fail)
        outcome = run_job(replace(QUICK, models=["lda", "svm-linear", "knn"]), two_classes)
        assert outcome["lda"].status == outcome["svm-linear"].status == "failed"
        assert outcome["svm-linear"].fault
        assert not outcome["lda"].fault
        (note,) = [each for each in outcome.notes if "fault of maxmargin" in each]
        assert "linear SVM: TypeError: something odd" in note

    def test_a_model_without_memory_is_no_fault(self, two_classes, monkeypatch):
        def fail(*_):
            raise MemoryError

        monkeypatch.setattr("maxmargin.svm.search_cv.watch", fail)
        outcome = run_job(replace(QUICK, models=["lda", "svm-linear"]), two_classes)
        assert outcome["svm-linear"].reason == "there is not enough memory for it"
        assert not outcome["svm-linear"].fault

    def test_ctrl_c_finishes_with_what_is_done(self, two_classes, with_members):
        with_members(scripted(interrupt), scripted(lambda: None, "later"))
        outcome = run_job(QUICK, two_classes)
        assert outcome.winner == "lda"
        assert outcome["scripted"].status == outcome["later"].status == "stopped"
        assert outcome["later"].reason == "Ctrl-C came first"
        assert any("Ctrl-C" in note for note in outcome.notes)
        assert outcome.verdict.test == "corrected resampled t"

    def test_a_second_ctrl_c_leaves_at_once(self, two_classes, with_members, monkeypatch):
        with_members(scripted(interrupt))
        monkeypatch.setattr(job_module, "importances", lambda *_: interrupt())
        with pytest.raises(KeyboardInterrupt):
            run_job(QUICK, two_classes)

    def test_ctrl_c_before_anything_is_done_raises(self, two_classes, monkeypatch):
        chosen = (scripted(interrupt),)
        monkeypatch.setattr(job_module, "family_of", lambda *_: chosen)
        with pytest.raises(KeyboardInterrupt):
            run_job(QUICK, two_classes)

    def test_ctrl_c_during_the_comparison_keeps_the_folds(self, two_classes, monkeypatch):
        monkeypatch.setattr("maxmargin.job.duel._by_halves", lambda *_: interrupt())
        outcome = run_job(QUICK, two_classes)
        assert outcome.verdict.test == "corrected resampled t"

    def test_too_few_rows_for_halves_are_said_to_be(self, make_table):
        x = np.random.default_rng(0).normal(size=10)
        table = make_table(pl.DataFrame({"x": x}), np.array(["a", "b"])[np.arange(10) % 2])
        outcome = run_job(replace(QUICK, models=("logistic",), folds=4), table)
        (note,) = (each for each in outcome.notes if "5x2" in each)
        assert note.startswith("There are too few rows for 5x2 cross-validation")
        assert outcome.verdict.test == "corrected resampled t"

    def test_too_few_rows_to_tune_on_are_a_stated_reason(self, make_table):
        x = np.random.default_rng(0).normal(size=10)
        table = make_table(pl.DataFrame({"x": x}), np.array(["a", "b"])[np.arange(10) % 2])
        outcome = run_job(replace(QUICK, models=("logistic",), folds=2), table)
        assert outcome["logistic"].reason == "4 rows of a fold are too few to tune it"

    def test_a_model_of_few_rows_learns_from_a_sample_which_is_said(self, two_classes, monkeypatch):
        few = replace(family_of("classification", ["knn"])[1], max_rows=30)
        monkeypatch.setattr(
            job_module, "family_of", lambda *_: (*family_of("classification", ["lda"]), few)
        )
        outcome = run_job(QUICK, two_classes)
        assert outcome["knn"].status == "done"
        said = "Models that learned from a sample of the 57 rows: nearest neighbours (30)."
        assert said in outcome.notes
        assert replay_of(outcome).sampled == {"knn": 30}


class TestRefusals:
    @pytest.mark.parametrize(
        ("options", "words"),
        [
            ({"test_size": 0.0}, "--test-size is a share"),
            ({"test_size": float("nan")}, "--test-size is a share"),
            ({"folds": 1}, "--folds is 2 or more"),
            ({"class_weight": "heavy"}, "--class-weight is balanced"),
            ({"seed": -1}, "--seed is a number"),
        ],
    )
    def test_bad_options(self, options, words):
        with pytest.raises(InputError, match=words):
            Job(**options)

    def test_too_few_rows(self, make_table):
        table = make_table(pl.DataFrame({"x": np.arange(6.0)}), ["a", "b"] * 3)
        with pytest.raises(InputError, match="too few for 5 folds"):
            run_job(Job(), table)
        with pytest.raises(InputError, match="cannot be split"):
            run_job(Job(test_size=0.01), table)

    def test_a_metric_that_no_model_can_be_judged_by(self, make_table):
        table = make_table(
            pl.DataFrame({"x": np.arange(30.0)}), np.array(list("abc"))[np.arange(30) % 3]
        )
        with pytest.raises(InputError, match=r"No model could be fitted .*could not convert"):
            run_job(replace(QUICK, metric="r2"), table)


def test_a_comparison_uses_all_rows_and_keeps_no_test(two_classes):
    found = run_comparison(QUICK, two_classes)
    judged = np.concatenate([fold.validate for fold in found.done[0].run.folds])
    assert np.sort(judged).tolist() == list(range(72))
    assert found.verdict is not None


def test_what_is_recorded_is_plain():
    value = plain({"a": np.float32(0.5), "b": [np.nan, np.str_("x")], 3: {"c": np.bool_(True)}})
    assert value == {"a": 0.5, "b": [None, "x"], "3": {"c": True}}
