"""What a card gains: certified kernel machines, warm, kernel values included.

    python -m benchmarks.card                 every row below, in less than eight minutes
    python -m benchmarks.card --only mnist    one of: mnist, classes, covtype, large, search, equal

It needs torch, NumPy, SciPy, Numba and scikit-learn, and reads MNIST and covtype from --data (a
folder with mnist/*.gz and large/covtype*); rows that it does not find are generated, and the table
says so. Each row is fitted once to compile and once for the clock.
"""

from __future__ import annotations

import argparse
import gzip
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from maxmargin import SVC, SVCCV
from maxmargin.kernels import RBF, Laplacian, Polynomial
from maxmargin.ops.gpu import device as card

TARGETS = {
    "MNIST 0-4 against 5-9, C=1": 0.2,
    "MNIST 0-4 against 5-9, C=10": 0.45,
    "MNIST ten classes, one against one": 1.5,
    "MNIST ten classes, one against the rest": 3.0,
    "predict 10,000 rows, ten classes": 0.03,
    "covtype, all rows, C=1": 3.0,
    "2,000,000 rows": 60.0,
    "SVCCV 6 x 6, 5 folds, 10,000 x 1,000": 10.0,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="*", default=list(JOBS), choices=list(JOBS))
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    given = parser.parse_args()
    device = "cuda"
    print(f"{card.find_device(device)}; times are of the second fit", flush=True)
    print("| job | seconds | bar | status | relative gap | support vectors |")
    print("|---|---:|---:|---|---:|---:|")
    for name in given.only:
        JOBS[name](given.data, device)


def _line(job: str, seconds: float, model: Any = None) -> None:
    bar = TARGETS.get(job, float("nan"))
    certificate = getattr(model, "certificate_", None)
    status = "" if certificate is None else certificate.status.name
    gap = "" if certificate is None else f"{certificate.relative_gap:.1e}"
    support = "" if model is None or not hasattr(model, "support_") else len(model.support_)
    print(f"| {job} | {seconds:.3f} | {bar:g} | {status} | {gap} | {support} |", flush=True)


def _timed(work: Callable[[], Any], warm: Callable[[], Any] | None = None) -> tuple[float, Any]:
    (warm or work)()
    begun = time.perf_counter()
    found = work()
    return time.perf_counter() - begun, found


def _images(path: Path) -> Any:
    content = gzip.decompress(path.read_bytes())
    if content[3] == 1:
        return np.frombuffer(content, np.uint8, offset=8)
    rows = int.from_bytes(content[4:8])
    return np.frombuffer(content, np.uint8, offset=16).reshape(rows, -1)


def _mnist(folder: Path) -> tuple[Any, Any, Any, str]:
    try:
        files = [next(folder.glob(f"mnist/*{n}*")) for n in ("train-im", "train-la", "t10k-im")]
        X, y, new = map(_images, files)
    except (StopIteration, OSError):
        r = np.random.default_rng(0)
        y = r.integers(0, 10, 60_000)
        centres = r.normal(size=(10, 784)) / 14
        X = (centres[y] + r.normal(size=(60_000, 784)) / 14).astype(np.float32)
        return X, y, X[:10_000], " (generated)"
    return (X / 255).astype(np.float32), y, (new / 255).astype(np.float32), ""


def mnist(folder: Path, device: str) -> None:
    X, y, _, note = _mnist(folder)
    for C in (1.0, 10.0):
        model = SVC(C=C, device=device)
        seconds, fitted = _timed(lambda model=model: model.fit(X, y <= 4))
        _line(f"MNIST 0-4 against 5-9, C={C:g}{note}", seconds, fitted)


def classes(folder: Path, device: str) -> None:
    X, y, new, note = _mnist(folder)
    for multiclass, words in (("ovr", "the rest"), ("ovo", "one")):
        model = SVC(device=device, multiclass=multiclass)
        seconds, fitted = _timed(lambda model=model: model.fit(X, y))
        _line(f"MNIST ten classes, one against {words}{note}", seconds, fitted)
    seconds, _ = _timed(lambda: fitted.predict(new))
    _line(f"predict 10,000 rows, ten classes{note}", seconds)


