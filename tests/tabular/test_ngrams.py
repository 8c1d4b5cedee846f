import numpy as np
import pytest
from sklearn.feature_extraction.text import CountVectorizer

from maxmargin.tabular import ngrams
from maxmargin.tabular.ngrams import BITS, BUCKETS, count_ngrams, share_of

TEXTS = [
    "Free entry, call 08001 NOW!",
    "see you   at\nsix",
    "",
    "?",
    None,
    "a",
    "ÄÖÜ ist groß 漢字",
]


def counts_of(texts, longest=1000):
    parts = [part.toarray() for part in count_ngrams(texts, longest)]
    return np.vstack(parts)


def test_runs_of_letters_are_those_of_scikit_learn():
    """Equal multisets of counts in every row: hashing only renames n-grams."""
    plain = [text or "" for text in TEXTS]
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=(3, 5)).fit_transform(plain)
    ours = counts_of(TEXTS)[:, : 1 << BITS]
    for mine, other, text in zip(ours, theirs.toarray(), plain, strict=True):
        if all(len(word) > 2 for word in text.split()):  # shorter ones are repeated there
            assert sorted(mine[mine > 0]) == sorted(other[other > 0])


def test_words_and_pairs_are_those_of_scikit_learn():
    plain = [text or "" for text in TEXTS]
    theirs = CountVectorizer(token_pattern=r"[^\W_]+", ngram_range=(1, 2)).fit_transform(plain)
    ours = counts_of(TEXTS)[:, 1 << BITS :]
    np.testing.assert_array_equal(ours.sum(axis=1), theirs.toarray().sum(axis=1))


def test_equal_words_have_equal_numbers_wherever_they_stand():
    once, later = counts_of(["hello", "well hello"])
    assert ((once > 0) <= (later > 0)).all()
    assert len(once) == BUCKETS


def test_pieces_change_nothing(monkeypatch):
    whole = counts_of(TEXTS * 3)
    shares = share_of(str.isupper, TEXTS * 3)
    monkeypatch.setattr(ngrams, "PIECE", 10)
    np.testing.assert_array_equal(counts_of(TEXTS * 3), whole)
    np.testing.assert_array_equal(share_of(str.isupper, TEXTS * 3), shares)


def test_only_the_beginning_is_read():
    np.testing.assert_array_equal(counts_of(["abc def", "abc de"], 6)[0], counts_of(["abc de"])[0])


@pytest.mark.parametrize("text", ["\ud800 lone", "\0\0\0", "a\u0301", "\U0010ffff" * 4, " \n\t "])
def test_any_letters_are_read(text):
    assert np.isfinite(counts_of([text, "x"])).all()
