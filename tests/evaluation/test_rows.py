import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression, Ridge

from maxmargin import SVC
from maxmargin.evaluation.rows import EvaluationRows, classifies, named, takes_kernel_matrix

LABELS = np.array([0, 1, 1])


def test_rows_are_taken_by_position():
    rows = EvaluationRows.of(np.eye(3), LABELS, sample_weight=[1.0, 2.0, 3.0])
    some = rows.take(np.array([2, 0]))
    assert some.y.tolist() == [1, 0]
    assert some.weight.tolist() == [3.0, 1.0]
    assert some.index.tolist() == [2, 0]


def test_of_a_kernel_matrix_columns_are_taken_too():
    K = np.arange(9.0).reshape(3, 3)
    train, other = EvaluationRows.of(K, LABELS).part(np.array([0, 2]), np.array([1]), True)
    assert train.X.tolist() == [[0.0, 2.0], [6.0, 8.0]]
    assert other.X.tolist() == [[3.0, 5.0]]
    assert takes_kernel_matrix(SVC(kernel="precomputed"))
    assert not takes_kernel_matrix(SVC())


def test_models_have_names():
    assert list(named(SVC())) == ["SVC"]
    assert list(named([SVC(), Ridge()])) == ["SVC", "Ridge"]
    with pytest.raises(ValueError, match="Two models are called 'SVC'"):
        named([SVC(), SVC()])


def test_classifiers_and_regressors_do_not_mix():
    assert classifies({"a": LogisticRegression()}, LABELS)
    assert not classifies({"a": Ridge()}, LABELS)
    with pytest.raises(ValueError, match=r"."):
        classifies({"a": LogisticRegression(), "b": Ridge()}, LABELS)
