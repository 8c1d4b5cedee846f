"""What the runs of ``benchmarks.main_job`` say: scores, ranks, honesty, time and memory."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.stats import rankdata

from benchmarks.markdown import lay_out

OURS, COLD, HGB = "ours", "ours, cold", "HGB"
EVERYBODY = (OURS, COLD, "FLAML", "AutoGluon", HGB)
KEPT = (1.05, 2.0)  # a budget is kept within this factor, or so many seconds

Found = dict[str, Any]


@dataclass(frozen=True)
class Runs:
    """The runs of one budget that are done."""

    of: Mapping[tuple[str, int, str], Found]  # by table, split, contestant

    @property
    def who(self) -> list[str]:
        return [who for who in EVERYBODY if any(key[2] == who for key in self.of)]

    def seeds(self, table: str, who: Sequence[str]) -> list[int]:
        """Return the splits that all of them have done."""
        seeds = {key[1] for key in self.of if key[0] == table}
        return sorted(s for s in seeds if all((table, s, w) in self.of for w in who))

    def by(self, who: str) -> list[tuple[str, int, Found]]:
        return [(table, seed, run) for (table, seed, w), run in self.of.items() if w == who]


def lay_out_runs(known: Mapping[str, Found], tables: Sequence[str], kept: Any = KEPT) -> str:
    """Lay out all budgets, one after the other."""
    budgets = sorted({float(key.split("/")[1]) for key in known} - {0.0})
    parts = []
    for budget in budgets:
        runs = _runs_of(known, budget)
        parts += [f"## {budget:g} s", _scores(runs, tables), *_verdicts(runs, budget, kept)]
    failed = [f"{key}: {run['failed'][-200:]}" for key, run in known.items() if "failed" in run]
    parts += ["Failed:", *failed] if failed else []
    return "\n\n".join(parts)


def _runs_of(known: Mapping[str, Found], budget: float) -> Runs:
    found = {}
    for key, run in known.items():
        table, own, seed, who = key.split("/")
        if "failed" not in run and (float(own) == budget or who == HGB):
            found[table, int(seed), who] = run
    return Runs(found)


def _scores(runs: Runs, tables: Sequence[str]) -> str:
    """Lay out mean fresh scores of the splits that all have done, and mean ranks.

    Those that have done no table that the others have do not keep the table from its rank.
    """
    who, lines, ranks = runs.who, [], []
    for table in tables:
        here = [w for w in who if any((table, s, w) in runs.of for s in range(99))]
        seeds = runs.seeds(table, here)
        if not seeds or OURS not in here:
            continue
        found = {w: [runs.of[table, s, w] for s in seeds] for w in here}
        means = {w: float(np.mean([run["fresh"] for run in found[w]])) for w in here}
        cells = [f"{means[w]:.4f}" if w in means else "" for w in who]
        winners = " ".join(dict.fromkeys(run["winner"] for run in found[OURS]))
        lines.append([table, found[OURS][0]["metric"], str(len(seeds)), *cells, winners])
        if len(here) == len(who):
            ranks.append(rankdata([-round(means[w], 6) for w in who]))
    if ranks:
        mean = [f"{rank:.2f}" for rank in np.mean(ranks, axis=0)]
        lines.append([f"**mean rank** on {len(ranks)}", "", "", *mean, ""])
    return lay_out(["table", "metric", "splits", *who, "winners of ours"], lines)


def _verdicts(runs: Runs, budget: float, kept: Any) -> list[str]:
    """Say one line a bar."""
    said = [_duel(runs, who) for who in runs.who if who not in (OURS, COLD, HGB)]
    said += [_behind_hgb(runs, who) for who in (OURS, COLD) if who in runs.who]
    said += [_coverage(runs, who) for who in runs.who if who != HGB]
    said += [_same_winner(runs)] if COLD in runs.who else []
    said += [_budget_kept(runs, who, budget, kept) for who in (OURS, COLD) if who in runs.who]
    said += [
        f"{who}: at most {max(run['seconds'] for *_, run in runs.by(who)):.0f} s and"
        f" {max(run['megabytes'] for *_, run in runs.by(who)):.0f} MB"
        for who in runs.who
    ]
    sources = sorted({str(run.get("source")) for who in (OURS, COLD) for *_, run in runs.by(who)})
    loads = [run["load"] for who in (OURS, COLD) for *_, run in runs.by(who) if "load" in run]
    load = max(loads, default=0.0)
    return [*said, f"Sources of ours: {', '.join(sources)}. Load before a run: at most {load:.1f}"]


def _duel(runs: Runs, who: str) -> str:
    """Compare ranks of two alone, on the splits that both have done."""
    pairs = [
        (runs.of[table, seed, OURS]["fresh"], run["fresh"])
        for table, seed, run in runs.by(who)
        if (table, seed, OURS) in runs.of
    ]
    better, worse = sum(a > b for a, b in pairs), sum(a < b for a, b in pairs)
    return f"ours against {who}: {better} better, {worse} worse of {len(pairs)} runs"


def _behind_hgb(runs: Runs, who: str) -> str:
    """Name tables whose mean over the splits is behind by more than one standard error.

    There are two errors: of the score on fresh rows, and the smaller one of the difference on the
    same rows.
    """
    by_table: dict[str, list[Found]] = {}
    for table, _seed, run in runs.by(who):
        by_table.setdefault(table, []).append(run)
    far, near = [], []
    for table, found in by_table.items():
        ahead = np.mean([run["ahead"] for run in found])
        own = np.sqrt(np.sum([run["error"] ** 2 for run in found])) / len(found)
        paired = np.sqrt(np.sum([run["ahead_error"] ** 2 for run in found])) / len(found)
        far += [f"{table} {ahead:+.4f} ({own:.4f})"] if ahead < -own else []
        near += [f"{table} {ahead:+.4f} ({paired:.4f})"] if ahead < -paired else []
    return (
        f"{who} behind HGB by more than a standard error of the score: {', '.join(far) or 'none'};"
        f" of the difference: {', '.join(near) or 'none'} (of {len(by_table)} tables)"
    )


def _coverage(runs: Runs, who: str) -> str:
    """Count runs whose interval of the reported score holds the fresh score.

    A peer that reports a bare score is given an interval as wide as ours on the same split.
    """
    held = []
    for table, seed, run in runs.by(who):
        own = runs.of.get((table, seed, OURS))
        if "reported" not in run or own is None:
            continue
        shift = run["reported"] - own["reported"]
        low, high = run.get("interval") or [end + shift for end in own["interval"]]
        held.append(low <= run["fresh"] <= high)
    return f"{who}: fresh score inside the reported interval in {sum(held)} of {len(held)} runs"


def _same_winner(runs: Runs) -> str:
    pairs = [
        (table, run["winner"], runs.of[table, seed, OURS]["winner"])
        for table, seed, run in runs.by(COLD)
        if (table, seed, OURS) in runs.of
    ]
    other = [f"{table} (cold {cold}, warm {warm})" for table, cold, warm in pairs if cold != warm]
    same = len(pairs) - len(other)
    return f"Same winner cold and warm in {same} of {len(pairs)} runs; other: {', '.join(other)}"


def _budget_kept(runs: Runs, who: str, budget: float, kept: Any) -> str:
    most = max(kept[0] * budget, budget + kept[1])
    over = [f"{t} {run['seconds']:.0f} s" for t, _, run in runs.by(who) if run["seconds"] > most]
    count = len(runs.by(who))
    return f"{who}: budget kept in {count - len(over)} of {count} runs; over: {', '.join(over)}"
