"""How far the job says it is, by models whose steps take as long as a script says."""

import math
from dataclasses import dataclass, field
from itertools import pairwise
from types import SimpleNamespace

import pytest

from maxmargin.job import effort as room
from maxmargin.job.effort import Effort
from maxmargin.job.watcher import Watcher
from maxmargin.ops.clock import TimeUp
from maxmargin.progress.compile_time import compile_time

FOLDS = 5


@dataclass
class Scripted:
    """A model whose steps take so many seconds each."""

    step: float
    cost: float
    name: str = "scripted"
    seconds: list = field(default_factory=list)
    parts: range = range(FOLDS)
    next_step: str = "next"

    @property
    def candidate(self):
        return SimpleNamespace(title=self.name, cost=self.cost)

    @property
    def over(self):
        return len(self.seconds) > FOLDS

    @property
    def to_come(self):
        return min(self.seconds, default=0.0) * (FOLDS + 1 - len(self.seconds))


class Budget:
    def __init__(self, left=math.inf):
        self.seconds, self.left = 0.0, left


def told_of(models, left=math.inf):
    """Run a script and keep what is told."""
    told, budget = [], Budget(left)
    watcher = Watcher(models, budget, told.append)
    for model in models:
        while not model.over:
            watcher.say(model)
            budget.seconds += model.step
            model.seconds.append(model.step)
    return told, budget.seconds


def test_nothing_is_foretold_before_anything_is_measured():
    told, _ = told_of([Scripted(1.0, 1.0), Scripted(2.0, 2.0)])
    assert (told[0].share, math.isnan(told[0].left)) == (0.0, True)
    assert not any(math.isnan(each.left) for each in told[1:])


def test_shares_never_fall_and_times_do_not_jump():
    steps = [0.01, 0.02, 5.0, 0.1, 0.1, 8.0, 1.0]
    told, _ = told_of([Scripted(step, 1.0) for step in steps])
    shares = [each.share for each in told]
    assert shares == sorted(shares)
    known = told[1:]
    for one, other in pairwise(known):
        passed = other.seconds - one.seconds
        most = 1.5 * max(one.left - passed, 0.0) + passed + 0.05 * other.seconds
        assert other.left <= most + 1e-6


def test_no_more_is_foretold_than_the_budget_has():
    told, _ = told_of([Scripted(10.0, 1.0), Scripted(10.0, 100.0)], left=7.0)
    assert max(each.left for each in told[1:]) == 7.0


@pytest.fixture
def slow_start(monkeypatch):
    """A step of which all but nothing is compilation."""
    monkeypatch.setattr(compile_time, "spent", 0.0)

    def step(self):
        compile_time.spent += 1000.0
        raise TimeUp

    monkeypatch.setattr(Effort, "_step", step)


def test_compilation_is_no_part_of_a_step(slow_start, two_classes):
    rules = SimpleNamespace(judge=lambda: None, sampled={})
    candidate = SimpleNamespace(name="slow", title="slow", cost=1.0, max_rows=None)
    effort = Effort(rules, None, [(0, 0)] * FOLDS, candidate)
    effort.step()
    assert effort.seconds == [0.0]
    assert room.compile_time is compile_time
