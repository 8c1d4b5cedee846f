import joblib
import numpy as np
import pytest
from sklearn.model_selection import GridSearchCV, cross_val_score

import maxmargin
from maxmargin import SVC, datasets

X, y = datasets.load_mixture(return_X_y=True)
GRID = {"C": [0.1, 1.0, 10.0]}


def test_a_grid_search_on_the_cluster_finds_what_it_finds_here(client):
    here = GridSearchCV(SVC(), GRID, cv=3).fit(X, y)
    with joblib.parallel_config("dask", scatter=[X, y]):
        there = GridSearchCV(SVC(), GRID, cv=3).fit(X, y)
        scores = cross_val_score(SVC(), X, y, cv=3)
    assert np.array_equal(there.cv_results_["mean_test_score"], here.cv_results_["mean_test_score"])
    assert np.array_equal(scores, cross_val_score(SVC(), X, y, cv=3))


@pytest.mark.sweep
def test_a_search_of_ours_runs_as_one_task(client):
    search = maxmargin.SVCCV(cv=3)
    there = client.submit(_fit, search, X, y, pure=False).result(timeout=100)
    assert there == _fit(search, X, y)


def _fit(search, X, y):
    found = search.fit(X, y)
    return found.best_params_, found.predict(X).tolist()
