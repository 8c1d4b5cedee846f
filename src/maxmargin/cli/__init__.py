"""The command line: ``fit``, ``compare``, ``predict``, ``evaluate``, ``info`` and ``demo``."""

from maxmargin.cli.app import app, main

__all__ = ["app", "main"]
