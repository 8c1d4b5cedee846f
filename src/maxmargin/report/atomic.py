"""Where the report finds how files are written; models are written in the same way."""

from maxmargin.inputs.atomic import WriteError, check_destination, write_atomically

__all__ = ["WriteError", "check_destination", "write_atomically"]
