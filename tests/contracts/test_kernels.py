"""What every kernel promises, on every kernel there is, against a double loop."""

import pickle
import re
from itertools import combinations, product
from math import comb

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import sparse
from sklearn.base import clone

from maxmargin import kernels
from maxmargin.kernels import (
    RBF,
    Categorical,
    Constant,
    FeatureMap,
    FromFunction,
    Graphlet,
    Kernel,
    Laplacian,
    Linear,
    Matern,
    Mismatch,
    Polynomial,
    Precomputed,
    RandomWalk,
    RationalQuadratic,
    ShortestPath,
    Sigmoid,
    Spectrum,
    Subsequence,
    WeightedDegree,
    WeisfeilerLehman,
    Words,
    check,
    exp,
)


def min_sum(x, y):
    return np.minimum(x, y).sum() + 10.0


def sum_product(X, Y):
    return np.outer(np.sum(X, axis=1), np.sum(Y, axis=1)) / 7


def absolute(X):
    return np.abs(np.asarray(X, dtype=getattr(X, "dtype", float)))


def first_square(x):
    return float(x[0] ** 2)


def normalized_cubic(x, y):
    return cubic(x, y) / np.sqrt(cubic(x, x) * cubic(y, y))


def cubic(x, y):
    return (0.5 * (x @ y) + 1) ** 3


def rbf(x, y):
    return np.exp(-0.3 * ((x - y) ** 2).sum())


def matern(nu, s):
    root = np.sqrt(2 * nu * s)
    return (1 + root + (5 * s / 3 if nu == 2.5 else 0.0)) * np.exp(-root)


def euclidean(x, y):
    return ((x - y) ** 2).sum()


def city_block(x, y):
    return np.abs(x - y).sum()


def substrings(x, k):
    return [x[i : i + k] for i in range(len(x) - k + 1)]


def common(x, y, k):
    return float(sum(u == v for u in substrings(x, k) for v in substrings(y, k)))


def near(x, word, m):
    apart = (sum(a != b for a, b in zip(u, word, strict=True)) for u in substrings(x, len(word)))
    return sum(count <= m for count in apart)


def mismatches(x, y, k=2, m=1, alphabet="abcd"):
    words = ["".join(letters) for letters in product(alphabet, repeat=k)]
    return float(sum(near(x, word, m) * near(y, word, m) for word in words))


def gappy(x, k, decay):
    """Spell all subsequences, each with its weight."""
    weight = {}
    for chosen in combinations(range(len(x)), k):
        word = "".join(x[i] for i in chosen)
        weight[word] = weight.get(word, 0.0) + decay ** (chosen[-1] - chosen[0] + 1)
    return weight


def subsequences(x, y, k=3, decay=0.7):
    left, right = gappy(x, k, decay), gappy(y, k, decay)
    return sum(left[word] * right[word] for word in left.keys() & right.keys())


def weighted_degree(x, y, k=3, shifts=0):
    value = 0.0
    for d in range(1, k + 1):
        for i, u in enumerate(substrings(x, d)):
            for j, v in enumerate(substrings(y, d)):
                if u == v and abs(i - j) <= shifts:
                    weight = 1.0 if i == j else 0.5 / (abs(i - j) + 1)
                    value += weight * (k - d + 1) / comb(k + 1, 2)
    return value


