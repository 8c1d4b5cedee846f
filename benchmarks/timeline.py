"""What each of sixteen threads does during a fit: how much it works, and what it waits for.

Threads are recorded (``maxmargin.ops.timeline``) in one warm fit on 16 of them, whatever the number
of cores. Shares of time depend on the machine; how many calls there are, into how many pieces each
is cut and how much work is in a piece do not. From these counts follows the most that 16 cores can
gain: beside the pieces one thread works, and each piece of a call goes to the thread that is free
first. Work is processor time, so that more threads than cores do not count as more work. Threads
that share pieces inside a compiled loop note only what each of them took: their pieces count as
even, and looking at a gate of such a loop counts as work.

The pictures go to ``benchmarks/.cache/timeline``.
"""

from __future__ import annotations

import heapq
import time
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterator
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks import contest, data, linear_data, source
from benchmarks.markdown import lay_out, number, times
from benchmarks.record import Row
from maxmargin.ops.timeline import BUSY, TURN, WAKING, Recording, Span, recording

THREADS = 16
PICTURES = data.CACHE / "timeline"
PYTHON, GATE = "python", "gate"
COLOURS = {BUSY: "#0072B2", GATE: "#D55E00", PYTHON: "#E69F00", WAKING: "#CC79A7"}
WORDS = {BUSY: "busy", GATE: "at a gate", PYTHON: "waiting for Python", WAKING: "waking"}
_PLACES = 5  # of a fit, those with most work

Case = tuple[str, str, Callable[[], Any], Any, Any]


def cases(small: bool) -> Iterator[Case]:
    """Name, data and estimator of each fit."""
    from maxmargin import (
        SVC,
        AdaBoostClassifier,
        BoostingClassifier,
        LinearClassifier,
        LinearSVC,
    )

    jobs = {"n_jobs": THREADS}
    name = "generated50"
    found = data.load(name, small)
    settings = {"gamma": found.gamma, "tol": contest.TOL, "cache_size": 2_000}
    yield "SVC", name, partial(SVC, **settings, **jobs), found.X, found.y
    for rows, columns in [(3_000, 5)] if small else [(400_000, 30)]:
        X, y = source.generated(rows, columns)
        X, name = X.astype(np.float32), f"{rows:,} x {columns}"
        for make in (AdaBoostClassifier, BoostingClassifier):
            yield make.__name__, name, partial(make, n_estimators=100, **jobs), X, y
    name = next(iter(linear_data.available(["covtype-all", "generated30"])))
    found = linear_data.load(name, small)
    for loss in ("hinge", "squared_hinge"):
        make = partial(LinearSVC, loss=loss, tol=1e-3, **jobs)
        yield f"LinearSVC {loss}", name, make, found.X, found.y
    make = partial(LinearClassifier, loss="logistic", tol=1e-3, **jobs)
    yield "LinearClassifier logistic", name, make, found.X, found.y
    X, y = source.generated(2_000, 20)
    for make in (SVC, LinearSVC, AdaBoostClassifier):
        yield f"small {make.__name__}", "2,000 x 20", partial(make, **jobs), X, y


def measure(small: bool) -> list[Row]:
    """One row of the table a fit; its picture is drawn meanwhile."""
    rows = []
    for name, on, make, X, y in cases(small):
        make().fit(X, y)  # loops of other sizes would be loaded in the recorded fit
        model = make()
        with recording() as noted:
            used = time.thread_time_ns()
            model.fit(X, y)
            used = time.thread_time_ns() - used
        rows.append({"fit": name, "data": on, "threads": THREADS, **summary(noted, used)})
        draw(noted, f"{name}, {on}")
        print(f"  {name}, {on}: alone {rows[-1]['alone']:.0%}", flush=True)
    return rows


def summary(noted: Recording, used: int) -> Row:
    """Count the pieces and the waits; ``used`` is the processor time of the thread that fits."""
    waits = between(noted)
    home = min(noted.spans, key=lambda s: s.begin).thread if noted.spans else 0
    own = sum(s.processor for s in outermost(noted) if s.thread == home)
    beside = max(0, used - own)
    calls = by_call(noted)
    handed = set(_calls_of_turns(noted, calls).values())
    pieces = {call: work_of(noted, call, spans) for call, spans in calls.items()}
    shared = sum(longest(pieces[n], THREADS if n in handed else 1) for n in calls)
    busy = sum(map(sum, pieces.values()))
    return {
        "seconds": (noted.end - noted.begin) / 1e9,
        "beside": beside / 1e9,
        **{kind: sum(s.end - s.begin for s in waits if s.kind == kind) / 1e9 for kind in WORDS},
        "work": busy / 1e9,
        "alone": alone(noted),
        "woken": sum(s.kind == WAKING for s in noted.spans),
        "gates": sum(noted.passed.values()),
        "gain": (beside + busy) / max(1, beside + shared),
        "places": places(noted, calls, waits),
    }


