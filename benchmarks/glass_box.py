"""Glass boxes against InterpretML's and against boosted trees, all with their defaults.

    python -m benchmarks.glass_box [--rows 2000] [--splits 5] [--who NAME ...] [--tables NAME ...]
    python -m benchmarks.glass_box --report [--rows 2000] [--markdown]

All models get the same rows of the same splits (``table_data``) and one thread. Times are those of
the processor, so other programs change little. Scores are the log loss, or for quantities the RMSE,
of the test rows. Each result is stored as soon as it is known, in
benchmarks/results/glass_box_ROWS.json; a second run measures what is missing (``--again`` measures
the glass box anew). Several processes may run side by side, such as one for InterpretML in an
environment of its own. ``--report`` prints what is stored. Defaults of the glass box were chosen on
every other table of ``table_data`` (``CHOOSING``) and on none of ``GENERATED``.
"""

from __future__ import annotations

import argparse
import fcntl
import json
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from sklearn.metrics import log_loss, mean_squared_error

from benchmarks import record, table_data
from benchmarks.table_rivals import CONTESTANTS, as_given

OURS, PEER = "glass box", "interpret"
PRICE = 0.02  # by how much a table may be worse where two standard errors say that it is
Figures = dict[str, dict[str, dict[str, dict[str, float]]]]  # table, who, seed


