"""The first fit ever of every estimator, compilation included, and what a later process loads.

Each number comes from a process of its own and is the time of ``fit`` alone. *First ever* begins
with an empty folder of compiled loops; the later process finds it full, and what its first fit
takes longer than its second is the loading. Estimators are those that ``maxmargin.warmup`` knows,
made as there, on rows that they are not warmed with.
"""

from __future__ import annotations

import tempfile
from typing import Any

from benchmarks.startup import seconds_of

FIRST_BAR, LATER_BAR = 5.0, 0.5
ROWS = 300

_FIT = """
import time, warnings
import numpy as np
from scipy import sparse
from maxmargin.warmup.problem import ESTIMATORS
warnings.simplefilter("ignore")
estimator, kind = ESTIMATORS[{name!r}], {kind!r}
random = np.random.default_rng(1)
X = random.standard_normal(({rows}, 6))
label = random.integers(2, size=len(X))
X[:, 0] += (20.0 if estimator.learns == "separable" else 1.0) * label
y = {{"nothing": (), "quantity": (X[:, 1],), "ranking": (label, np.arange(len(X)) // 10)}}.get(
    estimator.learns, (label,))
X = sparse.csr_matrix(X) if kind == "csr" else X.astype(kind)
models = [estimator.make() for _ in range(2)]
for model in models:
    start = time.perf_counter()
    model.fit(X, *y)
    print(time.perf_counter() - start)
"""


def measure(small: bool) -> list[dict[str, Any]]:
    from maxmargin.warmup.problem import ESTIMATORS, KINDS, Estimator

    names = [name for name, estimator in ESTIMATORS.items() if isinstance(estimator, Estimator)]
    rows = []
    for name in names[:1] if small else names:
        rows += [_measure(name, kind) for kind in KINDS if kind != "csr" or _takes_csr(name)]
        print("  ", *(f"{r['kind']} {r['first']:.2f} s" for r in rows if r["name"] == name), name)
    return rows


def _takes_csr(name: str) -> bool:
    from maxmargin.warmup.problem import ESTIMATORS

    return bool(getattr(ESTIMATORS[name], "takes_csr", False))


def _measure(name: str, kind: str) -> dict[str, Any]:
    code = _FIT.format(name=name, kind=kind, rows=ROWS)
    with tempfile.TemporaryDirectory() as cache:
        first, _ = seconds_of(code, cache)
        later, again = seconds_of(code, cache)
    return {"name": name, "kind": kind, "first": first, "loading": max(0.0, later - again)}
