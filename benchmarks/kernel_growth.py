"""Seconds and memory of an RBF classifier on 20,000 to 300,000 rows of covtype, certified.

Float32, standardised, C = 1, tolerance 1e-3, the default 200 MB of ``cache_size``; every size in a
process of its own, in random order of rows. The peak counts as in ``memory``, beyond libraries and
data. How seconds and support vectors grow is an exponent between neighbouring sizes. A fit may take
``LIMIT`` seconds: where that is not enough it ends with what it has, and says so.
"""

from __future__ import annotations

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from benchmarks import contest, memory
from benchmarks.linear_data import available, load
from benchmarks.record import Row

SIZES, LIMIT = [20_000, 50_000, 100_000, 200_000, 300_000], 1_200.0
NAME = "covtype-all"


def measure(small: bool) -> list[Row]:
    """One row of the table a size."""
    if not (list(available([NAME])) and memory.measurable()):
        return []
    rows: list[Row] = []
    for size in SIZES[:1] if small else SIZES:
        row = _child(2_000 if small else size)
        last = rows[-1] if rows else None
        row["exponents"] = {field: _slope(last, row, field) for field in ("seconds", "support")}
        row["seconds"] = {contest.OURS: row["seconds"]}
        rows.append(row)
        print(f"  {row}", flush=True)
    return rows


def _slope(last: Row | None, row: Row, field: str) -> float | None:
    if last is None:
        return None
    before = last[field][contest.OURS] if field == "seconds" else last[field]
    return float(np.log(row[field] / before) / np.log(row["rows"] / last["rows"]))


def _child(rows: int) -> Row:
    command = [sys.executable, "-m", "benchmarks.kernel_growth", str(rows)]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    row: Row = json.loads(done.stdout.splitlines()[-1])
    return row


def fit(rows: int) -> Row:
    """Fit so many rows in this process."""
    from maxmargin import SVC

    data = load(NAME)
    order = np.random.default_rng(0).permutation(len(data.y))[:rows]
    X, y = data.X[order].astype(np.float32), data.y[order]
    SVC().fit(X[:2_500], y[:2_500])
    model, spent = SVC(tol=contest.TOL, time_limit=LIMIT), []

    def timed() -> None:
        start = time.perf_counter()
        model.fit(X, y)
        spent.append(time.perf_counter() - start)

    before, highest = memory.peak(timed)
    return {
        "data": NAME,
        "rows": rows,
        "columns": X.shape[1],
        "seconds": spent[0],
        "support": len(model.support_),
        "peak": highest - before,
        "bar": contest.CACHE_MB + 3 * X.nbytes / 2**20,
        "gap": model.certificate_.relative_gap,
        "status": model.certificate_.status.name,
    }


if __name__ == "__main__":
    print(json.dumps(fit(int(sys.argv[1]))))
