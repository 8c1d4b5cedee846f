"""Run the tests as other processors would: other instructions, other orders of rounding.

Each line of the matrix is a run of the whole suite in a process of its own; arguments go to pytest.
Lines whose instructions this processor lacks are left out, and said to be.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from time import perf_counter

import numpy as np
from llvmlite.binding import get_host_cpu_features

ONE, FOUR = (
    {"NUMBA_NUM_THREADS": n, "OMP_NUM_THREADS": n, "OPENBLAS_NUM_THREADS": n} for n in ("1", "4")
)


def _numpy_features() -> str:
    """List what NumPy found beyond its baseline: the names differ between versions."""
    found = np.show_config(mode="dicts")["SIMD Extensions"].get("found", [])
    return " ".join(found)


MATRIX: dict[str, tuple[str, dict[str, str]]] = {
    "plain x86, one thread": (
        "sse2",
        {"NUMBA_CPU_NAME": "generic", "OPENBLAS_CORETYPE": "Prescott", **ONE},
    ),
    "Haswell": ("avx2", {"NUMBA_CPU_NAME": "haswell", "OPENBLAS_CORETYPE": "Haswell"}),
    "Skylake with AVX-512": (
        "avx512f",
        {"NUMBA_CPU_NAME": "skylake-avx512", "OPENBLAS_CORETYPE": "SkylakeX"},
    ),
    "Zen": ("avx2", {"NUMBA_CPU_NAME": "znver1", "OPENBLAS_CORETYPE": "Zen"}),
    "NumPy's baseline, four threads": (
        "sse2",
        {"NPY_DISABLE_CPU_FEATURES": _numpy_features(), **FOUR},
    ),
}


def _runnable() -> Iterator[tuple[str, dict[str, str]]]:
    features = get_host_cpu_features()
    for name, (needs, settings) in MATRIX.items():
        if features.get(needs):
            yield name, settings
        else:
            print(f"{name}: left out, this processor has no {needs}")


def main(arguments: list[str]) -> int:
    """Run every line; returns how many failed."""
    lines = []
    for name, settings in _runnable():
        shown = " ".join(f"{key}={value!r}" for key, value in settings.items())
        print(f"\n== {name}: {shown}", flush=True)
        begun = perf_counter()
        command = [sys.executable, "-m", "pytest", "-q", *arguments]
        code = subprocess.run(command, env={**os.environ, **settings}, check=False).returncode
        lines.append((name, code, perf_counter() - begun))
    print()
    for name, code, seconds in lines:
        print(f"{'green' if code == 0 else 'RED':6} {seconds:6.0f} s  {name}")
    return sum(code != 0 for _, code, _ in lines)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
