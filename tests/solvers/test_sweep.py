"""Work that is cut up for the clock's sake gives what it gives in one go."""

import numpy as np
import pytest

from maxmargin.certify import Status
from maxmargin.losses import Hinge, SquaredHinge
from maxmargin.ops import clock
from maxmargin.ops.clock import Clock
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import CrammerSinger, LinearProblem
from maxmargin.solvers.linear import sweep as sweeping
from maxmargin.solvers.linear.crammer_singer import SequentialDual
from maxmargin.solvers.linear.dual_coordinate import DualCoordinate
from maxmargin.solvers.linear.primal_coordinate import PrimalCoordinate
from maxmargin.solvers.linear.sweep import sweep
from maxmargin.solvers.run import Limits, run

RNG = np.random.default_rng(0)
ROWS = RNG.normal(size=(60, 5))
LABELS = (ROWS[:, 0] + RNG.normal(size=60) > 0).astype(np.intp)


def solvers():
    t, cost = 2.0 * LABELS - 1.0, np.ones(60)
    return [
        (DualCoordinate, LinearProblem(Hinge(), t, cost)),
        (SequentialDual, CrammerSinger(LABELS, cost, 2)),
        (PrimalCoordinate, LinearProblem(SquaredHinge(), t, cost, "l1")),
    ]


def keep_even(order):
    even = order[order % 2 == 0]
    order[: len(even)] = even
    return len(even), len(order)


def test_pieces_leave_the_same_in_the_same_order(monkeypatch):
    monkeypatch.setattr(sweeping, "WORK", 7)
    monkeypatch.setattr(clock, "WORK", 7)
    stay, found = sweep(np.arange(31), 31.0, keep_even, Limits())
    assert stay.tolist() == list(range(0, 31, 2))
    assert [size for (size,) in found] == [7, 7, 7, 7, 3]


def test_a_sweep_ends_when_time_is_up(monkeypatch):
    monkeypatch.setattr(sweeping, "WORK", 7)
    monkeypatch.setattr(clock, "WORK", 7)
    stay, found = sweep(np.arange(31), 31.0, keep_even, Limits(clock=Clock(0.0)))
    assert (stay.tolist(), len(found)) == ([0, 2, 4, 6], 1)


@pytest.mark.parametrize(("kind", "problem"), solvers(), ids=lambda value: type(value).__name__)
def test_solvers_find_the_same_in_pieces(kind, problem, monkeypatch):
    with Workers(1) as workers:
        whole = run(kind(problem, Design(ROWS, 1.0, workers)), Limits(1e-6))
        monkeypatch.setattr(sweeping, "WORK", 20)
        monkeypatch.setattr(clock, "WORK", 20)
        cut = run(kind(problem, Design(ROWS, 1.0, workers)), Limits(1e-6))
    assert whole.certificate.status is cut.certificate.status is Status.CERTIFIED
    assert cut.certificate.primal == pytest.approx(whole.certificate.primal, rel=2e-6)
