"""Ranks of kernel machines for tables: ``python -m benchmarks.table_report``.

What stands between ``<!-- ranks:begin -->`` and ``<!-- ranks:end -->`` in docs/tables-svm.md is
replaced by the results of ``benchmarks.tables`` on the judged half, in README.md by three lines of
them, and the picture of mean ranks is drawn anew.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib.pyplot as plt
import numpy as np
from scipy.stats import rankdata, studentized_range

from benchmarks import table_data
from benchmarks.markdown import lay_out
from benchmarks.table_rivals import BOOSTERS, CONTESTANTS, EVERYBODY, OURS, TUNED
from benchmarks.tables import RESULTS
from maxmargin.plots import palette

ROOT = Path(__file__).parents[1]
DOCUMENT, README = ROOT / "docs" / "tables-svm.md", ROOT / "README.md"
PICTURE = ROOT / "docs" / "images" / "table_ranks.png"
BEGIN, END = "<!-- ranks:begin -->", "<!-- ranks:end -->"
SHORT = {OURS: "ours", "random forest": "forest", "nearest neighbours": "kNN"}
WORSE = 0.02  # accuracy or R²: from here on a table is lost
LEAST_LOG_LOSS = 0.01  # below it, ratios of log losses say nothing


@dataclass(frozen=True)
class Contest:
    """Scores of some contestants: an array of tables, splits and contestants."""

    tables: list[str]
    who: list[str]
    found: dict[str, np.ndarray]

    @classmethod
    def of(cls, rows: int, splits: int, tables: Any, who: Any) -> Contest:
        """Read the tables that ours has finished, and whoever else has finished them all."""
        known = json.loads(RESULTS.read_text())["rows"]

        def keys(name: str, w: str) -> list[str]:
            return [f"{name}/{rows}/{seed}/{w}" for seed in range(splits)]

        kept = [name for name in tables if all(key in known for key in keys(name, OURS))]
        who = [w for w in who if all(key in known for name in kept for key in keys(name, w))]
        lines = [
            [[known[f"{name}/{rows}/{seed}/{w}"] for w in who] for seed in range(splits)]
            for name in kept
        ]
        return cls(kept, who, {what: _numbers(lines, what) for what in _KINDS})

    @property
    def means(self) -> np.ndarray:
        """Of the splits' scores, a line a table."""
        return self.found["score"].mean(axis=1)

    @property
    def ranks(self) -> np.ndarray:
        """The mean rank of each contestant."""
        return np.array([rankdata(-line) for line in self.means]).mean(axis=0)

    def ties(self, rival: int) -> np.ndarray:
        """Say on which tables the first contestant wins, or is within a standard error."""
        off = self.found["score"][:, :, 0] - self.found["score"][:, :, rival]
        if off.shape[1] == 1:  # one split has no error
            return off[:, 0] >= 0.0
        return off.mean(axis=1) >= -off.std(axis=1, ddof=1) / np.sqrt(off.shape[1])

    def mean(self, what: str) -> np.ndarray:
        """Average log loss, calibration error or seconds over tables that have it."""
        values = self.found[what].mean(axis=1)
        return values[np.isfinite(values).all(axis=1)].mean(axis=0)


_KINDS = ("score", "log_loss", "calibration", "seconds")


def _numbers(lines: list[Any], what: str) -> np.ndarray:
    return np.array([[[each.get(what, np.nan) for each in row] for row in s] for s in lines])


