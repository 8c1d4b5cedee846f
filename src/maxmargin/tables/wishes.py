"""What the user wants of the columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from maxmargin.tables.error import InputError
from maxmargin.tables.hint import suggest
from maxmargin.tables.reading import as_tuple

KINDS = ("text", "sequence", "category", "number", "date", "ignore")
TASKS = ("classification", "regression")


@dataclass(frozen=True)
class Wishes:
    """Which column is predicted, and what becomes of others.

    Parameters
    ----------
    target : str
        Name of the column to predict; its number, from 0, where columns have no names (-1 is the
        last one).
    drop : tuple of str
        Columns to leave out.
    id : tuple of str
        Columns that name rows: left out, and shown beside predictions.
    group : str, optional
        Column whose equal values keep rows together when they are split.
    task : {"classification", "regression"}, optional
        Decided by the target's values where not given.
    positive : str, optional
        The class to be found, of two.
    time : str, optional
        Column that orders rows in time: models learn from the past and are judged on the future.
    kind : tuple of str
        What columns hold where their values mislead, such as "zip=category": "text", "sequence",
        "category", "number", "date", or "ignore" to leave one out.

    Examples
    --------
    >>> Wishes("price", drop="comment").drop
    ('comment',)
    """

    target: str
    drop: tuple[str, ...] = ()
    id: tuple[str, ...] = ()
    group: str | None = None
    task: str | None = None
    positive: str | None = None
    time: str | None = None
    kind: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        object.__setattr__(self, "drop", as_tuple(self.drop))
        object.__setattr__(self, "id", as_tuple(self.id))
        object.__setattr__(self, "kind", as_tuple(self.kind))
        if self.task not in (None, *TASKS):
            raise InputError(f"The task is 'classification' or 'regression', not {self.task!r}.")

    def within(self, columns: Sequence[str]) -> Wishes:
        """Find the columns that are meant, and refuse what contradicts itself.

        Parameters
        ----------
        columns : sequence of str
            Those of the table.

        Returns
        -------
        Wishes
            The same with names as the table has them.
        """
        target = find_column(self.target, columns)
        drop = tuple(find_column(name, columns) for name in self.drop)
        ids = tuple(dict.fromkeys(find_column(name, columns) for name in self.id))
        group = None if self.group is None else find_column(self.group, columns)
        time = None if self.time is None else find_column(self.time, columns)
        for name in (*ids, group, time, target):
            if name in drop:
                raise InputError(f"Column {name!r} cannot be both used and dropped.")
        if target in (*ids, group):
            raise InputError(f"Column {target!r} cannot be predicted and name or group rows too.")
        if time is not None and time in (*ids, target):
            raise InputError(
                f"Column {time!r} cannot both order rows and name them or be predicted."
            )
        if time is not None and group is not None:
            raise InputError(
                "Give --group or --time, not both: a group may reach from the past to the future."
            )
        kinds = self._kinds(columns)
        for name in kinds:
            if name in (*drop, *ids, group, time, target):
                raise InputError(f"Column {name!r} has another use: leave its --kind out.")
        kind = tuple(f"{name}={kind}" for name, kind in kinds.items())
        return Wishes(target, drop, ids, group, self.task, self.positive, time, kind)

    @property
    def kinds(self) -> dict[str, str]:
        """What columns hold, by their names."""
        return dict(each.rsplit("=", 1) for each in self.kind)

    def _kinds(self, columns: Sequence[str]) -> dict[str, str]:
        found: dict[str, str] = {}
        for each in self.kind:
            name, _, kind = each.rpartition("=")
            if kind not in KINDS or not name:
                raise InputError(
                    f"--kind is COLUMN=KIND with one of {', '.join(KINDS)}, and not {each!r}."
                )
            name = find_column(name, columns)
            if found.setdefault(name, kind) != kind:
                raise InputError(f"Column {name!r} has two kinds: give one --kind.")
        return found


def find_column(name: str, columns: Sequence[str]) -> str:
    """Find a column by its name, or by its number in a table without names.

    Parameters
    ----------
    name : str
    columns : sequence of str

    Returns
    -------
    str
        As the table has it.

    Examples
    --------
    >>> find_column("-1", ["c0", "c1", "c2"])
    'c2'
    >>> find_column("Prise", ["price", "size"])
    Traceback (most recent call last):
    ...
    maxmargin.tables.error.InputError: The table has no column 'Prise': did you mean 'price'?
    """
    name = str(name)
    if name in columns:
        return name
    if name.strip() in columns:
        return name.strip()
    unnamed = all(re.fullmatch(r"c\d+", each) for each in columns)
    if unnamed and re.fullmatch(r"-?\d+", name) and -len(columns) <= int(name) < len(columns):
        return columns[int(name)]
    raise InputError(f"The table has no column {name!r}: {suggest(name, columns, 'it has')}")
