"""Members of the family that are kernel machines."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from sklearn.pipeline import Pipeline

from maxmargin.job.candidate import Candidate
from maxmargin.job.plain_models import on_vectors
from maxmargin.job.preparation import MarkedWords, count_vectors
from maxmargin.job.scaled_target import ScaledTarget
from maxmargin.job.texts import JoinedSequences
from maxmargin.job.wanted import Wanted
from maxmargin.kernels import Kernel, Laplacian, Mismatch, Spectrum, WeightedDegree
from maxmargin.svm.svc_cv import SVCCV
from maxmargin.svm.svr import SVR
from maxmargin.tables import Table
from maxmargin.tabular import TableSVC, TableSVR

COSTS = (0.1, 1.0, 10.0, 100.0, 1000.0)
GAMMAS = (0.03, 0.1, 0.3, 1.0, 3.0)  # times 1 / columns
FEW_COSTS = (1.0, 10.0, 100.0)
FEW_GAMMAS = (0.1, 0.3, 1.0)
FINE_COSTS = (0.3, 1.0, 3.0, 10.0, 30.0, 100.0, 300.0)
FINE_GAMMAS = (0.01, 0.03, 0.06, 0.1, 0.2, 0.3, 0.6, 1.0, 2.0, 4.0, 8.0)
POLY_COSTS = (0.1, 1.0, 10.0, 100.0)
POLY_GAMMAS = (0.1, 1.0)
SEQUENCE_COSTS = (0.1, 1.0, 10.0, 100.0)
SEQUENCE_ROWS = 20_000  # more than that, and their kernel values do not fit into memory
EXACT_ROWS = 20_000  # of more rows the machine is one of landmarks
LANDMARKS = 1000
REGRESSION_ROWS = 20_000  # of a quantity; more are left to the machine for tables
SEARCH_GROWTH = 0.9  # power of the rows: the search sees some of them, letter took 0.89
TUNED = 0.4  # times the rows for tuning, of machines whose searches share no kernel matrix


def _on_words(table: Table, model: Any) -> Pipeline:
    return Pipeline([("prepare", MarkedWords(table.categories)), ("model", model)])


def _for_tables(table: Table, wanted: Wanted) -> Pipeline:
    if table.schema.task == "regression":
        return _on_words(table, TableSVR(n_jobs=wanted.n_jobs, random_state=wanted.seed))
    return _on_words(table, TableSVC(**wanted.drawn))


def _radial(table: Table, wanted: Wanted) -> Pipeline:
    return _kernel(table, wanted, COSTS, GAMMAS, kernel="rbf")


def _radial_finer(table: Table, wanted: Wanted) -> Pipeline:
    return _kernel(table, wanted, FINE_COSTS, FINE_GAMMAS, factor=2.0, kernel="rbf")


def _laplacian(table: Table, wanted: Wanted) -> Pipeline:
    return _kernel(table, wanted, FEW_COSTS, FEW_GAMMAS, kernel=Laplacian())


def _polynomial(table: Table, wanted: Wanted) -> Pipeline:
    return _kernel(table, wanted, POLY_COSTS, POLY_GAMMAS, kernel="poly", degree=3, coef0=1.0)


def _kernel(
    table: Table,
    wanted: Wanted,
    Cs: Sequence[float],
    factors: Sequence[float],
    factor: float = 1.0,
    **kernel: Any,
) -> Pipeline:
    """Have C and gamma of a kernel machine chosen."""
    gammas = [each / count_vectors(table) for each in factors]
    final = _of_landmarks(len(table.target), wanted)
    grid: Any = {"Cs": list(Cs), "gammas": gammas, "device": wanted.device}
    return on_vectors(table, wanted.own_search(SVCCV, factor, final, **grid, **kernel))


def _of_landmarks(rows: int, wanted: Wanted) -> dict[str, Any] | None:
    """Return what makes the machine one of landmarks, of many rows; a card fits all of them."""
    if rows <= EXACT_ROWS or wanted.place(rows) != "cpu":
        return None
    return {"approximate": LANDMARKS, "device": "cpu"}


def _radial_regression(table: Table, wanted: Wanted) -> Pipeline:
    return _regression(table, wanted, "rbf", "model__gamma")


def _laplacian_regression(table: Table, wanted: Wanted) -> Pipeline:
    return _regression(table, wanted, Laplacian(), "model__kernel__gamma")


def _regression(table: Table, wanted: Wanted, kernel: Any, name: str) -> Pipeline:
    gammas = [each / count_vectors(table) for each in FEW_GAMMAS]
    model = ScaledTarget(SVR(kernel=kernel, n_jobs=wanted.n_jobs, device=wanted.device))
    grid: dict[str, Sequence[float]] = {"model__C": FEW_COSTS, name: gammas}
    return on_vectors(table, wanted.search(model, TUNED, **grid))


def _on_sequences(table: Table, model: Any) -> Pipeline:
    return Pipeline([("prepare", JoinedSequences(table.sequences)), ("model", model)])


def _compare_sequences(kernel: Kernel, **grid: Sequence[Any]) -> Callable[..., Pipeline]:
    """Have C and a kernel's lengths chosen, for classes or for a quantity."""

    def build(table: Table, wanted: Wanted) -> Pipeline:
        if table.schema.task == "regression":
            model = ScaledTarget(SVR(kernel=kernel))
            return _on_sequences(table, wanted.search(model, model__C=SEQUENCE_COSTS))
        options: Any = {"Cs": list(SEQUENCE_COSTS), "kernel": kernel, "grid": grid}
        return _on_sequences(table, wanted.own_search(SVCCV, **options))

    return build


