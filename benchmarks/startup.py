"""How long an import takes, and the first fit: ever, compiling, and in a later process.

Every number comes from processes of its own, timed inside from just before the import. 200 rows
fit in one working set; 3,000 rows do not, and make the solver compile all of its loops.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

IMPORTS = ["import sklearn.svm", "import maxmargin", "from maxmargin import SVC"]
IMPORT_BAR, FIRST_BAR, LATER_BAR = 1.2, 5.0, 1.0

_TIMED = "import time; start = time.perf_counter(); {}; print(time.perf_counter() - start, 0.0)"
_FIT = """
import time
import numpy as np
X = np.random.default_rng(0).standard_normal(({rows}, 5)).astype(np.{dtype})
y = (X[:, 0] * X[:, 1] > 0).astype(int)
start = time.perf_counter()
from maxmargin import SVC
imported = time.perf_counter()
SVC().fit(X, y)
print(imported - start, time.perf_counter() - imported)
"""


def seconds_of(code: str, numba_cache: str | None = None) -> list[float]:
    """Run the code in a new process; it prints the seconds of its import and of its fit."""
    extra = {} if numba_cache is None else {"NUMBA_CACHE_DIR": numba_cache}
    done = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **extra},
        cwd=Path(__file__).parents[1],
        stdout=subprocess.PIPE,
        text=True,
        check=True,
    )
    return [float(word) for word in done.stdout.split()]


def measure(repeats: int) -> list[dict[str, Any]]:
    return _imports(repeats) + [
        row for rows in (200, 3_000) for d in ("float32", "float64") for row in _fits(rows, d)
    ]


def _row(what: str, runs: list[list[float]], bar: float | None) -> dict[str, Any]:
    imported, fitted = np.median(runs, axis=0)
    whole = float(np.median(np.sum(runs, axis=1)))
    return {"what": what, "import": imported, "fit": fitted, "seconds": whole, "bar": bar}


def _imports(repeats: int) -> list[dict[str, Any]]:
    turns = [[seconds_of(_TIMED.format(line)) for line in IMPORTS] for _ in range(2 * repeats + 1)]
    runs = list(zip(*turns[1:], strict=True))  # the first brings files into the system's cache
    bar = IMPORT_BAR * float(np.median([imported for imported, _ in runs[0]]))
    bars = [None, bar, None]
    return [_row(f"`{line}`", *rest) for line, *rest in zip(IMPORTS, runs, bars, strict=True)]


def _fits(rows: int, dtype: str) -> list[dict[str, Any]]:
    code = _FIT.format(rows=rows, dtype=dtype)
    first, later = [], []
    for _ in range(3):
        with tempfile.TemporaryDirectory() as cache:
            first.append(seconds_of(code, cache))
            later.append(seconds_of(code, cache))
    kind = f"{rows:,} rows, {dtype}"
    return [
        _row(f"{kind}: first ever", first, FIRST_BAR),
        _row(f"{kind}: later process", later, LATER_BAR),
    ]
