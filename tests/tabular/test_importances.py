"""How much a table's columns are needed."""

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import make_friedman1
from sklearn.inspection import permutation_importance
from sklearn.metrics import log_loss

from maxmargin import TableSVC, TableSVR


def table(n=120):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "noise": rng.normal(size=n),
            "word": rng.choice(["a", "b", "c", "d"], n),
            "same": 1.0,
            "when": pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 365, n), "D"),
            "size": np.where(rng.random(n) < 0.1, np.nan, rng.normal(size=n)),
        }
    )
    y = np.where(frame["word"].isin(["a", "b"]) | (frame["when"].dt.month < 4), "yes", "no")
    return frame, y


def test_what_decides_matters_and_what_was_dropped_does_not():
    frame, y = table()
    model = TableSVC().fit(frame[:80], y[:80])
    found = model.importances(frame[80:], y[80:])
    assert found.names == tuple(frame.columns)
    assert {found.names[j] for j in found.order[:2]} == {"word", "when"}
    assert found.mean[0] == pytest.approx(0.0, abs=0.05)
    assert found.mean[2] == found.spread[2] == 0.0
    assert found.falls.shape == (5, 5)
    assert found.score == model.score(frame[80:], y[80:])
    lines = str(found).split("\n")
    assert lines[0].startswith("accuracy ")
    assert lines[2].split()[0] in {"word", "when"}
    assert list(pd.DataFrame(found.columns()).columns) == ["column", "mean fall", "spread"]


def test_it_is_what_dealing_the_table_itself_gives():
    """Prepared columns move as the table's do: scikit-learn's figures, to the last bit."""
    X, y = make_friedman1(120, random_state=0)
    frame = pd.DataFrame(X[:, :6], columns=list("abcdef"))
    model = TableSVR().fit(frame[:80], y[:80])
    found = model.importances(frame[80:], y[80:], 3)
    again = model.importances(frame[80:], y[80:], 3)
    np.testing.assert_array_equal(found.falls, again.falls)
    order = np.random.default_rng(0).permutation(40)
    dealt = frame[80:].reset_index(drop=True)
    dealt["d"] = dealt["d"].to_numpy()[order]
    assert found.falls[3, 0] == model.score(frame[80:], y[80:]) - model.score(dealt, y[80:])
    theirs = permutation_importance(model, frame[80:], y[80:], n_repeats=3, random_state=0)
    np.testing.assert_allclose(found.mean, theirs.importances_mean, atol=0.25)


def test_other_scores_and_weights():
    frame, y = table()
    model = TableSVC().fit(frame, y)
    found = model.importances(frame, y, 1, scoring="neg_log_loss")
    assert found.score == pytest.approx(-log_loss(y, model.predict_proba(frame)))
    weight = np.ones(len(y))
    weight[60:] = 0.0
    some = model.importances(frame, y, 1, scoring="neg_log_loss", sample_weight=weight)
    assert some.score == pytest.approx(-log_loss(y[:60], model.predict_proba(frame[:60])))
    mine = model.importances(frame, y, 1, scoring=lambda m, X, t: float((m.predict(X) == t).sum()))
    assert mine.score == 120 * model.score(frame, y)


def test_ctrl_c_ends_it_and_the_model_stays():
    frame, y = table()
    model = TableSVC().fit(frame, y)
    asked = []

    def score(model, X, y):
        asked.append(len(y))
        if len(asked) == 3:
            raise KeyboardInterrupt
        return 0.0

    with pytest.raises(KeyboardInterrupt):
        model.importances(frame, y, scoring=score)
    assert len(asked) == 3
    assert model.score(frame, y) > 0.9


@pytest.mark.parametrize(("repeats", "rows"), [(0, 40), (1.5, 40), (2, 39)])
def test_bad_input(repeats, rows):
    frame, y = table(40)
    model = TableSVC().fit(frame, y)
    with pytest.raises(ValueError, match=r"repeats must be a whole number|inconsistent numbers"):
        model.importances(frame, y[:rows], repeats)
