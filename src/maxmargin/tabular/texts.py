r"""Texts as decision values of a linear machine on their n-grams.

The machine is a ridge regression of the target on the tf-idf of n-grams,

    min_v  lambda |v|^2 + sum_i w_i (y_i - v'x_i)^2,     v = sum_i a_i x_i,

solved by conjugate gradients for a in single precision. The rows of the fit get the value of a
machine that was made without their fifth, new rows that of all rows. All six are solved at once: a
row that a machine must not see has the weight 0, and its product with the machine, which the next
step needs anyhow, is the value that it gets. So the error on unseen rows is known at each step, and
the steps end where it is least: stopping early is a second, finer ridge (Yao, Rosasco and
Caponnetto, "On early stopping in gradient descent learning", Constructive Approximation 26, 2007).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from maxmargin.ops.clock import seconds_left
from maxmargin.tabular.ngrams import BITS, BUCKETS, count_ngrams

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Single = NDArray[np.float32]

MOST_LETTERS = 10_000  # of a text that are read
LEAST_LETTERS = 200  # that are read of any text, however many there are
ALL_LETTERS = 10_000_000  # of all texts together, if that leaves each enough
MOST_NGRAMS = 1 << 17  # that are kept, the most frequent first
RAREST = 2  # texts that an n-gram needs
WORDS = 2  # that at least half of the values have where a column holds texts
RIDGE = 0.1
STEPS = 40
PATIENCE = 4  # steps without a smaller error after which they end
FOLDS = 5
OUTPUTS = 8  # that are solved at once, which bounds memory


@dataclass(frozen=True)
class Vocabulary:
    """The n-grams that are kept, and how rare each is."""

    longest: int
    """Letters after which a text is cut."""
    buckets: NDArray[np.intp]
    """Their numbers, ascending."""
    rarity: Single
    """1 + log((1 + texts) / (1 + texts that hold it))."""

    @classmethod
    def learn(cls, texts: Sequence[str | None]) -> tuple[Vocabulary, Any]:
        """Choose n-grams; also returns the counts of all of them in the texts."""
        longest = choose_length(texts)
        parts = list(count_ngrams(texts, longest))
        holding = sum(np.bincount(part.indices, minlength=BUCKETS) for part in parts)
        found = np.flatnonzero(holding >= min(RAREST, holding.max()))
        found = found[np.argsort(-holding[found], kind="stable")[:MOST_NGRAMS]]
        buckets = np.sort(found)
        rarity = 1.0 + np.log((1.0 + len(texts)) / (1.0 + holding[buckets]))
        learned = cls(longest, buckets, rarity.astype(np.float32))
        return learned, sparse.vstack([learned.weigh(part) for part in parts], format="csr")

    def weigh(self, counts: Any) -> Any:
        """Return the tf-idf of counts: letters and words have half of the length of a row each."""
        place = np.full(BUCKETS, -1, dtype=np.int32)
        place[self.buckets] = np.arange(len(self.buckets), dtype=np.int32)
        column = place[counts.indices]
        kept = column >= 0
        row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))[kept]
        column = column[kept]
        value = (1.0 + np.log(counts.data[kept])) * self.rarity[column]
        kind = 2 * row + (self.buckets[column] >> BITS)
        length = np.sqrt(2.0 * np.bincount(kind, value * value, 2 * counts.shape[0]))
        data = (value / length[kind]).astype(np.float32)
        starts = np.searchsorted(row, np.arange(counts.shape[0] + 1))
        return sparse.csr_array(
            (data, column, starts), shape=(counts.shape[0], len(self.buckets))
        )


@dataclass(frozen=True)
class TextColumn:
    """A column of texts: its n-grams, and a linear machine of them for each output."""

    name: str
    place: int
    vocabulary: Vocabulary
    weights: Single
    """A row an n-gram, a column an output."""
    spread: Vector
    """Of the cross-fitted values, by which they are divided."""
    cut: int
    """How many texts of the fit were longer than what is read of them."""
    missing: bool
    """Whether texts were missing, so that an indicator pays."""

    def blocks(self, column: NDArray[Any]) -> Iterator[tuple[str, Matrix]]:
        """Yield what the column becomes for new rows."""
        texts = column.tolist()
        parts = [
            self.vocabulary.weigh(counts) @ self.weights
            for counts in count_ngrams(texts, self.vocabulary.longest)
        ]
        return self.of_values(np.vstack(parts).astype(np.float64), column)

    def of_values(self, values: Matrix, column: NDArray[Any]) -> Iterator[tuple[str, Matrix]]:
        """Yield what goes with the values of the machines."""
        yield "texts", values / self.spread
        if self.missing:
            yield "missing", np.equal(column, None).astype(np.float64)[:, None]

    @property
    def treatment(self) -> str:
        """What becomes of it, in words."""
        said = f"texts: {len(self.vocabulary.buckets):,} n-grams, by a linear machine"
        if self.cut:
            said += f"; {self.cut:,} cut after {self.vocabulary.longest:,} letters"
        return said + (", with an indicator of missing values" if self.missing else "")


def are_texts(values: Sequence[str]) -> bool:
    """Whether most values differ and most hold several words.

    Examples
    --------
    >>> are_texts(["a b", "c d", "e"]), are_texts(["a b", "a b", "c"]), are_texts(["a", "b"])
    (True, False, False)
    """
    several = sum(len(text[:MOST_LETTERS].split(None, WORDS)) >= WORDS for text in values)
    return 2 * several > len(values) and 2 * len(set(values)) > len(values)


def choose_length(texts: Sequence[str | None]) -> int:
    """Choose after how many letters texts are cut, so that all together are not too many.

    Examples
    --------
    >>> choose_length(["short"]), choose_length(["x" * 30_000] * 5_000)
    (10000, 2000)
    """
    sizes = np.sort([len(text or "") for text in texts])
    below = np.cumsum(sizes) - sizes
    above = np.arange(len(sizes), 0, -1)
    share = int(((ALL_LETTERS - below) // above).max())  # the longest that all could have
    return max(LEAST_LETTERS, min(MOST_LETTERS, share))


def learn_texts(
    name: str, place: int, column: NDArray[Any], target: Matrix, weight: Vector
) -> tuple[TextColumn, list[tuple[str, Matrix]]]:
    """Learn from the rows of a fit; also returns their cross-fitted values."""
    texts = column.tolist()
    vocabulary, X = Vocabulary.learn(texts)
    fold = np.random.default_rng(0).permutation(len(texts)) % FOLDS
    found = [
        _cross_fit(X, target[:, first : first + OUTPUTS], weight, fold)
        for first in range(0, target.shape[1], OUTPUTS)
    ]
    weights = np.hstack([v for v, _ in found])
    fitted = np.hstack([values for _, values in found]).astype(np.float64)
    mean = np.average(fitted, axis=0, weights=weight)
    spread = np.sqrt(np.average(np.square(fitted - mean), axis=0, weights=weight))
    spread[spread == 0.0] = 1.0
    cut = sum(len(text or "") > vocabulary.longest for text in texts)
    missing = any(text is None for text in texts)
    learned = TextColumn(name, place, vocabulary, weights, spread, cut, missing)
    return learned, list(learned.of_values(fitted, column))


def _cross_fit(
    X: Any, target: Matrix, weight: Vector, fold: NDArray[np.intp]
) -> tuple[Single, Single]:
    """Return the machine of all rows, and for every row the value of one that has not seen it."""
    n, outputs = target.shape
    machines = np.arange(FOLDS + 1)
    root = np.sqrt(weight / weight.mean())
    mask = (root[:, None] * (fold[:, None] != machines)).astype(np.float32)[:, None, :]
    Y = target.astype(np.float32)[:, :, None]
    a = np.zeros((n, outputs, FOLDS + 1), np.float32)
    values = np.zeros_like(a)
    rest = mask * Y
    step = rest.copy()
    best, kept, fitted = np.inf, a[:, :, -1].copy(), values[:, :, 0].copy()
    since = 0
    size = np.square(rest).sum(axis=0)
    for _ in range(STEPS):
        flat = (mask * step).reshape(n, -1)
        product = (X @ (X.T @ flat)).reshape(step.shape)
        moved = mask * product + np.float32(RIDGE) * step
        curved = (step * moved).sum(axis=0)
        length = np.divide(size, curved, out=np.zeros_like(size), where=curved > 0)
        a += length * step
        values += length * product
        rest -= length * moved
        unseen = np.take_along_axis(values, fold[:, None, None], axis=2)[:, :, 0]
        error = float(np.average(np.square(unseen - target).mean(axis=1), weights=weight))
        since = 0 if error < best else since + 1
        if not since:
            best, kept, fitted = error, a[:, :, -1].copy(), unseen
        if since >= PATIENCE or seconds_left() <= 0.0:
            break
        new = np.square(rest).sum(axis=0)
        step = rest + np.divide(new, size, out=np.zeros_like(size), where=size > 0) * step
        size = new
    return np.asarray(X.T @ (mask[:, :, -1] * kept)), fitted
