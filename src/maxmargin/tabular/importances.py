"""How much a model needs each column of a table: the fall of its score when values change rows.

The values of a column are dealt to the rows anew, which keeps how they are spread and breaks what
they have to do with everything else (Breiman, "Random forests", Machine Learning 45, 2001, section
10). A column of words or dates is many prepared ones, which move together. Columns that tell the
same stand in for each other: each alone may fall little though both together matter.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import get_scorer

from maxmargin.ops.clock import stop_if_over
from maxmargin.tabular.preparation import Rows

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Importances:
    """How far the score fell when each column's values were dealt anew; prints as a table."""

    names: tuple[str, ...]
    """Of the columns, in the order of the table."""
    falls: Vector
    """A row a column, a number a repeat."""
    score: float
    """Of the table as it is."""
    scoring: str

    @property
    def mean(self) -> Vector:
        """The mean fall of each column."""
        return np.asarray(self.falls.mean(axis=1))

    @property
    def spread(self) -> Vector:
        """The standard deviation of each column's falls."""
        return np.asarray(self.falls.std(axis=1))

    @property
    def order(self) -> NDArray[np.intp]:
        """The columns' positions, from the most important one on."""
        return np.argsort(-self.mean, kind="stable")

    def columns(self) -> dict[str, NDArray[Any]]:
        """Return the table that is printed, for ``pandas.DataFrame`` and its like."""
        names = np.array(self.names, dtype=object)
        parts = {"column": names, "mean fall": self.mean, "spread": self.spread}
        return {name: part[self.order] for name, part in parts.items()}

    def __str__(self) -> str:
        wide = max(len("column"), *map(len, self.names))
        lines = [
            f"{self.scoring} {self.score:.4g}; its fall when a column's values are dealt anew:",
            f"{'column':<{wide}}  mean fall    spread",
        ]
        lines += [
            f"{self.names[j]:<{wide}}  {self.mean[j]:9.4f}  {self.spread[j]:8.4f}"
            for j in self.order.tolist()
        ]
        return "\n".join(lines)


@dataclass(frozen=True)
class Question:
    """What importances are asked of: prepared rows, their targets, and where parts come from."""

    rows: Rows
    places: NDArray[np.intp]
    """The table's column that each of the rows' columns comes from."""
    y: Any
    weight: Any = None


def measure(
    model: Any, names: list[str], question: Question, scoring: Any, repeats: int, seed: int
) -> Importances:
    """Measure the fall of a score for each column of a table."""
    scorer = get_scorer(scoring)
    extra = {} if question.weight is None else {"sample_weight": question.weight}

    def score(rows: Rows) -> float:
        stop_if_over()
        return float(scorer(model, rows, question.y, **extra))

    whole = score(question.rows)
    falls = np.zeros((len(names), repeats))
    for place in np.unique(question.places).tolist():  # others were dropped: nothing needs them
        dealt = _deal(question, place, repeats, seed)
        falls[place] = [whole - score(rows) for rows in dealt]
    said = scoring if isinstance(scoring, str) else "score"
    return Importances(tuple(names), falls, whole, said)


def _deal(question: Question, place: int, repeats: int, seed: int) -> Iterator[Rows]:
    """Yield the rows with one column of the table dealt anew; repeats are alike for all columns."""
    mine = question.places == place
    random = np.random.default_rng(seed)
    for _ in range(repeats):
        X = question.rows.X.copy()
        X[:, mine] = X[np.ix_(random.permutation(len(X)), mine)]
        yield replace(question.rows, X=X)
