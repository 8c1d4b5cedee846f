"""From what the bags have learnt to terms: means, standard errors, centred and purified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from maxmargin.glass_box.pairs import CoarseColumn, Pair
from maxmargin.glass_box.rounds import ShapeBooster
from maxmargin.glass_box.terms import Term, centred, purified

Vector = NDArray[np.float64]


@dataclass
class Shapes:
    """What was learnt in all bags."""

    training: Any
    constants: Vector
    used: list[int]
    mains: ShapeBooster
    pairs: ShapeBooster | None = None
    chosen: list[Pair] | tuple[()] = ()
    coarse: tuple[CoarseColumn, ...] = ()


def recover_terms(shapes: Shapes) -> tuple[Vector, tuple[Term, ...]]:
    """Give the constants and the terms: columns in their order, then pairs as they were found."""
    training, n_bags = shapes.training, len(shapes.mains.values)
    constants = np.tile(shapes.constants, (n_bags, 1))
    found, lines = {}, {}
    for t, j in enumerate(shapes.used):
        lines[j] = _of_term(shapes.mains, t)
    tables = []
    for t, (a, b) in enumerate(shapes.chosen):
        assert shapes.pairs is not None
        sides = shapes.coarse[a], shapes.coarse[b]
        table, weight, moved = _table(shapes.pairs, t, sides, training, (a, b))
        for j, side, shape in zip((a, b), sides, moved, strict=True):
            lines[j] = lines[j] + shape[..., side.of_code]
        tables.append(((a, b), table, weight, tuple(side.of_code for side in sides)))
    terms = []
    for j, values in lines.items():
        width = training.binning.columns[j].width
        weight = np.bincount(training.codes[j], training.weight, width).astype(np.float64)
        found[j] = _centre(values, weight, constants)
        terms.append(_term((j,), training.names[j], *found[j], weight))
    for pair, table, weight, coarse in tables:
        values, moved_by = _centre(table, weight, constants)
        name = " x ".join(training.names[j] for j in pair)
        terms.append(_term(pair, name, values, moved_by, weight, coarse))
    return constants.mean(axis=0), tuple(terms)


def _of_term(booster: ShapeBooster, t: int) -> Vector:
    """Give what all bags have learnt of a term, of shape (bags, functions, bins)."""
    part: Vector = booster.values[:, :, booster.begin[t] : booster.begin[t + 1]].copy()
    return part


def _table(
    booster: ShapeBooster, t: int, sides: tuple[CoarseColumn, ...], training: Any, pair: Pair
) -> tuple[Vector, Vector, tuple[Vector, Vector]]:
    """Give the tables of a pair, the weights of their cells and what goes to its columns."""
    rows, columns = sides[0].n_bins, sides[1].n_bins
    values = _of_term(booster, t)
    shape = (*values.shape[:2], rows, columns)
    places = sides[0].of_code[training.codes[pair[0]]].astype(np.intp) * columns
    places += sides[1].of_code[training.codes[pair[1]]]
    cells = np.bincount(places, training.weight, rows * columns).astype(np.float64)
    weight: Vector = cells.reshape(rows, columns)
    flat = values.reshape(-1, rows, columns)
    flat[:, weight.sum(axis=1) == 0] = 0.0
    flat[:, :, weight.sum(axis=0) == 0] = 0.0
    if training.monotone[list(pair)].any():
        none = np.zeros((*shape[:2], rows)), np.zeros((*shape[:2], columns))
        return flat.reshape(shape), weight, none
    left, first, second = purified(flat, weight)
    moved = first.reshape(*shape[:2], rows), second.reshape(*shape[:2], columns)
    return left.reshape(shape), weight, moved


def _centre(values: Vector, weight: Vector, constants: Vector) -> tuple[Vector, Vector]:
    """Centre a term in every bag; its means go to the constants. Gives mean and error."""
    n_bags, n_functions = values.shape[:2]
    flat, mean = centred(values.reshape(-1, *values.shape[2:]), weight)
    flat[:, weight == 0] = 0.0 if weight.ndim == 1 else flat[:, weight == 0]
    constants += mean.reshape(n_bags, n_functions)
    apart = flat.reshape(values.shape)
    middle = apart.mean(axis=0)
    spread = ((apart - middle) ** 2).sum(axis=0)
    return middle, np.sqrt(spread * (n_bags - 1) / n_bags)


def _term(
    columns: tuple[int, ...],
    name: str,
    values: Vector,
    errors: Vector,
    weight: Vector,
    coarse: tuple[NDArray[np.uint8], ...] = (),
) -> Term:
    return Term(columns, name, values, errors, weight, coarse)
