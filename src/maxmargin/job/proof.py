r"""What is proved of a fit: how far from optimal it is, or a bound on its training error.

    machines and linear models    their certificate: the relative gap of primal and dual value
    AdaBoost                      training error <= prod Z_t
    boosting, logistic loss       training error <= mean log_2(1 + exp(-t F)), which is 1 at t F = 0

Both speak of the optimisation, on rows that were learned from; neither says how good the model is.
"""

from __future__ import annotations

import math
from typing import Any

from sklearn.pipeline import Pipeline

from maxmargin.boosting import AdaBoostClassifier, BoostingClassifier
from maxmargin.certify import Status

_ROUNDING = 1e-12


def proof_of(model: Pipeline) -> str:
    """Say what is proved of a fitted model; nothing for most.

    Parameters
    ----------
    model : Pipeline

    Returns
    -------
    str
    """
    last = model.steps[-1][1]
    if hasattr(last, "certificate_"):
        return _gap(last.certificate_)
    if isinstance(last, AdaBoostClassifier):
        return _bound(last, float(last.bounds_["product"][-1]))
    if isinstance(last, BoostingClassifier) and len(last.classes_) == 2:
        return _bound(last, float(last.train_loss_[-1]) / math.log(2.0))
    return ""


def _gap(certificate: Any) -> str:
    size = certificate.relative_gap
    gap = f"relative gap {size:.0e}" if size > _ROUNDING else f"relative gap < {_ROUNDING:.0e}"
    if certificate.status is Status.CERTIFIED:
        return gap
    return f"{gap}, not optimal: {certificate.status.name.lower().replace('_', ' ')}"


def _bound(model: Any, value: float) -> str:
    if value >= 1.0:
        return ""
    error = "training error" if model.class_weight is None else "weighted training error"
    return f"{error} ≤ {math.ceil(1000.0 * value) / 1000.0:g}"
