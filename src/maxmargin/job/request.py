"""What was typed, as values: which file, how it is read, what is predicted, how models compete."""

from __future__ import annotations

import re
import shlex
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from time import perf_counter
from typing import Any, Self

import polars as pl

from maxmargin.job.background_compiler import compiler
from maxmargin.job.budget import parse_budget
from maxmargin.job.job import Job
from maxmargin.tables import InputError, Reading, Table, Wishes, load_table, make_table

_NOT_REPEATED = {"file", "frame", "out", "json", "jobs", "memory", "repeat"}
_SIZE = re.compile(r"(\d+(?:\.\d*)?)\s*([kmgt]?)i?b?", re.IGNORECASE)
_USUAL = {
    "test_size": 0.2,
    "folds": 5,
    "time_budget": "10m",
    "seed": 0,
    "explain": 0,
    "device": "cpu",
}


@dataclass(frozen=True)
class Request:
    """A table, and what is to be done with it.

    Parameters
    ----------
    file : Path or None
        None for a table in memory.
    wishes : Wishes
    reading : Reading
    job : Job
    command : str
        What to type to get the same again.
    begun : float or None
        When the command was, by ``perf_counter``.
    raw : bool
        Whether predictions are written bare, even where a spreadsheet would run them.
    memory : int or None
        Bytes that the table may take; None for what is free.
    frame : DataFrame or None
        The table in memory.
    """

    file: Path | None
    wishes: Wishes
    reading: Reading
    job: Job
    command: str = ""
    begun: float | None = None
    raw: bool = False
    memory: int | None = None
    frame: pl.DataFrame | None = None

    @classmethod
    def of(cls, options: Mapping[str, Any], begun: float | None = None) -> Self:
        """Read the options of a command.

        Parameters
        ----------
        options : mapping of str to object
            By the names of the command's parameters; "frame" in place of "file" for a table in
            memory.
        begun : float, default=None
            When the command was, by ``perf_counter``.

        Returns
        -------
        Request
        """
        given = _typed(options)
        if options.get("blend") is False:
            given["no_blend"] = True
        frame = options.get("frame")
        if ("file" not in given and frame is None) or "target" not in given:
            raise InputError("Give a FILE and the column to predict as --target.")
        job = {**_those_of(Job, given), "n_jobs": given.get("jobs")}
        if "models" in given:
            job["models"] = tuple(name.strip() for name in given["models"].split(","))
        if "no_blend" in given:
            job["blend"] = False
        if "time_budget" in given:
            job["time_budget"] = parse_budget(given["time_budget"])
        wishes = Wishes(**_those_of(Wishes, given))
        file, reading = Path(given["file"]) if frame is None else None, reading_of(given)
        command, memory = command_of(given), parse_bytes(given.get("memory"))
        raw = "raw" in given
        return cls(file, wishes, reading, Job(**job), command, begun, raw, memory, frame)

    @classmethod
    def again(cls, record: Mapping[str, Any], job: Job, file: Path | None = None) -> Self:
        """Read what a run.json says.

        Parameters
        ----------
        record : mapping
        job : Job
        file : Path, default=None
            Where the table is now, if not where it was.

        Returns
        -------
        Request
        """
        try:
            source = record["source"]
            wishes, reading = Wishes(**source["wishes"]), Reading(**source["reading"])
            place = _place(source) if file is None else file
            return cls(place, wishes, reading, job, record["command"])
        except (KeyError, TypeError):
            raise InputError("The run.json to repeat is damaged: fit again.") from None

    def load(self) -> Table:
        """Read the table.

        Returns
        -------
        Table
        """
        if self.job.time_budget is not None and self.job.replay is None:
            compiler.begin()
        try:
            return self._load()
        except BaseException:
            compiler.end()
            raise

    def _load(self) -> Table:
        if self.file is not None:
            return load_table(self.file, self.wishes, self.reading, memory=self.memory)
        assert self.frame is not None
        if self.frame.width < 2:
            raise InputError(
                f"The table has {'a single column' if self.frame.width else 'no column'}, and needs"
                " a target and at least one feature."
            )
        return make_table(self.frame, self.wishes, self.reading)

    def started(self) -> Job:
        """Give the job, whose budget counts from the beginning of the command.

        Returns
        -------
        Job
        """
        spent = 0.0 if self.begun is None else perf_counter() - self.begun
        return replace(self.job, spent=spent)

    @property
    def source(self) -> dict[str, Any]:
        """How the table is read, for a repeat."""
        facts = {"wishes": asdict(self.wishes), "reading": asdict(self.reading)}
        if self.file is None:
            return {"file": None, "path": None, **facts}
        return {"file": str(self.file), "path": str(self.file.resolve()), **facts}


