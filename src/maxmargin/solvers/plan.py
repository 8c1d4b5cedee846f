"""The plan of solvers for a problem: the only place that chooses.

``plan`` is a pure function of a linear problem, its rows and the user's wish, ``kernel_plan`` of
where the kernel values of a box QP lie. Each takes the first rule that holds; after a solver that
the user did not name, a fallback gets its turn if that one fails. ``docs/solvers.md`` prints the
same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from maxmargin.losses import Hinge, SquaredHinge
from maxmargin.ops.design import Design
from maxmargin.problems import CrammerSinger, LinearProblem
from maxmargin.solvers.box_qp.coordinate_ascent import CoordinateAscent
from maxmargin.solvers.box_qp.decomposition import Decomposition
from maxmargin.solvers.box_qp.dual_ascent import SIZE
from maxmargin.solvers.box_qp.in_memory import InMemory
from maxmargin.solvers.box_qp.osuna import Osuna
from maxmargin.solvers.box_qp.resident import Resident
from maxmargin.solvers.box_qp.smo import SMO, FirstOrderSMO
from maxmargin.solvers.kernel_values.matrix import Matrix
from maxmargin.solvers.kernel_values.on_device import DeviceView
from maxmargin.solvers.linear.coordinates_first import CoordinatesFirst
from maxmargin.solvers.linear.crammer_singer import SequentialDual
from maxmargin.solvers.linear.dual_coordinate import DualCoordinate
from maxmargin.solvers.linear.gradient_descent import GradientDescent
from maxmargin.solvers.linear.joint_interior_point import JointInteriorPoint
from maxmargin.solvers.linear.linear_interior_point import LinearInteriorPoint
from maxmargin.solvers.linear.linear_working_set import LinearWorkingSet, copies_of, has_box_dual
from maxmargin.solvers.linear.newton import Newton
from maxmargin.solvers.linear.primal_coordinate import NARROW, PrimalCoordinate
from maxmargin.solvers.linear.projected_subgradient import Pegasos, ProjectedSubgradient
from maxmargin.solvers.linear.small_newton import (
    SmallNewton,
    aim_of,
    is_narrow,
    solves_exactly,
    work_of,
)
from maxmargin.solvers.linear.sparse_interior_point import SparseInteriorPoint
from maxmargin.solvers.linear.two_classes import TwoClasses
from maxmargin.solvers.run import Stage
from maxmargin.solvers.solver import has, hinges

BOX_QP_SOLVERS: Final[dict[str, Any]] = {
    "working_set": Decomposition,
    "smo": SMO,
    "smo_first_order": FirstOrderSMO,
    "osuna": Osuna,
    "coordinate_ascent": CoordinateAscent,
}
"""By the name that ``SVC(solver=...)`` takes."""

LINEAR_SOLVERS: Final[dict[str, Any]] = {
    "dual_coordinate": DualCoordinate,
    "newton": Newton,
    "gradient_descent": GradientDescent,
    "primal_coordinate": PrimalCoordinate,
    "working_set": LinearWorkingSet,
    "projected_subgradient": ProjectedSubgradient,
    "pegasos": Pegasos,
}
"""By the name that ``LinearSVC(solver=...)`` and ``LinearClassifier(solver=...)`` take."""

# Steps after which the fallback gets its turn. Well-behaved fits need a tenth of them.
PATIENCE_OF_NEWTON: Final = 100
PATIENCE_OF_SMALL_NEWTON: Final = 300
PATIENCE_OF_COLUMN_PRODUCTS: Final = 30

# Multiplications of a step that one compiled loop makes; more are worth BLAS and threads.
SMALL_STEP: Final = 1 << 23
SMALL_COLUMNS: Final = 320

# Dense columns from which the duals may be the fewer unknowns, and rows for each of them: with
# 4,000 rows of 3,000 columns coordinates take 0.3 s where Newton's method takes 43.
WIDE_COLUMNS: Final = 500
ROWS_PER_WIDE_COLUMN: Final = 5

# Largest problems of the interior points, whose steps cost the cube of their unknowns.
L1_COLUMNS: Final = 512
L1_VALUES: Final = 2**22
JOINT_UNKNOWNS: Final = 1500


@dataclass(frozen=True)
class Wish:
    """What the user asked for."""

    solver: str = "auto"
    dual: bool | str = "auto"
    options: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What solvers are started with, by their names."""
    whole: bool = False
    """Whether products are made with all rows at once, as those on a device are."""


