"""Fits as they were when the table was recorded: solvers, statuses, values, and bits.

Last bits depend on the processor and on the libraries of linear algebra, so digests are compared
where both are those of the table, and values to nine digits. Elsewhere solvers may take another way
to the same optimum: objectives have to agree within the tolerance that the certificates prove.
"""

import json

import numpy as np
import pytest

from tests.golden.fit import fit, kinds_of_solvers, machine
from tests.golden.problems import all_problems
from tests.golden.record import TABLE

RECORDED = json.loads(TABLE.read_text())
SAME_MACHINE = RECORDED["machine"] == machine()
PROBLEMS = all_problems()


def test_the_table_holds_every_problem():
    assert list(RECORDED["problems"]) == [problem.name for problem in PROBLEMS]


def test_every_solver_of_the_table_exists():
    known = {kind.__name__ for kind in kinds_of_solvers()}
    used = {name for each in RECORDED["problems"].values() for name in each.get("solvers", [])}
    assert len(used) >= 15
    assert used <= known


@pytest.mark.parametrize("problem", PROBLEMS, ids=lambda problem: problem.name)
def test_a_fit_is_as_it_was(problem):
    wanted, found = RECORDED["problems"][problem.name], fit(problem)
    assert found.get("error") == wanted.get("error")
    if "error" not in wanted:
        compare(found, wanted)


def compare(found, wanted):
    assert found["status"] == wanted["status"]
    assert found["solvers"] == wanted["solvers"]
    if SAME_MACHINE:
        np.testing.assert_allclose(found["values"], wanted["values"], rtol=1e-9, atol=1e-12)
        assert found["digest"] == wanted["digest"]
    for new, old, status in zip(
        found["objectives"], wanted["objectives"], wanted["status"], strict=True
    ):
        if status == "CERTIFIED":
            size = max(abs(old[0]), abs(old[1]), 1e-3)
            assert new == pytest.approx(old, abs=2.0 * max(wanted["tol"], 1e-9) * size)