def by_call(noted: Recording) -> dict[int, list[Span]]:
    """List the pieces of each call."""
    calls: dict[int, list[Span]] = defaultdict(list)
    for span in noted.spans:
        if span.kind == BUSY:
            calls[span.number].append(span)
    return calls


def work_of(noted: Recording, call: int, spans: list[Span]) -> list[float]:
    """Return the work of each piece of a call; pieces inside a compiled loop count as even."""
    work = [float(s.processor) for s in spans]
    several = noted.shared.get(call, 0) if len(spans) > 1 else 0
    return [sum(work) / several] * several if several else work


def outermost(noted: Recording) -> list[Span]:
    """Leave out pieces within pieces of the same thread."""
    kept, ends = [], defaultdict(int)
    for span in sorted((s for s in noted.spans if s.kind == BUSY), key=lambda s: s.begin):
        if span.begin >= ends[span.thread]:
            kept.append(span)
            ends[span.thread] = span.end
    return kept


def between(noted: Recording) -> list[Span]:
    """Return all spans of the picture: the pieces, and the waits that follow from them."""
    found = [s for s in noted.spans if s.kind == WAKING] + outermost(noted)
    turns: dict[int, list[Span]] = defaultdict(list)
    for span in noted.spans:
        if span.kind == TURN:
            turns[span.number].append(span)
    work: dict[int, list[Span]] = defaultdict(list)
    for span in outermost(noted):
        work[span.thread].append(span)
    for number_, some in turns.items():
        end = max(s.end for s in some)
        for turn in some:
            own = [s for s in work[turn.thread] if turn.begin <= s.begin and s.end <= turn.end]
            edges = [turn.begin, *(t for s in own for t in (s.begin, s.end)), turn.end]
            found += [
                Span(PYTHON, turn.thread, a, b, 0, number_)
                for a, b in list(pairwise(edges))[::2]
                if b > a
            ]
            found.append(Span(GATE, turn.thread, turn.end, end, 0, number_))
    return found


def alone(noted: Recording) -> float:
    """Return the share of time in which one thread at most works on a piece."""
    steps = sorted((t, d) for s in outermost(noted) for t, d in ((s.begin, 1), (s.end, -1)))
    spent, at_work, last = 0, 0, noted.begin
    for when, change in [*steps, (noted.end, 0)]:
        if at_work <= 1:
            spent += when - last
        at_work, last = at_work + change, when
    return spent / (noted.end - noted.begin)


def longest(work: list[float], threads: int) -> float:
    """Return when the last thread ends if each piece goes to the first that is free."""
    ends = [0.0] * threads
    for piece in work:
        heapq.heapreplace(ends, ends[0] + piece)
    return max(ends)


def places(noted: Recording, calls: dict[int, list[Span]], waits: list[Span]) -> list[Row]:
    """One row for each function that pieces were given to, those with most work first."""
    by_place: dict[str, list[int]] = defaultdict(list)
    for call in calls:
        by_place[noted.places[call]].append(call)
    owner = _calls_of_turns(noted, calls)
    handed = set(owner.values())
    spent: dict[tuple[str, str], int] = defaultdict(int)
    for span in waits:
        if span.kind != BUSY and span.number in owner:
            spent[noted.places[owner[span.number]], span.kind] += span.end - span.begin
    rows = []
    for place, numbers in by_place.items():
        groups = [work_of(noted, n, calls[n]) for n in numbers]
        ends = [
            longest(g, THREADS if n in handed else 1) for g, n in zip(groups, numbers, strict=True)
        ]
        work = sum(map(sum, groups))
        rows.append(
            {
                "place": place,
                "calls": len(groups),
                "one thread": sum(n not in handed for n in numbers),
                "pieces": float(np.mean([len(g) for g in groups])),
                "work": work / 1e9,
                "piece": work / 1e9 / sum(map(len, groups)),
                "uneven": float(np.mean([max(g) * len(g) / max(1, sum(g)) for g in groups])),
                "gain": work / max(1, sum(ends)),
                "gates": noted.passed.get(place, 0),
                **{kind: spent[place, kind] / 1e9 for kind in (GATE, PYTHON, WAKING)},
            }
        )
    return sorted(rows, key=lambda row: -row["work"])[:_PLACES]


