import time
from types import SimpleNamespace

import pytest

from maxmargin.job import background_compiler as room
from maxmargin.job.background_compiler import BackgroundCompiler
from maxmargin.job.budget import Budget


class Process:
    """A process that is alive or not."""

    alive = True

    def poll(self):
        return None if self.alive else 0


@pytest.fixture
def marks(monkeypatch):
    found = set()
    monkeypatch.setattr(room, "is_marked", found.__contains__)
    monkeypatch.setattr(room, "_POLL", 0.0)
    return found


def finishes(monkeypatch, marks, names):
    """One more estimator is compiled each time that the job sleeps."""
    left = iter(names)
    monkeypatch.setattr(time, "sleep", lambda _seconds: marks.add(next(left)))


def models(**needs):
    return [
        SimpleNamespace(name=name, candidate=SimpleNamespace(compiles=tuple(each)))
        for name, each in needs.items()
    ]


def order(compiler, efforts, patience=10.0):
    return [each.name for each in compiler.in_order(efforts, Budget(60.0), lambda: patience)]


def test_without_a_process_the_order_stays():
    assert order(BackgroundCompiler(), models(a=["A"], b=[], c=["C"])) == ["a", "b", "c"]


def test_models_wait_for_their_loops_while_others_are_fitted(marks, monkeypatch):
    compiler = BackgroundCompiler()
    compiler._process = Process()
    finishes(monkeypatch, marks, ["C", "A"])
    assert order(compiler, models(a=["A"], b=[], c=["C"], d=["A", "C"])) == ["b", "c", "a", "d"]


def test_patience_ends(marks):
    compiler = BackgroundCompiler()
    compiler._process = Process()
    begun = time.perf_counter()
    assert order(compiler, models(a=["A"], b=["B"]), patience=0.05) == ["a", "b"]
    assert time.perf_counter() - begun >= 0.1


def test_a_process_that_has_died_keeps_nobody_waiting(marks):
    compiler = BackgroundCompiler()
    compiler._process = Process()
    compiler._process.alive = False
    assert order(compiler, models(a=["A"], b=["B"]), patience=1e9) == ["a", "b"]


def test_no_process_is_started_where_all_is_compiled_or_nothing_can_be_kept(marks, monkeypatch):
    monkeypatch.setattr(room, "_start", lambda: pytest.fail("started"))
    monkeypatch.setattr(room, "can_mark", lambda: True)
    marks |= {"A"}
    BackgroundCompiler().begin(["A"])
    monkeypatch.setattr(room, "can_mark", lambda: False)
    BackgroundCompiler().begin(["B"])


def test_ctrl_c_while_waiting_is_the_first_ctrl_c_of_the_job(marks, monkeypatch):
    def interrupt(_seconds):
        raise KeyboardInterrupt

    compiler, budget = BackgroundCompiler(), Budget(60.0)
    compiler._process = Process()
    monkeypatch.setattr(time, "sleep", interrupt)
    names = [e.name for e in compiler.in_order(models(a=["A"]), budget, lambda: 1e9)]
    assert (names, budget.interrupted) == (["a"], True)
