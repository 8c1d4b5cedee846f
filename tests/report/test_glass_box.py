"""The page of a glass box: every term, every row asked for, nothing from elsewhere."""

import re

import numpy as np
import pytest
from sklearn.base import is_classifier

from maxmargin import GlassBoxClassifier, GlassBoxRegressor
from maxmargin.report import GlassBoxReport

RNG = np.random.default_rng(0)
X = np.round(RNG.uniform(-1, 1, size=(200, 3)), 1)
VALUE = X[:, 0] + X[:, 1] * X[:, 2]


@pytest.mark.parametrize(
    "model",
    [
        GlassBoxRegressor(n_estimators=20, n_bags=2, pairs=1),
        GlassBoxClassifier(n_estimators=20, n_bags=2, pairs=1),
    ],
    ids=["quantity", "three classes"],
)
def test_all_terms_and_rows_are_shown(model, tmp_path):
    model.fit(X, np.sign(VALUE) if is_classifier(model) else VALUE)
    GlassBoxReport(model, X[:3]).save(tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    for name in model.term_names_:
        assert f"What {name} adds" in page
    assert "<image" not in page  # the page's own policy would block it
    assert page.count("<summary>Row ") == 3
    assert page.index(f"What {model.terms_[0].name} adds") < page.index(
        f"What {model.terms_[1].name} adds"
    )


def test_nothing_is_fetched_and_no_script_runs():
    model = GlassBoxRegressor(n_estimators=5, n_bags=2, pairs="none").fit(X, VALUE)
    page = GlassBoxReport(model).render()
    assert "<script" not in page
    assert "Pick a row" not in page
    assert not re.search(r'(?:src|href)="https?:', page)
