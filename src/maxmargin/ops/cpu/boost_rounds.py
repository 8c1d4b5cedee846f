"""Rounds of AdaBoost with stumps, two classes: all of a round, and many of them, in one call.

Weights. A round multiplies those of rows told wrong by exp(a) and leaves the others alone, so only
rows told wrong are touched; sums grow, and once they have grown a thousandfold all weights are
divided by their sum. Weights are read on a grid, as whole numbers of 51 bits in all when they are
put on it: sums of them are exact in 64 bits until the thousandfold is reached. So the sums of
buckets are not estimates that drift. They are, at any time, what summing all rows anew would give,
in whatever order and on however many threads.

Splits. For each column the sums of its buckets (``stump_buckets.py``) give the scores of all splits
at their ends. Inside of a bucket a side holds between none and all of each class, and both criteria
are convex in these two sums (a criterion of impurity is, being a perspective of a concave function:
L. Breiman et al., Classification and Regression Trees, 1984, section 4.3), so none inside is better
than the better of two corners: all of one class and none of the other. Only buckets with a corner
as good as the best end are read row by row. The split is the one that trying all of them finds,
with ties resolved as ``Columns`` does.

Threads. Workers call the same function with their number, take every so many-th chunk of rows or
column, and meet at a gate between steps. What depends on all of them each works out for itself,
from numbers summed chunk by chunk.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from maxmargin.ops.cpu.gate import meet
from maxmargin.ops.kinds import GINI, LAST, ROW
from maxmargin.ops.loop import njit
from maxmargin.ops.round_state import (
    ALONG,
    BASE,
    CHUNK,
    COEFFICIENT,
    COSINE,
    COUNT,
    ERROR,
    GAIN,
    GREAT,
    GROWTH,
    LOG_Z,
    MADE,
    PERFECT,
    REST,
    RUN,
    SCALE,
    SIDE,
    SQUARES,
    STALE,
    STATUS,
    TOTAL,
    TRAIN_ERROR,
    VOTED,
    WEAK,
)

_SLACK = 1e-12  # of the total weight: sums that differ by less are taken as equal
_CHANCE = 1e-12  # an error this close to that of chance differs from it by rounding
_FLOOR = 1e-250  # of a weight; above it no product with a factor becomes subnormal
_SAFE = 1.0 + 1e-9  # of a score: what is above it is more, however it is rounded
_SUMS = {"reassoc", "nsz"}  # of what is summed in chunks, several at a time
_ONE = np.uint64(1)
# Nobody calls the inner functions from Python, and wrappers for it would take a third of the time
# of compiling them. Most are leaves that take the few arrays they need: what stands deeper is
# optimised again at every level above it.


@njit(cache=True, nogil=True)
def make_rounds(
    buckets: Any,
    rows: Any,
    log: Any,
    kind: int,
    rate: float,
    replay: bool,
    worker: int,
    gate: Any,
    rest: int,
) -> int:
    """Make rounds, a line of the log for each, until it is full or no more can be made.

    Replayed rounds have their split and coefficient in the log. Returns how many were made.
    """
    workers, line, tally = len(rows.line), rows.line[worker], rows.tally[worker]
    for t in range(len(log)):
        if tally[STALE] != 0.0:
            _put_on_grid(buckets, rows, worker, workers)
            meet(gate, workers, rest)
            _add_gained(rows.gained, 0, rows.whole[worker])
        if replay:
            _copy(log[t], line)
        else:
            _search(buckets, rows, kind, worker, gate, rest)
        _mark_side(buckets, rows.side, line, worker, workers)
        meet(gate, workers, rest)
        for c in range(worker, len(rows.chunk), workers):
            _tell_wrong(rows.label, rows.side, rows.weight, line, c, rows.wrong, rows.chunk)
        meet(gate, workers, rest)
        _measure(rows.chunk, len(rows.label), rate, replay, tally, line)
        growth = _growth(tally, line)
        _learn(buckets, rows, worker, workers, growth)
        meet(gate, workers, rest)
        _settle(rows.chunk, growth, tally, line)
        if growth > 1.0:
            _add_gained(rows.gained, 1, rows.whole[worker])
        if worker == 0:
            _copy(line, log[t])
        if line[STATUS] != MADE:
            return t + 1
    return len(log)


@njit(nogil=True)
def _copy(source: Any, target: Any) -> None:
    for k in range(len(source)):
        target[k] = source[k]


# weights on the grid


@njit(nogil=True)
def _put_on_grid(buckets: Any, rows: Any, worker: int, workers: int) -> None:
    """Round all weights to whole numbers of 51 bits in all, and sum them in buckets."""
    tally, B = rows.tally[worker], rows.sums.shape[1]
    tally[SCALE] = math.ldexp(1.0, 51 - math.frexp(tally[TOTAL])[1])
    tally[BASE], tally[STALE] = tally[TOTAL], 0.0
    for k in range(B):
        rows.sums[worker, k] = 0
    for k in range(worker * B // workers, (worker + 1) * B // workers):
        rows.sums[len(rows.sums) - 1, k] = 0
    for c in range(worker, len(rows.chunk), workers):
        begin, end = c * CHUNK, min((c + 1) * CHUNK, len(rows.label))
        for i in range(begin, end):
            rows.level[i], rows.wrong[i] = 0, i
        _weigh_some(
            buckets.entry_start,
            buckets.entries,
            rows.label,
            rows.wrong[begin:end],
            1.0,
            tally[SCALE],
            rows.weight,
            rows.level,
            rows.sums[worker],
            rows.gained[c],
        )


@njit(nogil=True)
def _weigh_some(
    start: Any,
    entries: Any,
    label: Any,
    some: Any,
    growth: float,
    scale: float,
    weight: Any,
    level: Any,
    sums: Any,
    gained: Any,
) -> None:
    """Multiply the weights of some rows, on the grid and in the sums of buckets too."""
    all_of, ones = np.int64(0), np.int64(0)  # written at last: neighbours' numbers lie beside
    for k in range(len(some)):
        i = np.uint64(some[k])
        weight[i] *= growth
        now, which = np.int64(np.rint(weight[i] * scale)), np.uint64(label[i])
        by = now - abs(level[i])
        level[i] = now if which else -now
        all_of += by
        ones += by * np.int64(which)
        for e in range(start[i], start[i + _ONE]):
            sums[(np.uint64(entries[e]) << _ONE) | which] += by
    gained[0], gained[1] = all_of - ones, ones


@njit(nogil=True)
def _add_gained(gained: Any, keep: int, whole: Any) -> None:
    """Add what the levels of both classes have grown by to what they were, or to nothing."""
    whole[0], whole[1] = keep * whole[0], keep * whole[1]
    for c in range(len(gained)):
        whole[0] += gained[c, 0]
        whole[1] += gained[c, 1]


# the best split


@njit(nogil=True)
def _search(buckets: Any, rows: Any, kind: int, worker: int, gate: Any, rest: int) -> None:
    """Find the best split and write it to the line of each worker.

    First the ends of all buckets, then the insides of those that may hold a split as good.
    """
    workers, line, best = len(rows.line), rows.line[worker], rows.best
    T = rows.whole[worker, 1] - rows.whole[worker, 0]
    H = rows.whole[worker, 1] + rows.whole[worker, 0]
    # Looked up once: each time Numba would count who holds them, at the price of a bucket or two.
    first, width, bundle, cell = buckets.first, buckets.width, buckets.bundle, buckets.cell
    begin, inner, stop, runs = buckets.begin, buckets.inner, buckets.stop, buckets.rows
    start, exact, level, hope = buckets.start, buckets.exact, rows.level, rows.hope
    parts, sums = rows.sums, rows.sums[len(rows.sums) - 1]
    bar = -1.0
    for g in range(worker, len(cell) - 1, workers):
        _sum_bundle(first, width, bundle, cell, g, parts, sums)
        for j in range(bundle[g], bundle[g + 1]):
            best[j], hope[j] = _best_end(first, sums, not exact[j], kind, j, T, H, bar)
            bar = max(bar, best[j])
    meet(gate, workers, rest)
    bar, column = _first_best(best, kind, T, H, line)
    for place in (False, True):
        for j in range(len(best)):
            if j == column if place else hope[j] and j % workers == worker:
                found = _walk(
                    runs,
                    start,
                    first,
                    begin,
                    inner,
                    stop,
                    level,
                    sums,
                    kind,
                    j,
                    T,
                    H,
                    bar,
                    place,
                    line,
                )
                if not place:  # others may still be looking which column it is
                    best[j] = max(best[j], found)
        if not place:
            meet(gate, workers, rest)
            bar, column = _first_best(best, kind, T, H, line)


@njit(nogil=True)
def _sum_bundle(
    first: Any, width: Any, bundle: Any, cell: Any, g: int, parts: Any, sums: Any
) -> None:
    """Bring the sums of a bundle's buckets up to date."""
    if cell[g] == cell[g + 1]:
        _gather(parts, 2 * first[2 * bundle[g]], 2 * first[2 * bundle[g + 1]])
        return
    _gather(parts, 2 * cell[g], 2 * cell[g + 1])
    stride = cell[g + 1] - cell[g]
    for j in range(bundle[g], bundle[g + 1]):
        stride //= width[j]
        _fold(first, width, j, cell[g], cell[g + 1], stride, sums)


