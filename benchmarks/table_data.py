"""Tables with columns of all kinds, half of them to choose defaults on, half to judge.

Every other table of the list, in the order of their names, is for choosing: nothing about the
machines was decided on the others.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from sklearn import datasets
from sklearn.model_selection import train_test_split

from benchmarks.source import folder

TEST = 0.3
LEAST_IN_CLASS = 5


@dataclass(frozen=True)
class Split:
    """Training and test rows of a table."""

    train: pd.DataFrame
    test: pd.DataFrame
    y_train: Any
    y_test: Any
    quantity: bool


def _file(
    path: str, target: Any, quantity: bool = False, drop: tuple[Any, ...] = (), **how: Any
) -> tuple[pd.DataFrame, Any, bool]:
    how = {"header": None} | how if isinstance(target, int) else how
    table = pd.read_csv(folder() / path, **how)
    y = table.iloc[:, target] if isinstance(target, int) else table[target]
    X = table.drop(columns=[y.name, *drop])[y.notna()]
    X.columns = [str(name) for name in X.columns]
    labels = y[y.notna()]
    return X, labels.astype(float if quantity else str).to_numpy(), quantity


def _bundled(load: Callable[..., Any], quantity: bool = False) -> tuple[pd.DataFrame, Any, bool]:
    bunch = load(as_frame=True)
    return bunch.data, bunch.target.to_numpy().astype(float if quantity else str), quantity


def _steps(rows: int = 4000) -> tuple[pd.DataFrame, Any, bool]:
    """A quantity of steps along the axes, as trees like it."""
    random = np.random.default_rng(0)
    X = random.uniform(size=(rows, 10))
    y = (X[:, 0] > 0.3) + 2.0 * (X[:, 1] > 0.6) * (X[:, 2] > 0.4)
    y -= 1.5 * (X[:, 3] < 0.5) * (X[:, 0] > 0.7)
    return _named(X), y + 0.3 * random.normal(size=rows), True


def _few_relevant(rows: int = 3000) -> tuple[pd.DataFrame, Any, bool]:
    """Four columns of sixty say something."""
    random = np.random.default_rng(0)
    X = random.normal(size=(rows, 60))
    value = X[:, 0] * X[:, 1] + np.abs(X[:, 2]) - 1 + (X[:, 3] > 0.5)
    return _named(X), np.where(value + 0.5 * random.normal(size=rows) > 0, "a", "b"), False


def _many_words(rows: int = 4000) -> tuple[pd.DataFrame, Any, bool]:
    """Words of up to 200 levels, rare ones among them."""
    random, columns, value = np.random.default_rng(0), {}, np.zeros(rows)
    for number, (levels, effect) in enumerate([(5, 1), (20, 1), (60, 1.2), (200, 1.2), (8, 0)]):
        code = np.minimum(random.geometric(min(0.5, 3 / levels), size=rows), levels)
        value += effect * random.normal(size=levels + 1)[code]
        columns[f"w{number}"] = [f"v{c}" for c in code]
    z = random.normal(size=rows)
    value += z * (np.array(columns["w0"]) == "v1") + random.normal(size=rows)
    return pd.DataFrame(columns | {"z": z}), np.where(value > np.median(value), "yes", "no"), False


def _friedman(rows: int = 2000) -> tuple[pd.DataFrame, Any, bool]:
    X, y = datasets.make_friedman1(rows, noise=1.0, random_state=0)
    return _named(X), y, True


def _named(X: Any) -> pd.DataFrame:
    return pd.DataFrame(X).rename(columns=lambda j: f"x{j}")


TABLES: dict[str, Callable[[], tuple[pd.DataFrame, Any, bool]]] = {
    "abalone": partial(_file, "uci/abalone.csv.gz", -1, True),
    "adult": partial(_file, "uci/adult.data.xz", -1, na_values="?", skipinitialspace=True),
    "bank": partial(_file, "uci/bank-full.csv.xz", "y"),
    "boston": partial(_file, "uci/boston_housing.data", -1, True, sep=r"\s+"),
    "california": partial(_file, "uci/california_housing.csv.xz", "median_house_value", True),
    "covtype": partial(_file, "large/covtype.csv.xz", "Cover_Type"),
    "diabetes": partial(_bundled, datasets.load_diabetes, True),
    "diamonds": partial(_file, "uci/diamonds.csv.xz", "price", True),
    "digits": partial(_bundled, datasets.load_digits),
    "dna": partial(_file, "uci/dna_statlog.csv.xz", "Class"),
    "few relevant": _few_relevant,
    "flights": partial(_file, "large/nycflights13.csv.xz", "arr_delay", True),
    "friedman": _friedman,
    "german": partial(_file, "uci/german.data", -1),
    "heart": partial(_file, "islr/Heart.csv", "AHD"),
    "higgs": partial(_file, "large/higgs7k_train.tsv.xz", 0, sep="\t"),
    "letter": partial(_file, "uci/letter-recognition.data.xz", 0, keep_default_na=False),
    "many words": _many_words,
    "mushroom": partial(_file, "uci/agaricus-lepiota.data.xz", 0),
    "optdigits": partial(_file, "keel/optdigits.csv.xz", -1),
    "penbased": partial(_file, "keel/penbased.csv.xz", -1),
    "saheart": partial(_file, "esl/SAheart.csv", "chd"),
    "satimage": partial(_file, "uci/satimage_statlog.csv.xz", "classes"),
    "shuttle": partial(_file, "uci/shuttle_statlog.csv.xz", "Class"),
    "spam": partial(_file, "esl/spam.csv.gz", "spam"),
    "steps": _steps,
    "titanic": partial(_file, "uci/titanic.csv.gz", "survived", drop=("alive",)),
    "vowel": partial(_file, "esl/vowel_train.csv", "y"),
    "waveform": partial(_file, "esl/waveform_test.csv", "y"),
    "wdbc": partial(_bundled, datasets.load_breast_cancer),
    "wine": partial(_bundled, datasets.load_wine),
    "wisconsin": partial(_file, "uci/breast-cancer-wisconsin.data", -1, drop=(0,), na_values="?"),
}
CHOOSING = tuple(sorted(TABLES))[::2]
JUDGED = tuple(sorted(TABLES))[1::2]


def split(name: str, most: int, seed: int) -> Split:
    """Split a table, at most so many training rows; classes of a few rows are left out."""
    X, y, quantity = TABLES[name]()
    X, y = _of_common_classes(X, y, quantity)
    if len(X) > 4 * most:
        X, _, y, _ = train_test_split(
            X, y, train_size=4 * most, random_state=seed, stratify=None if quantity else y
        )
        X, y = _of_common_classes(X, y, quantity)
    a, b, c, d = train_test_split(
        X, y, test_size=TEST, random_state=seed, stratify=None if quantity else y
    )
    return Split(a.iloc[:most], b, c[:most], d, quantity)


def _of_common_classes(X: pd.DataFrame, y: Any, quantity: bool) -> tuple[pd.DataFrame, Any]:
    """Leave out the rows of classes that have few."""
    if quantity:
        return X, y
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= LEAST_IN_CLASS])
    return X[kept], y[kept]
