"""The jobs of boosting, each saved after every data set."""

from __future__ import annotations

import argparse
from collections.abc import Callable

from benchmarks import (
    adaboost,
    adaboost_predict,
    adaboost_sizes,
    bagging,
    boosting_growth,
    gradient_boosting,
    letters,
    record,
)
from benchmarks.data import available, load
from benchmarks.source import BOOSTING


def stumps(options: argparse.Namespace) -> None:
    """Fit and predict in one go, so that predicting needs no second fit."""
    rounds = adaboost.FEW_ROUNDS if options.small else adaboost.ROUNDS
    effort = (rounds, options.repeats, options.sklearn_repeats)
    for name in available(name for name in BOOSTING if name in options.data):
        data, models = load(name, options.small), {}
        if "adaboost" in options.only:
            row, models = adaboost.measure(data, *effort)
            _keep("adaboost", row, options)
        if "adaboost_predict" in options.only:
            _keep("adaboost_predict", adaboost_predict.measure(data, models, *effort), options)


def sizes(options: argparse.Namespace) -> None:
    rounds = adaboost.FEW_ROUNDS if options.small else adaboost.ROUNDS
    order = adaboost_sizes.names(options.small)
    for data in adaboost_sizes.sets(options.small):
        row = adaboost_sizes.measure(data, rounds, options.repeats, options.sklearn_repeats)
        _keep("adaboost_sizes", row, options, order)


def grow(options: argparse.Namespace) -> None:
    for criterion in boosting_growth.CRITERIA:
        row = boosting_growth.row(criterion, options.small, options.repeats)
        record.save("boosting_growth", [row], options.results, boosting_growth.CRITERIA)


def gradient(options: argparse.Namespace) -> None:
    rounds = adaboost.FEW_ROUNDS if options.small else gradient_boosting.ROUNDS
    for name in available(name for name in gradient_boosting.NAMES if name in options.data):
        data = load(name, options.small)
        row = gradient_boosting.measure(data, rounds, options.repeats, options.sklearn_repeats)
        _keep("gradient_boosting", row, options)


def bags(options: argparse.Namespace) -> None:
    members = adaboost.FEW_ROUNDS if options.small else bagging.MEMBERS
    for name in available(name for name in BOOSTING if name in options.data):
        data = load(name, options.small)
        _keep(
            "bagging",
            bagging.measure(data, members, options.repeats, options.sklearn_repeats),
            options,
        )


def letter(options: argparse.Namespace) -> None:
    if available(["letter"]):
        record.save("letters", [letters.row(options.small)], options.results)


def _keep(
    job: str, row: record.Row, options: argparse.Namespace, order: list[str] | None = None
) -> None:
    record.save(job, [row], options.results, order or BOOSTING)
    spent = ", ".join(f"{who} {seconds:.3g} s" for who, seconds in row["seconds"].items())
    print(f"  {job}, {row['data']}: {spent}", row.get("objection", ""), flush=True)


JOBS: dict[str, Callable[[argparse.Namespace], None]] = {
    "adaboost": stumps,
    "adaboost_predict": stumps,
    "adaboost_sizes": sizes,
    "boosting_growth": grow,
    "gradient_boosting": gradient,
    "bagging": bags,
    "letters": letter,
}
"""By name; two names may share a function, which then runs once."""
