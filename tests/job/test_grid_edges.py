"""Grids that go on where their best value lies at an edge."""

import numpy as np
import pytest
from sklearn.linear_model import Ridge
from sklearn.model_selection import GridSearchCV, KFold

from maxmargin import SVCCV
from maxmargin.job.grid_edges import axes_of, beyond, search_on


@pytest.mark.parametrize(
    ("axes", "best", "expected"),
    [
        ({"C": [0.1, 1.0]}, {"C": 1.0}, {"C": [1.0, 10.0, 100.0]}),
        ({"C": [0.1, 1.0, 10.0]}, {"C": 1.0}, {}),
        ({"C": [1.0]}, {"C": 1.0}, {}),  # no grid
        ({"alpha": [1e5, 1e6]}, {"alpha": 1e6}, {"alpha": [1e6, 1e7]}),  # up to the end
        ({"n_neighbors": [1, 5]}, {"n_neighbors": 5}, {}),  # not a parameter that goes on
        (
            {"model__C": [1.0, 10.0, 100.0, 1000.0], "gamma": [1.0, 2.0]},
            {"model__C": 10.0, "gamma": 2.0},
            {"model__C": [1.0, 10.0, 100.0], "gamma": [2.0, 4.0, 8.0]},
        ),
    ],
)
def test_what_lies_beyond(axes, best, expected):
    assert beyond(axes, best) == expected


def line(n=60):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, 3))
    return X, X @ [1.0, 2.0, 3.0] + rng.normal(scale=0.01, size=n)


def test_a_search_goes_on_until_the_best_lies_inside():
    X, y = line()
    grid = {"alpha": [100.0, 1000.0]}
    found = search_on(GridSearchCV(Ridge(), grid, cv=KFold(3)), X, y)
    assert found.best_params_["alpha"] < 100.0
    tried = [each["alpha"] for each in found.cv_results_["params"]]
    assert tried[:2] == [100.0, 1000.0]
    assert len(set(tried)) == len(tried) == len(found.cv_results_["mean_test_score"])
    best = tried[int(np.argmax(found.cv_results_["mean_test_score"]))]
    assert best == found.best_params_["alpha"]


def test_a_search_of_kernel_machines_goes_on_too():
    rng = np.random.default_rng(1)
    X = rng.uniform(size=(200, 2))
    y = np.floor(6 * X[:, 0]) % 2
    search = SVCCV(Cs=[10.0, 100.0], gammas=[1.0, 3.0], cv=3)
    assert axes_of(search) == {"C": [10.0, 100.0], "gamma": [1.0, 3.0]}
    found = search_on(search, X, y)
    assert found.best_params_["gamma"] > 3.0
    assert found.best_estimator_.score(X, y) > 0.9
