"""The main job against FLAML and five lines of HistGradientBoosting, at the same time budget.

    python -m benchmarks.main_job [--minutes 60] [--python FLAML=/path/to/python ...]

Three tenths of the rows are kept from everybody and judged at the end. Everybody else's work runs
in a process of its own with two threads: ``ours, cold`` with an empty folder of compiled loops, as
in a fresh environment, ``ours`` with a filled one. Scores are accuracy, R², or balanced accuracy
where classes are very unequal (the command's own rule, for all contestants).

Every run is kept in benchmarks/results/main_job.json as soon as it is done, and a later call goes
on: first split 0 of all tables (HistGradientBoosting, ours, FLAML), then ours from a cold start on
it, then the other splits, then the other budgets. ``--minutes`` begins no run that would end later.
Runs of ours from other sources are made again, unless ``--keep``; ``--report`` prints alone.

FLAML and its boosters, and AutoGluon (with ``--who``), may be installed in environments of their
own, whose interpreters ``--python`` names. A peer that cannot be imported is left out, and said so.
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
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import accuracy_score, balanced_accuracy_score, r2_score
from sklearn.model_selection import train_test_split

from benchmarks import record, table_data
from benchmarks.main_job_peers import TARGET
from benchmarks.main_job_report import COLD, EVERYBODY, HGB, KEPT, OURS, lay_out_runs
from benchmarks.table_data import TEST

RESULTS = record.RESULTS / "main_job.json"
CACHE = Path(__file__).parent / ".cache" / "main_job"
PEERS = tuple(who for who in EVERYBODY if who not in (OURS, COLD))
USUAL = (HGB, OURS, "FLAML", COLD)
UNEQUAL = ("bank", "shuttle")
QUANTITIES = ("california", "diamonds", "abalone")
TABLES = (
    "letter", "bank", "california", "german", "adult", "abalone", "satimage", "diamonds", "spam",
    "titanic", "shuttle", "mushroom",
)  # fmt: skip
PATIENCE = 5.0  # budgets after which a contestant is ended from outside
OVERHEAD = 25.0  # seconds of a run that no budget counts: rows, predictions, scores
MODULES = {"FLAML": "flaml", "AutoGluon": "autogluon.tabular", "HGB": "sklearn"}
WARM = """
from maxmargin.job.family import CLASSIFIERS, REGRESSORS
from maxmargin.warmup.worker import work
work(sorted({name for each in (*CLASSIFIERS, *REGRESSORS) for name in each.compiles}))
"""


@dataclass(frozen=True)
class Run:
    """One contestant on one split of one table."""

    table: str
    budget: float
    seed: int
    who: str

    @property
    def key(self) -> str:
        budget = 0.0 if self.who == HGB else self.budget
        return f"{self.table}/{budget:g}/{self.seed}/{self.who}"

    @property
    def metric(self) -> str:
        if self.table in QUANTITIES:
            return "r2"
        return "balanced_accuracy" if self.table in UNEQUAL else "accuracy"


def plan(options: argparse.Namespace) -> Iterator[Run]:
    """Yield runs in the order that tells the most if it ends early."""
    warm, cold = ([who for who in options.who if (who == COLD) is late] for late in (False, True))
    steps = [(seed, who) for seed in range(options.splits) for who in (warm, cold)]
    for budget in options.budgets:
        for seed, group in steps:
            for table in options.tables:
                for who in group:
                    yield Run(table, budget, seed, who)


# a run


def measure(run: Run, options: argparse.Namespace) -> dict[str, Any]:
    """Let a contestant work on a table's training rows, and judge it on the fresh rows."""
    load = os.getloadavg()[0]
    with tempfile.TemporaryDirectory() as place:
        folder = Path(place)
        fresh = _write_rows(run, folder)
        found = _ours(run, folder) if run.who in (OURS, COLD) else _peer(run, folder, options)
    if found.setdefault("metric", run.metric) != run.metric:
        raise RuntimeError(f"{run.table}: the command chose {found['metric']}, not {run.metric}")
    predicted = found.pop("predicted")
    losses = losses_of(run.metric, fresh, predicted)
    found["fresh"] = score(run.metric, fresh, predicted)
    found["error"] = float(losses.std(ddof=1) / np.sqrt(len(losses)))
    found |= {"load": load, "source": record.facts()["source"]}
    return found | _against_hgb(run, losses, options)


