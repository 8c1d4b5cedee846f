r"""Texts as the values of two linear machines: one on runs of letters, one on words.

Each is a ridge regression of the target on the tf-idf of n-grams,

    min_v  lambda |v|^2 + sum_i w_i (y_i - v'x_i)^2,     v = sum_i a_i x_i,

solved by conjugate gradients for a in single precision. The rows of the fit get the value of a
machine that was made without their fifth, new rows that of all rows. All six are solved at once; a
row that a machine must not see has the weight 0, and its product with the machine, which the next
step needs anyhow, is the value that it gets. So at each step it is known how well unseen rows are
told, and the best step is kept: stopping early is a second, finer ridge (Yao, Rosasco and
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
from maxmargin.tabular.ngrams import BITS, BUCKETS, count_ngrams, share_of
from maxmargin.tabular.written import to_words

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]
Single = NDArray[np.float32]

MOST_LETTERS = 10_000  # of a text that are read
LEAST_LETTERS = 200  # that are read of any text, however many there are
ALL_LETTERS = 10_000_000  # of all texts together, if that leaves each enough
MOST_NGRAMS = 1 << 17  # that are kept, the most frequent first
RAREST = 2  # texts that an n-gram needs
WORDS = 2  # that at least half of the values have where a column holds texts
SHAPE = ("length", "capitals", "digits")  # what else is told of a text, as numbers
RIDGE = 0.2
STEPS = 40
PATIENCE = 4  # steps that are no better after which they end
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
    def learn(cls, texts: Sequence[str | None], most: int = ALL_LETTERS) -> tuple[Vocabulary, Any]:
        """Choose n-grams; also returns their tf-idf in the texts, of which so much is read."""
        longest = choose_length(texts, most)
        parts = list(count_ngrams(texts, longest))
        holding = np.zeros(BUCKETS, dtype=np.intp)
        for part in parts:
            holding += np.bincount(part.indices, minlength=BUCKETS)
        found = np.flatnonzero(holding >= max(1, min(RAREST, holding.max())))
        found = found[np.argsort(-holding[found], kind="stable")[:MOST_NGRAMS]]
        buckets = np.sort(found)
        rarity = 1.0 + np.log((1.0 + len(texts)) / (1.0 + holding[buckets]))
        learned = cls(longest, buckets, rarity.astype(np.float32))
        return learned, sparse.vstack([learned.weigh(part) for part in parts], format="csr")

    def __restored__(self) -> None:
        """Check what was read: places of n-grams are looked up among all buckets."""
        known = self.buckets.ndim == 1 and self.rarity.shape == self.buckets.shape
        known = known and bool((np.diff(self.buckets, prepend=-1, append=BUCKETS) > 0).all())
        if not known or not 1 <= self.longest <= MOST_LETTERS:
            raise ValueError("The n-grams of a stored column of texts do not fit together.")

    @property
    def kinds(self) -> tuple[slice, slice]:
        """Where runs of letters are, and where words are."""
        border = int(np.searchsorted(self.buckets, 1 << BITS))
        return slice(0, border), slice(border, len(self.buckets))

    def weigh(self, counts: Any) -> Any:
        """Return the tf-idf of counts, of length 1 for letters and for words."""
        place = np.full(BUCKETS, -1, dtype=np.int32)
        place[self.buckets] = np.arange(len(self.buckets), dtype=np.int32)
        column = place[counts.indices]
        kept = column >= 0
        row = np.repeat(np.arange(counts.shape[0]), np.diff(counts.indptr))[kept]
        column = column[kept]
        value = (1.0 + np.log(counts.data[kept])) * self.rarity[column]
        kind = 2 * row + (self.buckets[column] >> BITS)
        length = np.sqrt(np.bincount(kind, value * value, 2 * counts.shape[0]))
        data = (value / length[kind]).astype(np.float32)
        starts = np.searchsorted(row, np.arange(counts.shape[0] + 1)).astype(np.int32)
        return sparse.csr_array((data, column, starts), shape=(counts.shape[0], len(self.buckets)))


@dataclass(frozen=True)
class TextColumn:
    """A column of texts: its n-grams, and two linear machines of them for each output."""

    name: str
    place: int
    vocabulary: Vocabulary
    weights: Single
    """A row an n-gram, a column an output."""
    spread: Vector
    """Of the cross-fitted values, by which they are divided."""
    cut: int
    """How many texts of the fit were longer than what is read of them."""

    def __restored__(self) -> None:
        """Check what was read: every n-gram has a weight for each output."""
        shape = len(self.vocabulary.buckets), len(self.spread) // len(self.vocabulary.kinds)
        if self.spread.ndim != 1 or len(self.spread) % 2 or self.weights.shape != shape:
            raise ValueError("The weights of a stored column of texts do not fit together.")

    def convert(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a column of new rows as texts."""
        return to_words(column)

    def blocks(self, column: NDArray[Any]) -> Iterator[tuple[str, Matrix]]:
        """Yield what the column becomes for new rows."""
        parts = []
        for counts in count_ngrams(column.tolist(), self.vocabulary.longest):
            X, kinds = self.vocabulary.weigh(counts), self.vocabulary.kinds
            parts.append(np.hstack([X[:, kind] @ self.weights[kind] for kind in kinds]))
        yield "texts", np.vstack(parts).astype(np.float64) / self.spread

    @property
    def treatment(self) -> str:
        """What becomes of it, in words."""
        said = f"texts: {len(self.vocabulary.buckets):,} n-grams, by linear machines"
        if self.cut:
            said += f"; {self.cut:,} cut after {self.vocabulary.longest:,} letters"
        return said


