"""The jobs of the linear models, each saved after every data set."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from functools import partial

from benchmarks import (
    convergence,
    dual_coordinate,
    growth,
    linear_small,
    linear_svc,
    logistic,
    record,
)
from benchmarks.data import Data
from benchmarks.linear_contest import Effort
from benchmarks.linear_data import LINEAR, available, load, load_test


def contest(
    job: str, rows: Callable[[Data, Effort], list[record.Row]], options: argparse.Namespace
) -> None:
    effort = Effort(options.repeats, options.sklearn_repeats, options.budget)
    for name in available(options.data):
        found = rows(load(name, options.small), effort)
        record.save(job, found, options.results, LINEAR)
        for row in found:
            spent = ", ".join(f"{who} {seconds:.3g} s" for who, seconds in row["seconds"].items())
            short = "" if row["reached"] else "(target not reached)"
            print(f"  {name}, {row['task']}: {spent}", short, row["objection"], flush=True)


def coordinates(options: argparse.Namespace) -> None:
    options = argparse.Namespace(**vars(options))
    options.data = [name for name in dual_coordinate.NAMES if name in options.data]
    contest("dual_coordinate", dual_coordinate.rows, options)


def small(options: argparse.Namespace) -> None:
    found = linear_small.measure(options.repeats, options.small)
    record.save("linear_small", found, options.results)


def grow(options: argparse.Namespace) -> None:
    for family in growth.FAMILIES:
        row = growth.row(family, options.small, options.repeats)
        record.save("growth", [row], options.results, growth.FAMILIES)


def converge(options: argparse.Namespace) -> None:
    for name in available(name for name in convergence.NAMES if name in options.data):
        print(name, flush=True)
        train, test = load(name, options.small), load_test(name, options.small)
        row = convergence.row(train, test, options.repeats)
        record.save("convergence", [row], options.results, convergence.NAMES)


JOBS: dict[str, Callable[[argparse.Namespace], None]] = {
    "linear_svc": partial(contest, "linear_svc", linear_svc.rows),
    "logistic": partial(contest, "logistic", partial(logistic.rows, target=1e-3)),
    "logistic_tight": partial(contest, "logistic_tight", partial(logistic.rows, target=1e-4)),
    "linear_small": small,
    "dual_coordinate": coordinates,
    "growth": grow,
    "convergence": converge,
}
