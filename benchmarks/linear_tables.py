"""The tables of the linear models, from their recorded rows."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from benchmarks.contest import INTELEX, OURS, SKLEARN
from benchmarks.markdown import lay_out, number, times
from benchmarks.record import Row

ERRORS = (1e-2, 1e-3, 1e-6)


def _ratio(row: Row) -> float:
    return row["seconds"][SKLEARN] / row["seconds"][OURS]


def _cells(row: Row | None) -> list[str]:
    if row is None:
        return ["–"] * 5
    mark, least = " †" * bool(row["objection"]), "" if row["reached"] else "≥ "
    return [
        number(row["seconds"][OURS]) + mark,
        least + number(row["seconds"][SKLEARN]),
        least + times(_ratio(row)),
        f"{row['suboptimality'][OURS]:.0e}",
        f"{row['suboptimality'][SKLEARN]:.0e}",
    ]


def _summary(rows: list[Row], of: Callable[[list[float]], float]) -> str:
    """Rows that the judge objects to count for nothing."""
    ratios = [_ratio(row) for row in rows if not row["objection"]]
    some = f" ({len(ratios)} of {len(rows)})" if len(ratios) < len(rows) else ""
    return times(of(ratios)) + some if ratios else "–"


def _geometric(ratios: list[float]) -> float:
    return float(np.exp(np.mean(np.log(ratios))))


def contest_table(title: str, peers: dict[str, str], whole: dict[str, Any]) -> str:
    """One line a data set; for each task our seconds, the peer's and both distances."""
    rows = whole["rows"]
    found = {(row["data"], row["task"]): row for row in rows}
    shapes = {row["data"]: f"{row['rows']:,} × {row['columns']:,}" for row in rows}
    header = [title, "rows × columns"]
    for task, peer in peers.items():
        header += [f"{_words(task)}: maxmargin, s", f"{peer}, s", "ratio", "our error", "its error"]
    lines = [
        [name, shape, *(cell for task in peers for cell in _cells(found.get((name, task))))]
        for name, shape in shapes.items()
    ]
    for label, of in (("geometric mean", _geometric), ("minimum", min)):
        means = [_summary([row for row in rows if row["task"] == task], of) for task in peers]
        lines.append([label, "", *(cell for m in means for cell in ("", "", m, "", ""))])
    notes = [
        f"† {r['data']}, {_words(r['task'])}: {r['objection']}." for r in rows if r["objection"]
    ]
    both = (
        f"All of them: geometric mean {_summary(rows, _geometric)}, minimum {_summary(rows, min)}."
    )
    return "\n\n".join([lay_out(header, lines), both, *notes])


def _words(task: str) -> str:
    return task.replace("_", " ")


def linear_svc_table(whole: dict[str, Any]) -> str:
    peers = {"hinge": "scikit-learn", "squared_hinge": "scikit-learn"}
    return contest_table("LinearSVC to 1e-3", peers, whole)


def logistic_table(whole: dict[str, Any]) -> str:
    target = whole["rows"][0]["target"] if whole["rows"] else 1e-3
    digits = f"{target:.0e}".replace("e-0", "e-")
    tasks = {"lbfgs": "scikit-learn", "liblinear": "scikit-learn"}
    return contest_table(f"Logistic to {digits}", tasks, whole)


def growth_table(whole: dict[str, Any]) -> str:
    return "\n\n".join(_growth(row) for row in whole["rows"])


def _growth(row: Row) -> str:
    names = [name for name in (OURS, INTELEX, SKLEARN) if name in row["points"]]
    found = {name: dict(map(tuple, row["points"][name])) for name in names}
    counts = sorted({n for points in found.values() for n in points})
    title = f"Growth, {_words(row['data'])}, {row['columns']} columns"
    lines = [[f"{n:,} rows", *(number(found[name].get(n)) for name in names)] for n in counts]
    lines.append(["exponent", *(number(row["exponent"][name]) for name in names)])
    return lay_out([title, *(f"{name}, s" for name in names)], lines)


def convergence_table(whole: dict[str, Any]) -> str:
    picture = (
        "![Relative objective error and test accuracy against seconds](images/convergence.png)"
    )
    return "\n\n".join([*(_convergence(row) for row in whole["rows"]), picture])


def _convergence(row: Row) -> str:
    header = [f"Convergence, {row['data']}", "loss", "intercept"]
    header += [f"s to {error:.0e}".replace("e-0", "e-") for error in ERRORS]
    header += ["best error", "test accuracy"]
    return lay_out(header, [_curve(curve) for curve in row["curves"]])


def _curve(curve: dict[str, Any]) -> list[str]:
    points = curve["points"]
    best = min(points, key=lambda point: point["error"])
    return [
        curve["method"],
        _words(curve["loss"]),
        "free" if curve["free"] else "regularised",
        *(number(_seconds_to(error, points)) for error in ERRORS),
        f"{best['error']:.0e}",
        f"{best['accuracy']:.2%}",
    ]


def _seconds_to(error: float, points: list[dict[str, float]]) -> float | None:
    return min((p["seconds"] for p in points if p["error"] <= error), default=None)


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "linear_svc": linear_svc_table,
    "logistic": logistic_table,
    "logistic_tight": logistic_table,
    "growth": growth_table,
    "convergence": convergence_table,
}
