"""A fit forgets: twice, as a clone, after other data or a failed fit, every estimator with every
algorithm learns the same bits in all that it keeps."""

import dataclasses
import inspect
from enum import Enum

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning

CLOCKS = ("seconds", "_time", "_time_")  # how long something took is not what was learnt


def kept(value):
    """All that a fitted object holds, as plain values that are equal only if their bits are."""
    if isinstance(value, float):
        return value.hex()
    if isinstance(value, np.ndarray) and value.dtype != object:
        return value.dtype.str, value.shape, value.tobytes()
    if isinstance(value, dict):
        return {key: kept(each) for key, each in value.items() if not str(key).endswith(CLOCKS)}
    if isinstance(value, list | tuple):
        return [kept(each) for each in value]
    plain = value is None or isinstance(value, str | bytes | int | np.dtype | Enum | type)
    return value if plain or inspect.isroutine(value) else kept(value.__reduce_ex__(4))


@pytest.fixture
def others(data):
    """Fewer rows and columns, single precision and other classes; sparse rows, mirrored."""
    half = data.of(lambda a: a[::2])
    X = 10 * half.X[:, 1:].astype(np.float32)
    return [
        dataclasses.replace(half, X=X, labels=np.where(X[:, 0] > 0, 7, 3), weight=1 / half.weight),
        dataclasses.replace(data, X=sparse.csr_matrix(data.X[:, ::-1])),
    ]


def far(data):
    """Move all rows to where solvers see them less their mean."""
    return dataclasses.replace(data, X=data.X + 4.0)


@pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)
@pytest.mark.parametrize("moved", [lambda data: data, far], ids=["near", "far"])
def test_a_fit_does_not_remember(variant, data, others, moved):
    data = moved(data)
    model = data.learn(variant)
    expected = kept(model)
    assert kept(data.fit(model)) == expected
    assert kept(data.learn(model)) == expected
    for other in others:
        assert kept(other.fit(model)) != expected
        assert kept(data.fit(model)) == expected


@pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)
def test_a_failed_fit_leaves_nothing(variant, data):
    """Neither in a model nor in one that was not fitted yet."""
    unweighted = dataclasses.replace(data, weight=np.zeros_like(data.weight))
    model, fresh = data.learn(variant), clone(variant)
    expected = kept(model), kept(fresh)
    for each in (model, fresh):
        with pytest.raises(ValueError, match="weight"):
            unweighted.fit(each)
    assert (kept(model), kept(fresh)) == expected
    assert kept(data.fit(model)) == kept(data.fit(fresh)) == expected[0]
