"""Grids go on beyond an edge where their best value lies."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import numpy as np
from sklearn.base import clone

AGAIN: Final = 2  # how often a grid goes on
STEPS: Final = 2  # values beyond an edge
_ENDS: Final = {  # beyond which nothing is tried, by the last word of a parameter's name
    "C": (1e-4, 1e5),
    "gamma": (1e-5, 1e4),
    "alpha": (1e-6, 1e7),
    "learning_rate": (1e-2, 1.0),
}
_OWN: Final = {"C": "Cs", "gamma": "gammas"}  # of searches without param_grid

Axes = dict[str, list[Any]]


def axes_of(search: Any) -> Axes:
    """Return the values of a grid by parameter.

    Parameters
    ----------
    search : estimator

    Returns
    -------
    dict of str to list
    """
    if hasattr(search, "param_grid"):
        return {name: list(values) for name, values in search.param_grid.items()}
    found = {name: getattr(search, own, None) for name, own in _OWN.items()}
    return {name: list(each) for name, each in found.items() if isinstance(each, Sequence)}


def beyond(axes: Mapping[str, Sequence[Any]], best: Mapping[str, Any]) -> Axes:
    """Return the grid that goes on where the best values lie at an edge; empty if none does.

    Parameters
    ----------
    axes : mapping of str to sequence
    best : mapping of str to object
        The best point.

    Returns
    -------
    dict of str to list

    Examples
    --------
    >>> beyond({"C": [0.1, 1.0, 10.0], "gamma": [0.1, 1.0]}, {"C": 10.0, "gamma": 0.1})
    {'C': [10.0, 100.0, 1000.0], 'gamma': [0.1, 0.01, 0.001]}
    >>> beyond({"C": [0.1, 1.0, 10.0]}, {"C": 1.0})
    {}
    """
    more = {name: _further(name, values, best[name]) for name, values in axes.items()}
    if not any(more.values()):
        return {}
    around = {name: _around(values, best[name]) for name, values in axes.items()}
    return {name: [best[name], *found] if found else around[name] for name, found in more.items()}


def _further(name: str, values: Sequence[Any], best: Any) -> list[Any]:
    """Return the values beyond the edge at which the best one lies."""
    ends = _ENDS.get(name.rpartition("__")[2])
    if ends is None or len(values) < 2:
        return []
    inside = sorted(float(value) for value in values)
    if best == inside[-1]:
        ratio = inside[-1] / inside[-2]
    elif best == inside[0]:
        ratio = inside[0] / inside[1]
    else:
        return []
    found = [float(f"{best * ratio**step:.6g}") for step in range(1, STEPS + 1)]
    return [value for value in found if ends[0] <= value <= ends[1]]


def _around(values: Sequence[Any], best: Any) -> list[Any]:
    """Return the best value and its neighbours."""
    place = list(values).index(best)
    return list(values[max(0, place - 1) : place + 2])


def with_axes(search: Any, axes: Axes) -> Any:
    """Return a search on another grid.

    Parameters
    ----------
    search : estimator
    axes : dict of str to list

    Returns
    -------
    estimator
    """
    if hasattr(search, "param_grid"):
        return clone(search).set_params(param_grid=axes)
    return clone(search).set_params(**{_OWN[name]: values for name, values in axes.items()})


def search_on(search: Any, X: Any, y: Any, **facts: Any) -> Any:
    """Fit a search, and go on with its grid while the best point lies at an edge.

    Parameters
    ----------
    search : estimator
        With ``param_grid``, or with ``Cs`` and ``gammas``.
    X, y
        Rows, and what to predict.
    **facts
        Further arguments of ``fit``.

    Returns
    -------
    estimator
        The search that found the best point, with the results of all of them.
    """
    best = search.fit(X, y, **facts)
    results, known = [best.cv_results_], axes_of(search)
    last = best
    for _ in range(AGAIN if known else 0):
        axes = beyond(known, last.best_params_)
        if not axes:
            break
        last = with_axes(search, axes).fit(X, y, **facts)
        results.append(last.cv_results_)
        if not last.best_score_ > best.best_score_:
            break
        best, known = last, axes
    best.cv_results_ = _joined(results)
    return best


def _joined(results: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Put results one behind the other; of equal points the first stays."""
    points = [point for each in results for point in each["params"]]
    first = [place for place, point in enumerate(points) if point not in points[:place]]
    columns = [name for name in results[0] if all(name in each for each in results)]
    whole = {name: [value for each in results for value in each[name]] for name in columns}
    kept = {name: [values[place] for place in first] for name, values in whole.items()}
    return {name: _as_found(name, values) for name, values in kept.items()}


def _as_found(name: str, values: list[Any]) -> Any:
    if name == "params":
        return values
    return np.ma.MaskedArray(values) if name.startswith("param_") else np.array(values)
