"""Data and kernels on which our SVC is held against LIBSVM."""

import numpy as np
import pytest
from sklearn.datasets import make_classification
from sklearn.preprocessing import StandardScaler


def make(classes, n=150, seed=0):
    X, y = make_classification(
        n,
        6,
        n_informative=5,
        n_redundant=0,
        n_classes=classes,
        n_clusters_per_class=1,
        class_sep=0.7,
        random_state=seed,
    )
    return StandardScaler().fit_transform(X), y


@pytest.fixture(params=[2, 3, 5], ids=["binary", "three", "five"])
def data(request):
    return make(request.param)


@pytest.fixture
def binary():
    return make(2)


@pytest.fixture
def five():
    return make(5)


@pytest.fixture
def new():
    return np.random.default_rng(9).normal(size=(40, 6))
