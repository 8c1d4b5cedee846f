"""Damage stored models at random and use what can still be read: python fuzz.py SEED ROUNDS.

Whatever a file says, reading it gives a model or a ModelFileError, and a model predicts or raises
an ordinary exception. With NUMBA_BOUNDSCHECK=1 compiled loops of the package say when they leave
their arrays, and that counts as a failure too.
"""

import hashlib
import json
import os
import random
import signal
import struct
import sys
import tempfile
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import polars as pl
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import ColumnTransformer
from sklearn.dummy import DummyClassifier
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import KBinsDiscretizer, OneHotEncoder, StandardScaler
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from maxmargin import (
    SVC,
    SVCCV,
    AdaBoostClassifier,
    BaggingClassifier,
    BoostingClassifier,
    DecisionStump,
    LinearSVC,
    LinearSVCCV,
)
from maxmargin.boosting import BoostingRanker
from maxmargin.kernels import (
    Graph,
    Laplacian,
    Nystroem,
    Polynomial,
    Precomputed,
    Spectrum,
    WeisfeilerLehman,
)
from maxmargin.neighbors import (
    CondensedNeighbors,
    EditedNeighbors,
    KNeighborsClassifierCV,
    KNeighborsRegressorCV,
    MixedNeighborsClassifier,
)
from maxmargin.storage import ModelFileError, load_model, save_model
from maxmargin.tabular import TableOneClass, TableSVC, TableSVR

warnings.simplefilter("ignore")
rng = np.random.default_rng(0)
X = np.round(rng.normal(size=(24, 3)), 1)
LABEL = np.where(X[:, 1] > 0, 2, X[:, 0] > 0)
FRAME = pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "c": np.array(["x", "y", "z"])[LABEL]})
TABLE = ColumnTransformer(
    [
        ("numbers", make_pipeline(SimpleImputer(), StandardScaler()), ["a", "b"]),
        ("words", OneHotEncoder(handle_unknown="ignore", drop="if_binary"), ["c"]),
    ],
    sparse_threshold=1.0,
)
GRAM = X @ X.T

CHECKED = os.environ.get("NUMBA_BOUNDSCHECK") == "1"

ODD_VALUES = [None, True, -1, 0, 1, 2**31, 2**63, -(2**63), 1e308, 0.5, "", "brute", "rbf", [], {}]
ODD_TYPES = ["<i8", "<i4", "<f8", "<f4", ">f8", "|b1", "|u1", "<U3", "|S4", "<c16", "<M8[ns]"]
CLASSES = [
    "maxmargin.svm.svc.SVC",
    "maxmargin.kernels.stationary.RBF",
    "maxmargin.kernels.points.Points",
    "maxmargin.kernels.precomputed.Precomputed",
    "maxmargin.trees.split.Split",
    "sklearn.preprocessing.StandardScaler",
    "sklearn.neighbors.KNeighborsClassifier",
    "tuple",
    "objects",
    "columns",
    "csr_matrix",
    "set",
    "slice",
    "tree",
    "RandomState",
]


def models():
    """Fitted models with the rows that they predict."""
    trees = DecisionTreeClassifier(max_depth=2)
    plain = [
        SVC(),
        SVC(kernel=Laplacian(), multiclass="ovr"),
        SVC(kernel=Polynomial(2).restrict([0, 1]).normalized()),
        LinearSVC(),
        AdaBoostClassifier(n_estimators=4),
        AdaBoostClassifier(trees, n_estimators=2, random_state=np.random.RandomState(0)),
        BoostingClassifier(n_estimators=4),
        BaggingClassifier(n_estimators=3, random_state=0),
        DecisionStump(),
        KNeighborsClassifier(3, algorithm="brute"),
        KNeighborsRegressor(3, algorithm="brute", p=1),
        trees,
        DecisionTreeRegressor(max_leaf_nodes=5),
        DummyClassifier(strategy="stratified", random_state=np.random.RandomState(1)),
        make_pipeline(KBinsDiscretizer(3, quantile_method="averaged_inverted_cdf"), SVC()),
    ]
    yield from ((model.fit(X, LABEL), X) for model in plain)
    yield SVC(kernel=Precomputed()).fit(GRAM, LABEL), GRAM
    yield from of_late()
    yield from of_tables()
    for last in (SVC(), LinearSVC(), KNeighborsClassifier(2, algorithm="brute")):
        yield make_pipeline(TABLE, last).fit(FRAME, LABEL), FRAME
    columns = {"n_estimators": 3, "categorical_features": "from_dtype"}
    yield AdaBoostClassifier(**columns).fit(FRAME, LABEL), FRAME
    yield BoostingClassifier(**columns).fit(FRAME, LABEL), FRAME
    texts = np.array(["a bad day", "good day", "it is bad", "fine fine day"] * 6)
    for counter in (TfidfVectorizer(), CountVectorizer(ngram_range=(1, 2))):
        yield make_pipeline(counter, LinearSVC()).fit(texts, LABEL), texts
    for method in ("sigmoid", "isotonic"):
        yield CalibratedClassifierCV(LinearSVC(), method=method, cv=2).fit(X, LABEL), X


