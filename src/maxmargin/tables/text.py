"""Which columns of words are texts, and which look like sequences of few letters."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence

import polars as pl

MOST_LETTERS = 10_000  # of a text or a sequence that are read
SAMPLE = 2_000  # values that are looked at
SHORTEST_SEQUENCE = 8
_WORD = re.compile(r"[^\W\d_]{3,}")
_UNSPACED = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff]{2,}")  # Thai, Japanese, Chinese
_ALPHABETS = {
    "DNA": re.compile(r"[ACGTUNRYSWKMBDHV-]+"),
    "protein": re.compile(r"[ACDEFGHIKLMNPQRSTVWYXBZUO*-]+"),
}
_NEARLY_ALL = 0.95


def are_texts(values: pl.Series) -> bool:
    """Whether most values hold several words and share one with another value.

    Parameters
    ----------
    values : Series
        Words, of which some may be missing.

    Returns
    -------
    bool

    Examples
    --------
    >>> are_texts(pl.Series(["call me back", "please call", "the good life", "good night"]))
    True
    >>> are_texts(pl.Series(["A/5 21171", "PC 17599", "113803", "STON/O2. 3101282"]))
    False
    >>> are_texts(pl.Series(["RAT-DONOR-521", "RAT-DONOR-90", "HUM-DONOR-30"]))
    False
    """
    texts = _sample(values)
    words = [{part.lower() for part in text.split() if _WORD.search(part)} for text in texts]
    held = Counter(word for each in words for word in each)
    telling = sum(
        (len(each) > 1 and any(held[word] > 1 for word in each)) or bool(_UNSPACED.search(text))
        for each, text in zip(words, texts, strict=True)
    )
    return 2 * telling > len(texts)


def name_alphabet(values: pl.Series) -> str:
    """Name the letters of sequences, such as "DNA"; empty where values do not look like any.

    Parameters
    ----------
    values : Series

    Returns
    -------
    str

    Examples
    --------
    >>> name_alphabet(pl.Series(["GATTACAGATT", "CCATGCATTA"])), name_alphabet(pl.Series(["CAT"]))
    ('DNA', '')
    """
    found = _sample(values)
    long = [each for each in found if len(each) >= SHORTEST_SEQUENCE]
    if not long or len(long) < _NEARLY_ALL * len(found):
        return ""
    for name, letters in _ALPHABETS.items():
        if sum(bool(letters.fullmatch(each.upper())) for each in long) >= _NEARLY_ALL * len(long):
            return name
    return ""


def count_cut(values: pl.Series) -> int:
    """Count the values that are longer than what is read of them."""
    return int((values.cast(pl.String).str.len_chars() > MOST_LETTERS).sum())


def cut(values: pl.Series) -> pl.Series:
    """Return texts without what is not read of them.

    >>> cut(pl.Series(["short", None])).to_list()
    ['short', None]
    """
    return values.cast(pl.String).str.head(MOST_LETTERS)


def _sample(values: pl.Series) -> Sequence[str]:
    """Take values from all over a column."""
    present = values.drop_nulls()
    step = max(1, len(present) // SAMPLE)
    return [text.strip() for text in cut(present.gather_every(step)).to_list()]
