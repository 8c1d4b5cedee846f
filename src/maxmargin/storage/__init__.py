"""Fitted models as plain data and as files, which run no code when they are read."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from maxmargin.storage.atomic import WriteError
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

_HOME = {
    "ModelFileError": "layout",
    "StoredModel": "file",
    "WriteError": "atomic",
    "load_model": "file",
    "save_model": "file",
}


def __getattr__(name: str) -> Any:
    """Import what is asked for: who only writes a page needs no estimators."""
    if name not in __all__:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME.get(name, 'plain')}"), name)
