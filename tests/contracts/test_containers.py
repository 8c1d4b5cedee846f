"""Every estimator learns the same from every container of the same rows, labels and weights.

Rows are taken by position, whatever labels a container gives them, and wherever the fit runs.
"""

import dataclasses
import pickle
import subprocess
import sys
from itertools import product

import numpy as np
import pandas as pd
import polars as pl
import pytest
from joblib import parallel_config
from scipy import sparse
from sklearn.base import OutlierMixin, clone
from sklearn.model_selection import GridSearchCV, cross_val_predict
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler

from maxmargin import (
    SVC,
    HardMarginSVC,
    OneVsOneClassifier,
    OneVsRestClassifier,
    SlackBudgetSVC,
)
from maxmargin.kernels import FromFunction

INDEX = np.random.default_rng(1).permutation(60)


def said(model, rows):
    """All that a model says of rows: values where it has them, and predictions."""
    methods = ("decision_function", "predict_proba", "predict")
    return [np.asarray(getattr(model, m)(rows)) for m in methods if hasattr(model, m)]


def assert_same(found, expected):
    for each, other in zip(found, expected, strict=True):
        np.testing.assert_array_equal(each, other)


def read_only(a):
    a = a.copy()
    a.flags.writeable = False
    return a


def mapped(a, folder):
    place = folder / f"{len(list(folder.iterdir()))}.npy"
    np.save(place, a)
    return np.load(place, mmap_mode="r")


def either(table, column):
    return lambda a: table(a) if a.ndim == 2 else column(a)


CONTAINERS = {
    "list": np.ndarray.tolist,
    "tuple": either(lambda a: tuple(map(tuple, a.tolist())), lambda a: tuple(a.tolist())),
    "pandas, shuffled": either(
        lambda a: pd.DataFrame(a, index=INDEX, columns=list("abcd")),
        lambda a: pd.Series(a, index=INDEX),
    ),
    "pandas, words": either(
        lambda a: pd.DataFrame({f"x{j}": a[:, j] for j in range(4)}, index=INDEX.astype(str)),
        lambda a: pd.Series(a, index=INDEX.astype(str)),
    ),
    "pandas, one label": either(
        lambda a: pd.DataFrame(a, index=[0] * 60), lambda a: pd.Series(a, index=[0] * 60)
    ),
    "polars": either(pl.DataFrame, lambda a: pl.Series(a.tolist())),
    "objects": either(
        lambda a: a.astype(object), lambda a: a.astype(object) if a.dtype.kind == "U" else a
    ),
    "read only": read_only,
    "columns first": np.asfortranarray,
    "every other": either(
        lambda a: np.repeat(np.repeat(a, 2, axis=0), 2, axis=1)[::2, ::2],
        lambda a: np.repeat(a, 2)[::2],
    ),
    "backwards": lambda a: np.flip(np.flip(a).copy()),
    "other byte order": lambda a: a.astype(a.dtype.newbyteorder()),
}
NUMBERS = {
    "whole": lambda a: (np.sign(a) * np.ceil(np.abs(a))).astype(np.int64),
    "small": lambda a: np.sign(a).astype(np.int8),
    "flags": lambda a: a > 0,
    "single": lambda a: a.astype(np.float32),
}
TYPED = ["pandas, shuffled", "polars", "columns first", "other byte order"]
SPARSE = [sparse.csc_array, sparse.coo_array, sparse.lil_matrix]


def shuffled(data):
    return data.of(CONTAINERS["pandas, shuffled"])


def test_containers(model, data, tmp_path):
    """For rows, labels or targets, weights and queries together; twice on the same object."""
    expected = said(data.learn(model), data.X)
    for make in [*CONTAINERS.values(), lambda a: mapped(a, tmp_path)]:
        given, again = data.of(make), clone(model)
        for _ in range(2):
            assert_same(said(given.fit(again), given.X), expected)


@pytest.mark.parametrize("numbers", NUMBERS)
def test_numbers(model, data, numbers):
    """Whole numbers and flags are the floats they stand for; single precision stays so."""
    X = NUMBERS[numbers](data.X)
    usual = X if numbers == "single" else X.astype(np.float64)
    expected = said(dataclasses.replace(data, X=usual).learn(model), usual)
    for name in TYPED if numbers == "single" else ["list", "objects", *TYPED]:
        rows = CONTAINERS[name](X)
        assert_same(said(dataclasses.replace(data, X=rows).learn(model), rows), expected)


def test_sparse(model, data):
    """All formats are one, and what the dense rows give but for the order of sums."""
    of_dense, of_csr = (
        said(dataclasses.replace(data, X=rows).learn(model), rows)
        for rows in (data.X, sparse.csr_matrix(data.X))
    )
    for each, dense in zip(of_csr[:-1], of_dense[:-1], strict=True):
        np.testing.assert_allclose(each, dense, rtol=1e-2, atol=1e-2)
    for make in SPARSE:
        rows = make(data.X)
        assert_same(said(dataclasses.replace(data, X=rows).learn(model), rows), of_csr)


# wherever the fit runs


