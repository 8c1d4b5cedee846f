"""What estimators on a cluster share: the client, lazy answers, and the way back to one machine."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from copy import copy
from functools import partial, wraps
from typing import Any, ClassVar, TypeVar

import numpy as np
from sklearn.base import BaseEstimator, clone
from sklearn.utils.validation import check_is_fitted

from maxmargin.dask.collection import TableOnCluster, is_collection, map_rows

Kind = TypeVar("Kind", bound=type)


class OnCluster(BaseEstimator):
    """An estimator that is fitted to Dask collections and is otherwise its ``local`` class."""

    local: ClassVar[type]
    client: Any

    @classmethod
    def _get_param_names(cls) -> list[str]:
        return sorted({*cls.local._get_param_names(), "client"})  # type: ignore[attr-defined]

    def __sklearn_clone__(self) -> Any:
        """Copy the parameters; the client stays the same."""
        params = self.get_params(deep=False)
        client = params.pop("client")
        return type(self)(**{k: clone(v, safe=False) for k, v in params.items()}, client=client)

    def __getstate__(self) -> Any:
        state = dict(super().__getstate__())
        state["client"] = None if not isinstance(self.client, str) else self.client
        return state

    def to_local(self) -> Any:
        """Return the ordinary estimator, with the same parameters and fitted attributes.

        Returns
        -------
        estimator : object
            Of the class with the same name in ``maxmargin``; it needs no Dask.
        """
        check_is_fitted(self)
        kind: Any = self.local
        local = kind.__new__(kind)
        local.__dict__.update({k: copy(v) for k, v in vars(self).items() if k != "client"})
        return local

    def _local_copy(self) -> Any:
        """Return an unfitted local estimator with the same parameters."""
        params = self.get_params(deep=False)
        return self.local(**{name: value for name, value in params.items() if name != "client"})

    def _note_columns(self, placed: TableOnCluster) -> None:
        self.n_features_in_ = placed.columns
        self.__dict__.pop("feature_names_in_", None)
        if placed.names is not None and all(isinstance(name, str) for name in placed.names):
            self.feature_names_in_ = np.asarray(placed.names, dtype=object)

    def _lazily(self, method: str, X: Any, tail: tuple[int, ...], dtype: Any) -> Any:
        """Answer for every partition of a collection when it is computed."""
        return map_rows(partial(_call, self.to_local(), method), X, tail, dtype)


def _call(model: Any, method: str, X: Any) -> Any:
    return getattr(model, method)(X)


def lazy(
    method: str, width: Callable[[Any], tuple[int, ...]], kind: Callable[[Any], Any] | None = None
) -> Any:
    """Make a method that is lazy on collections and that of the local class on anything else."""

    def call(self: Any, X: Any) -> Any:
        if not is_collection(X):
            return getattr(self.local, method)(self, X)
        check_is_fitted(self)
        return self._lazily(method, X, width(self), np.float64 if kind is None else kind(self))

    call.__name__ = method
    call.__doc__ = f"Answer as ``{method}`` of the local class does; lazily for a Dask collection."
    return call


def one(_: Any) -> tuple[int, ...]:
    """Return the shape of an answer of one number a row."""
    return ()


def by_class(model: Any) -> tuple[int, ...]:
    """Return the shape of an answer of one number for each class."""
    return (len(model.classes_),)


def by_problem(model: Any) -> tuple[int, ...]:
    """Return the shape of decision values: one a row for two classes, otherwise one a class."""
    return () if len(model.classes_) == 2 else (len(model.classes_),)


def label(model: Any) -> Any:
    """Return the kind of labels."""
    return model.classes_.dtype


def with_client(cls: Kind) -> Kind:
    """Give a class the parameters of its local class, and ``client``."""
    local = cls.local  # type: ignore[attr-defined]
    signature = inspect.signature(local.__init__)
    extra = inspect.Parameter("client", inspect.Parameter.KEYWORD_ONLY, default=None)

    @wraps(local.__init__)
    def __init__(self: Any, *args: Any, client: Any = None, **params: Any) -> None:  # noqa: N807
        local.__init__(self, *args, **params)
        self.client = client

    params = [*signature.parameters.values(), extra]
    __init__.__signature__ = signature.replace(parameters=params)  # type: ignore[attr-defined]
    cls.__init__ = __init__  # type: ignore[misc]
    return cls
