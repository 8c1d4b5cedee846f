"""The main job as a function for programs and notebooks."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from time import perf_counter
from typing import Any

from maxmargin.job.device import check_device
from maxmargin.job.frame import as_frame
from maxmargin.job.progress import Teller, silent
from maxmargin.job.request import Request
from maxmargin.job.result import JobResult, carry_out
from maxmargin.progress.bar import progress_bar
from maxmargin.tables import InputError


def fit(
    data: Any,
    target: str,
    *,
    models: str | Sequence[str] = (),
    metric: str | None = None,
    test_size: float = 0.2,
    folds: int = 5,
    time_budget: str | float | None = "10m",
    class_weight: str | None = None,
    cost: str | None = None,
    interval: str | None = None,
    explain: int = 0,
    blend: bool = True,
    drop: str | Sequence[str] = (),
    id: str | Sequence[str] = (),  # noqa: A002  (the name of the command's option)
    group: str | None = None,
    time: str | None = None,
    task: str | None = None,
    kind: str | Sequence[str] = (),
    positive: str | int | None = None,
    missing: str | Sequence[str] = (),
    separator: str | None = None,
    encoding: str | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    no_header: bool = False,
    memory: str | None = None,
    seed: int = 0,
    n_jobs: int | None = None,
    device: str = "cpu",
    progress: Teller | bool = False,
) -> JobResult:
    """Do what ``maxmargin fit`` does on a table in memory or a file, and write nothing.

    Test rows are put aside, the models are tuned and compared on the others by cross-validation,
    and the best is judged once on the test rows.

    Parameters
    ----------
    data : DataFrame of pandas or polars, Arrow table, dict of columns, or path of a file
    target : str
        The column to predict.
    models : str or sequence of str
        Names of models; all that suit unless given.
    metric : str, default=None
        scikit-learn's name of what models are compared by.
    test_size : float, default=0.2
        Share of the rows that is put aside for the test.
    folds : int, default=5
    time_budget : str, float or None, default="10m"
        How long it may take: "90s", "2m", or seconds; None for no limit.
    class_weight : {"balanced"}, default=None
    cost : str, default=None
        What mistakes cost, such as "missed=10,false=1": it chooses the threshold.
    interval : str, default=None
        Share of new rows that intervals of a quantity hold, or "none"; "90%" unless given.
    explain : int, default=0
        Columns by which each prediction is explained.
    blend : bool, default=True
        Whether an average of the best models may win.
    drop, id : str or sequence of str
        Columns to leave out, and columns that name rows.
    group : str, default=None
        Column whose equal values keep rows together in splits.
    time : str, default=None
        Column of dates or numbers: learn from earlier rows, be judged on later ones.
    task : {"classification", "regression"}, default=None
    kind : str or sequence of str
        What columns hold where their values mislead, such as "zip=category".
    positive : str or int, default=None
        The class to be found, of two; the rarer one unless given.
    missing : str or sequence of str
        Words that stand for missing values.
    separator, encoding, decimal, thousands : str, default=None
        How a file is written; found out unless given.
    no_header : bool, default=False
        Whether the first line of a file is data.
    memory : str, default=None
        What a file may take when it is read, such as "8G".
    seed : int, default=0
    n_jobs : int, default=None
        Threads; the result does not depend on it.
    device : str, default="cpu"
        Where models run that can run on a card: "cpu", "cuda", "cuda:1", or "auto" for a card if
        one is there and the rows are many. The fitted model predicts on the CPU.
    progress : bool or callable, default=False
        True for a bar; a callable is told every ``Progress``.

    Returns
    -------
    JobResult

    Raises
    ------
    InputError
        With the sentence of the command, where something has to be put right. It is a ValueError.

    Examples
    --------
    >>> from maxmargin.datasets import heart_path
    >>> result = fit(heart_path(), "AHD", models="lda", folds=2)
    >>> result.outcome.winner, len(result.predictions)
    ('lda', 61)
    """
    options = {name: value for name, value in locals().items() if name not in _OWN}
    options |= {"time_budget": _budget(time_budget), "models": _listed(models), "jobs": n_jobs}
    if target is None:
        raise InputError("Name the column to predict as target.")
    check_device(device)
    if positive is not None:
        options["positive"] = str(positive)
    begun = perf_counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        request = Request.of({**options, **_source(data)}, begun)
        table = request.load()
        if progress is True:
            with progress_bar() as tell:
                return carry_out(request, table, tell)
        return carry_out(request, table, silent if progress is False else progress)


_OWN = {"data", "n_jobs", "progress"}


def _source(data: Any) -> dict[str, Any]:
    return {"file": Path(data)} if isinstance(data, str | Path) else {"frame": as_frame(data)}


def _budget(given: str | float | None) -> str:
    if isinstance(given, str):
        return given
    return "none" if given is None else f"{given:.15g}s"


def _listed(models: str | Sequence[str]) -> str:
    return models if isinstance(models, str) else ",".join(models)
