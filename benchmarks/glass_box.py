"""Glass boxes against InterpretML's and against boosted trees, all with their defaults.

    python -m benchmarks.glass_box [--rows 8000] [--splits 5] [--who NAME ...] [--tables NAME ...]
    python -m benchmarks.glass_box --report

Everybody gets the same rows of the same splits (``table_data``) and one thread, and is timed by the
processor's clock, so that a busy machine changes nothing. Scores are log loss, or RMSE of
quantities, of test rows. Results are kept in benchmarks/results/glass_box.json as they come;
``--report`` prints them without a fit. InterpretML and LightGBM are left out where they are not
installed. Defaults of the glass box were chosen on every other table (``CHOOSING``).
"""

from __future__ import annotations

import argparse
import json
import time
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
from sklearn.metrics import log_loss, mean_squared_error

from benchmarks import record, table_data
from benchmarks.table_rivals import CONTESTANTS, as_given

RESULTS = record.RESULTS / "glass_box.json"
OURS, PEER = "glass box", "interpret"
TREES = {"LightGBM": "LightGBM", "HGB": "HGB"}
PRICE = 0.02  # by how much a table may be worse where two standard errors say that it is
Figures = dict[str, dict[str, dict[str, dict[str, float]]]]  # table, who, seed


def _ours(part: table_data.Split, **options: Any) -> tuple[Any, Any, Any, dict[str, Any]]:
    from maxmargin import GlassBoxClassifier, GlassBoxRegressor

    kind = GlassBoxRegressor if part.quantity else GlassBoxClassifier
    return kind(n_jobs=1, **options), part.train, part.test, {}


def _interpret(part: table_data.Split) -> tuple[Any, Any, Any, dict[str, Any]]:
    from interpret.glassbox import ExplainableBoostingClassifier, ExplainableBoostingRegressor

    kind = ExplainableBoostingRegressor if part.quantity else ExplainableBoostingClassifier
    return kind(n_jobs=1, random_state=0), part.train, part.test, {}


def _trees(name: str, part: table_data.Split) -> tuple[Any, Any, Any, dict[str, Any]]:
    train, test, options = as_given(name, part.train, part.test)
    point = {"n_jobs": 1} if name == "LightGBM" else {}
    return CONTESTANTS[name](part.quantity, **point), train, test, options


WHO: dict[str, Callable[[table_data.Split], tuple[Any, Any, Any, dict[str, Any]]]] = {
    OURS: _ours,
    PEER: _interpret,
    "LightGBM": lambda part: _trees("LightGBM", part),
    "HGB": lambda part: _trees("HGB", part),
}


def measure(who: str, part: table_data.Split) -> dict[str, float]:
    """Fit a contestant and score it on the test rows."""
    model, train, test, options = WHO[who](part)
    classes, y = np.unique(part.y_train, return_inverse=True)
    y = part.y_train if part.quantity else y
    begun, by_wall = time.process_time(), time.perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(train, y, **options)
        used = {"cpu": time.process_time() - begun, "wall": time.perf_counter() - by_wall}
        if part.quantity:
            score = mean_squared_error(part.y_test, model.predict(test)) ** 0.5
        else:
            p = model.predict_proba(test)
            true = np.searchsorted(classes, part.y_test)
            score = log_loss(true, p, labels=np.arange(len(classes)))
    return {"score": float(score), "rows": len(y), "columns": train.shape[1], **used}


def load() -> Figures:
    """Read what was measured before."""
    return json.loads(RESULTS.read_text())["tables"] if RESULTS.exists() else {}


def keep(figures: Figures) -> None:
    """Write all that was measured."""
    RESULTS.write_text(json.dumps({"tables": figures}, indent=1, sort_keys=True) + "\n")


def warm_up() -> None:
    """Have loops compiled, and libraries imported, before anything is timed."""
    for name in ("heart", "boston", "wine"):
        part = table_data.split(name, 100, 0)
        for who in WHO:
            if who == PEER:
                continue
            measure(who, part)


def report(figures: Figures) -> None:
    """Print scores, times and what follows from them."""
    names = [who for who in WHO if any(who in line for line in figures.values())]
    print(f"{'table':14s} {'rows':>6s}", *(f"{who:>22s}" for who in names))
    ranks, ratios, worse, trees = [], [], [], []
    for table, line in sorted(figures.items()):
        seeds = sorted(set.intersection(*(set(line.get(who, {})) for who in names)))
        if not seeds:
            continue
        scores = {who: np.array([line[who][s]["score"] for s in seeds]) for who in names}
        cpu = {who: float(np.mean([line[who][s]["cpu"] for s in seeds])) for who in names}
        rows = int(line[OURS][seeds[0]]["rows"])
        cells = (f"{scores[who].mean():13.5g} {cpu[who]:7.2f}s" for who in names)
        print(f"{table:14s} {rows:6d}", *(f"{cell:>22s}" for cell in cells))
        middle = np.array([scores[who].mean() for who in names])
        ranks.append(middle.argsort(kind="stable").argsort() + 1)
        if PEER in names:
            ratios.append(cpu[PEER] / cpu[OURS])
            apart = scores[OURS] - scores[PEER]
            error = apart.std(ddof=1) / len(seeds) ** 0.5 if len(seeds) > 1 else np.nan
            beyond = not apart.mean() <= 2 * error if len(seeds) > 1 else apart.mean() > 0
            if beyond and apart.mean() > PRICE * scores[PEER].mean():
                worse.append(f"{table} ({scores[OURS].mean():.4g} / {scores[PEER].mean():.4g})")
        if "LightGBM" in names and rows >= 10_000:
            trees.append(cpu[OURS] / cpu["LightGBM"])
    means = dict(zip(names, np.mean(ranks, axis=0), strict=True))
    print("mean rank:", ", ".join(f"{who} {rank:.2f}" for who, rank in means.items()))
    if ratios:
        middle, least = np.exp(np.mean(np.log(ratios))), min(ratios)
        print(f"interpret's time over ours: geometric mean {middle:.1f}, least {least:.1f}")
        print("worse than interpret by 2 % and two standard errors:", ", ".join(worse) or "none")
    if trees:
        print(f"our time over LightGBM's, 10,000 rows and more: at most {max(trees):.1f}")


def main() -> None:
    """Measure what is asked for and not known yet, and print all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=8000)
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--who", nargs="+", default=list(WHO))
    parser.add_argument("--tables", nargs="+", default=list(table_data.TABLES))
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    parser.add_argument("--report", action="store_true", help="print alone")
    asked = parser.parse_args()
    if not asked.report:
        warm_up()
        for seed in range(asked.splits):
            for table in asked.tables:
                part = table_data.split(table, asked.rows, seed)
                for who in asked.who:
                    known = load().get(table, {}).get(who, {})
                    if str(seed) in known and not asked.again:
                        continue
                    found = measure(who, part)
                    figures = load()
                    figures.setdefault(table, {}).setdefault(who, {})[str(seed)] = found
                    keep(figures)
                    print(
                        f"{table:14s} {who:10s} {found['score']:.5g} {found['cpu']:.2f} s",
                        flush=True,
                    )
    report(load())


if __name__ == "__main__":
    main()
