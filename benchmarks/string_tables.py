"""The tables of kernels of strings and of graphs."""

from __future__ import annotations

from typing import Any

from benchmarks.contest import OURS
from benchmarks.markdown import lay_out, number, times


def table(whole: dict[str, Any], items: str = "strings") -> str:
    speed = [row for row in whole["rows"] if "ratio" in row]
    header = [f"Gram matrix of {items}", items, "maxmargin, s", "peer", "peer, s", "ratio"]
    lines = [
        [_marked(row), f"{row['rows']:,}", number(row["seconds"][OURS]), *_peer(row)]
        for row in speed
    ]
    scored = [row for row in whole["rows"] if "score" in row]
    parts = [lay_out(header, lines)]
    if scored:
        names = ["Ten folds", "items", "score", "mean", "worst fold", "kernels tried"]
        parts.append(lay_out(names, [_score(row) for row in scored]))
    return "\n\n".join(parts)


def _marked(row: dict[str, Any]) -> str:
    return f"{row['task']} † {row['objection']}" if row["objection"] else row["task"]


def _peer(row: dict[str, Any]) -> list[str]:
    peer = next(name for name in row["seconds"] if name != OURS)
    return [peer, number(row["seconds"][peer]), times(row["ratio"])]


def _score(row: dict[str, Any]) -> list[str]:
    scores = f"{row['score']:.4f}", f"{min(row['folds']):.4f}"
    return [row["data"], f"{row['rows']:,}", row["task"], *scores, ", ".join(row["kernels"])]
