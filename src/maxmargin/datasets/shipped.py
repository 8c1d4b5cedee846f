"""Reading the files in ``data/`` with nothing but NumPy and the csv module."""

import csv
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

DATA = Path(__file__).parent / "data"


def read_numbers(name: str) -> NDArray[np.float64]:
    """Return the rows of a purely numeric csv file, plain or gzipped, without its header."""
    return np.loadtxt(DATA / name, delimiter=",", skiprows=1, ndmin=2)


def read_texts(name: str) -> dict[str, NDArray[Any]]:
    """Return the columns of a csv file by name, every cell as the text it is."""
    with (DATA / name).open(newline="", encoding="utf-8") as lines:
        header, *rows = csv.reader(lines)
    cells = np.array(rows, dtype=object)
    return {column: cells[:, j] for j, column in enumerate(header)}