def _write_rows(run: Run, folder: Path) -> Any:
    """Write both parts; return the truth of the fresh rows."""
    X, y, quantity = table_data.TABLES[run.table]()
    stratum = None if quantity or np.unique(y, return_counts=True)[1].min() < 2 else y
    table = X.assign(**{TARGET: y})
    options: Any = {"test_size": TEST, "random_state": run.seed, "stratify": stratum}
    train, fresh = train_test_split(table, **options)
    train.to_csv(folder / "train.csv", index=False)
    fresh.to_csv(folder / "fresh.csv", index=False)
    return fresh[TARGET].to_numpy()


def _ours(run: Run, folder: Path) -> dict[str, Any]:
    """Run the command, then let its model predict the rows that it has not seen."""
    command = [sys.executable, "-m", "maxmargin"]
    made, environment = folder / "made", dict(os.environ)
    if run.who == COLD:
        environment["NUMBA_CACHE_DIR"] = str(folder / "cache")
    fit = [*command, "fit", "train.csv", "--target", TARGET, "--out", str(made)]
    spent = _watch([*fit, "--time-budget", f"{run.budget:g}s"], folder, environment, run.budget)
    predict = [*command, "predict", str(made / "model.maxmargin"), "fresh.csv", "--raw"]
    _watch([*predict, "--out", "predictions.csv"], folder, environment, run.budget)
    written = json.loads((made / "run.json").read_text())
    results = written["results"]
    predicted = pd.read_csv(folder / "predictions.csv", dtype=str, keep_default_na=False)
    reported = results["test"]["score"]
    return spent | {
        "predicted": predicted["prediction"].tolist(),
        "metric": results["metric"],
        "winner": results["winner"],
        "reported": reported["value"],
        "interval": [reported["low"], reported["high"]],
        "models": {each["name"]: each["mean"] or each["reason"] for each in results["models"]},
        "folds": written["decided"]["used_folds"],
    }


def warm_up() -> None:
    """Compile the loops of all models, beside the sources, if that was not done before."""
    subprocess.run([sys.executable, "-c", WARM], check=True)


def _peer(run: Run, folder: Path, options: argparse.Namespace) -> dict[str, Any]:
    """Run another library in a process, of another environment if one is named."""
    script = str(Path(__file__).with_name("main_job_peers.py"))
    command = [_python_of(run.who, options), script, run.who, str(folder), "--metric", run.metric]
    environment = os.environ | {"OMP_NUM_THREADS": "2"}
    environment.pop("PYTHONPATH", None)
    spent = _watch([*command, "--budget", f"{run.budget:g}"], folder, environment, run.budget)
    return spent | json.loads((folder / f"{run.who}.json").read_text())


def _python_of(who: str, options: argparse.Namespace) -> str:
    named = dict(each.split("=", 1) for each in options.python)
    return str(named.get(who, sys.executable))


