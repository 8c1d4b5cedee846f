"""The main job against FLAML and five lines of HistGradientBoosting, at the same time budget.

    python -m benchmarks.main_job [--budget 60] [--splits 1] [--tables NAME ...] [--who NAME ...]

Three tenths of the rows are kept from everybody and judged at the end. Everybody else's work runs
in a process of its own with two threads: ``ours, cold`` with an empty compile cache, as on a fresh
machine, ``ours`` with a filled one. Scores are accuracy, balanced accuracy of classes that are very
unequal (the command's own rule, for all contestants) or R². Beside them: how often the fresh score
lies in the interval of the score that a tool reports itself (FLAML reports no interval: around its
score stands one as wide as ours on the same split), seconds from start to end, and peak memory.
Results are kept in benchmarks/results/main_job.json as they come, and ``--report`` prints the
tables. FLAML is left out where it is not installed.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy.stats import rankdata
from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score
from sklearn.model_selection import train_test_split

from benchmarks import record, table_data
from benchmarks.markdown import lay_out
from benchmarks.table_data import TEST

RESULTS = record.RESULTS / "main_job.json"
TABLES = (
    "adult", "bank", "german", "titanic", "spam", "letter", "satimage", "shuttle", "mushroom",
    "california", "diamonds", "abalone",
)  # fmt: skip
OURS, COLD = "ours", "ours, cold"
PATIENCE = 5.0  # budgets after which a contestant is ended from outside
TARGET = "target of the benchmark"


def ours(folder: Path, budget: float, cache: Path) -> dict[str, Any]:
    """Run the command, then let its model predict the rows that it has not seen."""
    command = [sys.executable, "-m", "maxmargin"]
    made = folder / "made"
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    fit = [*command, "fit", "train.csv", "--target", TARGET, "--time-budget", f"{budget:g}s"]
    spent = _run([*fit, "--out", str(made)], folder, environment, budget)
    predict = [*command, "predict", str(made / "model.maxmargin"), "fresh.csv", "--raw"]
    _run([*predict, "--out", "predictions.csv"], folder, environment, budget)
    results = json.loads((made / "run.json").read_text())["results"]
    test = results["test"]
    predicted = pd.read_csv(folder / "predictions.csv", dtype=str, keep_default_na=False)
    return spent | {
        "predicted": predicted["prediction"].tolist(),
        "metric": results["metric"],
        "winner": results["winner"],
        "reported": test["score"]["value"],
        "interval": [test["score"]["low"], test["score"]["high"]],
    }


def _run(
    command: list[str], folder: Path, environment: dict[str, str], budget: float
) -> dict[str, float]:
    """Run a command; return seconds and the peak memory of it and its children in MB."""
    begun = time.perf_counter()
    watched = [sys.executable, "-c", _WATCH, *command]
    done = subprocess.run(
        watched, cwd=folder, env=environment, text=True, capture_output=True, check=False,
        timeout=PATIENCE * budget + 60.0,
    )  # fmt: skip
    if done.returncode:
        raise RuntimeError(done.stderr[-2000:])
    return {
        "seconds": time.perf_counter() - begun,
        "megabytes": float(done.stdout.rsplit("\n", 2)[-2]),
    }


_WATCH = """
import resource, subprocess, sys
code = subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL).returncode
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024)
raise SystemExit(code)
"""


def peer(who: str, folder: Path, budget: float, metric: str) -> dict[str, Any]:
    """Run this file as a process of its own for another library."""
    command = [sys.executable, "-m", "benchmarks.main_job", "--peer", who, str(folder)]
    root = str(Path(__file__).parents[1])
    environment = os.environ | {"OMP_NUM_THREADS": "2", "PYTHONPATH": root}
    options = ["--budget", f"{budget:g}", "--metric", metric]
    spent = _run([*command, *options], folder, environment, budget)
    return spent | json.loads((folder / f"{who}.json").read_text())


def work_for_peer(who: str, folder: Path, budget: float, metric: str) -> None:
    """Fit another library's model to the training rows and predict the fresh ones."""
    train, fresh = (_read(folder / f"{part}.csv") for part in ("train", "fresh"))
    y = train.pop(TARGET)
    fresh.pop(TARGET)
    for name in train.select_dtypes(exclude="number"):
        kind = pd.CategoricalDtype(sorted(train[name].dropna().astype(str).unique()))
        train[name], fresh[name] = (part[name].astype(str).astype(kind) for part in (train, fresh))
    y = y if metric == "r2" else y.astype(str)
    found = PEERS[who](train, y, fresh, budget, metric)
    (folder / f"{who}.json").write_text(json.dumps(found))


def _flaml(train: Any, y: Any, fresh: Any, budget: float, metric: str) -> dict[str, Any]:
    from flaml import AutoML

    def balanced(X_val: Any, y_val: Any, model: Any, *_others: Any) -> tuple[float, dict[str, Any]]:
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
    }


def _hgb(train: Any, y: Any, fresh: Any, _budget: float, metric: str) -> dict[str, Any]:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    few = [name for name in train.select_dtypes("category") if train[name].nunique() <= 255]
    many = [name for name in train.select_dtypes("category") if name not in few]
    coded = [part.assign(**{n: part[n].cat.codes for n in many}) for part in (train, fresh)]
    kind = HistGradientBoostingRegressor if metric == "r2" else HistGradientBoostingClassifier
    weight = {"class_weight": "balanced"} if metric == "balanced_accuracy" else {}
    model = kind(random_state=0, **weight).fit(coded[0], y)
    return {"predicted": model.predict(coded[1]).tolist(), "winner": "hgb"}


PEERS: dict[str, Callable[..., dict[str, Any]]] = {"FLAML": _flaml, "HGB": _hgb}
EVERYBODY = (OURS, COLD, *PEERS)


