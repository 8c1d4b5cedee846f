"""The page of a glass box: all its terms, and what decides about single rows."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from markupsafe import Markup
from matplotlib.figure import Figure

from maxmargin.inputs.fitted import Fitted
from maxmargin.plots import ExplanationDisplay, PairDisplay, TermsDisplay
from maxmargin.report.atomic import write_atomically
from maxmargin.report.page import render_page
from maxmargin.report.picture import STYLE, inline_svg


@dataclass(frozen=True)
class GlassBoxReport:
    """A page that works without a network and shows a fitted glass box, its terms sorted.

    Parameters
    ----------
    model : GlassBoxClassifier, GlassBoxRegressor, or a Pipeline that ends in one
        Fitted.
    X : array-like or DataFrame of shape (rows, columns), default=None
        Rows to be explained, of which the reader picks one.
    label : object, default=None
        With more than two classes, the one that is shown; the last one otherwise.
    most_terms, most_rows : int, default=40 and 30
        How many are shown.

    Examples
    --------
    >>> from maxmargin import GlassBoxClassifier
    >>> from maxmargin.datasets import load_heart
    >>> X, y = load_heart(return_X_y=True)
    >>> model = GlassBoxClassifier(n_estimators=20).fit(X, y)
    >>> "<h1>" in GlassBoxReport(model, X[:2], most_terms=2).render()
    True
    """

    model: Any
    X: Any = field(default=None, repr=False)
    label: Any = None
    most_terms: int = 40
    most_rows: int = 30

    def render(self) -> str:
        """Return the page as HTML.

        Returns
        -------
        str
            One self-contained document.
        """
        model = Fitted.of(self.model).model
        terms = model.terms_
        shown = [
            (term, draw_term(self.model, term, self.label)) for term in terms[: self.most_terms]
        ]
        return render_page(
            "glass_box.html.jinja",
            kind=type(model).__name__,
            terms=shown,
            left_out=len(terms) - len(shown),
            stop=model.stop_,
            n_rounds=len(model.history_),
            loss=float(min(model.validation_loss_, default=float("nan"))),
            rows=self._rows(),
        )

    def save(self, path: str | Path) -> None:
        """Write the page: all of it, or nothing.

        Parameters
        ----------
        path : str or Path
            Where it goes.
        """
        write_atomically(Path(path), self.render())

    def _rows(self) -> list[Markup]:
        """Draw what decides about each row."""
        if self.X is None:
            return []
        count = self.X.shape[0] if hasattr(self.X, "shape") else len(self.X)
        return [self._explain(row) for row in range(min(count, self.most_rows))]

    def _explain(self, row: int) -> Markup:
        with mpl.rc_context(STYLE):
            figure = Figure(figsize=(7.2, 4.4), layout="constrained")
            ax = figure.subplots()
            ExplanationDisplay.from_estimator(self.model, self.X, row=row, label=self.label, ax=ax)
            return inline_svg(figure, f"What decides about row {row}")


def draw_term(model: Any, term: Any, label: Any = None) -> Markup:
    """Draw a term of a glass box as an inline SVG: a shape, or a pair as a map of colours.

    Parameters
    ----------
    model : GlassBoxClassifier, GlassBoxRegressor, or a Pipeline that ends in one
        Fitted.
    term : TermView
        Of its ``terms_``.
    label : object, default=None
        With more than two classes, the one that is shown; the last one otherwise.

    Returns
    -------
    Markup
        Safe to put into a page.
    """
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 3.4), layout="constrained")
        ax = figure.subplots()
        if term.kind == "pair":
            PairDisplay.from_estimator(model, name=term.name, label=label, ax=ax)
        else:
            TermsDisplay.of_term(model, term, label=label, ax=ax)
        low, high = float(np.min(term.values)), float(np.max(term.values))
        return with_short_cells(inline_svg(figure, _said(term, low, high)))


def _said(term: Any, low: float, high: float) -> str:
    return f"What {term.name} adds: {low:.3g} to {high:.3g}, importance {term.importance:.3g}"


def with_short_cells(drawing: Markup) -> Markup:
    r"""Write the cells of a map of colours in a quarter of the letters.

    Parameters
    ----------
    drawing : Markup
        A drawing of matplotlib.

    Returns
    -------
    Markup
        The same picture.

    Examples
    --------
    >>> drawn = 'M 1 2 \nL 3 2 \nL 3 4 \nL 1 4 \nL 1 2 \n" clip-path="url(#a)" style="fill: red'
    >>> with_short_cells(Markup(f'<path d="{drawn}"/>'))
    Markup('<path d="M1 2H3V4H1z" style="fill: red"/>')
    """
    return Markup(_CELL.sub(r'<path d="M\1 \2H\3V\4H\1z" style="\5"/>', str(drawing)))


_NUMBER = r"(-?[\d.]+)"
_CELL = re.compile(
    rf'<path d="M {_NUMBER} {_NUMBER} \nL {_NUMBER} \2 \nL \3 {_NUMBER} \nL \1 \4 \nL \1 \2 \n'
    r'(?:z\n)?" clip-path="[^"]*" style="([^"]*)"/>'
)
