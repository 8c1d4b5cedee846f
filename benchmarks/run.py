"""Run the benchmarks, print their tables and keep the results.

Each job's results go to benchmarks/results as it finishes, one data set at a time, so that an
interrupted run keeps what it has; ``python -m benchmarks.table`` then fills the documents.
"""

from __future__ import annotations

import argparse
from dataclasses import asdict
from pathlib import Path

from benchmarks import (
    axis_growth,
    certificate,
    data,
    first_fit,
    graphs,
    kernel_growth,
    many_classes,
    memory,
    neighbors,
    one_row,
    record,
    serial,
    speed,
    startup,
    strings,
    svc_fit,
    svc_predict,
    svc_small,
    svc_threads,
    timeline,
    tuning,
)
from benchmarks.boosting_jobs import JOBS as BOOSTING_JOBS
from benchmarks.linear_data import LINEAR
from benchmarks.linear_jobs import JOBS as LINEAR_JOBS
from benchmarks.source import BARS, BOOSTING
from benchmarks.table import render
from benchmarks.tabulate import TABLES


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.run", description=__doc__)
    parser.add_argument("--small", action="store_true", help="a few rows, to try the scripts out")
    parser.add_argument("--only", nargs="+", choices=list(TABLES), default=list(TABLES))
    sets = list(dict.fromkeys([*BARS, *LINEAR, *BOOSTING]))
    parser.add_argument("--data", nargs="+", choices=sets, default=sets)
    parser.add_argument("--repeats", type=int, default=5)
    parser.add_argument(
        "--sklearn-repeats", type=int, default=1, help="0 leaves scikit-learn out; it takes minutes"
    )
    parser.add_argument(
        "--budget", type=float, default=240.0, help="most seconds for one fit of a linear peer"
    )
    parser.add_argument("--results", type=Path, help="folder, instead of benchmarks/results")
    options = parser.parse_args()
    usual = data.CACHE / "small-results" if options.small else record.RESULTS
    options.results = options.results or usual
    return options


def tell(job: str, row: record.Row) -> None:
    spent = ", ".join(f"{name} {seconds:.3g} s" for name, seconds in row["seconds"].items())
    print(f"  {job}: {spent}", row.get("objection", ""), flush=True)


def fit_and_predict(options: argparse.Namespace) -> None:
    machine = speed.measure()
    print(f"{machine.flops / 1e9:.0f} GFLOP/s, {machine.exponential * 1e9:.2f} ns an exponential")
    for name in data.available(name for name in BARS if name in options.data):
        one = data.load(name, options.small)
        print(name, flush=True)
        models: svc_fit.Models = {}
        if "fit" in options.only:
            row, models = svc_fit.measure(one, machine, options.repeats, options.sklearn_repeats)
            record.save("fit", [row], options.results, BARS, speed=asdict(machine))
            tell("fit", row)
        if "predict" in options.only:
            row = svc_predict.measure(one, models, options.repeats, options.sklearn_repeats)
            record.save("predict", [row], options.results, BARS)
            tell("predict", row)


def others(options: argparse.Namespace) -> None:
    with_sklearn = options.sklearn_repeats > 0
    jobs = {
        "many_classes": lambda: many_classes.measure(
            options.repeats, options.sklearn_repeats, options.small
        ),
        "tuning": lambda: tuning.measure(options.repeats, options.sklearn_repeats, options.small),
        "svc_threads": lambda: svc_threads.measure(options.repeats, options.small),
        "svc_small": lambda: svc_small.measure(options.repeats, options.small),
        "serial": lambda: serial.measure(options.repeats, options.small),
        "timeline": lambda: timeline.measure(options.small),
        "kernel_growth": lambda: kernel_growth.measure(options.small),
        "axis_growth": lambda: axis_growth.measure(options.repeats, options.small),
        "neighbors": lambda: neighbors.measure(
            options.repeats, options.sklearn_repeats, options.small
        ),
        "memory": lambda: memory.measure(options.small, with_sklearn),
        "startup": lambda: startup.measure(options.repeats),
        "first_fit": lambda: first_fit.measure(options.small),
        "one_row": lambda: one_row.measure(options.small),
        "certificate": lambda: certificate.measure(options.small, options.repeats),
        "graphs": lambda: graphs.measure(options.small, options.repeats),
        "strings": lambda: strings.measure(options.small, options.repeats),
    }
    for job in (job for job in jobs if job in options.only):
        print(job, flush=True)
        record.save(job, jobs[job](), options.results)


def main() -> None:
    options = parse()
    if {"fit", "predict"} & set(options.only):
        fit_and_predict(options)
    others(options)
    for job in (job for job in LINEAR_JOBS if job in options.only):
        print(job, flush=True)
        LINEAR_JOBS[job](options)
    for run in dict.fromkeys(BOOSTING_JOBS[job] for job in BOOSTING_JOBS if job in options.only):
        run(options)
    print("\n" + render(options.only, options.results))


if __name__ == "__main__":
    main()
