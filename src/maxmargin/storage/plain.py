"""A value as plain data and back: dictionaries, lists, arrays, strings and numbers.

What JSON has stays as it is, and so does an array of numbers or text. Everything else becomes a
dictionary with the key "is", which names one of the kinds below or a class of this package:

    {"is": "maxmargin.certify.status.Status", "named": "CERTIFIED"}          a member of an Enum
    {"is": "maxmargin.kernels.stationary.RBF", "given": {"gamma": 0.5, ...}}  a kernel
    {"is": "maxmargin.svm.machine.KernelMachine", "has": {"rows": array, ...}}    a value of parts
    {"is": "maxmargin.svm.svc.SVC", "given": {...}, "has": {...}}             an estimator, fitted

Reading makes only what is listed here: a class is looked up by name, among those of this package
that are of one of these four sorts and among the steps of scikit-learn that ``steps`` allows. It is
never called with what a file says except as the parameters of a kernel or an estimator. Parts are
of the types that their class declares, and where compiled loops would follow them blindly, the
class says whether they fit together (``__restored__``, ``steps.check_step``). All of them must be
there but those that came later, which the field says (``metadata={"later": True}``).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from enum import Enum
from importlib import import_module
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator
from sklearn.tree._tree import Tree

from maxmargin.kernels.base import Kernel
from maxmargin.kernels.graph import Graph, is_networkx
from maxmargin.kernels.tokens import Words
from maxmargin.progress.callbacks import KEPT_IN as CALLBACKS
from maxmargin.storage.bounds import BoundError, check_bounds
from maxmargin.storage.hint import fits, hints_of
from maxmargin.storage.pattern import PatternError, check_pattern
from maxmargin.storage.steps import (
    check_step,
    find_step,
    name_of_step,
    parts_of_step,
    restore_step,
)
from maxmargin.storage.tree import read_tree, write_tree

_OURS = "maxmargin."
_SPARSE = ("csr_matrix", "csr_array", "csc_matrix", "csc_array")
_PATH = re.compile(r"maxmargin(\.[A-Za-z_][A-Za-z_0-9]*)+")
_DTYPE = re.compile(r"\|O|[<>|=]?[?biufcSUmM]\d*(\[\w+\])?")
_ALLOWED = "only what this package defines, and some steps of scikit-learn, can be stored"
_TWISTER = 624  # numbers of a RandomState
_CONTAINERS = (list, tuple, dict, set)  # what is made of them would come back as one of them
_TYPES: dict[str, type] = {"bool": bool, "float": float, "int": int, "str": str}


_NEW_NAMES = {
    "maxmargin.svm.training.Seen": "maxmargin.svm.training.KernelView",
}
"""Classes by the names that older model files have for them."""


class NotPlainError(ValueError):
    """A value that cannot be stored without running code, or data that no value is stored as."""


def to_plain(value: Any, place: str = "the model") -> Any:
    """Turn a value into plain data.

    Parameters
    ----------
    value : object
        A fitted estimator, or anything that one is made of.
    place : str
        What it is called in an error.

    Returns
    -------
    plain : object
        Made of dict, list, str, int, float, bool, None and ndarray.

    Examples
    --------
    >>> from maxmargin import Status
    >>> to_plain((1, Status.CERTIFIED))
    {'is': 'tuple', 'of': [1, {'is': 'maxmargin.certify.status.Status', 'named': 'CERTIFIED'}]}
    """
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"is": "float", "of": repr(value)}
    for kind, write in _WRITERS:
        if isinstance(value, kind) and (kind not in _CONTAINERS or type(value) is kind):
            return write(value, place)
    if _parts(type(value)) is not None:
        return _write_parts(value, place)
    if is_networkx(value):  # kernels take it for this value
        return _write_parts(Graph.from_networkx(value), place)
    raise NotPlainError(
        f"{place} is {_shown(value)}, which cannot be stored without running code when it is read."
    )


def from_plain(plain: Any) -> Any:
    """Make the value again that ``to_plain`` was given.

    Examples
    --------
    >>> from_plain({"is": "tuple", "of": [1, {"is": "float", "of": "inf"}]})
    (1, inf)
    """
    if isinstance(plain, list):
        return [from_plain(each) for each in plain]
    if not isinstance(plain, dict):
        return plain
    name = plain.get("is")
    if not isinstance(name, str):
        raise NotPlainError("A stored value has no name of what it is.")
    try:
        read = _READERS[name] if name in _READERS else _reader_of(_find(name))
        return read(plain)
    except (KeyError, TypeError, AttributeError, IndexError, OverflowError) as error:
        raise NotPlainError(f"What is stored as {name!r} is damaged ({error}).") from None


def _shown(value: Any) -> str:
    kind = type(value)
    return f"a {kind.__module__}.{kind.__qualname__}"


def _named(kind: type) -> str:
    return f"{kind.__module__}.{kind.__qualname__}"


def _find(name: str) -> type:
    """Look a class up among those that may be stored."""
    name = _NEW_NAMES.get(name, name)
    step = find_step(name)
    if step is not None:
        return step
    module, _, short = name.rpartition(".")
    if _PATH.fullmatch(name):
        try:
            found = getattr(import_module(module), short, None)
        except ImportError:
            found = None
        if isinstance(found, type) and found.__module__ == module:
            return found
    raise NotPlainError(f"There is no {name!r} that a model may be made of.")


def _reader_of(kind: type) -> Callable[[dict[str, Any]], Any]:
    if issubclass(kind, Enum):
        return lambda plain: kind[plain["named"]]
    if issubclass(kind, BaseEstimator):
        return lambda plain: _read_estimator(kind, plain)
    if issubclass(kind, Kernel):
        return lambda plain: kind(**_checked(kind, _read_items(plain["given"])))
    if _parts(kind) is not None:
        return lambda plain: _read_parts(kind, plain)
    raise NotPlainError(f"There is no {_named(kind)!r} that a model may be made of.")


# what is written, and how it is read again


def _write_items(items: dict[str, Any], place: str) -> dict[str, Any]:
    return {name: to_plain(value, f"{place}.{name}") for name, value in items.items()}


def _read_items(plain: dict[str, Any]) -> dict[str, Any]:
    return {str(name): from_plain(value) for name, value in plain.items()}


def _checked(kind: type, items: dict[str, Any]) -> dict[str, Any]:
    """Raise for a value that costs more than models need."""
    check_bounds(kind, items)
    if issubclass(kind, Words):
        check_pattern(items["pattern"])
    return items


def _within_bounds(value: Any, items: dict[str, Any], place: str) -> dict[str, Any]:
    """Refuse to write what would not be read again."""
    try:
        return _write_items(_checked(type(value), items), place)
    except (BoundError, PatternError) as error:
        raise NotPlainError(f"{place}: {error}") from None


def _refuse_foreign(value: Any, place: str) -> None:
    if not type(value).__module__.startswith(_OURS):
        instead = "store its best_estimator_" if hasattr(value, "best_estimator_") else _ALLOWED
        raise NotPlainError(f"{place} is {_shown(value)}: {instead}.")


def _write_enum(value: Enum, place: str) -> dict[str, Any]:
    _refuse_foreign(value, place)
    return {"is": _named(type(value)), "named": value.name}


def _write_kernel(value: Kernel, place: str) -> dict[str, Any]:
    _refuse_foreign(value, place)
    given = _within_bounds(value, value.get_params(deep=False), place)
    return {"is": _named(type(value)), "given": given}


def _parts(kind: type) -> tuple[str, ...] | None:
    """Name the parts that a value is made of: the fields of a dataclass, or what the class lists.

    A class that lists them (``__plain__``) may check and complete what was read by a method
    ``__restored__``.
    """
    if is_dataclass(kind):
        return tuple(field.name for field in fields(kind))
    return getattr(kind, "__plain__", None)


def _write_parts(value: Any, place: str) -> dict[str, Any]:
    _refuse_foreign(value, place)
    held = {name: getattr(value, name) for name in _parts(type(value)) or ()}
    return {"is": _named(type(value)), "has": _within_bounds(value, held, place)}


def _read_parts(kind: type, plain: dict[str, Any]) -> Any:
    held = _checked(kind, _later_parts(kind) | _read_items(plain["has"]))
    if held.keys() != set(_parts(kind) or ()):
        raise NotPlainError(f"{_named(kind)} is stored with other parts than it has.")
    hints = hints_of(kind) if is_dataclass(kind) else {}
    value: Any = object.__new__(kind)
    for name, part in held.items():
        if not fits(part, hints.get(name, Any)):
            raise NotPlainError(f"{_named(kind)} cannot have {_shown(part)} as its {name}.")
        object.__setattr__(value, name, part)
    if hasattr(value, "__restored__"):
        value.__restored__()
    return value


def _later_parts(kind: type) -> dict[str, Any]:
    """Return the parts that older model files may lack, as their declarations say.

    A default alone does not: a file that has lost such a part would be read as another model.
    """
    given = fields(kind) if is_dataclass(kind) else ()
    return {field.name: field.default for field in given if field.metadata.get("later")}


def _write_estimator(value: BaseEstimator, place: str) -> dict[str, Any]:
    name = name_of_step(type(value))
    if name is None:
        _refuse_foreign(value, place)
        name = _named(type(value))
    else:
        _check_step(value)
    given = value.get_params(deep=False)
    left_out = {*given, CALLBACKS}  # who watched a fit is no part of its model
    held = {name: part for name, part in parts_of_step(value).items() if name not in left_out}
    parts = {
        "given": _within_bounds(value, given, place),
        "has": _within_bounds(value, held, place),
    }
    return {"is": name, **parts}


def _read_estimator(kind: type, plain: dict[str, Any]) -> Any:
    held = _checked(kind, _read_items(plain["has"]))
    for name in held:
        if not name.isidentifier() or hasattr(kind, name) or name in plain["given"]:
            raise NotPlainError(f"{_named(kind)} cannot have {name!r} as a fitted part.")
    value = kind(**_checked(kind, _read_items(plain["given"])))
    vars(value).update(held)
    _check_step(value, restore_step)
    if hasattr(value, "__restored__"):
        value.__restored__()
    return value


def _check_step(value: Any, then: Callable[[Any], None] | None = None) -> None:
    """Look at a step of scikit-learn before it is trusted, and do what comes then."""
    try:
        check_step(value)
        if then is not None:
            then(value)
    except ValueError as error:
        raise NotPlainError(str(error)) from None


def _write_masked(value: Any, place: str) -> dict[str, Any]:
    parts = {"data": value.data, "mask": np.ma.getmaskarray(value), "fill": value.fill_value}
    return {"is": "masked", **_write_items(parts, place)}


def _read_masked(plain: dict[str, Any]) -> Any:
    data, mask, fill = (from_plain(plain[name]) for name in ("data", "mask", "fill"))
    if _read_array(mask).shape != _read_array(data).shape or mask.dtype != bool:
        raise NotPlainError("The mask of a stored array is not of its shape.")
    return np.ma.MaskedArray(data, mask=mask, fill_value=fill)


def _write_array(value: NDArray[Any], place: str) -> Any:
    if type(value) not in (np.ndarray, np.memmap, np.recarray):
        raise NotPlainError(f"{place} is {_shown(value)}; store it as an array.")
    if value.dtype.names is not None:
        return _write_records(value, place)
    if value.dtype.hasobject:
        parts = [to_plain(each, place) for each in value.ravel().tolist()]
        return {"is": "objects", "shape": list(value.shape), "of": parts}
    plain = np.asarray(value)
    if plain.ndim > 1 and plain.flags.f_contiguous and not plain.flags.c_contiguous:
        return {"is": "columns", "of": np.ascontiguousarray(plain.T)}  # its products are summed so
    return plain


def _write_records(value: NDArray[Any], place: str) -> dict[str, Any]:
    if type(value) is not np.recarray:
        raise NotPlainError(f"{place} is an array with named columns; store it as a recarray.")
    columns = {name: np.array(value[name]) for name in value.dtype.names or ()}
    return {"is": "records", "of": _write_dict(columns, place)}


def _read_records(plain: dict[str, Any]) -> NDArray[Any]:
    columns: dict[str, NDArray[Any]] = from_plain(plain["of"])
    first, *_ = columns.values()
    table = np.empty(first.shape, dtype=[(name, each.dtype) for name, each in columns.items()])
    for name, each in columns.items():
        table[name] = each
    return table.view(np.recarray)


def _read_objects(plain: dict[str, Any]) -> NDArray[Any]:
    array = np.empty(len(plain["of"]), dtype=object)
    for place, each in enumerate(plain["of"]):
        array[place] = from_plain(each)
    return array.reshape([int(n) for n in plain["shape"]])


def _write_sparse(value: Any, place: str) -> dict[str, Any]:
    if type(value).__name__ not in _SPARSE:
        raise NotPlainError(f"{place} is {_shown(value)}; rows or columns are stored, not that.")
    arrays = {"data": value.data, "indices": value.indices, "indptr": value.indptr}
    return {"is": type(value).__name__, "shape": list(value.shape), **arrays}


def _read_sparse(plain: dict[str, Any]) -> Any:
    data, indices, indptr = (_read_array(plain[name]) for name in ("data", "indices", "indptr"))
    rows, columns = (int(n) for n in plain["shape"])
    lines, width = (rows, columns) if plain["is"].startswith("csr") else (columns, rows)
    whole = indices.dtype.kind == indptr.dtype.kind == "i" and data.ndim == indices.ndim == 1
    if not whole or indptr.shape != (lines + 1,) or not _lie_inside(indptr, indices, len(data)):
        raise NotPlainError("The parts of a stored sparse matrix do not fit together.")
    if indices.size and not 0 <= indices.min() <= indices.max() < width:
        raise NotPlainError("A stored sparse matrix has entries outside of it.")
    return getattr(sparse, plain["is"])((data, indices, indptr), shape=(rows, columns))


def _lie_inside(indptr: NDArray[Any], indices: NDArray[Any], size: int) -> bool:
    """Whether lines follow each other within the entries; SciPy looks only where there are some."""
    ascending = indptr[0] == 0 and (np.diff(indptr.astype(np.int64)) >= 0).all()
    return bool(ascending and indptr[-1] <= len(indices) == size)


def _write_dict(value: dict[Any, Any], place: str) -> dict[str, Any]:
    items = [[to_plain(k, place), to_plain(v, f"{place}[{k!r}]")] for k, v in value.items()]
    return {"is": "dict", "of": items}


def _write_list(value: list[Any], place: str) -> list[Any]:
    return [to_plain(each, f"{place}[{i}]") for i, each in enumerate(value)]


def _write_random(value: np.random.RandomState, place: str) -> dict[str, Any]:
    state: Any = value.get_state(legacy=False)
    if state["bit_generator"] != "MT19937":
        raise NotPlainError(f"{place} draws by {state['bit_generator']}; MT19937 can be stored.")
    return {"is": "RandomState", "of": to_plain(state, place)}


def _read_random(plain: dict[str, Any]) -> np.random.RandomState:
    state = from_plain(plain["of"])
    key, place = state["state"]["key"], state["state"]["pos"]
    if key.shape != (_TWISTER,) or not 0 <= int(place) <= _TWISTER:  # it would draw from elsewhere
        raise NotPlainError("The numbers of a stored RandomState do not fit together.")
    random = np.random.RandomState()
    random.set_state(state)
    return random


def _read_array(plain: Any) -> NDArray[Any]:
    if not isinstance(plain, np.ndarray):
        raise NotPlainError("Something else is stored where an array belongs.")
    return plain


def _write_dtype(value: np.dtype[Any], place: str) -> dict[str, Any]:
    if not _DTYPE.fullmatch(value.str):
        raise NotPlainError(f"{place} is the type {value}, which cannot be stored.")
    return {"is": "dtype", "of": value.str}


def _read_dtype(plain: dict[str, Any]) -> np.dtype[Any]:
    if not _DTYPE.fullmatch(plain["of"]):
        raise NotPlainError(f"There is no type {plain['of'][:40]!r} of which arrays are made.")
    return np.dtype(plain["of"])


def _write_type(value: type, place: str) -> dict[str, Any]:
    """Name the type of an array's numbers, as parameters called dtype have it."""
    if value in _TYPES.values():
        return {"is": "type", "of": value.__name__}
    if issubclass(value, np.generic):
        return _write_dtype(np.dtype(value), place) | {"is": "type"}
    raise NotPlainError(f"{place} is the class {_named(value)}, which cannot be stored.")


