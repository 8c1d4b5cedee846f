from collections.abc import Callable
from typing import Any

import numpy as np
import polars as pl
import pytest

from maxmargin.job import additive_models, kernel_models, plain_models, tree_models
from maxmargin.tables import Feature, Schema, Table


def table_of(
    features: pl.DataFrame, target: Any, task: str = "classification", **facts: Any
) -> Table:
    """Make a table of columns as they are: numbers are Float64, categories String."""
    target = np.asarray(target)
    kinds = {pl.String: "category", pl.Float64: "number"}
    schema = Schema(
        tuple(Feature(name, kinds[kind], name) for name, kind in features.schema.items()),
        "y",
        task,
        tuple(np.unique(target).tolist()) if task == "classification" else (),
    )
    rows = np.arange(len(target))
    return Table(features, target, schema, (), "made.csv", "0", len(target), rows, **facts)


def mixed_features(n: int, seed: int = 0) -> pl.DataFrame:
    """Two numbers, one of them with gaps, and a category with gaps and a rare level."""
    rng = np.random.default_rng(seed)
    gaps = np.where(np.arange(n) % 6 == 0, None, rng.normal(size=n))
    levels = [None if i % 9 == 0 else "rare" if i == 4 else "uvw"[i % 3] for i in range(n)]
    return pl.DataFrame(
        {
            "signal": rng.normal(size=n) + 2.5 * (np.arange(n) % 2),
            "gappy": pl.Series(gaps.tolist(), dtype=pl.Float64),
            "level": pl.Series(levels, dtype=pl.String),
        }
    )


@pytest.fixture(autouse=True)
def _small_family(monkeypatch):
    """A few rounds and points of each grid: what they are like is seen elsewhere."""
    small = {
        tree_models: {
            "ROUNDS": (2, 4),
            "STUMPS": 4,
            "TREES": 4,
            "MOST_ROUNDS": 8,
            "MANY_ROUNDS": 8,
            "LEAST_ROUNDS": 4,
            "MORE_SHAPES": tree_models.MORE_SHAPES[:1],
            "SHAPES": tree_models.SHAPES[:2],
        },
        kernel_models: {
            "COSTS": (1.0, 10.0),
            "FEW_COSTS": (1.0,),
            "POLY_COSTS": (1.0,),
            "GAMMAS": (1.0,),
            "FEW_GAMMAS": (1.0,),
        },
        plain_models: {"LINEAR_COSTS": (0.1, 1.0)},
        additive_models: {"MOST_ROUNDS": 4},
    }
    for module, values in small.items():
        for name, value in values.items():
            monkeypatch.setattr(module, name, value)


@pytest.fixture
def two_classes() -> Table:
    return table_of(mixed_features(72), np.array(["no", "yes"])[np.arange(72) % 2])


@pytest.fixture
def quantity() -> Table:
    features = mixed_features(72)
    noise = np.random.default_rng(1).normal(scale=0.3, size=72)
    return table_of(features, features["signal"].to_numpy() * 2.0 + noise, "regression")


@pytest.fixture
def make_table() -> Callable[..., Table]:
    return table_of
