"""Model files: a fitted model with what was said about it, read without running any code.

The value is written as plain data (``plain``) and its arrays beside it (``layout``); in the
description an array is ``{"is": "array", "of": number}``. What the same memory holds twice is
written once and is one array again when it is read.
"""

from __future__ import annotations

import json
import platform
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.inputs.atomic import replacing
from maxmargin.inputs.opening import open_ordinary
from maxmargin.inputs.warning import warn_user
from maxmargin.storage.layout import VERSION, ModelFileError, read_layout, write_layout
from maxmargin.storage.plain import NotPlainError, from_plain, to_plain

FORMAT = "maxmargin model"
LIBRARIES = ("maxmargin", "numpy", "scipy", "scikit-learn")

_LARGEST = 4 << 30
_LONGEST = 300  # letters of a complaint


@dataclass(frozen=True)
class StoredModel:
    """What a model file holds.

    Parameters
    ----------
    value : object
        What was stored: an estimator, a pipeline, or a dict or list of such.
    about : dict
        What was said about it.
    version : int
        Of the format.
    libraries : dict of str to str
        Versions of Python and of the libraries that wrote it.
    """

    value: Any
    about: Mapping[str, Any] = field(default_factory=dict)
    version: int = VERSION
    libraries: Mapping[str, str] = field(default_factory=dict)


def save_model(path: str | Path, value: Any, about: Mapping[str, Any] | None = None) -> None:
    """Write a model to a file that can be read without running any code.

    Parameters
    ----------
    path : str or Path
        Where it goes; a file of that name is replaced once the new one is complete.
    value : object
        An estimator of maxmargin, a pipeline of such with the steps of scikit-learn that may be
        stored, or a dict, list or tuple of these with values of maxmargin such as a ``Schema``.
        Of a search, store ``best_estimator_``.
    about : mapping, default=None
        What else is to be known, made of what JSON has.

    Raises
    ------
    NotPlainError
        When something in it could not be read again without running code, such as a function.
    WriteError
        When it cannot be written; whatever was there before is still there.

    Examples
    --------
    >>> import tempfile
    >>> from maxmargin import SVC
    >>> from maxmargin.datasets import load_ten_points
    >>> X, y = load_ten_points(return_X_y=True)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     save_model(f"{folder}/svc.maxmargin", SVC().fit(X, y), {"rows": 10})
    ...     stored = load_model(f"{folder}/svc.maxmargin")
    >>> stored.value.score(X, y) == SVC().fit(X, y).score(X, y), stored.about
    (True, {'rows': 10})
    """
    arrays = _Arrays()
    try:
        tree = arrays.taken_out(to_plain(value))
    except RecursionError:
        raise NotPlainError("The model holds itself, or parts too deep in each other.") from None
    head = {"format": FORMAT, "libraries": _libraries(), "about": _checked(about or {})}
    with replacing(Path(path)) as file:
        try:
            write_layout(file, {**head, "value": tree}, arrays.list)
        except ValueError as error:  # beyond the bounds of a reader
            raise NotPlainError(f"The model cannot be described: {error}") from None


def load_model(path: str | Path, *, max_bytes: int = _LARGEST) -> StoredModel:
    """Read a model file; whatever is in it, no code of it is run and nothing is written.

    Parameters
    ----------
    path : str or Path
    max_bytes : int, default=4 GiB
        The longest file that is read: that much memory is needed.

    Returns
    -------
    stored : StoredModel

    Raises
    ------
    ModelFileError
        When it is no model, damaged, too long, of a newer format, or holds what no model is made
        of.

    Warns
    -----
    UserWarning
        When steps of scikit-learn in it were written by another release than the one in use: what
        they compute may differ.
    """
    path = Path(path)
    try:
        description, arrays = _read(path, max_bytes)
        value = _restore_model(description, arrays)
    except ModelFileError as error:
        raise _refusal(path, str(error)) from None
    _caution_of_other_release(description)
    return StoredModel(value, description["about"], VERSION, description["libraries"])


def _restore_model(description: dict[str, Any], arrays: list[NDArray[Any]]) -> Any:
    """Make the model, or raise ModelFileError with the reason."""
    try:
        return from_plain(_put_in(description["value"], arrays))
    except ModelFileError:
        raise
    except Exception as error:  # whatever it is, what the file says made it
        wrote, reads = description["libraries"].get("maxmargin"), version("maxmargin")
        other = "" if wrote == reads else f"; maxmargin {wrote} wrote it, and this is {reads}"
        said = (str(error) or type(error).__name__).rstrip(".")
        raise ModelFileError(f"holds no model that can be used: {said}{other}") from None


