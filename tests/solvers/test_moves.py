"""A long move of duals in parts: feasible after each of them, and at the end where it should be."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.problems import BoxQP, c_svc
from maxmargin.problems.nu import nu_svc
from maxmargin.solvers.box_qp.dual_ascent import Start
from maxmargin.solvers.box_qp.moves import feasible_parts


def moved(problem, beta, variables, values, most):
    beta, sizes = beta.copy(), []
    for some, there in feasible_parts(problem, variables, beta.copy(), values, most):
        beta[some] = there
        assert problem.feasible(beta)
        sizes.append(len(some))
    return beta, sizes


@given(seed=st.integers(0, 2**32 - 1), most=st.integers(1, 12))
@pytest.mark.parametrize("kind", ["soft margin", "shares", "no bias"])
def test_every_part_ends_at_a_feasible_point(kind, seed, most):
    rng = np.random.default_rng(seed)
    t, cost = np.where(np.arange(30) < 14, 1.0, -1.0), rng.uniform(0.1, 3.0, 30)
    problem = nu_svc(t, cost, 0.3) if kind == "shares" else c_svc(t, cost, bias=kind != "no bias")
    ends = [Start(rng.uniform(problem.lower, problem.upper)).within(problem).beta for _ in range(2)]
    variables = np.flatnonzero(ends[0] != ends[1])
    beta, sizes = moved(problem, ends[0], variables, ends[1][variables], most)
    assert beta.tolist() == ends[1].tolist()
    assert max(sizes, default=0) <= most + 4 + (most == 1)


def test_a_short_move_is_one_part():
    problem = BoxQP(np.ones(3), np.zeros(3), np.ones(3))
    variables, values = np.arange(3), np.ones(3)
    (part,) = feasible_parts(problem, variables, np.zeros(3), values, 3)
    assert part[0] is variables
    assert part[1] is values