def are_texts(values: Sequence[str]) -> bool:
    """Whether most values differ and most hold several words.

    Examples
    --------
    >>> are_texts(["a b", "c d", "e"]), are_texts(["a b"] * 2 + ["c d"] * 2), are_texts(["a", "b"])
    (True, False, False)
    """
    several = sum(len(text[:MOST_LETTERS].split(None, WORDS)) >= WORDS for text in values)
    return 2 * several > len(values) and 2 * len(set(values)) > len(values)


def choose_length(texts: Sequence[str | None], most: int = ALL_LETTERS) -> int:
    """Choose after how many letters texts are cut, so that all together are not too many.

    Examples
    --------
    >>> choose_length(["short"]), choose_length(["x" * 30_000] * 5_000)
    (10000, 2000)
    """
    sizes = np.sort([len(text or "") for text in texts])
    below = np.cumsum(sizes) - sizes
    above = np.arange(len(sizes), 0, -1)
    share = int(((most - below) // above).max())  # the longest that all could have
    return max(LEAST_LETTERS, min(MOST_LETTERS, share))


def learn_texts(
    name: str, place: int, column: NDArray[Any], target: Matrix, weight: Vector
) -> tuple[TextColumn, Matrix]:
    """Learn from the rows of a fit; also returns their cross-fitted values."""
    texts = column.tolist()
    vocabulary, X = Vocabulary.learn(texts)
    fold = np.random.default_rng(0).permutation(len(texts)) % FOLDS
    weights = np.zeros((X.shape[1], target.shape[1]), np.float32)
    fitted = np.zeros((len(texts), 2, target.shape[1]))
    for number, kind in enumerate(vocabulary.kinds):
        part = X[:, kind]
        for first in range(0, target.shape[1], OUTPUTS):
            some = slice(first, first + OUTPUTS)
            weights[kind, some], fitted[:, number, some] = _cross_fit(
                part, target[:, some], weight, fold
            )
    values = fitted.reshape(len(texts), -1)
    mean = np.average(values, axis=0, weights=weight)
    spread = np.sqrt(np.average(np.square(values - mean), axis=0, weights=weight))
    spread[spread == 0.0] = 1.0
    cut = sum(len(text or "") > vocabulary.longest for text in texts)
    return TextColumn(name, place, vocabulary, weights, spread, cut), values / spread


def read_shape(column: NDArray[Any], part: str) -> Vector:
    """Return the logarithm of the lengths of texts, or the share of capitals or digits."""
    texts = column.tolist()
    if part == "length":
        return np.array([np.nan if text is None else np.log1p(len(text)) for text in texts])
    return share_of(str.isupper if part == "capitals" else str.isdigit, texts)


def _cross_fit(
    X: Any, target: Matrix, weight: Vector, fold: NDArray[np.intp]
) -> tuple[Single, Single]:
    """Return the machine of all rows, and for every row the value of one that has not seen it."""
    root = np.sqrt(weight / weight.mean()).astype(np.float32)
    mask = root[:, None] * (fold[:, None] != np.arange(FOLDS + 1))
    best, since = -np.inf, 0
    for a, values in descend(X, target.astype(np.float32), mask):
        unseen = np.take_along_axis(values, fold[:, None, None], axis=2)[:, :, 0]
        score = explain_share(unseen, target, weight)
        since = 0 if score > best else since + 1
        if not since:
            best, kept, fitted = score, root[:, None] * a[:, :, -1], unseen
        if since >= PATIENCE or seconds_left() <= 0.0:
            break
    return np.asarray(X.T @ kept), fitted


def explain_share(values: Single, target: Matrix, weight: Vector) -> float:
    """Return how much of targets their values explain, each at its best factor of at least 0.

    Only the shape of values counts, as they are divided by their spread.

    Examples
    --------
    >>> y = np.array([[1.0], [-1.0]])
    >>> explain_share(0.5 * y, y, np.ones(2)), explain_share(-y, y, np.ones(2))
    (2.0, 0.0)
    """
    both = np.maximum(weight @ (values * target), 0.0)
    return float((both * _divide(both, weight @ np.square(values, dtype=np.float64))).sum())


def descend(X: Any, target: Single, mask: Single) -> Iterator[tuple[Single, Single]]:
    """Yield the machines of rows and their values at each step, beginning with zeros.

    Parameters
    ----------
    X : csr_array of shape (rows, n-grams)
    target : ndarray of shape (rows, outputs)
    mask : ndarray of shape (rows, machines)
        Roots of the weights of rows; 0 where a machine must not see them.

    Yields
    ------
    a, values : ndarray of shape (rows, outputs, machines)
        The machine is ``X.T @ (mask * a)``.
    """
    mask = mask[:, None, :]
    rest = mask * target[:, :, None]
    a, values, step = np.zeros_like(rest), np.zeros_like(rest), rest.copy()
    yield a, values
    size = np.square(rest).sum(axis=0)
    for _ in range(STEPS):
        product = (X @ (X.T @ (mask * step).reshape(len(a), -1))).reshape(a.shape)
        moved = mask * product + np.float32(RIDGE) * step
        length = _divide(size, (step * moved).sum(axis=0))
        a = a + length * step
        values = values + length * product
        rest -= length * moved
        yield a, values
        new = np.square(rest).sum(axis=0)
        step = rest + _divide(new, size) * step
        size = new


def _divide(above: NDArray[Any], below: NDArray[Any]) -> NDArray[Any]:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 0)