# Each kernel beside its definition for two rows. Every class of kernels must stand here.
VECTOR_KERNELS = {
    Linear(): lambda x, y: x @ y,
    Polynomial(degree=3, gamma=0.5, coef0=1.0): cubic,
    Polynomial(degree=2, gamma=0.2, coef0=-1.0): lambda x, y: (0.2 * (x @ y) - 1) ** 2,
    Polynomial(degree=0): lambda x, y: 1.0,
    Polynomial(degree=1, coef0=0.0): lambda x, y: x @ y,
    Polynomial(degree=7, gamma=0.1): lambda x, y: (0.1 * (x @ y) + 1) ** 7,
    Sigmoid(gamma=0.2, coef0=-0.3): lambda x, y: np.tanh(0.2 * (x @ y) - 0.3),
    RBF(gamma=0.3): rbf,
    RBF(sigma=2.0): lambda x, y: np.exp(-((x - y) ** 2).sum() / 8),
    RBF(gamma=0): lambda x, y: 1.0,
    Laplacian(gamma=0.4): lambda x, y: np.exp(-0.4 * np.abs(x - y).sum()),
    Matern(1.5, gamma=0.3): lambda x, y: matern(1.5, 0.3 * euclidean(x, y)),
    Matern(2.5, gamma=0.3): lambda x, y: matern(2.5, 0.3 * euclidean(x, y)),
    Matern(1.5, gamma=0.2, metric="absolute"): lambda x, y: matern(1.5, 0.2 * city_block(x, y)),
    RationalQuadratic(gamma=0.3): lambda x, y: 1 / (1 + 0.3 * euclidean(x, y)),
    RationalQuadratic(2.5, gamma=0.2, metric="absolute"): (
        lambda x, y: (1 + 0.2 * city_block(x, y) / 2.5) ** -2.5
    ),
    Constant(2.5): lambda x, y: 2.5,
    RBF(gamma=0.3) + Linear(): lambda x, y: rbf(x, y) + x @ y,
    Linear() + 1.5: lambda x, y: x @ y + 1.5,
    RBF(gamma=0.3) * Linear(): lambda x, y: rbf(x, y) * (x @ y),
    2.5 * RBF(gamma=0.3): lambda x, y: 2.5 * rbf(x, y),
    Linear() ** 3: lambda x, y: (x @ y) ** 3,
    exp(0.1 * Linear()): lambda x, y: np.exp(0.1 * (x @ y)),
    Linear().restrict([0, 2]): lambda x, y: x[0] * y[0] + x[2] * y[2],
    RBF(gamma=0.3).restrict(slice(1, None)): lambda x, y: rbf(x[1:], y[1:]),
    Polynomial(3, 0.5).normalized(): normalized_cubic,
    (RBF(gamma=0.3) + 2.0 * Linear()) ** 2 * Constant(0.5): (
        lambda x, y: 0.5 * (rbf(x, y) + 2 * (x @ y)) ** 2
    ),
}
DENSE_KERNELS = {
    FeatureMap(absolute): lambda x, y: abs(x) @ abs(y),
    FeatureMap(first_square, batch=False): lambda x, y: x[0] ** 2 * y[0] ** 2,
    FromFunction(min_sum, psd=None): min_sum,
    FromFunction(sum_product, psd=True, batch=True): lambda x, y: x.sum() * y.sum() / 7,
    Categorical(): lambda x, y: np.mean(x == y),
}
STRING_KERNELS = {
    Spectrum(2): lambda x, y: common(x, y, 2),
    Spectrum(3, shortest=1, decay=0.5): (
        lambda x, y: sum(0.25**d * common(x, y, d) for d in (1, 2, 3))
    ),
    Mismatch(2, 1, alphabet="abcd"): mismatches,
    Mismatch(3, 1, alphabet="ab"): lambda x, y: mismatches(x, y, 3, 1, "ab"),
    Subsequence(3, decay=0.7): subsequences,
    Subsequence(1, decay=0.5): lambda x, y: 0.25 * common(x, y, 1),
    WeightedDegree(3): weighted_degree,
    WeightedDegree(2, shifts=2): lambda x, y: weighted_degree(x, y, 2, 2),
    Words(pattern="[a-c]+"): lambda x, y: float(
        sum(u == v for u in re.split("[de]", x) for v in re.split("[de]", y) if u)
    ),
    2.0 * Spectrum(2).normalized() + Subsequence(3, decay=0.7) * Spectrum(1): lambda x, y: (
        2.0 * common(x, y, 2) / np.sqrt(common(x, x, 2) * common(y, y, 2))
        + subsequences(x, y) * common(x, y, 1)
    ),
}
OF_ROWS = [*VECTOR_KERNELS, *DENSE_KERNELS, Precomputed()]
KERNELS = [*OF_ROWS, *STRING_KERNELS]
OF_GRAPHS = {Graphlet, RandomWalk, ShortestPath, WeisfeilerLehman}  # in kernels/test_graph_kernels
VECTORS = [pytest.param(k, f, id=repr(k)) for k, f in VECTOR_KERNELS.items()]
ANY_DENSE = [pytest.param(k, f, id=repr(k)) for k, f in (VECTOR_KERNELS | DENSE_KERNELS).items()]
STRINGS = [pytest.param(k, f, id=repr(k)) for k, f in STRING_KERNELS.items()]
ANY_ROWS = [pytest.param(k, id=repr(k)) for k in OF_ROWS]
ALL = [pytest.param(k, id=repr(k)) for k in KERNELS]


