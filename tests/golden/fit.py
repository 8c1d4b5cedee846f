"""What a fit of the golden table leaves behind: solvers, certificates, bits and values."""

import hashlib
import platform
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pkgutil import walk_packages
from typing import Any
from unittest.mock import patch

import numpy as np
import scipy
from llvmlite.binding import get_host_cpu_name
from scipy import sparse
from threadpoolctl import threadpool_info

from maxmargin import solvers
from tests.golden.problems import Problem, load, weights

SHOWN = (
    "support_",
    "dual_coef_",
    "coef_",
    "intercept_",
    "n_iter_",
    "alphas_",
    "weights_",
    "kernel_weights_",
    "oob_score_",
    "best_params_",
)
DIGITS = 10  # of a value that is stored
KEPT = 12  # decision values that are stored, spread over the rows


def machine() -> dict[str, Any]:
    """Return what last bits depend on: the processor and the libraries of linear algebra."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        blas = sorted(str(each.get("architecture")) for each in threadpool_info())
    return {
        "processor": get_host_cpu_name(),
        "platform": f"{platform.system()} {platform.machine()}",
        "blas": blas,
        "numpy": np.__version__,
        "scipy": scipy.__version__,
        "numba": import_module("numba").__version__,
        "scikit-learn": import_module("sklearn").__version__,
    }


def kinds_of_solvers() -> list[type]:
    """Return every class of the solvers' room that makes steps to a point."""
    names = [each.name for each in walk_packages(solvers.__path__, "maxmargin.solvers.")]
    found = {}
    for module in map(import_module, names):
        for kind in vars(module).values():
            makes_steps = isinstance(kind, type) and {"step", "point"} <= set(dir(kind))
            if makes_steps and kind.__module__ == module.__name__:
                found[kind.__qualname__] = kind
    return [found[name] for name in sorted(found)]


@contextmanager
def seen_solvers() -> Iterator[list[str]]:
    """Yield a list that gets the name of each solver when it makes its first step."""
    seen: list[str] = []

    def watched(usual: Any) -> Any:
        def step(self: Any, *args: Any, **kwargs: Any) -> Any:
            name = type(self).__name__
            delegates = {"_inner", "_solver"} & vars(self).keys()  # to the algorithm to be named
            if not delegates and name not in seen:
                seen.append(name)
            return usual(self, *args, **kwargs)

        return step

    own = [kind for kind in kinds_of_solvers() if "step" in vars(kind)]
    patches = [patch.object(kind, "step", watched(vars(kind)["step"])) for kind in own]
    for each in patches:
        each.start()
    try:
        yield seen
    finally:
        for each in patches:
            each.stop()


def fit(problem: Problem) -> dict[str, Any]:
    """Fit and return what the table stores of it; of a refused fit the sentence."""
    try:
        return _fit(problem)
    except ValueError as error:
        return {"error": f"{type(error).__name__}: {error}"}


def _fit(problem: Problem) -> dict[str, Any]:
    X, y = load(problem.data)
    extra = {"sample_weight": weights(problem.data)} if problem.weighted else {}
    with warnings.catch_warnings(), seen_solvers() as seen:
        warnings.simplefilter("ignore")
        model = problem.model.fit(X, y, **extra)
        values = _decide(model, X)
    certificates = getattr(model, "certificates_", [])
    bits = [array for name in SHOWN for array in _arrays(getattr(model, name, None))]
    return {
        "solvers": seen,
        "status": [each.status.name for each in certificates],
        "objectives": [_rounded([each.primal, each.dual]) for each in certificates],
        "tol": float(getattr(model, "tol", 0.0)),
        "values": _rounded(values.ravel()[:: max(1, values.size // KEPT)]),
        "digest": _digest([*bits, values]),
    }


def _decide(model: Any, X: Any) -> Any:
    for verb in ("decision_function", "transform", "predict_proba", "predict"):
        if hasattr(model, verb):
            return np.asarray(getattr(model, verb)(X), dtype=np.float64)
    raise TypeError(f"{type(model).__name__} decides nothing.")


def _arrays(value: Any) -> list[Any]:
    if value is None:
        return []
    if isinstance(value, dict):
        value = [float(value[name]) for name in sorted(value)]
    return [value.toarray() if sparse.issparse(value) else np.asarray(value)]


def _digest(arrays: list[Any]) -> str:
    sums = hashlib.sha256()
    for array in arrays:
        sums.update(f"{array.dtype.kind}{array.shape}".encode())
        sums.update(np.ascontiguousarray(array + 0.0, dtype=np.float64).tobytes())  # no -0
    return sums.hexdigest()[:20]


def _rounded(values: Any) -> list[float]:
    return [float(f"{value:.{DIGITS}g}") for value in values]
