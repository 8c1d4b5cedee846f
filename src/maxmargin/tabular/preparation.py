"""From columns of any kind to rows of numbers in which distances mean something.

A column of numbers appears twice: standardised, and rank-shaped (normal scores of its ranks). The
first keeps proportions, the second is indifferent to any monotone distortion and to outliers, as
trees are. Where the target plainly jumps along it, it appears once more, as stairs (``steps``). A
column of words appears as scaled indicators of its levels, in which agreement on a rare level
counts more than on a common one, and as the mean of the target at its levels, cross-fitted for the
rows of the fit so that no row sees its own target. A column of texts appears as cross-fitted values
of a linear machine on their n-grams. Missing values get an indicator.

Columns of a kind are a block. A machine weighs blocks, and their columns, as its search found best.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from hashlib import blake2b
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtri

from maxmargin.ops.clock import TimeUp, look, stop_if_over
from maxmargin.tabular.prefixes import find_prefixes, match_prefixes
from maxmargin.tabular.steps import MOST_STEPS, find_steps
from maxmargin.tabular.texts import SHAPE, TextColumn, are_texts, learn_texts, read_shape
from maxmargin.tabular.written import (
    FORMS,
    NUMBER,
    find_form,
    look_like_dates,
    to_dates,
    to_numbers,
    to_words,
)

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

KERNEL_BLOCKS = (
    "standardised",
    "ranks",
    "missing",
    "levels",
    "target means",
    "texts",
    "steps",
)
BLOCKS = (*KERNEL_BLOCKS, "tails")  # only a linear trend sees tails
TREND_BLOCKS = ("standardised", "missing", "target means", "texts")

LONGEST_WORD = 64  # letters that are kept of a word
DOUBTFUL_DATES = "dates in several formats, or in one that leaves doubt, are read as words"
DATE_PARTS = ("days", "month", "weekday", "hour")
CLIP = 10.0  # standard deviations; at 4 a target that follows a heavy tail is cut off, too
MOST_KNOTS = 512  # points at which the rank of a value is kept; between them it is interpolated
MOST_LEVELS = 64  # indicators that a column of words becomes; rarer levels share one
RAREST = 2  # rows that a level needs for an indicator of its own
FOLDS = 5  # in which target means are cross-fitted
PRIOR_ROWS = 5.0  # rows at the overall mean that a level's mean is shrunk by
LONGEST_INDICATOR = 3.0  # standard deviations that an indicator of a rare level counts at most
_DAY, _HOUR = np.timedelta64(1, "D"), np.timedelta64(1, "h")


@dataclass(frozen=True)
class NumberColumn:
    """A column of numbers: how it is standardised, ranked and filled."""

    name: str
    place: int
    part: str
    """The part of a date or a text that it is, or nothing."""
    mean: float
    scale: float
    knots: Vector
    scores: Vector
    """Normal scores of the knots, standardised like the column."""
    missing: bool
    """Whether values were missing, so that an indicator pays."""
    form: str
    """How it was written, if as text."""
    steps: Vector = field(default_factory=lambda: np.zeros(0))
    """Values up to which stairs are level: where the target jumps."""
    stairs: Vector = field(default_factory=lambda: np.zeros(1))
    """Their heights, standardised like the column, one more than steps."""
    tail: tuple[float, ...] = field(default=(), metadata={"later": True})
    """The lowest and the highest standardised value, if a linear trend needs those beyond CLIP."""

    def __restored__(self) -> None:
        """Check what was read."""
        flight = self.steps.ndim == 1 and self.stairs.shape == (len(self.steps) + 1,)
        if not (flight and len(self.steps) <= MOST_STEPS and bool((np.diff(self.steps) > 0).all())):
            raise ValueError("The steps of a stored column of numbers do not fit together.")
        alike = self.knots.ndim == 1 and self.scores.shape == self.knots.shape
        known = self.part in ("", *DATE_PARTS, *SHAPE) and self.form in ("", *FORMS)
        ordered = alike and len(self.knots) > 0 and bool((np.diff(self.knots) > 0).all())
        tail = len(self.tail) in (0, 2) and bool(np.isfinite(self.tail).all())
        known = known and tail and self.tail == tuple(sorted(self.tail))
        if not (ordered and known and np.isfinite(self.mean) and 0.0 < self.scale < np.inf):
            raise ValueError("The parts of a stored column of numbers do not fit together.")

    def convert(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a column of new rows as one of the kind that was fitted."""
        if self.part in SHAPE:
            return to_words(column)
        if self.part:
            return to_dates(self.name, column, self.form)
        return to_numbers(self.name, column)

    def blocks(self, column: NDArray[Any]) -> Iterator[tuple[str, Matrix]]:
        """Yield what the column becomes, block by block."""
        values = read_part(column, self.part)
        gone = ~np.isfinite(values)
        filled = np.where(gone, self.mean, values)
        far = (filled - self.mean) / self.scale
        standard = np.clip(far, -CLIP, CLIP)
        ranks = np.interp(filled, self.knots, self.scores)
        standard[gone] = ranks[gone] = far[gone] = 0.0
        yield "standardised", standard[:, None]
        if self.tail:
            low, high = self.tail
            yield "tails", (np.clip(far, low, high) - np.clip(standard, low, high))[:, None]
        yield "ranks", np.clip(ranks, -CLIP, CLIP)[:, None]
        if self.missing:
            yield "missing", gone.astype(np.float64)[:, None]
        if len(self.steps):
            stairs = self.stairs[np.searchsorted(self.steps, filled)]
            yield "steps", np.where(gone, 0.0, stairs)[:, None]

    @property
    def treatment(self) -> str:
        """What becomes of it, in words."""
        said = f"{self.part} as a number" if self.part else "a number"
        said += f", written as text ({self.form})" if self.form not in ("", NUMBER) else ""
        said += ", written as text" if self.form == NUMBER else ""
        where = " and ".join(f"{step:.4g}" for step in self.steps)
        said += f", with steps at {where}" if where else ""
        return said + (", with an indicator of missing values" if self.missing else "")


