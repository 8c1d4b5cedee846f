from datetime import date, datetime

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import BaseEstimator

from maxmargin.tabular.columns import read_columns

ROWS = [[1, "a", True], [2.5, "b", False], [None, None, None]]


def read(X):
    return read_columns(BaseEstimator(), X, reset=True)


def frame_of(kind):
    numbers, words, flags = zip(*ROWS, strict=True)
    if kind == "pandas":
        table = pd.DataFrame({"n": numbers, "w": words, "f": flags}, index=[7, 7, 1])
        return table.astype({"f": "boolean", "w": "category"})
    if kind == "polars":
        return pl.DataFrame({"n": [1.0, 2.5, None], "w": words, "f": flags})
    return ROWS if kind == "list" else np.array(ROWS, dtype=object)


@pytest.mark.parametrize("kind", ["pandas", "polars", "list", "objects"])
def test_containers_are_read_alike(kind):
    numbers, words, flags = read(frame_of(kind))
    np.testing.assert_array_equal(numbers, [1.0, 2.5, np.nan])
    assert words.tolist() == ["a", "b", None]
    np.testing.assert_array_equal(flags, [1.0, 0.0, np.nan])


def test_dates_of_any_type():
    days = [date(2024, 1, 2), date(2024, 3, 4), None]
    expected = np.array(["2024-01-02", "2024-03-04", "NaT"], dtype="datetime64[us]")
    given = [
        pd.DataFrame({"d": pd.to_datetime(pd.Series(days))}),
        pl.DataFrame({"d": days}),
        np.array([[d] for d in days], dtype=object),
        pl.DataFrame({"d": [datetime(2024, 1, 2), datetime(2024, 3, 4), None]}),
    ]
    for X in given:
        np.testing.assert_array_equal(read(X)[0], expected)


def test_sparse_rows_are_read_as_dense():
    X = np.array([[0.0, 1.0], [2.0, 0.0]])
    for column, dense in zip(read(sparse.csr_matrix(X)), X.T, strict=True):
        np.testing.assert_array_equal(column, dense)


def test_columns_of_another_fit_are_refused():
    model = BaseEstimator()
    read_columns(model, pd.DataFrame({"a": [1.0], "b": [2.0]}), reset=True)
    for other in ({"b": [1.0], "a": [2.0]}, {"a": [1.0], "c": [1.0]}, {"a": [1.0]}):
        with pytest.raises(ValueError, match="feature names"):
            read_columns(model, pd.DataFrame(other), reset=False)
    plain = BaseEstimator()
    read_columns(plain, np.ones((2, 2)), reset=True)
    with pytest.raises(ValueError, match="expecting 2 features as input"):
        read_columns(plain, np.ones((2, 3)), reset=False)


@pytest.mark.parametrize("X", [np.zeros((0, 2)), np.zeros((2, 0)), np.ones(3), 1.0])
def test_no_table(X):
    with pytest.raises(ValueError):  # noqa: PT011  (scikit-learn's own sentences)
        read(X)


def test_values_of_no_use_are_named():
    with pytest.raises(TypeError, match="got dict among the values"):
        read(np.array([[{}], ["a"]], dtype=object))
