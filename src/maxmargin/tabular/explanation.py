"""Which rows of the training table decide about a row, and by which columns they are near to it.

A decision value is a sum over training rows, and an average of machines is one such sum again, so
what each row adds is a number. A support vector machine has f(x) = b + sum_i beta_i k(x, x_i), and
row i adds beta_i k(x, x_i). A least-squares machine has that form too, but where its ridge is small
thousands of large parts cancel. It is also linear in the targets,

    f(x) = b + sum_i w_i(x) y_i,     w(x) = G^-1 k(x),     G = K + r W^-1,

because beta = G^-1 y; here row i adds its target times how much it is listened to (the equivalent
kernel of Silverman, "Spline smoothing: the equivalent variable kernel method", Annals of
Statistics 12, 1984). The distance in a kernel is a sum over prepared columns, so every column's
part in it is a number too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve

from maxmargin.ops.threads import one_blas_thread
from maxmargin.svm.svr import SVR
from maxmargin.tabular.candidate import Candidate
from maxmargin.tabular.columns import read_columns, read_values
from maxmargin.tabular.local import LocalMachines
from maxmargin.tabular.machine import (
    LandmarkMachine,
    LeastSquaresMachine,
    Member,
    SupportVectorMachine,
)
from maxmargin.tabular.preparation import Rows

Vector = NDArray[np.float64]
Index = NDArray[np.intp]

SHOWN = 3  # rows for, and rows against, that are printed
MENTIONED = 2  # columns that a printed row is near in, and far in


@dataclass(frozen=True)
class Explanation:
    """The training rows that decide about a row, those that count most first; prints as a table.

    ``offset`` and ``contributions`` add up to ``decision``: of classes the decision value of the
    one that is predicted, of a quantity the prediction itself, or the function of it (``shape``)
    that the machine learned.
    """

    predicted: Any
    """The class or the quantity."""
    against: Any
    """The class that the decision value is against; None for all others, and for quantities."""
    decision: float
    offset: float
    rows: Index
    """Their numbers in the training table, from 0 on."""
    contributions: Vector
    """Of each row: for the class or raising the quantity where positive."""
    names: tuple[str, ...]
    """Of the table's columns."""
    distances: Vector
    """A row a training row, a column a table's column: their parts in the kernel's distance."""
    quantity: bool = False
    shape: str = ""
    """The function of a quantity that is explained, if not itself: "logarithm" or "ranks"."""
    values: tuple[NDArray[Any], ...] | None = None
    """An array a column: what stands in each row of the training table, if it was given."""
    targets: NDArray[Any] | None = None
    """The label or target of each row, if they were given."""

    @property
    def shares(self) -> Vector:
        """Each column's share of a row's distance; zeros where a row is alike in all columns."""
        total = self.distances.sum(axis=1, keepdims=True)
        return np.asarray(self.distances / np.where(total > 0, total, 1.0))

    @property
    def typical(self) -> Vector:
        """The mean distance of these rows by column, against which one is near or far."""
        return np.asarray(self.distances.sum(axis=0) / max(1, len(self.rows)))

    def strongest(self, count: int = SHOWN, *, sign: int = 1) -> Index:
        """Return the positions of the rows that count most for it, or against it (sign -1)."""
        return np.flatnonzero(sign * self.contributions > 0)[:count]

    def near(self, position: int, count: int = MENTIONED) -> list[str]:
        """Name the columns in which a row is nearest, compared with the others."""
        return self._named(self.typical - self.distances[position], count)

    def far(self, position: int, count: int = MENTIONED) -> list[str]:
        """Name the columns in which a row is farthest, compared with the others."""
        return self._named(self.distances[position] - self.typical, count)

    def _named(self, scores: Vector, count: int) -> list[str]:
        order = np.argsort(-scores, kind="stable")[:count]
        return [self.names[j] for j in order.tolist() if scores[j] > 0]

    def columns(self) -> dict[str, Any]:
        """Return all rows as columns, for ``pandas.DataFrame`` and its like."""
        every = range(len(self.rows))
        found: dict[str, Any] = {"row": self.rows, "contribution": self.contributions}
        if self.targets is not None:
            found["target"] = self.targets
        found["near in"] = np.array([", ".join(self.near(i)) for i in every], dtype=object)
        found["far in"] = np.array([", ".join(self.far(i)) for i in every], dtype=object)
        return found

    def __str__(self) -> str:
        pulls = [float(part.sum()) for part in self._parts()]
        said = f"{self.decision:.4g} = {self.offset:.4g} + {pulls[0]:.4g} - {-pulls[1]:.4g}"
        if self.quantity:
            heads = "Rows that raise it:", "Rows that lower it:"
            shape = f"{self.predicted:.4g}; its {self.shape} is " if self.shape else ""
            parts = "the middle and the trend, rows that raise it, rows that lower it."
            lines = [f"Predicted {shape}{said}: {parts}"]
        else:
            other = "the other classes" if self.against is None else f"{self.against!s}"
            heads = f"Rows for {self.predicted!s}:", f"Rows against {self.predicted!s}:"
            lines = [
                f"Predicted {self.predicted!s}, against {other}.",
                f"Decision value {said}: the offset, rows for it, rows against it.",
            ]
        for head, sign in zip(heads, (1, -1), strict=True):
            lines += ["", head, *self._lines(self.strongest(sign=sign))]
        return "\n".join(lines)

    def _parts(self) -> tuple[Vector, Vector]:
        positive = self.contributions > 0
        return self.contributions[positive], self.contributions[~positive]

    def _lines(self, positions: Index) -> Iterable[str]:
        if not len(positions):
            yield "  none"
        for i in positions.tolist():
            parts = [f"  row {self.rows[i]}  {self.contributions[i]:+.4g}"]
            if self.targets is not None:
                parts.append(f"target {_shown(self.targets[i])}")
            near, far = self._mention(i, self.near(i)), self._mention(i, self.far(i))
            parts += [f"near in {near}"] if near else []
            parts += [f"far in {far}"] if far else []
            yield "; ".join(parts)

    def _mention(self, position: int, names: Sequence[str]) -> str:
        """Name columns, with what stands there where the table is known."""
        if self.values is None:
            return ", ".join(names)
        known = dict(zip(self.names, self.values, strict=True))
        return ", ".join(f"{name} ({_shown(known[name][position])})" for name in names)


