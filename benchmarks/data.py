"""The data sets of the bars, all float32, parsed once and kept under ``.cache``.

Generated data need nothing. Real data are read from the folder that MAXMARGIN_DATA names, or from
``../shared/data`` beside the project; without either they are left out.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from benchmarks.source import BUILDERS, FILES, folder

CACHE = Path(__file__).parent / ".cache"
SMALL = 2_500  # rows with --small: just above the solver's working set, so its whole path runs


@dataclass(frozen=True)
class Data:
    """Rows X, float32, dense or CSR, and labels 0, 1, ..."""

    name: str
    X: Any
    y: NDArray[np.int64]

    @property
    def gamma(self) -> float:
        """What gamma="scale" means here, worked out once so that all contestants get one number."""
        variance = self.dense().var(dtype=np.float64)
        return float(1.0 / (self.X.shape[1] * variance))

    def dense(self) -> NDArray[np.float32]:
        return self.X.toarray() if sparse.issparse(self.X) else self.X

    def head(self, rows: int) -> Data:
        return Data(self.name, self.X[:rows], self.y[:rows])


def load(name: str, small: bool = False) -> Data:
    """Take a data set from the cache, or build and keep it."""
    path = CACHE / f"{name.removesuffix('-csr')}.npz"
    if not path.exists():
        _keep(path, *BUILDERS[name]())
    with np.load(path) as kept:
        X, y = kept["X"], kept["y"]
    X = sparse.csr_matrix(X) if name.endswith("-csr") else X
    data = Data(name, X, y)
    return data.head(SMALL) if small else data


def _keep(path: Path, X: Any, y: Any) -> None:
    CACHE.mkdir(exist_ok=True)
    part = path.with_suffix(".part.npz")  # renamed when whole: an interrupt leaves no broken file
    np.savez(part, X=np.ascontiguousarray(X, np.float32), y=np.asarray(y, np.int64))
    part.replace(path)


def available(names: Iterable[str]) -> list[str]:
    """Those that can be had here; the others are named in a sentence."""
    names = list(names)
    missing = [name for name in names if not _obtainable(name)]
    if missing:
        print(f"Left out, no data in {folder()}: {', '.join(missing)}. Set MAXMARGIN_DATA.")
    return [name for name in names if name not in missing]


def _obtainable(name: str) -> bool:
    stem = name.removesuffix("-csr")
    if stem not in FILES or (CACHE / f"{stem}.npz").exists():
        return True
    return (folder() / FILES[stem]).exists()
