"""Results are tables for pandas, polars and notebooks."""

import numpy as np
import pandas as pd
import polars as pl
import pytest

from maxmargin import SVC, AdaBoostClassifier
from maxmargin.datasets import load_mixture
from maxmargin.evaluation import compare, evaluate, nested, select
from maxmargin.storage import from_plain, to_plain

X, Y = load_mixture(return_X_y=True)
MODELS = {"radial": SVC(gamma=1.0), "a <b> c": SVC(gamma=0.01)}
RESULTS = {
    "Certificate": lambda: SVC(gamma=1.0).fit(X, Y).certificate_,
    "Comparison": lambda: compare(MODELS, X, Y, random_state=0),
    "Hardest": lambda: AdaBoostClassifier(n_estimators=5).fit(X, Y).hardest(7),
    "Nested": lambda: nested(MODELS, X, Y, outer=2, inner=2, random_state=0),
    "Run": lambda: evaluate(MODELS, X, Y, protocol=3, random_state=0)["radial"],
    "Selection": lambda: select(MODELS, X, Y, 3, random_state=0),
}
LINES = {"Certificate": 1, "Comparison": 2, "Hardest": 7, "Nested": 2, "Run": 3, "Selection": 2}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_is_a_table(name):
    found = RESULTS[name]()
    assert type(found).__name__ == name
    lines = found.to_dicts()
    assert len(lines) == LINES[name]
    for frame in (found.to_frame("pandas"), found.to_frame("polars")):
        assert list(frame.columns) == list(lines[0])
        assert len(frame) == LINES[name]
    assert isinstance(found.to_frame(), pd.DataFrame)
    assert isinstance(found.to_frame("polars"), pl.DataFrame)
    page = found._repr_html_()
    assert page.count("<tr>") == LINES[name] + 1
    assert "<b>" not in page


def test_their_numbers_are_those_of_the_result():
    model = AdaBoostClassifier(n_estimators=5).fit(X, Y)
    hardest = model.hardest(4)
    np.testing.assert_array_equal(hardest.to_frame()["row"], hardest.rows)
    np.testing.assert_array_equal(hardest.to_frame()["weight"], hardest.weights)
    certificate = SVC(gamma=1.0).fit(X, Y).certificate_
    assert certificate.to_frame()["gap"][0] == certificate.gap
    assert from_plain(to_plain(certificate)) == certificate
    chosen = select(MODELS, X, Y, 3, random_state=0)
    assert chosen.to_frame().set_index("model")["chosen"].idxmax() == chosen.winner
