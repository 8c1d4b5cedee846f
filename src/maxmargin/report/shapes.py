"""The terms of a glass box on the page of a job."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from markupsafe import Markup

from maxmargin.inputs.fitted import Fitted
from maxmargin.job import Entry
from maxmargin.report.glass_box import draw_term

MOST_SHAPES = 12  # shapes of columns that are drawn
MOST_PAIRS = 4  # pairs that are drawn: each picture has a thousand cells


@dataclass(frozen=True)
class Shapes:
    """The most important terms, drawn.

    Parameters
    ----------
    columns, pairs : sequence of (TermView, Markup)
        Each with its picture, the most important first.
    left_out : int
        Terms that matter less and are not drawn.
    label : object
        The class that the values speak for; None for a quantity.
    entry : Entry or None
        How the glass box came out.
    """

    columns: Sequence[tuple[Any, Markup]]
    pairs: Sequence[tuple[Any, Markup]]
    left_out: int
    label: Any = None
    entry: Entry | None = None

    @classmethod
    def of(cls, model: Any, entry: Entry | None = None) -> Self:
        """Draw the terms of a fitted glass box.

        Parameters
        ----------
        model : GlassBoxClassifier, GlassBoxRegressor, or a Pipeline that ends in one
        entry : Entry, default=None

        Returns
        -------
        Shapes
        """
        inner = Fitted.of(model).model
        terms = inner.terms_
        columns = [term for term in terms if term.kind != "pair"][:MOST_SHAPES]
        pairs = [term for term in terms if term.kind == "pair"][:MOST_PAIRS]
        classes = getattr(inner, "classes_", None)
        return cls(
            [(term, draw_term(model, term)) for term in columns],
            [(term, draw_term(model, term)) for term in pairs],
            len(terms) - len(columns) - len(pairs),
            None if classes is None else classes.tolist()[-1],
            entry,
        )