def _calls_of_turns(noted: Recording, calls: dict[int, list[Span]]) -> dict[int, int]:
    """Return the number of the call whose pieces each gathering of threads worked on."""
    turns: dict[int, list[Span]] = defaultdict(list)
    for span in sorted((s for s in noted.spans if s.kind == TURN), key=lambda s: s.begin):
        turns[span.thread].append(span)
    begins = {thread: [s.begin for s in some] for thread, some in turns.items()}
    found: dict[int, int] = {}
    for number_, spans in calls.items():
        for span in spans:
            place = bisect_right(begins.get(span.thread, []), span.begin) - 1
            if place >= 0 and turns[span.thread][place].end >= span.end:
                found.setdefault(turns[span.thread][place].number, number_)
    return found


def draw(noted: Recording, title: str) -> None:
    """Draw a line for each thread, coloured by what it does; the first one began the fit."""
    import matplotlib as mpl

    mpl.use("Agg")
    import matplotlib.pyplot as plt

    lines: dict[tuple[int, str], list[tuple[float, float]]] = defaultdict(list)
    ranks: dict[int, int] = {}
    for span in sorted(between(noted), key=lambda s: s.begin):
        rank = ranks.setdefault(span.thread, len(ranks))
        bar = ((span.begin - noted.begin) / 1e6, (span.end - span.begin) / 1e6)
        lines[rank, span.kind].append(bar)
    figure, ax = plt.subplots(figsize=(11, 0.8 + 0.25 * max(4, len(ranks))), layout="constrained")
    for (rank, kind), bars in lines.items():
        ax.broken_barh(bars, (rank - 0.4, 0.8), color=COLOURS[kind], lw=0)
    ax.set(title=title, xlabel="milliseconds", ylabel="thread", xlim=(0, None))
    ax.invert_yaxis()
    ax.legend(
        handles=[mpl.patches.Patch(color=COLOURS[k], label=WORDS[k]) for k in WORDS],
        loc="center left",
        bbox_to_anchor=(1, 0.5),
    )
    PICTURES.mkdir(parents=True, exist_ok=True)
    file = PICTURES / f"{title.replace(', ', '-').replace(',', '').replace(' ', '-')}.png"
    figure.savefig(file, dpi=120)
    plt.close(figure)
    print(f"  drawn: {file}", flush=True)


def table(whole: Row) -> str:
    rows = whole["rows"]
    header = [
        f"A fit on {THREADS} threads",
        "data",
        "seconds",
        "beside the pieces, s",
        "work in pieces, s",
        "one thread at most works",
        "at a gate, s",
        "waiting for Python, s",
        "waking, s",
        "threads woken",
        "gates in loops",
        "16 gain at most",
    ]
    lines = [
        [
            row["fit"],
            row["data"],
            *(number(row[key]) for key in ("seconds", "beside", "work")),
            f"{row['alone']:.0%}",
            *(number(row[key]) for key in (GATE, PYTHON, WAKING)),
            *(f"{row[key]:,}" for key in ("woken", "gates")),
            times(row["gain"]),
        ]
        for row in rows
    ]
    return f"{lay_out(header, lines)}\n\n{_places_table(rows)}"


def _places_table(rows: list[Row]) -> str:
    header = [
        "Pieces of",
        "where",
        "calls",
        "on one thread",
        "pieces a call",
        "work a piece, ms",
        "largest over mean",
        "gates in loops",
        "at a gate, s",
        "waiting for Python, s",
        "waking, s",
        "16 gain at most",
    ]
    lines = [
        [
            row["fit"],
            place["place"],
            *(f"{place[key]:,}" for key in ("calls", "one thread")),
            number(place["pieces"]),
            number(place["piece"] * 1e3),
            times(place["uneven"]),
            f"{place['gates']:,}",
            *(number(place[key]) for key in (GATE, PYTHON, WAKING)),
            times(place["gain"]),
        ]
        for row in rows
        for place in row["places"]
    ]
    return lay_out(header, lines)


TABLES: dict[str, Callable[[Row], str]] = {"timeline": table}
