"""Kernel machines for tables against boosted trees and others.

    python -m benchmarks.tables [--half judged] [--rows 2000] [--splits 5] [--who NAME ...]

Every contestant gets the same rows of the same split, words and missing values as it takes them
itself. Scores are accuracy, or R² of quantities, on rows nobody saw; log loss, expected calibration
error and seconds beside them. "HGB, tuned" is the best of its defaults and 20 random points on a
quarter of its training rows, by log loss or squared error, fitted again to all of them. Results are
kept in benchmarks/results/tables.json as they come; ``python -m benchmarks.table_report`` puts them
into the documents. LightGBM, XGBoost, CatBoost and RealMLP (pytabkit) are left out where they are
not installed.
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from typing import Any

import numpy as np
from sklearn.metrics import log_loss, mean_squared_error, r2_score
from sklearn.model_selection import train_test_split

from benchmarks import record, table_data
from benchmarks.table_rivals import CONTESTANTS, EVERYBODY, OURS, TUNED, Point, as_given, points

RESULTS = record.RESULTS / "tables.json"
BINS = 15  # of the expected calibration error


def measure(who: str, part: table_data.Split, seed: int) -> dict[str, float]:
    """Fit a contestant and score it on the test rows."""
    name = who.removesuffix(TUNED)
    train, test, options = as_given(name, part.train, part.test)
    classes, y = np.unique(part.y_train, return_inverse=True)
    y = part.y_train if part.quantity else y
    begun = time.perf_counter()
    point = tune(name, part, y, seed) if who.endswith(TUNED) else {}
    model = CONTESTANTS[name](part.quantity, **point).fit(train, y, **options)
    seconds = time.perf_counter() - begun
    if part.quantity:
        return {"score": r2_score(part.y_test, model.predict(test)), "seconds": seconds}
    p, true = model.predict_proba(test), np.searchsorted(classes, part.y_test)
    right = p.argmax(axis=1) == true
    return {
        "score": float(right.mean()),
        "log_loss": float(log_loss(true, p, labels=np.arange(len(classes)))),
        "calibration": calibration_error(p.max(axis=1), right),
        "seconds": seconds,
    }


def tune(name: str, part: table_data.Split, y: Any, seed: int) -> Point:
    """Return a booster's best point on a quarter of the training rows."""
    rows = np.arange(len(y))
    alone = not part.quantity and np.bincount(y).min() < 2
    stratum = None if part.quantity or alone else y
    a, b = train_test_split(rows, test_size=0.25, random_state=seed, stratify=stratum)
    train, test, options = as_given(name, part.train.iloc[a], part.train.iloc[b])
    best, least = {}, np.inf
    for point in points(name, seed):
        model = CONTESTANTS[name](part.quantity, **point).fit(train, y[a], **options)
        if part.quantity:
            loss = mean_squared_error(y[b], model.predict(test))
        else:
            loss = log_loss(y[b], model.predict_proba(test), labels=np.unique(y[a]))
        if loss < least:
            best, least = point, loss
    return best


def calibration_error(sure: Any, right: Any) -> float:
    """Return the mean distance of accuracy and confidence over bins of confidence."""
    bins = np.minimum((sure * BINS).astype(int), BINS - 1)
    off = np.bincount(bins, sure - right, BINS)
    return float(np.abs(off).sum() / len(sure))


def run(options: argparse.Namespace) -> None:
    """Measure what is not measured yet; results are kept one at a time."""
    found = json.loads(RESULTS.read_text())["rows"] if RESULTS.exists() else {}
    for seed in range(options.splits):
        for name in options.tables:
            part = None
            for who in options.who:
                key = f"{name}/{options.rows}/{seed}/{who}"
                if key in found and not options.again:
                    continue
                part = part or table_data.split(name, options.rows, seed)
                try:
                    found[key] = measure(who, part, seed)
                except ImportError:
                    print(f"{who} is not installed: left out.")
                    continue
                whole = {"facts": record.facts(), "rows": found}
                RESULTS.write_text(json.dumps(whole, indent=0) + "\n")
                print(key, {k: round(v, 4) for k, v in found[key].items()}, flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.tables", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=list(table_data.TABLES))
    parser.add_argument("--half", choices=["judged", "choosing"])
    parser.add_argument("--rows", type=int, default=2000, help="training rows at most")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--who", nargs="+", choices=EVERYBODY, default=list(CONTESTANTS))
    parser.add_argument("--again", action="store_true", help="measure again what is known")
    options = parser.parse_args()
    halves = {"judged": table_data.JUDGED, "choosing": table_data.CHOOSING}
    options.tables = options.tables or halves.get(options.half, tuple(table_data.TABLES))
    warnings.filterwarnings("ignore")
    if OURS in options.who:  # compiled before anything is timed
        CONTESTANTS[OURS](False).fit(np.arange(40.0)[:, None], np.arange(40) % 2)
    run(options)


if __name__ == "__main__":
    main()
