"""Files of tables, and the main job on them: the command itself, in a process of its own.

A job is ``maxmargin fit FILE --target NAME --json``: its events are passed on to the page as they
come, and what it writes is what the page shows and hands out. So the studio can do nothing that the
command cannot, a crash is the job's alone, and to cancel a job is Ctrl-C for it.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import secrets
import shutil
import signal
import sys
import tempfile
from collections.abc import AsyncIterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

from maxmargin.studio.error import SceneError
from maxmargin.studio.sample import refuse_large

ENDINGS: Final = (
    ".csv",
    ".tsv",
    ".txt",
    ".parquet",
    ".arff",
    ".svm",
    ".gz",
    ".xz",
    ".bz2",
)
MODEL_ENDING: Final = ".maxmargin"
FILES: Final = {
    "report.html": "text/html; charset=utf-8",
    "report.md": "text/markdown; charset=utf-8",
    "model.maxmargin": "application/octet-stream",
    "predictions.csv": "text/csv; charset=utf-8",
    "run.json": "application/json",
}
"""What a job leaves, and hands out by these names alone."""
MOST_JOBS: Final = 4
_LABEL: Final = re.compile(r"[^\w.\- ]+")
OPTIONS: Final = {
    "time_budget": re.compile(r"\d{1,5}[smh]"),
    "metric": re.compile(r"[a-z0-9_]{1,60}"),
    "models": re.compile(r"[a-z][a-z0-9_,\-]{0,400}"),
    "seed": re.compile(r"\d{1,9}"),
}
"""Options of the command that the page may give, and how they are written."""


class Files:
    """Files that the page gave, in a private folder, and those beside the studio."""

    def __init__(self, beside: Path) -> None:
        self.beside = beside.resolve()
        self._folder = Path(tempfile.mkdtemp(prefix="maxmargin-studio-"))
        self._known: dict[str, tuple[Path, str]] = {}

    def remove(self) -> None:
        """Delete the private folder."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def folder(self, name: str) -> Path:
        """Make a folder in the private one."""
        path = self._folder / name
        path.mkdir(exist_ok=True)
        return path

    def new(self, name: str) -> tuple[str, Path]:
        """Return the number of a new file, and where to write it; its name only labels it."""
        label = _LABEL.sub("_", Path(name).name).lstrip(".- ")[-100:] or "table.csv"
        key = secrets.token_urlsafe(9)
        path = self.folder(f"file-{key}") / label  # reports name the table as the user does
        self._known[key] = path, label
        return key, path

    def listed(self) -> list[dict[str, Any]]:
        """List the tables and models beside the studio."""
        known = {*ENDINGS, MODEL_ENDING}
        found = [p for p in sorted(self.beside.iterdir()) if p.is_file() and p.suffix in known]
        return [{"name": p.name, "bytes": p.stat().st_size} for p in found[:500]]

    def open_beside(self, name: str) -> str:
        """Return the number of a file beside the studio, by its bare name."""
        path = self.beside / name
        if name != Path(name).name or not path.is_file() or path.resolve().parent != self.beside:
            raise SceneError("There is no such file beside the studio.")
        key = secrets.token_urlsafe(9)
        self._known[key] = path, name
        return key

    def path(self, key: str) -> Path:
        """Return where a file lies."""
        return self._entry(key)[0]

    def label(self, key: str) -> str:
        """Return the name of a file as the page shows it."""
        return self._entry(key)[1]

    def _entry(self, key: str) -> tuple[Path, str]:
        if key not in self._known:
            raise SceneError("The studio does not know this file any more; open it again.")
        return self._known[key]


def preview(path: Path) -> dict[str, Any]:
    """Read a table and say what its columns are; the command will read it in the same way."""
    from maxmargin.tables import InputError, Reading, read_frame  # noqa: PLC0415

    refuse_large(path)
    try:
        frame = read_frame(path, Reading())
    except InputError as error:
        raise SceneError(str(error).replace(str(path), path.name)) from None
    except Exception as error:  # a broken file can fail in ways that no reader names
        raise SceneError(f"The file cannot be read ({type(error).__name__}).") from None
    head = frame.head(8)
    rows = [[None if v is None else str(v)[:60] for v in row] for row in head.rows()]
    columns = [{"name": c, "distinct": frame.get_column(c).n_unique()} for c in frame.columns]
    return {"rows": frame.height, "columns": columns, "head": rows}