def _read_type(plain: dict[str, Any]) -> type:
    name = plain["of"]
    return _TYPES[name] if name in _TYPES else _read_dtype(plain).type


def _read_bytes(plain: dict[str, Any]) -> bytes:
    try:
        return str(plain["of"]).encode("latin-1")
    except UnicodeEncodeError:
        raise NotPlainError("Stored bytes hold what no byte is.") from None


_WRITERS: tuple[tuple[Any, Callable[[Any, str], Any]], ...] = (
    (np.ma.MaskedArray, _write_masked),
    (np.ndarray, _write_array),
    (np.generic, lambda value, _: {"is": "number", "of": np.asarray(value)}),
    (np.dtype, _write_dtype),
    (bytes, lambda value, _: {"is": "bytes", "of": value.decode("latin-1")}),
    (type, _write_type),
    (list, _write_list),
    (tuple, lambda value, place: {"is": "tuple", "of": _write_list(list(value), place)}),
    (dict, _write_dict),
    (Enum, _write_enum),
    (Kernel, _write_kernel),
    (BaseEstimator, _write_estimator),
    ((sparse.spmatrix, sparse.sparray), _write_sparse),
    (np.random.RandomState, _write_random),
    (Tree, lambda value, place: {"is": "tree", **_write_items(write_tree(value), place)}),
    (set, lambda value, place: {"is": "set", "of": _write_list(sorted(value), place)}),
    (slice, lambda value, _: {"is": "slice", "of": [value.start, value.stop, value.step]}),
)

_READERS: dict[str, Callable[[dict[str, Any]], Any]] = {
    "float": lambda plain: float(plain["of"]),
    "number": lambda plain: _read_array(plain["of"])[()],
    "dtype": _read_dtype,
    "bytes": _read_bytes,
    "type": _read_type,
    "tuple": lambda plain: tuple(from_plain(plain["of"])),
    "dict": lambda plain: {from_plain(key): from_plain(value) for key, value in plain["of"]},
    "objects": _read_objects,
    "masked": _read_masked,
    "records": _read_records,
    "columns": lambda plain: _read_array(plain["of"]).T,
    "RandomState": _read_random,
    "tree": lambda plain: read_tree(_read_items({k: v for k, v in plain.items() if k != "is"})),
    "set": lambda plain: set(from_plain(plain["of"])),
    "slice": lambda plain: slice(*plain["of"]),
    **dict.fromkeys(_SPARSE, _read_sparse),
}
