"""Nystroem features and a linear machine on covtype, against scikit-learn's and an exact SVC.

Everybody sees the same rows in float32 with the same gamma and C, in a process of its own: time of
the whole fit, accuracy on rows that nobody was fitted to, and the peak of memory beyond the data.
scikit-learn's LinearSVC copies its features in double precision and once more inside LIBLINEAR, 24
bytes a value; where that does not fit, ``--peer-rows`` gives it fewer rows, and the table says so.

    python -m benchmarks.nystroem                      all rows, 2,000 landmarks
    python -m benchmarks.nystroem --rows 20000 --landmarks 200 --exact-rows 5000      a try
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline

from benchmarks.linear_data import load
from benchmarks.memory import peak

GAMMA, C, TEST = 0.02, 100.0, 0.2  # of standardised columns; a share of the rows
WHO = ("maxmargin", "approximate", "exact", "scikit-learn")


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.nystroem", description=__doc__)
    parser.add_argument("--rows", type=int, default=581_012, help="of covtype, test rows included")
    parser.add_argument("--landmarks", type=int, default=2000)
    parser.add_argument("--exact-rows", type=int, default=20_000)
    parser.add_argument("--peer-rows", type=int, help="most rows that scikit-learn is given")
    parser.add_argument("--who", nargs="+", choices=WHO, default=list(WHO))
    parser.add_argument("--child", choices=WHO, help=argparse.SUPPRESS)
    return parser.parse_args()


def make(who: str, landmarks: int) -> Any:
    from sklearn import kernel_approximation, svm

    from maxmargin import SVC, LinearSVC
    from maxmargin.kernels import Nystroem

    features = {"gamma": GAMMA, "n_components": landmarks, "random_state": 0}
    if who == "maxmargin":
        return make_pipeline(Nystroem(**features), LinearSVC(C=C))
    if who == "approximate":
        return SVC(C=C, gamma=GAMMA, approximate=landmarks, random_state=0)
    if who == "exact":
        return SVC(C=C, gamma=GAMMA)
    peer = svm.LinearSVC(C=C, dual="auto", random_state=0)
    return make_pipeline(kernel_approximation.Nystroem(**features), peer)


def rows_of(who: str, options: argparse.Namespace, training: int) -> int:
    most = {"exact": options.exact_rows, "scikit-learn": options.peer_rows}.get(who)
    return min(training, most or training)


def measure(who: str, options: argparse.Namespace) -> dict[str, Any]:
    """Fit one contestant to its rows, in this process."""
    data = load("covtype-all")
    order = np.random.default_rng(0).permutation(len(data.y))[: options.rows]
    X, y = data.X[order].astype(np.float32), data.y[order]
    del data
    test = int(TEST * len(y))
    n = rows_of(who, options, len(y) - test)
    few = slice(test, test + 2000)
    make(who, 50).fit(X[few], y[few])  # compiles
    model, seconds = make(who, options.landmarks), 0.0

    def fit() -> None:
        nonlocal seconds
        begin = time.perf_counter()
        model.fit(X[test : test + n], y[test : test + n])
        seconds = time.perf_counter() - begin

    before, highest = peak(fit)
    accuracy = float(model.score(X[:test], y[:test]))
    facts = {"who": who, "rows": n, "seconds": seconds, "accuracy": accuracy}
    return facts | {"peak_mb": highest - before, "certificate": said(model)}


def said(model: Any) -> str:
    last = model[-1] if hasattr(model, "steps") else model
    return str(getattr(last, "certificate_", "none"))


def child(who: str, options: argparse.Namespace) -> dict[str, Any]:
    command = [sys.executable, "-m", "benchmarks.nystroem", "--child", who]
    for name in ("rows", "landmarks", "exact_rows", "peer_rows"):
        if getattr(options, name) is not None:
            command += [f"--{name.replace('_', '-')}", str(getattr(options, name))]
    done = subprocess.run(
        command, cwd=Path(__file__).parents[1], stdout=subprocess.PIPE, text=True, check=False
    )
    if done.returncode:
        return {"who": who, "failed": done.returncode}
    facts: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return facts


def main() -> None:
    options = parse()
    if options.child:
        print(json.dumps(measure(options.child, options)))
        return
    print(f"{'':14}{'rows':>9}{'seconds':>10}{'accuracy':>10}{'peak MB':>9}")
    for who in options.who:
        row = child(who, options)
        if "failed" in row:
            print(f"{who:14} ended with status {row['failed']}; is there enough memory?")
            continue
        numbers = f"{row['rows']:9,}{row['seconds']:10.1f}{row['accuracy']:10.4f}"
        print(f"{who:14}{numbers}{row['peak_mb']:9.0f}  {row['certificate']}", flush=True)


if __name__ == "__main__":
    main()