def _of_sequences(
    name: str, title: str, cost: float, kernel: Kernel, **grid: Sequence[Any]
) -> Candidate:
    build = _compare_sequences(kernel.normalized(), **grid)
    return Candidate(name, title, build, cost, SEQUENCE_ROWS, reads_texts=True, growth=2.0)


SEQUENCE_MODELS: Final = (
    _of_sequences(
        "svm-places", "SVM, weighted degree kernel", 4.0, WeightedDegree(5), kernel__k=[5, 10]
    ),
    _of_sequences("svm-pieces", "SVM, spectrum kernel", 2.0, Spectrum(3), kernel__k=[3, 5]),
    _of_sequences("svm-mismatch", "SVM, mismatch kernel", 4.0, Mismatch(5, 1)),
)


def _of_tables(name: str) -> Candidate:
    """Return the machine for tables, whose search looks at 3,000 rows at most."""
    title = "kernel machine for tables"
    return Candidate(
        "svm-table", title, _for_tables, 6.0, compiles=(name,), growth=0.65, learns=True
    )


KERNEL_CLASSIFIERS: Final = (
    _of_tables("TableSVC"),
    Candidate(
        "svm-rbf", "SVM, radial kernel", _radial, 6.0, compiles=("SVCCV",), growth=SEARCH_GROWTH
    ),
    Candidate(
        "svm-laplacian",
        "SVM, Laplacian kernel",
        _laplacian,
        5.0,
        compiles=("SVCCV",),
        growth=SEARCH_GROWTH,
    ),
    Candidate(
        "svm-poly",
        "SVM, polynomial kernel",
        _polynomial,
        5.0,
        compiles=("SVCCV",),
        growth=SEARCH_GROWTH,
    ),
    Candidate(
        "svm-rbf-finer",
        "SVM, radial kernel, finer search",
        _radial_finer,
        24.0,
        compiles=("SVCCV",),
        growth=SEARCH_GROWTH,
        deepens="svm-rbf",
    ),
)
KERNEL_REGRESSORS: Final = (
    _of_tables("TableSVR"),
    Candidate(
        "svm-rbf",
        "support vector regression, radial kernel",
        _radial_regression,
        5.0,
        REGRESSION_ROWS,
        compiles=("SVR",),
        growth=1.6,
    ),
    Candidate(
        "svm-laplacian",
        "support vector regression, Laplacian kernel",
        _laplacian_regression,
        5.0,
        REGRESSION_ROWS,
        compiles=("SVR",),
        growth=1.6,
    ),
)
