"""How much memory there is, and how much a table takes."""

from __future__ import annotations

import os
from pathlib import Path

from maxmargin.tables.error import InputError

_LIMITS = (  # of the whole machine, then of a container in either version of control groups
    ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory.current"),
    (
        "/sys/fs/cgroup/memory/memory.limit_in_bytes",
        "/sys/fs/cgroup/memory/memory.usage_in_bytes",
    ),
)


def free_memory() -> int | None:
    """Count the bytes that a process may still take; None where nobody tells.

    >>> free_memory() is None or free_memory() > 0
    True
    """
    found = [room for room in (_on_machine(), *map(in_container, _LIMITS)) if room is not None]
    return min(found, default=None)


def check_memory(path: Path, need: int, free: int | None) -> None:
    """Refuse a table that does not fit, with what it needs.

    >>> check_memory(Path("big.csv"), 12_000_000_000, 4_000_000_000)
    Traceback (most recent call last):
    ...
    maxmargin.tables.error.InputError: 'big.csv' needs about 12.0 GB of memory, and 4.0 GB are
    free: take a part of its rows or columns, or a machine with more memory.
    """
    if free is not None and need > free:
        raise InputError(
            f"{str(path)!r} needs about {_shown(need)} of memory, and {_shown(free)} are free:"
            " take a part of its rows or columns, or a machine with more memory."
        )


def _shown(size: int) -> str:
    return f"{size / 1e9:.1f} GB" if size >= 1e8 else f"{size / 1e6:.1f} MB"


def _on_machine() -> int | None:
    try:
        lines = Path("/proc/meminfo").read_text(encoding="ascii").splitlines()
        return next(int(line.split()[1]) * 1024 for line in lines if "MemAvailable" in line)
    except (OSError, StopIteration, ValueError):
        return _physical()


def _physical() -> int | None:
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, OSError, ValueError):
        return None


def in_container(files: tuple[str, str]) -> int | None:
    """Count the bytes that the files of a limit and of its use leave; None where none is set."""
    try:
        limit, used = (int(Path(file).read_text(encoding="ascii")) for file in files)
    except (OSError, ValueError):
        return None
    return max(limit - used, 0)
