"""The picture of letter recognition: training and test error against rounds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from matplotlib.ticker import FuncFormatter, MultipleLocator, PercentFormatter

from benchmarks.letters import PUBLISHED
from maxmargin.plots import palette


def draw(row: dict[str, Any], path: Path) -> None:
    figure, ax = plt.subplots(figsize=(7.5, 4.4), layout="constrained")
    curves = (("train", "training error", palette.TRAIN), ("test", "test error", palette.TEST))
    for part, name, colour in curves:
        errors = np.array(row["wrong"][part]) / row["rows"][part]
        ax.plot(np.arange(1, len(errors) + 1), errors, color=colour, lw=1.8, label=name)
    ax.plot(
        *zip(*PUBLISHED.items(), strict=True),
        "o",
        mfc="none",
        color=palette.INK,
        label="test error published with C4.5",
    )
    ax.set(xscale="log", xlabel="rounds", ylabel="error", ylim=(-0.004, None))
    ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:,.0f}"))
    ax.yaxis.set_major_locator(MultipleLocator(0.02))
    ax.yaxis.set_major_formatter(PercentFormatter(1.0, decimals=0))
    title = f"Letter recognition, {row['rows']['train']:,} rows, boosted trees"
    ax.set_title(title, loc="left", fontweight="bold", fontsize=11)
    ax.grid(visible=True, which="major", color="#E4E4E4", lw=0.6)
    ax.spines[["top", "right"]].set_visible(False)
    ax.legend(frameon=False)
    path.parent.mkdir(exist_ok=True)
    figure.savefig(path, dpi=150)
    plt.close(figure)
