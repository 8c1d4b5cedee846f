"""Tables with words, gaps, dates and new categories, and the models of jobs on them."""

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.compose import make_column_transformer
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Ridge
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, OrdinalEncoder, StandardScaler

import maxmargin as mm
from maxmargin.export import ExportError, to_onnx
from maxmargin.job.blend import BlendClassifier
from maxmargin.job.boosted_trees import BoostedTreesClassifier, BoostedTreesRegressor
from maxmargin.job.frame_model import FrameModel
from maxmargin.job.preparation import MarkedWords, as_codes, as_vectors
from maxmargin.job.probability import FoldCalibratedClassifier
from maxmargin.job.scaled_target import ScaledTarget
from maxmargin.tables.preparation import make_table
from maxmargin.tables.wishes import Wishes
from maxmargin.tabular.calibration import Calibration
from tests.export.runtime import assert_same, near, run

RANDOM, ROWS = np.random.default_rng(0), 160
HOURS = pd.to_timedelta(RANDOM.integers(0, 900 * 24, ROWS), "h")
TABLE = pd.DataFrame(
    {
        "a": RANDOM.normal(size=ROWS),
        "w": RANDOM.choice(["red", "blue", "green", "rare"], ROWS, p=[0.4, 0.3, 0.28, 0.02]),
        "b": RANDOM.integers(0, 5, ROWS).astype(float),
        "d": pd.Timestamp("2019-12-30") + HOURS,
    }
)
TABLE.loc[::7, "a"] = np.nan
TABLE.loc[::11, "w"] = None
TABLE.loc[::13, "d"] = pd.NaT
SUM = (TABLE.a.fillna(0) + (TABLE.w == "red") + 0.1 * TABLE.b).to_numpy()
LABEL = np.where(SUM + 0.3 * RANDOM.normal(size=ROWS) > 0.6, "yes", "no")
NEW = TABLE.sample(60, random_state=1).reset_index(drop=True)
NEW.loc[3:6, "w"] = "new"
PLAIN = ["a", "w", "b"]
WORDS = {"categorical_features": ["w"]}

ONE_HOT = make_column_transformer(
    (make_pipeline(SimpleImputer(add_indicator=True), StandardScaler()), ["a", "b"]),
    (OneHotEncoder(handle_unknown="infrequent_if_exist", min_frequency=10), ["w"]),
)
CODES = {"handle_unknown": "use_encoded_value", "unknown_value": -1, "encoded_missing_value": -2}

CLASSIFIERS = {
    "AdaBoost": mm.AdaBoostClassifier(n_estimators=10, **WORDS),
    "boosting": mm.BoostingClassifier(n_estimators=10, categorical_features=["w", "b"]),
    "glass box": mm.GlassBoxClassifier(n_estimators=20, n_bags=2, **WORDS),
    "stump": mm.DecisionStump(**WORDS),
    "bag": mm.BaggingClassifier(mm.DecisionStump(**WORDS), n_estimators=5),
    "one-hot": make_pipeline(ONE_HOT, mm.SVC()),
    "codes": make_pipeline(
        make_column_transformer((OrdinalEncoder(**CODES), ["w"]), (StandardScaler(), ["b"])),
        mm.LinearSVC(),
    ),
}


@pytest.mark.parametrize("name", CLASSIFIERS)
def test_words_and_gaps(name):
    model = CLASSIFIERS[name].fit(TABLE[PLAIN], LABEL)
    assert "label" in assert_same(model, NEW[PLAIN], TABLE[PLAIN])


@pytest.mark.parametrize("target", [SUM, np.exp(3 * SUM)], ids=["plain", "skewed"])
def test_tables_with_dates(target):
    assert "value" in assert_same(mm.TableSVR().fit(TABLE, target), NEW, TABLE)


def test_a_trend_and_the_limits_of_predictions():
    rows = np.random.default_rng(0).standard_t(2.0, size=(150, 2))
    rows[0] = [40.0, 1.0]
    model = mm.TableSVR().fit(rows, rows[:, 0] + np.sin(rows[:, 1]))
    assert any(member.slope is not None for member in model.members_)
    assert any(column.tail for column in model.preparation_.columns)
    assert "value" in assert_same(model, 10.0 * rows[:20])


def test_a_kernel_machine_for_a_table_with_dates():
    assert "label" in assert_same(mm.TableSVC().fit(TABLE, LABEL), NEW, TABLE)


