"""Texts as sparse rows of their n-grams, for linear machines."""

from __future__ import annotations

from typing import Any, Self

from scipy import sparse
from sklearn.base import BaseEstimator, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from maxmargin.tabular.ngrams import count_ngrams
from maxmargin.tabular.texts import Vocabulary

MOST_LETTERS = 50_000_000  # of all texts together: what their n-grams need is about ten times that


class TextVectors(TransformerMixin, BaseEstimator):
    """The tf-idf of a column of texts: of runs of letters, of words and of pairs of words.

    The n-grams are those that ``TableSVC`` reads. Runs of letters have length 1, and so have words:
    a text has the length of the square root of 2.

    Parameters
    ----------
    most_letters : int, default=50,000,000
        Of all texts together; where there are more, long texts are cut, though never below 200
        letters. No more than 10,000 letters of a text are read.

    Attributes
    ----------
    vocabulary_ : Vocabulary
        The n-grams that at least two texts hold, and how rare each is.

    Examples
    --------
    >>> from maxmargin.tabular.text_vectors import TextVectors
    >>> texts = ["call now", "call me", "sleep well", None]
    >>> TextVectors().fit_transform(texts).power(2).sum(axis=1).round(2).tolist()
    [2.0, 2.0, 1.0, 0.0]
    """

    def __init__(self, most_letters: int = MOST_LETTERS) -> None:
        self.most_letters = most_letters

    def fit(self, X: Any, y: Any = None) -> Self:
        """Learn which n-grams there are.

        Parameters
        ----------
        X : sequence of str or None
            A column of texts; None where one is missing.
        y : object
            Not looked at.

        Returns
        -------
        self : TextVectors
        """
        self.fit_transform(X, y)
        return self

    def fit_transform(self, X: Any, y: Any = None, **_: Any) -> sparse.csr_array:
        """Learn which n-grams there are, and return their tf-idf.

        Parameters
        ----------
        X : sequence of str or None
        y : object
            Not looked at.

        Returns
        -------
        csr_array of shape (texts, n-grams)
        """
        del y
        self.vocabulary_, rows = Vocabulary.learn(list(X), self.most_letters)
        return rows

    def transform(self, X: Any) -> sparse.csr_array:
        """Return the tf-idf of texts; n-grams that are new have no column.

        Parameters
        ----------
        X : sequence of str or None

        Returns
        -------
        csr_array of shape (texts, n-grams)
        """
        check_is_fitted(self)
        known: Vocabulary = self.vocabulary_
        texts = list(X)
        parts = [known.weigh(counts) for counts in count_ngrams(texts, known.longest)]
        if not parts:
            return sparse.csr_array((0, len(known.buckets)), dtype="float32")
        return sparse.vstack(parts, format="csr")
