"""Seconds to fit and to predict on 1 to 16 threads, each number of them in processes of its own.

A process may use as many cores as it has threads, so that nobody takes more, whatever it believes;
counts beyond the cores of the machine are left out. Medians of repeated calls, contestants turn
about; both answers are judged by their objective. How much faster 16 threads are than one is
``gain``, and ``same`` says whether the fits of all counts have the same bits.
"""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks import contest
from benchmarks.contest import INTELEX, MAKERS, OURS
from benchmarks.data import available, load
from benchmarks.judge import Verdict, judge, objection
from benchmarks.record import Row

NAMES = ["generated50", "generated300", "generated60k"]
THREADS = [1, 2, 4, 8, 16]
CACHE_MB, ROWS = 2_000, 20_000


def measure(repeats: int, small: bool) -> list[Row]:
    """One row of the table a data set and a number of threads."""
    return [row for name in available(NAMES) for row in _of_set(name, repeats, small)]


def _of_set(name: str, repeats: int, small: bool) -> list[Row]:
    cores = len(os.sched_getaffinity(0))
    rows = [_child(name, count, repeats, small) for count in THREADS if count <= cores]
    first = rows[0]
    for row in rows:
        row["gain"] = {who: first["seconds"][who] / row["seconds"][who] for who in row["seconds"]}
        row["same"] = row["bits"] == first["bits"]
        print(f"  {name}, {row['threads']} threads: {row['seconds']}", flush=True)
    return rows


def _child(name: str, threads: int, repeats: int, small: bool) -> Row:
    command = [sys.executable, "-m", "benchmarks.svc_threads", name, str(threads), str(repeats)]
    done = subprocess.run(
        [*command, *["--small"] * small],
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def on_threads(name: str, threads: int, repeats: int, small: bool) -> Row:
    """Fit and predict in this process, on so many cores."""
    os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:threads])
    data, names = load(name, small), contest.contestants(with_sklearn=False)
    gamma, few = data.gamma, data.head(2_500)
    for who in names:
        _make(who, gamma).fit(few.X, few.y).predict(few.X[:100])
    seconds, models = _timed(names, repeats, lambda who: _make(who, gamma).fit(data.X, data.y))
    X = data.X[:ROWS]
    predicting, labels = _timed(names, repeats, lambda who: models[who].predict(X))
    verdicts = {who: judge(model, data, gamma) for who, model in models.items()}
    return {
        "data": name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "threads": threads,
        "seconds": contest.medians(seconds),
        "runs": seconds,
        "predicting": contest.medians(predicting),
        "equal": {who: float(np.mean(found == labels[OURS])) for who, found in labels.items()},
        **_objectives(verdicts),
        "status": models[OURS].certificate_.status.name,
        "bits": _bits(models[OURS]),
    }


def _make(who: str, gamma: float) -> Any:
    return MAKERS[who]()(C=contest.C, gamma=gamma, tol=contest.TOL, cache_size=CACHE_MB)


def _timed(names: Iterable[str], repeats: int, call: Any) -> Any:
    calls = {who: partial(call, who) for who in names}
    return contest.interleave(calls, dict.fromkeys(calls, repeats))


def _objectives(verdicts: dict[str, Verdict]) -> Row:
    fields = ("primal", "dual", "gap")
    by_field = {f: {who: getattr(v, f) for who, v in verdicts.items()} for f in fields}
    return {**by_field, "objection": objection(verdicts)}


def _bits(model: Any) -> str:
    """A name of the model's numbers that no other numbers have."""
    parts = (model.support_, model.dual_coef_, model.intercept_)
    return hashlib.sha256(b"".join(part.tobytes() for part in parts)).hexdigest()


def over_intelex(row: Row, what: str) -> float | None:
    spent = row[what]
    return spent[INTELEX] / spent[OURS] if INTELEX in spent else None


if __name__ == "__main__":
    found = on_threads(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), "--small" in sys.argv)
    print(json.dumps(found))