# the models of jobs, put together as a job does


def job_table(target, **wishes):
    frame = pl.from_pandas(TABLE).with_columns(pl.Series("y", target))
    return make_table(frame, Wishes("y", **wishes))


def judged(table, model, steps):
    fitted = Pipeline([*steps, ("model", model)]).fit(table.features, table.target)
    return FrameModel(fitted, table.schema)


def seen_rows(model):
    """What the exported model is given: columns of the table by name."""
    columns = [each for each in NEW.columns if each in model.feature_names_in_]
    return NEW[columns]


def assert_same_job(model):
    found = run(to_onnx(model), seen_rows(model))
    rows = pl.from_pandas(NEW)
    if "value" in found:
        near(found["value"][:, 0], model.predict(rows))
        return
    assert found["label"].tolist() == model.predict(rows).tolist()
    near(found["probabilities"], model.predict_proba(rows))


def platt(model):
    return FoldCalibratedClassifier(model, Calibration(1.5, np.array([0.2, -0.1])), 1e-3)


def test_machines_on_vectors_and_on_marked_words():
    table = job_table(LABEL)
    for model, steps in (
        (mm.LinearClassifier(), [("prepare", as_vectors(table))]),
        (mm.TableSVC(), [("prepare", MarkedWords(table.categories))]),
    ):
        fitted = judged(table, model, steps)
        *before, (name, last) = fitted.pipeline.steps
        fitted.pipeline = Pipeline([*before, (name, platt(last))])
        assert len(seen_rows(fitted).columns) == 4
        assert_same_job(fitted)


@pytest.mark.parametrize("rare", ["no", "yes"])
def test_thresholds_and_blends_of_boosted_trees(rare):
    table = job_table(LABEL)
    places = range(len(table.numbers), len(table.numbers) + len(table.categories))
    trees = BoostedTreesClassifier(tuple(places), max_iter=8, min_samples_leaf=5)
    first = judged(table, trees, [("prepare", as_codes(table))]).pipeline
    second = judged(table, mm.LinearClassifier(), [("prepare", as_vectors(table))]).pipeline
    known = Calibration(1.2, np.array([0.1, 0.0]))
    classes = np.array(["no", "yes"])
    blend = BlendClassifier([first, second], [known, known], [1e-3, 0.0], [0.6, 0.4], classes)
    last = FoldCalibratedClassifier(blend, known, 1e-3, threshold=0.3, positive=rare)
    model = FrameModel(Pipeline([("model", last)]), table.schema)
    assert model.classes_.tolist() == ["no", "yes"]
    assert_same_job(model)


def test_quantities():
    table = job_table(SUM)
    places = range(len(table.numbers), len(table.numbers) + len(table.categories))
    trees = BoostedTreesRegressor(tuple(places), max_iter=8, min_samples_leaf=5)
    for model, prepare in ((trees, as_codes), (ScaledTarget(mm.SVR()), as_vectors)):
        fitted = judged(table, model, [("prepare", prepare(table))])
        assert fitted.schema.task == "regression"
        assert_same_job(fitted)


def test_dates_of_any_year_have_the_month_and_weekday_of_the_calendar():
    days = pd.Series(pd.date_range("1899-12-25", "2104-03-05", freq="97h17min"))
    frame = pl.DataFrame({"d": days, "y": np.arange(len(days)) % 2})
    table = make_table(frame, Wishes("y"))
    assert {each.part for each in table.schema.features} == {"days", "month", "weekday", "hour"}
    model = judged(table, Ridge(), [])
    model.pipeline.steps[-1][1].coef_ = np.array([1.0, 1e6, 1e8, 1e10])
    found = run(to_onnx(model), pd.DataFrame({"d": days}))
    near(found["value"][:, 0], model.predict(frame))


def test_texts_are_refused_by_the_column():
    texts = [f"some words about thing {n} and more of them {n * n}" for n in range(40)]
    frame = pl.DataFrame({"t": texts, "x": np.arange(40.0), "y": np.arange(40) % 2})
    table = make_table(frame, Wishes("y", kind=("t=text",)))
    fitted = judged(table, mm.LinearSVC(), [("prepare", as_vectors(table))])
    with pytest.raises(ExportError, match=r"Column 't' cannot be exported: it holds texts"):
        to_onnx(fitted)
