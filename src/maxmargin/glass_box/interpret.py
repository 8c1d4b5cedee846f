"""Models of InterpretML as glass boxes, so that pictures, pages and edits work on them.

What is read are the fitted attributes of an ExplainableBoostingMachine (``bins_``,
``term_features_``, ``term_scores_``, ``bin_weights_``, ``intercept_``); the package itself is not
needed. Its bins are closed below, ours above, so cuts move by one floating-point number.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.ensembles.rounds import History, Stop
from maxmargin.glass_box.bins import Binning, ColumnBins
from maxmargin.glass_box.classifier import GlassBoxClassifier
from maxmargin.glass_box.regressor import GlassBoxRegressor
from maxmargin.glass_box.terms import Term

Vector = NDArray[np.float64]

_WITHOUT_NAMES = re.compile(r"feature_\d{4}")
_NEEDED = ("bins_", "term_features_", "term_scores_", "intercept_", "bin_weights_")


def from_interpret(model: Any) -> GlassBoxClassifier | GlassBoxRegressor:
    """Give the glass box that decides as a fitted ExplainableBoostingMachine does.

    Parameters
    ----------
    model : ExplainableBoostingClassifier or ExplainableBoostingRegressor
        Fitted, with columns alone and pairs, and of a regressor with the link "identity".

    Returns
    -------
    model : GlassBoxClassifier or GlassBoxRegressor
        Fitted, without rounds.
    """
    _check(model)
    columns = [_Column(levels) for levels in model.bins_]
    classes = getattr(model, "classes_", None)
    own: Any = GlassBoxRegressor() if classes is None else GlassBoxClassifier()
    if classes is not None:
        own.classes_ = np.asarray(classes)
    names = [str(name) for name in model.feature_names_in_]
    own.n_features_in_ = len(names)
    if not all(map(_WITHOUT_NAMES.fullmatch, names)):
        own.feature_names_in_ = np.array(names, dtype=object)
    categorical = np.array([column.bins.categorical for column in columns])
    own.is_categorical_ = categorical if categorical.any() else None
    own._categories = {j: columns[j].categories for j in np.flatnonzero(categorical).tolist()}
    own.constants_ = np.atleast_1d(np.asarray(model.intercept_, dtype=np.float64))
    own._binning, own._coarse = Binning(tuple(column.bins for column in columns)), ()
    own._terms = _terms(model, columns, names)
    own.stop_, own.history_, own.validation_loss_ = Stop.EARLY, History([]), np.zeros(0)
    return own


def _check(model: Any) -> None:
    missing = [name for name in _NEEDED if not hasattr(model, name)]
    if missing:
        raise TypeError(
            f"from_interpret takes a fitted ExplainableBoostingMachine; {type(model).__name__} has "
            f"no {missing[0]}."
        )
    if not hasattr(model, "classes_") and getattr(model, "link_", "identity") != "identity":
        raise ValueError(
            f"from_interpret reads regressors with the link 'identity'. Got {model.link_!r}."
        )
    if max(map(len, model.term_features_)) > 2:
        raise ValueError("from_interpret reads columns and pairs; the model has larger terms.")


class _Column:
    """The bins of a column, which InterpretML may cut otherwise for pairs."""

    def __init__(self, levels: Sequence[Any]) -> None:
        self._levels = [levels[0], levels[min(len(levels), 2) - 1]]
        self.categories: dict[Any, int] = {}
        if isinstance(levels[0], dict):
            self._read_words(levels[0])
        else:
            self._read_cuts()

    def _read_words(self, known: dict[Any, int]) -> None:
        self.categories = {word: place for place, word in enumerate(sorted(known))}
        members = np.array([known[word] for word in sorted(known)], dtype=np.int64)
        self.bins = ColumnBins(np.zeros(0), members, True)
        self._maps = []
        for level in self._levels:
            of_code = np.zeros(self.bins.width, np.uint8)
            of_code[-1] = max(level.values()) + 1
            for word, code in known.items():
                of_code[code] = level[word]
            self._maps.append(of_code)

    def _read_cuts(self) -> None:
        cuts = [np.asarray(level, dtype=np.float64) for level in self._levels]
        union = np.union1d(*cuts)
        self.bins = ColumnBins(np.nextafter(union, -np.inf), np.zeros(0, np.int64), False)
        self._maps = []
        for level in cuts:
            inner = 1 + np.searchsorted(level, union, side="right")
            self._maps.append(np.concatenate([[0, 1], inner]).astype(np.uint16))

    def of_code(self, level: int) -> NDArray[Any]:
        """Give the bin of InterpretML of each code."""
        return self._maps[level]

    def without_unknown(self, values: Vector, axis: int) -> Vector:
        """Leave out the last bin of numbers, which none of them has."""
        if self.bins.categorical:
            return values
        return np.take(values, np.arange(values.shape[axis] - 1), axis)


def _terms(model: Any, columns: list[_Column], names: list[str]) -> tuple[Term, ...]:
    found = []
    errors = getattr(model, "standard_deviations_", model.term_scores_)
    parts = zip(model.term_features_, model.term_scores_, errors, model.bin_weights_, strict=True)
    for features, scores, spread, weight in parts:
        dims = len(features)
        values, error = (_by_function(np.asarray(e, np.float64), dims) for e in (scores, spread))
        held = np.asarray(weight, dtype=np.float64)
        name = " x ".join(names[j] for j in features)
        if dims == 1:
            found.append(_main(columns[features[0]], int(features[0]), name, values, error, held))
            continue
        for side, j in enumerate(features):
            values = columns[j].without_unknown(values, side + 1)
            error = columns[j].without_unknown(error, side + 1)
            held = columns[j].without_unknown(held, side)
        coarse = tuple(columns[j].of_code(1).astype(np.uint8) for j in features)
        pair = tuple(int(j) for j in features)
        found.append(Term(pair, name, *_together(values, error, held), coarse))
    return tuple(found)


def _together(*arrays: Vector) -> tuple[Vector, Vector, Vector]:
    first, second, third = map(np.ascontiguousarray, arrays)
    return first, second, third


def _by_function(scores: Vector, dims: int) -> Vector:
    """Put the functions first."""
    return scores[None] if scores.ndim == dims else np.moveaxis(scores, -1, 0)


def _main(
    column: _Column, j: int, name: str, values: Vector, errors: Vector, weight: Vector
) -> Term:
    of_code = column.of_code(0)
    shares = np.bincount(of_code, minlength=len(weight))[of_code]
    return Term((j,), name, values[:, of_code], errors[:, of_code], weight[of_code] / shares)