def points(path: Path, first: str, second: str, label: str, most: int) -> list[list[float]]:
    """Return two columns of numbers and a column of classes as points of the playground."""
    import numpy as np  # noqa: PLC0415

    from maxmargin.tables import InputError, Reading, read_frame  # noqa: PLC0415

    refuse_large(path)
    try:
        frame = read_frame(path, Reading())
    except InputError as error:
        raise SceneError(str(error).replace(str(path), path.name)) from None
    if len({first, second, label}) < 3:
        raise SceneError("Choose three different columns: across, up and class.")
    missing = [name for name in (first, second, label) if name not in frame.columns]
    if missing:
        raise SceneError(f"The file has no column {missing[0]!r}.")
    part = frame.select(first, second, label).drop_nulls()
    try:
        X = np.column_stack([part.get_column(c).cast(float).to_numpy() for c in (first, second)])
    except Exception:
        raise SceneError("The playground draws two columns of numbers.") from None
    names, y = np.unique(part.get_column(label).cast(str).to_numpy(), return_inverse=True)
    if len(names) > 4:
        raise SceneError(f"{label!r} has {len(names)} classes; the playground draws four at most.")
    scale = X.std(axis=0)
    X = (X - X.mean(axis=0)) / np.where(scale > 0, scale, 1.0)
    chosen = np.random.default_rng(0).permutation(len(X))[:most]
    table = np.column_stack([X[chosen], y[chosen]])
    rows: list[list[float]] = table.round(5).tolist()
    return rows


@dataclass
class Job:
    """A run of the command."""

    key: str
    folder: Path
    process: asyncio.subprocess.Process
    lines: list[str] = field(default_factory=list)
    done: bool = False
    news: asyncio.Condition = field(default_factory=asyncio.Condition)

    async def follow(self) -> None:
        """Collect the events of the process until it ends."""
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        stderr = asyncio.create_task(self.process.stderr.read())
        async for raw in self.process.stdout:
            await self._add(raw.decode("utf-8", "replace").strip())
        code, said = await self.process.wait(), (await stderr).decode("utf-8", "replace")
        sentence = said.strip().splitlines()[-1:] if code else []
        await self._add(json.dumps({"event": "ended", "code": code, "sentence": "".join(sentence)}))
        self.done = True
        async with self.news:
            self.news.notify_all()

    async def _add(self, line: str) -> None:
        if line.startswith("{"):
            self.lines.append(line)
            async with self.news:
                self.news.notify_all()

    async def events(self) -> AsyncIterator[str]:
        """Yield all events so far, then new ones as they come."""
        place = 0
        while True:
            while place < len(self.lines):
                yield self.lines[place]
                place += 1
            if self.done:
                return
            async with self.news:
                with suppress(asyncio.TimeoutError):
                    await asyncio.wait_for(self.news.wait(), 1.0)

    def cancel(self) -> None:
        """Press Ctrl-C for the process."""
        if self.process.returncode is None:
            with suppress(ProcessLookupError, ValueError):
                self.process.send_signal(signal.SIGINT)


class Jobs:
    """The jobs of this studio."""

    def __init__(self, files: Files) -> None:
        self._files, self._jobs = files, dict[str, Job]()
        self._tasks: set[asyncio.Task[None]] = set()

    async def start(self, key: str, target: str, options: Mapping[str, Any]) -> Job:
        """Start the command on a file."""
        if sum(not job.done for job in self._jobs.values()) >= MOST_JOBS:
            raise SceneError(f"{MOST_JOBS} jobs are at work; cancel one or wait.")
        if not isinstance(target, str) or not target:
            raise SceneError("Choose the column to predict.")
        refuse_large(self._files.path(key))
        job_key = secrets.token_urlsafe(9)
        folder = self._files.folder(f"job-{job_key}")
        words = [
            "fit",
            str(self._files.path(key)),
            f"--target={target}",
            f"--out={folder}",
            "--json",
        ]
        words += written(options)
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-m",
            "maxmargin",
            *words,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
            limit=1 << 22,
        )
        job = self._jobs[job_key] = Job(job_key, folder, process)
        task = asyncio.create_task(job.follow())
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return job

    def get(self, key: str) -> Job:
        """Return a job."""
        if key not in self._jobs:
            raise SceneError("There is no such job.")
        return self._jobs[key]

    async def stop(self) -> None:
        """End all jobs."""
        for job in self._jobs.values():
            if job.process.returncode is None:
                with suppress(ProcessLookupError):
                    job.process.kill()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def written(options: Mapping[str, Any]) -> list[str]:
    """Write options for the command; unknown ones and odd values are refused."""
    words = []
    for name, value in options.items():
        if value in (None, ""):
            continue
        pattern = OPTIONS.get(name)
        if pattern is None or not pattern.fullmatch(str(value)):
            raise SceneError(f"The option {str(name)[:40]!r} cannot be {str(value)[:60]!r}.")
        words.append(f"--{name.replace('_', '-')}={value}")
    return words
