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
from numba import njit

from maxmargin.ops.cpu.gate import meet
from maxmargin.ops.kinds import GINI, LAST, ROW
from maxmargin.ops.round_state import (
    ALONG,
    BASE,
    CHUNK,
    COEFFICIENT,
    COSINE,
    COUNT,
    ERROR,
    GAIN,
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
_GROWTH = 1024.0  # of the sum of weights, before they are divided by it: 2^51 becomes 2^61
_SURE = 1.0 - 1e-9  # of a score: what is below it is less, however it is rounded
_SUMS = {"reassoc", "nsz"}  # of what is summed in chunks, several at a time
_ONE = np.uint64(1)


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
    workers, line = len(rows.line), rows.line[worker]
    for t in range(len(log)):
        if rows.tally[worker, STALE] != 0.0:
            _put_all_on_grid(buckets, rows, worker, workers)
            meet(gate, workers, rest)
            _count_levels(rows, worker)
        if replay:
            line[:] = log[t]
        else:
            _search(buckets, rows, kind, worker, workers, gate, rest)
        _mark_side(buckets, rows.side, line, worker, workers)
        meet(gate, workers, rest)
        _each_chunk_tells_wrong(rows, worker, workers)
        meet(gate, workers, rest)
        _measure(rows, worker, rate, replay)
        growth = _growth(rows.chunk, rows.tally[worker], line)
        _each_chunk_learns(buckets, rows, worker, workers, growth)
        meet(gate, workers, rest)
        _settle(rows, worker, growth)
        if worker == 0:
            log[t] = line
        if line[STATUS] != MADE:
            return t + 1
    return len(log)


# weights on the grid


@njit(cache=True, nogil=True)
def _put_all_on_grid(buckets: Any, rows: Any, worker: int, workers: int) -> None:
    """Round all weights to whole numbers of 51 bits in all, and sum them in buckets."""
    tally, B = rows.tally[worker], len(rows.sums)
    scale = math.ldexp(1.0, 51 - math.frexp(tally[TOTAL])[1])
    tally[SCALE], tally[BASE], tally[STALE] = scale, tally[TOTAL], 0.0
    rows.sums[worker * B // workers : (worker + 1) * B // workers] = 0
    part = _own_sums(rows, worker, workers)
    part[:] = 0
    for c in range(worker, len(rows.chunk), workers):
        rows.gained[c] = 0
        for i in range(c * CHUNK, min((c + 1) * CHUNK, len(rows.label))):
            level, label = np.int64(np.rint(rows.weight[i] * scale)), np.uint64(rows.label[i])
            rows.level[i] = level if label else -level
            rows.gained[c, label] += level
            _add_to_buckets(buckets, i, label, level, part)


@njit(cache=True, nogil=True)
def _own_sums(rows: Any, worker: int, workers: int) -> Any:
    """Give where a worker adds up: in a part of its own, unless it is alone."""
    return rows.sums if workers == 1 else rows.part[worker]


@njit(cache=True, nogil=True)
def _add_to_buckets(buckets: Any, i: int, label: Any, by: int, sums: Any) -> None:
    for k in range(buckets.entry_start[i], buckets.entry_start[i + 1]):
        sums[(np.uint64(buckets.entries[k]) << _ONE) | label] += by


@njit(cache=True, nogil=True)
def _count_levels(rows: Any, worker: int) -> None:
    whole = rows.whole[worker]
    whole[0] = whole[1] = 0
    for c in range(len(rows.gained)):
        whole[0] += rows.gained[c, 0]
        whole[1] += rows.gained[c, 1]


# the best split


@njit(cache=True, nogil=True)
def _search(
    buckets: Any, rows: Any, kind: int, worker: int, workers: int, gate: Any, rest: int
) -> None:
    """Find the best split and write it to the line of each worker."""
    whole, p = rows.whole[worker], len(rows.best)
    for j in range(worker, p, workers):
        if workers > 1:
            _gather(buckets, rows, j)
        rows.best[j] = _best_end(buckets.first, rows.sums, kind, j, whole)
    meet(gate, workers, rest)
    best = rows.best.max() if p else 0.0
    bar = best - _slack(kind, best, whole)
    for j in range(worker, p, workers):
        found = _best_inside(buckets, rows, kind, 2 * j, whole, bar)
        found = max(found, _best_inside(buckets, rows, kind, 2 * j + 1, whole, bar))
        rows.best[j] = max(rows.best[j], found)
    meet(gate, workers, rest)
    _choose(buckets, rows, kind, whole, rows.line[worker])


@njit(cache=True, nogil=True)
def _gather(buckets: Any, rows: Any, j: int) -> None:
    """Add what all workers have for the buckets of a column."""
    begin, end = 2 * buckets.first[2 * j], 2 * buckets.first[2 * j + 2]
    for w in range(len(rows.part)):
        for k in range(begin, end):
            rows.sums[k] += rows.part[w, k]
            rows.part[w, k] = 0


@njit(cache=True, nogil=True)
def _slack(kind: int, best: float, whole: Any) -> float:
    """Say by how much equal scores may differ through rounding."""
    if kind == GINI:
        return _SLACK * math.sqrt(max(best, 0.0)) + _SLACK * _SLACK
    return _SLACK * float(whole[0] + whole[1])


@njit(cache=True, nogil=True)
def _score(kind: int, S: int, h: int, T: int, H: int) -> float:
    """Score a side by the sums of its signed levels and of their sizes."""
    if kind != GINI:
        return float(abs(T - 2 * S))
    if h <= 0 or h >= H:
        return 0.0
    A = float(S) - float(T) / float(H) * float(h)
    return A * A / (float(h) * float(H - h))


@njit(cache=True, nogil=True)
def _reaches(kind: int, S: int, h: int, T: int, H: int, mean: float, bar: float) -> bool:
    """Tell without a division whether a score may be that high."""
    if kind != GINI:
        return float(abs(T - 2 * S)) >= _SURE * bar
    A = float(S) - mean * float(h)
    return A * A >= _SURE * bar * (float(h) * float(H - h)) and 0 < h < H


@njit(cache=True, nogil=True)
def _best_end(first: Any, sums: Any, kind: int, j: int, whole: Any) -> float:
    """Give the best score at the ends of a column's buckets, missing values on either side."""
    T, H = whole[1] - whole[0], whole[0] + whole[1]
    mean, last = float(T) / float(H), first[2 * j + 2] - 1
    dS, dh = sums[2 * last + 1] - sums[2 * last], sums[2 * last + 1] + sums[2 * last]
    best = _score(kind, dS, dh, T, H)
    for r in range(2 * j, 2 * j + 2):
        S = h = 0
        for b in range(first[r], min(first[r + 1], last)):
            S += sums[2 * b + 1] - sums[2 * b]
            h += sums[2 * b + 1] + sums[2 * b]
            if _reaches(kind, S, h, T, H, mean, best):
                best = max(best, _score(kind, S, h, T, H))
            if dh > 0 and _reaches(kind, S + dS, h + dh, T, H, mean, best):
                best = max(best, _score(kind, S + dS, h + dh, T, H))
    return best


@njit(cache=True, nogil=True)
def _hopeful(
    kind: int, S: int, h: int, p: int, n: int, T: int, H: int, mean: float, bar: float
) -> bool:
    """Tell whether a bucket, before which sums are S and h, may hold a split that good."""
    return _reaches(kind, S + p, h + p, T, H, mean, bar) or _reaches(
        kind, S - n, h + n, T, H, mean, bar
    )


@njit(cache=True, nogil=True)
def _best_inside(buckets: Any, rows: Any, kind: int, r: int, whole: Any, bar: float) -> float:
    """Give the best score inside of the buckets of a run, if it is as good as the bar."""
    T, H, sums, first = whole[1] - whole[0], whole[0] + whole[1], rows.sums, buckets.first
    mean, last = float(T) / float(H), first[r // 2 * 2 + 2] - 1
    dS, dh = sums[2 * last + 1] - sums[2 * last], sums[2 * last + 1] + sums[2 * last]
    S = h = 0
    best = -1.0
    for b in range(first[r], min(first[r + 1], last)):
        n, p = sums[2 * b], sums[2 * b + 1]
        if buckets.inner[b] > buckets.begin[b] and (
            _hopeful(kind, S, h, p, n, T, H, mean, bar)
            or (dh > 0 and _hopeful(kind, S + dS, h + dh, p, n, T, H, mean, bar))
        ):
            least = max(bar, best)
            found = _scan_inside(buckets, rows.level, kind, b, S, h, dS, dh, T, H, least)
            best = max(best, found)
        S += p - n
        h += p + n
    return best


@njit(cache=True, nogil=True)
def _scan_inside(
    buckets: Any,
    level: Any,
    kind: int,
    b: int,
    S: int,
    h: int,
    dS: int,
    dh: int,
    T: int,
    H: int,
    bar: float,
) -> float:
    """Give the best score inside of a bucket, if it is as good as the bar."""
    mean, best = float(T) / float(H), -1.0
    for k in range(buckets.begin[b], buckets.inner[b]):
        row = buckets.rows[k]
        x = level[row & ROW]
        S += x
        h += abs(x)
        if row >= LAST:
            if _reaches(kind, S, h, T, H, mean, max(best, bar)):
                best = max(best, _score(kind, S, h, T, H))
            if dh > 0 and _reaches(kind, S + dS, h + dh, T, H, mean, max(best, bar)):
                best = max(best, _score(kind, S + dS, h + dh, T, H))
    return best


@njit(cache=True, nogil=True)
def _choose(buckets: Any, rows: Any, kind: int, whole: Any, line: Any) -> None:
    """Take the smallest feature that is as good as the best, and there the smallest threshold."""
    T, H = whole[1] - whole[0], whole[0] + whole[1]
    baseline = 0.0 if kind == GINI else float(abs(T))
    best = max(baseline, rows.best.max() if len(rows.best) else 0.0)
    slack = _slack(kind, best, whole)
    line[RUN], line[COUNT], line[ALONG] = -1.0, 0.0, 0.0
    if not best > baseline + slack:
        line[SIDE] = line[REST] = 1.0 if T > (_SLACK * float(H) if kind == GINI else 0.0) else 0.0
        line[GAIN] = baseline / float(H)
        return
    j = 0
    while rows.best[j] < best - slack:
        j += 1
    for above in range(2):
        if _place(buckets, rows, kind, 2 * j + above, T, H, best - slack, above == 1, line):
            return
    last = 2 * (buckets.first[2 * j + 2] - 1)
    line[RUN], line[COUNT], line[ALONG] = 2.0 * j + 1.0, 0.0, 1.0
    S, h = rows.sums[last + 1] - rows.sums[last], rows.sums[last + 1] + rows.sums[last]
    _write_leaves(kind, S, _score(kind, S, h, T, H), T, H, line)


@njit(cache=True, nogil=True)
def _write_leaves(kind: int, S: int, score: float, T: int, H: int, line: Any) -> None:
    """Write the classes of a side and of the rest, and what the split gains."""
    if kind == GINI:
        least = _SLACK * float(H)
        line[SIDE], line[REST] = 1.0 if S > least else 0.0, 1.0 if T - S > least else 0.0
        line[GAIN] = score
    else:
        line[SIDE] = 1.0 if 2 * S > T else 0.0
        line[REST], line[GAIN] = 1.0 - line[SIDE], score / float(H)


@njit(cache=True, nogil=True)
def _place(
    buckets: Any,
    rows: Any,
    kind: int,
    r: int,
    T: int,
    H: int,
    target: float,
    last: bool,
    line: Any,
) -> bool:
    """Find the first (or last) split of a run that reaches the target, and write it."""
    first, sums, found = buckets.first, rows.sums, False
    end = first[r // 2 * 2 + 2] - 1
    dS, dh = sums[2 * end + 1] - sums[2 * end], sums[2 * end + 1] + sums[2 * end]
    mean, S, h = float(T) / float(H), 0, 0
    for b in range(first[r], min(first[r + 1], end)):
        n, p = sums[2 * b], sums[2 * b + 1]
        if _hopeful(kind, S, h, p, n, T, H, mean, target) or _hopeful(
            kind, S + dS, h + dh, p, n, T, H, mean, target
        ):
            s, g = S, h
            for k in range(buckets.begin[b], buckets.inner[b]):
                x = rows.level[buckets.rows[k] & ROW]
                s += x
                g += abs(x)
                if buckets.rows[k] >= LAST and _take_split(
                    buckets, kind, r, k, s, g, dS, dh, T, H, target, last, line
                ):
                    found = True
                    if not last:
                        return True
        S += p - n
        h += p + n
        k = buckets.stop[b] - 1
        if _take_split(buckets, kind, r, k, S, h, dS, dh, T, H, target, last, line):
            found = True
            if not last:
                return True
    return found


@njit(cache=True, nogil=True)
def _take_split(
    buckets: Any,
    kind: int,
    r: int,
    k: int,
    S: int,
    h: int,
    dS: int,
    dh: int,
    T: int,
    H: int,
    target: float,
    last: bool,
    line: Any,
) -> bool:
    """Write the split after a row of a run if it reaches the target.

    Where missing values may go with either side they go right, however the run is read.
    """
    here, there = _score(kind, S, h, T, H), _score(kind, S + dS, h + dh, T, H)
    if max(here, there) < target:
        return False
    along = last if min(here, there) >= target else there > here
    line[RUN], line[COUNT] = float(r), float(k + 1 - np.int64(buckets.start[r]))
    line[ALONG] = 1.0 if along else 0.0
    _write_leaves(kind, S + dS if along else S, there if along else here, T, H, line)
    return True


# what a split does to the rows


@njit(cache=True, nogil=True)
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


@njit(cache=True, nogil=True)
def _each_chunk_tells_wrong(rows: Any, worker: int, workers: int) -> None:
    line = rows.line[worker]
    side, other = np.uint8(line[SIDE]), np.uint8(line[REST])
    for c in range(worker, len(rows.chunk), workers):
        begin = c * CHUNK
        end = min(begin + CHUNK, len(rows.label))
        _tell_wrong(rows.label, rows.side, side, other, begin, end, rows.wrong, rows.chunk[c])
        _sum_wrong(rows.weight, rows.wrong, begin, rows.chunk[c])


@njit(cache=True, nogil=True)
def _tell_wrong(
    label: Any, side: Any, said: Any, other: Any, begin: int, end: int, wrong: Any, chunk: Any
) -> None:
    """List the rows told wrong."""
    k = np.uint64(begin)
    for i in range(begin, end):
        wrong[k] = i
        k += np.uint64((said if side[i] else other) != label[i])
    chunk[0] = float(k - np.uint64(begin))


@njit(cache=True, nogil=True)
def _sum_wrong(weight: Any, wrong: Any, begin: int, chunk: Any) -> None:
    """Sum the weights of rows told wrong, and their squares."""
    total = squares = 0.0
    for k in range(begin, begin + int(chunk[0])):
        w = weight[wrong[k]]
        total += w
        squares += w * w
    chunk[1], chunk[2] = total, squares


@njit(cache=True, nogil=True)
def _measure(rows: Any, worker: int, rate: float, replay: bool) -> None:
    """Work out the error, the coefficient and how the round ends."""
    line, tally, wrong = rows.line[worker], rows.tally[worker], 0.0
    for c in range(len(rows.chunk)):
        wrong += rows.chunk[c, 1]
    error = wrong / tally[TOTAL]
    line[ERROR], line[STATUS] = error, PERFECT if error == 0.0 else MADE
    if not replay:
        line[STATUS] = WEAK if not error < 0.5 - _CHANCE else line[STATUS]
        line[COEFFICIENT] = 1.0 + tally[VOTED]  # without an error: more than all before it
        if error > 0.0:
            line[COEFFICIENT] = rate * math.log((1.0 - error) / error)
    a = line[COEFFICIENT]
    line[LOG_Z] = 0.5 * a + math.log(error + (1.0 - error) * math.exp(-a))
    length = math.sqrt(len(rows.label) * tally[SQUARES]) / tally[TOTAL]
    line[COSINE] = (1.0 - 2.0 * error) / length


@njit(cache=True, nogil=True)
def _growth(chunk: Any, tally: Any, line: Any) -> float:
    """Give the factor of weights of rows told wrong; 0 where all have to be divided by their sum.

    Without a row told wrong, and after too weak a member, weights stay what they are.
    """
    if line[STATUS] != MADE:
        return 1.0
    wrong = line[ERROR] * tally[TOTAL]
    factor = math.exp(line[COEFFICIENT]) if line[COEFFICIENT] < 700.0 else math.inf
    fits = tally[TOTAL] + factor * wrong < _GROWTH * tally[BASE] and factor >= 1.0
    return factor if fits else 0.0


@njit(cache=True, nogil=True)
def _each_chunk_learns(buckets: Any, rows: Any, worker: int, workers: int, growth: float) -> None:
    """Count votes and weigh rows anew, where a round is made."""
    line, tally = rows.line[worker], rows.tally[worker]
    alpha, error = 0.5 * line[COEFFICIENT], line[ERROR]
    low, high = 2.0 * line[REST] - 1.0, 2.0 * line[SIDE] - 1.0
    right = math.exp(-line[COEFFICIENT])
    scale = 1.0 / (tally[TOTAL] * (error + (1.0 - error) * right)) if growth == 0.0 else 1.0
    for c in range(worker, len(rows.chunk), workers):
        begin, end = c * CHUNK, min((c + 1) * CHUNK, len(rows.label))
        wrong = rows.wrong[begin : begin + int(rows.chunk[c, 0])]
        if growth == 0.0:
            _weigh_all(rows.weight, begin, end, wrong, right * scale, scale, rows.chunk[c])
        elif growth > 1.0:
            part = _own_sums(rows, worker, workers)
            _weigh_wrong(buckets, rows, wrong, growth, tally[SCALE], rows.gained[c], part)
        if line[STATUS] != WEAK:
            votes, label, share = rows.votes[begin:end], rows.label[begin:end], rows.share
            side = rows.side[begin:end]
            rows.chunk[c, 3] = _vote(
                votes, side, label, share[begin:end], low * alpha, high * alpha
            )
        rows.side[begin:end] = 0


@njit(cache=True, nogil=True, fastmath=_SUMS)
def _vote(votes: Any, side: Any, label: Any, share: Any, low: float, high: float) -> float:
    """Count the votes of a member; returns the weight of rows that are now wrong."""
    lost = 0.0
    for i in range(len(votes)):
        vote = votes[i] + (high if side[i] else low)
        votes[i] = vote
        lost += share[i] if (vote > 0.0) != (label[i] == 1) else 0.0
    return lost


@njit(cache=True, nogil=True)
def _weigh_wrong(
    buckets: Any, rows: Any, wrong: Any, growth: float, scale: float, gained: Any, part: Any
) -> None:
    """Multiply the weights of rows told wrong, on the grid and in the sums of buckets too."""
    gained[:] = 0
    for k in range(len(wrong)):
        i = np.uint64(wrong[k])
        weight, label = rows.weight[i] * growth, np.uint64(rows.label[i])
        rows.weight[i] = weight
        level = np.int64(np.rint(weight * scale))
        by = level - abs(rows.level[i])
        rows.level[i] = level if label else -level
        gained[label] += by
        _add_to_buckets(buckets, i, label, by, part)


@njit(cache=True, nogil=True)
def _weigh_all(
    weight: Any, begin: int, end: int, wrong: Any, right: float, scale: float, chunk: Any
) -> None:
    """Multiply all weights, so that their sum is 1; none falls below the floor."""
    for k in range(len(wrong)):
        weight[wrong[k]] *= -1.0
    total = squares = 0.0
    for i in range(begin, end):
        w = weight[i]
        weight[i] = max(-w * scale if w < 0.0 else w * right, _FLOOR)
        total += weight[i]
        squares += weight[i] * weight[i]
    chunk[1], chunk[2] = total, squares


@njit(cache=True, nogil=True)
def _settle(rows: Any, worker: int, growth: float) -> None:
    """Bring the running numbers up to date."""
    line, tally, whole = rows.line[worker], rows.tally[worker], rows.whole[worker]
    total = squares = lost = 0.0
    for c in range(len(rows.chunk)):
        total += rows.chunk[c, 1]
        squares += rows.chunk[c, 2]
        lost += rows.chunk[c, 3]
        if growth > 1.0:
            whole[0] += rows.gained[c, 0]
            whole[1] += rows.gained[c, 1]
    line[TRAIN_ERROR] = lost
    if line[STATUS] == WEAK:
        return
    tally[VOTED] += line[COEFFICIENT]
    if growth == 0.0:
        tally[TOTAL], tally[SQUARES], tally[STALE] = total, squares, 1.0
    elif growth > 1.0:
        tally[TOTAL] += (growth - 1.0) * total
        tally[SQUARES] += (growth * growth - 1.0) * squares
