"""Solvers, one file an algorithm; ``run`` holds the only outer loop."""

from maxmargin.solvers.box_qp.coordinate_ascent import CoordinateAscent
from maxmargin.solvers.box_qp.decomposition import Decomposition
from maxmargin.solvers.box_qp.dual_ascent import DualAscent, Start
from maxmargin.solvers.box_qp.osuna import Osuna
from maxmargin.solvers.box_qp.shrinking import Shrinking
from maxmargin.solvers.box_qp.smo import SMO, FirstOrderSMO
from maxmargin.solvers.box_qp.working_set import WorkingSet
from maxmargin.solvers.kernel_values.row_cache import RowCache
from maxmargin.solvers.linear.coordinates_first import CoordinatesFirst
from maxmargin.solvers.linear.crammer_singer import SequentialDual
from maxmargin.solvers.linear.dual_coordinate import DualCoordinate
from maxmargin.solvers.linear.gradient_descent import GradientDescent
from maxmargin.solvers.linear.joint_interior_point import JointInteriorPoint
from maxmargin.solvers.linear.linear_interior_point import LinearInteriorPoint
from maxmargin.solvers.linear.linear_working_set import LinearWorkingSet
from maxmargin.solvers.linear.newton import Newton
from maxmargin.solvers.linear.primal_coordinate import PrimalCoordinate
from maxmargin.solvers.linear.projected_subgradient import Pegasos, ProjectedSubgradient
from maxmargin.solvers.linear.small_newton import SmallNewton
from maxmargin.solvers.linear.sparse_interior_point import SparseInteriorPoint
from maxmargin.solvers.linear.two_classes import TwoClasses
from maxmargin.solvers.plan import BOX_QP_SOLVERS, LINEAR_SOLVERS, solvers_for
from maxmargin.solvers.run import Limits, Solution, run
from maxmargin.solvers.trace import Progress, Trace, with_printing

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
