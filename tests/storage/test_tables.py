"""Stored models of tables whose parts do not fit together, or cost without end, are refused."""

import copy

import numpy as np
import polars as pl
import pytest
from sklearn.exceptions import ConvergenceWarning

from maxmargin.storage import from_plain, to_plain
from maxmargin.tabular import TableOneClass, TableSVC, TableSVR

pytestmark = pytest.mark.filterwarnings("ignore", category=ConvergenceWarning)

RNG = np.random.default_rng(0)
N = 40
TALK = ["good", "bad", "fine", "day", "it", "is", "a", "the", "of", "rain", "sun"]
TABLE = pl.DataFrame(
    {
        "number": RNG.normal(size=N),
        "word": RNG.choice(["x", "y", "z"], N),
        "date": [f"2024-0{1 + i % 9}-1{i % 9}" for i in range(N)],
        "text": [" ".join(RNG.choice(TALK, 14)) for _ in range(N)],
    }
)
LABEL, TARGET = RNG.integers(0, 3, N), RNG.normal(size=N)
CODES = pl.DataFrame({"code": [f"{'ABC'[k // 40]}{k * 97 % 1000:03}" for k in range(120)]})
CODES = CODES.with_columns(number=RNG.normal(size=120)).with_columns(
    code=pl.when(pl.int_range(120) < 2).then(pl.lit("B")).otherwise(pl.col("code"))
)  # a word that repeats, and groups of rare ones
NEW_CODES = pl.DataFrame({"code": ["A", "B", "C-new", None], "number": [0.0, 1.0, 2.0, 3.0]})
MANY = RNG.normal(size=(3300, 2))
SOON = {"time_limit": 0.5}  # support vector machines all the same
MODELS = {
    "classes": lambda: (TableSVC().fit(TABLE, LABEL), TABLE),
    "numbers": lambda: (TableSVR().fit(TABLE, TARGET), TABLE),
    "codes": lambda: (TableSVR().fit(CODES, np.repeat([1.0, 0.0, -1.0], 40)), NEW_CODES),
    "outliers": lambda: (TableOneClass().fit(TABLE), TABLE),
    "many": lambda: (TableSVC(**SOON).fit(MANY, MANY[:, 0] > 0), MANY[:20]),
    "many numbers": lambda: (TableSVR(**SOON).fit(MANY, MANY[:, 0]), MANY[:20]),
}


@pytest.fixture(scope="module")
def fitted():
    return {name: make() for name, make in MODELS.items()}


@pytest.fixture(scope="module")
def stored(fitted):
    return {name: to_plain(model) for name, (model, _) in fitted.items()}


def of_class(plain, short):
    """Give all values of a class in plain data."""
    if isinstance(plain, dict):
        if str(plain.get("is", "")).endswith(f".{short}"):
            yield plain["has"]
        plain = list(plain.values())
    if isinstance(plain, list):
        for part in plain:
            yield from of_class(part, short)


@pytest.mark.parametrize("name", MODELS)
def test_a_model_comes_back(fitted, name):
    model, rows = fitted[name]
    again = from_plain(to_plain(model))
    assert np.array_equal(again.predict(rows), model.predict(rows))
    assert np.array_equal(again.predict(rows[:1]), model.predict(rows[:1]))


HOSTILE = [
    ("WordColumn", "lengths", lambda _: np.ones(2_000_000)),  # memory for each row of a table
    ("WordColumn", "indicator", lambda i: i + 10**6),
    ("WordColumn", "indicator", lambda i: i - 10**6),
    ("WordColumn", "levels", lambda levels: levels[:1]),
    ("WordColumn", "means", lambda means: np.zeros((len(means), means.shape[1] + 1))),
    ("WordColumn", "prefixes", lambda _: np.array(["a"])),
    ("WordColumn", "place", lambda _: 99),
    ("WordColumn", "place", lambda _: -1),
    ("NumberColumn", "knots", lambda knots: knots[::-1].copy()),
    ("NumberColumn", "scores", lambda scores: scores[:1]),
    ("NumberColumn", "part", lambda _: "evil"),
    ("NumberColumn", "stairs", lambda stairs: np.append(stairs, 0.0)),
    ("NumberColumn", "form", lambda _: "evil"),
    ("NumberColumn", "scale", lambda _: 0.0),
    ("NumberColumn", "place", lambda _: 0),  # twice the same part
    ("TextColumn", "weights", lambda weights: weights[:5]),
    ("TextColumn", "spread", lambda spread: np.ones(len(spread) + 2)),
    ("Vocabulary", "buckets", lambda buckets: buckets + 2**19),
    ("Vocabulary", "buckets", lambda buckets: buckets[::-1].copy()),
    ("Vocabulary", "rarity", lambda rarity: rarity[:3]),
    ("Vocabulary", "longest", lambda _: 2**23),
    ("Preparation", "columns", lambda c: {**c, "of": c["of"] * 1000}),
    ("Preparation", "columns", lambda c: {**c, "of": []}),
    ("Candidate", "profile", lambda _: "evil"),
    ("Candidate", "metric", lambda _: "evil"),
    ("Candidate", "median", lambda _: 0.0),
    ("Candidate", "gamma", lambda _: -1.0),
    ("Candidate", "weights", lambda w: {**w, "of": w["of"][:2]}),
    ("Candidate", "columns", lambda c: {**c, "of": [1.0]}),
    ("LeastSquaresMachine", "support", lambda s: s[:2]),
    ("LeastSquaresMachine", "support", lambda s: s[:, :1].copy()),
    ("LeastSquaresMachine", "support", lambda s: np.vstack([s, s])),
    ("LeastSquaresMachine", "beta", lambda b: b[:1, :3]),
    ("LeastSquaresMachine", "offset", lambda _: np.zeros(9)),
    ("Calibration", "shift", lambda _: np.zeros(9)),
]


@pytest.mark.parametrize(("kind", "part", "change"), HOSTILE)
def test_parts_that_do_not_fit_are_refused(stored, kind, part, change):
    met = 0
    for plain in map(copy.deepcopy, stored.values()):
        found = list(of_class(plain, kind))
        for each in found:
            each[part] = change(each[part])
        met += bool(found)
        if found:
            with pytest.raises(ValueError, match=r"stored .* do not fit together|none that there"):
                from_plain(plain)
    assert met


@pytest.mark.parametrize(
    "part", ["members_", "preparation_", "classes_", "weight_", "calibration_"]
)
@pytest.mark.parametrize(
    "value", [None, [], {"is": "tuple", "of": []}, np.zeros(5), np.zeros((1, 2))]
)
def test_fitted_parts_of_another_kind_are_refused(stored, part, value):
    plain = copy.deepcopy(stored["many"])
    plain["has"][part] = value
    with pytest.raises(ValueError, match="do not fit together"):
        from_plain(plain)


@pytest.mark.parametrize("value", [None, 3, "OneClassSVM", np.zeros(5)])
@pytest.mark.parametrize("part", ["machine_", "scale_"])
def test_other_machines_of_outliers_are_refused(stored, part, value):
    plain = copy.deepcopy(stored["outliers"])
    plain["has"][part] = value
    with pytest.raises(ValueError, match="do not fit together"):
        from_plain(plain)
    plain["has"]["machine_"] = stored["outliers"]  # a model of tables inside of another
    with pytest.raises(ValueError, match="do not fit together"):
        from_plain(plain)
