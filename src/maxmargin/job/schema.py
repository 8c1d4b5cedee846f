"""The schemas of what programs read: run.json, and the events of ``--json``."""

from __future__ import annotations

import json
from importlib.resources import files
from typing import Any

from maxmargin.tables import InputError

SCHEMAS = ("run", "events")


def schema_of(name: str) -> dict[str, Any]:
    """Return the JSON Schema of a format (draft 2020-12).

    Parameters
    ----------
    name : {"run", "events"}

    Returns
    -------
    dict

    Examples
    --------
    >>> schema_of("run")["properties"]["version"]["const"]
    1
    """
    return dict(json.loads(schema_text(name)))


def schema_text(name: str) -> str:
    """Return the same as the text of its file.

    Parameters
    ----------
    name : {"run", "events"}

    Returns
    -------
    str
    """
    if name not in SCHEMAS:
        raise InputError(f"There is no schema {name!r}: choose among {', '.join(SCHEMAS)}.")
    return files("maxmargin.job").joinpath(f"{name}.schema.json").read_text(encoding="utf-8")
