"""Other libraries on the tables of the main job: FLAML, AutoGluon, HistGradientBoosting.

    PYTHON main_job_peers.py WHO FOLDER --budget 60 --metric accuracy

FOLDER holds train.csv and fresh.csv; WHO.json is written into it. This file imports nothing of
maxmargin, so that PYTHON may belong to an environment that only the peers are installed in.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import balanced_accuracy_score

TARGET = "target of the benchmark"
LEVELS = 255  # of a category that HistGradientBoosting takes as one
Found = dict[str, Any]


def read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def prepare(folder: Path, metric: str) -> tuple[pd.DataFrame, Any, pd.DataFrame]:
    """Read the rows; words become pandas's categories, whose levels are those of the training."""
    train, fresh = (read(folder / f"{part}.csv") for part in ("train", "fresh"))
    y = train.pop(TARGET)
    fresh.pop(TARGET)
    for name in train.select_dtypes(exclude="number"):
        levels = pd.CategoricalDtype(sorted(train[name].dropna().astype(str).unique()))
        for part in (train, fresh):
            part[name] = part[name].astype(object).where(part[name].notna()).astype(levels)
    return train, (y.astype(float) if metric == "r2" else y.astype(str)), fresh


def flaml(train: Any, y: Any, fresh: Any, budget: float, metric: str) -> Found:
    from flaml import AutoML

    def balanced(X_val: Any, y_val: Any, model: Any, *_others: Any) -> tuple[float, Found]:
        loss = 1.0 - balanced_accuracy_score(y_val, model.predict(X_val))
        return loss, {"loss": loss}

    task = "regression" if metric == "r2" else "classification"
    names: dict[str, Any] = {"r2": "r2", "accuracy": "accuracy", "balanced_accuracy": balanced}
    model = AutoML()
    model.fit(
        train, y, task=task, time_budget=budget, metric=names[metric], n_jobs=2, seed=0, verbose=0
    )
    return {
        "predicted": np.asarray(model.predict(fresh)).tolist(),
        "winner": str(model.best_estimator),
        "reported": 1.0 - float(model.best_loss),
        "field": list(model.estimator_list),
    }


def autogluon(train: Any, y: Any, fresh: Any, budget: float, metric: str) -> Found:
    from autogluon.tabular import TabularPredictor

    kind = {"r2": "regression"}.get(metric, "multiclass" if len(set(y)) > 2 else "binary")
    model = TabularPredictor(TARGET, problem_type=kind, eval_metric=metric, verbosity=0)
    model.fit(train.assign(**{TARGET: y}), time_limit=budget, num_cpus=2, num_gpus=0)
    board = model.leaderboard()
    return {
        "predicted": model.predict(fresh).tolist(),
        "winner": str(model.model_best),
        "reported": float(board["score_val"].max()),
    }


def hgb(train: Any, y: Any, fresh: Any, _budget: float, metric: str) -> Found:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    many = [name for name in train.select_dtypes("category") if train[name].nunique() > LEVELS]
    coded = [part.assign(**{n: part[n].cat.codes for n in many}) for part in (train, fresh)]
    kind = HistGradientBoostingRegressor if metric == "r2" else HistGradientBoostingClassifier
    weight = {"class_weight": "balanced"} if metric == "balanced_accuracy" else {}
    model = kind(random_state=0, **weight).fit(coded[0], y)
    return {"predicted": model.predict(coded[1]).tolist(), "winner": "hgb"}


PEERS: dict[str, Callable[..., Found]] = {"FLAML": flaml, "AutoGluon": autogluon, "HGB": hgb}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("who", choices=PEERS)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--budget", type=float, required=True)
    parser.add_argument("--metric", required=True)
    options = parser.parse_args()
    rows = prepare(options.folder, options.metric)
    found = PEERS[options.who](*rows, options.budget, options.metric)
    (options.folder / f"{options.who}.json").write_text(json.dumps(found))


if __name__ == "__main__":
    main()
