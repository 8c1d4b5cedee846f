"""Tables to try the command on: one that ships with the package, others made on the spot."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import polars as pl

from maxmargin.tables import InputError

_LOVED, _HATED = ("delicious", "lovely", "superb", "charming"), ("stale", "rude", "awful", "cold")
_FILLING = (
    "the soup", "our waiter", "a dessert", "the terrace", "some bread", "the menu", "a coffee",
    "their fish", "the music", "a table", "the view", "my salad",
)  # fmt: skip


@dataclass(frozen=True)
class Demo:
    """A table that the command is shown on.

    Parameters
    ----------
    name : str
    about : str
        What it is, in a few words.
    target : str
    make : callable or None
        Makes the table; None for the file that ships with the package.
    """

    name: str
    about: str
    target: str
    make: Callable[[], pl.DataFrame] | None = None

    def write(self, folder: Path) -> Path:
        """Return the file of the table, which is written first if it does not ship.

        Parameters
        ----------
        folder : Path
            Where it is written.

        Returns
        -------
        Path
        """
        if self.make is None:
            from maxmargin.datasets import heart_path

            return heart_path()
        path, text = folder / f"{self.name}.csv", self.make().write_csv()
        if path.exists() and path.read_text(encoding="utf-8") != text:
            raise InputError(f"{str(path)!r} is another file, which the demo does not replace.")
        path.write_text(text, encoding="utf-8")
        return path


def _bundled(name: str, target: str) -> pl.DataFrame:
    """Return a table that comes with scikit-learn."""
    from sklearn import datasets

    bunch: Any = getattr(datasets, f"load_{name}")()
    columns = dict(zip(map(str, bunch.feature_names), np.asarray(bunch.data).T, strict=True))
    return pl.DataFrame({**columns, target: np.asarray(bunch.target)})


def _reviews(rows: int = 900) -> pl.DataFrame:
    """Return invented reviews of a restaurant; one in ten says the contrary of its stars."""
    random = np.random.default_rng(0)
    liked = random.random(rows) < 0.6
    odd = random.random(rows) < 0.1
    texts = []
    for good in liked ^ odd:
        word = random.choice(_LOVED if good else _HATED)
        first, second, third = random.choice(_FILLING, 3, replace=False)
        texts.append(f"We had {first} and {second}, and {third} was {word}")
    return pl.DataFrame(
        {
            "review": texts,
            "visits": random.integers(1, 20, rows),
            "verdict": np.where(liked, "liked", "disliked"),
        }
    )


DEMOS: Final = (
    Demo("heart", "303 patients, two classes; gaps and words (ships with the package)", "AHD"),
    Demo(
        "diabetes",
        "442 patients, a quantity (comes with scikit-learn)",
        "progression",
        lambda: _bundled("diabetes", "progression"),
    ),
    Demo(
        "digits",
        "1,797 handwritten digits, ten classes (comes with scikit-learn)",
        "digit",
        lambda: _bundled("digits", "digit"),
    ),
    Demo("reviews", "900 invented reviews, a column of texts", "verdict", _reviews),
)


def find_demo(name: str) -> Demo:
    """Return a demo by its name.

    Parameters
    ----------
    name : str

    Returns
    -------
    Demo
    """
    found = {each.name: each for each in DEMOS}
    if name not in found:
        raise InputError(f"There is no demo {name!r}: choose among {', '.join(found)}.")
    return found[name]
