"""Every fitted estimator, with every algorithm, comes back from a file to the last bit."""

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import get_tags

from maxmargin.storage import load_model, save_model


def answers(model, X):
    names = "predict", "decision_function", "predict_proba"
    return [np.asarray(getattr(model, name)(X)) for name in names if hasattr(model, name)]


def assert_same_bits(model, X, folder):
    save_model(folder / "model", model)
    again = load_model(folder / "model").value
    assert type(again) is type(model)
    assert vars(again).keys() == vars(model).keys()
    for one, other in zip(answers(again, X), answers(model, X), strict=True):
        assert (one.dtype, one.shape, one.tolist()) == (other.dtype, other.shape, other.tolist())
        assert one.dtype.hasobject or one.tobytes() == other.tobytes()


@pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)
def test_a_fitted_model_comes_back(variant, data, tmp_path):
    assert_same_bits(data.learn(variant), data.X, tmp_path)


@pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)
@pytest.mark.parametrize("kind", [np.float32, sparse.csr_matrix, sparse.csc_array])
def test_a_model_of_other_rows_comes_back(model, kind, data, tmp_path):
    if kind is not np.float32 and not get_tags(model).input_tags.sparse:
        kind = np.asfortranarray
    X = kind(data.X)
    model = clone(model).fit(X, data.y(model), **data.beside(model))
    assert_same_bits(model, X, tmp_path)