def _shown(value: Any) -> str:
    """Write a value of a table."""
    if value is None or value != value:  # noqa: PLR0124  NaN and NaT are not themselves
        return "missing"
    if isinstance(value, np.datetime64):
        return str(value.astype("datetime64[s]")).removesuffix("T00:00:00")
    return f"{value:.4g}" if isinstance(value, float) else str(value)


@dataclass(frozen=True)
class Side:
    """Whose decision value is explained: that of a class, perhaps against another one."""

    number: int = 0
    other: int = 0
    classes: int = 1

    @property
    def sign(self) -> float:
        """Two classes share a value, which is positive for the second."""
        return -1.0 if self.classes == 2 and self.number == 0 else 1.0


@dataclass(frozen=True)
class Asked:
    """What is explained: a class, perhaps against another one, or a quantity."""

    predicted: Any
    against: Any = None
    side: Side = Side()
    quantity: bool = False
    scale: float = 1.0
    """By which a quantity's deviations from its middle were divided."""
    middle: float = 0.0
    shape: str = ""
    """Of the target, where a function of it is learned."""


@dataclass(frozen=True)
class Evidence:
    """What each training row adds to a decision value, in the order of ``support_``."""

    places: Index
    contributions: Vector
    distances: Vector
    offset: float

    def explain(
        self,
        asked: Asked,
        rows: Index,
        names: Sequence[str],
        values: Sequence[NDArray[Any]] | None,
        targets: NDArray[Any] | None,
    ) -> Explanation:
        """Put it in terms of the training table."""
        offset = asked.middle + asked.scale * self.offset
        contributions = asked.scale * self.contributions
        return Explanation(
            predicted=asked.predicted,
            against=asked.against,
            decision=offset + float(contributions.sum()),
            offset=offset,
            rows=rows,
            contributions=contributions,
            names=tuple(names),
            distances=self.distances,
            quantity=asked.quantity,
            shape=asked.shape,
            values=None if values is None else tuple(values),
            targets=targets,
        )