def _refusal(path: Path, why: str) -> ModelFileError:
    """Put together one sentence on one line, however long a file makes its names."""
    said = " ".join(why.split()).rstrip(".")
    short = said if len(said) <= _LONGEST else f"{said[:_LONGEST]}..."
    return ModelFileError(f"The file {str(path)!r} {short}.")


def _read(path: Path, max_bytes: int) -> tuple[dict[str, Any], list[NDArray[Any]]]:
    if not path.exists():
        raise ModelFileError("does not exist.")
    if not path.is_file():
        raise ModelFileError("is not an ordinary file.")
    try:
        with open_ordinary(path) as file:
            description, arrays = read_layout(file, max_bytes)
    except OSError as error:
        raise ModelFileError(f"cannot be read: {(error.strerror or str(error)).lower()}.") from None
    _check_description(description)
    return description, arrays


def _check_description(description: dict[str, Any]) -> None:
    wanted = {"format", "libraries", "about", "value", "arrays"}
    kinds = (description.get("libraries"), dict), (description.get("about"), dict)
    whole = description.keys() == wanted and all(isinstance(*pair) for pair in kinds)
    if not whole or description["format"] != FORMAT:
        raise ModelFileError("has a description that is none of a model.")


def _checked(about: Mapping[str, Any]) -> dict[str, Any]:
    """Take what JSON has, and nothing that would come back as something else."""
    try:
        told = json.loads(json.dumps(dict(about), allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        raise NotPlainError(f"What is said about the model is not plain: {error}.") from None
    return {str(name): value for name, value in told.items()}


def _libraries() -> dict[str, str]:
    return {"python": platform.python_version()} | {name: version(name) for name in LIBRARIES}


def _caution_of_other_release(description: dict[str, Any]) -> None:
    """Warn where steps of scikit-learn come from a release whose steps may do something else."""
    wrote, reads = str(description["libraries"].get("scikit-learn")), version("scikit-learn")
    foreign = any(name.startswith("sklearn.") for name in _names(description["value"]))
    if foreign and _release(wrote) != _release(reads):
        warn_user(
            f"The model has steps that scikit-learn {wrote} wrote, and this is {reads}: check what "
            "it predicts, or fit it again."
        )


def _release(text: str) -> list[str]:
    return text.split(".")[:2]


def _names(tree: Any) -> Iterator[str]:
    """Go through what the values of a description are."""
    if isinstance(tree, dict):
        yield str(tree.get("is"))
    for part in tree.values() if isinstance(tree, dict) else tree if isinstance(tree, list) else ():
        yield from _names(part)


class _Arrays:
    """Arrays taken out of plain data, each once."""

    def __init__(self) -> None:
        self.list: list[NDArray[Any]] = []
        self._places: dict[Any, int] = {}

    def taken_out(self, plain: Any) -> Any:
        """Put the number of an array where it was."""
        if isinstance(plain, np.ndarray):
            return {"is": "array", "of": self._place(plain)}
        if isinstance(plain, dict):
            return {name: self.taken_out(part) for name, part in plain.items()}
        return [self.taken_out(part) for part in plain] if isinstance(plain, list) else plain

    def _place(self, array: NDArray[Any]) -> int:
        memory = array.__array_interface__["data"][0], array.dtype, array.shape, array.strides
        if memory not in self._places:
            self._places[memory] = len(self.list)
            self.list.append(array)
        return self._places[memory]


def _put_in(tree: Any, arrays: list[NDArray[Any]]) -> Any:
    """Put arrays where their numbers are, in the tree itself: a second one takes as much memory."""
    if isinstance(tree, dict) and tree.get("is") == "array":
        return _found(tree, arrays)
    if isinstance(tree, dict | list):
        for key, part in tree.items() if isinstance(tree, dict) else enumerate(tree):
            tree[key] = _put_in(part, arrays)
    return tree


def _found(tree: dict[str, Any], arrays: list[NDArray[Any]]) -> NDArray[Any]:
    place = tree.get("of")
    if tree.keys() != {"is", "of"} or type(place) is not int or not 0 <= place < len(arrays):
        raise ModelFileError("asks for an array that it does not have.")
    return arrays[place]
