"""What else one would fit to a table: boosters, tuned or not, forests, nearest neighbours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin import TableSVC, TableSVR

OURS = "TableSVC, TableSVR"
TUNED = ", tuned"
POINTS = 20  # at random, beside the defaults
MOST_LEVELS_OF_HGB = 255  # columns of more are given to it as numbers

Point = dict[str, Any]


def _lightgbm(quantity: bool, **point: Any) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    return (LGBMRegressor if quantity else LGBMClassifier)(verbose=-1, random_state=0, **point)


def _xgboost(quantity: bool, **point: Any) -> Any:
    from xgboost import XGBClassifier, XGBRegressor

    return (XGBRegressor if quantity else XGBClassifier)(enable_categorical=True, **point)


def _catboost(quantity: bool, **point: Any) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    kind = CatBoostRegressor if quantity else CatBoostClassifier
    return kind(verbose=0, allow_writing_files=False, random_seed=0, **point)


def _hgb(quantity: bool, **point: Any) -> Any:
    kind = HistGradientBoostingRegressor if quantity else HistGradientBoostingClassifier
    return kind(random_state=0, **point)


def _realmlp(quantity: bool) -> Any:
    from pytabkit import RealMLP_TD_Classifier, RealMLP_TD_Regressor

    kind = RealMLP_TD_Regressor if quantity else RealMLP_TD_Classifier
    return _WithoutGaps(kind(device="cpu", random_state=0))


def _ours(quantity: bool) -> Any:
    return TableSVR() if quantity else TableSVC()


def _forest(quantity: bool) -> Any:
    kind = RandomForestRegressor if quantity else RandomForestClassifier
    return _with_columns(kind(n_jobs=-1, random_state=0))


def _neighbours(quantity: bool) -> Any:
    return _with_columns((KNeighborsRegressor if quantity else KNeighborsClassifier)(15))


def _with_columns(model: Any) -> Any:
    """Put a model behind one-hot words, filled gaps and standardised numbers."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", min_frequency=2)
    of_words = make_column_selector(dtype_include="category")
    rest = make_column_selector(dtype_exclude="category")
    return make_pipeline(make_column_transformer((words, of_words), (numbers, rest)), model)


class _WithoutGaps:
    """A model that wants no gaps in numbers: medians and indicators instead, words as they are."""

    def __init__(self, model: Any) -> None:
        self.model = model

    def fit(self, X: pd.DataFrame, y: Any) -> _WithoutGaps:
        numbers = X.select_dtypes(exclude="category")
        self.medians = numbers.median().fillna(0.0)
        self.gappy = [name for name in numbers if numbers[name].isna().any()]
        self.model.fit(self._filled(X), y)
        return self

    def predict(self, X: pd.DataFrame) -> Any:
        return self.model.predict(self._filled(X))

    def predict_proba(self, X: pd.DataFrame) -> Any:
        return self.model.predict_proba(self._filled(X))

    def _filled(self, X: pd.DataFrame) -> pd.DataFrame:
        gaps = {f"{name} is missing": X[name].isna().astype(float) for name in self.gappy}
        return X.fillna(self.medians.to_dict()).assign(**gaps).reset_index(drop=True)


CONTESTANTS: dict[str, Callable[..., Any]] = {
    OURS: _ours,
    "HGB": _hgb,
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
    "RealMLP": _realmlp,
    "random forest": _forest,
    "nearest neighbours": _neighbours,
}


def _of_hgb(random: np.random.Generator) -> Point:
    return {
        "learning_rate": _between(random, 0.02, 0.3),
        "max_iter": int(_between(random, 50, 500)),
        "max_leaf_nodes": int(_between(random, 4, 64)),
        "min_samples_leaf": int(_between(random, 2, 50)),
        "l2_regularization": _between(random, 1e-3, 10),
        "max_features": float(random.uniform(0.4, 1.0)),
    }


def _of_lightgbm(random: np.random.Generator) -> Point:
    return {
        "learning_rate": _between(random, 0.02, 0.3),
        "n_estimators": int(_between(random, 50, 500)),
        "num_leaves": int(_between(random, 4, 64)),
        "min_child_samples": int(_between(random, 2, 50)),
        "subsample": float(random.uniform(0.5, 1.0)),
        "subsample_freq": 1,
        "colsample_bytree": float(random.uniform(0.4, 1.0)),
        "reg_lambda": _between(random, 1e-3, 10),
    }


def _of_xgboost(random: np.random.Generator) -> Point:
    return {
        "learning_rate": _between(random, 0.02, 0.3),
        "n_estimators": int(_between(random, 50, 500)),
        "max_depth": int(random.integers(2, 9)),
        "min_child_weight": _between(random, 0.5, 20),
        "subsample": float(random.uniform(0.5, 1.0)),
        "colsample_bytree": float(random.uniform(0.4, 1.0)),
        "reg_lambda": _between(random, 1e-2, 10),
    }


def _of_catboost(random: np.random.Generator) -> Point:
    return {
        "learning_rate": _between(random, 0.02, 0.3),
        "iterations": int(_between(random, 100, 600)),
        "depth": int(random.integers(3, 9)),
        "l2_leaf_reg": _between(random, 1, 10),
    }


def _between(random: np.random.Generator, low: float, high: float) -> float:
    """Return a number whose logarithm is uniform."""
    return float(np.exp(random.uniform(np.log(low), np.log(high))))


SPACES: dict[str, Callable[[np.random.Generator], Point]] = {
    "HGB": _of_hgb,
    "LightGBM": _of_lightgbm,
    "XGBoost": _of_xgboost,
    "CatBoost": _of_catboost,
}
BOOSTERS = tuple(SPACES)
EVERYBODY = (*CONTESTANTS, *(name + TUNED for name in BOOSTERS))


def points(name: str, seed: int) -> list[Point]:
    """Return the defaults and random points of a booster."""
    random = np.random.default_rng(seed)
    return [{}, *(SPACES[name](random) for _ in range(POINTS))]


def as_given(who: str, train: pd.DataFrame, test: pd.DataFrame) -> tuple[Any, Any, Point]:
    """Give words as each contestant wants them: categories, texts with a word for gaps, or raw."""
    words = [c for c in train if train[c].dtype.kind not in "iufb"]
    if who == OURS or not words:
        return train, test, {}
    train, test = train.copy(), test.copy()
    for name in words:
        levels = sorted(train[name].dropna().astype(str).unique())
        for rows in (train, test):
            text = rows[name].where(rows[name].isna(), rows[name].astype(str))
            plain = text.astype(object).where(text.notna(), "missing").astype(str)
            of_levels: Any = pd.Categorical(text, categories=levels)
            if who == "HGB" and len(levels) > MOST_LEVELS_OF_HGB:
                of_levels = of_levels.codes.astype(float)
            rows[name] = plain if who == "CatBoost" else pd.Series(of_levels, rows.index)
    return train, test, {"cat_features": words} if who == "CatBoost" else {}