def gather(
    members: Sequence[Member],
    weight: Vector,
    row: Rows,
    places: Index,
    columns: int,
    side: Side,
) -> Evidence:
    """Add up what the members make of each training row.

    Parameters
    ----------
    members : sequence of Member
    weight : ndarray
        Of the rows that the members are made of.
    row : Rows
        The one to explain, prepared.
    places : ndarray
        The table's column that each of its columns comes from.
    columns : int
        Of the table.
    side : Side
    """
    size = len(weight)
    contributions, counted = np.zeros(size), np.zeros(size)
    distances, offset = np.zeros((size, columns)), 0.0
    for member in members:
        for part in _parts_of(member.machine, row):
            x = part.candidate.scaled(row, part.support.dtype)
            k = np.asarray(part.candidate.kernel(x, part.support)[0], dtype=np.float64)
            known, added, b = part.add_up(weight, k, side)
            contributions[known] += member.share * added
            of_column = places[find_used(part.candidate, row)]
            apart = _by_column(part.candidate, x, part.support, of_column, columns)
            distances[known] += member.share * apart
            counted[known] += member.share
            offset += member.share * b
        line = _line(side)
        offset += member.share * side.sign * float(member.trend(row)[0, line])
    kept = np.flatnonzero(contributions)
    order = kept[np.argsort(-np.abs(contributions[kept]), kind="stable")]
    mean = distances[order] / counted[order, None]
    return Evidence(order, contributions[order], mean, offset)


def find_used(candidate: Candidate, rows: Rows) -> Index:
    """Return which of the prepared columns the candidate's kernel sees, in its order."""
    count = rows.X.shape[1]
    marks = np.stack([np.ones(count), np.arange(1.0, count + 1.0)])  # scaling keeps their ratio
    ones, marked = candidate.scaled(Rows(marks, rows.block, rows.group), np.float64)
    return np.rint(marked / ones).astype(np.intp) - 1


def _by_column(
    candidate: Candidate, x: Vector, support: Vector, of_column: Index, columns: int
) -> Vector:
    off = np.abs(support - x).astype(np.float64)
    if candidate.metric == "squared":
        off *= off
    return np.asarray(off @ (of_column[:, None] == np.arange(columns)).astype(np.float64))


@dataclass(frozen=True)
class _Part:
    """A sum over some of the training rows, which is a machine or one of its terms."""

    candidate: Candidate
    support: Any
    add_up: Callable[[Vector, Vector, Side], tuple[Index, Vector, float]]
    """Of all rows' weights and these rows' kernel values: the rows, what they add, the offset."""


def _parts_of(
    machine: LeastSquaresMachine | SupportVectorMachine | LandmarkMachine, row: Rows
) -> Iterator[_Part]:
    """Yield the sums over training rows that a machine's value of a row is made of."""
    if isinstance(machine, LandmarkMachine):
        smooth = machine.smooth
        yield _of_coefficients(smooth, smooth.beta, smooth.support, machine.places, smooth.offset)
        X = machine.candidate.scaled(row)
        for each in machine.local:
            part = each.of_cell(int(each.cells.find(X)[0]))
            beta = each.beta[:, part] / len(machine.local)
            nothing = np.zeros(len(beta))
            support = each.support(part, machine.known)
            yield _of_coefficients(each, beta, support, each.places[part], nothing)
    elif isinstance(machine, LeastSquaresMachine):
        yield _Part(machine.candidate, machine.support, partial(_of_targets, machine))
    else:
        support = machine.model.support_vectors_
        yield _Part(machine.candidate, support, partial(_of_duals, machine.model))


def _of_coefficients(
    machine: LeastSquaresMachine | LocalMachines,
    beta: Vector,
    support: Any,
    places: Index,
    offset: Vector,
) -> _Part:
    def add_up(_weight: Vector, k: Vector, side: Side) -> tuple[Index, Vector, float]:
        line = _line(side)
        return places, side.sign * beta[line] * k, side.sign * float(offset[line])

    return _Part(machine.candidate, support, add_up)


