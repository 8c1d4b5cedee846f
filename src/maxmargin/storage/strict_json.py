"""JSON without what makes a reader work without end: numbers beyond bounds, depth, names twice."""

from __future__ import annotations

import json
import math
import re
from typing import Any

import numpy as np

MOST_BYTES = 1 << 25  # of text; as Python's objects it is twenty times as much
MOST_DEPTH = 200
_MOST_DIGITS = 400
_CHUNK = 1 << 20

_STEPS = np.zeros(256, dtype=np.int8)  # deeper and back, by letter
_STEPS[list(b"[{")], _STEPS[list(b"]}")] = 1, -1
# Possessive, and content without an end: a text of quotes alone is gone through once.
_STRING = re.compile(rb'"(?:[^"\\]|\\.)*+"?', re.DOTALL)


def write_json(value: Any) -> bytes:
    r"""Write a value as text of ASCII letters that ``read_json`` takes.

    Examples
    --------
    >>> write_json({"name": "é", "sizes": [1, 0.5]})
    b'{"name":"\\u00e9","sizes":[1,0.5]}'
    """
    text = json.dumps(value, allow_nan=False, separators=(",", ":")).encode("ascii")
    _refuse_beyond_bounds(text)
    return text


def read_json(text: bytes) -> Any:
    """Read a value, or raise ValueError.

    Examples
    --------
    >>> read_json(b'{"a": 1, "a": 2}')
    Traceback (most recent call last):
    ValueError: The name 'a' is given twice.
    """
    _refuse_beyond_bounds(text)
    return json.loads(
        text.decode("utf-8"),
        object_pairs_hook=_once_each,
        parse_constant=_refuse_constant,
        parse_float=_finite,
        parse_int=_short,
    )


def _refuse_beyond_bounds(text: bytes) -> None:
    if len(text) > MOST_BYTES:
        raise ValueError(f"The description has {len(text):,} bytes of at most {MOST_BYTES:,}.")
    if _depth(text) > MOST_DEPTH:
        raise ValueError(f"Values lie in each other more than {MOST_DEPTH} levels deep.")


def _depth(text: bytes) -> int:
    """Count how deep brackets go, before anything is made of them."""
    letters = np.frombuffer(_STRING.sub(b"", text), dtype=np.uint8)
    deep = deepest = 0
    for first in range(0, len(letters), _CHUNK):
        depths = deep + np.cumsum(_STEPS[letters[first : first + _CHUNK]], dtype=np.int64)
        deep, deepest = int(depths[-1]), max(deepest, int(depths.max()))
    return deepest


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, value in pairs:
        if name in made:
            raise ValueError(f"The name {name!r} is given twice.")
        made[name] = value
    return made


def _refuse_constant(name: str) -> None:
    raise ValueError(f"{name} is no number of JSON.")


def _finite(text: str) -> float:
    number = float(text)
    if not math.isfinite(number):
        raise ValueError(f"The number {text[:20]} is beyond the range of doubles.")
    return number


def _short(text: str) -> int:
    if len(text) > _MOST_DIGITS:
        raise ValueError(f"A whole number has {len(text):,} digits.")
    return int(text)