def of_late():
    """Searches, neighbours, landmarks, queries, texts and graphs."""
    searches = [
        SVCCV(Cs=[1.0], gammas=[0.5], cv=2).fit(X, LABEL).best_estimator_,
        LinearSVCCV(Cs=[1.0], cv=2).fit(X, LABEL).best_estimator_,
        make_pipeline(Nystroem(n_components=6, random_state=0), LinearSVC()).fit(X, LABEL),
        SVC(approximate=8, random_state=0).fit(X, LABEL),
    ]
    neighbours = [
        KNeighborsClassifierCV().fit(X, LABEL),
        KNeighborsRegressorCV().fit(X, X[:, 0]),
        CondensedNeighbors(random_state=0).fit(X, LABEL),
        EditedNeighbors().fit(X, LABEL),
        BoostingRanker(n_estimators=3).fit(X, LABEL, qid=np.repeat([0, 1, 2], 8)),
    ]
    yield from ((model, X) for model in (*searches, *neighbours))
    yield MixedNeighborsClassifier(2).fit(FRAME, LABEL), FRAME
    texts = ["ab" * (k + 1) + "c" * label for k, label in enumerate(LABEL)]
    yield SVC(kernel=Spectrum(2)).fit(texts, LABEL), texts
    graphs = [Graph([(0, 1), (1, 2 + label)]) for label in LABEL]
    yield SVC(kernel=WeisfeilerLehman(2)).fit(graphs, LABEL), graphs


def of_tables():
    """Machines for tables: few rows and many, numbers, words, dates and texts."""
    talk = ["good", "bad", "fine", "day", "it", "is", "a", "the", "of", "rain", "sun"]
    texts = [" ".join(rng.choice(talk, 14)) for _ in range(24)]
    dates = [f"2024-0{1 + i % 9}-1{i % 9}" for i in range(24)]
    table = FRAME.with_columns(pl.Series("t", texts), pl.Series("d", dates))
    yield TableSVC().fit(table, LABEL), table
    yield TableSVR().fit(table, X[:, 0]), table
    yield TableOneClass().fit(table), table
    many = rng.normal(size=(3100, 2))
    yield TableSVC(time_limit=0.2).fit(many, many[:, 0] > 0), many[:24]
    yield TableSVR(time_limit=0.2).fit(many, many[:, 0]), many[:24]


def split(content):
    """The description and the bytes of the arrays."""
    described = struct.unpack_from("<Q", content, 16)[0]
    return json.loads(content[64 : 64 + described]), content[64 + described :]


def join(description, data):
    """A file with the right lengths and the right digest, whatever is in it."""
    text = json.dumps(description).encode()
    return seal(text + b" " * (-len(text) % 64), data)


def seal(text, data):
    start = struct.pack(
        "<8sIIQQ", b"\x89MXM\r\n\x1a\n", 1, 0, len(text), 64 + len(text) + len(data)
    )
    return start + hashlib.sha256(start + text + data).digest() + text + data


def leaves(tree, path=()):
    """The ways to all parts of a description."""
    items = tree.items() if isinstance(tree, dict) else enumerate(tree)
    for key, part in items:
        yield (*path, key)
        if isinstance(part, dict | list):
            yield from leaves(part, (*path, key))


def damage_bytes(content, chance):
    if chance.random() < 0.3:
        return content[: chance.randrange(len(content))]
    damaged = bytearray(content)
    for _ in range(chance.choice([1, 1, 4, 64])):
        damaged[chance.randrange(len(content))] ^= 1 << chance.randrange(8)
    return bytes(damaged)


def damage_sealed(content, chance):
    """Change bytes of the arrays, or of the text, and make the digest anew."""
    described = struct.unpack_from("<Q", content, 16)[0]
    text, data = bytearray(content[64 : 64 + described]), bytearray(content[64 + described :])
    for _ in range(chance.choice([1, 2, 8])):
        part = chance.choice([text, data, data, data])
        if part:
            part[chance.randrange(len(part))] = chance.choice([0, 1, 127, 128, 255])
    return seal(bytes(text), bytes(data))


def damage_tree(content, chance):
    description, data = split(content)
    for _ in range(chance.choice([1, 1, 2, 4])):
        _change(description, chance)
    return join(description, data)


