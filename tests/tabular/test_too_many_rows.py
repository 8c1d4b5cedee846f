"""What becomes of a table whose rows cannot even be prepared within the time limit."""

import numpy as np
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin import TableOneClass, TableSVC, TableSVR
from maxmargin.tabular.distinct import Distinct
from maxmargin.tabular.preparation import Preparation, TooManyRows
from maxmargin.tabular.search import MOST_SEARCHED

RNG = np.random.default_rng(0)
ROWS = 2 * MOST_SEARCHED
X = RNG.normal(size=(ROWS, 3))
LABEL = np.where(np.arange(ROWS) % 100 == 0, "rare", np.where(X[:, 0] > 0, "a", "b"))


def test_preparing_stops_where_it_is_told_to():
    columns, asked = [X[:, 0].copy(), X[:, 1].copy()], []
    with pytest.raises(TooManyRows):
        Preparation.learn(columns, ["x", "z"], X[:, :1], stop=lambda: asked.append(1) or True)
    assert len(asked) == 1
    _, rows = Preparation.learn(columns, ["x", "z"], X[:, :1], stop=lambda: False)
    assert len(rows.X) == ROWS


def test_a_sample_holds_every_class_in_proportion_and_keeps_weights():
    found = Distinct(np.arange(ROWS)[::-1], RNG.random(ROWS))
    some = found.sample(1000, LABEL, 0)
    assert len(np.unique(some.rows)) == len(some.rows) == 1000
    counts = {label: (LABEL[some.rows] == label).sum() for label in ("a", "b", "rare")}
    assert counts["rare"] == 10
    assert abs(counts["a"] - 1000 * (LABEL == "a").mean()) <= 1
    np.testing.assert_array_equal(some.weight, found.weight[::-1][some.rows])


@pytest.mark.parametrize(("model", "y"), [(TableSVC(), LABEL), (TableSVR(), X[:, 0])])
def test_a_fit_without_time_learns_from_a_sample(model, y):
    with pytest.warns(ConvergenceWarning, match="time_limit"):
        model.set_params(time_limit=1e-9).fit(X, y)
    assert model.stop_.name == "TIME_LIMIT"
    assert len(model.support_) <= MOST_SEARCHED
    assert model.support_.max() > MOST_SEARCHED
    assert model.score(X, y) > 0.5


def test_outliers_are_found_in_a_sample_too():
    model = TableOneClass(time_limit=1e-9)
    with pytest.warns(ConvergenceWarning):
        model.fit(X)
    assert model.stop_.name == "TIME_LIMIT"
    assert model.support_.max() > MOST_SEARCHED
    inside, outside = model.decision_function([[0.0, 0.0, 0.0], [9.0, 9.0, 9.0]])
    assert inside > outside
