"""A line of JSON that tells a program what happens."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

VERSION = 1  # rises when a field goes or changes its meaning, and not when one is added


def event_line(event: str, seconds: float, facts: Mapping[str, Any]) -> str:
    """Return an event as a line.

    Parameters
    ----------
    event : str
    seconds : float
        Since the work began.
    facts : mapping
        Plain data, without numbers that are not finite.

    Returns
    -------
    str
        Without its end.

    Examples
    --------
    >>> event_line("leader", 1.23456, {"model": "lda"})
    '{"event": "leader", "version": 1, "seconds": 1.235, "model": "lda"}'
    """
    head = {"event": event, "version": VERSION, "seconds": round(seconds, 3)}
    return json.dumps({**head, **facts}, allow_nan=False)
