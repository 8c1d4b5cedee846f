"""What somebody may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from pathlib import Path


def close(name: str, known: Iterable[str]) -> list[str]:
    """Find names that are nearly the same, whatever their case.

    >>> close("agee", ["Age", "Sex"])
    ['Age']
    """
    lower = {each.lower(): each for each in known}
    return [lower[each] for each in difflib.get_close_matches(name.lower(), lower, n=3)]


def suggest(name: str, known: Sequence[str], otherwise: str) -> str:
    """Ask whether a close name was meant; where none is close, list some.

    >>> suggest("size", ["age", "sex"], "it has")
    "it has 'age', 'sex'."
    """
    near = close(name, known)
    if near:
        return "did you mean " + " or ".join(map(repr, near)) + "?"
    return f"{otherwise} {listed(known, 10)}."


def quoted(value: object, most: int = 60) -> str:
    """Quote a value, without the middle of one that is very long.

    >>> quoted("ab"), quoted("x" * 1000, 9)
    ("'ab'", "'xxxx…xxxx'")
    """
    text = str(value)
    part = (most - 1) // 2
    return repr(value if len(text) <= most else f"{text[:part]}…{text[-part:]}")


def listed(names: Sequence[object], most: int = 3) -> str:
    """Name a few, and count the others.

    >>> listed(["a", "b", "c"], 2)
    "'a', 'b' and 1 more"
    """
    shown = ", ".join(quoted(name) for name in names[:most])
    return shown + (f" and {len(names) - most:,} more" if len(names) > most else "")


def counted(number: int, what: str, many: str = "") -> str:
    """Put a noun behind a number.

    >>> counted(1, "row"), counted(2000, "class", "classes")
    ('1 row', '2,000 classes')
    """
    return f"{number:,} {what if number == 1 else many or what + 's'}"


def neighbours(path: Path) -> str:
    """Say which other files of the folder have a close name, as the end of a sentence.

    >>> neighbours(Path("nowhere/at all.csv"))
    '.'
    """
    try:
        known = [each.name for each in path.parent.iterdir() if each.name != path.name]
    except OSError:
        return "."
    near = close(path.name, known)
    return ": did you mean " + " or ".join(map(repr, near)) + "?" if near else "."