@njit(nogil=True)
def _gather(sums: Any, begin: int, end: int) -> None:
    """Add what workers have for some places to the last line; a worker alone writes there."""
    for w in range(len(sums) - 1):
        for k in range(begin, end):
            sums[len(sums) - 1, k] += sums[w, k]
            sums[w, k] = 0


@njit(nogil=True)
def _fold(first: Any, width: Any, j: int, cell: int, stop: int, stride: int, sums: Any) -> None:
    """Sum cells into the buckets of a column, whose number changes after so many of them."""
    begin, frequent = first[2 * j], first[2 * j] + width[j] - 1
    for k in range(2 * begin, 2 * first[2 * j + 2]):
        sums[k] = 0
    b = begin
    for at in range(cell, stop, stride):
        if b == frequent:  # of which nobody asks for a sum
            b = begin
            continue
        n = p = np.int64(0)
        for k in range(at, at + stride):
            n += sums[2 * k]
            p += sums[2 * k + 1]
        sums[2 * b] += n
        sums[2 * b + 1] += p
        b += 1


@njit(nogil=True)
def _first_best(best: Any, kind: int, T: int, H: int, line: Any) -> tuple[float, int]:
    """Return what counts as the best score, and the first column that reaches it.

    Where none is better than one class for all rows, this is written and the column negative.
    """
    top = baseline = 0.0 if kind == GINI else float(abs(T))
    for j in range(len(best)):
        top = max(top, best[j])
    slack = _SLACK * math.sqrt(top) + _SLACK * _SLACK if kind == GINI else _SLACK * float(H)
    for j in range(len(best)):
        if best[j] >= top - slack and top > baseline + slack:
            return top - slack, j
    least = _SLACK * float(H) if kind == GINI else 0.0
    line[RUN], line[COUNT], line[ALONG], line[GAIN] = -1.0, 0.0, 0.0, baseline / float(H)
    line[SIDE] = line[REST] = 1.0 if float(T) > least else 0.0
    return top - slack, -1


