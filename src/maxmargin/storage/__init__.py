"""Fitted models as plain data: arrays and JSON values, which run no code when they are read."""

from maxmargin.storage.plain import NotPlainError, from_plain, to_plain

__all__ = ["NotPlainError", "from_plain", "to_plain"]
