"""SVR, NuSVR, NuSVC and OneClassSVM against scikit-learn's, at several sizes.

Both see the same float64 rows, C, nu, epsilon, gamma and tolerance, on the same threads, and a
fit before the clock starts. The duals of both give one objective, evaluated here and not taken from
anybody's word: 1/2 beta'K beta and what the problem adds to it.

    python -m benchmarks.machines                       200, 500, 5,000 and 20,000 rows
    python -m benchmarks.machines --rows 500 --repeats 15
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

import numpy as np
from sklearn import svm
from sklearn.metrics.pairwise import rbf_kernel

import maxmargin
from benchmarks.source import generated

COLUMNS, EPSILON, NU = 50, 0.1, 0.3
SETTINGS = {
    "SVR": {"C": 1.0, "epsilon": EPSILON},
    "NuSVR": {"C": 1.0, "nu": NU},
    "NuSVC": {"nu": NU},
    "OneClassSVM": {"nu": NU},
    "SVC": {"C": 1.0},
}


def parse() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.machines", description=__doc__)
    parser.add_argument("--rows", type=int, nargs="+", default=[200, 500, 5_000, 20_000])
    parser.add_argument("--who", nargs="+", choices=list(SETTINGS), default=list(SETTINGS))
    parser.add_argument("--repeats", type=int, default=5, help="a median's; 1 for large peers")
    return parser.parse_args()


def targets(who: str, X: Any, labels: Any) -> Any:
    """Labels where they are wanted, else a smooth function of two columns with noise."""
    if not who.endswith("SVR"):
        return labels
    noise = np.random.default_rng(0).normal(scale=0.1, size=len(X))
    return np.sin(X[:, 0]) + 0.5 * X[:, 1] + noise


def seconds(model: Any, X: Any, y: Any, repeats: int) -> float:
    spent = []
    for _ in range(repeats):
        begin = time.perf_counter()
        model.fit(X, y)
        spent.append(time.perf_counter() - begin)
    return statistics.median(spent)


def objective(who: str, model: Any, X: Any, y: Any, gamma: float) -> float:
    """The dual's value, as a minimum, of whoever's duals."""
    beta, rows = np.ravel(model.dual_coef_).astype(float), model.support_
    if who == "NuSVC":  # both divide duals of total nu n by rho
        beta = beta * (NU * len(X) / np.abs(beta).sum())
    K = rbf_kernel(X[rows], gamma=gamma)
    half = 0.5 * float(beta @ K @ beta)
    if who == "SVC":
        return half - float(np.abs(beta).sum())
    if who == "SVR":
        return half + EPSILON * float(np.abs(beta).sum()) - float(y[rows] @ beta)
    return half - (float(y[rows] @ beta) if who == "NuSVR" else 0.0)


def main() -> None:
    options = parse()
    print(f"{'':12}{'rows':>8}{'maxmargin, s':>14}{'scikit-learn, s':>17}{'ratio':>8}  objectives")
    for rows in options.rows:
        X, labels = generated(rows, COLUMNS)
        gamma = 1.0 / (COLUMNS * X.var())
        for who in options.who:
            y = targets(who, X, labels)
            given = {"gamma": gamma, "cache_size": 1000, **SETTINGS[who]}
            ours, peer = getattr(maxmargin, who)(**given), getattr(svm, who)(**given)
            ours.fit(X[:150], y[:150])  # compiles
            mine = seconds(ours, X, y, options.repeats)
            once = 1 if rows > 5_000 else options.repeats
            theirs = seconds(peer, X, y, once)
            reached = [objective(who, model, X, y, gamma) for model in (ours, peer)]
            times = f"{mine:14.4f}{theirs:17.4f}{theirs / mine:8.2f}"
            print(f"{who:12}{rows:8,}{times}  {reached[0]:.8g}, {reached[1]:.8g}", flush=True)


if __name__ == "__main__":
    main()
