"""How this command is started from the user's shell: next commands are printed ready to paste."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from shutil import which

NAME = "maxmargin"


def own_command() -> str:
    """Return what to type in this folder to start this command again.

    Returns
    -------
    str
        The bare name if the shell finds this script by it; else the path, as short as it can be.

    Examples
    --------
    >>> own_command().endswith("maxmargin")
    True
    """
    script = Path(sys.argv[0])
    if script.name == "__main__.py":
        return f"{_typed(Path(sys.executable))} -m {NAME}"
    return _typed(script) if script.stem == NAME else NAME


def _typed(program: Path) -> str:
    """Return the shortest words that start a program from this folder."""
    found = which(program.name)
    if found is not None and Path(found).absolute() == program.absolute():
        return program.stem
    try:
        return shlex.quote(str(program.absolute().relative_to(Path.cwd())))
    except ValueError:  # it lies elsewhere
        return shlex.quote(str(program.absolute()))
