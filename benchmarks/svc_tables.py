"""Tables of fits by threads, of small ones, and of how they grow."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

import numpy as np

from benchmarks.contest import INTELEX, OURS, SKLEARN
from benchmarks.markdown import lay_out, number, times
from benchmarks.serial import THREADS
from benchmarks.svc_threads import over_intelex


def threads_table(whole: dict[str, Any]) -> str:
    header = [
        "Fit and predict by threads",
        "rows × columns",
        "threads",
        "fit: maxmargin, s",
        "intelex, s",
        "over intelex",
        "gain of maxmargin",
        "of intelex",
        "predict: over intelex",
        "duals differ by",
        "same bits",
        "certificate",
    ]
    lines = [
        [
            f"{row['data']} †" if row["objection"] else row["data"],
            f"{row['rows']:,} × {row['columns']}",
            str(row["threads"]),
            *(number(row["seconds"].get(who)) for who in (OURS, INTELEX)),
            times(over_intelex(row, "seconds")),
            *(times(row["gain"].get(who)) for who in (OURS, INTELEX)),
            times(over_intelex(row, "predicting")),
            f"{max(abs(d / row['dual'][OURS] - 1.0) for d in row['dual'].values()):.0e}",
            "yes" if row["same"] else "no",
            row["status"],
        ]
        for row in whole["rows"]
    ]
    apart = [row for row in whole["rows"] if row["objection"]]
    notes = [f"† not comparable: {row['data']}: {row['objection']}." for row in apart]
    return "\n\n".join([lay_out(header, lines), *notes])


def small_table(whole: dict[str, Any]) -> str:
    header = [
        "Small fits",
        "estimator",
        "rows × columns",
        "classes",
        "maxmargin, ms",
        "scikit-learn, ms",
        "over scikit-learn",
        "sums of duals differ by",
        "certificate",
    ]
    rows = whole["rows"]
    lines = [
        [
            row["data"],
            row["estimator"],
            f"{row['rows']:,} × {row['columns']}",
            str(row["classes"]) if row["estimator"].endswith("SVC") else "–",
            *(number(1e3 * row["seconds"][who]) for who in (OURS, SKLEARN)),
            times(row["ratio"]),
            f"{row['apart']:.0e}",
            row["status"],
        ]
        for row in rows
    ]
    ratios = [row["ratio"] for row in rows]
    for word, value in (
        ("geometric mean", np.exp(np.mean(np.log(ratios)))),
        ("worst", min(ratios)),
    ):
        lines.append([word, *[""] * 5, times(float(value)), "", ""])
    return lay_out(header, lines)


def growth_table(whole: dict[str, Any]) -> str:
    header = [
        "Fit on covtype, 200 MB of cache",
        "rows × columns",
        "seconds",
        "exponent",
        "support vectors",
        "exponent",
        "peak, MB",
        "bar, MB",
        "relative gap",
        "certificate",
    ]
    lines = [
        [
            "covtype",
            f"{row['rows']:,} × {row['columns']}",
            number(row["seconds"][OURS]),
            _exponent(row, "seconds"),
            f"{row['support']:,}",
            _exponent(row, "support"),
            number(row["peak"]),
            number(row["bar"]),
            f"{row['gap']:.0e}",
            row["status"],
        ]
        for row in whole["rows"]
    ]
    return lay_out(header, lines)


def _exponent(row: dict[str, Any], field: str) -> str:
    slope = row["exponents"][field]
    return "–" if slope is None else f"{slope:.2f}"


def serial_table(whole: dict[str, Any]) -> str:
    header = [
        "A fit on one thread",
        "data",
        "rows × columns",
        "seconds",
        "beside what threads share, s",
        "share",
        f"{THREADS} threads gain at most",
    ]
    lines = [
        [
            row["estimator"],
            row["data"],
            f"{row['rows']:,} × {row['columns']}",
            number(row["seconds"]["all"]),
            number(row["seconds"]["beside"]),
            f"{row['seconds']['beside'] / row['seconds']['all']:.1%}",
            times(row["gain"]),
        ]
        for row in whole["rows"]
    ]
    return lay_out(header, lines)


def axis_table(whole: dict[str, Any]) -> str:
    """One table an axis."""
    tables = []
    for axis, some in groupby(whole["rows"], lambda row: row["axis"]):
        rows = list(some)
        header = [f"Seconds by {axis}", *(f"{size:,}" for size, _ in rows[0]["points"]), "exponent"]
        lines = [
            [
                row["estimator"],
                *(number(seconds) for _, seconds in row["points"]),
                "–" if row["exponent"] is None else f"{row['exponent']:.2f}",
            ]
            for row in rows
        ]
        tables.append(lay_out(header, lines))
    return "\n\n".join(tables)


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "svc_threads": threads_table,
    "serial": serial_table,
    "svc_small": small_table,
    "kernel_growth": growth_table,
    "axis_growth": axis_table,
}
