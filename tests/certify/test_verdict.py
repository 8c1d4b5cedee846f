"""One rule certifies: what is near in relation to costs alone is not near."""

import ast
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import maxmargin.certify
from maxmargin.certify import Point, Status, judge
from maxmargin.certify.certificate import BY_CONDITIONS, BY_GAP, conclude_one
from maxmargin.kernels.rounding import Rounding
from maxmargin.problems import BoxQP
from maxmargin.problems.nu import nu_svc, one_class
from maxmargin.problems.regression import nu_svr, svr

PROMISES = pytest.mark.parametrize("promise", [BY_CONDITIONS, BY_GAP])
SOUND = (True, True, True)


def told(numbers, promise, tol=1e-3, facts=SOUND, **more):
    return conclude_one(numbers, promise, tol, facts, "float64", None, **more).status


def test_no_judge_but_one_says_certified():
    """A problem's judge that wrote the status itself could forget the objective's size."""
    for path in Path(maxmargin.certify.__file__).parent.glob("*.py"):
        names = [node.attr for node in ast.walk(ast.parse(path.read_text("utf-8")))
                 if isinstance(node, ast.Attribute)]  # fmt: skip
        if path.name not in ("verdict.py", "certificate.py"):
            assert "CERTIFIED" not in names, path.name


@PROMISES
@pytest.mark.parametrize("size", [1e-9, 1.0, 1e9])
def test_a_gap_is_relative_to_the_objective_alone(promise, size):
    most = promise.whole * 1e-3
    near, far = (size, (1 - 0.4 * most) * size, 0.0, 0.0), (size, (1 - 1.1 * most) * size, 0.0, 0.0)
    assert told(near, promise) is Status.CERTIFIED
    assert told(far, promise) is Status.STALLED
    assert told((-near[1], -near[0], 0.0, 0.0), promise) is Status.CERTIFIED
    assert told((-far[1], -far[0], 0.0, 0.0), promise) is Status.STALLED
    assert told((size, size, 0.0, 1.1 * most * size), promise) is Status.STALLED  # the floor counts


@PROMISES
def test_a_dual_above_the_primal_proves_nothing(promise):
    assert told((1.0, 1.5, 0.0, 0.0), promise) is Status.STALLED


def test_conditions_count_where_they_are_promised():
    assert told((1.0, 1.0, 3e-3, 0.0), BY_CONDITIONS) is Status.STALLED
    assert told((1.0, 1.0, 1.5e-3, 0.0), BY_CONDITIONS, error=1e-3) is Status.CERTIFIED
    assert told((1.0, 1.0, 3e-3, 0.0), BY_GAP) is Status.CERTIFIED


@PROMISES
def test_an_optimum_of_nothing_is_met_by_rounding_alone(promise):
    assert told((0.0, 0.0, 0.0, 0.0), promise) is Status.CERTIFIED
    assert told((3e-15, 0.0, 0.0, 1e-14), promise) is Status.STALLED
    assert told((3e-15, 0.0, 0.0, 1e-14), promise, rest=1e-14) is Status.CERTIFIED
    assert told((3e-14, 0.0, 0.0, 1e-14), promise, rest=1e-14) is Status.STALLED


STATED = {
    "shares": lambda C, t: nu_svc(np.sign(t), np.full(len(t), C), 0.5),
    "quantities": lambda C, t: svr(t, np.full(len(t), C), 0.1),
    "quantities by shares": lambda C, t: nu_svr(t, np.full(len(t), C), 0.5),
    "a single class": lambda C, t: one_class(np.full(len(t), C), 0.5),
}


@pytest.mark.parametrize("kind", STATED)
@pytest.mark.parametrize("C", [1e2, 1e6, 1e10])
def test_no_cost_makes_a_point_of_half_the_objective_near(kind, C):
    """Any feasible point of these is either near to its optimum or not certified."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(12, 2))
    t = np.sort(np.where(np.arange(12) < 6, 1.0, -1.0))[::-1] * rng.uniform(0.5, 1.5, 12)
    problem: BoxQP = STATED[kind](C, t)
    K = np.exp(-((X[:, None] - X) ** 2).sum(axis=-1))
    K = np.tile(K, (problem.copies, problem.copies))
    beta = np.zeros(len(problem))
    for members, total in zip(problem.members, problem.totals, strict=True):
        room = (problem.upper if total > 0 else -problem.lower)[members]
        beta[members] = total * room / room.sum()
    ones = np.ones(len(problem))
    point = Point(beta, K @ beta, Rounding(np.dtype(np.float64), ones, ones))
    seen = judge(problem, point, 1e-3)
    near = seen.gap <= 1e-2 * max(abs(seen.primal), abs(seen.dual))
    assert near or seen.status is not Status.CERTIFIED
    loose = judge(problem, point, 1e3)  # not for want of the conditions
    assert loose.status is Status.CERTIFIED or not near


def test_what_was_taken_off_the_targets_counts_as_rounding():
    t, ones = np.array([0.0, 1.0, 3.0, 4.0]), np.ones(8)
    problem = svr(t, np.full(4, 1e6), 0.1)
    K = np.tile(np.eye(4), (2, 2))
    beta = np.array([0.0, 0.0, 1.0, 1.0, -1.0, -1.0, 0.0, 0.0])
    point = Point(beta, K @ beta, Rounding(np.dtype(np.float64), ones, ones))
    near, far = judge(problem, point, 1e-3), judge(replace(problem, shift=1e8), point, 1e-3)
    assert near.floor < 1e-6
    assert far.floor > 1e6 * 1e8 * 2.0**-53
    assert (near.primal, near.dual) == (far.primal, far.dual)
