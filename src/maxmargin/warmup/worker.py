"""A process that compiles loops for another: ``python -m maxmargin.warmup.worker``.

It reads names of estimators from its input, one a line, compiles their loops and marks each when it
is done. It ends with its input, so that it does not outlive the process that started it. One that
fails is left without a mark.
"""

from __future__ import annotations

import sys
from contextlib import suppress

from maxmargin.ops.warm_marks import is_marked, mark
from maxmargin.warmup.compile import warm
from maxmargin.warmup.problem import ESTIMATORS


def work(names: list[str]) -> None:
    """Compile what is asked for.

    Parameters
    ----------
    names : list of str
        Lines, each with a name.
    """
    for line in names:
        name = line.strip()
        if name in ESTIMATORS and not is_marked(name):
            with suppress(Exception):  # the job itself says what is wrong; others are compiled
                warm([name], ["float64"])
                mark(name)


if __name__ == "__main__":
    for asked in sys.stdin:
        work([asked])
