"""Decide whether loops use private parts of the compiler or portable substitutes.

The decision is made once in a process, when the first module that depends on it is imported. If a
loop cannot be compiled later because of a private part, ``ops/loop.py`` switches to the substitutes
and compiles it again.
"""

from __future__ import annotations

import os
from typing import Final

from maxmargin.ops.compiler.trial import first_failure
from maxmargin.progress.audience import announce

PLAIN: Final = "MAXMARGIN_PLAIN"


class _Mode:
    """Whether portable substitutes are in use."""

    def __init__(self) -> None:
        self.plain = os.environ.get(PLAIN, "0") not in {"", "0"}
        if self.plain:
            announce(f"{PLAIN} is set: loops are compiled in a portable way, which is slower")
            return
        failure = first_failure()
        if failure is not None:
            self.switch(failure)

    def switch(self, reason: str) -> None:
        """Use the substitutes from now on; warn once."""
        if not self.plain:
            self.plain = True
            announce(
                f"this version of Numba or llvmlite differs from those that were tested ({reason}),"
                f" so fits are slower; {PLAIN}=1 hides the reason",
                always=True,
            )


mode: Final = _Mode()


def is_plain() -> bool:
    """Return whether loops use portable substitutes."""
    return mode.plain
