"""Loops compiled into a folder that an image takes along, for a processor by its name.

Numba reads its settings when it is imported, so the loops are compiled in another process.
"""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Final

HOST: Final = "host"
_V3: Final = (
    "+avx,+avx2,+bmi,+bmi2,+cmov,+cx16,+cx8,+f16c,+fma,+fxsr,+lzcnt,+mmx,+movbe,+popcnt,+sahf,"
    "+sse,+sse2,+sse3,+sse4.1,+sse4.2,+ssse3,+xsave"
)
_V4: Final = f"{_V3},+avx512bw,+avx512cd,+avx512dq,+avx512f,+avx512vl"
FEATURES: Final = {"generic": "", "x86-64-v3": _V3, "x86-64-v4": _V4}
"""Instructions that loops may use; those of another name are what LLVM knows of it."""


def settings_of(folder: str | None, cpu: str) -> dict[str, str]:
    """Return the environment in which loops of an image are compiled and used.

    Parameters
    ----------
    folder : str or None
        None for the usual place.
    cpu : str
        "host", or a name that LLVM knows, such as "generic" or "x86-64-v3".

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> settings_of(None, "generic")
    {'NUMBA_CPU_NAME': 'generic', 'NUMBA_CPU_FEATURES': ''}
    """
    settings = {} if folder is None else {"NUMBA_CACHE_DIR": str(Path(folder).resolve())}
    if cpu != HOST:
        settings |= {"NUMBA_CPU_NAME": cpu, "NUMBA_CPU_FEATURES": FEATURES.get(cpu, "")}
    return settings


def warm_elsewhere(settings: dict[str, str], arguments: list[str]) -> int:
    """Run the warm-up with other settings of Numba; return its exit code.

    Parameters
    ----------
    settings : dict of str to str
    arguments : list of str
        Of the command, without those that the settings stand for.

    Returns
    -------
    int
    """
    command = [sys.executable, "-m", "maxmargin.warmup", *arguments]
    return subprocess.run(command, env={**os.environ, **settings}, check=False).returncode


def usage_of(settings: dict[str, str]) -> str:
    """Return the lines with which a Dockerfile or a shell uses the compiled loops.

    Parameters
    ----------
    settings : dict of str to str

    Returns
    -------
    str
    """
    lines = "\n".join(f'ENV {name}="{value}"' for name, value in settings.items())
    return f"To use them, set this where the model runs:\n{lines}\n"
