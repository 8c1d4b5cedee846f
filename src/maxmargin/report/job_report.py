"""The report of the main job: the answer first, then everything it stands on."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from markupsafe import escape
from scipy.sparse import issparse

from maxmargin.inputs.container import take_rows
from maxmargin.inputs.fitted import Fitted
from maxmargin.job import Entry, Outcome
from maxmargin.job.additive_models import GLASS_BOX
from maxmargin.job.folder import MARKDOWN_MARK
from maxmargin.job.wording import Metric
from maxmargin.plots.projection import holds_numbers
from maxmargin.report.answer import Answer
from maxmargin.report.asked_picture import draw_costs, draw_intervals
from maxmargin.report.atomic import write_atomically
from maxmargin.report.job_picture import (
    Picture,
    draw_calibration,
    draw_curves,
    draw_losses,
    draw_predictions,
    draw_projection,
    draw_rounds,
    draw_splits,
    draw_tuning,
)
from maxmargin.report.markdown import markdown_of
from maxmargin.report.page import capitalize_first, render_page
from maxmargin.report.proof import CERTIFICATE_FIELDS, certificate_of, errors_of, unit_of
from maxmargin.report.score import Scores
from maxmargin.report.shapes import Shapes
from maxmargin.report.sought import CURVES, Sought
from maxmargin.report.telling_words import TellingWords, find_telling_words

COMPARED = 3  # models whose curves are shown in one picture
TUNED = 4  # models whose tuning is shown
CROWD = 40  # classes of a confusion matrix; of more, those with the most mistakes
MOST_CELLS = 20_000_000  # of sparse rows that are drawn in two dimensions
LONG = 12  # columns that are shown at once

_FURTHER = ("roc_auc", "balanced_accuracy", "average_precision", "r2")


@dataclass(frozen=True)
class JobReport:
    """The page of a job.

    Parameters
    ----------
    outcome : Outcome
        All that the job found out.
    """

    outcome: Outcome

    @cached_property
    def answer(self) -> Answer:
        """What comes first."""
        return Answer(self.outcome)

    @cached_property
    def sought(self) -> Sought:
        """Of two classes the one that curves and probabilities are about."""
        return Sought(self.outcome)

    # models

    @property
    def further(self) -> list[Metric]:
        """Other metrics that some model has, in the order of the table."""
        known = {name for entry in self.outcome.entries for name in entry.scores}
        known.discard(self.outcome.metric)
        ordered = [name for name in _FURTHER if name in known]
        return [Metric(name) for name in (*ordered, *sorted(known.difference(ordered)))]

    def range_of(self, entry: Entry) -> tuple[float, float, float] | None:
        """Place a score and its deviation on the axis that all models share, in per cent.

        Parameters
        ----------
        entry : Entry

        Returns
        -------
        tuple of float, or None
            From, at and to; None without a score.
        """
        ends = [_ends(each) for each in self.outcome.entries if _has_score(each)]
        if not _has_score(entry):
            return None
        low, high = min(end[0] for end in ends), max(end[2] for end in ends)
        first, at, last = (
            97.0 * (end - low) / (high - low) + 1.5 if high > low else 50.0 for end in _ends(entry)
        )
        return first, at, last

    # pictures

    @property
    def splits(self) -> Picture | None:
        """Which rows were used for what."""
        return draw_splits(self.outcome.trail) if self.outcome.trail.uses else None

    @cached_property
    def curves(self) -> list[tuple[str, Picture]]:
        """ROC and precision-recall, over folds and on the test rows."""
        return [*self._over_folds(), *self._of_winner()]

    def _over_folds(self) -> Iterator[tuple[str, Picture]]:
        for kind in CURVES:
            bands = {entry.title: self.sought.band(entry, kind) for entry in self.outcome.entries}
            known = [(title, band) for title, band in bands.items() if band is not None]
            if known:
                drawn = draw_curves(kind, dict(known[:COMPARED]))
                yield f"{capitalize_first(kind)}, over the folds", drawn

    def _of_winner(self) -> Iterator[tuple[str, Picture]]:
        for kind in CURVES:
            test, band = self.sought.test_curve(kind), self.sought.band(self.answer.winner, kind)
            if test is not None:
                both = {"test rows": test} | ({} if band is None else {"folds": band})
                yield f"{capitalize_first(kind)} of the winner", draw_curves(kind, both)

    @cached_property
    def confusion(self) -> Scores | None:
        """The confusion matrix: of very many classes the part with the most mistakes."""
        test = self.outcome.test
        if test.confusion is None or not len(test.labels):
            return None
        wrong = test.confusion - np.diag(np.diag(test.confusion))
        mistakes = wrong.sum(axis=0) + wrong.sum(axis=1)
        kept = np.sort(np.argsort(-mistakes, kind="stable")[:CROWD])
        labels = tuple(test.labels[place] for place in kept)
        return Scores(labels, test.confusion[np.ix_(kept, kept)], test.roc)

    @property
    def confusions(self) -> list[tuple[Any, Any, int, int]]:
        """The commonest mistakes: true class, what it was taken for, how often, of how many."""
        test = self.outcome.test
        if test.confusion is None:
            return []
        scores = Scores(test.labels, test.confusion, None)
        totals = dict(zip(scores.labels, scores.counts, strict=True))
        return [(given, taken, n, totals[given]) for given, taken, n in scores.confusions[:8]]

    @cached_property
    def calibration(self) -> Picture | None:
        """Probabilities against what happened: of two classes the second, of more the likeliest."""
        test, classes = self.outcome.test, self.outcome.table.schema.classes
        if test.probability is None or test.probability.shape != (len(test.truth), len(classes)):
            return None
        if self.sought.label is not None:
            place = classes.index(self.sought.label)
            return draw_calibration(
                test.truth == self.sought.label, test.probability[:, place], str(self.sought.label)
            )
        likeliest = test.probability.argmax(axis=1)
        hit = test.truth == np.asarray(classes)[likeliest]
        return draw_calibration(hit, test.probability.max(axis=1), "the likeliest class")

    @property
    def predictions(self) -> list[tuple[str, Picture]]:
        """Of a quantity: predicted against true, and what is left."""
        test = self.outcome.test
        if self.answer.classifies:
            return []
        kinds = {"True against predicted": "actual_vs_predicted",
                 "What is left": "residual_vs_predicted"}  # fmt: skip
        return [
            (title, draw_predictions(test.truth, test.predicted, kind))
            for title, kind in kinds.items()
        ]

    @property
    def projections(self) -> list[tuple[str, Picture]]:
        """The rows of the fit in two dimensions, where the model sees numbers and has values."""
        train = self.outcome.train
        inner = Fitted.of(self.outcome.model)
        decides = hasattr(inner.model, "decision_function")
        if train is None or not self.answer.classifies or not decides:
            return []
        rows = inner.rows(train[0])
        if not holds_numbers(rows) or (issparse(rows) and np.prod(rows.shape) > MOST_CELLS):
            return []
        kinds = {"Decision values and margins": "decision"} if self.sought.label is not None else {}
        kinds |= {"Two principal components": "component"}
        return [
            (title, draw_projection(self.outcome.model, train, across))
            for title, across in kinds.items()
        ]

    @cached_property
    def _errors(self) -> Mapping[str, Any] | None:
        """Errors after every round of a winner that has rounds."""
        rows = take_rows(self.outcome.table.features, self.outcome.test.rows)
        return errors_of(self.outcome.model, (rows, self.outcome.test.truth))

    @property
    def has_bounds(self) -> bool:
        """Whether a theorem bounds these errors."""
        return self.answer.classifies and "bound" in (self._errors or {})

    @cached_property
    def rounds(self) -> Picture | None:
        """Errors, or the loss of a quantity, after every round of a winner that has rounds."""
        if self.answer.classifies:
            return draw_rounds(self._errors, f"{self.unit}s") if self._errors else None
        has_losses = hasattr(Fitted.of(self.outcome.model).model, "train_loss_")
        return draw_losses(self.outcome.model) if has_losses else None

    @property
    def unit(self) -> str:
        """What the winner has many of."""
        return unit_of(Fitted.of(self.outcome.model).model)

    @property
    def tunings(self) -> list[tuple[Entry, Picture]]:
        """What was tried for the best models that were tuned."""
        tuned = [entry for entry in self.outcome.entries if _was_tuned(entry.tuning)]
        return [
            (entry, draw_tuning(entry.tuning or {}, self.answer.metric)) for entry in tuned[:TUNED]
        ]

    @cached_property
    def telling_words(self) -> list[TellingWords]:
        """The words that speak most for each class, where the winner reads texts."""
        table, train = self.outcome.table, self.outcome.train
        if train is None or not table.texts:
            return []
        found = find_telling_words(self.outcome.model, train[0], table.schema.classes)
        return [each for each in found if each.column in table.texts]

    @cached_property
    def costs(self) -> Picture | None:
        """What mistakes cost by threshold, where that was asked for."""
        return None if self.outcome.cost is None else draw_costs(self.outcome.cost)

    @cached_property
    def intervals(self) -> Picture | None:
        """Intervals of test rows, of a quantity."""
        found = self.outcome.intervals
        return None if found is None else draw_intervals(found, self.outcome.test.truth)

    @cached_property
    def shapes(self) -> Shapes | None:
        """The terms of the glass box, whether or not it won; None where it has no result."""
        if self.outcome.shapes is None:
            return None
        known = {entry.name: entry for entry in self.outcome.entries}
        return Shapes.of(self.outcome.shapes, known.get(GLASS_BOX))

    # optimisation

    @property
    def certificate(self) -> Any:
        """The certificate of the winner; None where it has none."""
        return certificate_of(Fitted.of(self.outcome.model).model)

    @property
    def proven(self) -> list[Entry]:
        """Models of whose optimisation something is known."""
        return [entry for entry in self.outcome.entries if entry.proof]

    @property
    def html(self) -> str:
        """The page: one self-contained document."""
        return self.render()

    @property
    def markdown(self) -> str:
        """The same words and numbers as Markdown, with links to the pictures of the page."""
        return f"{MARKDOWN_MARK}\n\n{markdown_of(self._page)}"

    @property
    def summary(self) -> str:
        """A few lines of HTML for a notebook: the answer, and all models."""
        return render_page(
            "summary.html.jinja",
            outcome=self.outcome,
            answer=self.answer,
            metric=self.answer.metric,
        )

    def _repr_html_(self) -> str:
        """Show the page in a notebook, in a frame of its own."""
        look = "width: 100%; height: 80vh; border: 0"
        return f'<iframe title="report" style="{look}" srcdoc="{escape(self.html)}"></iframe>'

    def render(self) -> str:
        """Return the page as HTML.

        Returns
        -------
        str
            One self-contained document.
        """
        return self._page

    @cached_property
    def _page(self) -> str:
        return render_page(
            "job.html.jinja",
            report=self,
            answer=self.answer,
            sought=self.sought,
            outcome=self.outcome,
            table=self.outcome.table,
            test=self.outcome.test,
            metric=self.answer.metric,
            metric_of=Metric,
            certificate_fields=CERTIFICATE_FIELDS,
            long=LONG,
        )

    def save(self, path: str | Path) -> None:
        """Write the page: all of it, or nothing.

        Parameters
        ----------
        path : str or Path
            Where it goes; as Markdown where its name ends in ``.md``.

        Raises
        ------
        WriteError
            When it cannot be written.
        """
        markdown = Path(path).suffix.lower() == ".md"
        write_atomically(Path(path), self.markdown if markdown else self.html)


def _has_score(entry: Entry) -> bool:
    return entry.run is not None and bool(np.isfinite(entry.run.mean))


def _ends(entry: Entry) -> tuple[float, float, float]:
    assert entry.run is not None
    mean, width = entry.run.mean, np.nan_to_num(entry.run.deviation)
    return mean - width, mean, mean + width


def _was_tuned(results: Mapping[str, Any] | None) -> bool:
    """Whether something was tried, with a score."""
    if not results or "mean_test_score" not in results:
        return False
    tried = any(name.startswith("param_") for name in results)
    return tried and bool(np.isfinite(np.asarray(results["mean_test_score"], float)).any())
