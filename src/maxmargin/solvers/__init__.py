"""Solvers, one file an algorithm; ``run`` holds the only outer loop."""

from typing import Final

from maxmargin.solvers.coordinate_ascent import CoordinateAscent
from maxmargin.solvers.dual_ascent import DualAscent
from maxmargin.solvers.osuna import Osuna
from maxmargin.solvers.row_cache import RowCache
from maxmargin.solvers.run import Limits, Progress, Solution, Trace, interruptible, run, tell
from maxmargin.solvers.shrinking import Shrinking
from maxmargin.solvers.smo import SMO, FirstOrderSMO
from maxmargin.solvers.working_set import WorkingSet

BOX_QP_SOLVERS: Final[dict[str, type[DualAscent]]] = {
    "working_set": WorkingSet,
    "smo": SMO,
    "smo_first_order": FirstOrderSMO,
    "osuna": Osuna,
    "coordinate_ascent": CoordinateAscent,
}
"""By the name that ``SVC(solver=...)`` takes."""

__all__ = [
    "BOX_QP_SOLVERS",
    "SMO",
    "CoordinateAscent",
    "DualAscent",
    "FirstOrderSMO",
    "Limits",
    "Osuna",
    "Progress",
    "RowCache",
    "Shrinking",
    "Solution",
    "Trace",
    "WorkingSet",
    "interruptible",
    "run",
    "tell",
]