def _line(side: Side) -> int:
    """Return whose output is explained."""
    return side.number if side.classes > 2 else 0


def _of_duals(model: Any, _weight: Vector, k: Vector, side: Side) -> tuple[Index, Vector, float]:
    known = np.asarray(model.support_, dtype=np.intp)
    if isinstance(model, SVR) or side.classes == 2:
        return known, side.sign * model.dual_coef_[0] * k, side.sign * float(model.intercept_[0])
    beta, b = _of_pair(model, side)
    return known, beta * k, b


def _of_targets(
    machine: LeastSquaresMachine, weight: Vector, k: Vector, side: Side
) -> tuple[Index, Vector, float]:
    """Return each row's target times its weight in the value."""
    line = _line(side)
    with one_blas_thread:
        G = machine.candidate.kernel(machine.support)
        G.flat[:: len(G) + 1] += machine.candidate.ridge / weight
        targets = G @ machine.beta[line]
        parts = side.sign * solve(G, k, assume_a="pos", overwrite_a=True) * targets
    return np.arange(len(weight)), np.asarray(parts), side.sign * float(machine.offset[line])


def _of_pair(model: Any, side: Side) -> tuple[Vector, float]:
    """Return the coefficients and the offset of a pair of several classes.

    The coefficients of class i against j stand in the line j of dual_coef_, or j - 1 where j comes
    after i; the pairs (0, 1), (0, 2), ... have an intercept each and are positive for the first.
    """
    low, high = sorted((side.number, side.other))
    label = np.repeat(np.arange(side.classes), model.n_support_)
    first, second = label == low, label == high
    beta = np.where(first, model.dual_coef_[high - 1], model.dual_coef_[low])
    pair = low * side.classes - low * (low + 1) // 2 + high - low - 1
    sign = 1.0 if side.number == low else -1.0
    beta = np.where(first | second, sign * beta, 0.0)
    return beta, sign * float(model.intercept_[pair])


def take_rows(columns: Sequence[NDArray[Any]], rows: Index) -> list[NDArray[Any]]:
    """Return some rows of the training table, which must have them."""
    least = int(rows.max(initial=-1)) + 1
    if len(columns[0]) < least:
        raise ValueError(
            f"X and y must be the training table, which has at least {least:,} rows; got "
            f"{len(columns[0]):,}."
        )
    return [column[rows] for column in columns]


def read_row(estimator: Any, row: Any, names: Sequence[str]) -> list[NDArray[Any]]:
    """Return one row, however it is given, as columns of length 1."""
    if len(getattr(row, "shape", ())) == 2:
        columns = read_columns(estimator, row, reset=False)
        if len(columns[0]) != 1:
            raise ValueError(f"One row is explained at a time, got {len(columns[0])} rows.")
        return columns
    if isinstance(row, str | bytes) or not isinstance(row, Iterable):
        raise ValueError(
            "The row to explain must be a table of one row, a dict or a list of values; "
            f"got {row!r}."
        )
    values = list(row) if _has_no_names(estimator, row) else _by_name(row, names)
    if len(values) != len(names):
        raise ValueError(f"The row to explain has {len(values)} values, the fit {len(names)}.")
    return read_values(values)


def _has_no_names(estimator: Any, row: Any) -> bool:
    named = hasattr(row, "items") and hasattr(row, "index")  # a Series
    return not isinstance(row, Mapping) and not (named and hasattr(estimator, "feature_names_in_"))


def _by_name(row: Any, names: Sequence[str]) -> list[Any]:
    given = dict(row.items())
    lacking = [name for name in names if name not in given]
    more = [str(name) for name in given if name not in names]
    if lacking or more:
        said = [f"lacks {', '.join(lacking)}"] if lacking else []
        said += [f"has {', '.join(more)}, unknown to the fit"] if more else []
        raise ValueError(f"The row to explain {' and '.join(said)}.")
    return [given[name] for name in names]
