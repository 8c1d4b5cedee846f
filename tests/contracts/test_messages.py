"""A wrong value gets one sentence: what is wrong, where, and what is allowed.

Every parameter of every estimator is given what it cannot be; then come the sentences for data,
kernels and targets that once misled.
"""

import dataclasses
import re

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import SVC, AdaBoostClassifier, BoostingRegressor, LinearClassifier, LinearSVC
from maxmargin.certify import Status
from maxmargin.kernels import RBF, FromFunction, Linear, check
from maxmargin.tabular.table_model import TableModel

X = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [1.0, 3.0]])
Y = np.array([0, 0, 1, 1])
TABLE = pd.DataFrame(X, columns=["c0", "c1"])
WRONG = [object(), "nonsense", np.nan, np.array([1.0, 2.0]), -7.5]
SIGNED = {"coef0"}  # for which -7.5 is as good as any number
SEVERAL = {"Cs", "gammas"}  # which may be numbers to try


def test_every_parameter_is_named_where_it_is_wrong(model, data):
    params, given = model.get_params(deep=False), data.beside(model)
    for name in params:
        for value in WRONG[: -1 if name in SIGNED else None]:
            if name in SEVERAL and isinstance(value, np.ndarray):
                continue
            wrong = type(model)(**params | {name: value})
            with pytest.raises((ValueError, TypeError)) as caught:
                wrong.fit(data.X, data.y(model), **given)
            sentence = str(caught.value)
            assert name in sentence
            assert "\n" not in sentence
            assert re.search(
                "must be|choose one of|is a name or|give it to|are for stumps", sentence
            )


PARAMETERS = {
    "class_weight": (
        SVC(class_weight="bal"),
        "one of 'balanced', a dict of factors by class, or N",
    ),
    "class_weight of boosting": (AdaBoostClassifier(class_weight="bal"), "of AdaBoost.*'balanced'"),
    "factor": (LinearSVC(class_weight={0: "a"}), "class_weight must give a number for each class"),
    "gamma": (SVC(gamma="wide"), "a number at least 0, 'scale' or 'auto'. Got 'wide'"),
    "negative gamma": (SVC(gamma=-1), "at least 0, 'scale' or 'auto'. Got -1"),
    "kernel": (SVC(kernel="gauss"), "one of 'linear', 'poly', 'rbf', .*, a Kernel or a function"),
    "class of kernels": (SVC(kernel=RBF), "'kernel' parameter of SVC must be .* a Kernel"),
    "a number beyond all": (SVC(C=10**400), "'C' parameter of SVC must be a number greater than 0"),
    "loss": (LinearClassifier("log"), "no loss named 'log': choose one of 'zero_one', 'hinge'"),
}


@pytest.mark.parametrize("name", PARAMETERS)
def test_parameters(name):
    model, sentence = PARAMETERS[name]
    with pytest.raises(ValueError, match=sentence):
        model.fit(X, Y)


def test_dates(model, data):
    """Of a table, of either kind, and of an array."""
    days = pd.date_range("2024-01-01", periods=60)
    table = pd.DataFrame(data.X).rename(columns=str).assign(day=days)
    for rows in (table, pl.from_pandas(table), table[["day"]].to_numpy()):
        given = dataclasses.replace(data, X=rows)
        if isinstance(model, TableModel):  # which reads them as numbers
            assert "days as a number" in str(given.learn(model).preparation_)
            continue
        with pytest.raises(ValueError, match=r"('day'|0|X).* holds dates or times.*numbers"):
            given.learn(model)


def nan_at_two(a, b):
    return np.nan if a[0] == b[0] == 2 else float(a @ b)


DATA = {
    "a function's NaN": (
        SVC(kernel=FromFunction(nan_at_two)),
        X,
        r"kernel function nan_at_two gave NaN for array\(\[2., 1.\]\) and array\(\[2., 1.\]\)",
    ),
    "no such column": (SVC(kernel=Linear().restrict(["c7"])), TABLE, "no column 'c7'; it has 'c0'"),
    "no names": (SVC(kernel=Linear().restrict(["c0"])), X, "X is without names; give a DataFrame"),
}


@pytest.mark.parametrize("name", DATA)
def test_data(name):
    model, rows, sentence = DATA[name]
    with pytest.raises(ValueError, match=sentence):
        model.fit(rows, Y)


@pytest.mark.parametrize("frame", [TABLE, pl.from_pandas(TABLE)])
def test_columns_are_found_by_name(frame):
    named = SVC(kernel=Linear().restrict(["c0"])).fit(frame, Y)
    numbered = SVC(kernel=Linear().restrict([0])).fit(X, Y)
    np.testing.assert_array_equal(named.decision_function(frame), numbered.decision_function(X))


def test_weights_that_are_words(model, data):
    with pytest.raises(ValueError, match="sample_weight must be numbers, one for each row"):
        dataclasses.replace(data, weight=["a"] * 60).learn(model)


def test_targets_whose_squares_vanish():
    with pytest.raises(ValueError, match=r"its squares vanish .* multiply the targets"):
        BoostingRegressor().fit(X, 1e-170 * np.arange(4))


def test_a_kernel_may_be_checked_by_name():
    assert check("rbf", X).psd
    with pytest.raises(ValueError, match="one of the names 'linear', 'poly', 'rbf'"):
        check("gauss", X)


def test_an_asymmetric_function_is_told():
    with pytest.warns(
        ConvergenceWarning, match=r"not symmetric: rows \d and \d have another value"
    ):
        SVC(kernel=FromFunction(lambda a, b: float(a[0] - b[1]))).fit(X, Y)


def test_ignored_numbers_are_told():
    with pytest.warns(UserWarning, match=r"SVC ignores gamma=5: kernel=RBF\(gamma=1\) has its own"):
        SVC(kernel=RBF(1), gamma=5).fit(X, Y)


def test_scale_works_inside_sums():
    rate = 1.0 / (2 * X.var())
    models = [SVC(kernel=RBF(gamma=g) + Linear()).fit(X, Y) for g in ("scale", rate)]
    np.testing.assert_array_equal(*(m.decision_function(X) for m in models))


def test_no_status_of_a_linear_model_speaks_of_kernels():
    sentences = [status.sentence for status in Status if status is not Status.NOT_CONVEX]
    assert [sentence for sentence in sentences if "kernel" in sentence] == []
