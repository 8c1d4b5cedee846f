"""Solvers, one file an algorithm; ``run`` holds the only outer loop."""

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
from maxmargin.solvers.newton import Newton
from maxmargin.solvers.osuna import Osuna
from maxmargin.solvers.plan import BOX_QP_SOLVERS, LINEAR_SOLVERS, solvers_for
from maxmargin.solvers.primal_coordinate import PrimalCoordinate
from maxmargin.solvers.projected_subgradient import Pegasos, ProjectedSubgradient
from maxmargin.solvers.row_cache import RowCache
from maxmargin.solvers.run import Limits, Solution, run
from maxmargin.solvers.shrinking import Shrinking
from maxmargin.solvers.small_newton import SmallNewton
from maxmargin.solvers.smo import SMO, FirstOrderSMO
from maxmargin.solvers.sparse_interior_point import SparseInteriorPoint
from maxmargin.solvers.trace import Progress, Trace, with_printing
from maxmargin.solvers.two_classes import TwoClasses
from maxmargin.solvers.working_set import WorkingSet

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
    "TwoClasses",
    "WorkingSet",
    "run",
    "solvers_for",
    "with_printing",
]
