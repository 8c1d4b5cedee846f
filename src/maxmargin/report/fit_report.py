"""The report of one fit: facts gathered once, then rendered."""

from __future__ import annotations

import inspect
import platform
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any, Self

from jinja2 import Environment, PackageLoader, StrictUndefined
from sklearn.pipeline import Pipeline

from maxmargin.report.atomic import write_atomically
from maxmargin.report.picture import draw_roc
from maxmargin.report.score import Scores
from maxmargin.report.summary import DataSummary

LIBRARIES = ("maxmargin", "numpy", "scipy", "numba", "scikit-learn", "polars", "matplotlib")

# In the order of the page: field, what to call it, what it means.
CERTIFICATE_FIELDS = (
    ("primal", "primal value", "the objective at the point returned: margin term plus losses"),
    (
        "dual",
        "dual value",
        "where the problem is convex, no point can have an objective below this",
    ),
    ("gap", "gap", "primal minus dual: then the objective is at most this far from the optimum"),
    ("relative_gap", "relative gap", "the gap as a share of the objective"),
    ("kkt_violation", "KKT violation", "the worst breach of the optimality conditions"),
    ("floor", "rounding floor", "how large a gap rounding alone explains"),
    ("precision", "precision", "the arithmetic in which the kernel was evaluated"),
)


@dataclass(frozen=True)
class FitReport:
    """Everything the page shows about a fit.

    Parameters
    ----------
    data : DataSummary
        Where the rows came from.
    model : SVC
        The fitted classifier itself, without the steps before it.
    n_features : int
        Columns the classifier saw, after encoding.
    train, test : Scores
        How it did on the rows of the fit and on those held out.
    command : str
        What to type to get the same again.

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
        model : SVC or Pipeline ending in one
            Fitted to the training part.
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
        svc = model[-1] if isinstance(model, Pipeline) else model
        return cls(
            data=data,
            model=svc,
            n_features=int(svc.n_features_in_),
            train=Scores.of(model, *train),
            test=Scores.of(model, *test),
            command=command,
        )

    @property
    def class_counts(self) -> list[tuple[Any, int, int]]:
        """Each class with its training rows and its test rows."""
        train = dict(zip(self.train.labels, self.train.counts, strict=True))
        test = dict(zip(self.test.labels, self.test.counts, strict=True))
        return [(label, train.get(label, 0), test.get(label, 0)) for label in train | test]

    def render(self) -> str:
        """Return the page as HTML.

        Returns
        -------
        str
            One self-contained document.
        """
        environment = Environment(
            loader=PackageLoader("maxmargin.report"),
            autoescape=True,
            undefined=StrictUndefined,
            trim_blocks=True,
            lstrip_blocks=True,
        )
        environment.filters |= {"percent": _percent, "number": _number}
        return environment.get_template("fit.html.jinja").render(
            report=self,
            data=self.data,
            certificate=self.model.certificate_,
            certificate_fields=CERTIFICATE_FIELDS,
            parameters=_parameters(self.model),
            roc=draw_roc(self.test.roc, self.train.roc) if self.test.roc else None,
            versions=_versions(),
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


def _parameters(model: Any) -> list[tuple[str, str, bool]]:
    """List name, value and whether it is the default; what was chosen comes first."""
    defaults = inspect.signature(type(model)).parameters
    rows = [
        (name, repr(value), repr(value) == repr(defaults[name].default))
        for name, value in model.get_params(deep=False).items()
    ]
    return sorted(rows, key=lambda row: row[2])


def _versions() -> dict[str, str]:
    return {"Python": platform.python_version()} | {
        library: metadata.version(library) for library in LIBRARIES
    }


def _percent(share: float) -> str:
    return f"{100.0 * share:.1f} %"


def _number(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
