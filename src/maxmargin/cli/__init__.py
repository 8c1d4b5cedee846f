"""The command line: ``maxmargin fit``, ``maxmargin demo``."""

from maxmargin.cli.app import app, main

__all__ = ["app", "main"]