@njit(nogil=True)
def _score(kind: int, S: int, h: int, T: int, H: int) -> float:
    """Score a side by the sums of its signed levels and of their sizes."""
    if kind != GINI:
        return float(abs(T - 2 * S))
    if h <= 0 or h >= H:
        return 0.0
    A = float(S) - float(T) / float(H) * float(h)
    return A * A / (float(h) * float(H - h))


@njit(nogil=True)
def _reaches(kind: int, S: int, h: int, T: int, H: int, bar: float, mean: float) -> bool:
    """Return, without a division, whether a score may be as good as the bar."""
    if kind != GINI:
        return bar <= float(abs(T - 2 * S)) * _SAFE
    A = float(S) - mean * float(h)
    return bar * (float(h) * float(H - h)) <= A * A * _SAFE


@njit(nogil=True)
def _best_end(
    first: Any, sums: Any, inside: bool, kind: int, j: int, T: int, H: int, bar: float
) -> tuple[float, bool]:
    """Return the best score at the ends of a column's buckets, and whether to look inside of them.

    Scores below the bar need not be known: the column that it comes from is before this one.
    """
    last, mean = first[2 * j + 2] - 1, float(T) / float(H)
    dS, dh = sums[2 * last + 1] - sums[2 * last], sums[2 * last + 1] + sums[2 * last]
    best, hope = _score(kind, dS, dh, T, H), False
    bar = max(bar, best)
    for r in range(2 * j, 2 * j + 2):
        for along in range(2 if dh > 0 else 1):
            S, h = (dS, dh) if along else (np.int64(0), np.int64(0))
            for b in range(first[r], min(first[r + 1], last)):
                n, p = sums[2 * b], sums[2 * b + 1]
                if inside:
                    hope |= _reaches(kind, S + p, h + p, T, H, bar, mean)
                    hope |= _reaches(kind, S - n, h + n, T, H, bar, mean)
                S += p - n
                h += p + n
                if _reaches(kind, S, h, T, H, bar, mean):
                    best = max(best, _score(kind, S, h, T, H))
                    bar = max(bar, best)
    return best, hope


