"""How each data set is read or generated: (X, y), before it is made float32 and kept."""

from __future__ import annotations

import gzip
import lzma
import os
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_svmlight_file, make_classification
from sklearn.preprocessing import OneHotEncoder, StandardScaler

Arrays = tuple[Any, Any]


def folder() -> Path:
    beside = Path(__file__).parents[2] / "shared" / "data"
    return Path(os.environ.get("MAXMARGIN_DATA", beside))


def float64_sets(
    sets: dict[str, Callable[[], Arrays]], rows: int | None
) -> Iterator[tuple[str, Any, Any]]:
    """Build the sets whose files are there, of no more than so many rows."""
    for name, build in sets.items():
        try:
            X, y = build()
        except FileNotFoundError:
            print(f"Left out, no data: {name}. Set MAXMARGIN_DATA.")
            continue
        yield name, np.ascontiguousarray(X[:rows], dtype=np.float64), np.asarray(y)[:rows]


def generated(rows: int, columns: int) -> Arrays:
    X, y = make_classification(
        n_samples=rows, n_features=columns, n_informative=columns // 2, random_state=0
    )
    return StandardScaler().fit_transform(X), y


def libsvm(name: str, columns: int) -> Arrays:
    path = folder() / "libsvm" / f"{name}.svm.bz2"
    X, y = load_svmlight_file(str(path), n_features=columns)
    return X.toarray(), y > 0


def covtype() -> Arrays:
    with lzma.open(folder() / "large" / "covtype.csv.xz", "rt") as lines:
        table = np.loadtxt(lines, delimiter=",", skiprows=1, dtype=np.float32)
    table = table[np.random.default_rng(0).permutation(len(table))[:20_000]]
    return StandardScaler().fit_transform(table[:, :-1]), table[:, -1] == 2


def mnist() -> Arrays:
    images, labels = (
        np.frombuffer(gzip.decompress((folder() / "mnist" / name).read_bytes()), np.uint8)
        for name in ("train-images-idx3-ubyte.gz", "train-labels-idx1-ubyte.gz")
    )
    return images[16:].reshape(-1, 784)[:20_000] / 255.0, labels[8:][:20_000] >= 5


def adult() -> Arrays:
    """The numbers as they are, then one column for each value of the others, "?" among them."""
    with lzma.open(folder() / FILES["adult"], "rt") as lines:
        table = np.array([line.rstrip().split(", ") for line in lines if line.strip()])
    numbers = [0, 2, 4, 10, 11, 12]
    words = np.delete(table[:, :14], numbers, axis=1)
    encoded = OneHotEncoder(sparse_output=False, dtype=np.float32).fit_transform(words)
    return np.hstack([table[:, numbers].astype(np.float32), encoded]), table[:, 14] == ">50K"


def spam() -> Arrays:
    """In random order: the file is in order of class."""
    with gzip.open(folder() / FILES["spam"], "rt") as lines:
        table = np.array([line.rstrip().split(",") for line in lines][1:])
    table = table[np.random.default_rng(0).permutation(len(table))]
    return table[:, :-1].astype(np.float32), table[:, -1] == "spam"


def letter() -> Arrays:
    """All rows in the file's order; A is 0, B is 1, ..."""
    with lzma.open(folder() / FILES["letter"], "rt") as lines:
        table = np.array([line.rstrip().split(",") for line in lines if line.strip()])
    return table[:, 1:].astype(np.float32), np.unique(table[:, 0], return_inverse=True)[1]


def vowel() -> Arrays:
    table = np.genfromtxt(folder() / "esl/vowel_train.csv", delimiter=",", names=True)
    columns = [name for name in table.dtype.names if name.startswith("x")]
    return _scaled(np.column_stack([table[name] for name in columns])), table["y"].astype(int)


def satimage() -> Arrays:
    with lzma.open(folder() / "uci/satimage_statlog.csv.xz", "rt") as lines:
        names = lines.readline().rstrip().split(",")
        table = np.array([line.rstrip().split(",") for line in lines])
    last = names.index("classes")
    return _scaled(np.delete(table, last, axis=1).astype(float)), table[:, last]


def _scaled(X: Any) -> Any:
    return StandardScaler().fit_transform(X)


FILES = {
    **{name: f"libsvm/{name}.svm.bz2" for name in ("a9a", "ijcnn1")},
    "covtype": "large/covtype.csv.xz",
    "mnist": "mnist/train-images-idx3-ubyte.gz",
    "adult": "uci/adult.data.xz",
    "spam": "esl/spam.csv.gz",
    "letter": "uci/letter-recognition.data.xz",
}
BUILDERS: dict[str, Callable[[], Arrays]] = {
    "generated50": partial(generated, 20_000, 50),
    "generated300": partial(generated, 20_000, 300),
    "a9a": partial(libsvm, "a9a", 123),
    "a9a-csr": partial(libsvm, "a9a", 123),
    "ijcnn1": partial(libsvm, "ijcnn1", 22),
    "covtype": covtype,
    "mnist": mnist,
    "generated50k": partial(generated, 50_000, 50),
    "generated60k": partial(generated, 60_000, 100),
    "generated20": partial(generated, 100_000, 20),
    "generated1m": partial(generated, 2**20, 20),
    "adult": adult,
    "spam": spam,
    "letter": letter,
}
BARS = ["generated50", "generated300", "a9a", "a9a-csr", "ijcnn1", "covtype", "mnist"]
BOOSTING = ["generated50", "generated20", "adult", "spam"]
