"""What sixteen cores gain: ``python -m benchmarks.sixteen``, in less than eight minutes.

Nothing has to be installed but the package's own dependencies: ``src`` beside this folder is used
from a plain checkout, and rows against intelex are left out where scikit-learn-intelex is missing.
Each number of threads runs in a process of its own that may use as many cores; counts beyond the
cores of the machine are left out, and so are the bars that need them. A process makes every fit
once to load its loops, then the median of a few counts. covtype is read from the folder that
MAXMARGIN_DATA names; without it, generated rows of the same shape stand in, and the table says so.

Every group of rows is kept in ``.cache/sixteen.json`` when it is done: ``--only linear`` measures
that one again and prints the others from there. After ``--seconds`` no group begins.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path[:0] = [str(ROOT), str(ROOT / "src")]

import numpy as np  # noqa: E402 - the plain checkout comes first

from benchmarks import contest, data, linear_data, source  # noqa: E402
from benchmarks.contest import INTELEX, OURS  # noqa: E402
from benchmarks.markdown import lay_out, number, times  # noqa: E402

KEPT = data.CACHE / "sixteen.json"
COUNTS = (1, 2, 4, 8, 16)
SETS = {"generated50": COUNTS, "generated300": COUNTS, "generated60k": (1, 8, 16)}
SLOWER = 1.03  # at most, with more threads than with fewer
ONE, MOST = 1, 16

Row = dict[str, Any]
Fits = Iterator[tuple[str, Callable[[], Any], Any, Any]]


def svc(name: str, threads: int, small: bool) -> list[Row]:
    """Fit and predict, with intelex where it is installed."""
    found = data.load(name, small)
    makers = {OURS: partial(contest.ours(), n_jobs=threads)}
    if INTELEX in contest.contestants(with_sklearn=False):
        makers[INTELEX] = contest.intelex()
    settings = {"C": 1.0, "gamma": found.gamma, "tol": 1e-3, "cache_size": 2_000}
    spent, predicting, bits = {}, {}, ""
    repeats = 1 if len(found.y) > 50_000 else 2
    X = found.X[:20_000]
    for who, make in makers.items():
        make(**settings).fit(found.X[:2_500], found.y[:2_500]).predict(X[:100])
        models = []
        spent[who] = _median(
            lambda m=make, k=models: k.append(m(**settings).fit(found.X, found.y)), repeats
        )
        predicting[who] = _median(lambda k=models: k[-1].predict(X), 3)
        bits = bits or _bits(models[-1])
    return [
        {"fit": f"SVC, {name}", "kind": "svc", "seconds": spent, "bits": bits},
        {"fit": f"predict, {name}", "kind": "predict", "seconds": predicting, "bits": bits},
    ]


def boosting(rows: int, small: bool) -> Fits:
    from maxmargin import AdaBoostClassifier, BoostingClassifier

    X, y = _generated(3_000 if small else rows, 30)
    kinds = (AdaBoostClassifier, BoostingClassifier)
    rounds = 100 if rows < 1_000_000 else 20
    for make in kinds:
        name = f"{make.__name__}, {rows:,} x 30, {rounds} rounds"
        yield name, partial(make, n_estimators=rounds), X, y


def linear(small: bool) -> Fits:
    from maxmargin import LinearClassifier, LinearSVC

    if "covtype-all" in linear_data.available(["covtype-all"]):
        found, name = linear_data.load("covtype-all", small), "covtype"
        X, y = found.X, found.y
    else:
        (X, y), name = _generated(2_500 if small else 581_012, 54), "generated as covtype"
        X = X.astype(np.float64)
    for loss in ("squared_hinge", "hinge"):
        yield f"LinearSVC {loss}, {name}", partial(LinearSVC, loss=loss, tol=1e-3), X, y
    yield f"logistic, {name}", partial(LinearClassifier, loss="logistic", tol=1e-3), X, y


def few(small: bool) -> Fits:
    """Small fits, for which threads should not be woken."""
    from maxmargin import SVC, AdaBoostClassifier, LinearSVC

    for rows in (200, 2_000) if small else (200, 1_000, 5_000):
        X, y = source.generated(rows, 20)
        for make in (SVC, LinearSVC, partial(AdaBoostClassifier, n_estimators=100)):
            kind = getattr(make, "func", make).__name__
            yield f"small {kind}, {rows:,} x 20", make, X, y


GROUPS: dict[str, tuple[tuple[int, ...], Callable[[int, bool], list[Row]]]] = {}


def _measured(fits: Callable[[bool], Fits], kind: str, repeats: int) -> Callable[..., list[Row]]:
    def rows(threads: int, small: bool) -> list[Row]:
        found = []
        for name, make, X, y in fits(small):
            models: list[Any] = []

            def fit(make: Any = make, X: Any = X, y: Any = y, models: Any = models) -> None:
                models[:] = [make(n_jobs=threads).fit(X, y)]

            fit() if kind != "large" else make(n_jobs=threads).fit(X[:400_000], y[:400_000])
            seconds = _median(fit, repeats)
            bits = _bits(models[0])
            found.append({"fit": name, "kind": kind, "seconds": {OURS: seconds}, "bits": bits})
        return found

    return rows


for _name, _counts in SETS.items():
    GROUPS[f"svc-{_name}"] = _counts, partial(svc, _name)
GROUPS |= {
    "small": ((1, 16), _measured(few, "small", 15)),
    "boosting": (COUNTS, _measured(partial(boosting, 400_000), "boosting", 1)),
    "linear": (COUNTS, _measured(linear, "linear", 3)),
    "large": ((1, 16), _measured(partial(boosting, 4_000_000), "large", 1)),
}


def _generated(rows: int, columns: int) -> tuple[Any, Any]:
    """Generate quickly: five columns and a product say the class, with noise."""
    random = np.random.default_rng(0)
    X = random.standard_normal((rows, columns), dtype=np.float32)
    score = X[:, :5].sum(axis=1) + X[:, 0] * X[:, 1] + 1.5 * random.standard_normal(rows)
    return X, (score > 0).astype(np.int64)


def _median(call: Callable[[], Any], repeats: int) -> float:
    return float(np.median([contest.timed(call)[0] for _ in range(repeats)]))


def _bits(model: Any) -> str:
    """Name the numbers of a model: equal ones have equal names."""
    names = ("support_", "dual_coef_", "coef_", "intercept_", "estimator_weights_", "constants_")
    parts = [getattr(model, name, None) for name in names]
    if hasattr(model, "history_"):
        parts.append(np.array([r.loss for r in model.history_]))
    stored = [np.ascontiguousarray(part).tobytes() for part in parts if part is not None]
    if not any(stored):
        raise ValueError(f"{type(model).__name__} has no numbers to compare; add their names here.")
    return hashlib.sha256(b"".join(stored)).hexdigest()


# a process for each number of threads


def run_child(group: str, threads: int, small: bool) -> list[Row]:
    """Measure a group in a process that may use so many cores."""
    command = [sys.executable, str(Path(__file__)), "--child", group, str(threads)]
    done = subprocess.run(
        [*command, *["--small"] * small], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True
    )
    rows: list[Row] = json.loads(done.stdout.splitlines()[-1])
    return [{**row, "threads": threads} for row in rows]


def as_child(group: str, threads: int, small: bool) -> None:
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[: cores_for(group, threads)])
    print(json.dumps(GROUPS[group][1](threads, small)))


def cores_for(group: str, threads: int) -> int:
    """Return the cores of a process: small fits have all, so that waking could help them."""
    return MOST if group == "small" else threads


def cores() -> int:
    affinity = getattr(os, "sched_getaffinity", None)
    return len(affinity(0)) if affinity else os.cpu_count() or 1


# the table


def table(rows: list[Row]) -> str:
    """One line a fit: seconds for each number of threads, and its bars beside."""
    header = ["Fit", *(f"{k}" for k in COUNTS), "gain", "bar", "met", "never slower", "same bits"]
    by_fit: dict[str, list[Row]] = {}
    for row in rows:
        by_fit.setdefault(row["fit"], []).append(row)
    return lay_out(header, [line for each in by_fit.values() for line in _lines(each)])


def _lines(rows: list[Row]) -> Iterator[list[str]]:
    found = {row["threads"]: row for row in rows}
    name, kind = rows[0]["fit"], rows[0]["kind"]
    ours = {k: row["seconds"][OURS] for k, row in found.items()}
    gain = ours[ONE] / ours[MOST] if ONE in ours and MOST in ours else None
    bar = bar_of(kind, name)
    same = _yes(len({row["bits"] for row in rows}) == 1) if len(rows) > 1 else "–"
    seconds = [number(ours.get(k)) for k in COUNTS]
    yield [name, *seconds, times(gain), times(bar), _met(gain, bar), _yes(monotone(ours)), same]
    over = {
        k: row["seconds"][INTELEX] / ours[k]
        for k, row in found.items()
        if INTELEX in row["seconds"]
    }
    if over:
        judged = [over[k] for k in over if kind == "svc" or k == MOST]
        least = min(judged) if judged else None
        cells = [times(over.get(k)) for k in COUNTS]
        yield [f"{name}, times intelex", *cells, "", times(2.0), _met(least, 2.0), "", ""]


def bar_of(kind: str, name: str) -> float | None:
    """Return by what 16 threads have to be faster than one."""
    if kind == "svc":
        return 8.0 if "60k" in name else None
    return {"boosting": 8.0, "large": 10.0, "linear": 6.0, "small": 1.0 / SLOWER}.get(kind)


def monotone(seconds: dict[int, float]) -> bool:
    """Return whether no number of threads is slower than a smaller one, by more than 3 %."""
    spent = [seconds[k] for k in sorted(seconds)]
    return all(spent[j] <= SLOWER * spent[i] for j in range(len(spent)) for i in range(j))


def _met(found: float | None, bar: float | None) -> str:
    return "–" if found is None or bar is None else _yes(found >= bar)


def _yes(met: bool) -> str:
    return "yes" if met else "NO"


# the whole


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.sixteen", description=__doc__)
    parser.add_argument("--only", nargs="+", choices=list(GROUPS), default=list(GROUPS))
    parser.add_argument("--small", action="store_true", help="a few rows, to try the script out")
    parser.add_argument("--seconds", type=float, default=450.0, help="no group begins after these")
    parser.add_argument("--child", nargs=2, help=argparse.SUPPRESS)
    return parser.parse_args()


def main() -> None:
    options = parse()
    if options.child:
        as_child(options.child[0], int(options.child[1]), options.small)
        return
    path = KEPT.with_suffix(".small.json") if options.small else KEPT
    kept: dict[str, list[Row]] = json.loads(path.read_text()) if path.exists() else {}
    begun = time.perf_counter()
    for group in options.only:
        if time.perf_counter() - begun > options.seconds:
            print(f"Left out, no time: {group}. Run it with --only {group}.")
            continue
        kept[group] = [
            row
            for threads in GROUPS[group][0]
            if threads <= cores() or (options.small and threads == MOST)
            for row in run_child(group, threads, options.small)
        ]
        path.parent.mkdir(exist_ok=True)
        path.write_text(json.dumps(kept))
        print(f"  {group}: {time.perf_counter() - begun:.0f} s so far", flush=True)
    rows = [row for group in GROUPS for row in kept.get(group, [])]
    print(f"\n{cores()} cores. Seconds by threads.\n\n{table(rows)}")


if __name__ == "__main__":
    main()