@njit(nogil=True)
def _hopeful(
    kind: int, S: int, h: int, p: int, n: int, T: int, H: int, bar: float, mean: float
) -> bool:
    """Return whether a bucket after the sums S and h may hold a split as good as the bar."""
    return _reaches(kind, S + p, h + p, T, H, bar, mean) or _reaches(
        kind, S - n, h + n, T, H, bar, mean
    )


@njit(nogil=True)
def _walk(  # noqa: C901  (one loop, compiled once)
    rows: Any,
    start: Any,
    first: Any,
    begin: Any,
    inner: Any,
    stop: Any,
    level: Any,
    sums: Any,
    kind: int,
    j: int,
    T: int,
    H: int,
    bar: float,
    place: bool,
    line: Any,
) -> float:
    """Return the best score of a column's splits, if it is as good as the bar.

    Or place the split: of those as good as the bar write the one of the smallest threshold. The run
    below the frequent value ascends, and its first such split counts; the run above descends, and
    its last one does, unless there was one below.
    """
    last, mean = first[2 * j + 2] - 1, float(T) / float(H)
    dS, dh = sums[2 * last + 1] - sums[2 * last], sums[2 * last + 1] + sums[2 * last]
    best = _score(kind, dS, dh, T, H)
    if place:
        _write_split(kind, 2 * j + 1, 0, True, dS, best, T, H, line)
    for r in range(2 * j, 2 * j + 2):
        S = h = np.int64(0)
        for b in range(first[r], min(first[r + 1], last)):
            n, p, k = sums[2 * b], sums[2 * b + 1], begin[b]
            end_S, end_h, edge = S + p - n, h + p + n, k
            if _hopeful(kind, S, h, p, n, T, H, bar, mean) or _hopeful(
                kind, S + dS, h + dh, p, n, T, H, bar, mean
            ):
                edge = inner[b]  # up to where rows are read one by one
            while k < stop[b]:
                ends = True
                if k < edge:
                    x = level[rows[k] & ROW]
                    S += x
                    h += abs(x)
                    ends = rows[k] >= LAST
                    k += 1
                else:
                    S, h, k = end_S, end_h, stop[b]
                if not ends or not (
                    _reaches(kind, S, h, T, H, bar, mean)
                    or _reaches(kind, S + dS, h + dh, T, H, bar, mean)
                ):
                    continue
                here, there = _score(kind, S, h, T, H), _score(kind, S + dS, h + dh, T, H)
                best = max(best, here, there)
                if not place:
                    bar = max(bar, best)
                elif max(here, there) >= bar:
                    along = r % 2 == 1 if min(here, there) >= bar else there > here
                    side, score = (S + dS, there) if along else (S, here)
                    count = k - np.int64(start[r])
                    _write_split(kind, r, count, along, side, score, T, H, line)
                    if r % 2 == 0:
                        return best
    return best


