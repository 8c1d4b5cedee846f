"""Whether a target is a class or a quantity, and its labels."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from maxmargin.tables.error import InputError
from maxmargin.tables.hint import counted, listed, suggest
from maxmargin.tables.value import whole_numbers

FEW_VALUES = 10  # as many different whole numbers are classes, whatever they are
MOST_VALUES = 100
ROWS_A_VALUE = 10
FEW_ROWS = 10  # of a class, for its recall to say much


@dataclass(frozen=True)
class Labels:
    """The target's values, and how they came to be what they are."""

    task: str
    values: NDArray[Any]
    classes: tuple[Any, ...]
    notes: tuple[str, ...]


def read_labels(target: pl.Series, task: str | None) -> Labels:
    """Decide the task and read the labels.

    Parameters
    ----------
    target : Series
        Without gaps.
    task : {"classification", "regression"} or None
        None decides by the values.

    Returns
    -------
    Labels
        int64 where all classes are whole numbers, else str; float64 for regression.

    Examples
    --------
    >>> labels = read_labels(pl.Series("y", [0, 1, 1, 0]), None)
    >>> labels.task, labels.classes
    ('classification', (0, 1))
    >>> print(labels.notes[0])
    'y' has 2 different whole numbers, which are taken for classes: --task regression changes that.
    """
    if target.dtype.is_temporal() or target.dtype.is_nested() or target.dtype == pl.Binary:
        raise InputError(
            f"Column {target.name!r} holds {str(target.dtype).lower()}s, which are neither classes"
            " nor quantities: choose another target."
        )
    target = whole_numbers(target)
    chosen, notes = (task, ()) if task else decide_task(target)
    if chosen == "regression":
        return Labels(chosen, _quantities(target), (), notes)
    values = as_labels(target)
    return Labels(chosen, values, _classes(target.name, values), (*notes, *_small(values)))


def decide_task(target: pl.Series) -> tuple[str, tuple[str, ...]]:
    """Decide by the values, and say why.

    Words and booleans are classes; so are up to ten different whole numbers, and up to a hundred
    that count from 0 or 1 without a gap, with ten rows each on average, none of them rare. Other
    numbers are quantities.
    """
    if not target.dtype.is_numeric():
        return "classification", ()
    n_values = target.n_unique()
    whole = target.dtype.is_integer()
    what = counted(n_values, "different whole number") if whole else "numbers with fractions"
    tasks, taken = ["regression", "classification"], "a quantity"
    if whole and _are_classes(target, n_values):
        tasks, taken = tasks[::-1], "classes"
    return tasks[0], (
        f"{target.name!r} has {what}, which are taken for {taken}: --task {tasks[1]} changes that.",
    )


def _are_classes(target: pl.Series, n_values: int) -> bool:
    n_rows = len(target)
    if n_values <= FEW_VALUES:
        return n_values <= max(2, n_rows // 2)
    first: Any = target.min()
    last: Any = target.max()
    counts = first in (0, 1) and last == first + n_values - 1
    many = n_values <= MOST_VALUES and n_rows >= ROWS_A_VALUE * n_values
    rarest: Any = target.value_counts().get_column("count").min()
    return bool(counts and many and 4 * n_values * rarest >= n_rows)  # quantities have thin tails


def _quantities(target: pl.Series) -> NDArray[np.float64]:
    if not target.dtype.is_numeric():
        word = str(target[0])
        raise InputError(
            f"Column {target.name!r} holds words such as {word!r}, and regression needs numbers:"
            " give --task classification."
        )
    if target.n_unique() == 1:
        raise InputError(
            f"Column {target.name!r} holds {target[0]} in every row: there is nothing to estimate."
        )
    return target.cast(pl.Float64).to_numpy().copy()


def as_labels(target: pl.Series) -> NDArray[Any]:
    """Give whole numbers as int64 and everything else as str."""
    if target.dtype.is_integer():
        return target.cast(pl.Int64).to_numpy().copy()
    return np.array(target.cast(pl.String).to_list(), dtype=str)


def _classes(name: str, values: NDArray[Any]) -> tuple[Any, ...]:
    found, sizes = np.unique(values, return_counts=True)
    classes = tuple(found.tolist())
    if len(classes) == 1:
        raise InputError(
            f"Column {name!r} holds one class only, {str(classes[0])!r}: there is nothing to tell"
            " apart."
        )
    if len(classes) > max(MOST_VALUES, len(values) // 2) or len(classes) == len(values):
        raise InputError(
            f"Column {name!r} has {counted(len(classes), 'class', 'classes')} in"
            f" {counted(len(values), 'row')}, too few to learn from: choose another target."
        )
    single = found[sizes == 1].tolist()
    if single:
        raise InputError(
            f"{'Class' if len(single) == 1 else 'Classes'} {listed(list(map(str, single)))} of"
            f" column {name!r} {'has' if len(single) == 1 else 'have'} a single row, and a class"
            " needs one to learn from and one to test on: remove such rows or join classes."
        )
    return classes


def find_positive(labels: Labels, target: str, wanted: str | None) -> Any:
    """Return the class that the user calls positive; None if none was named.

    Parameters
    ----------
    labels : Labels
    target : str
        The target's name.
    wanted : str or None

    Returns
    -------
    object
        One of ``labels.classes``.

    Examples
    --------
    >>> find_positive(read_labels(pl.Series("y", [0, 1, 1, 0]), None), "y", "0")
    0
    """
    if wanted is None:
        return None
    if len(labels.classes) != 2:
        what = counted(len(labels.classes), "class", "classes") if labels.classes else "a quantity"
        raise InputError(f"--positive needs a target of two classes, and {target!r} has {what}.")
    spelt = {str(label): label for label in labels.classes}
    if wanted.strip() not in spelt:
        hint = suggest(wanted, [*spelt], "it has")
        raise InputError(f"Column {target!r} has no class {wanted!r} (--positive): {hint}")
    return spelt[wanted.strip()]


def _small(values: NDArray[Any]) -> tuple[str, ...]:
    """Name the classes that are too small to be judged, unless all rows are few."""
    found, sizes = np.unique(values, return_counts=True)
    small = [f"{label} ({n})" for label, n in zip(found, sizes, strict=True) if n < FEW_ROWS]
    if not small or len(values) < 2 * FEW_ROWS:
        return ()
    return (f"Classes of fewer than {FEW_ROWS} rows can hardly be judged: {', '.join(small[:5])}.",)
