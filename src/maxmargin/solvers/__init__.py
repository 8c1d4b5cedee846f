"""Solvers, one file an algorithm; ``run`` holds the only outer loop."""

from typing import Any, Final

from maxmargin.solvers.coordinate_ascent import CoordinateAscent
from maxmargin.solvers.coordinates_first import CoordinatesFirst
from maxmargin.solvers.crammer_singer import SequentialDual
from maxmargin.solvers.decomposition import Decomposition
from maxmargin.solvers.dual_ascent import DualAscent, Start
from maxmargin.solvers.dual_coordinate import DualCoordinate
from maxmargin.solvers.gradient_descent import GradientDescent
from maxmargin.solvers.joint_interior_point import JointInteriorPoint
from maxmargin.solvers.linear_interior_point import LinearInteriorPoint
from maxmargin.solvers.linear_working_set import LinearWorkingSet
from maxmargin.solvers.newton import Newton, is_narrow, solves_exactly
from maxmargin.solvers.osuna import Osuna
from maxmargin.solvers.primal_coordinate import PrimalCoordinate
from maxmargin.solvers.projected_subgradient import Pegasos, ProjectedSubgradient
from maxmargin.solvers.row_cache import RowCache
from maxmargin.solvers.run import Limits, Progress, Solution, Trace, run, with_printing
from maxmargin.solvers.shrinking import Shrinking
from maxmargin.solvers.small_newton import SmallNewton
from maxmargin.solvers.smo import SMO, FirstOrderSMO
from maxmargin.solvers.sparse_interior_point import SparseInteriorPoint
from maxmargin.solvers.two_classes import TwoClasses
from maxmargin.solvers.working_set import WorkingSet

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


def solvers_for(loss: Any, penalty: str, free: bool) -> list[str]:
    """Name the solvers that take linear problems of a kind."""
    kinds = LINEAR_SOLVERS.items()
    return [name for name, kind in kinds if kind.scope.takes(loss, penalty, free)]


def linear_solver(name: str, problem: Any, design: Any, *, chosen: bool = False) -> Any:
    """Give the solver of this name; of Newton's method, that for few rows where they are few.

    Where it was not the user who chose it, coordinates may have a try before.
    """
    if name != "newton":
        return LINEAR_SOLVERS[name]
    if not chosen and CoordinatesFirst.takes(problem, design):
        return CoordinatesFirst
    return SmallNewton if SmallNewton.takes(problem, design) else Newton


_SUCCESSORS: Final = (
    LinearInteriorPoint,
    SparseInteriorPoint,
    LinearWorkingSet,
    TwoClasses,
    JointInteriorPoint,
)


def successor_of(problem: Any, design: Any) -> Any:
    """Give who takes over a linear problem on which the first solver failed; None if nobody."""
    return next((kind for kind in _SUCCESSORS if kind.takes_over(problem, design)), None)


__all__ = [
    "BOX_QP_SOLVERS",
    "LINEAR_SOLVERS",
    "SMO",
    "CoordinateAscent",
    "CoordinatesFirst",
    "Decomposition",
    "DualAscent",
    "DualCoordinate",
    "FirstOrderSMO",
    "GradientDescent",
    "JointInteriorPoint",
    "Limits",
    "LinearInteriorPoint",
    "LinearWorkingSet",
    "Newton",
    "Osuna",
    "Pegasos",
    "PrimalCoordinate",
    "Progress",
    "ProjectedSubgradient",
    "RowCache",
    "SequentialDual",
    "Shrinking",
    "SmallNewton",
    "Solution",
    "SparseInteriorPoint",
    "Start",
    "Trace",
    "WorkingSet",
    "is_narrow",
    "linear_solver",
    "run",
    "solvers_for",
    "solves_exactly",
    "successor_of",
    "with_printing",
]
