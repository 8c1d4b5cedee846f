"""Every booster learns the same bits from every container of the same rows, and from every fit.

Rows are taken by position, whatever labels a container gives them.
"""

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator, clone
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin import boosting

N = 90
RNG = np.random.default_rng(0)
X = np.round(RNG.normal(size=(N, 4)), 1)
X[RNG.random(X.shape) < 0.4] = 0.0
TASTE = X[:, 0] + np.abs(X[:, 1]) + 0.5 * RNG.normal(size=N)
LABELS = np.where(TASTE > 0.7, "yes", "no")
WEIGHT = RNG.uniform(0.5, 2.0, size=N)
QUERY = RNG.integers(0, 6, size=N)
INDEX = RNG.permutation(N)

OPTIONS = [{}, {"n_iter_no_change": 4}, {"resample": True}, {"warm_start": True}]
SHORT = {"n_estimators": 6, "random_state": 0}


TREES = [
    boosting.AdaBoostClassifier(DecisionTreeClassifier(max_depth=2), **SHORT),
    boosting.BaggingClassifier(DecisionTreeClassifier(max_depth=2), **SHORT),
    boosting.BoostingRegressor(estimator=DecisionTreeRegressor(max_depth=2), **SHORT),
]


def estimators():
    """Every estimator of the room that can be fitted as it is, with the options that it takes."""
    for name in boosting.__all__:
        kind = getattr(boosting, name)
        if inspect.isclass(kind) and issubclass(kind, BaseEstimator):
            taken = kind().get_params()
            short = {key: value for key, value in SHORT.items() if key in taken}
            for option in OPTIONS:
                if set(option) <= set(taken):
                    yield pytest.param(kind(**short, **option), id=f"{name}-{option}")


every_estimator = pytest.mark.parametrize("model", [*estimators(), *TREES])
every_estimator_of_stumps = pytest.mark.parametrize("model", list(estimators()))


def targets(model):
    return LABELS if hasattr(model, "predict_proba") else TASTE


def refit(model, rows, y, weight=WEIGHT, query=QUERY):
    given = {"qid": query} if "qid" in inspect.signature(model.fit).parameters else {}
    return model.fit(rows, y, sample_weight=weight, **given)


def fit(model, *given):
    return refit(clone(model), *given)


def said(model, rows=X):
    ask = model.predict_proba if hasattr(model, "predict_proba") else model.predict
    return np.asarray(ask(rows))


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def strided(a):
    return np.repeat(a, 2, axis=0)[::2]


def mapped(a, folder):
    place = folder / f"{len(list(folder.iterdir()))}.npy"
    np.save(place, a)
    return np.load(place, mmap_mode="r")


TABLES = {
    "list": lambda a: a.tolist(),
    "tuple": lambda a: tuple(map(tuple, a.tolist())),
    "pandas, shuffled index": lambda a: pd.DataFrame(a, index=INDEX),
    "pandas of columns": lambda a: pd.DataFrame({f"x{j}": a[:, j] for j in range(4)}, index=INDEX),
    "polars": pl.DataFrame,
    "objects": lambda a: a.astype(object),
    "read only": read_only,
    "columns first": np.asfortranarray,
    "every other row and column": lambda a: np.repeat(strided(a), 2, axis=1)[:, ::2],
    "backwards": lambda a: a[::-1, ::-1].copy()[::-1, ::-1],
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
    "csr": sparse.csr_matrix,
    "csc": sparse.csc_array,
    "coo": sparse.coo_array,
}
COLUMNS = {
    "list": lambda a: a.tolist(),
    "tuple": lambda a: tuple(a.tolist()),
    "series, shuffled index": lambda a: pd.Series(a, index=INDEX),
    "polars": lambda a: pl.Series(a.tolist()),
    "objects": lambda a: a.astype(object),
    "read only": read_only,
    "every other": strided,
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
}


@every_estimator
def test_tables(model, tmp_path):
    expected = said(fit(model, X, targets(model)))
    for make in [*TABLES.values(), lambda a: mapped(a, tmp_path)]:
        rows = make(X)
        np.testing.assert_array_equal(said(fit(model, rows, targets(model)), rows), expected)


@every_estimator
def test_targets_weights_and_queries(model, tmp_path):
    y = targets(model)
    expected = said(fit(model, X, y))
    for make in [*COLUMNS.values(), lambda a: mapped(a, tmp_path)]:
        given = make(y) if make is not COLUMNS["objects"] or y is LABELS else y
        again = fit(model, X, given, make(WEIGHT), make(QUERY))
        np.testing.assert_array_equal(said(again), expected)


@every_estimator
def test_a_fit_does_not_remember(model):
    """Twice, after other data, and as a clone of a fitted model: the same bits."""
    model = clone(model)
    if "warm_start" in model.get_params():
        model.set_params(warm_start=False)
    y = targets(model)
    expected = said(refit(model, X, y))
    np.testing.assert_array_equal(said(fit(model, X, y)), expected)
    np.testing.assert_array_equal(said(refit(model, X, y)), expected)
    refit(model, 10.0 * X[::2, :3], y[::2], 1.0 / WEIGHT[::2], QUERY[::2])
    np.testing.assert_array_equal(said(refit(model, X, y)), expected)


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
@every_estimator_of_stumps
def test_categories(model, frame):
    """Texts in a table of either kind are what their codes are in an array."""
    if "categorical_features" not in model.get_params():
        model = clone(model).set_params(estimator=boosting.DecisionStump())
    code = np.digitize(X[:, 0], [-0.5, 0.2, 1.0])
    words = np.array(["ant", "bee", "cat", "dog"])[code]
    table = frame({"animal": words, "size": X[:, 1]})
    own = "categorical_features" in model.get_params()
    numbered = clone(model).set_params(
        **{"categorical_features" if own else "estimator__categorical_features": [0]}
    )
    y, codes = targets(model), np.column_stack([code, X[:, 1]])
    expected = said(fit(numbered, codes, y), codes)
    np.testing.assert_array_equal(said(fit(model, table, y), table), expected)
