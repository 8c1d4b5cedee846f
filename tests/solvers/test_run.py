"""Limits, progress, Ctrl-C and the judge at the end, on working sets far below the problem."""

import signal

import numpy as np
import pytest

from maxmargin.certify import Status
from maxmargin.ops.clock import Clock, watch
from maxmargin.solvers import Limits, WorkingSet
from maxmargin.solvers.box_qp.dual_ascent import DualAscent
from maxmargin.solvers.box_qp.in_memory import InMemory
from maxmargin.solvers.kernel_values.iterate import Iterate
from maxmargin.solvers.run import _PATIENCE


def test_runs_until_the_judge_is_content(case):
    one = case()
    solution = one.solve(size=32)
    assert solution.certificate.status is Status.CERTIFIED
    assert one.true_violation(solution.point.beta) <= 1e-3 + 1e-9
    assert one.problem.feasible(solution.point.beta)
    assert solution.iterations > 0


@pytest.mark.parametrize("size", [32, 2048])
@pytest.mark.parametrize("most", [0, 1, 50])
def test_max_iter_counts_the_smallest_steps(case, most, size):
    one = case()
    solution = one.solve(Limits(max_iter=most), size=size)
    assert solution.iterations <= most
    assert solution.certificate.status is Status.ITERATION_LIMIT
    assert one.problem.feasible(solution.point.beta)


def test_an_optimum_within_max_iter_is_certified_all_the_same(case):
    one = case()
    steps = one.solve(size=32).iterations
    solution = one.solve(Limits(max_iter=10 * steps), size=32)
    assert solution.certificate.status is Status.CERTIFIED


@pytest.mark.parametrize("size", [32, 2048])
def test_no_time_gives_the_starting_point(case, size):
    one = case()
    solution = one.solve(Limits(clock=Clock(0)), size=size)
    assert solution.certificate.status is Status.TIME_LIMIT
    assert not solution.point.beta.any()
    assert solution.certificate.dual == 0
    assert solution.certificate.primal == pytest.approx(len(one.problem))


@pytest.mark.parametrize("bias", [True, False])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_the_callback_sees_the_dual_rise(case, bias, dtype):
    trace = []
    case(bias=bias, dtype=dtype).solve(Limits(callback=trace.append), size=32)
    duals = np.array([line.dual for line in trace])
    seconds = [line.seconds for line in trace]
    iterations = [line.iterations for line in trace]
    assert len(trace) > 3
    assert trace[0].iterations == trace[0].dual == 0
    assert (np.diff(duals) >= -1e-9 * duals.max()).all()
    assert seconds == sorted(seconds)
    assert iterations == sorted(iterations)
    assert trace[-1].violation <= 1e-3


def interrupt_at(step):
    def callback(progress):
        callback.calls += 1
        if callback.calls == step:
            signal.raise_signal(signal.SIGINT)

    callback.calls = 0
    return callback


def test_ctrl_c_raises_unless_it_was_asked_to_keep_the_point(case):
    with pytest.raises(KeyboardInterrupt), watch() as clock:
        case().solve(Limits(clock=clock, callback=interrupt_at(3)), size=32)


def test_ctrl_c_can_keep_the_best_point_so_far_and_restores_the_handler(case):
    one, usual = case(), signal.getsignal(signal.SIGINT)
    with watch(on_interrupt="keep") as clock:
        solution = one.solve(Limits(clock=clock, callback=interrupt_at(3)), size=32)
    assert signal.getsignal(signal.SIGINT) is usual
    assert solution.certificate.status is Status.INTERRUPTED
    assert one.problem.feasible(solution.point.beta)
    assert 0 < solution.certificate.dual < one.solve().certificate.dual
    assert solution.certificate.dual == pytest.approx(one.true_dual(solution.point.beta))


def test_a_second_ctrl_c_is_the_usual_one(case):
    def twice(progress):
        signal.raise_signal(signal.SIGINT)
        signal.raise_signal(signal.SIGINT)

    usual = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt), watch(on_interrupt="keep") as clock:
        case().solve(Limits(clock=clock, callback=twice), size=32)
    assert signal.getsignal(signal.SIGINT) is usual


def test_an_error_in_a_callback_leaves_nothing_behind(case):
    def fail(progress):
        raise RuntimeError("from the callback")

    usual = signal.getsignal(signal.SIGINT)
    with pytest.raises(RuntimeError, match="from the callback"):
        case().solve(Limits(callback=fail))
    assert signal.getsignal(signal.SIGINT) is usual


# A solver fed a wrong gradient must never end as CERTIFIED with a wrong answer.


def honest(one, solution, best):
    """Whatever was said must be true of the point, judged here on the whole matrix."""
    beta, said = solution.point.beta, solution.certificate
    assert said.dual == pytest.approx(one.true_dual(beta), rel=1e-9, abs=1e-9)
    assert said.kkt_violation == pytest.approx(one.true_violation(beta), abs=1e-9)
    assert said.gap >= best - said.dual - 1e-6
    if said.status is Status.CERTIFIED:
        assert one.true_violation(beta) <= 1e-3 + 1e-9
        assert said.dual == pytest.approx(best, rel=1e-2)


def corruptions():
    rng = np.random.default_rng(7)

    def noise(product, moved):
        product += 0.05 * rng.normal(size=len(product))

    def shrink(product, moved):
        product *= 0.9

    def forget(product, moved):
        product[moved] = 0.0

    def flatter(product, moved):
        product[:] = np.sign(product)

    return {f.__name__: f for f in (noise, shrink, forget, flatter)}


@pytest.mark.parametrize("name", corruptions())
@pytest.mark.parametrize("bias", [True, False])
def test_a_corrupted_running_product_is_never_certified_wrongly(case, monkeypatch, name, bias):
    one, corrupt, move = case(200, bias=bias), corruptions()[name], Iterate.move
    best = one.solve().certificate.dual

    def wrong(self, variables, *rest):
        move(self, variables, *rest)
        corrupt(self.running, variables)

    monkeypatch.setattr(Iterate, "move", wrong)
    honest(one, one.solve(Limits(max_iter=20_000), size=32), best)


@pytest.mark.parametrize("size", [32, 2048])
def test_a_solver_that_thinks_it_is_done_is_not_believed(case, monkeypatch, size):
    one = case(200)
    best = one.solve().certificate.dual
    monkeypatch.setattr(DualAscent, "violation", lambda self: 0.0)
    honest(one, one.solve(size=size), best)


@pytest.mark.parametrize("size", [32, 2048])
def test_a_wrong_gradient_is_never_certified_wrongly(case, monkeypatch, size):
    one, rng = case(200), np.random.default_rng(1)
    best = one.solve().certificate.dual
    for solver in (DualAscent, InMemory):

        def wrong(self, right=solver.gradient):
            return right(self) + 0.05 * rng.normal(size=len(self.problem))

        monkeypatch.setattr(solver, "gradient", wrong)
    honest(one, one.solve(Limits(max_iter=20_000), size=size), best)


def test_a_solver_that_gets_nowhere_has_stalled(case, monkeypatch):
    steps = []
    monkeypatch.setattr(WorkingSet, "step", lambda self, limits: steps.append(1))
    solution = case(50).solve(size=32)
    assert solution.certificate.status is Status.STALLED
    assert len(steps) <= _PATIENCE + 1
