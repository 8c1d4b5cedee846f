"""How many features a kernel stands for, and what a dot product of them costs."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from maxmargin.course.economics import of_power
from maxmargin.kernels import (
    RBF,
    Constant,
    FromFunction,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
    exp,
    feature_space,
)

X = np.random.default_rng(0).normal(size=(3, 4))

FINITE = {
    Linear(): (4, 4),
    Constant(2.0): (1, 0),
    Polynomial(degree=2): (math.comb(4 + 2, 2), 6),
    Polynomial(degree=3, coef0=0.0): (math.comb(4 + 3 - 1, 3), 7),
    Linear() + Polynomial(degree=2): (4 + 15, 10),
    Linear() * Polynomial(degree=2): (4 * 15, 11),
    2.0 * Linear(): (4, 5),
    (Linear() + 1) ** 3: (math.comb(5 + 3 - 1, 3), 6),
    Linear().restrict([0, 2]): (2, 2),
    Linear().normalized(): (4, 15),
}


@pytest.mark.parametrize("kernel", FINITE, ids=str)
def test_the_features_written_out_are_as_many(kernel):
    space = feature_space(kernel, 4)
    assert (space.n_features, space.by_kernel) == FINITE[kernel]
    assert space.by_features == space.n_features == kernel.features(X).shape[1]


SPANNED = {
    Linear() * Polynomial(degree=2) + 1.0: math.comb(4 + 3, 3),
    Linear() + Linear(): 4,
    Polynomial(degree=2) * Polynomial(degree=2): math.comb(4 + 4, 4),
    (Polynomial(degree=2) + Linear()) ** 2: math.comb(4 + 4, 4),
    Linear() + Polynomial(degree=3, coef0=0.0): 4 + math.comb(4 + 2, 3),
    (Linear() + Linear()).normalized(): 4,
    0.0 * Linear() + 1.0: 1,
    Polynomial(degree=2, gamma=0.0) + 0.0: 1,
    (Linear() * Linear()).restrict([0, 2]): 3,
}


@pytest.mark.parametrize("kernel", [*FINITE, *SPANNED], ids=str)
def test_the_dimension_is_the_rank_of_the_features_written_out(kernel):
    space = feature_space(kernel, 4)
    rows = np.random.default_rng(1).normal(size=(2 * int(space.n_features), 4))
    rank = np.linalg.matrix_rank(kernel.features(rows))
    assert space.dimension == rank == SPANNED.get(kernel, rank)
    assert ("span" in repr(space)) == (space.dimension < space.n_features)


def test_of_kernels_of_different_columns_only_the_features_are_counted():
    space = feature_space(Linear().restrict([0]) + Linear(), 4)
    assert (space.n_features, space.dimension) == (5, None)


@given(columns=st.integers(1, 12), degree=st.integers(1, 6))
def test_the_lectures_count(columns, degree):
    counted = feature_space(Polynomial(degree=degree), columns)
    assert counted.dimension == math.comb(columns + degree, degree)
    alone = feature_space(Polynomial(degree=degree, coef0=0.0), columns)
    assert alone.dimension == math.comb(columns + degree - 1, degree)
    assert counted.by_kernel <= columns + 1 + 2 * math.log2(degree)


def test_powers_take_no_more_multiplications_than_are_counted():
    for exponent in range(1, 65):
        count, power, bits = 0, 1, bin(exponent)[3:]
        for bit in bits:
            power, count = 2 * power, count + 1
            if bit == "1":
                power, count = power + 1, count + 1
        assert (power, count) == (exponent, of_power(exponent))


@pytest.mark.parametrize("kernel", [RBF(1.0), Laplacian(1.0), exp(Linear()), 3.0 * RBF(1.0) + 1])
def test_an_exponential_has_infinitely_many_for_a_few_multiplications(kernel):
    space = feature_space(kernel, 4)
    assert space.dimension == space.n_features == space.by_features == math.inf
    assert space.by_kernel <= 4 + 3
    assert "infinitely many features" in repr(space)


@pytest.mark.parametrize(
    ("kernel", "by_kernel"),
    [(Sigmoid(), 6), (Polynomial(coef0=-1.0), 7), (Precomputed(), None), (FromFunction(max), None),
     (FromFunction(max) * Linear(), None), ("sigmoid", 6)],
)  # fmt: skip
def test_nothing_is_said_of_what_has_no_features_known(kernel, by_kernel):
    space = feature_space(kernel, 4)
    assert (space.n_features, space.dimension, space.by_kernel) == (None, None, by_kernel)
    assert "an unknown number of features" in repr(space)
    assert repr(space).endswith(", an unknown number by features")


def test_it_is_a_value_and_reads_as_a_sentence():
    assert feature_space("rbf", 2) == feature_space(RBF("scale"), 2)
    assert repr(feature_space("linear", 3)) == (
        "Linear() on 3 columns: 3 features; a dot product takes 3 multiplications by the kernel, "
        "3 by features"
    )


@pytest.mark.parametrize("columns", [0, 2.5, True, "3"])
def test_a_number_of_columns_is_a_whole_one(columns):
    with pytest.raises((ValueError, TypeError), match=r"n_columns.*must be a whole number"):
        feature_space(Linear(), columns)
