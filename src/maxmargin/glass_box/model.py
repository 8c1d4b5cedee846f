"""What a fitted glass box does: values, contributions, terms."""

from __future__ import annotations

from collections.abc import Sequence
from copy import copy
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from scipy import sparse
from sklearn.base import BaseEstimator, is_classifier
from sklearn.utils.validation import check_is_fitted

from maxmargin import losses
from maxmargin.ensembles.rounds import History, Stop
from maxmargin.glass_box.bins import Binning
from maxmargin.glass_box.pairs import CoarseColumn
from maxmargin.glass_box.scorecard import Scorecard, scorecard
from maxmargin.glass_box.terms import Term, add_terms
from maxmargin.glass_box.wishes import ColumnNames
from maxmargin.inputs.parameters import check_number
from maxmargin.inputs.table import entries, read
from maxmargin.progress.callbacks import CallbackSupport

Vector = NDArray[np.float64]

MISSING, UNKNOWN = "missing", "unknown"


@dataclass(frozen=True)
class TermView:
    """A term as a user reads it.

    Parameters
    ----------
    name : str
    kind : {"numeric", "categorical", "pair"}
    columns : tuple of int
    bins : tuple of lists of str
        What the bins of each column are called, in the order of the values.
    edges : tuple of ndarray or None
        Between the bins of numbers; None for categories.
    values, errors : ndarray of shape (functions, bins) or (functions, bins, bins)
        What a bin adds to the decision, and the standard error of that.
    weight : ndarray of shape (bins,) or (bins, bins)
        Of the training rows in a bin.
    importance : float
        Mean size of the term over the training rows.
    """

    name: str
    kind: str
    columns: tuple[int, ...]
    bins: tuple[list[str], ...]
    edges: tuple[NDArray[np.float64] | None, ...]
    values: NDArray[np.float64]
    errors: NDArray[np.float64]
    weight: NDArray[np.float64]
    importance: float


@dataclass(frozen=True)
class Explanation:
    """What every term adds to the decision of every row.

    Parameters
    ----------
    names : list of str
        Of the terms, in the order in which they are added.
    constants : ndarray of shape (functions,)
        What the sum begins with.
    contributions : ndarray of shape (rows, terms) or (rows, terms, functions)
    """

    names: list[str]
    constants: NDArray[np.float64]
    contributions: NDArray[np.float64]

    def sum(self) -> Vector:
        """Add up what there is, term after term: the decision function, to the last bit.

        Returns
        -------
        values : ndarray of shape (rows,) or (rows, functions)
        """
        several = self.contributions.ndim == 3
        start = self.constants if several else self.constants[0]
        shape = self.contributions.shape[:1] + self.contributions.shape[2:]
        total = np.broadcast_to(start, shape).copy()
        for t in range(len(self.names)):
            total += self.contributions[:, t]
        return total


