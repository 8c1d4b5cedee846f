"""Which function converts which class."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from maxmargin.export.error import refuse
from maxmargin.export.result import Result
from maxmargin.export.tensor import Graph, Tensor, beside

Function = TypeVar("Function", bound=Callable[..., Any])

_MODELS: Final[dict[type, Callable[[Any, Any], Result]]] = {}
_STEPS: Final[dict[type, Callable[[Any, Any], Any]]] = {}


@dataclass(frozen=True)
class Frame:
    """Columns with names: numbers, or words where "" is missing."""

    graph: Graph
    names: tuple[str, ...]
    columns: tuple[Tensor, ...]
    """Each of shape (rows, 1)."""
    kinds: tuple[str, ...]
    """"number" or "word"."""

    def select(self, names: Any) -> Frame:
        """Return some columns, by their names or places."""
        places = [self.names.index(n) if isinstance(n, str) else int(n) for n in names]
        return Frame(
            self.graph,
            tuple(self.names[i] for i in places),
            tuple(self.columns[i] for i in places),
            tuple(self.kinds[i] for i in places),
        )


def as_matrix(X: Tensor | Frame) -> Tensor:
    """Return rows of numbers.

    Parameters
    ----------
    X : Tensor or Frame

    Returns
    -------
    Tensor
        Of shape (rows, columns).
    """
    if isinstance(X, Tensor):
        return X
    for name, kind in zip(X.names, X.kinds, strict=True):
        if kind != "number":
            raise refuse(f"Column {name!r}", "a model of numbers was fitted to its words")
    return beside(X.columns)


def converts(*kinds: type) -> Callable[[Function], Function]:
    """Register a function that converts fitted models of some classes."""

    def register(function: Function) -> Function:
        _MODELS.update(dict.fromkeys(kinds, function))
        return function

    return register


def transforms(*kinds: type) -> Callable[[Function], Function]:
    """Register a function that converts fitted transformers of some classes."""

    def register(function: Function) -> Function:
        _STEPS.update(dict.fromkeys(kinds, function))
        return function

    return register


def convert(model: Any, X: Tensor | Frame) -> Result:
    """Return what a fitted model says of rows.

    Parameters
    ----------
    model : estimator
    X : Tensor or Frame

    Returns
    -------
    Result

    Raises
    ------
    ExportError
        If there is no way to write it.
    """
    return _find(_MODELS, model)(model, X)


def transform(step: Any, X: Tensor | Frame) -> Any:
    """Return what a fitted transformer makes of rows.

    Parameters
    ----------
    step : transformer
    X : Tensor or Frame

    Returns
    -------
    Tensor or Frame
    """
    if isinstance(step, str):
        if step != "passthrough":
            raise refuse(step, "it is no transformer")
        return X
    return _find(_STEPS, step)(step, X)


def _find(known: dict[type, Any], value: Any) -> Any:
    for kind in type(value).__mro__:
        if kind in known:
            return known[kind]
    raise refuse(value, "there is no way to write it as a graph")
