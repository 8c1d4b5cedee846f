"""The estimators of scikit-learn that a stored model may hold.

The list is closed: a name that is not on it is not looked up. Each of these keeps its state in
arrays, numbers, strings and other estimators of the list. What their compiled loops trust is
checked before they predict (``CHECKS``); what would run code is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from itertools import pairwise
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.storage.calibrated import (
    check_calibrated,
    check_curve,
    check_isotonic,
    part_calibrated,
    part_isotonic,
    restore_calibrated,
    restore_isotonic,
)
from maxmargin.storage.words import check_word_weights, check_words, part_words, restore_words

STEPS: dict[str, tuple[str, ...]] = {
    "sklearn.preprocessing": (
        "FunctionTransformer",
        "KBinsDiscretizer",
        "LabelBinarizer",
        "LabelEncoder",
        "MaxAbsScaler",
        "MinMaxScaler",
        "Normalizer",
        "OneHotEncoder",
        "OrdinalEncoder",
        "PolynomialFeatures",
        "PowerTransformer",
        "QuantileTransformer",
        "RobustScaler",
        "StandardScaler",
    ),
    "sklearn.feature_extraction.text": (
        "CountVectorizer",
        "HashingVectorizer",
        "TfidfTransformer",
        "TfidfVectorizer",
    ),
    "sklearn.calibration": (
        "CalibratedClassifierCV",
        "_SigmoidCalibration",
        "_TemperatureScaling",
    ),
    "sklearn.frozen": ("FrozenEstimator",),
    "sklearn.isotonic": ("IsotonicRegression",),
    "sklearn.impute": ("MissingIndicator", "SimpleImputer"),
    "sklearn.compose": ("ColumnTransformer",),
    "sklearn.pipeline": ("FeatureUnion", "Pipeline"),
    "sklearn.decomposition": ("PCA", "TruncatedSVD"),
    "sklearn.discriminant_analysis": ("LinearDiscriminantAnalysis",),
    "sklearn.dummy": ("DummyClassifier", "DummyRegressor"),
    "sklearn.linear_model": ("LogisticRegression", "Ridge", "RidgeCV"),
    "sklearn.neighbors": ("KNeighborsClassifier", "KNeighborsRegressor"),
    "sklearn.tree": ("DecisionTreeClassifier", "DecisionTreeRegressor"),
    "sklearn.multiclass": ("OneVsOneClassifier", "OneVsRestClassifier"),
}

_TREES = {"brute": "", "kd_tree": "KDTree", "ball_tree": "BallTree"}
_DISTANCES = ("euclidean", "manhattan", "chebyshev", "minkowski")
_METRICS = (*_DISTANCES, "l1", "l2", "cityblock")  # other names of the first two


def find_step(name: str) -> type | None:
    """Look an estimator up by its public name; None if it is not on the list.

    Examples
    --------
    >>> find_step("sklearn.preprocessing.StandardScaler").__name__
    'StandardScaler'
    >>> find_step("sklearn.utils.Bunch") is None
    True
    """
    module, _, short = name.rpartition(".")
    if short not in STEPS.get(module, ()):
        return None
    found: type | None = getattr(import_module(module), short, None)  # some came with 1.8
    return found


def name_of_step(kind: type) -> str | None:
    """Return the public name of an estimator; None if it is not on the list."""
    public = kind.__module__.partition("._")[0]
    name = f"{public}.{kind.__qualname__}"
    return name if find_step(name) is kind else None


def check_step(step: Any) -> None:
    """Refuse a step that would run code, or whose parts do not fit together.

    Parameters
    ----------
    step : estimator
        Of the list, before it is written or after it was read.

    Raises
    ------
    ValueError
        With a sentence.

    Examples
    --------
    >>> from sklearn.preprocessing import FunctionTransformer
    >>> check_step(FunctionTransformer(print))
    Traceback (most recent call last):
    ValueError: A FunctionTransformer is stored only without a function: reading one runs code.
    """
    check = CHECKS.get(type(step).__name__)
    if check is not None:
        check(step)


def parts_of_step(step: Any) -> dict[str, Any]:
    """Return what is stored of a step: all attributes, with plain parts for what is not plain.

    Of neighbours no tree to search in is stored, of curves no function.

    Parameters
    ----------
    step : estimator
        Of the list.

    Returns
    -------
    parts : dict
    """
    parts, plain = dict(vars(step)), _PARTS.get(type(step).__name__)
    if plain is not None:
        return plain(parts)
    return {**parts, "_tree": None} if _searches(step) else parts


def restore_step(step: Any) -> None:
    """Make again what was not stored: of neighbours the tree, from the same rows the same one.

    Parameters
    ----------
    step : estimator
        That was read and checked.

    Raises
    ------
    ValueError
        With a sentence.
    """
    restore = _RESTORES.get(type(step).__name__)
    if restore is not None:
        restore(step)
    kind = _TREES[step._fit_method] if _searches(step) else ""
    if not kind:
        return
    make = getattr(import_module("sklearn.neighbors"), kind)
    given = step.effective_metric_params_
    try:
        tree = make(step._fit_X, int(step.leaf_size), metric=step.effective_metric_, **given)
    except (TypeError, ValueError):
        raise _misfit(step) from None
    step._tree = tree


def _searches(step: Any) -> bool:
    """Whether these are fitted neighbours."""
    return CHECKS.get(type(step).__name__) is _check_neighbors and hasattr(step, "_fit_method")


def _misfit(step: Any) -> ValueError:
    return ValueError(f"The parts of a stored {type(step).__name__} do not fit together.")


def _check_function(step: Any) -> None:
    if step.func is not None or step.inverse_func is not None:
        raise ValueError(
            "A FunctionTransformer is stored only without a function: reading one runs code."
        )


def _check_pipeline(step: Any) -> None:
    if step.memory is not None:
        raise ValueError(
            "A Pipeline is stored only with memory=None: reading from such a folder runs code."
        )


def _check_tree(step: Any) -> None:
    """Hold the columns that rows are checked for against those that nodes ask for."""
    if not hasattr(step, "tree_"):
        return
    width = getattr(step, "n_features_in_", None)
    if type(width) is not int or getattr(step.tree_, "n_features", None) != width:
        raise _misfit(step)


def _check_neighbors(step: Any) -> None:
    """Raise unless rows are searched by a plain distance: compiled loops do not check sizes."""
    if not _searches(step):
        return
    plain = step.metric_params is None and step.metric in _METRICS
    if not plain:
        raise ValueError(
            f"A {type(step).__name__} is stored only with a plain distance: "
            f"{', '.join(_DISTANCES)}."
        )
    rows, width = step._fit_X, step.n_features_in_
    _check_search(step, rows)
    is_matrix = isinstance(rows, np.ndarray) or sparse.issparse(rows)
    sizes = is_matrix and rows.shape == (step.n_samples_fit_, width) and rows.dtype.kind == "f"
    counts = type(width) is int and 1 <= step.n_neighbors <= step.n_samples_fit_
    used = step.effective_metric_params_
    plain = step.effective_metric_ in _METRICS and used.keys() <= {"p", "w"}
    if not (sizes and counts and plain and used.get("w") is None and len(step._y) == rows.shape[0]):
        raise _misfit(step)
    if hasattr(step, "classes_"):
        _check_neighbor_classes(step)


def _check_search(step: Any, rows: Any) -> None:
    method, size = step._fit_method, step.leaf_size
    known = isinstance(method, str) and method in _TREES
    fits = known and (step._tree is None or type(step._tree).__name__ == _TREES[method])
    leaves = isinstance(size, Integral) and not isinstance(size, bool) and int(size) >= 1
    if not (fits and leaves) or (method != "brute" and not isinstance(rows, np.ndarray)):
        raise _misfit(step)


def _check_neighbor_classes(step: Any) -> None:
    """Votes are counted where labels say, without a look at how many classes there are."""
    several = step.outputs_2d_ is not False
    labels = np.asarray(step._y)
    if several or labels.ndim != 1 or not _counts_below(labels, len(step.classes_)):
        raise _misfit(step)


def _counts_below(values: NDArray[Any], end: int) -> bool:
    whole = values.dtype == np.intp and values.size > 0
    return bool(whole and values.min() >= 0 and values.max() < end)


def _check_one_hot(step: Any) -> None:
    """Columns are written where categories say, without a look at how many there are."""
    if not hasattr(step, "categories_"):
        return
    counts = [_count_groups(step, place) for place in range(len(step.categories_))]
    fitting = step.n_features_in_ == len(counts) and step._n_features_outs == counts
    if not (fitting and all(map(_in_order, step.categories_))):
        raise _misfit(step)


def _in_order(categories: Any) -> bool:
    """Whether numbers ascend, with NaN as the last; texts and the like are looked up one by one."""
    if not isinstance(categories, np.ndarray) or categories.ndim != 1:
        return False
    if categories.dtype.kind not in "biufc":
        return True
    values = categories[:-1] if categories.size and categories[-1] != categories[-1] else categories
    return all(low < high for low, high in pairwise(values.tolist()))


def _count_groups(step: Any, place: int) -> int:
    """Count the columns of a feature: of its groups, less one that is dropped."""
    count = len(step.categories_[place])
    if step._infrequent_enabled and step._infrequent_indices[place] is not None:
        groups = step._default_to_infrequent_mappings[place]
        rare = count - np.asarray(step._infrequent_indices[place]).size + 1
        if np.shape(groups) != (count,) or not _counts_below(np.asarray(groups), rare):
            raise _misfit(step)
        count = rare
    dropped = step._drop_idx_after_grouping
    if dropped is None or dropped[place] is None:
        return count
    if not 0 <= dropped[place] < count:
        raise _misfit(step)
    return count - 1


_WORDS = ("CountVectorizer", "HashingVectorizer", "TfidfVectorizer")
_PARTS: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "CalibratedClassifierCV": part_calibrated,
    "IsotonicRegression": part_isotonic,
    **dict.fromkeys(_WORDS, part_words),
}
_RESTORES: dict[str, Callable[[Any], None]] = {
    "CalibratedClassifierCV": restore_calibrated,
    "IsotonicRegression": restore_isotonic,
    **dict.fromkeys(_WORDS, restore_words),
}
CHECKS: dict[str, Callable[[Any], None]] = {
    "CalibratedClassifierCV": check_calibrated,
    "IsotonicRegression": check_isotonic,
    "TfidfTransformer": check_word_weights,
    "_SigmoidCalibration": check_curve,
    "_TemperatureScaling": check_curve,
    **dict.fromkeys(_WORDS, check_words),
    "DecisionTreeClassifier": _check_tree,
    "DecisionTreeRegressor": _check_tree,
    "FunctionTransformer": _check_function,
    "KNeighborsClassifier": _check_neighbors,
    "KNeighborsRegressor": _check_neighbors,
    "OneHotEncoder": _check_one_hot,
    "Pipeline": _check_pipeline,
}
