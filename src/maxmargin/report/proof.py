"""How a fit ended: certificates, rounds, and the errors after each of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from maxmargin.evaluation.members import is_bag
from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import ErrorCurveDisplay
from maxmargin.solvers.run import badness

# In the order of the page: field, what to call it, what it means.
CERTIFICATE_FIELDS = (
    ("primal", "primal value", "the objective at the point returned: margin term plus losses"),
    (
        "dual",
        "dual value",
        "where the problem is convex, no point can have an objective below this",
    ),
    ("gap", "gap", "primal minus dual: then the objective is at most this far from the optimum"),
    ("relative_gap", "relative gap", "the gap as a share of the objective"),
    ("kkt_violation", "KKT violation", "the worst breach of the optimality conditions"),
    ("floor", "rounding floor", "how large a gap rounding alone explains"),
    ("precision", "precision", "the arithmetic of the values that it was judged by"),
)


def certificate_of(model: Any) -> Any:
    """Find the certificate, of several problems the worst.

    Parameters
    ----------
    model : estimator
        Fitted, without the steps before it.

    Returns
    -------
    Certificate or None
        None where a model has none.
    """
    if hasattr(model, "certificate_"):
        return model.certificate_
    members = model.estimators_ if Fitted(model).wraps_classes else ()
    inner = [each.certificate_ for each in members if hasattr(each, "certificate_")]
    return max(inner, key=badness, default=None)


def unit_of(model: Any) -> str:
    """Return what a model has many of: rounds, or members that are made independently.

    Parameters
    ----------
    model : estimator

    Returns
    -------
    str
    """
    return "member" if is_bag(model) else "round"


def errors_of(model: Any, test: tuple[Any, Any]) -> Mapping[str, Any] | None:
    """Predict the test rows after every round.

    Parameters
    ----------
    model : classifier, or a Pipeline that ends in one
        Fitted.
    test : tuple of (X, y)

    Returns
    -------
    mapping of str to ndarray, or None
        None where there are no rounds.
    """
    inner = Fitted.of(model).model
    if not (hasattr(inner, "staged_predict") or is_bag(inner)):
        return None
    ax = Figure().subplots()
    return ErrorCurveDisplay.from_estimator(model, {"test": test}, ax=ax).curves