def searched(model, data, **where):
    """Scores of folds, and what is said of the rows by a model that a search has refitted."""
    steps = make_pipeline(MaxAbsScaler(), model)
    search = GridSearchCV(steps, {}, cv=3, error_score="raise", **where)
    search.fit(data.X, data.y(model))
    folds = [search.cv_results_[f"split{k}_test_score"] for k in range(3)]
    return [*folds, search.predict(data.X)]


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_searches(model, data, backend):
    if not hasattr(model, "score"):  # nothing says which outliers are right
        assert isinstance(model, OutlierMixin)
        return
    expected = searched(model, data)
    with parallel_config(backend, n_jobs=2):
        assert_same(searched(model, shuffled(data)), expected)


FORK = """
import multiprocessing, pickle, sys
import numpy as np

def learn():
    return [model.fit(X, y, **beside).predict(X) for model, X, y, beside in jobs]

def work(pipe):
    pipe.send(learn())

with open(sys.argv[1], "rb") as file:
    jobs = pickle.load(file)
usual = learn()  # in the parent, which has had threads and a BLAS since
ours, theirs = multiprocessing.Pipe()
process = multiprocessing.get_context("fork").Process(target=work, args=(theirs,), daemon=True)
process.start()
assert ours.poll(60), "the fork hangs"
for found, expected in zip(ours.recv(), usual, strict=True):
    np.testing.assert_array_equal(found, expected)
"""


def test_after_a_fork(models, data, tmp_path):
    """Of a process in which threads were at work: nothing hangs, and models are the same."""
    many = data.of(lambda a: np.repeat(a, 20, axis=0))
    jobs = [(_on_two_threads(m), many.X, many.y(m), many.beside(m)) for m in models]
    (tmp_path / "jobs").write_bytes(pickle.dumps(jobs))
    script = [sys.executable, "-c", FORK, tmp_path / "jobs"]
    done = subprocess.run(script, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr


def _on_two_threads(model):
    return clone(model).set_params(n_jobs=2) if "n_jobs" in model.get_params() else model


# items that are no rows of numbers, and matrices of a kernel

WORDS = ["".join(letters) for letters in product("abc", "bcd", "cda")]
SIDES = np.array([word.count("c") > 0 for word in WORDS]) + 2 * np.array(
    [word.startswith("a") for word in WORDS]
)
SHUFFLED = INDEX[len(WORDS) > INDEX]
SERIES = {
    "list": list,
    "tuple": tuple,
    "objects": lambda words: np.array(words, dtype=object),
    "letters": np.array,
    "pandas": lambda words: pd.Series(words, index=SHUFFLED),
    "pandas, words": lambda words: pd.Series(words, index=SHUFFLED.astype(str)),
    "pandas, categories": lambda words: pd.Series(words, index=SHUFFLED, dtype="category"),
    "polars": pl.Series,
}


def common_letters(a, b):
    return float(sum(x == y for x, y in zip(a, b, strict=True))) ** 2 + len(set(a) & set(b))


def of_kernel(kernel):
    plain = [kind(kernel=kernel) for kind in (SVC, HardMarginSVC, SlackBudgetSVC)]
    return [
        *plain,
        *(kind(SVC(kernel=kernel)) for kind in (OneVsOneClassifier, OneVsRestClassifier)),
    ]


@pytest.mark.parametrize("machine", of_kernel(FromFunction(common_letters)), ids=repr)
def test_items(machine):
    expected = said(clone(machine).fit(WORDS, SIDES), WORDS)
    y = pd.Series(SIDES, index=SHUFFLED)
    for make in SERIES.values():
        words = make(WORDS)
        assert_same(said(clone(machine).fit(words, y), words), expected)
    in_folds = (cross_val_predict(machine, SERIES[k](WORDS), y, cv=3) for k in ("list", "pandas"))
    np.testing.assert_array_equal(*in_folds)


@pytest.mark.parametrize("machine", of_kernel("precomputed"), ids=repr)
def test_matrices(machine):
    K = FromFunction(common_letters)(WORDS)
    expected = said(clone(machine).fit(K, SIDES), K)
    frame = pd.DataFrame(K, index=SHUFFLED, columns=[f"c{j}" for j in SHUFFLED])
    for table in (frame, pl.DataFrame(K), K.tolist(), np.asfortranarray(K)):
        assert_same(said(clone(machine).fit(table, SIDES), table), expected)


# categories, of estimators that read them


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_categories(stumps, data, frame):
    """Texts in a table of either kind are what their codes are in an array."""
    code = np.digitize(data.X[:, 0], [-0.5, 0.2, 1.0])
    words = np.array(["ant", "bee", "cat", "dog"])[code]
    table = frame({"animal": words, "size": data.X[:, 1]})
    codes = np.column_stack([code, data.X[:, 1]])
    name = next(n for n in stumps.get_params() if n.endswith("categorical_features"))
    numbered = clone(stumps).set_params(**{name: [0]})
    expected = said(dataclasses.replace(data, X=codes).learn(numbered), codes)
    assert_same(said(dataclasses.replace(data, X=table).learn(stumps), table), expected)
