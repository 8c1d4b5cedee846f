"""Decide whether loops use private parts of the compiler or portable substitutes.

The decision is made once in a process, when the first loop is defined. If a
loop cannot be compiled later because of a private part, ``ops/loop.py`` switches to the substitutes
and compiles it again.
"""

from __future__ import annotations

import os
from typing import Final

from maxmargin.ops.compiler.trial import first_failure
from maxmargin.progress.audience import announce

PLAIN: Final = "MAXMARGIN_PLAIN"


def is_asked_for() -> bool:
    """Return whether the user wants portable substitutes; nothing of the compiler is imported."""
    return os.environ.get(PLAIN, "0") not in {"", "0"}


class _Mode:
    """Whether portable substitutes are in use; decided when that is first asked."""

    def __init__(self) -> None:
        self._plain: bool | None = None

    @property
    def plain(self) -> bool:
        """Whether they are."""
        if self._plain is None:
            self._decide()
        return bool(self._plain)

    @plain.setter
    def plain(self, plain: bool) -> None:
        self._plain = plain

    def _decide(self) -> None:
        self._plain = is_asked_for()
        if self._plain:
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
