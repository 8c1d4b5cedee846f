"""The data sets of the linear models: float64, dense or CSR as the publisher has it, two classes or
many, parsed once and kept under ``.cache``; and the test rows of two of them.
"""

from __future__ import annotations

import lzma
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import load_svmlight_file
from sklearn.feature_extraction.text import TfidfTransformer
from sklearn.preprocessing import StandardScaler

from benchmarks.data import CACHE, SMALL, Data
from benchmarks.source import Arrays, folder, generated

COVTYPE, NEWS = "large/covtype.csv.xz", "text/20news_counts_train.svm.bz2"


def svmlight(file: str, columns: int) -> Arrays:
    X, y = load_svmlight_file(str(folder() / file), n_features=columns)
    return X, y > 0


def covtype() -> Arrays:
    with lzma.open(folder() / COVTYPE, "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1, dtype=np.float32)
    X = StandardScaler(copy=False).fit_transform(table[:, :-1].astype(np.float64))
    return X, table[:, -1] == 2


def news() -> Arrays:
    """Sublinear tf-idf of the counts, in random order: the file is in order of class."""
    counts, y = load_svmlight_file(str(folder() / NEWS), n_features=130_108)
    order = np.random.default_rng(0).permutation(len(y))
    return TfidfTransformer(sublinear_tf=True).fit_transform(counts)[order], y[order]


A9A, IJCNN1, MONEY = (f"libsvm/{name}.svm.bz2" for name in ("a9a", "ijcnn1", "reuters_moneyfx"))
BUILDERS: dict[str, tuple[str, Callable[[], Arrays]]] = {
    "generated30": ("", partial(generated, 100_000, 30)),
    "covtype-all": (COVTYPE, covtype),
    "a9a-csr": (A9A, partial(svmlight, A9A, 123)),
    "ijcnn1-csr": (IJCNN1, partial(svmlight, IJCNN1, 22)),
    "20news": (NEWS, news),
    "moneyfx": (MONEY, partial(svmlight, MONEY, 8_315)),
}
LINEAR = list(BUILDERS)
TESTS = {
    "a9a-csr": partial(svmlight, "libsvm/a9a.t.svm.bz2", 123),
    "moneyfx": partial(svmlight, "libsvm/reuters_moneyfx.t.svm.bz2", 8_315),
}


def load(name: str, small: bool = False) -> Data:
    return _kept(name, BUILDERS[name][1], SMALL if small else None)


def load_test(name: str, small: bool = False) -> Data:
    return _kept(f"{name}-test", TESTS[name], SMALL if small else None)


def growing(rows: int) -> Data:
    """Two classes in 30 columns of any number of rows; fewer are the first of many."""
    return _kept(f"growth-{rows}", partial(generated, rows, 30), None)


def _kept(name: str, build: Callable[[], Arrays], rows: int | None) -> Data:
    path = CACHE / f"linear-{name}.npz"
    if not path.exists():
        _keep(path, *build())
    with np.load(path) as kept:
        X = kept["X"] if "X" in kept else _csr(kept)
        data = Data(name, X, kept["y"])
    return data.head(rows) if rows else data


def _csr(kept: Any) -> Any:
    """Indices as int32: scikit-learn's LinearSVC refuses the int64 that its own reader gives."""
    indices, starts = (kept[name].astype(np.int32) for name in ("indices", "indptr"))
    return sparse.csr_matrix((kept["data"], indices, starts), shape=kept["shape"])


def _keep(path: Path, X: Any, y: Any) -> None:
    CACHE.mkdir(exist_ok=True)
    part = path.with_suffix(".part.npz")  # renamed when whole: an interrupt leaves no broken file
    if sparse.issparse(X):
        parts = {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": X.shape}
    else:
        parts = {"X": np.ascontiguousarray(X, np.float64)}
    np.savez(part, **parts, y=np.asarray(y, np.int64))
    part.replace(path)


def available(names: Iterable[str]) -> list[str]:
    """Those of our data sets that can be had here; the others are named in a sentence."""
    asked = set(names)
    wanted = [name for name in LINEAR if name in asked]
    missing = [name for name in wanted if not _obtainable(name)]
    if missing:
        print(f"Left out, no data in {folder()}: {', '.join(missing)}. Set MAXMARGIN_DATA.")
    return [name for name in wanted if name not in missing]


def _obtainable(name: str) -> bool:
    file, _ = BUILDERS[name]
    return not file or (CACHE / f"linear-{name}.npz").exists() or (folder() / file).exists()
