"""Peak memory of a fit on 50,000 rows, each measured in a process of its own.

The peak counts from the moment when libraries and data are loaded and a small fit is over. The
kernel's own high-water mark is read, after setting it back: ru_maxrss would include whatever the
process that started this one had in use.
"""

from __future__ import annotations

import ctypes
import gc
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks import contest
from benchmarks.data import available, load

NAMES = ["generated50k", "ijcnn1"]
_MB = 2**20
_RESET = Path("/proc/self/clear_refs")


def measure(small: bool, with_sklearn: bool) -> list[dict[str, Any]]:
    if not measurable():
        return []
    return [_row(name, small, with_sklearn) for name in available(NAMES)]


def _row(name: str, small: bool, with_sklearn: bool) -> dict[str, Any]:
    data = load(name, small)
    size = data.X.nbytes / _MB
    peaks = {who: _child(who, name, small) for who in contest.contestants(with_sklearn)}
    return {
        "data": name,
        "rows": data.X.shape[0],
        "columns": data.X.shape[1],
        "input": size,
        "bar": contest.CACHE_MB + 3 * size,
        "peak": peaks,
    }


def _child(who: str, name: str, small: bool) -> float:
    command = [sys.executable, "-m", "benchmarks.memory", who, name, *["--small"] * small]
    root = Path(__file__).parents[1]
    done = subprocess.run(command, cwd=root, stdout=subprocess.PIPE, text=True, check=True)
    return float(json.loads(done.stdout.splitlines()[-1]))


def peak_of_fit(who: str, name: str, small: bool) -> float:
    """Megabytes that a fit needs at its worst moment beyond what was there before."""
    data = load(name, small)
    gamma = data.gamma
    contest.warm_up([who], data)
    before, highest = peak(lambda: contest.make(who, gamma).fit(data.X, data.y))
    return highest - before


def peak(call: Callable[[], object]) -> tuple[float, float]:
    """Megabytes of this process before a call and at its worst moment."""
    gc.collect()
    ctypes.CDLL(None).malloc_trim(0)  # what the small fit freed must not hide what the fit takes
    _RESET.write_text("5")  # the high-water mark begins again here
    before = _status("VmRSS")
    call()
    return before, _status("VmHWM")


def measurable() -> bool:
    if not _RESET.exists():
        print("Left out: peak memory is measured on Linux only.")
    return _RESET.exists()


def _status(field: str) -> float:
    lines = Path("/proc/self/status").read_text().splitlines()
    return float(next(line.split()[1] for line in lines if line.startswith(field))) / 1024


if __name__ == "__main__":
    print(json.dumps(peak_of_fit(sys.argv[1], sys.argv[2], "--small" in sys.argv)))
