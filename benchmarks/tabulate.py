"""The table of each job, from its recorded rows."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks import (
    boosting_tables,
    first_tables,
    linear_tables,
    string_tables,
    svc_tables,
    timeline,
)
from benchmarks.contest import INTELEX, OURS, SKLEARN
from benchmarks.markdown import lay_out, number, times
from benchmarks.record import Row


def ratio(row: Row, peer: str) -> float | None:
    seconds = row["seconds"]
    return seconds[peer] / seconds[OURS] if peer in seconds else None


def _seconds(row: Row) -> list[str]:
    spent = [number(row["seconds"].get(name)) for name in (OURS, INTELEX, SKLEARN)]
    return [*spent, times(ratio(row, INTELEX)), times(ratio(row, SKLEARN))]


_SECONDS = ["maxmargin, s", "intelex, s", "scikit-learn, s", "over intelex", "over scikit-learn"]


def means(rows: list[Row]) -> list[str]:
    """Geometric means of the ratios; rows that the judge objects to count for nothing."""
    fair = [row for row in rows if not row.get("objection")]
    return [
        _mean([r for row in fair if (r := ratio(row, p))], len(rows)) for p in (INTELEX, SKLEARN)
    ]


def _mean(ratios: list[float], rows: int) -> str:
    if not ratios:
        return "–"
    some = f" ({len(ratios)} of {rows})" if len(ratios) < rows else ""
    return times(float(np.exp(np.mean(np.log(ratios))))) + some


def _worst(values: dict[str, float]) -> str:
    return f"{max(values.values()):.0e}"


def _apart(row: Row) -> str:
    duals = row["dual"]
    return f"{max(abs(d - duals[OURS]) for d in duals.values()) / abs(duals[OURS]):.0e}"


def _shape(row: Row) -> list[str]:
    marked = f"{row['data']} †" if row.get("objection") else row["data"]
    return [marked, f"{row['rows']:,} × {row['columns']}"]


def fit_table(whole: dict[str, Any]) -> str:
    header = [
        "Fit",
        "rows × columns",
        *_SECONDS,
        "gap",
        "duals differ by",
        "certificate",
        "÷ floor",
    ]
    rows = whole["rows"]
    lines = [
        [
            *_shape(row),
            *_seconds(row),
            _worst(row["gap"]),
            _apart(row),
            row["status"],
            times(row["floor"] and row["seconds"][OURS] / row["floor"]),
        ]
        for row in rows
    ]
    lines.append(["geometric mean", *[""] * 4, *means(rows), *[""] * 4])
    notes = [f"† not comparable: {r['data']}: {r['objection']}." for r in rows if r["objection"]]
    return "\n\n".join([lay_out(header, lines), *notes])


def predict_table(whole: dict[str, Any]) -> str:
    header = ["Predict", "rows × columns", *_SECONDS, "equal predictions"]
    rows = whole["rows"]
    lines = [
        [*_shape(row), *_seconds(row), f"{min(row['equal'].values(), default=1.0):.4%}"]
        for row in rows
    ]
    return lay_out(header, [*lines, ["geometric mean", *[""] * 4, *means(rows), ""]])


def many_classes_table(whole: dict[str, Any]) -> str:
    header = [
        "Fit, many classes",
        "rows × columns",
        "classes",
        *_SECONDS,
        "processor seconds over scikit-learn",
        "certificate",
    ]
    rows = whole["rows"]
    lines = [
        [
            *_shape(row),
            str(row["classes"]),
            *_seconds(row),
            times(row["cpu"].get(SKLEARN, 0.0) / row["cpu"][OURS]),
            row["status"],
        ]
        for row in rows
    ]
    notes = [f"† not comparable: {r['data']}: {r['objection']}." for r in rows if r["objection"]]
    lines.append(["geometric mean", *[""] * 5, *means(rows), "", ""])
    return "\n\n".join([lay_out(header, lines), *notes])


def tuning_table(whole: dict[str, Any]) -> str:
    header = [
        "Search, 6 × 6 points, 5 folds",
        "rows × columns",
        "classes",
        *_SECONDS,
        "scores differ by rows of 500",
        "best point",
    ]
    rows = whole["rows"]
    lines = [
        [
            *_shape(row),
            str(row["classes"]),
            *_seconds(row),
            number(max(row["apart"].values(), default=0.0)),
            "same" if all(row["same"].values()) else "another",
        ]
        for row in rows
    ]
    notes = [f"† {r['data']}: {r['objection']}." for r in rows if r["objection"]]
    lines.append(["geometric mean", *[""] * 5, *means(rows), "", ""])
    return "\n\n".join([lay_out(header, lines), *notes])


def neighbors_table(whole: dict[str, Any]) -> str:
    header = [
        "Leave-one-out, k = 1 to 100",
        "rows × columns",
        "maxmargin, s",
        "scikit-learn, s",
        "over scikit-learn",
        "scores differ by",
    ]
    rows = whole["rows"]
    lines = [
        [
            *_shape(row),
            *(number(row["seconds"].get(name)) for name in (OURS, SKLEARN)),
            times(ratio(row, SKLEARN)),
            f"{row['apart']:.0e}",
        ]
        for row in rows
    ]
    notes = [f"† not comparable: {r['data']}: {r['objection']}." for r in rows if r["objection"]]
    return "\n\n".join([lay_out(header, lines), *notes])


def memory_table(whole: dict[str, Any]) -> str:
    header = [
        "Peak memory of fit",
        "rows × columns",
        "input, MB",
        "bar, MB",
        OURS,
        INTELEX,
        SKLEARN,
    ]
    lines = [
        [
            *_shape(row),
            *(number(row[field]) for field in ("input", "bar")),
            *(number(row["peak"].get(name)) for name in (OURS, INTELEX, SKLEARN)),
        ]
        for row in whole["rows"]
    ]
    return lay_out(header, lines)


def startup_table(whole: dict[str, Any]) -> str:
    header = ["Start", "import, s", "fit, s", "both, s", "budget, s"]
    fields = ("import", "fit", "seconds", "bar")
    lines = [[r["what"], *(number(r[field] or None) for field in fields)] for r in whole["rows"]]
    return lay_out(header, lines)


def certificate_table(whole: dict[str, Any]) -> str:
    header = [
        "Certificate",
        "fit, s",
        "without it, s",
        "closing sums, s",
        "judge, s",
        "same point",
        "share",
    ]
    lines = [
        [
            r["data"],
            *(number(r[f]) for f in ("whole", "bare", "last", "judge")),
            "yes" if r["same"] else "no",
            f"{r['share']:.1%}",
        ]
        for r in whole["rows"]
    ]
    return lay_out(header, lines)


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "fit": fit_table,
    "predict": predict_table,
    "many_classes": many_classes_table,
    "tuning": tuning_table,
    "neighbors": neighbors_table,
    "memory": memory_table,
    "startup": startup_table,
    "certificate": certificate_table,
    "graphs": partial(string_tables.table, items="graphs"),
    "strings": string_tables.table,
    **first_tables.TABLES,
    **svc_tables.TABLES,
    **linear_tables.TABLES,
    **boosting_tables.TABLES,
    **timeline.TABLES,
}
