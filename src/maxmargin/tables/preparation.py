"""From a file to a table that is ready to be split."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.tables.chosen import decide_as
from maxmargin.tables.decision import (
    Decision,
    Facts,
    count_values,
    decide,
    decide_time,
    dropped,
    kind_of,
    with_advice_on_time,
)
from maxmargin.tables.error import InputError
from maxmargin.tables.file import digest
from maxmargin.tables.frame import read_file
from maxmargin.tables.header import DOUBT
from maxmargin.tables.hint import counted
from maxmargin.tables.leak import find_leaks
from maxmargin.tables.number import ask
from maxmargin.tables.parquet import MOST_VALUES
from maxmargin.tables.reading import Reading
from maxmargin.tables.schema import Feature, Schema
from maxmargin.tables.settle import Settled, settle
from maxmargin.tables.spelling import as_written, respell
from maxmargin.tables.table import Column, Table
from maxmargin.tables.task import Labels, as_labels, find_positive, read_labels
from maxmargin.tables.timeline import timeline_of
from maxmargin.tables.value import make_finite, whole_numbers
from maxmargin.tables.wishes import Wishes


def load_table(
    path: Path | str,
    wishes: Wishes,
    reading: Reading | None = None,
    *,
    memory: int | None = None,
) -> Table:
    """Read a file and make it ready for predicting one of its columns.

    Parameters
    ----------
    path : Path or str
        Text with separators, Parquet, ARFF or rows of LIBSVM, packed or not.
    wishes : Wishes
        What is predicted, and what becomes of other columns.
    reading : Reading, optional
        What is known of the way the file is written.
    memory : int, optional
        Bytes that may be taken; as many as are free unless given.

    Returns
    -------
    Table
        All rows that have a label; gaps stay gaps.

    Raises
    ------
    InputError
        With one sentence, whatever is wrong with the file or the wishes.

    Examples
    --------
    >>> from maxmargin.datasets import heart_path
    >>> table = load_table(heart_path(), Wishes("AHD"))
    >>> table.features.shape, table.categories
    ((303, 13), ['ChestPain', 'Thal'])
    >>> print(table.columns[2].treatment)
    a category of 4 values
    """
    path = Path(path)
    found = read_file(path, reading or Reading(), memory, keep=wishes.target, most=MOST_VALUES)
    if found.frame.width < 2:
        raise InputError(
            f"{str(path)!r} has a single column, {found.frame.columns[0]!r}, and needs a target and"
            " at least one feature: check its separator."
        )
    return _prepare(found, wishes, path.name, digest(path))


def make_table(
    frame: pl.DataFrame,
    wishes: Wishes,
    reading: Reading | None = None,
    *,
    source: str = "a table in memory",
) -> Table:
    """Make a table in memory ready for predicting one of its columns.

    Parameters
    ----------
    frame : DataFrame
    wishes : Wishes
    reading : Reading, optional
        How numbers are written in columns of words, and which words count as missing.
    source : str
        What it is called.

    Returns
    -------
    Table
        Without a digest, as there is no file.

    Examples
    --------
    >>> frame = pl.DataFrame({"a": [1.5, None, 2.5, 3.5], "y": ["no", "yes", "no", "yes"]})
    >>> make_table(frame, Wishes("y")).schema.classes
    ('no', 'yes')
    """
    if frame.height == 0:
        raise InputError(f"{source.capitalize()} holds no rows.")
    found = replace(settle(frame, reading or Reading()), written=as_written(frame, wishes.target))
    return _prepare(found, wishes, source, "")


def _prepare(found: Settled, wishes: Wishes, source: str, digest: str) -> Table:
    wishes = _find_columns(wishes, found)
    frame, infinite = _without_infinite(_without_decimals(found.frame))
    rows = np.flatnonzero(frame.get_column(wishes.target).is_not_null().to_numpy())
    unlabelled = _without_label(frame, rows, wishes.target)
    labelled = frame[rows] if unlabelled else frame
    labels = read_labels(labelled.get_column(wishes.target), wishes.task)
    decisions = [*_decide_all(labelled.drop(wishes.target), wishes, labels, dict(found.warnings))]
    features = _distinct_names([each for every in decisions for each in every.features])
    if not features:
        raise InputError(_no_feature(wishes.target, decisions))
    ids, unused = _with_role(decisions, "id"), _with_role(decisions, "dropped", "group", "time")
    labels = respell(labels, found.written, rows)
    schema = Schema(features, wishes.target, labels.task, labels.classes, ids, unused)
    notes = (*found.notes, *infinite, *unlabelled, *labels.notes)
    return Table(
        features=schema.read(labelled),
        target=labels.values,
        schema=schema,
        columns=_in_order(frame, decisions, _target_column(frame, wishes.target, labels)),
        source=source,
        digest=digest,
        n_rows=frame.height if found.sampled is None else found.sampled.rows,
        rows=rows if found.sampled is None else found.sampled.places[rows],
        groups=_groups(labelled, wishes.group),
        ids=labelled.select(ids) if ids else None,
        notes=notes + tuple(note for each in decisions for note in each.notes),
        positive=find_positive(labels, wishes.target, wishes.positive),
        timeline=None if wishes.time is None else timeline_of(labelled.get_column(wishes.time)),
    )


def _find_columns(wishes: Wishes, found: Settled) -> Wishes:
    try:
        return wishes.within(found.frame.columns)
    except InputError as error:
        if DOUBT not in found.notes:
            raise
        raise InputError(
            f"{str(error).partition(':')[0]}, and its first line, taken for names, looks like data:"
            " give --no-header, and the number of the column, from 0."
        ) from None


def _without_decimals(frame: pl.DataFrame) -> pl.DataFrame:
    names = [name for name, kind in frame.schema.items() if kind.is_decimal()]
    return frame.with_columns(pl.col(names).cast(pl.Float64)) if names else frame


def _without_infinite(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Make infinite numbers and those that are none null, and count the former."""
    names = [name for name, kind in frame.schema.items() if kind.is_float()]
    counts = ask(frame, names, lambda number: number.is_infinite().sum())
    found = [f"{n:,} in {name!r}" for name, n in zip(names, counts, strict=True) if n]
    if not found:
        return make_finite(frame), ()
    return make_finite(frame), (f"Infinite values count as missing: {', '.join(found[:5])}.",)