NO_WISH: Final = Wish()


class Case(NamedTuple):
    """What the rules look at."""

    problem: Any
    design: Design
    wish: Wish

    @property
    def narrow(self) -> bool:
        """Whether the square matrix of the columns is worth making."""
        return is_narrow(self.design)


class Rule(NamedTuple):
    """A line of the table: under which condition which solver comes, and why."""

    when: str
    holds: Callable[[Case], bool]
    solver: str
    why: str


class Fallback(NamedTuple):
    """A solver that takes over where the first one failed."""

    when: str
    holds: Callable[[Case], bool]
    solver: Any


def _is_joint(case: Case) -> bool:
    return isinstance(case.problem, CrammerSinger)


def _is_wide(case: Case) -> bool:
    """Whether coordinates of the duals cost less than a square matrix of the columns."""
    problem, design = case.problem, case.design
    if case.wish.dual is True:
        return True
    if not problem.loss.smooth:
        return not case.narrow
    return len(design) < design.width and not solves_exactly(problem.loss, design)


RULES: Final = (
    Rule(
        "all classes in one problem",
        _is_joint,
        "sequential_dual",
        "the only one that solves it",
    ),
    Rule(
        "penalty l1",
        lambda case: case.problem.penalty == "l1",
        "primal_coordinate",
        "most weights stay 0 and are skipped",
    ),
    Rule(
        "a loss without a curvature",
        lambda case: not has(case.problem.loss.curvature),
        "gradient_descent",
        "it needs slopes alone",
    ),
    Rule(
        "no penalty, or a loss other than hinge and squared_hinge",
        lambda case: case.problem.penalty == "none" or not hinges(case.problem.loss),
        "newton",
        "a handful of steps",
    ),
    Rule(
        "hinge, free intercept, too many columns for their square matrix",
        lambda case: case.problem.free and not case.problem.loss.smooth and not case.narrow,
        "working_set",
        "the kernel machine's pairs keep the sum of the duals",
    ),
    Rule(
        "free intercept, or dual=False",
        lambda case: case.problem.free or case.wish.dual is False,
        "newton",
        "coordinates of the dual need a regularised intercept",
    ),
    Rule(
        "dual=True; hinge with many columns; squared_hinge with fewer rows than columns",
        _is_wide,
        "dual_coordinate",
        "a visit of a row costs its nonzeros",
    ),
    Rule("otherwise", lambda _: True, "newton", "a handful of steps"),
)


FALLBACKS: Final = (
    Fallback(
        "hinge or squared_hinge, l2, few columns",
        lambda case: (
            not _is_joint(case)
            and case.problem.loss in (Hinge(), SquaredHinge())
            and case.problem.penalty == "l2"
            and case.narrow
        ),
        LinearInteriorPoint,
    ),
    Fallback(
        "squared_hinge, l1, dense, at most 512 columns",
        lambda case: (
            not _is_joint(case)
            and case.problem.loss == SquaredHinge()
            and case.problem.penalty == "l1"
            and case.design.dense
            and case.design.width <= L1_COLUMNS
            and len(case.design) * case.design.width <= L1_VALUES
        ),
        SparseInteriorPoint,
    ),
    Fallback(
        "a hinge or an insensitive zone, l2, at most 2,048 duals",
        lambda case: (
            has_box_dual(case.problem) and copies_of(case.problem) * len(case.design) <= SIZE
        ),
        LinearWorkingSet,
    ),
    Fallback(
        "two classes in one problem",
        lambda case: (
            _is_joint(case)
            and case.problem.classes == 2
            and (case.narrow or len(case.design) <= SIZE)
        ),
        TwoClasses,
    ),
    Fallback(
        "all classes in one problem, at most 1,500 weights",
        lambda case: _is_joint(case) and case.design.width * case.problem.classes <= JOINT_UNKNOWNS,
        JointInteriorPoint,
    ),
)


def plan(problem: Any, design: Design, wish: Wish = NO_WISH) -> tuple[Stage, ...]:
    """Return the solvers of a problem, one after the other, each with its patience."""
    case = Case(problem, design, wish)
    if wish.solver != "auto" and not _is_joint(case):
        return (_stage(wish.solver, case),)
    for rule in RULES:
        if rule.holds(case):
            return (_stage(rule.solver, case), *fallbacks(problem, design, wish))
    raise AssertionError("the last rule always holds")


