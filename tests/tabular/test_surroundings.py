"""Kernel machines for tables among other tools, and tables that change after the fit."""

import numpy as np
import pandas as pd
import pytest
from sklearn import config_context
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from maxmargin import TableSVC, TableSVR
from maxmargin.ops.clock import TimeUp
from maxmargin.tabular import preparation

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "size": RNG.normal(size=80),
        "colour": RNG.choice(["red", "blue"], 80),
        "name": [f"item {i} of {RNG.choice(['old stock', 'new stock'])}" for i in range(80)],
    }
)
VALUE = FRAME["size"] + (FRAME["colour"] == "red")
LABEL = np.where(VALUE > 0.5, "yes", "no")
NUMBERS = FRAME[["size"]].assign(other=RNG.normal(size=80))


class Arrow:
    """What a table of Arrow offers, as far as it is used."""

    def __init__(self, frame):
        self.column_names = list(frame)
        self.columns = [Listed(frame[name]) for name in frame]
        self.shape = frame.shape

    def column(self, j):
        return self.columns[j]


class Listed:
    def __init__(self, values):
        self._values = values

    def to_pylist(self):
        return self._values.tolist()


def test_a_table_of_arrow_is_read_like_a_frame():
    one, other = (TableSVC().fit(X, LABEL) for X in (FRAME, Arrow(FRAME)))
    values = other.decision_function(Arrow(FRAME))
    np.testing.assert_array_equal(values, one.decision_function(FRAME))


def test_weights_are_routed():
    weight = np.where(np.arange(80) % 2 == 0, 1.0, 0.0)
    with config_context(enable_metadata_routing=True):
        model = TableSVC().set_fit_request(sample_weight=True).set_score_request(sample_weight=True)
        found = cross_validate(
            model, NUMBERS, LABEL, params={"sample_weight": weight}, cv=2, return_estimator=True,
            return_indices=True,
        )  # fmt: skip
    for each, rows in zip(found["estimator"], found["indices"]["train"], strict=True):
        assert len(each.support_) == (rows % 2 == 0).sum()


def test_frames_that_a_pipeline_makes_keep_their_names():
    scaler = StandardScaler().set_output(transform="pandas")
    model = make_pipeline(scaler, TableSVC()).fit(NUMBERS, LABEL)
    assert str(model[-1].preparation_).startswith("size")
    assert model.score(NUMBERS, LABEL) > 0.6


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        (lambda X: X[["colour", "size", "name"]], "must be in the same order"),
        (lambda X: X.drop(columns="colour"), "seen at fit time, yet now missing"),
        (lambda X: X.assign(more=1.0), "unseen at fit time"),
    ],
)
def test_columns_that_are_others_now(change, sentence):
    model = TableSVC().fit(FRAME, LABEL)
    with pytest.raises(ValueError, match=sentence):
        model.predict(change(FRAME))


def test_a_quantity_of_one_value_is_predicted():
    model = TableSVR().fit(FRAME, np.full(80, 3.5))
    np.testing.assert_allclose(model.predict(FRAME), 3.5)


def test_time_is_up_before_texts_are_read():
    with pytest.warns(ConvergenceWarning, match="time_limit was reached"):
        model = TableSVC(time_limit=1e-9).fit(FRAME, LABEL)
    assert "name    dropped: time was up before its texts were read" in str(model.preparation_)
    assert np.isfinite(model.decision_function(FRAME)).all()


def test_time_is_up_while_texts_are_read(monkeypatch):
    def too_late(*_):
        raise TimeUp

    monkeypatch.setattr(preparation, "read_shape", too_late)
    model = TableSVC().fit(FRAME, LABEL)
    assert "name    dropped: time was up before its length was read" in str(model.preparation_)
    assert np.isfinite(model.decision_function(FRAME)).all()
