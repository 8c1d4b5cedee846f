"""Areas below curves: of two classes those of the class sought, of more the average of all.

Of more than two classes rows are ranked by probabilities where a model has them: those of a row
add up to one, while decision values of two rows need not be on one scale.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.evaluation import PrecisionRecallCurve, RocCurve
from maxmargin.evaluation.run import decide


def shares_of(model: Any, X: Any) -> NDArray[np.float64] | None:
    """Give probabilities that rank rows better than a classifier's decision values do.

    Parameters
    ----------
    model : estimator
        Fitted.
    X : DataFrame

    Returns
    -------
    ndarray of shape (rows, classes), or None
        None for two classes, whose order is the same, and where a model has not both.
    """
    both = hasattr(model, "predict_proba") and hasattr(model, "decision_function")
    if not both or len(model.classes_) == 2:
        return None
    return np.asarray(model.predict_proba(X))


def areas_of(truth: Any, values: Any, classes: Any, sought: Any = None) -> dict[str, float]:
    """Give the area under the ROC curve and the average precision.

    Parameters
    ----------
    truth : ndarray of shape (rows,)
    values : ndarray of shape (rows,) or (rows, classes), or None
        Decision values or probabilities; of two classes those of the second.
    classes : ndarray
        In the order of the columns.
    sought : object, default=None
        Whose average precision it is, of two classes; None for the second.

    Returns
    -------
    dict of str to float
        By scikit-learn's names; without those that rows of a single class do not have.

    Examples
    --------
    >>> areas_of(np.array(["a", "b", "b"]), np.array([0.2, 0.1, 0.9]), np.array(["a", "b"]), "a")
    {'roc_auc': 0.5, 'average_precision': 0.5}
    """
    if values is None:
        return {}
    turned = values.ndim == 1 and sought == classes[0]
    of_sought = (-values, classes[::-1]) if turned else (values, classes)
    curves = {
        "roc_auc": RocCurve.from_scores(truth, values, classes),
        "average_precision": PrecisionRecallCurve.from_scores(truth, *of_sought),
    }
    return {name: curve.area for name, curve in curves.items() if curve is not None}


def area(model: Any, X: Any, y: Any, name: str = "roc_auc", sought: Any = None) -> float:
    """Score a classifier by an area; of several classes by the mean of those that occur.

    Unlike scikit-learn's scorers it takes models without probabilities, and rows without some
    class, as those of folds and resamples may be.

    Parameters
    ----------
    model : estimator
        Fitted.
    X, y
        Rows and the truth.
    name : {"roc_auc", "average_precision"}
    sought : object, default=None
        As in ``areas_of``.

    Returns
    -------
    float
        NaN where no row, or every row, is of a class to be found.
    """
    shares = shares_of(model, X)
    values = decide(model, X) if shares is None else shares
    return areas_of(np.asarray(y), values, model.classes_, sought).get(name, float("nan"))


def mean_areas(each: list[dict[str, float]]) -> dict[str, float]:
    """Average areas over folds, those that have them.

    Parameters
    ----------
    each : list of dict
        As ``areas_of`` gives them.

    Returns
    -------
    dict of str to float
    """
    names = dict.fromkeys(name for areas in each for name in areas)
    return {
        name: float(np.mean([areas[name] for areas in each if name in areas])) for name in names
    }