class KernelRule(NamedTuple):
    """A line of the table of kernel machines: where kernel values lie, and who solves there."""

    when: str
    holds: Callable[[Any], bool]
    solver: Any
    why: str


KERNEL_RULES: Final = (
    KernelRule(
        "rows on a card",
        lambda view: isinstance(view, DeviceView),
        Resident,
        "the same working sets, with all vectors on the card",
    ),
    KernelRule(
        "all kernel values of the problem in memory: up to 2,048 rows",
        lambda view: isinstance(view, Matrix),
        InMemory,
        "SMO and Newton's steps by turns solve it to rounding; many such problems are one call",
    ),
    KernelRule(
        "kernel rows in a cache",
        lambda _: True,
        Decomposition,
        "working sets; settled variables are set aside if the cache is too small for one",
    ),
)


def kernel_plan(solver: Any, view: Any, options: Mapping[str, Any]) -> tuple[Stage, ...]:
    """Return the solvers of a kernel machine's problem, by where its kernel values lie."""
    if solver is not Decomposition:
        return (Stage(solver, None, options),)
    rule = next(each for each in KERNEL_RULES if each.holds(view))
    return (Stage(rule.solver, None, options if rule.solver is Decomposition else {}),)


def fallbacks(problem: Any, design: Design, wish: Wish = NO_WISH) -> tuple[Stage, ...]:
    """Return who takes over a problem on which the first solver failed: one stage or none."""
    case = Case(problem, design, wish)
    if wish.solver == "auto":
        for each in FALLBACKS:
            if each.holds(case):
                return (Stage(each.solver),)
    return ()


def _stage(name: str, case: Case) -> Stage:
    """Return the stage of a solver's name; Newton's method has three forms."""
    problem, design, wish = case
    if name == "sequential_dual":
        return Stage(SequentialDual)
    hinge = not problem.loss.smooth
    if name == "primal_coordinate" and design.width <= NARROW:
        return Stage(PrimalCoordinate, PATIENCE_OF_COLUMN_PRODUCTS)
    if name != "newton":
        return Stage(LINEAR_SOLVERS[name], None, wish.options.get(name, {}))
    if wish.solver == "auto" and coordinates_may_be_quicker(problem, design):
        return Stage(CoordinatesFirst)
    if not wish.whole and is_small(problem, design):
        return Stage(SmallNewton, PATIENCE_OF_SMALL_NEWTON if hinge else None)
    return Stage(Newton, PATIENCE_OF_NEWTON if hinge else None)


def coordinates_may_be_quicker(problem: LinearProblem, design: Design) -> bool:
    """Whether dual coordinates are tried before Newton's method."""
    known = DualCoordinate.scope.takes(problem.loss, problem.penalty, problem.free)
    if not known or aim_of(design) < 1.0:
        return False
    if design.dense:
        return design.width >= WIDE_COLUMNS and len(design) <= ROWS_PER_WIDE_COLUMN * design.width
    return problem.loss == Hinge() and is_narrow(design)


def is_small(problem: LinearProblem, design: Design) -> bool:
    """Whether compiled Newton steps know the loss, and need no BLAS."""
    if not SmallNewton.scope.takes(problem.loss, problem.penalty, problem.free):
        return False
    exact = solves_exactly(problem.loss, design)
    if (exact and design.width > SMALL_COLUMNS) or not (exact or problem.loss.smooth):
        return False
    return work_of(design, exact) <= SMALL_STEP


def solvers_for(loss: Any, penalty: str, free: bool) -> list[str]:
    """Return the names of the solvers that take linear problems of a kind."""
    kinds = LINEAR_SOLVERS.items()
    return [name for name, kind in kinds if kind.scope.takes(loss, penalty, free)]


def as_table() -> str:
    """Return the rules as tables in Markdown."""
    lines = ["| where | solver | why |", "|---|---|---|"]
    lines += [f"| {rule.when} | `{rule.solver}` | {rule.why} |" for rule in RULES]
    lines += ["", "| where the first solver failed | takes over |", "|---|---|"]
    lines += [f"| {each.when} | `{each.solver.__name__}` |" for each in FALLBACKS]
    lines += ["", "| `working_set` of kernel machines, where | solver | why |", "|---|---|---|"]
    lines += [f"| {each.when} | `{each.solver.__name__}` | {each.why} |" for each in KERNEL_RULES]
    return "\n".join(lines)
