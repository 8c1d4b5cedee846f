"""Kernel machines for tables against boosted trees and others, all with their defaults.

    python -m benchmarks.tables [--tables NAME ...] [--rows 4000] [--splits 5] [--rivals NAME ...]

Every contestant gets the same rows of the same split, words and missing values as it takes them
itself. Scores are accuracy, or R² of quantities, on rows nobody saw; log loss and seconds beside
them. Results are kept in benchmarks/results/tables.json as they come, and a table is printed.
LightGBM, XGBoost and CatBoost are left out where they are not installed.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.metrics import log_loss, r2_score
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from benchmarks import record, table_data
from maxmargin import TableSVC, TableSVR

OURS = "TableSVC, TableSVR"
BOOSTERS = ("HGB", "LightGBM", "XGBoost", "CatBoost")
RESULTS = record.RESULTS / "tables.json"
MOST_LEVELS_OF_HGB = 255  # columns of more are given to it as numbers


def _lightgbm(quantity: bool) -> Any:
    from lightgbm import LGBMClassifier, LGBMRegressor

    return (LGBMRegressor if quantity else LGBMClassifier)(verbose=-1, random_state=0)


def _xgboost(quantity: bool) -> Any:
    from xgboost import XGBClassifier, XGBRegressor

    return (XGBRegressor if quantity else XGBClassifier)(enable_categorical=True)


def _catboost(quantity: bool) -> Any:
    from catboost import CatBoostClassifier, CatBoostRegressor

    kind = CatBoostRegressor if quantity else CatBoostClassifier
    return kind(verbose=0, allow_writing_files=False, random_seed=0)


def _with_columns(model: Any) -> Any:
    """Put a model behind one-hot words, filled gaps and standardised numbers."""
    numbers = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    words = OneHotEncoder(handle_unknown="ignore", min_frequency=2)
    of_words = make_column_selector(dtype_include="category")
    rest = make_column_selector(dtype_exclude="category")
    return make_pipeline(make_column_transformer((words, of_words), (numbers, rest)), model)


CONTESTANTS: dict[str, Callable[[bool], Any]] = {
    OURS: lambda quantity: TableSVR() if quantity else TableSVC(),
    "HGB": lambda quantity: (
        HistGradientBoostingRegressor if quantity else HistGradientBoostingClassifier
    )(random_state=0),
    "LightGBM": _lightgbm,
    "XGBoost": _xgboost,
    "CatBoost": _catboost,
    "random forest": lambda quantity: _with_columns(
        (RandomForestRegressor if quantity else RandomForestClassifier)(n_jobs=-1, random_state=0)
    ),
    "nearest neighbours": lambda quantity: _with_columns(
        (KNeighborsRegressor if quantity else KNeighborsClassifier)(15)
    ),
}


def _as_given(who: str, part: table_data.Split) -> tuple[Any, Any, dict[str, Any]]:
    """Give words as each contestant wants them: categories, texts with a word for gaps, or raw."""
    words = [c for c in part.train if part.train[c].dtype.kind not in "iufb"]
    if who == OURS or not words:
        return part.train, part.test, {}
    train, test = part.train.copy(), part.test.copy()
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


def measure(who: str, part: table_data.Split) -> dict[str, float]:
    """Fit a contestant and score it on the test rows."""
    train, test, options = _as_given(who, part)
    classes, y = np.unique(part.y_train, return_inverse=True)
    begun = time.perf_counter()
    model = CONTESTANTS[who](part.quantity)
    model.fit(train, part.y_train if part.quantity else y, **options)
    seconds = time.perf_counter() - begun
    if part.quantity:
        return {"score": r2_score(part.y_test, model.predict(test)), "seconds": seconds}
    p, true = model.predict_proba(test), np.searchsorted(classes, part.y_test)
    return {
        "score": float((p.argmax(axis=1) == true).mean()),
        "log_loss": float(log_loss(true, p, labels=np.arange(len(classes)))),
        "seconds": seconds,
    }


def run(options: argparse.Namespace) -> dict[str, Any]:
    """Measure what is not measured yet; results are kept one at a time."""
    found: dict[str, Any] = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for seed in range(options.splits):
        for name in options.tables:
            part = None
            for who in options.rivals:
                key = f"{name}/{options.rows}/{seed}/{who}"
                if key in found and not options.again:
                    continue
                part = part or table_data.split(name, options.rows, seed)
                try:
                    found[key] = measure(who, part)
                except ImportError:
                    print(f"{who} is not installed: left out.")
                    continue
                RESULTS.write_text(json.dumps(found, indent=0))
                print(key, {k: round(v, 4) for k, v in found[key].items()}, flush=True)
    return found


def summary(found: dict[str, Any], options: argparse.Namespace) -> str:
    """Lay out mean scores by table, mean ranks, wins or ties, log losses and seconds."""
    who = [w for w in options.rivals if any(key.endswith(f"/{w}") for key in found)]
    lines, means, ties = [], [], {w: [] for w in who}
    for name in options.tables:
        rows = [
            [found.get(f"{name}/{options.rows}/{seed}/{w}", {}).get("score", np.nan) for w in who]
            for seed in range(options.splits)
        ]
        scores = np.array(rows)
        if np.isnan(scores).any():
            continue
        means.append(scores.mean(axis=0))
        half = "judged" if name in table_data.JUDGED else "choosing"
        lines.append(f"| {name} | {half} | " + " | ".join(f"{s:.4f}" for s in means[-1]) + " |")
        for place, rival in enumerate(who):
            off = scores[:, 0] - scores[:, place]
            error = off.std(ddof=1) / np.sqrt(len(off)) if len(off) > 1 else 0.0
            ties[rival].append(off.mean() >= -error)
    ranks = np.array([rankdata(-m) for m in means]).mean(axis=0)
    head = "| table | half | " + " | ".join(who) + " |\n|---|---|" + "---|" * len(who)
    rank = "| **mean rank** | | " + " | ".join(f"{r:.2f}" for r in ranks) + " |"
    tie = "| wins or ties of ours | | " + " | ".join(f"{np.mean(ties[w]):.0%}" for w in who) + " |"
    return "\n".join([head, *lines, rank, tie])


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=list(table_data.TABLES))
    parser.add_argument("--half", choices=["judged", "choosing"])
    parser.add_argument("--rows", type=int, default=4000, help="training rows at most")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--rivals", nargs="+", choices=list(CONTESTANTS), default=list(CONTESTANTS))
    parser.add_argument("--again", action="store_true", help="measure again what is known")
    options = parser.parse_args()
    halves = {"judged": table_data.JUDGED, "choosing": table_data.CHOOSING}
    options.tables = options.tables or halves.get(options.half, tuple(table_data.TABLES))
    warnings.filterwarnings("ignore")
    print(summary(run(options), options))


if __name__ == "__main__":
    main()
