import numpy as np
import pytest

from maxmargin.ops.clock import Clock, watch
from maxmargin.tabular.candidate import PROFILES
from maxmargin.tabular.final import fit_members
from maxmargin.tabular.preparation import Preparation
from maxmargin.tabular.search import FIRST_ROWS, first_candidates, neighbours, run_search
from maxmargin.tabular.task import Task


def task_of(n, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 2))
    y = np.sin(2 * X[:, :1]) + 0.1 * rng.normal(size=(n, 1))
    y -= y.mean()
    _, rows = Preparation.learn(list(X.T), ["a", "b"], y)
    return Task(rows, y, None)


def test_the_best_is_first_and_good():
    found = run_search(task_of(120), Clock(), 1)
    losses = [trial.loss for trial in found.finalists]
    assert losses == sorted(losses)
    assert losses[0] < 0.1
    assert found.complete
    assert found.sample.tolist() == list(range(120))


def test_any_number_of_threads_finds_the_same():
    one, two = (run_search(task_of(80), Clock(), n_jobs) for n_jobs in (1, 2))
    assert one.trials == two.trials


def test_stages_look_at_more_rows_each():
    found = run_search(task_of(FIRST_ROWS + 50), Clock(), None)
    assert sorted({rows for _, rows, _ in found.trials}) == [FIRST_ROWS, 624, FIRST_ROWS + 50]


def test_time_is_up_before_it_begins():
    clock = Clock(time_limit=0.0)
    assert not run_search(task_of(50), clock, 1).complete


def test_neighbours_hold_the_survivors_with_the_best_ridge_of_each():
    first = list(first_candidates(task_of(20).rows))[:4]
    near = set(neighbours(first, 0))
    assert {first[0], first[3]} <= near
    assert first[2] not in near


def test_samples_keep_the_shares_of_classes():
    base = task_of(FIRST_ROWS * 2)
    label = (np.arange(len(base)) % 10 == 0).astype(np.intp)
    found = run_search(Task(base.rows, base.Y, None, label), Clock(), None)
    assert np.isclose(label[found.sample].mean(), 0.1, atol=0.01)


def test_the_second_stage_has_kernels_that_the_first_has_not():
    near = list(neighbours(list(first_candidates(task_of(20).rows))[:2], 0))
    assert {each.profile for each in near} >= set(PROFILES[2:])


def test_what_time_leaves_of_the_average_is_the_machine_that_counts_most():
    task = task_of(90, seed=5)
    noisy = task.Y + np.random.default_rng(2).normal(size=task.Y.shape)
    task = Task(task.rows, noisy - noisy.mean(), None)
    found = run_search(task, Clock(), 1)
    whole = fit_members(task, found, np.zeros(1), Clock(), 1, 0)
    cut = fit_members(task, found, np.zeros(1), Clock(time_limit=0.0), 1, 0)
    assert len(whole.members) > len(cut.members) == 1
    assert whole.complete
    assert not cut.complete
    assert sum(each.share for each in whole.members) == pytest.approx(1.0)
    assert cut.members[0].share == 1.0
    best = max(whole.members, key=lambda each: each.share)
    assert cut.members[0].machine.candidate == best.machine.candidate
    values = cut.unseen.values - next(
        trial.found.values[found.unseen]
        for trial in found.finalists
        if trial.candidate == best.machine.candidate
    )
    assert np.abs(values).max() < 1e-12


def test_a_search_that_ends_in_its_first_stage_has_one_machine_to_go_on_with():
    with watch(time_limit=1e-9) as clock:
        found = run_search(task_of(80), clock, 1)
    assert not found.complete
    assert len(found.trials) == len(found.finalists) == 1