def _change(description, chance):
    ways, parent = list(leaves(description["value"])), description["value"]
    if not ways:
        return
    way = chance.choice(ways)
    for key in way[:-1]:
        parent = parent[key]
    key, action = way[-1], chance.random()
    if action < 0.2:
        del parent[key]
    elif action < 0.4 and isinstance(parent, dict):
        parent[chance.choice([*parent, "predict", "__class__", "evil", "_machine"])] = parent[key]
    elif isinstance(parent[key], dict) and "is" in parent[key]:
        _change_value(parent, key, description, chance)
    else:
        parent[key] = chance.choice(ODD_VALUES)


def _change_value(parent, key, description, chance):
    value, count = parent[key], len(description["arrays"])
    if value["is"] == "array":
        value["of"] = chance.choice([chance.randrange(count), chance.randrange(count), -1, count])
    elif chance.random() < 0.5:
        value["is"] = chance.choice(CLASSES)
    else:
        parent[key] = chance.choice(ODD_VALUES)


def damage_array(content, chance):
    """Change the type, the shape or the numbers of an array."""
    description, data = split(content)
    arrays, place = [], 0
    for entry in description["arrays"]:
        dtype, size = np.dtype(entry["dtype"]), int(np.prod(entry["shape"], dtype=int))
        array = np.frombuffer(data, dtype, size, place).reshape(entry["shape"]).copy()
        arrays.append(array)
        place += array.nbytes + -array.nbytes % 64
    for _ in range(chance.choice([1, 1, 3])):
        number = chance.randrange(len(arrays))
        arrays[number] = _other_array(arrays[number], chance)
    described = [{"dtype": a.dtype.str, "shape": list(a.shape)} for a in arrays]
    parts = b"".join(a.tobytes() + bytes(-a.nbytes % 64) for a in arrays)
    return join({**description, "arrays": described}, parts)


def _other_array(array, chance):
    action = chance.randrange(5)
    if action == 0:
        return array[: chance.randrange(len(array))] if array.ndim and len(array) else array
    if action == 1:
        return np.concatenate([array, array]) if array.ndim else array.reshape(1)
    if action == 2:
        return array.reshape(-1) if array.ndim > 1 else array.reshape(1, -1)
    if action == 3:
        other = np.dtype(chance.choice(ODD_TYPES))
        between_numbers = array.dtype.kind in "biuf" and other.kind in "biufc"
        return array.astype(other) if between_numbers else np.zeros(array.shape, other)
    if array.size and array.dtype.kind in "iuf":
        odd = [-1, 1, array.size, 10**6, 2**31 - 1, -(2**31), 2**62]
        odd = odd if array.dtype.kind != "f" else [*odd, np.nan, np.inf, -0.0, 5e-324]
        array.reshape(-1)[chance.randrange(array.size)] = np.array(chance.choice(odd)).astype(
            array.dtype
        )
    return array


WAYS = [damage_bytes, damage_sealed, damage_tree, damage_tree, damage_array, damage_array]


def use(model, rows):
    """Do all that rows can be given to."""
    for name in ("predict", "decision_function", "predict_proba", "transform", "kneighbors"):
        if hasattr(model, name):
            getattr(model, name)(rows)
    if hasattr(model, "decision_path"):
        model.decision_path(rows)


def attempt(path, rows):
    """Say how it went."""
    try:
        model = load_model(path).value
    except ModelFileError as error:
        said = str(error)
        return "refused" if "\n" not in said and said.endswith(".") else f"refused by {said!r}"
    try:
        use(model, rows)
    except IndexError as error:
        if CHECKED and str(error) == "index is out of bounds":  # as a compiled loop says it
            raise
        return "IndexError"
    except Exception as error:
        return type(error).__name__
    return "used"


def main(seed, rounds, source=None):
    chance, counts = random.Random(seed), Counter()
    folder = Path(tempfile.mkdtemp())
    good, bad = folder / "good.maxmargin", folder / "bad.maxmargin"
    for model, rows in (source or models)():
        save_model(good, model)
        assert attempt(good, rows) == "used", model
        content = good.read_bytes()
        for _ in range(rounds):
            way = chance.choice(WAYS)
            signal.alarm(60)
            try:
                bad.write_bytes(way(content, chance))
                counts[attempt(bad, rows)] += 1
            except BaseException:
                sys.stdout.write(f"{type(model).__name__}: {way.__name__}, kept as {bad}\n")
                raise
            signal.alarm(0)
    bad.unlink()
    good.unlink()
    folder.rmdir()
    sys.stdout.write(f"{json.dumps(counts)}\n")


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]))
