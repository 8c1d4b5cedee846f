"""Machines for tables as tensors: the preparation of columns, then kernels on what it makes."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.export import kernel as kernels
from maxmargin.export.categories import places_of
from maxmargin.export.dates import take_part
from maxmargin.export.error import refuse
from maxmargin.export.machine import machine_values, one_value_a_class
from maxmargin.export.registry import Frame, converts
from maxmargin.export.result import Classes, Quantity, Result, by_sign
from maxmargin.export.tensor import Tensor, beside, softmax
from maxmargin.export.trees import single
from maxmargin.svm.svr import SVR
from maxmargin.tabular.calibration import Calibration
from maxmargin.tabular.machine import LandmarkMachine, LeastSquaresMachine, SupportVectorMachine
from maxmargin.tabular.preparation import (
    CLIP,
    DATE_PARTS,
    LONGEST_WORD,
    DroppedColumn,
    NumberColumn,
    Preparation,
    Rows,
    WordColumn,
)
from maxmargin.tabular.table_one_class import FAR, TableOneClass
from maxmargin.tabular.table_svc import TableSVC
from maxmargin.tabular.table_svr import NO_RANGE, TableSVR
from maxmargin.tabular.target_shape import TargetShape

Vector = NDArray[np.float64]
MARK = "="


def interpolated(x: Tensor, knots: Vector, values: Vector) -> Tensor:
    """Return ``numpy.interp`` of numbers, shape (rows, 1).

    Parameters
    ----------
    x : Tensor
        (rows, 1).
    knots : ndarray
        Ascending.
    values : ndarray

    Returns
    -------
    Tensor
    """
    if len(knots) == 1:
        return x.filled(np.float64(values[0]), 1)
    below = (x >= knots[None]).as_kind("number").sum() - 1.0
    place = below.clip(0.0, float(len(knots) - 2)).as_kind("place")
    slopes = np.diff(values) / np.diff(knots)
    begin, height, slope = (
        x.graph.constant(each).take(place, axis=0) for each in (knots, values, slopes)
    )
    inside = slope * (x - begin) + height
    low = (x < float(knots[0])).where(float(values[0]), inside)
    return (x >= float(knots[-1])).where(float(values[-1]), low)


def _numbers(column: NumberColumn, x: Tensor, kind: str) -> Iterator[tuple[str, Tensor]]:
    if column.part in DATE_PARTS:
        if kind != "date":
            raise refuse(f"Column {column.name!r}", "its dates are words; give them as dates")
        x = take_part(x, column.part)
    elif column.part or kind not in ("number", "date") or (column.form and kind != "number"):
        raise refuse(f"Column {column.name!r}", "numbers are read from its texts")
    gone = x.isnan() | (x.abs() > float(np.finfo(np.float64).max))
    filled = gone.where(column.mean, x)
    zero = np.float64(0.0)
    far = (filled - column.mean) / column.scale
    standard = far.clip(-CLIP, CLIP)
    yield "standardised", gone.where(zero, standard)
    if column.tail:
        low, high = column.tail
        yield "tails", gone.where(zero, far.clip(low, high) - standard.clip(low, high))
    ranks = interpolated(filled, column.knots, column.scores)
    yield "ranks", gone.where(zero, ranks).clip(-CLIP, CLIP)
    if column.missing:
        yield "missing", gone.as_kind("number")
    if len(column.steps):
        place = (filled > column.steps[None]).as_kind("number").sum().as_kind("place")
        stairs = x.graph.constant(column.stairs).take(place, axis=0)
        yield "steps", gone.where(zero, stairs)


def _words(column: WordColumn, x: Tensor, kind: str) -> Iterator[tuple[str, Tensor]]:
    if kind not in ("word", "marked"):
        raise refuse(f"Column {column.name!r}", "the model was fitted to words there")
    levels = _unmarked(column.levels.tolist(), kind, column.name)
    place = places_of(x, levels)
    place = _by_prefix(column, x, place, kind)
    size = len(column.levels) + len(column.prefixes)
    lengths = np.zeros((size + 1, len(column.lengths)))
    lengths[np.arange(size), column.indicator] = column.lengths[column.indicator]
    means = np.vstack([column.means, np.zeros(len(column.spread))]) / column.spread
    at = (place < np.int64(0)).where(np.int64(size), place).shaped(-1)
    graph = x.graph
    yield "levels", graph.constant(lengths).take(at, axis=0)
    yield "target means", graph.constant(means).take(at, axis=0)


def _unmarked(levels: list[str], kind: str, name: str) -> list[str]:
    if any(len(level) >= LONGEST_WORD for level in levels):
        raise refuse(f"Column {name!r}", "its words are longer than those that a graph compares")
    return [level.removeprefix(MARK) for level in levels] if kind == "marked" else levels


def _by_prefix(column: WordColumn, x: Tensor, place: Tensor, kind: str) -> Tensor:
    """Look up the longest known beginning of words that are no level."""
    prefixes = [*enumerate(column.prefixes.tolist(), len(column.levels))]
    for number, prefix in sorted(prefixes, key=lambda pair: len(pair[1])):
        begin = prefix.removeprefix(MARK) if kind == "marked" else prefix
        matched = x.graph.node("RegexFullMatch", x, pattern=f"(?s){re.escape(begin)}.*")
        new = place < np.int64(0)
        later = place >= np.int64(len(column.levels))
        given = ~x.equals(np.array("", dtype=object))
        place = (matched & given & (new | later)).where(np.int64(number), place)
    return place


def prepared(preparation: Preparation, X: Frame | Tensor) -> tuple[Tensor, Any]:
    """Return prepared rows and the blocks and groups of their columns.

    Parameters
    ----------
    preparation : Preparation
    X : Frame or Tensor

    Returns
    -------
    rows : Tensor
    facts : Rows
        An empty row, which knows where columns come from.
    """
    parts: list[Tensor] = []
    for column in preparation.columns:
        if isinstance(column, DroppedColumn):
            continue
        kind = "number" if isinstance(X, Tensor) else X.kinds[column.place]
        x = X.take([column.place]) if isinstance(X, Tensor) else X.columns[column.place]
        if isinstance(column, NumberColumn):
            parts += [part for _, part in _numbers(column, x, kind)]
        elif isinstance(column, WordColumn):
            parts += [part for _, part in _words(column, x, kind)]
        else:
            raise refuse(f"Column {column.name!r}", "it holds texts, whose n-grams are not written")
    return beside(parts), preparation.empty_row()


def _scaled(candidate: Any, rows: Tensor, facts: Any) -> Tensor:
    weight = candidate.scales(facts)
    used = np.flatnonzero(weight > 0)
    scale = weight[used] if candidate.metric == "absolute" else np.sqrt(weight[used])
    return rows.take(used) * scale[None]


def _of_scaled(machine: LeastSquaresMachine, X: Tensor) -> Tensor:
    K = kernels.values(machine.candidate.kernel, X, np.asarray(machine.support, np.float64))
    return K @ np.ascontiguousarray(machine.beta.T) + machine.offset[None]


def _machine(machine: Any, rows: Tensor, facts: Any) -> Tensor:
    scaled = _scaled(machine.candidate, rows, facts)
    if isinstance(machine, LeastSquaresMachine):
        X = scaled if machine.support.dtype == np.float64 else single(scaled)
        return _of_scaled(machine, X)
    if isinstance(machine, SupportVectorMachine):
        return _support_vectors(machine.model, single(scaled))
    assert isinstance(machine, LandmarkMachine)
    X = single(scaled)
    values = _of_scaled(machine.smooth, X)
    for each in machine.local:
        values = values + _local(each, X, machine.known) / float(len(machine.local))
    return values


def _support_vectors(model: Any, X: Tensor) -> Tensor:
    values = machine_values(model._machine, X)
    if isinstance(model, SVR):
        return values
    count = len(model.classes_)
    if not model._machine.by_pairs:
        return values
    return -values if count == 2 else one_value_a_class(values, count)


def _local(local: Any, X: Tensor, known: Any) -> Tensor:
    """Evaluate the machine of the cell that each row lies in."""
    cell = _cells(local.cells, X)
    total: Tensor | None = None
    for number in range(local.cells.count):
        part = local.of_cell(number)
        if part.start == part.stop:
            continue
        K = kernels.values(
            local.candidate.kernel, X * float(local.factor), local.support(part, known)
        )
        said = K @ np.ascontiguousarray(local.beta[:, part].T)
        own = cell.equals(np.int64(number)).where(said, np.float64(0.0))
        total = own if total is None else total + own
    return X.filled(np.float64(0.0), len(local.beta)) if total is None else total


def _cells(cells: Any, X: Tensor) -> Tensor:
    """Return the cell of each row, (rows, 1): all halves are decided, then followed down."""
    if not len(cells.children):
        return X.filled(np.int64(0), 1)
    along = X @ np.ascontiguousarray(cells.directions.T, np.float64)
    above = (along > cells.thresholds[None]).as_kind("place")
    node = X.filled(np.int64(0), 1)
    graph, flat = X.graph, graph_constant(X, cells.children)
    for _ in range(_depth(cells.children)):
        inner = node >= np.int64(0)
        at = inner.where(node, np.int64(0))
        side = graph.node("GatherElements", above, at, axis=1)
        child = flat.take(at * np.int64(2) + side, axis=0)
        node = inner.where(child, node)
    return np.int64(-1) - node


def graph_constant(X: Tensor, array: Any) -> Tensor:
    """Return a flat array of places as a tensor."""
    return X.graph.constant(np.ravel(np.asarray(array, np.int64)))


def _depth(children: Any) -> int:
    depth = np.zeros(len(children), int)
    for node in range(len(children) - 1, -1, -1):
        below = [depth[c] for c in children[node] if c >= 0]
        depth[node] = 1 + max(below, default=0)
    return int(depth[0])


def average(members: Any, rows: Tensor, facts: Any) -> Tensor:
    """Return the weighted average of members.

    Parameters
    ----------
    members : sequence of Member
    rows : Tensor
    facts : Rows

    Returns
    -------
    Tensor
    """
    total: Tensor | None = None
    for member in members:
        part = _machine(member.machine, rows, facts)
        if member.slope is not None:
            part = part + rows @ (_seen_by_trends(facts) @ member.slope)
        part = part * float(member.share)
        total = part if total is None else total + part
    assert total is not None
    return total


def _seen_by_trends(facts: Rows) -> Vector:
    """Return the matrix that makes the columns of a trend of prepared ones."""
    return Rows(np.eye(facts.X.shape[1]), facts.block, facts.group).trend


def calibrated(found: Calibration, values: Tensor, count: int) -> Tensor:
    """Return the probabilities of a calibration.

    Parameters
    ----------
    found : Calibration
    values : Tensor
        (rows, 1) or (rows, classes).
    count : int
        Classes.

    Returns
    -------
    Tensor
    """
    of_class = (-values).beside(values) if count == 2 else values
    curved = of_class * of_class * of_class * float(found.curve)
    shift = np.asarray(found.shift, np.float64)[None]
    return softmax(of_class * float(found.slope) + curved + shift)


@converts(TableSVC)
def _table_classes(model: Any, X: Any) -> Result:
    values = average(model.members_, *prepared(model.preparation_, X))
    p = calibrated(model.calibration_, values, len(model.classes_))
    return by_sign(values, model.classes_, probability=p)


@converts(TableSVR)
def _table_value(model: Any, X: Any) -> Result:
    values = average(model.members_, *prepared(model.preparation_, X))
    shaped = values * float(model.scale_) + float(model.offset_)
    shaped = shaped.clip(*vars(model).get("range_", NO_RANGE))
    return Quantity(_mean_of_shape(model.shape_, shaped, model.smeared_))


def _mean_of_shape(shape: TargetShape, values: Tensor, errors: Vector) -> Tensor:
    if shape == TargetShape():
        return values
    off = values + np.asarray(errors, np.float64)[None]
    if shape.knots is None or shape.scores is None:
        said = off.exp()
    else:
        said = interpolated(off.shaped(-1, 1), shape.scores, shape.knots).shaped(-1, len(errors))
    return said.sum() / float(len(errors))


@converts(TableOneClass)
def _table_sides(model: Any, X: Any) -> Result:
    rows, _ = prepared(model.preparation_, X)
    scaled = rows.clip(-FAR, FAR) * np.asarray(model.scale_, np.float64)[None]
    scores = machine_values(model.machine_._machine, scaled) + float(
        np.ravel(model.machine_.offset_)[0]
    )
    decision = scores - float(np.ravel(model.offset_)[0])
    number = (decision >= 0.0).as_kind("place").shaped(-1)
    return Classes(number, np.array([-1, 1]), decision)