def _watch(
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


# scores


def score(metric: str, truth: Any, predicted: Any) -> float:
    """Score predictions by the metric that models were compared by."""
    if metric == "r2":
        return float(r2_score(truth, np.asarray(predicted, float)))
    judge = balanced_accuracy_score if metric == "balanced_accuracy" else accuracy_score
    return float(judge(truth.astype(str), np.asarray(predicted).astype(str)))


def losses_of(metric: str, truth: Any, predicted: Any) -> Any:
    """Return a loss a row, whose mean is one less the score."""
    if metric == "r2":
        return np.square(np.asarray(predicted, float) - truth) / np.var(truth)
    wrong = (truth.astype(str) != np.asarray(predicted).astype(str)).astype(float)
    if metric != "balanced_accuracy":
        return wrong
    _, label, counts = np.unique(truth.astype(str), return_inverse=True, return_counts=True)
    return wrong * len(truth) / (len(counts) * counts[label])


def _against_hgb(run: Run, losses: Any, options: argparse.Namespace) -> dict[str, float]:
    """Return by how much a score exceeds HistGradientBoosting's on the same rows, and its error."""
    kept = CACHE / f"{run.table}-{run.seed}-hgb.npy"
    if run.who == HGB:
        kept.parent.mkdir(parents=True, exist_ok=True)
        np.save(kept, losses)
        return {}
    if not kept.exists():
        measure(Run(run.table, run.budget, run.seed, HGB), options)
    ahead = np.load(kept) - losses
    return {
        "ahead": float(ahead.mean()),
        "ahead_error": float(ahead.std(ddof=1) / np.sqrt(len(ahead))),
    }


# all of them


def run_all(options: argparse.Namespace) -> None:
    """Measure what is not measured yet, until the minutes are over."""
    end = time.monotonic() + 60.0 * options.minutes
    known = load()
    there = [who for who in options.who if _is_there(who, options)]
    options.who = there
    if OURS in there:
        warm_up()
    source = record.facts()["source"]
    for run in plan(options):
        if _is_known(known.get(run.key), run, source, options):
            continue
        takes = 5.0 if run.who == HGB else run.budget
        if time.monotonic() + takes + OVERHEAD > end:
            print("The minutes are over.")
            return
        try:
            known[run.key] = measure(run, options)
        except (RuntimeError, subprocess.TimeoutExpired) as error:
            known[run.key] = {"failed": str(error)[-2000:], "source": source}
        RESULTS.write_text(json.dumps({"facts": record.facts(), "runs": known}, indent=0) + "\n")
        shown = {name: part for name, part in known[run.key].items() if name not in ("models",)}
        print(run.key, shown, flush=True)


def load() -> dict[str, Any]:
    """Return the runs that are known, by their keys."""
    return dict(json.loads(RESULTS.read_text())["runs"]) if RESULTS.exists() else {}


def _is_known(found: Any, run: Run, source: str, options: argparse.Namespace) -> bool:
    if found is None or options.again:
        return False
    if "failed" in found:
        return bool(found["source"] == source)
    same = run.who not in (OURS, COLD) or found["source"] == source
    return same or options.keep


def _is_there(who: str, options: argparse.Namespace) -> bool:
    """Whether a peer can be imported by the interpreter that is to run it."""
    if who in (OURS, COLD):
        return True
    command = [_python_of(who, options), "-c", f"import {MODULES[who]}"]
    found = subprocess.run(command, capture_output=True, check=False).returncode == 0
    if not found:
        print(f"{who} is not installed in {command[0]}: left out.")
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.main_job", description=__doc__)
    parser.add_argument("--tables", nargs="+", choices=TABLES, default=TABLES)
    parser.add_argument("--budgets", type=float, nargs="+", default=[60.0, 300.0], help="seconds")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--who", nargs="+", choices=EVERYBODY, default=USUAL)
    parser.add_argument("--minutes", type=float, default=float("inf"), help="begin no run after")
    parser.add_argument(
        "--python", action="append", default=[], metavar="WHO=PATH", help="interpreter of a peer"
    )
    parser.add_argument("--again", action="store_true", help="measure again what is known")
    parser.add_argument("--keep", action="store_true", help="keep runs of other sources")
    parser.add_argument("--report", action="store_true", help="print what is known")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    if not options.report:
        run_all(options)
    print(lay_out_runs(load(), TABLES, KEPT))


if __name__ == "__main__":
    main()