def table_of(contest: Contest) -> str:
    """Lay out scores by table, then ranks, ties, log losses, calibration errors and seconds."""
    head = ["table", *(SHORT.get(w, w) for w in contest.who)]
    lines = []
    for name, line in zip(contest.tables, contest.means, strict=True):
        best = line.max()
        cells = [f"**{x:.3f}**" if x > best - 5e-4 else f"{x:.3f}" for x in line]
        lines.append([name, *cells])
    ties = [contest.ties(k).mean() for k in range(len(contest.who))]
    lines.append(["**mean rank**", *(f"{rank:.2f}" for rank in contest.ranks)])
    lines.append(["ours wins or ties", "", *(f"{share:.0%}" for share in ties[1:])])
    lines.append(["log loss", *(f"{x:.3f}" for x in contest.mean("log_loss"))])
    lines.append(["calibration error", *(f"{x:.3f}" for x in contest.mean("calibration"))])
    lines.append(["seconds", *(f"{x:.2f}" for x in contest.mean("seconds"))])
    return lay_out(head, lines)


def best_booster(contest: Contest) -> np.ndarray:
    """Return the position of the best booster on each table."""
    rivals = [k for k, w in enumerate(contest.who) if w in BOOSTERS]
    return np.array(rivals)[contest.means[:, rivals].argmax(axis=1)]


def behind(contest: Contest) -> np.ndarray:
    """Return how far ours is behind the best booster on each table."""
    best = best_booster(contest)
    return contest.means[np.arange(len(best)), best] - contest.means[:, 0]


def lost(contest: Contest) -> str:
    """Tell where the best booster beats ours by more than a standard error."""
    best, off = best_booster(contest), behind(contest)
    told = [
        f"{contest.tables[t]} by {off[t]:.3f} ({contest.who[best[t]]})"
        for t in np.argsort(-off)
        if not contest.ties(int(best[t]))[t]
    ]
    return "; ".join(told) or "none"


def log_loss_ratio(contest: Contest) -> float:
    """Return the mean ratio of our log loss to the best booster's, over tables with classes."""
    losses = contest.found["log_loss"].mean(axis=1)
    rivals = [k for k, w in enumerate(contest.who) if w in BOOSTERS]
    known = np.isfinite(losses).all(axis=1)
    best = np.maximum(losses[:, rivals].min(axis=1), LEAST_LOG_LOSS)
    ratio = np.maximum(losses[:, 0], LEAST_LOG_LOSS) / best
    return float(np.exp(np.log(ratio[known]).mean()))


def when_trees_win(contest: Contest) -> str:
    """Tell where and by how much boosters are better."""
    off = behind(contest)
    worst, count = int(off.argmax()), int((off > WORSE).sum())
    said = [
        f"The best booster, chosen on each table after the fact, is better by more than one "
        f"standard error on: {lost(contest)}.",
        f"The largest loss is {off[worst]:.3f} on {contest.tables[worst]}. The loss is more than "
        f"{WORSE:g} on {count} of {len(off)} tables.",
        f"The log loss is {log_loss_ratio(contest):.2f} times that of the best booster of each "
        f"table (geometric mean; losses below {LEAST_LOG_LOSS:g} count as that).",
    ]
    return "\n".join(said)


def critical_difference(contest: Contest) -> float:
    """Nemenyi's: mean ranks farther apart differ at the level of 5 % (Demsar, JMLR 7, 2006)."""
    k, n = len(contest.who), len(contest.tables)
    return float(studentized_range.ppf(0.95, k, np.inf) / np.sqrt(2) * np.sqrt(k * (k + 1) / 6 / n))