def _read(path: Path) -> pd.DataFrame:
    return pd.read_csv(path, keep_default_na=False, na_values=[""])


def measure(name: str, seed: int, who: str, budget: float, metric: str) -> dict[str, Any]:
    """Let a contestant work on a table's training rows, and judge it on the fresh rows."""
    X, y, quantity = table_data.TABLES[name]()
    stratum = None if quantity or np.unique(y, return_counts=True)[1].min() < 2 else y
    table = X.assign(**{TARGET: y})
    train, fresh = train_test_split(table, test_size=TEST, random_state=seed, stratify=stratum)
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        train.to_csv(folder / "train.csv", index=False)
        fresh.to_csv(folder / "fresh.csv", index=False)
        if who in PEERS:
            found = peer(who, folder, budget, metric)
        else:
            cache = folder / "cache" if who == COLD else record.RESULTS.parent / ".main_job_cache"
            found = ours(folder, budget, cache)
    metric = found.pop("metric", metric)
    found["metric"] = metric
    found["fresh"] = score(metric, fresh[TARGET].to_numpy(), found.pop("predicted"))
    return found


def score(metric: str, truth: Any, predicted: Any) -> float:
    """Score predictions by the metric that models were compared by."""
    if metric == "r2":
        return float(r2_score(truth, np.asarray(predicted, float)))
    judge = balanced_accuracy_score if metric == "balanced_accuracy" else accuracy_score
    return float(judge(truth.astype(str), np.asarray(predicted).astype(str)))


def run(options: argparse.Namespace) -> None:
    """Measure what is not measured yet; the first contestant tells the metric."""
    known = json.loads(RESULTS.read_text())["runs"] if RESULTS.exists() else {}
    for seed in range(options.splits):
        for name in options.tables:
            for who in options.who:
                key = f"{name}/{options.budget:g}/{seed}/{who}"
                if key in known and not options.again:
                    continue
                metric = _metric_of(name, known)
                known[key] = measure(name, seed, who, options.budget, metric)
                whole = {"facts": record.facts(), "runs": known}
                RESULTS.write_text(json.dumps(whole, indent=0) + "\n")
                print(key, known[key], flush=True)


def _metric_of(name: str, known: dict[str, Any]) -> str:
    found = [each["metric"] for key, each in known.items() if key.startswith(f"{name}/")]
    quantity = name in ("california", "diamonds", "abalone")
    return found[0] if found else "r2" if quantity else "accuracy"


def report(budget: float) -> str:
    """Lay out fresh scores, mean ranks, honesty, seconds and memory."""
    runs = json.loads(RESULTS.read_text())["runs"]
    keys = [key.split("/") for key in runs if key.split("/")[1] == f"{budget:g}"]
    who = [w for w in EVERYBODY if any(key[3] == w for key in keys)]
    lines, ranks = [], []
    for name in TABLES:
        seeds = sorted({key[2] for key in keys if key[0] == name})
        seeds = [s for s in seeds if all(f"{name}/{budget:g}/{s}/{w}" in runs for w in who)]
        if not seeds:
            continue
        found = [[runs[f"{name}/{budget:g}/{s}/{w}"] for w in who] for s in seeds]
        scores = np.mean([[each["fresh"] for each in line] for line in found], axis=0)
        winners = {line[who.index(w)]["winner"] for line in found for w in who if w == OURS}
        lines.append([name, found[0][0]["metric"], *(f"{x:.4f}" for x in scores), *winners])
        ranks.append(rankdata(-scores.round(6)))
    lines.append(["**mean rank**", "", *(f"{r:.2f}" for r in np.mean(ranks, axis=0)), ""])
    of = {w: [runs["/".join(key)] for key in keys if key[3] == w] for w in who}
    lines.append(
        ["in its interval", "", *(_inside(_with_intervals(w, runs, keys)) for w in who), ""]
    )
    for what in ("seconds", "megabytes"):
        most = [f"{max(each[what] for each in of[w]):.0f}" for w in who]
        lines.append([f"{what}, at most", "", *most, ""])
    return lay_out(["table", "metric", *who, "winner of ours"], lines)


def _with_intervals(who: str, runs: dict[str, Any], keys: list[list[str]]) -> list[dict[str, Any]]:
    """Give runs that report a bare score an interval as wide as ours on the same split."""
    found = []
    for key in (key for key in keys if key[3] == who):
        run, own = runs["/".join(key)], runs.get("/".join([*key[:3], OURS]))
        if "interval" not in run and "reported" in run and own is not None:
            ends = [end - own["reported"] + run["reported"] for end in own["interval"]]
            run = run | {"interval": ends}
        found.append(run)
    return found


def _inside(runs: list[dict[str, Any]]) -> str:
    """Count runs whose interval of the reported score holds the fresh score."""
    known = [each for each in runs if each.get("interval")]
    held = [each["interval"][0] <= each["fresh"] <= each["interval"][1] for each in known]
    return f"{sum(held)} of {len(held)}" if held else ""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.main_job", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--budget", type=float, default=60.0, help="seconds")
    parser.add_argument("--splits", type=int, default=1)
    parser.add_argument("--who", nargs="+", choices=EVERYBODY, default=EVERYBODY)
    parser.add_argument("--again", action="store_true", help="measure again what is known")
    parser.add_argument("--report", action="store_true", help="print what is known")
    parser.add_argument("--peer", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--metric", default="accuracy", help=argparse.SUPPRESS)
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if options.peer:
        work_for_peer(options.peer[0], Path(options.peer[1]), options.budget, options.metric)
    elif options.report:
        print(report(options.budget))
    else:
        run(options)


if __name__ == "__main__":
    main()
