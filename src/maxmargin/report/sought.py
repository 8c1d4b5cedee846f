"""The positive class of two: the one the user named, else the rarer one.

Decision values, and the curves made of them, are of the second class. Where that is the other
one, its average precision is high whatever the model does; curves are then made again, of the
other class, from the decision values with their sign turned.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from maxmargin.evaluation import Band, band_of
from maxmargin.job import Entry, Outcome
from maxmargin.job.metric import sought_of

CURVES = {"ROC": "roc", "precision-recall": "precision_recall"}


@dataclass(frozen=True)
class Sought:
    """The curves of the positive class of two.

    Parameters
    ----------
    outcome : Outcome
        All that the job found out.
    """

    outcome: Outcome

    @property
    def label(self) -> Any:
        """The positive class; None where there are not two."""
        return sought_of(self.outcome.table)

    @cached_property
    def _turned(self) -> bool:
        """Whether the first class is the positive one: scores are of the second as they come."""
        classes = self.outcome.table.schema.classes
        return len(classes) == 2 and bool(self.label == classes[0])

    def band(self, entry: Entry, kind: str) -> Band | None:
        """Return the curve of a model over folds.

        Parameters
        ----------
        entry : Entry
        kind : {"ROC", "precision-recall"}

        Returns
        -------
        Band or None
        """
        return self._bands[entry.name, kind]

    @cached_property
    def _bands(self) -> dict[tuple[str, str], Band | None]:
        entries = self.outcome.entries
        return {(e.name, kind): self._find_band(e, kind) for e in entries for kind in CURVES}

    def _find_band(self, entry: Entry, kind: str) -> Band | None:
        band: Band | None = getattr(entry, CURVES[kind])
        if band is None or not self._turned or entry.run is None:
            return band
        kept = [fold for fold in entry.run.folds if fold.decision is not None]
        curves = [_turn(band.kind, fold.truth, fold.decision, fold.classes) for fold in kept]
        known = [curve for curve in curves if curve is not None]
        return band_of(known) if known else band

    def test_curve(self, kind: str) -> Any:
        """Return the curve of the winner on the test rows.

        Parameters
        ----------
        kind : {"ROC", "precision-recall"}

        Returns
        -------
        RocCurve, PrecisionRecallCurve or None
        """
        test, classes = self.outcome.test, self.outcome.table.schema.classes
        curve = getattr(test, CURVES[kind])
        if curve is None or not self._turned or test.decision is None:
            return curve
        return _turn(type(curve), test.truth, test.decision, classes)

    def score(self, entry: Entry, name: str) -> float:
        """Return a further score of a model; the average precision is that of the class sought.

        Parameters
        ----------
        entry : Entry
        name : str
            scikit-learn's.

        Returns
        -------
        float
            NaN where it is not known.
        """
        band = self.band(entry, "precision-recall")
        if name == "average_precision" and band is not None:
            return band.area
        return float(entry.scores.get(name, np.nan))


def _turn(kind: Any, truth: Any, decision: Any, classes: Any) -> Any:
    """Make the curve of the first of two classes."""
    return kind.from_scores(truth, -np.asarray(decision), np.asarray(classes)[::-1])
