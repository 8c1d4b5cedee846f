"""The obvious version of ``ops.cpu.boost_rounds``: every split of every column, in every round."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

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

_SLACK = 1e-12  # relative; splits whose scores differ by less are equal
_CHANCE = 1e-12  # an error this close to 1/2 differs from it by rounding
_FLOOR = 1e-250  # of a weight; above it no product with a factor becomes subnormal


def make_rounds(
    buckets: Any,
    rows: Any,
    log: Any,
    kind: int,
    rate: float,
    replay: bool,
    worker: int,
    gate: Any,  # noqa: ARG001
    rest: int,  # noqa: ARG001
) -> int:
    """Make rounds, a line of the log for each, until it is full or no more can be made."""
    if worker > 0:  # one is enough
        return 0
    for t, line in enumerate(log):
        if rows.tally[0, STALE]:
            _put_on_grid(rows)
        if not replay:
            _search(buckets, rows, kind, line)
        _learn(rows, _predict(buckets, rows, line), line, rate, replay)
        if line[STATUS] != MADE:
            return t + 1
    return len(log)


def _put_on_grid(rows: Any) -> None:
    tally = rows.tally[0]
    tally[SCALE] = math.ldexp(1.0, 51 - math.frexp(tally[TOTAL])[1])
    tally[BASE], tally[STALE] = tally[TOTAL], 0.0
    rows.level[:] = np.rint(rows.weight * tally[SCALE]) * np.where(rows.label == 1, 1, -1)


def _scores(kind: int, S: Any, h: Any, T: int, H: int) -> Any:
    if kind != GINI:
        return np.abs(T - 2 * S).astype(float)
    inside = (h > 0) & (h < H)
    A = S.astype(float) - float(T) / float(H) * h.astype(float)
    return np.where(inside, A * A / np.where(inside, h.astype(float) * (H - h), 1.0), 0.0)


def _splits(buckets: Any, rows: Any, kind: int, j: int, T: int, H: int) -> tuple[Any, ...]:
    """All splits of a column in the order of their thresholds, missing values alone at the end.

    Scores without and with missing values on the side, runs, counts, and sums without and with.
    """
    missing = rows.level[buckets.missing[buckets.lacking[j] : buckets.lacking[j + 1]]]
    sides, h, runs, counts = [], [], [], []
    for r, step in ((2 * j, 1), (2 * j + 1, -1)):
        run = buckets.rows[int(buckets.start[r]) : int(buckets.start[r + 1])]
        ends, level = np.flatnonzero(run >= LAST)[::step], rows.level[run & ROW]
        sides.append(np.cumsum(level)[ends])
        h.append(np.cumsum(np.abs(level))[ends])
        runs.append(np.full(len(ends), r))
        counts.append(ends + 1)
    S, weight = np.append(np.concatenate(sides), 0), np.append(np.concatenate(h), 0)
    joined, both = S + missing.sum(), weight + np.abs(missing).sum()
    here, there = _scores(kind, S, weight, T, H), _scores(kind, joined, both, T, H)
    here[-1] = -1.0
    run, count = np.append(np.concatenate(runs), 2 * j + 1), np.append(np.concatenate(counts), 0)
    return here, there, run, count, S, joined


def _search(buckets: Any, rows: Any, kind: int, line: Any) -> None:
    T, H = int(rows.level.sum()), int(np.abs(rows.level).sum())
    columns = [_splits(buckets, rows, kind, j, T, H) for j in range(len(rows.best))]
    baseline = 0.0 if kind == GINI else float(abs(T))
    best = max([baseline, *(float(np.maximum(*splits[:2]).max()) for splits in columns)])
    slack = _SLACK * math.sqrt(best) + _SLACK**2 if kind == GINI else _SLACK * H
    line[RUN], line[COUNT], line[ALONG] = -1, 0, 0
    if not best > baseline + slack:
        least = _SLACK * H if kind == GINI else 0.0
        line[SIDE] = line[REST] = float(T) > least
        line[GAIN] = baseline / H
        return
    target = best - slack
    splits = next(each for each in columns if np.maximum(*each[:2]).max() >= target)
    place = int(np.argmax(np.maximum(*splits[:2]) >= target))
    here, there, run, count, apart, joined = (each[place].item() for each in splits)
    along = run % 2 == 1 if min(here, there) >= target else there > here
    line[RUN], line[COUNT], line[ALONG] = run, count, along
    S, score = (joined, there) if along else (apart, here)
    if kind == GINI:
        line[SIDE], line[REST], line[GAIN] = S > _SLACK * H, T - S > _SLACK * H, score
    else:
        line[SIDE], line[REST], line[GAIN] = 2 * S > T, not 2 * S > T, score / H


def _predict(buckets: Any, rows: Any, line: Any) -> Any:
    r, side = int(line[RUN]), np.zeros(len(rows.label), bool)
    if r >= 0:
        begin = int(buckets.start[r])
        side[buckets.rows[begin : begin + int(line[COUNT])] & ROW] = True
        if line[ALONG]:
            j = r // 2
            side[buckets.missing[buckets.lacking[j] : buckets.lacking[j + 1]]] = True
    return np.where(side, line[SIDE], line[REST])


def _by_chunk(values: Any) -> float:
    """Sum as compiled rounds do: one after the other in chunks, then these."""
    chunks = [values[i : i + CHUNK] for i in range(0, len(values), CHUNK)]
    return float(np.cumsum([np.append(0.0, part).cumsum()[-1] for part in chunks])[-1])


def _learn(rows: Any, said: Any, line: Any, rate: float, replay: bool) -> None:
    tally, weight, wrong = rows.tally[0], rows.weight, said != rows.label
    lost, squares = (_by_chunk(np.where(wrong, x, 0.0)) for x in (weight, weight * weight))
    error = line[ERROR] = lost / tally[TOTAL]
    line[STATUS] = PERFECT if error == 0.0 else MADE
    if not replay:
        line[STATUS] = line[STATUS] if error < 0.5 - _CHANCE else WEAK
        line[COEFFICIENT] = rate * math.log((1.0 - error) / error) if error else 1.0 + tally[VOTED]
    a = line[COEFFICIENT]
    line[LOG_Z] = 0.5 * a + math.log(error + (1.0 - error) * math.exp(-a))
    length = math.sqrt(len(weight) * tally[SQUARES]) / tally[TOTAL]
    line[COSINE] = (1.0 - 2.0 * error) / length
    if line[STATUS] == WEAK:
        return
    if line[STATUS] == MADE:
        _weigh(rows, wrong, lost, squares, line)
    rows.votes[:] += np.where(said == 1, 0.5 * a, -0.5 * a)
    line[TRAIN_ERROR] = _by_chunk(np.where((rows.votes > 0.0) != (rows.label == 1), rows.share, 0))
    tally[VOTED] += a


def _weigh(rows: Any, wrong: Any, lost: float, squares: float, line: Any) -> None:
    """Multiply the weights of rows told wrong; all, where the sum would grow too large."""
    tally, weight, a, error = rows.tally[0], rows.weight, line[COEFFICIENT], line[ERROR]
    factor = math.exp(a) if a < GREAT else math.inf
    if tally[TOTAL] + factor * (error * tally[TOTAL]) < GROWTH * tally[BASE] and factor >= 1.0:
        weight[wrong] *= factor
        sign = np.where(rows.label[wrong] == 1, 1, -1)
        rows.level[wrong] = np.rint(weight[wrong] * tally[SCALE]) * sign
        tally[TOTAL] += (factor - 1.0) * lost
        tally[SQUARES] += (factor * factor - 1.0) * squares
        return
    right = math.exp(-a)
    scale = 1.0 / (tally[TOTAL] * (error + (1.0 - error) * right))
    weight[:] = np.maximum(np.where(wrong, weight * scale, weight * (right * scale)), _FLOOR)
    tally[TOTAL], tally[SQUARES] = _by_chunk(weight), _by_chunk(weight * weight)
    tally[STALE] = 1.0