@dataclass(frozen=True)
class WordColumn:
    """A column of words: its levels, the lengths of their indicators, and the target's means."""

    name: str
    place: int
    levels: NDArray[np.str_]
    """In order."""
    indicator: NDArray[np.intp]
    """Which indicator each level has, then each prefix; other rare levels share the last."""
    lengths: Vector
    means: Matrix
    """Of the standardised target, a row a level, then a row a prefix."""
    spread: Vector
    """Of the cross-fitted means, by which they are divided."""
    note: str
    """What else there is to say of it."""
    prefixes: NDArray[np.str_] = field(default_factory=lambda: np.zeros(0, np.str_))
    """Beginnings by which rare levels are grouped; words that are new at prediction, too."""

    def __restored__(self) -> None:
        """Check what was read: a row takes as much memory as there are indicators."""
        size, indicators = len(self.levels) + len(self.prefixes), len(self.lengths)
        flat = self.levels.ndim == self.lengths.ndim == self.spread.ndim == self.prefixes.ndim == 1
        within = self.indicator.shape == (size,) and 0 < indicators <= MOST_LEVELS
        within = within and bool(((self.indicator >= 0) & (self.indicator < indicators)).all())
        if not (flat and within and self.means.shape == (size, len(self.spread))):
            raise ValueError("The parts of a stored column of words do not fit together.")

    def convert(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a column of new rows as words."""
        return to_words(column)

    def blocks(self, column: NDArray[Any]) -> Iterator[tuple[str, Matrix]]:
        """Yield what the column becomes for new rows."""
        code = self._codes(column)
        known = code >= 0
        means = np.where(known[:, None], self.means[code], 0.0) / self.spread
        return self.of_codes(code, means)

    def _codes(self, column: NDArray[Any]) -> NDArray[np.intp]:
        """Return the number of each word's level, or of its prefix after those; -1 for neither."""
        code = find_levels(self.levels, column)
        if len(self.prefixes):
            new = [row for row in np.flatnonzero(code < 0).tolist() if column[row] is not None]
            found = match_prefixes([column[row] for row in new], self.prefixes)
            code[new] = np.where(found >= 0, len(self.levels) + found, -1)
        return code

    def of_codes(self, code: NDArray[np.intp], means: Matrix) -> Iterator[tuple[str, Matrix]]:
        """Yield indicators of level numbers (-1: never seen), and means that go with them."""
        indicators = np.zeros((len(code), len(self.lengths)))
        rows = np.flatnonzero(code >= 0)
        chosen = self.indicator[code[rows]]
        indicators[rows, chosen] = self.lengths[chosen]
        yield "levels", indicators
        yield "target means", means

    @property
    def treatment(self) -> str:
        """What becomes of it, in words."""
        said = f"a category of {len(self.levels):,} levels"
        of_level, of_prefix = np.split(self.indicator, [len(self.levels)])
        grouped = np.isin(of_level, of_prefix)
        rare = int((of_level[~grouped] == len(self.lengths) - 1).sum())
        said += f", of which {rare:,} rare ones share an indicator" if rare > 1 else ""
        begin = ", ".join(map(repr, self.prefixes.tolist()))
        said += f", and {int(grouped.sum()):,} by how they begin: {begin}" if begin else ""
        return f"{said}; {self.note}" if self.note else said


@dataclass(frozen=True)
class DroppedColumn:
    """A column that says nothing."""

    name: str
    place: int
    why: str

    def convert(self, column: NDArray[Any]) -> NDArray[Any]:
        """Return a column of new rows as it is."""
        return column

    def blocks(self, column: NDArray[Any]) -> Iterator[tuple[str, Matrix]]:  # noqa: ARG002
        """Yield nothing."""
        return iter(())

    @property
    def treatment(self) -> str:
        """What becomes of it, in words."""
        return f"dropped: {self.why}"


class TooManyRows(Exception):  # noqa: N818  (a smaller table is taken instead)
    """The time for preparing is over before all columns of all rows are read."""


Column = NumberColumn | WordColumn | TextColumn | DroppedColumn


@dataclass(frozen=True)
class Preparation:
    """What became of every column, and the rows of numbers that come of new ones.

    Examples
    --------
    >>> import numpy as np
    >>> numbers = np.array([1.0, 2.0, np.nan, 4.0])
    >>> words = np.array(["a", "b", "a", None], dtype=object)
    >>> target = np.array([[0.0], [1.0], [0.0], [1.0]])
    >>> learned, rows = Preparation.learn([numbers, words], ["x", "w"], target)
    >>> print(learned)
    x  a number, with an indicator of missing values
    w  a category of 2 levels
    """

    columns: tuple[Column, ...]

    def __restored__(self) -> None:
        """Check what was read: every part of a table's column is prepared once."""
        kept = [each for each in self.columns if not isinstance(each, DroppedColumn)]
        parts = {(each.place, getattr(each, "part", "")) for each in kept}
        if not kept or len(parts) < len(kept) or min(each.place for each in self.columns) < 0:
            raise ValueError("The columns of a stored preparation do not fit together.")

    @classmethod
    def learn(
        cls,
        columns: Sequence[NDArray[Any]],
        names: Sequence[str],
        target: Matrix,
        weight: Vector | None = None,
        stop: Callable[[], bool] | None = None,
        tails: bool = False,
    ) -> tuple[Preparation, Rows]:
        """Learn from the rows of a fit; also returns them prepared, with cross-fitted means.

        Parameters
        ----------
        columns : sequence of ndarray
            As ``read_columns`` returns them.
        names : sequence of str
        target : ndarray of shape (rows, outputs)
            Standardised.
        weight : ndarray of shape (rows,), optional
            How often each row counts.
        stop : callable, optional
            Asked before each column whether so many rows take too long.
        tails : bool, default=False
            Keep what clipping takes off standardised numbers, for a linear trend.

        Raises
        ------
        TooManyRows
            If so.
        """
        weight = np.ones(len(target)) if weight is None else weight
        learned: list[Column] = []
        made: list[tuple[str, Matrix]] = []
        seen: dict[bytes, Column] = {}
        for place, (name, column) in enumerate(zip(names, columns, strict=True)):
            look()
            if stop is not None and stop():
                raise TooManyRows
            for each, blocks in _learn_column(name, place, column, target, weight, tails):
                twin = _twin(each, blocks, seen)
                learned.append(each if twin is None else twin)
                made += blocks if twin is None else []
        preparation = cls(tuple(learned))
        if not made:
            raise ValueError(
                "No column of X can be used: " + "; ".join(str(preparation).split("\n")[:5]) + "."
            )
        return preparation, Rows.of(made, len(target))

    def rows(self, columns: Sequence[NDArray[Any]]) -> Rows:
        """Prepare new rows."""
        made: list[tuple[str, Matrix]] = []
        read: dict[tuple[int, bool], NDArray[Any]] = {}  # once for all parts of a column
        for each in self.columns:
            key = each.place, isinstance(each, DroppedColumn)
            if key not in read:
                read[key] = each.convert(columns[each.place])
            made += each.blocks(read[key])
        return Rows.of(made, len(columns[0]))

    def empty_row(self) -> Rows:
        """Prepare a row of which every value is missing."""
        nothing, places = np.array([None]), {0, *(each.place for each in self.columns)}
        columns: Any = dict.fromkeys(places, nothing)
        return self.rows(columns)

    def __str__(self) -> str:
        width = max(len(each.name) for each in self.columns)
        return "\n".join(f"{each.name:<{width}}  {each.treatment}" for each in self.columns)

    def places(self, columns: Sequence[NDArray[Any]]) -> NDArray[np.intp]:
        """Return the table's column that each column of ``rows`` of these columns comes from."""
        first = [column[:1] for column in columns]
        widths = [Preparation((each,)).rows(first).X.shape[1] for each in self.columns]
        return np.repeat([each.place for each in self.columns], widths)


@dataclass(frozen=True)
class Rows:
    """Prepared rows: all columns side by side, and where each comes from."""

    X: Matrix
    block: NDArray[np.intp]
    """The number of each column's block, in ``BLOCKS``."""
    group: NDArray[np.intp]
    """The number of the part of a table's column that each belongs to: those weigh alike."""

    @classmethod
    def of(cls, made: Sequence[tuple[str, Matrix]], count: int) -> Rows:
        """Put blocks side by side."""
        if not made:
            return cls(np.zeros((count, 0)), np.zeros(0, np.intp), np.zeros(0, np.intp))
        widths = [part.shape[1] for _, part in made]
        block = np.repeat([BLOCKS.index(name) for name, _ in made], widths)
        group = np.repeat(np.arange(len(made)), widths)
        return cls(np.hstack([part for _, part in made]), block, group)

    def part(self, places: NDArray[np.intp]) -> Rows:
        """Return some of the rows."""
        return Rows(self.X[places], self.block, self.group)

    def has(self, name: str) -> bool:
        """Whether a block has columns."""
        return bool((self.block == BLOCKS.index(name)).any())

    @property
    def trend(self) -> Matrix:
        """The columns that a linear trend sees, numbers with their tails."""
        used = np.flatnonzero(np.isin(self.block, [BLOCKS.index(name) for name in TREND_BLOCKS]))
        tails = np.flatnonzero(self.block == BLOCKS.index("tails"))
        Z = self.X[:, used]
        Z[:, np.searchsorted(used, tails) - 1] += self.X[:, tails]
        return Z


def _twin(
    column: Column, blocks: Sequence[tuple[str, Matrix]], seen: dict[bytes, Column]
) -> DroppedColumn | None:
    """Return the column as dropped if one before it becomes the same numbers."""
    if not blocks:
        return None
    key = blake2b()
    for _, part in blocks:
        key.update(part.tobytes())
    first = seen.setdefault(key.digest(), column)
    if first is column:
        return None
    same = f"the same as {first.name!r}"
    if isinstance(column, NumberColumn) and first.place == column.place:
        same = f"its {column.part} tells the same"
    return DroppedColumn(column.name, column.place, same)


def _learn_column(
    name: str, place: int, column: NDArray[Any], target: Matrix, weight: Vector, tails: bool
) -> Iterator[tuple[Column, list[tuple[str, Matrix]]]]:
    """Yield what a column becomes: one entry, or one for each part of dates and texts."""
    form = (
        find_form(w for w in column.tolist() if w is not None) if column.dtype.kind == "O" else ""
    )
    if form:
        column = to_numbers(name, column) if form == NUMBER else to_dates(name, column, form)
    parts: tuple[str, ...] = ("",) if column.dtype.kind == "f" else DATE_PARTS
    if column.dtype.kind == "O":
        found, blocks = _learn_words(name, place, column, target, weight)
        yield found, blocks
        parts = SHAPE if isinstance(found, TextColumn) else ()
    for part in parts:
        try:
            numbers = _learn_numbers(name, place, part, read_part(column, part), target, weight)
            if isinstance(numbers, NumberColumn):
                alone = part in ("", "days", "length")  # one indicator for all parts
                numbers = replace(numbers, form=form, missing=numbers.missing and alone)
                numbers = replace(numbers, tail=numbers.tail if tails else ())
            elif part not in ("", "days"):
                continue  # dates without hours have no hour
            yield numbers, list(numbers.blocks(column))
        except TimeUp:
            yield DroppedColumn(name, place, f"time was up before its {part} was read"), []


def read_part(column: NDArray[Any], part: str) -> Vector:
    """Return a column of numbers as it is, or a part of its dates or texts as numbers."""
    if part in SHAPE:
        return read_shape(column, part)
    if not part:
        return np.where(np.isfinite(column), column, np.nan)
    gone = np.isnat(column)
    when = np.where(gone, np.datetime64(0, "us"), column)
    days = when.astype("datetime64[D]")
    if part == "days":
        numbers = days.astype(np.int64)
    elif part == "month":
        numbers = when.astype("datetime64[M]").astype(np.int64) % 12 + 1
    elif part == "weekday":
        numbers = (days.astype(np.int64) + 3) % 7 + 1
    else:
        numbers = (when - days) / _HOUR
    return np.where(gone, np.nan, numbers.astype(np.float64))


def _learn_numbers(
    name: str, place: int, part: str, values: Vector, target: Matrix, weight: Vector
) -> NumberColumn | DroppedColumn:
    known = np.isfinite(values)
    if not known.any():
        return DroppedColumn(name, place, "every value is missing")
    present, number = np.unique(values[known], return_inverse=True)
    counts = _count(number, weight[known], len(present))
    missing = not known.all()
    if len(present) == 1:
        if not missing:
            return DroppedColumn(name, place, "every row has the same value")
        return NumberColumn(
            name, place, part, float(present[0]), 1.0, present, np.zeros(1), True, ""
        )
    largest = float(np.abs(present[[0, -1]]).max())  # so that squares stay finite
    mean, scale = (largest * each for each in _mean_and_spread(present / largest, counts))
    scores = _normal_scores(counts)
    knots, at = _thinned(present, scores)
    steps, stairs = _stairs(values[known], scores[number], target[known], weight[known])
    low, high = ((present[[0, -1]] - mean) / scale).tolist()
    tail = (low, high) if max(-low, high) > CLIP else ()
    return NumberColumn(name, place, part, mean, scale, knots, at, missing, "", steps, stairs, tail)


def _stairs(
    values: Vector, scores: Vector, target: Matrix, weight: Vector
) -> tuple[Vector, Vector]:
    """Return where the target jumps, and standardised heights of the stairs between."""
    if not target.shape[1]:  # there is none
        return np.zeros(0), np.zeros(1)
    try:
        stop_if_over()
    except TimeUp:  # stairs help, but a machine needs none
        return np.zeros(0), np.zeros(1)
    found = find_steps(values, scores, target, weight)
    if not len(found):
        return np.zeros(0), np.zeros(1)
    steps, heights = found[:, 0], np.append(0.0, np.cumsum(found[:, 1]))
    mean, spread = _mean_and_spread(heights[np.searchsorted(steps, values)], weight)
    return steps, (heights - mean) / spread


def _count(number: NDArray[np.intp], weight: Vector, size: int) -> Vector:
    """Add up the weights of each number."""
    return np.asarray(np.bincount(number, weight, size), dtype=np.float64)


def _mean_and_spread(values: Vector, counts: Vector) -> tuple[float, float]:
    mean = float(np.average(values, weights=counts))
    spread = float(np.sqrt(np.average(np.square(values - mean), weights=counts)))
    return mean, spread or 1.0


def _normal_scores(counts: Vector) -> Vector:
    """Return the standardised normal scores of sorted values; tied ones share a rank."""
    below = np.cumsum(counts) - counts
    scores = ndtri((below + 0.5 * counts) / counts.sum())
    mean, spread = _mean_and_spread(scores, counts)
    return np.asarray((scores - mean) / spread)


def rank_knots(values: Vector, weight: Vector) -> tuple[Vector, Vector]:
    """Return values in order, at most ``MOST_KNOTS``, and their standardised normal scores.

    Examples
    --------
    >>> rank_knots(np.array([5.0, 1.0, 9.0]), np.ones(3))[1].round(2).tolist()
    [-1.22, 0.0, 1.22]
    """
    present, number = np.unique(values, return_inverse=True)
    return _thinned(present, _normal_scores(_count(number, weight, len(present))))


def _thinned(values: Vector, scores: Vector) -> tuple[Vector, Vector]:
    """Return as many values and their scores as are kept."""
    if len(values) > MOST_KNOTS:
        shares = np.linspace(0, len(values) - 1, MOST_KNOTS).astype(np.intp)
        values, scores = values[shares], scores[shares]
    return values, scores


def find_levels(levels: NDArray[np.str_], column: NDArray[Any]) -> NDArray[np.intp]:
    """Return the number of each word among the levels, -1 where it is missing or unknown."""
    number = {level: code for code, level in enumerate(levels.tolist())}
    found = [-1 if w is None else number.get(shorten(w), -1) for w in column.tolist()]
    return np.array(found, dtype=np.intp)


def shorten(word: str) -> str:
    """Return a word that is kept in few letters, though it differs from other long words.

    Examples
    --------
    >>> shorten("short"), len(shorten("long" * 100)), shorten("a" * 99) == shorten("a" * 98)
    ('short', 64, False)
    """
    word = word.rstrip("\0")  # which an array of words cannot hold
    if len(word) <= LONGEST_WORD:
        return word
    digest = blake2b(word.encode("utf-8", "surrogatepass"), digest_size=8).hexdigest()
    return word[: LONGEST_WORD - len(digest)] + digest


def _learn_words(
    name: str, place: int, column: NDArray[Any], target: Matrix, weight: Vector
) -> tuple[Column, list[tuple[str, Matrix]]]:
    present = [word for word in column.tolist() if word is not None]
    if not present:
        return DroppedColumn(name, place, "every value is missing"), []
    if are_texts(present):
        return _learn_texts(name, place, column, target, weight)
    levels = np.array(sorted({shorten(word) for word in present}), dtype=np.str_)
    note = DOUBTFUL_DATES if look_like_dates(levels.tolist()) else ""
    code = find_levels(levels, column)
    known = code >= 0
    counts = _count(code[known], weight[known], len(levels))
    if len(levels) == 1 and known.all():
        return DroppedColumn(name, place, "every row has the same value"), []
    if len(levels) == len(code):
        why = "every row has a word of its own" + (f"; {note}" if note else "")
        return DroppedColumn(name, place, why), []
    kept = _frequent(counts)
    rare = np.delete(np.arange(len(levels)), kept)
    prefixes = _group_rare(levels, rare, code, target, weight)
    kept = kept[: MOST_LEVELS - 1 - len(prefixes)]  # groups take the place of the rarest
    group = match_prefixes(levels.tolist(), prefixes)
    group[kept] = -1
    indicator, lengths = _indicators(counts, kept, group, len(prefixes), float(weight.sum()))
    means, fitted = _target_means(code, target, group, len(prefixes), weight)
    spread = np.array([_mean_and_spread(column, weight)[1] for column in fitted.T])
    learned = WordColumn(name, place, levels, indicator, lengths, means, spread, note, prefixes)
    return learned, list(learned.of_codes(code, fitted / spread))


def _learn_texts(
    name: str, place: int, column: NDArray[Any], target: Matrix, weight: Vector
) -> tuple[Column, list[tuple[str, Matrix]]]:
    try:
        found, values = learn_texts(name, place, column, target, weight)
        return found, [("texts", values)]
    except TimeUp:
        return DroppedColumn(name, place, "time was up before its texts were read"), []


def _frequent(counts: Vector) -> NDArray[np.intp]:
    """Return the levels that have an indicator of their own, the most frequent first."""
    common = np.flatnonzero(counts >= min(RAREST, counts.max()))
    return common[np.argsort(-counts[common], kind="stable")[: MOST_LEVELS - 1]]


def _group_rare(
    levels: NDArray[np.str_],
    rare: NDArray[np.intp],
    code: NDArray[np.intp],
    target: Matrix,
    weight: Vector,
) -> NDArray[np.str_]:
    """Return beginnings of rare levels that tell of the target."""
    rows = np.flatnonzero(np.isin(code, rare))
    weighed = target[rows] * weight[rows, None]
    sums = [np.bincount(code[rows], each, len(levels))[rare] for each in weighed.T]
    return find_prefixes(
        levels[rare],
        _count(code[rows], weight[rows], len(levels))[rare],
        np.reshape(np.array(sums, dtype=np.float64), (target.shape[1], len(rare))).T,
        (weighed * target[rows]).sum(axis=0),
    )


def _indicators(
    counts: Vector, kept: NDArray[np.intp], group: NDArray[np.intp], groups: int, rows: float
) -> tuple[NDArray[np.intp], Vector]:
    """Choose the indicator of each level, then of each group, and how long each indicator is.

    An indicator of share p has the standard deviation (p (1 - p))^1/2; divided by it, levels count
    alike, and agreement on a rare one counts more. Half of that, because two indicators differ
    wherever two levels do.
    """
    indicator = np.where(group >= 0, len(kept) + group, len(kept) + groups)
    indicator[kept] = np.arange(len(kept))
    indicators = len(kept) + groups + bool((indicator == len(kept) + groups).any())
    sizes = _count(indicator, counts, indicators)
    indicator = np.append(indicator, len(kept) + np.arange(groups))
    share = np.clip(sizes / rows, 0.5 / rows, 1.0 - 0.5 / rows)
    return indicator, np.minimum(0.5 / np.sqrt(share * (1.0 - share)), LONGEST_INDICATOR)


def _target_means(
    code: NDArray[np.intp],
    target: Matrix,
    group: NDArray[np.intp],
    groups: int,
    weight: Vector,
) -> tuple[Matrix, Matrix]:
    """Return the target's mean at each level and group, and for every row that of the other folds.

    Means of levels are shrunk towards that of their group, or the overall one where they have none.
    """
    fold = np.random.default_rng(0).permutation(len(code)) % FOLDS
    known, levels = code >= 0, len(group)
    sums = np.zeros((FOLDS, levels, target.shape[1]))
    counts = np.zeros((FOLDS, levels))
    np.add.at(sums, (fold[known], code[known]), target[known] * weight[known, None])
    np.add.at(counts, (fold[known], code[known]), weight[known])
    total, many = sums.sum(axis=0), counts.sum(axis=0)
    of_groups, prior = _prior(total[None], many[None], group, groups)
    means = (total + PRIOR_ROWS * prior[0]) / (many + PRIOR_ROWS)[:, None]
    _, prior = _prior(total - sums, many - counts, group, groups)
    others = (total - sums + PRIOR_ROWS * prior) / (many - counts + PRIOR_ROWS)[..., None]
    fitted = np.where(known[:, None], others[fold, code], 0.0)
    return np.vstack([means, of_groups[0]]), fitted


def _prior(
    sums: Matrix, counts: Matrix, group: NDArray[np.intp], groups: int
) -> tuple[Matrix, Matrix]:
    """Return the mean of each group in each of several sums of levels, and by level; 0 for none."""
    member = (group == np.arange(groups)[:, None]).astype(np.float64)
    of_groups = (member @ sums) / (counts @ member.T + PRIOR_ROWS)[..., None]
    by_level = np.where(group[:, None] >= 0, of_groups[:, group], 0.0) if groups else 0.0 * sums
    return of_groups, by_level
