"""Fitted models as plain data and as files, which run no code when they are read."""

from maxmargin.inputs.atomic import WriteError
from maxmargin.storage.file import StoredModel, load_model, save_model
from maxmargin.storage.layout import ModelFileError
from maxmargin.storage.plain import NotPlainError, from_plain, to_plain

__all__ = [
    "ModelFileError",
    "NotPlainError",
    "StoredModel",
    "WriteError",
    "from_plain",
    "load_model",
    "save_model",
    "to_plain",
]