def _without_label(frame: pl.DataFrame, rows: NDArray[np.intp], target: str) -> tuple[str, ...]:
    gone = frame.height - len(rows)
    if not len(rows):
        raise InputError(f"Column {target!r} is empty: no row has a label.")
    if not gone:
        return ()
    return (f"{counted(gone, 'row')} of {frame.height:,} set aside for want of a label.",)


def _decide_all(
    frame: pl.DataFrame, wishes: Wishes, labels: Labels, warnings: dict[str, str]
) -> Iterable[Decision]:
    every = [*count_values(frame)]
    used = [each for each in every if each.name not in (*wishes.drop, *wishes.id)]
    leaks = find_leaks(used, labels.values, len(labels.classes))
    for facts in every:
        said = [each for each in (leaks.get(facts.name), warnings.get(facts.name)) if each]
        decision = _decide_one(replace(facts, warning="; ".join(said)), wishes)
        column = replace(decision.column, leaks=facts.name in leaks)
        yield replace(decision, column=column)


def _decide_one(facts: Facts, wishes: Wishes) -> Decision:
    """Do what the user said of a column, else what its values say."""
    name, kind = facts.name, kind_of(facts.values)
    if name in wishes.drop:
        return dropped(replace(facts, warning=""), kind, "as you said")
    counts = (facts.missing, facts.distinct)
    if name == wishes.group:
        return Decision(Column(name, kind, "group", "keeps rows together", *counts))
    if name in wishes.id:
        return Decision(Column(name, kind, "id", "left out: it names the rows", *counts))
    if name == wishes.time:
        return decide_time(facts)
    chosen = wishes.kinds.get(name)
    decision = decide(facts) if chosen is None else decide_as(facts, chosen)
    return decision if wishes.time or wishes.group else with_advice_on_time(decision)


def _with_role(decisions: list[Decision], *roles: str) -> tuple[str, ...]:
    return tuple(each.column.name for each in decisions if each.column.role in roles)


def _distinct_names(features: list[Feature]) -> tuple[Feature, ...]:
    """Rename parts of dates that are named as another column is."""
    taken = {each.name for each in features if not each.part}
    named = []
    for each in features:
        name = each.name
        while each.part and name in taken:
            name += "'"
        taken.add(name)
        named.append(replace(each, name=name))
    return tuple(named)


def _no_feature(target: str, decisions: list[Decision]) -> str:
    shown = [each.column for each in decisions[:3]]
    why = "; ".join(f"{each.name!r} is {each.treatment}" for each in shown)
    hints = "".join(f" {each.name!r} {each.warning}." for each in shown if each.warning)
    return f"No column beside {target!r} can serve as a feature: {why}.{hints}"


def _target_column(frame: pl.DataFrame, target: str, labels: Labels) -> Column:
    values = frame.get_column(target)
    classes = counted(len(labels.classes), "class", "classes")
    number = labels.task == "regression"
    return Column(
        name=target,
        kind="number" if values.dtype.is_numeric() else "category",
        role="target",
        treatment="predicted, a quantity" if number else f"predicted, {classes}",
        missing=values.null_count(),
        distinct=values.drop_nulls().n_unique(),
    )


def _in_order(frame: pl.DataFrame, decisions: list[Decision], target: Column) -> tuple[Column, ...]:
    columns = {each.column.name: each.column for each in decisions} | {target.name: target}
    return tuple(columns[name] for name in frame.columns)


def _groups(frame: pl.DataFrame, group: str | None) -> NDArray[Any] | None:
    if group is None:
        return None
    values = frame.get_column(group)
    if values.null_count():
        gaps = counted(values.null_count(), "row")
        raise InputError(
            f"Column {group!r} is to group rows and has no value in {gaps} with a label: fill them."
        )
    if values.n_unique() < 2:
        raise InputError(f"Column {group!r} holds one group only: there is nothing to keep apart.")
    return as_labels(whole_numbers(values))