def _place(source: Mapping[str, Any]) -> Path:
    """Find the table of a run: as it was named, from here, or else where it was."""
    if source["file"] is None:
        raise InputError("That run learned from a table in memory: name the FILE that holds it.")
    typed = Path(source["file"])
    return typed if typed.exists() else Path(source.get("path", typed))


def _typed(options: Mapping[str, Any]) -> dict[str, Any]:
    """Leave out what was not given; 0 is something."""
    nothing: list[Any] = [None, [], (), ""]
    given = {name: v for name, v in options.items() if name not in ("frame", "blend")}
    return {name: v for name, v in given.items() if v not in nothing and v is not False}


def _those_of(kind: type, given: Mapping[str, Any]) -> dict[str, Any]:
    """Take the options that are fields of a value."""
    return {each.name: given[each.name] for each in fields(kind) if each.name in given}


def reading_of(options: Mapping[str, Any], known: Reading | None = None) -> Reading:
    """Read what a command says of the way a file is written.

    Parameters
    ----------
    options : mapping of str to object
    known : Reading, default=None
        What holds where the command says nothing: that of the file that a model learned from.

    Returns
    -------
    Reading

    Examples
    --------
    >>> reading = reading_of({"decimal": "."}, Reading(decimal=",", missing=("k.A.",)))
    >>> reading.decimal, reading.missing
    ('.', ('k.A.',))
    """
    given, known = _typed(options), known or Reading()
    header = known.header and "no_header" not in given
    return replace(known, **_those_of(Reading, given), header=header)


def command_of(given: Mapping[str, Any]) -> str:
    """Write the command that was typed, without what is usual.

    Parameters
    ----------
    given : mapping of str to object

    Returns
    -------
    str

    Examples
    --------
    >>> command_of({"file": "my data.csv", "target": "y", "drop": ["a", "b"], "folds": 5})
    "maxmargin fit --target=y --drop=a --drop=b -- 'my data.csv'"
    >>> command_of({"target": "y", "folds": 3})  # of a table in memory
    "maxmargin.job.fit(frame, target='y', folds=3)"
    """
    told = {name: value for name, value in given.items() if name not in _NOT_REPEATED}
    told = {name: value for name, value in told.items() if _USUAL.get(name) != value}
    if "file" not in given:
        if told.pop("no_blend", False):
            told["blend"] = False
        words = [f"{name}={value!r}" for name, value in told.items()]
        return f"maxmargin.job.fit({', '.join(['frame', *words])})"
    words = []
    for name, value in told.items():
        option = f"--{name.replace('_', '-')}"
        values = value if isinstance(value, list | tuple) else [value]
        words += [option if each is True else f"{option}={each}" for each in values]
    return shlex.join(["maxmargin", "fit", *words, "--", str(given["file"])])


def parse_bytes(text: str | None) -> int | None:
    """Read a size such as 8G; None is none.

    Parameters
    ----------
    text : str or None

    Returns
    -------
    int or None

    Examples
    --------
    >>> parse_bytes("1.5k"), parse_bytes("8G")
    (1536, 8589934592)
    """
    if text is None:
        return None
    found = _SIZE.fullmatch(text.strip())
    if found is None:
        raise InputError(f"--memory is a size such as 500M or 8G, and not {text!r}.")
    number, unit = found.groups()
    return int(float(number) * 1024 ** " kmgt".index(unit.lower() or " "))
