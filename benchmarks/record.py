"""Results as small JSON files, one a job, each with the facts of the machine that measured them."""

from __future__ import annotations

import json
import platform
import subprocess
from datetime import UTC, datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from threadpoolctl import threadpool_info

from maxmargin.ops.threads import count_threads

RESULTS = Path(__file__).parent / "results"
LIBRARIES = ["maxmargin", "numpy", "scipy", "numba", "scikit-learn", "scikit-learn-intelex"]

Row = dict[str, Any]


def facts() -> dict[str, Any]:
    return {
        "cpu": _cpu(),
        "cores": count_threads(None),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "blas": _blas(),
        "source": _source(),
        "versions": {name: found for name in LIBRARIES if (found := _version(name))},
    }


def _cpu() -> str:
    """Linux's name of the processor; elsewhere what Python knows."""
    path = Path("/proc/cpuinfo")
    lines = path.read_text().splitlines() if path.exists() else []
    names = (line.split(":", 1)[1].strip() for line in lines if line.startswith("model name"))
    return next(names, platform.processor() or "unknown")


def _blas() -> str:
    pools = [pool for pool in threadpool_info() if pool["user_api"] == "blas"]
    kinds = {f"{p['internal_api']} {p['version']} ({p.get('architecture', '?')})" for p in pools}
    return ", ".join(sorted(kinds))


def _source() -> str:
    """Git's name of the src folder: rows of different code never share a table."""
    name = _git("rev-parse", "--short", "HEAD:src") or "unknown"
    return f"{name} with changes" if _git("status", "--porcelain", "src") else name


def _git(*words: str) -> str:
    command, root = ["git", *words], Path(__file__).parents[1]
    try:
        done = subprocess.run(command, cwd=root, text=True, capture_output=True, check=False)
    except OSError:  # no git here
        return ""
    return done.stdout.strip()


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def save(
    job: str, rows: list[Row], folder: Path, order: list[str] | None = None, **extra: Any
) -> None:
    """Write a job's rows.

    With an order of data sets, rows of earlier runs stay if machine, versions and source are the
    same: the long jobs can be done one data set (and one task on it) at a time.
    """
    here, before = facts(), load(job, folder)
    if order and before and before["facts"] == here:
        merged = {(row["data"], row.get("task")): row for row in [*before["rows"], *rows]}
        rows = sorted(merged.values(), key=lambda row: order.index(row["data"]))
    date = datetime.now(UTC).date().isoformat()
    whole = {"date": date, "facts": here, **extra, "rows": rows}
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{job}.json").write_text(json.dumps(whole, indent=1) + "\n")


def load(job: str, folder: Path = RESULTS) -> dict[str, Any] | None:
    path = folder / f"{job}.json"
    return json.loads(path.read_text()) if path.exists() else None
