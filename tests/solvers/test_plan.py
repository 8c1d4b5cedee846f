"""The plan of solvers: which one a problem gets, who takes over, and what the docs say of it."""

from pathlib import Path

import numpy as np
import pytest
from scipy import sparse

from maxmargin import losses
from maxmargin.ops.clock import TimeUp
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers
from maxmargin.problems import CrammerSinger, LinearProblem
from maxmargin.solvers import LINEAR_SOLVERS, Limits
from maxmargin.solvers.plan import Wish, as_table, plan
from maxmargin.solvers.run import Stage, run_plan

DOCS = Path(__file__).parents[2] / "docs" / "solvers.md"


def design(rows, columns, stored=None):
    if stored is None:
        return Design(np.ones((rows, columns)), 1.0, Workers(1))
    X = sparse.random(rows, columns, stored, "csr", rng=np.random.default_rng(0))
    return Design(X, 1.0, Workers(1))


def problem(rows, loss="hinge", penalty="l2", free=False):
    t = np.where(np.arange(rows) % 2, 1.0, -1.0)
    return LinearProblem(losses.named(loss), t, np.ones(rows), penalty, free)


def names(rows, columns, *, wish=None, stored=None, **kind):
    stages = plan(problem(rows, **kind), design(rows, columns, stored), wish or Wish())
    return [stage.solver.__name__ for stage in stages]


@pytest.mark.parametrize(
    ("wanted", "case"),
    [
        (["SmallNewton", "LinearInteriorPoint"], {"rows": 50, "columns": 5}),
        (["SmallNewton", "LinearInteriorPoint"], {"rows": 50, "columns": 5, "free": True}),
        (["PrimalCoordinate"], {"rows": 9, "columns": 9, "penalty": "l1", "loss": "logistic"}),
        (
            ["PrimalCoordinate", "SparseInteriorPoint"],
            {"rows": 9, "columns": 9, "penalty": "l1", "loss": "squared_hinge"},
        ),
        (["Newton"], {"rows": 9, "columns": 3, "penalty": "none", "loss": "logistic"}),
        (["Newton"], {"rows": 9, "columns": 3, "loss": "exponential"}),
        (["LinearWorkingSet"] * 2, {"rows": 20, "columns": 2000, "free": True}),
        (["DualCoordinate", "LinearWorkingSet"], {"rows": 20, "columns": 2000}),
        (
            ["DualCoordinate", "LinearWorkingSet"],
            {"rows": 20, "columns": 2000, "loss": "squared_hinge"},
        ),
        (["CoordinatesFirst", "LinearInteriorPoint"], {"rows": 900, "columns": 700}),
        (
            ["CoordinatesFirst", "LinearInteriorPoint"],
            {"rows": 900, "columns": 300, "stored": 0.05},
        ),
    ],
)
def test_a_problem_gets_its_solvers(wanted, case):
    assert names(**case) == wanted


def test_the_wish_comes_first_and_has_no_fallback():
    for name, kind in LINEAR_SOLVERS.items():
        if name != "newton":
            assert names(30, 4, wish=Wish(name)) == [kind.__name__]
    assert names(30, 4, wish=Wish("newton")) == ["SmallNewton"]
    assert names(30, 400, wish=Wish("newton")) == ["Newton"]


def test_dual_decides_as_in_scikit_learn():
    squared = {"loss": "squared_hinge"}
    assert names(30, 4, wish=Wish(dual=True), **squared)[0] == "DualCoordinate"
    assert names(20, 2000, wish=Wish(dual=False), **squared)[0] in ("Newton", "SmallNewton")


def test_all_classes_in_one_problem():
    labels = np.arange(30) % 3
    stages = plan(CrammerSinger(labels, np.ones(30), 3), design(30, 4), Wish())
    assert [s.solver.__name__ for s in stages] == ["SequentialDual", "JointInteriorPoint"]


def test_options_go_to_the_solver_that_they_are_for():
    wish = Wish("dual_coordinate", options={"dual_coordinate": {"sampling": "uniform"}})
    assert plan(problem(9), design(9, 3), wish)[0].options == {"sampling": "uniform"}
    assert plan(problem(9), design(9, 3), Wish())[0].options == {}


def test_a_plan_that_cannot_begin_says_that_time_is_up():
    def too_late(stage):
        raise TimeUp

    with pytest.raises(TimeUp):
        run_plan([Stage(None)], too_late, Limits(1e-3, 100))


def test_the_docs_show_the_rules():
    assert as_table() in DOCS.read_text()
