"""Small models as files without imports, tested by running them in another Python."""

import json
import subprocess
import sys

import numpy as np
import pandas as pd
import pytest

import maxmargin as mm
from maxmargin.export import ExportError, to_python

RANDOM, ROWS = np.random.default_rng(0), 120
TABLE = pd.DataFrame(
    {
        "a": RANDOM.normal(size=ROWS),
        "w": RANDOM.choice(["red", "blue", "green"], ROWS),
        "b": RANDOM.integers(0, 5, ROWS).astype(float),
    }
)
NUMBERS = TABLE[["a", "b"]].copy()
TABLE.loc[::7, "a"] = np.nan
TABLE.loc[::9, "w"] = None
TWO = np.where(NUMBERS.a + (TABLE.w == "red") > 0.5, "yes", "no")
THREE = np.digitize(NUMBERS.a, [-0.5, 0.5])
NUMBER = NUMBERS.b + NUMBERS.a
WORDS = {"categorical_features": ["w"]}

MODELS = {
    "linear": (mm.LinearSVC(), NUMBERS, THREE),
    "linear number": (mm.LinearSVR(), NUMBERS, NUMBER),
    "linear kernel": (mm.SVC(kernel="linear"), NUMBERS, TWO),
    "vote": (mm.AdaBoostClassifier(n_estimators=10, **WORDS), TABLE, TWO),
    "vote of three": (mm.AdaBoostClassifier(n_estimators=10, **WORDS), TABLE, THREE),
    "sum": (mm.BoostingRegressor(n_estimators=10, **WORDS), TABLE, NUMBER),
    "counts": (mm.BoostingRegressor("poisson", n_estimators=5), NUMBERS, np.exp(NUMBER / 5)),
    "glass box": (mm.GlassBoxClassifier(n_estimators=20, n_bags=2, **WORDS), TABLE, THREE),
    "glass number": (mm.GlassBoxRegressor(n_estimators=20, n_bags=2, **WORDS), TABLE, NUMBER),
}


def plain_rows(table):
    return table.astype(object).where(table.notna(), None).to_dict("records")


def predictions(text, rows):
    there = {}
    exec(text, there)
    return [there["predict"](row) for row in rows]


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", MODELS)
def test_a_file_predicts_as_the_model_does(name):
    model, table, target = MODELS[name]
    text = to_python(model.fit(table, target))
    wanted = model.predict(table)
    found = predictions(text, plain_rows(table))
    assert "import" not in text
    if wanted.dtype.kind == "f":
        np.testing.assert_allclose(found, wanted, rtol=1e-12, atol=1e-12)
    else:
        assert found == wanted.tolist()


def test_unknown_categories_and_lists_of_values():
    model = mm.AdaBoostClassifier(n_estimators=10, **WORDS).fit(TABLE, TWO)
    rows = pd.DataFrame({"a": [0.1, np.nan], "w": ["violet", None], "b": [1.0, 2.0]})
    lists = [[0.1, "violet", 1.0], [float("nan"), None, 2.0]]
    assert predictions(to_python(model), lists) == model.predict(rows).tolist()


def test_a_scorecard_adds_up_whole_points(tmp_path):
    model = mm.GlassBoxClassifier(n_estimators=20, n_bags=2, **WORDS).fit(TABLE, TWO)
    file = tmp_path / "card.py"
    file.write_text(
        to_python(model, points=20) + "\nimport json, sys\n"
        "print(json.dumps([points(row) for row in json.load(sys.stdin)]))\n"
    )
    rows = json.dumps(plain_rows(TABLE))
    done = subprocess.run(
        [sys.executable, "-S", "-I", str(file)],
        input=rows,
        capture_output=True,
        text=True,
        check=True,
    )
    card = model.to_scorecard(20)
    assert json.loads(done.stdout) == card.add_up(model._code(TABLE)).tolist()


@pytest.mark.parametrize(
    ("model", "why"),
    [(mm.SVC(), "RBF"), (mm.BaggingClassifier(n_estimators=3), "BaggingClassifier")],
)
def test_what_is_not_small_is_refused(model, why):
    with pytest.raises(ExportError, match=f"{why} cannot be exported"):
        to_python(model.fit(NUMBERS, TWO))


def test_points_are_of_glass_boxes():
    with pytest.raises(ExportError, match="points are of glass boxes"):
        to_python(mm.LinearSVC().fit(NUMBERS, TWO), points=20)
