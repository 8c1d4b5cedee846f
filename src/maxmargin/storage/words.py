"""scikit-learn's counters of words as parts that can be checked.

How a text is cut into words is stored only by settings, never by a function, and a pattern of
words is one of a few whose time grows with the length of a text alone: others may take for ever on
some texts. The vocabulary is stored as the list of its words, in the order of their columns.
"""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np

PATTERNS = (r"(?u)\b\w\w+\b", r"(?u)\b\w+\b", r"\b\w\w+\b", r"\b\w+\b", r"\w+", r"\S+")
_ANALYZERS = ("word", "char", "char_wb")
_ENCODINGS = ("utf-8", "utf8", "utf-8-sig", "utf-16", "ascii", "latin-1", "iso-8859-1", "cp1252")
_LONGEST = 32  # words or characters together
_MOST_COLUMNS = 2**31 - 1


def check_words(step: Any) -> None:
    """Refuse functions, patterns that are not known, files as texts and a broken vocabulary."""
    kind = type(step).__name__
    for name in ("preprocessor", "tokenizer"):
        if getattr(step, name) is not None:
            raise ValueError(
                f"A {kind} is stored only with {name}=None: reading a function runs code."
            )
    if step.analyzer not in _ANALYZERS:
        raise ValueError(f"A {kind} is stored only with analyzer one of {', '.join(_ANALYZERS)}.")
    if step.token_pattern is not None and step.token_pattern not in PATTERNS:
        raise ValueError(
            f"A {kind} is stored only with a known token_pattern, as others may take for ever on "
            f"some texts; use one of {', '.join(PATTERNS)}."
        )
    if step.input != "content":
        raise ValueError(f"A {kind} is stored only with input='content': it would read files.")
    if not _is_plain(step):
        raise _misfit(step)
    _check_vocabulary(step)


def _misfit(step: Any) -> ValueError:
    return ValueError(f"The parts of a stored {type(step).__name__} do not fit together.")


def _is_plain(step: Any) -> bool:
    """Whether the settings that cost time, or name what Python looks up, are within bounds."""
    encoding, accents, columns = step.encoding, step.strip_accents, getattr(step, "n_features", 1)
    return bool(
        isinstance(encoding, str)
        and encoding.lower() in _ENCODINGS
        and accents in (None, "ascii", "unicode")
        and step.decode_error in ("strict", "ignore", "replace")
        and _are_stop_words(step.stop_words)
        and _is_range(step.ngram_range)
        and _is_count(columns)
        and columns <= _MOST_COLUMNS
    )


def _are_stop_words(words: Any) -> bool:
    if words is None or isinstance(words, str):
        return words in (None, "english")
    return isinstance(words, list | tuple | set | frozenset) and _are_texts(words)


def _are_texts(words: Any) -> bool:
    return all(type(word) is str for word in words)


def _is_range(given: Any) -> bool:
    pair = isinstance(given, tuple | list) and len(given) == 2 and all(map(_is_count, given))
    return pair and given[0] <= given[1] <= _LONGEST


def _is_count(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) >= 1


def _check_vocabulary(step: Any) -> None:
    """Columns are written where the vocabulary says: each word has one, and none is left over."""
    known = vars(step).get("vocabulary_")
    if known is None:
        return
    words = list(known)
    places = range(len(words)) if isinstance(known, list) else known.values()
    whole = isinstance(known, list) or sorted(places) == list(range(len(words)))
    if not (words and _are_texts(words) and len(set(words)) == len(words) and whole):
        raise _misfit(step)
    weights = vars(step).get("_tfidf")
    if hasattr(step, "use_idf") and type(weights).__name__ != "TfidfTransformer":
        raise _misfit(step)
    if len(getattr(weights, "idf_", words)) != len(words):
        raise _misfit(step)


def part_words(parts: dict[str, Any]) -> dict[str, Any]:
    """Return the vocabulary as a list; leave out where Python keeps the stop words."""
    held = {name: part for name, part in parts.items() if name != "_stop_words_id"}
    if "vocabulary_" in held:
        held["vocabulary_"] = sorted(held["vocabulary_"], key=held["vocabulary_"].__getitem__)
    return held


def restore_words(step: Any) -> None:
    """Return the column of each word."""
    known = vars(step).get("vocabulary_")
    if known is not None:
        step.vocabulary_ = {word: place for place, word in enumerate(known)}


def check_word_weights(step: Any) -> None:
    """Refuse weights that are no line of numbers."""
    weights = vars(step).get("idf_")
    if weights is None:
        return
    plain = isinstance(weights, np.ndarray) and weights.ndim == 1 and weights.dtype.kind == "f"
    if not plain or getattr(step, "n_features_in_", len(weights)) != len(weights):
        raise _misfit(step)
