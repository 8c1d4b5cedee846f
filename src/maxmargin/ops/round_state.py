"""What compiled rounds of AdaBoost work on: columns cut into buckets, rows with weights and votes.

Plain tuples of arrays, which loops and those who call them agree on. ``n`` is the number of rows,
``p`` that of columns, ``B`` that of buckets, ``W`` that of workers.
"""

from __future__ import annotations

from typing import Any, Final, NamedTuple

CHUNK: Final = 4096
"""Rows that are summed together, on any thread."""

GROWTH: Final = 1024.0
"""Of the sum of weights, before all are divided by it: 51 bits become 61."""
GREAT: Final = 700.0
"""Of a coefficient; the exponential of more is not taken."""

TOTAL, SQUARES, BASE, SCALE, STALE, VOTED = range(6)
"""Of a tally: the sum of weights and of their squares, that sum and the grid's scale when weights
were put on it last, whether they have to be put on it again, and the coefficients so far."""
TALLY: Final = 6

STATUS, RUN, COUNT, ALONG, SIDE, REST, GAIN, ERROR, COEFFICIENT, LOG_Z, COSINE, TRAIN_ERROR = range(
    12
)
"""Of a round: how it ended; its split (so many rows of a run, missing values along with them or
not, and the classes of that side and of the rest) and what it gained; and its numbers."""
LINE: Final = 12

MADE, PERFECT, WEAK = 0, 1, 2
"""How a round ends."""


class Buckets(NamedTuple):
    """Sorted columns, cut into buckets of neighbouring values; see ``ops/cpu/stump_buckets.py``."""

    rows: Any
    """The runs of all columns (uint32), as ``ops/cpu/stump.py`` has them."""
    start: Any
    """Where runs begin (uint64, 2p + 1)."""
    missing: Any
    """Rows without a value (uint32), column by column,"""
    lacking: Any
    """and where those of a column begin (int64, p + 1)."""
    first: Any
    """The first bucket of each run (int64, 2p + 1); a column's last bucket is of missing values."""
    begin: Any
    """Where among the rows a bucket begins,"""
    inner: Any
    """where its last value does"""
    stop: Any
    """and where it ends (int64, B)."""
    exact: Any
    """Whether a column's buckets have a single value each (bool, p)."""
    bundle: Any
    """The first column of each bundle of neighbours (int64, G + 1)."""
    cell: Any
    """Where its cells begin, numbered on from the buckets (int64, G + 1): one for all that its
    columns can be at together. A bundle without any is a single column."""
    width: Any
    """How many buckets of a column its cells tell apart, with the frequent value as the last."""
    entry_start: Any
    """Where the entries of a row begin (uint64, n + 1)"""
    entries: Any
    """among those of all rows (uint16): its cell in each bundle or, without cells, its bucket,
    unless it is at the frequent value."""


class Boosted(NamedTuple):
    """The rows of a training set of two classes in the middle of boosting."""

    label: Any
    """0 or 1 (uint8, n)."""
    share: Any
    """Weights of the first round, of sum 1 (float64, n)."""
    weight: Any
    """Weights (float64, n), of any sum."""
    level: Any
    """The same on a grid (int64, n): whole numbers, negative for class 0."""
    votes: Any
    """Of the ensemble (float64, n): above 0 for class 1."""
    side: Any
    """Whether a row is on the side that a split cuts off (uint8, n); 0 between rounds."""
    wrong: Any
    """Rows told wrong (uint32, n), those of each chunk from where it begins."""
    sums: Any
    """Levels of class 0 and class 1 in each bucket and cell, by size (int64): lines of what each
    worker has to add, then the sums; a worker alone has one line for both."""
    best: Any
    """The best score of each column (float64, p)"""
    hope: Any
    """and whether there may be a better one inside of its buckets (bool, p)."""
    chunk: Any
    """Numbers of each chunk (float64): rows told wrong, their weight and its squares, the weight of
    rows that the vote tells wrong; of all rows weighed anew their weight and its squares."""
    gained: Any
    """What the levels of both classes have grown by in each chunk (int64)."""
    whole: Any
    """Sums of levels of both classes, as each worker knows them (int64, W x 2)."""
    tally: Any
    """Running numbers, as each worker knows them (float64, W x 6)."""
    line: Any
    """The round at work, as each worker knows it (float64, W x 12)."""
