"""The report of one fit: facts gathered once, then rendered."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import numpy as np
from sklearn.base import is_classifier

from maxmargin.inputs.fitted import Fitted
from maxmargin.report.atomic import write_atomically
from maxmargin.report.page import render_page
from maxmargin.report.picture import draw_errors, draw_roc
from maxmargin.report.proof import CERTIFICATE_FIELDS, certificate_of, errors_of, unit_of
from maxmargin.report.score import Scores
from maxmargin.report.summary import DataSummary

# What is shown of the parameters even where it was left at its default.
HEADLINES = ("kernel", "C", "gamma", "loss", "penalty", "estimator", "n_estimators",
             "learning_rate")  # fmt: skip


@dataclass(frozen=True)
class FitReport:
    """Everything the page shows about the fit of a classifier.

    Parameters
    ----------
    data : DataSummary
        Where the rows came from.
    model : classifier
        The fitted classifier itself, without the steps before it.
    n_features : int
        Columns the classifier saw, after encoding.
    train, test : Scores
        How it did on the rows of the fit and on those held out.
    command : str
        What to type to get the same again.
    errors : mapping of str to ndarray, optional
        Of a boosted or bagged classifier, errors and bounds after every round.

    Examples
    --------
    >>> from maxmargin import SVC
    >>> X, y = [[0.0], [1.0], [2.0], [3.0]], ["no", "no", "yes", "yes"]
    >>> model, data = SVC().fit(X, y), DataSummary("four.csv", "", 4, 0, "answer", ())
    >>> report = FitReport.of(model, (X, y), (X, y), data=data, command="maxmargin fit four.csv")
    >>> "<h1>" in report.render()
    True
    """

    data: DataSummary
    model: Any
    n_features: int
    train: Scores
    test: Scores
    command: str
    errors: Mapping[str, Any] | None = None

    @classmethod
    def of(
        cls,
        model: Any,
        train: tuple[Any, Any],
        test: tuple[Any, Any],
        *,
        data: DataSummary,
        command: str,
    ) -> Self:
        """Judge a fitted model on both parts of the data and gather the facts.

        Parameters
        ----------
        model : classifier, or a Pipeline that ends in one
            Fitted to the training part. Of ours the report also says how the fit ended: by the
            certificate of SVC, HardMarginSVC, SlackBudgetSVC, LinearSVC and LinearClassifier, also
            inside OneVsOneClassifier and OneVsRestClassifier, and by the rounds of
            AdaBoostClassifier, BoostingClassifier and BaggingClassifier.
        train, test : tuple of (X, y)
            Both parts, as the model takes them.
        data : DataSummary
            Where they came from.
        command : str
            What to type to get the same again.

        Returns
        -------
        FitReport
            Ready to render.
        """
        fitted = Fitted.of(model)
        if not is_classifier(fitted.model):
            raise TypeError(
                f"{fitted.name} is no classifier, and a report counts right and wrong classes: give"
                " a classifier such as an SVC, or a Pipeline that ends in one."
            )
        return cls(
            data=data,
            model=fitted.model,
            n_features=int(getattr(fitted.model, "n_features_in_", _width(fitted, train[0]))),
            train=Scores.of(model, *train),
            test=Scores.of(model, *test),
            command=command,
            errors=errors_of(model, test),
        )

    @property
    def class_counts(self) -> list[tuple[Any, int, int]]:
        """Each class with its training rows and its test rows."""
        train = dict(zip(self.train.labels, self.train.counts, strict=True))
        test = dict(zip(self.test.labels, self.test.counts, strict=True))
        return [(label, train.get(label, 0), test.get(label, 0)) for label in train | test]

    @property
    def certificate(self) -> Any:
        """The certificate, of several problems the worst; None where a model has none."""
        return certificate_of(self.model)

    @property
    def stop(self) -> Any:
        """Why rounds ended; None where a model has none."""
        return getattr(self.model, "stop_", None)

    @property
    def unit(self) -> str:
        """What the model has many of: rounds, or members that are made independently."""
        return unit_of(self.model)

    @property
    def n_rounds(self) -> int:
        """How many of them there are."""
        made = getattr(self.model, "estimators_", None)
        return len(self.model.history_ if made is None else made)

    @property
    def no_curve(self) -> str:
        """Why there is no ROC curve, where there is none."""
        alone = sum(count > 0 for count in self.test.counts) == 1
        return "the test rows are all of one class" if alone else "the model only names classes"

    @property
    def kind(self) -> str:
        """What the model is, in words."""
        for attribute, words in _KINDS.items():
            if hasattr(self.model, attribute):
                return words
        return "classifier"

    @property
    def size(self) -> str:
        """How large the model is, as the end of a sentence."""
        if hasattr(self.model, "n_support_"):
            count, rows = int(np.sum(self.model.n_support_)), self.train.accuracy.total
            return f" with {count} support vectors among {rows} training rows"
        if hasattr(self.model, "coef_"):
            used = int(np.count_nonzero(np.any(_dense(self.model.coef_) != 0, axis=0)))
            return f" with weights on {used} of {self.n_features} columns"
        count = len(_listed(getattr(self.model, "estimators_", ())))
        return f" of {count} member{'s' * (count > 1)}" if count else ""

    def render(self) -> str:
        """Return the page as HTML.

        Returns
        -------
        str
            One self-contained document.
        """
        return render_page(
            "fit.html.jinja",
            report=self,
            data=self.data,
            certificate=self.certificate,
            certificate_fields=CERTIFICATE_FIELDS,
            parameters=_parameters(self.model),
            headlines=HEADLINES,
            roc=draw_roc(self.test.roc, self.train.roc) if self.test.roc else None,
            errors=draw_errors(self.errors, f"{self.unit}s") if self.errors else None,
        )

    def save(self, path: str | Path) -> None:
        """Write the page: all of it, or nothing.

        Parameters
        ----------
        path : str or Path
            Where it goes.

        Raises
        ------
        WriteError
            When it cannot be written.
        """
        write_atomically(Path(path), self.render())


# By what a model has it is known, the first that fits.
_KINDS = {
    "support_": "support vector classifier",
    "coef_": "linear classifier",
    "alphas_": "boosted classifier",
    "train_loss_": "boosted classifier",
    "oob_score": "bagged classifier",
    "term_names_": "additive classifier",
}


def _width(fitted: Fitted, X: Any) -> int:
    rows = fitted.rows(X)
    return int(rows.shape[1]) if hasattr(rows, "shape") else len(rows[0])


def _listed(members: Any) -> list[Any]:
    return list(members.ravel() if isinstance(members, np.ndarray) else members)


def _dense(coef: Any) -> Any:
    return np.atleast_2d(coef.toarray() if hasattr(coef, "toarray") else np.asarray(coef))


def _parameters(model: Any) -> list[tuple[str, str, bool]]:
    """List name, value and whether it is the default; what was chosen comes first."""
    defaults = inspect.signature(type(model)).parameters
    rows = [
        (name, repr(value), repr(value) == repr(defaults[name].default))
        for name, value in model.get_params(deep=False).items()
    ]
    return sorted(rows, key=lambda row: row[2])