class GlassBoxModel(CallbackSupport, BaseEstimator):
    """A fitted sum of shapes and tables.

    A subclass sets ``_binning``, ``_terms`` and ``constants_``.
    """

    _binning: Binning
    _coarse: tuple[CoarseColumn, ...]
    _terms: tuple[Term, ...]
    _categories: dict[int, dict[Any, int]]
    constants_: Vector
    history_: History
    stop_: Stop

    def __sklearn_tags__(self) -> Any:
        """Say what input is taken: missing values, categories and sparse matrices."""
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = tags.input_tags.categorical = True
        tags.target_tags.required = True
        return tags

    def __restored__(self) -> None:
        """Check what was read: compiled loops trust that bins lie where terms say."""
        if hasattr(self, "_terms") and not all(map(self._fits, self._terms)):
            raise ValueError("The terms of a stored glass box do not fit together.")

    def _fits(self, term: Term) -> bool:
        """Whether every code of a term's columns has a value."""
        known = self._binning.columns
        if not all(0 <= j < len(known) for j in term.columns) or not 1 <= len(term.columns) <= 2:
            return False
        widths = [known[j].width for j in term.columns]
        if any(known[j].members.min(initial=1) < 1 for j in term.columns):
            return False
        if len(widths) == 2:
            if [len(of) for of in term.coarse] != widths or min(map(np.min, term.coarse)) < 0:
                return False
            widths = [int(of.max(initial=0)) + 1 for of in term.coarse]
        shape = term.weight.shape
        enough = len(shape) == len(widths) and all(
            a >= b for a, b in zip(shape, widths, strict=True)
        )
        same = term.values.shape == term.errors.shape == (len(self.constants_), *shape)
        return enough and same

    def _code(self, X: Any) -> NDArray[np.uint8]:
        """Give the codes of new rows."""
        check_is_fitted(self)
        values = read(self, X, reset=False)
        return self._binning.code(values, self._unknown(X, values), self.n_jobs)

    def _unknown(self, X: Any, values: Any) -> NDArray[np.bool_] | None:
        """Say which entries are categories that were not seen in ``fit``, and not missing."""
        known = {} if self.is_categorical_ is None else self._categories
        if not known or sparse.issparse(values):
            return None
        unknown = np.zeros(values.shape, np.bool_)
        table = X if hasattr(X, "columns") else np.asarray(X, dtype=object)
        for j in known:
            absent = np.isnan(values[:, j])
            if absent.any():
                given = entries(table, j)
                unknown[:, j] = absent & np.array([value is not None for value in given])
        return unknown

    def _raw(self, X: Any) -> Vector:
        """Give the values of the rows, of shape (functions, rows)."""
        codes = self._code(X)
        return add_terms(self._terms, self.constants_, codes)

    def explain(self, X: Any) -> Explanation:
        """Say what every term adds to the decision of every row.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)

        Returns
        -------
        explanation : Explanation
            Its ``sum()`` is the decision function, or for quantities the value before the loss's
            link, to the last bit.
        """
        codes = self._code(X)
        found = np.empty((codes.shape[1], len(self._terms), len(self.constants_)))
        for t, term in enumerate(self._terms):
            found[:, t] = term.contribution(codes).T
        names = [term.name for term in self._terms]
        return Explanation(names, self.constants_, found[:, :, 0] if found.shape[2] == 1 else found)

    @property
    def terms_(self) -> list[TermView]:
        """The terms, the most important first."""
        check_is_fitted(self)
        shown = [self._view(term) for term in self._terms]
        return sorted(shown, key=lambda term: -term.importance)

    def _view(self, term: Term) -> TermView:
        columns = [self._binning.columns[j] for j in term.columns]
        kind = "categorical" if columns[0].categorical else "numeric"
        edges = tuple(self._edges(term, side) for side in range(len(columns)))
        return TermView(
            term.name,
            kind if len(columns) == 1 else "pair",
            term.columns,
            tuple(self._labels(term, side) for side in range(len(columns))),
            edges,
            term.values,
            term.errors,
            term.weight,
            term.importance,
        )

    def _edges(self, term: Term, side: int) -> NDArray[np.float64] | None:
        column = self._binning.columns[term.columns[side]]
        if column.categorical:
            return None
        if not term.coarse:
            return column.cuts
        coarse = term.coarse[side][1 : column.n_bins + 1]
        return column.cuts[np.flatnonzero(coarse[1:] != coarse[:-1])]

    def _labels(self, term: Term, side: int) -> list[str]:
        """Name the bins of one column of a term."""
        j = term.columns[side]
        column, edges = self._binning.columns[j], self._edges(term, side)
        if edges is not None:
            return [MISSING, *interval_names(edges)]
        code = np.arange(column.width) if not term.coarse else term.coarse[side]
        names: list[list[str]] = [[] for _ in range(int(code.max()) + 1)]
        for category, number in self._categories[j].items():
            names[int(code[column.members[number]])].append(str(category))
        return [MISSING, *map(_joined, names[1:-1]), UNKNOWN]

    def column_name(self, j: int) -> str:
        """Name a column.

        Parameters
        ----------
        j : int

        Returns
        -------
        name : str
        """
        return ColumnNames(getattr(self, "feature_names_in_", None), self.n_features_in_)[j]

    def with_term(self, name: str, values: Any) -> Self:
        """Give a copy of the model with other values of one term.

        Parameters
        ----------
        name : str
            One of ``term_names_``.
        values : array-like of shape (bins,) or (functions, bins), of pairs with the bins of both
            In the order of the term's ``bins``. They are taken as they are, not centred.

        Returns
        -------
        model : estimator
            Without ``certificate_``, which holds for the values of the fit alone.
        """
        check_is_fitted(self)
        if name not in self.term_names_:
            raise ValueError(f"There is no term {name!r}; the model has {self.term_names_}.")
        place = self.term_names_.index(name)
        term = self._terms[place]
        given = np.array(values, dtype=np.float64)
        given = given[None] if given.ndim == term.weight.ndim else given
        if given.shape != term.values.shape or not np.isfinite(given).all():
            raise ValueError(
                f"The term {name!r} has values of the shape {term.values.shape}; give finite "
                f"numbers of this shape. Got {np.shape(values)}."
            )
        edited = copy(self)
        edited.__dict__.pop("certificate_", None)  # it is about other values
        edited._terms = (
            *self._terms[:place],
            replace(term, values=given),
            *self._terms[place + 1 :],
        )
        return edited

    def to_scorecard(self, points: float = 20.0) -> Scorecard:
        """Give whole points by bin, to be added up by hand.

        Parameters
        ----------
        points : float, default=20
            Of two classes with the logistic loss, the points that double the odds; otherwise
            those that a unit of the sum is worth.

        Returns
        -------
        card : Scorecard
        """
        check_is_fitted(self)
        check_number("to_scorecard", "points", points, 0.0, above=True)
        if len(self.constants_) > 1:
            raise ValueError("A scorecard is for two classes or a quantity; the model has several.")
        doubled = is_classifier(self) and losses.named(self.loss) == losses.Logistic()
        return scorecard(self, points / np.log(2.0) if doubled else float(points))

    def score_points(self, X: Any, card: Scorecard) -> NDArray[np.int64]:
        """Add up the points of a scorecard of this model for some rows.

        Parameters
        ----------
        X : array-like, sparse matrix or DataFrame of shape (rows, columns)
        card : Scorecard

        Returns
        -------
        points : ndarray of int of shape (rows,)
        """
        return card.add_up(self._code(X))

    @property
    def term_names_(self) -> list[str]:
        """The names of the terms, in the order in which they are added."""
        check_is_fitted(self)
        return [term.name for term in self._terms]

    @property
    def term_importances_(self) -> Vector:
        """Mean size of each term over the training rows, in the order of ``term_names_``."""
        check_is_fitted(self)
        return np.array([term.importance for term in self._terms])

    @property
    def feature_importances_(self) -> Vector:
        """Share of each column in the importances; a pair's is that of both by halves."""
        check_is_fitted(self)
        total = np.zeros(self.n_features_in_)
        for term in self._terms:
            total[list(term.columns)] += term.importance / len(term.columns)
        return total / total.sum() if total.sum() > 0 else total


def interval_names(edges: Sequence[float] | NDArray[np.float64]) -> list[str]:
    """Name the intervals between edges, as short as tells them apart.

    Examples
    --------
    >>> interval_names([0.5, 1.25])
    ['up to 0.5', '0.5 to 1.25', 'above 1.25']
    """
    if not len(edges):
        return ["any"]
    digits = next((d for d in range(3, 18) if len({f"{e:.{d}g}" for e in edges}) == len(edges)), 17)
    said = [f"{e:.{digits}g}" for e in edges]
    between = [f"{a} to {b}" for a, b in pairwise(said)]
    return [f"up to {said[0]}", *between, f"above {said[-1]}"]


def _joined(names: list[str]) -> str:
    few = ", ".join(names[:3])
    return few if len(names) <= 3 else f"{few} and {len(names) - 3} more"
