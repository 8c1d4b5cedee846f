"""The command that takes a stored model elsewhere."""

from __future__ import annotations

import json as json_text
from pathlib import Path
from typing import Any

import typer

from maxmargin.cli.complaint import CANNOT, leave, shown
from maxmargin.cli.tell import say
from maxmargin.export import ExportError, to_onnx, to_python
from maxmargin.inputs.atomic import replacing
from maxmargin.job.request import parse_bytes
from maxmargin.storage import load_model


def run_export(model: Path, out: Path, memory: str | None = None, *, json: bool) -> None:
    """Write a model as the name of the file says.

    Parameters
    ----------
    model : Path
    out : Path
        Its ending is .onnx or .py.
    memory : str, default=None
        What the model may take.
    json : bool
    """
    if out.suffix not in (".onnx", ".py"):
        raise ExportError(f"{shown(str(out))} ends with neither .onnx nor .py: name one of them.")
    limit = parse_bytes(memory)
    value = load_model(model, **({} if limit is None else {"max_bytes": limit})).value
    try:
        content = _content(value, out.suffix)
    except ImportError as error:
        leave(str(error), CANNOT)
    with replacing(out) as file:
        file.write(content)
    if json:
        typer.echo(json_text.dumps({"written": str(out), "bytes": len(content)}))
        return
    say(f"written: {shown(str(out))}, {len(content):,} bytes")


def _content(value: Any, suffix: str) -> bytes:
    if suffix == ".onnx":
        return bytes(to_onnx(value).SerializeToString())
    return to_python(value).encode()
