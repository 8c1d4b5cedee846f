"""Features written out have the kernel as their dot product, and are as many as it says."""

import math
from dataclasses import dataclass

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin import SVC
from maxmargin.kernels import RBF, Constant, Kernel, Laplacian, Linear, Polynomial, Sigmoid, exp
from maxmargin.kernels.base import Takes

X = np.random.default_rng(0).normal(size=(7, 3))

FINITE = [
    Linear(),
    Constant(2.0),
    Polynomial(degree=0),
    Polynomial(degree=3, gamma=0.5, coef0=2.0),
    Polynomial(degree=2, coef0=0.0),
    Polynomial(degree=2, gamma="scale"),
    3.0 * Linear() + Polynomial(degree=2),
    Linear() * Polynomial(degree=2),
    (Linear() + 1) ** 3,
    Linear().normalized(),
    Polynomial(degree=2).restrict([0, 2]) + Linear().restrict(slice(1, 2)),
]


@pytest.mark.parametrize("kernel", FINITE, ids=str)
def test_their_dot_products_are_the_kernel(kernel):
    phi = kernel.features(X)
    assert phi.shape == (len(X), kernel.n_features(X.shape[1]))
    np.testing.assert_allclose(phi @ phi.T, kernel(X), rtol=1e-9, atol=1e-12)


@given(columns=st.integers(1, 6), degree=st.integers(0, 5))
def test_a_polynomial_has_as_many_features_as_the_lecture_counts(columns, degree):
    assert Polynomial(degree=degree).n_features(columns) == math.comb(columns + degree, degree)


@pytest.mark.parametrize("kernel", [RBF(1.0), Laplacian(1.0), exp(Linear())], ids=str)
@pytest.mark.parametrize("around", [lambda k: k, lambda k: 2.0 * k + Linear(), lambda k: k**2])
def test_an_exponential_has_infinitely_many(kernel, around):
    assert around(kernel).n_features(3) == math.inf
    with pytest.raises(ValueError, match="no features that could be written out"):
        around(kernel).features(X)


def test_nothing_is_known_of_what_is_no_kernel():
    assert Sigmoid().n_features(3) is None
    with pytest.raises(ValueError, match="no features"):
        Polynomial(degree=3, coef0=-1.0).features(X)


# A vocabulary that training and new items share


@dataclass(frozen=True, eq=False)
class Counts:
    """Word counts in the order of a vocabulary."""

    words: dict[str, int]
    table: np.ndarray

    def __len__(self):
        return len(self.table)

    def __getitem__(self, rows):
        return Counts(self.words, self.table[rows])

    @property
    def dtype(self):
        return self.table.dtype


class Words(Kernel):
    """Common words of two sentences; words that training has not seen count for nothing."""

    psd = True
    takes = Takes.ITEMS

    def prepare(self, X):
        seen = sorted({word for text in X for word in text.split()})
        return self._counted(X, {word: place for place, word in enumerate(seen)})

    def prepare_new(self, X, training):
        return self._counted(X, training.words)

    def _counted(self, X, words):
        table = np.zeros((len(X), len(words)))
        for row, text in enumerate(X):
            for word in text.split():
                if word in words:
                    table[row, words[word]] += 1
        return Counts(words, table)

    def fill(self, A, B, out):
        assert A.words is B.words  # tables of two vocabularies cannot be multiplied
        np.matmul(A.table, B.table.T, out=out)

    def diagonal(self, A):
        return (A.table**2).sum(axis=1)


TEXTS = ["good film", "good good plot", "bad film", "bad bad plot"]


@pytest.mark.parametrize(
    "kernel", [Words(), 2.0 * Words() + 1, Words().normalized(), Words() ** 2, Words() * Words()]
)
def test_new_items_share_the_vocabulary_of_training(kernel):
    model = SVC(kernel=kernel).fit(TEXTS, [1, 1, 0, 0])
    assert model.predict(["a good one", "bad"]).tolist() == [1, 0]
    assert kernel(TEXTS, ["good", "unheard of"]).shape == (4, 2)