def _shapes(rows: int = 4000) -> tuple[pd.DataFrame, Any, bool]:
    """Two classes by a wave, a step, a bow and a line; four columns of noise."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(rows, 8))
    value = 2 * np.sin(3 * X[:, 0]) + 2 * (X[:, 1] > 0.2) + 2 * X[:, 2] ** 2 + X[:, 3] - 1.5
    y = random.uniform(size=rows) < 1 / (1 + np.exp(-value))
    return pd.DataFrame(X).rename(columns="x{}".format), np.where(y, "a", "b"), False


def _shapes_and_pairs(rows: int = 4000) -> tuple[pd.DataFrame, Any, bool]:
    """A quantity by known shapes and two known pairs."""
    random = np.random.default_rng(0)
    X = random.uniform(-1, 1, size=(rows, 8))
    y = np.sin(3 * X[:, 0]) + np.abs(X[:, 1]) + 1.5 * X[:, 2] * X[:, 3]
    y += (X[:, 4] > 0) * (X[:, 5] > 0.3) + 0.4 * random.normal(size=rows)
    return pd.DataFrame(X).rename(columns="x{}".format), y, True


def _two_covers() -> tuple[pd.DataFrame, Any, bool]:
    """The most frequent type of forest of covtype against the others."""
    X, y, _ = table_data.TABLES["covtype"]()
    kept = np.random.default_rng(0).choice(len(X), 50_000, replace=False)
    return X.iloc[kept], np.where(y[kept] == "2", "second", "other"), False


GENERATED = {"shapes": _shapes, "shapes, pairs": _shapes_and_pairs}
TABLES = (
    *("german", "saheart", "heart", "titanic", "diabetes", "boston", "abalone", "wisconsin"),
    *("shapes", "shapes, pairs", "bank", "friedman", "mushroom", "steps", "wine", "higgs"),
    *("adult", "wdbc", "california", "diamonds", "waveform", "spam", "many words", "vowel"),
    *("satimage", "dna", "shuttle", "covtype, two", "few relevant", "letter", "digits"),
)  # the order in which they are measured


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


def path(rows: int) -> Path:
    """Return the file of the results with at most so many training rows."""
    return record.RESULTS / f"glass_box_{rows}.json"


def load(rows: int) -> Figures:
    """Read what was measured before."""
    return json.loads(path(rows).read_text())["tables"] if path(rows).exists() else {}


def keep(rows: int, table: str, who: str, seed: int, found: dict[str, float]) -> None:
    """Add a result to the file, which other processes may write to."""
    with (record.RESULTS / ".glass_box.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        figures = load(rows)
        figures.setdefault(table, {}).setdefault(who, {})[str(seed)] = found
        text = json.dumps({"tables": figures}, indent=1, sort_keys=True)
        path(rows).write_text(text + "\n")


def split(table: str, rows: int, seed: int) -> table_data.Split:
    """Split a table of ``table_data`` or one of ours."""
    table_data.TABLES |= GENERATED | {"covtype, two": _two_covers}
    return table_data.split(table, rows, seed)


def warm_up(who: list[str]) -> None:
    """Compile loops, and import libraries, before anything is timed."""
    for name in ("heart", "boston", "wine"):
        for each in set(who) - {PEER}:
            measure(each, split(name, 100, 0))


def report(figures: Figures, markdown: bool) -> None:
    """Print scores, times and what follows from them."""
    names = [who for who in WHO if any(who in line for line in figures.values())]
    lines = {table: _Line(table, line, names) for table, line in sorted(figures.items())}
    lines = {table: line for table, line in lines.items() if line.seeds}
    apart = "|" if markdown else "  "
    for row in ([["table", "rows", "splits", *names]], [["---"] * (len(names) + 3)]):
        print(apart.join(["", *(f"{cell:>14s}" for cell in row[0]), ""]))
    for line in lines.values():
        print(apart.join(["", *(f"{cell:>14s}" for cell in line.cells()), ""]))
    for some in (names, [OURS, PEER]):
        whole = [line for line in lines.values() if not set(some) - set(line.scores)]
        ranks = [_ranks([line.scores[who].mean() for who in some]) for line in whole]
        if ranks and len(some) > 1:
            means = zip(some, np.mean(ranks, axis=0), strict=True)
            listed = ", ".join(f"{who} {rank:.2f}" for who, rank in means)
            print(f"mean rank on {len(ranks)} tables: {listed}")
    both = [line for line in lines.values() if {OURS, PEER} <= set(line.scores)]
    if both:
        ratios = np.array([line.cpu[PEER] / line.cpu[OURS] for line in both])
        middle = np.exp(np.log(ratios).mean())
        print(f"interpret's time over ours: geometric mean {middle:.1f}, least {ratios.min():.1f}")
        worse = [line.table for line in both if line.is_worse()]
        print("worse than interpret by 2 % and two standard errors:", ", ".join(worse) or "none")


class _Line:
    """The scores of a table, of the splits that all models have."""

    def __init__(self, table: str, line: Any, names: list[str]) -> None:
        there = [who for who in names if line.get(who)]
        self.table, self.names = table, names
        self.seeds = sorted(set.intersection(*(set(line[who]) for who in there)))
        self.scores = {w: np.array([line[w][s]["score"] for s in self.seeds]) for w in there}
        self.cpu = {w: float(np.mean([line[w][s]["cpu"] for s in self.seeds])) for w in there}
        self.rows = int(line[there[0]][self.seeds[0]]["rows"]) if self.seeds else 0

    def cells(self) -> list[str]:
        shown = [
            f"{self.scores[w].mean():.4g}, {self.cpu[w]:.2g} s" if w in self.scores else "not run"
            for w in self.names
        ]
        return [self.table, str(self.rows), str(len(self.seeds)), *shown]

    def is_worse(self) -> bool:
        """Whether we are worse than InterpretML, by the two standards of the bar."""
        apart = self.scores[OURS] - self.scores[PEER]
        several = len(apart) > 1
        error = apart.std(ddof=1) / len(apart) ** 0.5 if several else 0.0
        return bool(apart.mean() > max(2 * error, PRICE * self.scores[PEER].mean()))


def _ranks(scores: list[float]) -> Any:
    return np.array(scores).argsort(kind="stable").argsort() + 1


def main() -> None:
    """Measure what is asked for and not known yet, and print all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=2000, help="to learn from, at most")
    parser.add_argument("--splits", type=int, default=5)
    parser.add_argument("--who", nargs="+", default=list(WHO))
    parser.add_argument("--tables", nargs="+", default=list(TABLES))
    parser.add_argument("--again", action="store_true", help="measure what is known, too")
    parser.add_argument("--report", action="store_true", help="print, measure nothing")
    parser.add_argument("--markdown", action="store_true")
    asked = parser.parse_args()
    if not asked.report:
        warm_up(asked.who)
        for seed in range(asked.splits):
            for table in asked.tables:
                _measure_table(table, seed, asked)
    report(load(asked.rows), asked.markdown)


def _measure_table(table: str, seed: int, asked: argparse.Namespace) -> None:
    known = {} if asked.again else load(asked.rows).get(table, {})
    missing = [who for who in asked.who if str(seed) not in known.get(who, {})]
    part = split(table, asked.rows, seed) if missing else None
    for who in missing:
        found = measure(who, part)
        keep(asked.rows, table, who, seed, found)
        cells = f"{table:14s} {seed} {who:10s} {found['score']:.5g} {found['cpu']:.2f} s"
        print(cells, flush=True)


if __name__ == "__main__":
    main()
