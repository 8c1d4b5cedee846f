"""Kernel values given to SVC."""

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.model_selection import cross_val_score

from maxmargin import SVC
from maxmargin.datasets import load_mixture
from maxmargin.kernels import RBF, Linear, Precomputed

X, y = load_mixture(return_X_y=True)


def test_a_fitted_model_keeps_its_kernel_when_the_parameter_changes():
    model = SVC(kernel=RBF(gamma=1.0) + Linear()).fit(X, y)
    before = model.decision_function(X)
    model.set_params(kernel__left__gamma=50.0)
    np.testing.assert_array_equal(model.decision_function(X), before)
    assert not np.allclose(clone(model).fit(X, y).decision_function(X), before)


def test_the_value_precomputed_is_the_name_precomputed():
    K = RBF(gamma=1.0)(X)
    value, name = (SVC(kernel=kernel).fit(K, y) for kernel in (Precomputed(), "precomputed"))
    np.testing.assert_array_equal(value.decision_function(K), name.decision_function(K))
    scores = [cross_val_score(SVC(kernel=k), K, y) for k in (Precomputed(), "precomputed")]
    np.testing.assert_array_equal(*scores)
    with pytest.raises(ValueError, match="must be a square matrix"):
        SVC(kernel=Precomputed()).fit(K[:, :50], y)