def draw(contest: Contest, path: Path) -> None:
    """Draw mean ranks, the critical difference, and lines under those that it does not part."""
    order, step = np.argsort(contest.ranks), critical_difference(contest)
    ranks = contest.ranks[order]
    figure, ax = plt.subplots(figsize=(8.0, 0.34 * len(order) + 1.3), layout="constrained")
    for place, (rank, who) in enumerate(zip(ranks, order, strict=True)):
        ours = contest.who[who] == OURS
        colour = palette.CLASSES[1] if ours else palette.INK
        ax.plot(rank, place, "o", color=colour, ms=7)
        name = f"{SHORT.get(contest.who[who], contest.who[who])}  {rank:.2f}"
        weight = "bold" if ours else "normal"
        ax.annotate(
            name, (rank, place), (9, 0), textcoords="offset points", va="center", color=colour,
            fontweight=weight,
        )  # fmt: skip
        last = np.flatnonzero(ranks <= rank + step).max()
        ax.plot([rank, ranks[last]], [place + 0.3] * 2, color=palette.CHANCE, lw=2.0)
    ax.plot([1.0, 1.0 + step], [-1.0, -1.0], color=palette.INK, lw=2.5)
    ax.annotate(
        f"critical difference {step:.2f}", (1.0 + step, -1.0), (6, 0),
        textcoords="offset points", va="center",
    )  # fmt: skip
    ax.set(xlabel=f"mean rank on {len(contest.tables)} tables", xlim=(0.8, len(order) + 1.5))
    ax.set_ylim(len(order) - 0.3, -1.6)
    ax.yaxis.set_visible(False)
    ax.spines[["top", "right", "left"]].set_visible(False)
    figure.savefig(path, dpi=100)
    plt.close(figure)


def tuned_boosters() -> list[str]:
    """Lay out the boosters that were tuned on all tables, by as many splits as there are."""
    others = [w for w in EVERYBODY if w not in BOOSTERS]
    for splits in (5, 2, 1):
        tuned = Contest.of(2000, splits, table_data.JUDGED, others)
        if any(w.endswith(TUNED) for w in tuned.who):
            said = "one split" if splits == 1 else f"{splits} splits"
            head = f"**Boosters tuned by 20 random points each, ours as it is, {said}:**"
            return [head, table_of(tuned)]
    return []


def render() -> str:
    """Write the tables and draw the picture."""
    small = Contest.of(2000, 5, table_data.JUDGED, CONTESTANTS)
    parts = ["**Defaults, 2,000 training rows, five splits:**", table_of(small)]
    everybody = Contest.of(2000, 5, table_data.JUDGED, EVERYBODY)
    parts += tuned_boosters()
    draw(everybody, PICTURE)
    alt = "Mean ranks of all contestants on a line, ours marked, with the critical difference."
    parts.append(f"![{alt}](images/{PICTURE.name})")
    large = Contest.of(20000, 1, table_data.TABLES, CONTESTANTS)
    if large.tables:
        parts += ["**20,000 training rows, one split, all large tables:**", table_of(large)]
    parts += ["### When trees win", when_trees_win(small)]
    return "\n\n".join(parts)


def three_lines() -> str:
    """Write mean ranks, wins and seconds against the boosters' defaults."""
    contest = Contest.of(2000, 5, table_data.JUDGED, [OURS, *BOOSTERS])
    ties = [f"{contest.ties(k).mean():.0%}" for k in range(1, len(contest.who))]
    head = [f"{len(contest.tables)} tables, up to 2,000 rows, defaults", "`TableSVC`, `TableSVR`"]
    lines = [
        ["mean rank of these five", *(f"{rank:.2f}" for rank in contest.ranks)],
        ["ours wins or ties", "", *ties],
        ["seconds", *(f"{x:.2f}" for x in contest.mean("seconds"))],
    ]
    return lay_out([*head, *contest.who[1:]], lines)


def put(document: Path, text: str) -> None:
    """Replace what stands between the marks of a document."""
    whole = document.read_text()
    pattern = re.escape(BEGIN) + ".*?" + re.escape(END)
    if not re.search(pattern, whole, flags=re.DOTALL):
        raise ValueError(f"{document.name} has no place for the ranks: add {BEGIN} and {END}.")
    block = f"{BEGIN}\n\n{text}\n\n{END}"
    document.write_text(re.sub(pattern, lambda _match: block, whole, flags=re.DOTALL))


def main() -> None:
    told = {DOCUMENT: render(), README: three_lines()}
    for document, text in told.items():
        put(document, text)
        print(f"{document.name}\n\n{text}\n")


if __name__ == "__main__":
    main()