def double_loop(f, X, Y):
    X, Y = X.astype(np.float64), Y.astype(np.float64)
    return np.array([[f(x, y) for y in Y] for x in X])


def rows(n, seed, dtype=np.float64):
    """Rows with about half of their entries zero, so that sparse and dense see the same data."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 5)) * (rng.random((n, 5)) < 0.6)
    return (X + (X.sum(axis=1, keepdims=True) == 0)).astype(dtype)


def strings(n, seed):
    """Strings of different lengths over a few letters, in which most short substrings recur."""
    rng = np.random.default_rng(seed)
    return ["".join(rng.choice(list("abcd"), size=m)) for m in rng.integers(4, 12, size=n)]


def square(kernel, n, seed):
    """Items that any kernel takes, a matrix of numbers among them."""
    return strings(n, seed) if kernel in STRING_KERNELS else rows(n, seed) @ rows(n, seed).T


def tolerance(dtype):
    return {"rtol": 2e-5, "atol": 2e-6} if dtype == np.float32 else {"rtol": 1e-12, "atol": 1e-13}


def subclasses(cls):
    return {cls} | {deeper for sub in cls.__subclasses__() for deeper in subclasses(sub)}


def test_no_kernel_escapes():
    concrete = {cls for cls in subclasses(Kernel) if cls.__module__.startswith("maxmargin.")}
    concrete = {cls for cls in concrete if not cls.__abstractmethods__}
    assert concrete == {type(part) for k in KERNELS for part in parts(k)} | OF_GRAPHS
    assert {cls.__name__ for cls in concrete} <= set(kernels.__all__)


def parts(kernel):
    return [kernel, *(v for v in kernel.get_params().values() if isinstance(v, Kernel))]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kernel", "f"), ANY_DENSE)
def test_matrix_is_the_double_loop(kernel, f, dtype):
    X, Y = rows(7, 0, dtype), rows(10, 1, dtype)
    K = kernel(X, Y)
    assert K.dtype == dtype
    np.testing.assert_allclose(K, double_loop(f, X, Y), **tolerance(dtype))
    np.testing.assert_allclose(kernel(X), double_loop(f, X, X), **tolerance(dtype))


@pytest.mark.parametrize(("kernel", "f"), STRINGS)
def test_matrix_of_strings_is_the_double_loop(kernel, f):
    X, Y = strings(6, 0), [*strings(5, 1), "abcdeeda"]  # and letters that X does not have
    expected = np.array([[f(x, y) for y in Y] for x in X])
    np.testing.assert_allclose(kernel(X, Y), expected, rtol=1e-12)
    np.testing.assert_allclose(kernel(Y, X), expected.T, rtol=1e-12)
    np.testing.assert_allclose(kernel.diag(Y), [f(y, y) for y in Y], rtol=1e-12)
    np.testing.assert_allclose(kernel(X), kernel(X).T, rtol=1e-13)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kernel", "f"), VECTORS)
def test_sparse_is_dense(kernel, f, dtype):
    X, Y = rows(9, 2, dtype), rows(6, 3, dtype)
    expected = double_loop(f, X, Y)
    for left, right in [(sparse.csr_array, sparse.csc_matrix), (sparse.coo_array, np.asarray)]:
        np.testing.assert_allclose(kernel(left(X), right(Y)), expected, **tolerance(dtype))
        np.testing.assert_allclose(kernel(right(X), left(Y)), expected, **tolerance(dtype))
        assert kernel(left(X), right(Y)).dtype == dtype


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("kernel", "f"), ANY_DENSE)
def test_diagonal_is_the_matrix_diagonal(kernel, f, dtype):
    X = rows(8, 4, dtype)
    assert kernel.diag(X).dtype == dtype
    np.testing.assert_allclose(kernel.diag(X), np.diag(double_loop(f, X, X)), **tolerance(dtype))


@pytest.mark.parametrize("kernel", ALL)
def test_blocks_are_parts_of_the_matrix(kernel):
    X = square(kernel, 12, 5)
    A, K = kernel.prepare(X), kernel(X)
    chosen, some = np.array([7, 1, 1, 4]), slice(2, 9)
    for left in (chosen, some):
        for right in (chosen, some):
            block = kernel.block(A[left], A[right])
            np.testing.assert_allclose(block, K[left][:, right], rtol=1e-10, atol=1e-13)
    np.testing.assert_allclose(kernel.diagonal(A[chosen]), np.diag(K)[chosen], rtol=1e-10)
    assert len(A[chosen]) == 4
    assert len(A[some]) == 7


@pytest.mark.parametrize("kernel", ALL)
def test_a_block_is_written_into_out_and_nowhere_else(kernel):
    X = square(kernel, 6, 6)
    A, expected = kernel.prepare(X), kernel(X)
    for out in (np.full((8, 9), 7.0), np.full((9, 8), 7.0).T, np.full((16, 18), 7.0)[::2, ::2]):
        view = out[1:7, 2:8]
        assert kernel.block(A, A, view) is view
        np.testing.assert_allclose(view, expected, rtol=1e-10)
        view[...] = 7.0
        assert (out == 7.0).all()


@pytest.mark.parametrize("kernel", ALL)
def test_kernels_are_values(kernel):
    twin = clone(kernel)
    assert twin == kernel
    assert twin is not kernel
    assert hash(twin) == hash(kernel)
    assert pickle.loads(pickle.dumps(kernel)) == kernel
    assert [k for k in KERNELS if k == kernel] == [kernel]
    assert kernel != "kernel"


@pytest.mark.parametrize("kernel", ALL)
def test_repr_makes_the_kernel_again(kernel):
    assert "\n" not in repr(kernel)
    assert eval(repr(kernel), vars(kernels) | globals()) == kernel


@pytest.mark.parametrize("kernel", ALL)
def test_parameters_can_be_set_to_themselves(kernel):
    twin = clone(kernel)
    assert twin.set_params(**twin.get_params()) == kernel
    with pytest.raises(ValueError, match="Invalid parameter 'nonsense'"):
        twin.set_params(nonsense=1)


@pytest.mark.parametrize("kernel", [k for k in KERNELS if k.psd])
def test_what_is_said_to_be_psd_passes_the_check(kernel):
    assert check(kernel, strings(30, 7) if kernel in STRING_KERNELS else rows(30, 7))


@pytest.mark.parametrize(("kernel", "f"), VECTORS)
def test_prepared_rows_that_need_no_change_are_not_copied(kernel, f):
    X = rows(4, 8)
    prepared = kernel.prepare(X)
    if hasattr(prepared, "X") and not isinstance(kernel, kernels.Restricted):
        assert prepared.X is X
        assert prepared[1:3].X.base is X


# Rows are found by position, whatever holds them and whatever its index says.

NAMES = list("abcde")


def mapped_to_a_file(X, folder):
    path = folder / "rows.npy"
    np.save(path, X)
    return np.load(path, mmap_mode="r")


def read_only(X, _):
    locked = X.copy()
    locked.flags.writeable = False
    return locked


def labelled(X, index):
    return pd.DataFrame(X, index=index, columns=NAMES[: X.shape[1]])


TABLES = {
    "tuple": lambda X, _: tuple(map(tuple, X.tolist())),
    "array": lambda X, _: X,
    "columns first": lambda X, _: np.asfortranarray(X),
    "every second row": lambda X, _: np.repeat(X, 2, axis=0)[::2],
    "read-only": read_only,
    "mapped to a file": mapped_to_a_file,
    "objects": lambda X, _: X.astype(object),
    "pandas": lambda X, _: labelled(X, None),
    "pandas, shuffled": lambda X, _: labelled(X, np.arange(len(X))[::-1]),
    "pandas, words": lambda X, _: labelled(X, [f"row {len(X) - i}" for i in range(len(X))]),
    "pandas, one label": lambda X, _: labelled(X, [0] * len(X)),
    "polars": lambda X, _: pl.DataFrame(X),
}
WORDS = ["ab", "bcd", "d", "abcd", "", "ba"]
SERIES = {
    "tuple": tuple,
    "objects": lambda words: np.array(words, dtype=object),
    "letters": np.array,
    "pandas": pd.Series,
    "pandas, shuffled": lambda words: pd.Series(words, index=range(len(words))[::-1]),
    "pandas, words": lambda words: pd.Series(words, index=list("tsrqpo")),
    "pandas, categories": lambda words: pd.Series(words, index=list("tsrqpo"), dtype="category"),
    "polars": pl.Series,
}


def common_letters(a, b):
    return float(len(set(a) & set(b)))


def letter_counts(words):
    return np.array([[word.count(letter) for letter in "abcd"] for word in words], dtype=float)


WORD_KERNELS = [
    FromFunction(common_letters),
    FromFunction(lambda A, B: letter_counts(A) @ letter_counts(B).T, batch=True),
    FeatureMap(letter_counts),
    FeatureMap(len, batch=False),
    Constant(2.0),
    2.0 * FromFunction(common_letters).normalized() + exp(0.1 * FeatureMap(len, batch=False)),
    Categorical(),
    *STRING_KERNELS,
]


def test_all_kernels_that_take_any_item_are_fed_words():
    of_words = {type(part) for k in WORD_KERNELS for part in parts(k)}
    assert of_words >= {type(k) for k in DENSE_KERNELS} | {Constant}


@pytest.mark.parametrize("container", TABLES)
@pytest.mark.parametrize("kernel", ANY_ROWS)
def test_rows_of_any_table_are_those_of_the_list(kernel, container, tmp_path):
    X = rows(5, 9) @ rows(5, 9).T
    expected = kernel(X.tolist())
    table = TABLES[container](X, tmp_path)
    np.testing.assert_array_equal(kernel(table), expected)
    np.testing.assert_array_equal(kernel(table, TABLES[container](X, tmp_path)), expected)
    np.testing.assert_array_equal(kernel.diag(table), kernel.diag(X.tolist()))
    chosen, prepared = np.array([3, 0, 0]), kernel.prepare(table)
    part = kernel.block(prepared[chosen], prepared[1:])
    np.testing.assert_allclose(part, expected[chosen][:, 1:], rtol=1e-12)


@pytest.mark.parametrize("container", SERIES)
@pytest.mark.parametrize("kernel", WORD_KERNELS, ids=repr)
def test_items_of_any_series_are_those_of_the_list(kernel, container):
    expected, series = kernel(WORDS), SERIES[container](WORDS)
    np.testing.assert_array_equal(kernel(series), expected)
    np.testing.assert_allclose(kernel.diag(series), np.diag(expected), rtol=1e-14)
    prepared = kernel.prepare(series)
    np.testing.assert_array_equal(
        kernel.block(prepared[np.array([5, 0, 2])], prepared[1:4]), expected[[5, 0, 2], 1:4]
    )


@pytest.mark.parametrize("frame", [labelled, lambda X, _: pl.DataFrame(X)])
@pytest.mark.parametrize(("kernel", "f"), ANY_DENSE)
def test_tables_of_single_precision_stay_so(kernel, f, frame):
    X = rows(5, 10, np.float32)
    assert kernel(frame(X, list("vwxyz"))).dtype == np.float32


@pytest.mark.parametrize(
    "make", [iter, set, lambda X: dict(enumerate(X)), lambda X: (x for x in X)]
)
@pytest.mark.parametrize("kernel", ALL)
def test_what_has_no_rows_by_position_is_refused(kernel, make):
    X = make(tuple(map(tuple, rows(5, 11).tolist())))
    with pytest.raises(
        ValueError, match=r"^Expected a list or an array of items, got a .* list first"
    ):
        kernel(X)
    with pytest.raises(ValueError, match=r"^Expected a list or an array of items"):
        kernel.prepare(X)