@njit(nogil=True)
def _write_split(
    kind: int, r: int, count: int, along: bool, S: int, score: float, T: int, H: int, line: Any
) -> None:
    """Write a split, with the classes of its side and of the rest, and what it gains.

    Where missing values may go with either side they go right, however the run is read.
    """
    line[RUN], line[COUNT], line[ALONG] = float(r), float(count), 1.0 if along else 0.0
    if kind == GINI:
        least, line[GAIN] = _SLACK * float(H), score
        line[SIDE] = 1.0 if float(S) > least else 0.0
        line[REST] = 1.0 if float(T - S) > least else 0.0
    else:
        line[SIDE], line[GAIN] = 1.0 if 2 * S > T else 0.0, score / float(H)
        line[REST] = 1.0 - line[SIDE]


# what a split does to the rows


@njit(nogil=True)
def _mark_side(buckets: Any, side: Any, line: Any, worker: int, workers: int) -> None:
    """Mark a worker's part of the rows on the side that a split cuts off."""
    r, count = int(line[RUN]), int(line[COUNT])
    if r < 0:
        return
    begin = np.int64(buckets.start[r])
    for k in range(begin + count * worker // workers, begin + count * (worker + 1) // workers):
        side[buckets.rows[k] & ROW] = 1
    if line[ALONG] != 0.0 and worker == 0:
        for k in range(buckets.lacking[r // 2], buckets.lacking[r // 2 + 1]):
            side[buckets.missing[k]] = 1


@njit(nogil=True)
def _tell_wrong(
    label: Any, side: Any, weight: Any, line: Any, c: int, wrong: Any, chunk: Any
) -> None:
    """List the rows of a chunk that are told wrong; sum their weights, and the squares of them."""
    other, differs = np.uint64(line[REST]), np.uint64(line[SIDE] != line[REST])
    begin, end = c * CHUNK, min((c + 1) * CHUNK, len(label))
    k = np.uint64(begin)
    for i in range(begin, end):  # without a branch, which would often be foretold wrongly
        wrong[k] = i
        k += (np.uint64(side[i]) & differs) ^ other ^ np.uint64(label[i])
    total = squares = 0.0
    for m in range(begin, np.int64(k)):
        w = weight[wrong[m]]
        total += w
        squares += w * w
    chunk[c, 0], chunk[c, 1], chunk[c, 2] = float(k - np.uint64(begin)), total, squares


@njit(nogil=True)
def _measure(chunk: Any, n_rows: int, rate: float, replay: bool, tally: Any, line: Any) -> None:
    """Work out the error, the coefficient and how the round ends."""
    wrong = 0.0
    for c in range(len(chunk)):
        wrong += chunk[c, 1]
    error = wrong / tally[TOTAL]
    line[ERROR], line[STATUS] = error, PERFECT if error == 0.0 else MADE
    if not replay:
        line[STATUS] = WEAK if not error < 0.5 - _CHANCE else line[STATUS]
        line[COEFFICIENT] = 1.0 + tally[VOTED]  # without an error: more than all before it
        if error > 0.0:
            line[COEFFICIENT] = rate * math.log((1.0 - error) / error)
    a = line[COEFFICIENT]
    line[LOG_Z] = 0.5 * a + math.log(error + (1.0 - error) * math.exp(-a))
    length = math.sqrt(n_rows * tally[SQUARES]) / tally[TOTAL]
    line[COSINE] = (1.0 - 2.0 * error) / length


@njit(nogil=True)
def _growth(tally: Any, line: Any) -> float:
    """Return the factor of weights of rows told wrong; 0 where all have to be divided by their sum.

    Without a row told wrong, and after too weak a member, weights stay what they are.
    """
    if line[STATUS] != MADE:
        return 1.0
    wrong = line[ERROR] * tally[TOTAL]
    factor = math.exp(line[COEFFICIENT]) if line[COEFFICIENT] < GREAT else math.inf
    fits = tally[TOTAL] + factor * wrong < GROWTH * tally[BASE] and factor >= 1.0
    return factor if fits else 0.0


@njit(nogil=True)
def _learn(buckets: Any, rows: Any, worker: int, workers: int, growth: float) -> None:
    """Count votes and weigh rows anew, where a round is made."""
    line, tally, chunk = rows.line[worker], rows.tally[worker], rows.chunk
    for c in range(worker, len(chunk), workers):
        begin = c * CHUNK
        wrong = rows.wrong[begin : begin + int(chunk[c, 0])]
        if growth == 0.0:
            _weigh_all(rows.weight, c, wrong, tally[TOTAL], line, chunk)
        elif growth > 1.0:
            _weigh_some(
                buckets.entry_start,
                buckets.entries,
                rows.label,
                wrong,
                growth,
                tally[SCALE],
                rows.weight,
                rows.level,
                rows.sums[worker],
                rows.gained[c],
            )
        end = min(begin + CHUNK, len(rows.label))
        alpha = 0.0 if line[STATUS] == WEAK else 0.5 * line[COEFFICIENT]
        low, high = (2.0 * line[REST] - 1.0) * alpha, (2.0 * line[SIDE] - 1.0) * alpha
        chunk[c, 3] = _vote(
            rows.votes[begin:end],
            rows.side[begin:end],
            rows.label[begin:end],
            rows.share[begin:end],
            low,
            high,
        )


@njit(nogil=True, fastmath=_SUMS)
def _vote(votes: Any, side: Any, label: Any, share: Any, low: float, high: float) -> float:
    """Count the votes of a member; returns the weight of rows that are now wrong."""
    lost = 0.0
    for i in range(len(votes)):
        vote = votes[i] + (high if side[i] else low)
        votes[i] = vote
        lost += share[i] if (vote > 0.0) != (label[i] == 1) else 0.0
        side[i] = 0
    return lost


@njit(nogil=True)
def _weigh_all(weight: Any, c: int, wrong: Any, before: float, line: Any, chunk: Any) -> None:
    """Multiply all weights, so that their sum is 1; none falls below the floor."""
    right, error = math.exp(-line[COEFFICIENT]), line[ERROR]
    scale = 1.0 / (before * (error + (1.0 - error) * right))
    for k in range(len(wrong)):
        weight[wrong[k]] *= -1.0
    total = squares = 0.0
    for i in range(c * CHUNK, min((c + 1) * CHUNK, len(weight))):
        w = weight[i]
        w = max(-w * scale if w < 0.0 else w * (right * scale), _FLOOR)
        total += w
        squares += w * w
        weight[i] = w
    # Not where the sums of wrong rows are: others may still be reading those.
    chunk[c, 4], chunk[c, 5] = total, squares


@njit(nogil=True)
def _settle(chunk: Any, growth: float, tally: Any, line: Any) -> None:
    """Bring the running numbers up to date."""
    total, squares, lost, first = 0.0, 0.0, 0.0, 4 if growth == 0.0 else 1
    for c in range(len(chunk)):
        total += chunk[c, first]
        squares += chunk[c, first + 1]
        lost += chunk[c, 3]
    line[TRAIN_ERROR] = 0.0 if line[STATUS] == WEAK else lost
    if line[STATUS] == WEAK:
        return
    tally[VOTED] += line[COEFFICIENT]
    if growth == 0.0:
        tally[TOTAL], tally[SQUARES], tally[STALE] = total, squares, 1.0
    elif growth > 1.0:
        tally[TOTAL] += (growth - 1.0) * total
        tally[SQUARES] += (growth * growth - 1.0) * squares
