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


def _least(row: Row) -> str:
    """The mark of a peer that has not reached the target: its time is a lower bound."""
    return "" if row["reached"] else "≥ "


def _cells(row: Row | None) -> list[str]:
    if row is None:
        return ["–"] * 5
    return [
        number(row["seconds"][OURS]) + " †" * bool(row["objection"]),
        _least(row) + number(row["seconds"][SKLEARN]),
        _least(row) + times(_ratio(row)),
        f"{row['suboptimality'][OURS]:.0e}",
        f"{row['suboptimality'][SKLEARN]:.0e}",
    ]


def _summary(rows: list[Row]) -> tuple[str, str]:
    """Geometric mean and minimum of the ratios; rows the judge objects to count for nothing."""
    fair = [row for row in rows if not row["objection"]]
    if not fair:
        return "–", "–"
    some = f" ({len(fair)} of {len(rows)})" if len(fair) < len(rows) else ""
    mean = times(float(np.exp(np.mean([np.log(_ratio(row)) for row in fair]))))
    worst = min(fair, key=_ratio)
    bound = max(map(_least, fair), key=len)
    return bound + mean + some, _least(worst) + times(_ratio(worst)) + some


def contest_table(title: str, tasks: list[str], whole: dict[str, Any]) -> str:
    """One line a data set; for each task our seconds, the peer's and both distances."""
    rows = whole["rows"]
    found = {(row["data"], row["task"]): row for row in rows}
    shapes = {row["data"]: f"{row['rows']:,} × {row['columns']:,}" for row in rows}
    header, rest = [title, "rows × columns"], ["scikit-learn, s", "ratio", "our error", "its error"]
    for task in tasks:
        header += [f"{_words(task)}: maxmargin, s", *rest]
    lines = [
        [name, shape, *(cell for task in tasks for cell in _cells(found.get((name, task))))]
        for name, shape in shapes.items()
    ]
    sums = [_summary([row for row in rows if row["task"] == task]) for task in tasks]
    for label, values in zip(("geometric mean", "minimum"), zip(*sums, strict=True), strict=True):
        lines.append([label, "", *(cell for value in values for cell in ("", "", value, "", ""))])
    mean, least = _summary(rows)
    both = f"All of them: geometric mean {mean}, minimum {least}."
    return "\n\n".join([lay_out(header, lines), both, *_notes(rows)])


def _notes(rows: list[Row]) -> list[str]:
    bad = [row for row in rows if row["objection"]]
    return [f"† not comparable: {r['data']}, {_words(r['task'])}: {r['objection']}." for r in bad]


def _words(task: str) -> str:
    return task.replace("_", " ")


def linear_svc_table(whole: dict[str, Any]) -> str:
    return contest_table("LinearSVC to 1e-3", ["hinge", "squared_hinge"], whole)


def logistic_table(whole: dict[str, Any]) -> str:
    target = whole["rows"][0]["target"] if whole["rows"] else 1e-3
    digits = f"{target:.0e}".replace("e-0", "e-")
    return contest_table(f"Logistic to {digits}", ["lbfgs", "liblinear"], whole)


def dual_coordinate_table(whole: dict[str, Any]) -> str:
    tasks = list(dict.fromkeys(row["task"] for row in whole["rows"]))
    tables = [
        contest_table(f"Dual coordinate descent, {_words(task)}", [task], _only(whole, task))
        for task in tasks
    ]
    return "\n\n".join(tables)


def _only(whole: dict[str, Any], task: str) -> dict[str, Any]:
    return {**whole, "rows": [row for row in whole["rows"] if row["task"] == task]}


def linear_small_table(whole: dict[str, Any]) -> str:
    """One line a fit, in milliseconds, and the worst of them by name."""
    header = ["Small linear fits to 1e-3", "problem", "classes", "maxmargin, ms"]
    header += ["scikit-learn, ms", "ratio", "our error", "its error"]
    rows = whole["rows"]
    lines = [_small_line(row) for row in rows]
    worst = min(rows, key=lambda row: row["ratio"])
    mean = float(np.exp(np.mean([np.log(row["ratio"]) for row in rows])))
    said = (
        f"Geometric mean {times(mean)}, minimum {times(worst['ratio'])} "
        f"({worst['data']}, {_words(worst['task'])})."
    )
    return "\n\n".join([lay_out(header, lines), said])


def _small_line(row: Row) -> list[str]:
    seconds, error = row["seconds"], row["error"]
    return [
        row["data"],
        _words(row["task"]),
        str(row["classes"]),
        *(number(1e3 * seconds[who]) for who in (OURS, SKLEARN)),
        times(row["ratio"]),
        *(f"{max(error[who], 0.0):.0e}" for who in (OURS, SKLEARN)),
    ]


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
    "linear_small": linear_small_table,
    "dual_coordinate": dual_coordinate_table,
    "growth": growth_table,
    "convergence": convergence_table,
}
