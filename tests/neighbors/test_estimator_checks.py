import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.utils.estimator_checks import check_estimator

from maxmargin import neighbors

# Of each class the plain one, and of searches over columns the shorter.
MODELS = [
    neighbors.CondensedNeighbors(),
    neighbors.EditedNeighbors(),
    neighbors.KNeighborsClassifierCV(),
    neighbors.KNeighborsRegressorCV(),
    neighbors.LSHNeighborsTransformer(random_state=0),
    neighbors.MixedNeighborsClassifier(),
    neighbors.MixedNeighborsRegressor(),
    neighbors.MixedNeighborsClassifier(selection="eliminate"),
]


@pytest.mark.parametrize("model", MODELS, ids=repr)
def test_scikit_learns_checks(model):
    results = check_estimator(model, on_skip=None)
    skipped = {each["check_name"] for each in results if each["status"] == "skipped"}
    assert skipped <= {"check_array_api_input"}


ORDER = np.random.default_rng(1).permutation(60)
CONTAINERS = {
    "list": lambda a: a.tolist(),
    "pandas, shuffled": lambda a: (pd.DataFrame if a.ndim == 2 else pd.Series)(a, index=ORDER),
    "polars": lambda a: pl.DataFrame(a) if a.ndim == 2 else pl.Series(a.tolist()),
    "columns first": np.asfortranarray,
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
}


PREDICT = [model for model in MODELS[:-1] if hasattr(model, "predict")]


@pytest.mark.parametrize("model", PREDICT, ids=repr)
def test_containers(model):
    """As they come, and read only."""
    rng = np.random.default_rng(0)
    X = np.round(rng.normal(size=(60, 4)), 1)
    y = (X[:, 0] > 0).astype(float)
    X.flags.writeable = y.flags.writeable = False
    expected = model.fit(X, y).predict(X)
    for make in CONTAINERS.values():
        rows = make(X)
        np.testing.assert_array_equal(model.fit(rows, make(y)).predict(rows), expected)
