"""The main job: split, fit, judge."""

from __future__ import annotations

import math
import shlex
import warnings
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sklearn.compose import ColumnTransformer
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import train_test_split
from sklearn.pipeline import Pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler

from maxmargin.cli.complaint import InputError
from maxmargin.cli.table import Table
from maxmargin.report import FitReport
from maxmargin.svm import SVC


@dataclass(frozen=True)
class Job:
    """What the user asked for; checked when made."""

    file: Path
    target: str
    test_size: float = 0.3
    kernel: str = "rbf"
    C: float = 1.0
    gamma: float | str = "scale"
    degree: int = 3
    coef0: float = 0.0
    time_limit: float | None = None
    seed: int = 0

    def __post_init__(self) -> None:
        if not 0.0 < self.test_size < 1.0:
            raise InputError(f"--test-size is a share between 0 and 1, not {self.test_size:g}.")
        if not (self.C > 0.0 and math.isfinite(self.C)):
            raise InputError(f"--C must be a finite number above 0, not {self.C:g}.")
        if self.time_limit is not None and not self.time_limit > 0.0:
            raise InputError(f"--time-limit must be above 0 seconds, not {self.time_limit:g}.")

    @property
    def command(self) -> str:
        """What to type to get the same again."""
        options = {
            "--target": self.target,
            "--test-size": _exact(self.test_size),
            "--kernel": self.kernel,
            "--C": _exact(self.C),
            "--gamma": str(self.gamma),
            "--seed": str(self.seed),
        }
        if self.kernel == "poly":
            options["--degree"] = str(self.degree)
        if self.kernel in ("poly", "sigmoid"):
            options["--coef0"] = _exact(self.coef0)
        words = [f"{name}={value}" for name, value in options.items()]
        return shlex.join(["maxmargin", "fit", *words, "--", str(self.file)])


def _exact(number: float) -> str:
    """Write a number so that reading it gives the same one."""
    return repr(float(number)).removesuffix(".0")


def parse_gamma(text: str) -> float | str:
    """Read the kernel's width.

    Parameters
    ----------
    text : str
        ``scale``, ``auto`` or a number above 0.

    Returns
    -------
    float or str
        As SVC takes it.

    Examples
    --------
    >>> parse_gamma("scale"), parse_gamma("0.5")
    ('scale', 0.5)
    """
    if text in ("scale", "auto"):
        return text
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not (value > 0.0 and math.isfinite(value)):
        raise InputError(f"--gamma is 'scale', 'auto' or a number above 0, not {text!r}.")
    return value


def run(job: Job, table: Table, command: str) -> FitReport:
    """Split the rows, fit to one part, judge on both.

    Parameters
    ----------
    job : Job
        What was asked for.
    table : Table
        The rows.
    command : str
        What to type to get the same again.

    Returns
    -------
    FitReport
        The facts.
    """
    X_train, X_test, y_train, y_test = _split(job, table)
    model = Pipeline([("prepare", _preparation(table)), ("svc", _classifier(job))])
    with warnings.catch_warnings():
        # The certificate says the same, and is printed.
        warnings.simplefilter("ignore", ConvergenceWarning)
        model.fit(X_train, y_train)
    _check_outcome(model[-1])
    return FitReport.of(
        model, (X_train, y_train), (X_test, y_test), data=table.summary, command=command
    )


def _split(job: Job, table: Table) -> Any:
    try:
        return train_test_split(
            table.features,
            table.target,
            test_size=job.test_size,
            random_state=job.seed,
            stratify=table.target,
        )
    except ValueError as error:  # too few rows for so many classes
        raise InputError(
            f"{len(table.target)} rows cannot be split into training and test rows that both hold"
            " every class: give more rows or another --test-size."
        ) from error


def _preparation(table: Table) -> ColumnTransformer:
    return ColumnTransformer(
        [
            ("numbers", StandardScaler(), table.numbers),
            ("categories", OneHotEncoder(handle_unknown="ignore"), table.categories),
        ]
    )


def _classifier(job: Job) -> SVC:
    return SVC(
        kernel=job.kernel,
        C=job.C,
        gamma=job.gamma,
        degree=job.degree,
        coef0=job.coef0,
        time_limit=job.time_limit,
    )


def _check_outcome(svc: SVC) -> None:
    # The solver answers Ctrl-C with its best point; here the user wanted the command to stop.
    if svc.certificate_.status.name == "INTERRUPTED":
        raise KeyboardInterrupt
    if len(svc.support_) == 0:
        raise InputError("The fit was stopped before its first step: give it more --time-limit.")
