"""Tables of what comes first: the first fit ever, and the first row predicted."""

from __future__ import annotations

from collections.abc import Callable
from itertools import groupby
from typing import Any

from benchmarks import first_fit, one_row
from benchmarks.contest import OURS, SKLEARN
from benchmarks.markdown import lay_out, number, times


def first_fit_table(whole: dict[str, Any]) -> str:
    kinds = ("float32", "float64", "csr")
    header = ["First fit ever, s", *kinds, "later process loads, s"]
    lines = []
    for name, some in groupby(whole["rows"], lambda row: row["name"]):
        rows = {row["kind"]: row for row in some}
        first = [number(rows[kind]["first"] if kind in rows else None) for kind in kinds]
        lines.append([name, *first, number(max(row["loading"] for row in rows.values()))])
    worst = max(whole["rows"], key=lambda row: row["first"])
    slow = max(whole["rows"], key=lambda row: row["loading"])
    said = (
        f"The slowest first fit is {worst['name']}'s, {worst['kind']}: {worst['first']:.2f} s "
        f"(budget {first_fit.FIRST_BAR:.0f} s). The slowest loading is {slow['name']}'s, "
        f"{slow['kind']}: {slow['loading']:.2f} s (budget {first_fit.LATER_BAR} s)."
    )
    return lay_out(header, lines) + "\n\n" + said


def one_row_table(whole: dict[str, Any]) -> str:
    header = ["One row", "answer", "array, µs", "scikit-learn, µs", "array", "list", "table"]
    lines = []
    for (name, method), some in groupby(
        sorted(whole["rows"], key=lambda r: (r["name"], r["method"])),
        lambda row: (row["name"], row["method"]),
    ):
        forms = {row["form"]: row["seconds"] for row in some}
        spent = [number(1e6 * forms["array"][who]) for who in (OURS, SKLEARN)]
        ratios = [
            times(s[OURS] / s[SKLEARN]) for s in (forms[f] for f in ("array", "list", "table"))
        ]
        lines.append([name, method, *spent, *ratios])
    worst = max(whole["rows"], key=lambda row: row["seconds"][OURS] / row["seconds"][SKLEARN])
    ratio = worst["seconds"][OURS] / worst["seconds"][SKLEARN]
    said = (
        f"The last three columns are our time over scikit-learn's. The worst is {worst['name']}, "
        f"{worst['method']} of a row as {worst['form']}: {times(ratio)} "
        f"(budget {times(one_row.BAR)})."
    )
    return lay_out(header, lines) + "\n\n" + said


TABLES: dict[str, Callable[[dict[str, Any]], str]] = {
    "first_fit": first_fit_table,
    "one_row": one_row_table,
}