def _covtype(folder: Path) -> tuple[Any, Any, str]:
    found = sorted(folder.glob("large/covtype*csv*"))
    if not found:
        r = np.random.default_rng(0)
        X = r.normal(size=(581_012, 54)).astype(np.float32)
        y = np.sin(2 * X[:, 0]) + X[:, 1] * X[:, 2] + 0.5 * r.normal(size=len(X)) > 0
        return X, y, " (generated)"
    import pandas as pd

    table = pd.read_csv(found[0])
    X = table.iloc[:, :-1].to_numpy(np.float64)
    X = (X - X.mean(0)) / (X.std(0) + 1e-12)
    return X.astype(np.float32), table.iloc[:, -1].to_numpy() == 2, ""


def covtype(folder: Path, device: str) -> None:
    X, y, note = _covtype(folder)
    model = SVC(device=device, time_limit=120)
    seconds, fitted = _timed(lambda: model.fit(X, y), lambda: model.fit(X[:20_000], y[:20_000]))
    _line(f"covtype, all rows, C=1{note}", seconds, fitted)


def large(folder: Path, device: str) -> None:
    X, y, note = _covtype(folder)
    r = np.random.default_rng(0)
    rows = r.integers(0, len(X), 2_000_000)
    X = X[rows] + 0.01 * r.normal(size=(len(rows), X.shape[1])).astype(np.float32)
    model = SVC(device=device, time_limit=120)
    seconds, fitted = _timed(lambda: model.fit(X, y[rows]), lambda: None)
    _line(f"2,000,000 rows{note}", seconds, fitted)


def search(_folder: Path, device: str) -> None:
    r = np.random.default_rng(0)
    X = r.normal(size=(10_000, 1_000)).astype(np.float32)
    y = X[:, :20].sum(1) + 3 * r.normal(size=len(X)) > 0
    grid = {"C": np.logspace(-2, 3, 6), "gamma": np.logspace(-5, 0, 6) / 10}
    model = SVCCV(device=device, cv=5, **_grid(grid))
    seconds, fitted = _timed(lambda: model.fit(X, y), lambda: None)
    _line("SVCCV 6 x 6, 5 folds, 10,000 x 1,000", seconds, fitted.best_estimator_)


def _grid(grid: dict[str, Any]) -> dict[str, Any]:
    known = SVCCV().get_params()
    return {name: values for name, values in grid.items() if name in known}


def equal(_folder: Path, device: str) -> None:
    """The same dual value as the CPU to 1e-6, and never slower with ``device="auto"``."""
    worst = 0.0
    for seed, kernel in enumerate((RBF(0.1), Laplacian(0.05), Polynomial(2, 0.1) + RBF(0.1)) * 7):
        r = np.random.default_rng(seed)
        n, classes = int(r.integers(500, 3000)), int(r.integers(2, 5))
        X = r.normal(size=(n, 8))
        y = np.digitize(X[:, 0] + X[:, 1] ** 2, np.linspace(0, 2, classes + 1)[1:-1])
        weight = r.uniform(0.2, 2.0, n) if seed % 2 else None
        pair = [SVC(kernel=kernel, tol=1e-6, device=d).fit(X, y, weight) for d in ("cpu", device)]
        duals = [[c.dual for c in model.certificates_] for model in pair]
        worst = max(worst, *(abs(a - b) / abs(a) for a, b in zip(*duals, strict=True)))
    print(f"largest relative difference of dual values over 21 sets: {worst:.1e} (bar 1e-6)")
    for n in (500, 2_000, 20_000):
        r = np.random.default_rng(n)
        X = r.normal(size=(n, 50)).astype(np.float32)
        y = X[:, 0] * X[:, 1] + 0.5 * r.normal(size=n) > 0
        times = {}
        for d in ("cpu", "auto"):
            model = SVC(device=d)
            times[d], _ = _timed(lambda model=model, X=X, y=y: model.fit(X, y))
        print(f"{n} x 50: cpu {times['cpu']:.3f} s, auto {times['auto']:.3f} s")


JOBS: dict[str, Callable[[Path, str], None]] = {
    "mnist": mnist,
    "classes": classes,
    "covtype": covtype,
    "large": large,
    "search": search,
    "equal": equal,
}

if __name__ == "__main__":
    main()
