"""Draw the pictures of docs/benchmarks.md from its results: ``python -m benchmarks.draw``."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib as mpl
import matplotlib.pyplot as plt
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from benchmarks import draw_letters, record
from maxmargin.plots import palette

IMAGES = Path(__file__).parents[1] / "docs" / "images"
# The rest of Okabe and Ito's colours, which the two classes of a picture leave unused.
COLOURS = [*palette.CLASSES, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", palette.BAYES, "#7F6000"]
STYLES = {"hinge": "-", "squared_hinge": "--", "free": ":"}
PROBLEMS = {
    "hinge": "hinge, regularised intercept",
    "squared_hinge": "squared hinge, regularised intercept",
    "free": "hinge, free intercept",
}


def problem(curve: dict[str, Any]) -> str:
    return "free" if curve["free"] else curve["loss"]


def look(rows: list[dict[str, Any]]) -> dict[str, dict[str, Any]]:
    """A colour for each method of ours, ink and grey for the peers, over all panels."""
    curves = [curve for row in rows for curve in row["curves"]]
    ours = dict.fromkeys(c["method"] for c in curves if not c["peer"])
    peers = dict.fromkeys(c["method"] for c in curves if c["peer"])
    styles = {name: {"color": colour} for name, colour in zip(ours, COLOURS, strict=False)}
    for name, colour in zip(peers, (palette.INK, palette.CHANCE), strict=True):
        styles[name] = {"color": colour, "lw": 2.2}
    return styles


def draw(rows: list[dict[str, Any]], path: Path) -> None:
    styles = look(rows)
    shape = (len(rows), 2)
    size = (10.0, 3.6 * len(rows) + 1.2)
    figure, axes = plt.subplots(*shape, figsize=size, layout="constrained", squeeze=False)
    for row, (left, right) in zip(rows, axes, strict=True):
        for curve in row["curves"]:
            line = {"ls": STYLES[problem(curve)], "lw": 1.5, "ms": 3, **styles[curve["method"]]}
            points = [p for p in curve["points"] if p["error"] > 0]
            seconds = [p["seconds"] for p in points]
            left.plot(seconds, [p["error"] for p in points], "o", **line)
            right.plot(seconds, [p["accuracy"] for p in points], "o", **line)
        left.set(yscale="log", ylim=(5e-8, 3), ylabel="relative objective error")
        right.set(ylabel="test accuracy", ylim=accuracies(row))
        for ax in (left, right):
            finish(ax, f"{row['data']}, {row['rows']:,} × {row['columns']:,}")
    figure.legend(
        handles=handles(styles), loc="outside lower center", ncols=3, frameon=False, fontsize=9
    )
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)


def accuracies(row: dict[str, Any]) -> tuple[float, float]:
    """Room for where the curves end, not for the first iterations."""
    last = [curve["points"][-1]["accuracy"] for curve in row["curves"]]
    best = max(p["accuracy"] for curve in row["curves"] for p in curve["points"])
    return min(last) - 0.02, best + 0.005


def finish(ax: Axes, title: str) -> None:
    ax.set(xscale="log", xlabel="seconds")
    ax.set_title(title, loc="left", fontweight="bold", fontsize=11)
    ax.grid(visible=True, which="major", color="#E4E4E4", lw=0.6)
    ax.spines[["top", "right"]].set_visible(False)


def handles(styles: dict[str, dict[str, Any]]) -> list[Line2D]:
    methods = [Line2D([], [], marker="o", ms=3, label=name, **how) for name, how in styles.items()]
    kinds = [Line2D([], [], color="#444444", ls=STYLES[k], label=PROBLEMS[k]) for k in PROBLEMS]
    return methods + kinds


DRAWN: dict[str, Callable[[list[dict[str, Any]], Path], None]] = {
    "convergence": draw,
    "letters": lambda rows, path: draw_letters.draw(rows[0], path),
}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.draw", description=__doc__)
    parser.add_argument("--results", type=Path, default=record.RESULTS)
    parser.add_argument("--images", type=Path, default=IMAGES)
    options = parser.parse_args()
    mpl.use("Agg")
    for job, how in DRAWN.items():
        whole = record.load(job, options.results)
        if whole is None:
            print(f"No results yet; run python -m benchmarks.run --only {job} first.")
            continue
        how(whole["rows"], options.images / f"{job}.png")
        print(f"{job}.png: drawn.")


if __name__ == "__main__":
    main()
