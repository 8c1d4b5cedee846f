"""The hot loops behind one name: an engine is a set of verbs, and arrays say which one serves them.

An engine is a package beside this module; each of its modules is a group of verbs, and every engine
has the same groups with the same signatures:

    kernel_epilogue, kernel_l1, kernel_sparse, kernel_row, kernel_tile    kernel values
    product                                                  of packed rows
    rows, selection                                          the row store, and who violates
    smo, polish, smo_polish, coordinate, cost_walk           ascent on kernel rows
    features, newton                                         linear models: products and steps
    dual_coordinate, primal_coordinate, crammer_singer       descent on features
    subgradient                                              stochastic descent on features
    stump, stump_classes, stump_square, stump_grid, stump_lines    scans of columns
    stump_sort, stump_ensemble                               columns in order, many splits at once
    stump_buckets, boost_rounds                              columns in buckets, many rounds at once
    gradient, boost_weights, pairs                           passes of boosting
    glass_box                                                rounds of shapes and of pairs
    hash_tables                                              neighbours in buckets
    integral, haar, cascade, cascade_resize, cascade_group   images, their features, cascades
    graph_words, graph_graphlets, graph_walks                what graphs have in common
    string_lists, string_subsequence, string_runs, sequence_overlap    strings and categories

What holds arrays for long (prepared rows, a row cache, a design, columns) holds their engine too:
``engine_of(X).smo.smo_pairs(...)``. Nothing outside this room names a device.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from importlib import import_module
from types import ModuleType
from typing import Any

import maxmargin.ops as room


class Engine:
    """The verbs of one device; a group is imported when it is first asked for."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __getattr__(self, group: str) -> ModuleType:
        if group.startswith("_"):
            raise AttributeError(group)
        module = import_module(f"{room.__name__}.{self.name}.{group}")
        setattr(self, group, module)  # the next time it is an attribute like any other
        return module

    def __repr__(self) -> str:
        return f"Engine({self.name!r})"

    def __reduce__(self) -> tuple[Any, ...]:
        return Engine, (self.name,)


_USUAL = {"numpy": Engine("cpu")}
# A fit's own threads inherit it; somebody else's fits, in other threads, do not.
_serving: ContextVar[dict[str, Engine]] = ContextVar("serving", default=_USUAL)


def engine_of(array: Any) -> Engine:
    """Find the engine for an array, by the library whose array it is.

    Examples
    --------
    >>> import numpy as np
    >>> engine_of(np.zeros(3))
    Engine('cpu')
    """
    return _serving.get()[type(array).__module__.partition(".")[0]]


def engines() -> list[Engine]:
    """List the engines of NumPy arrays, which have the same groups of verbs.

    That of a card (``ops.gpu``) has its own: it works on arrays that stay there for a whole fit.

    Examples
    --------
    >>> [engine.name for engine in engines()]
    ['cpu', 'reference']
    """
    return [Engine("cpu"), Engine("reference")]


@contextmanager
def serving(engine: Engine, library: str = "numpy") -> Iterator[None]:
    """Use an engine for the arrays of a library, in this thread's fits that begin in this block.

    Examples
    --------
    >>> import numpy as np
    >>> with serving(Engine("reference")):
    ...     engine_of(np.zeros(3))
    Engine('reference')
    """
    token = _serving.set(_serving.get() | {library: engine})
    try:
        yield
    finally:
        _serving.reset(token)
