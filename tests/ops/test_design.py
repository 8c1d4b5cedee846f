"""The products of a design against plain NumPy on the matrix it stands for."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin.ops import design as module
from maxmargin.ops.design import Design
from maxmargin.ops.threads import Workers

FORMS = ["C", "F", "float32", "csr", "csr_float32", "csr_array"]
CONSTANTS = [0.0, 1.0, 2.5]


def in_form(X, form):
    if form == "F":
        return np.asfortranarray(X)
    if form == "csr_array":
        return sparse.csr_array(X)
    X = X.astype(np.float32) if form.endswith("float32") else X
    return sparse.csr_matrix(X) if form.startswith("csr") else X


def rows(n, d, form, seed=0):
    """Random rows in a form, and the same numbers as a plain float64 array."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * (rng.random((n, d)) < 0.6)
    given = in_form(X, form)
    return given, np.asarray(given.toarray() if sparse.issparse(given) else given, np.float64)


def with_constant(X, constant):
    return np.column_stack([X, np.full(len(X), constant)]) if constant else X


def answers(X, constant, theta, beta, weight, n_jobs):
    with Workers(n_jobs) as workers:
        design = Design(X, constant, workers)
        return {
            "values": design.values(theta),
            "back": design.back(beta),
            "curved": design.curved(weight, theta),
            "squares": design.squares(weight),
            "products": design.products(weight),
            "row_norms": design.row_norms(),
        }


def expected(A, theta, beta, weight):
    return {
        "values": A @ theta,
        "back": A.T @ beta,
        "curved": A.T @ (weight * (A @ theta)),
        "squares": weight @ A**2,
        "products": (A.T * weight) @ A,
        "row_norms": (A**2).sum(axis=1),
    }


def questions(A, share, seed=1):
    """Coefficients, duals, and weights of which this share is not 0."""
    rng = np.random.default_rng(seed)
    weight = rng.random(len(A)) * (rng.random(len(A)) < share)
    return rng.normal(size=A.shape[1]), rng.normal(size=len(A)), weight


def check(X, plain, constant, share=1.0):
    """Right, of double precision, and equal to the last bit for any number of threads."""
    A = with_constant(plain, constant)
    asked = questions(A, share)
    alone = answers(X, constant, *asked, n_jobs=1)
    for name, right in expected(A, *asked).items():
        assert alone[name].dtype == np.float64
        assert alone[name].shape == right.shape
        np.testing.assert_allclose(alone[name], right, rtol=1e-12, atol=1e-12, err_msg=name)
    for n_jobs in (2, 3):
        for name, found in answers(X, constant, *asked, n_jobs).items():
            np.testing.assert_array_equal(found, alone[name], err_msg=name)


@pytest.fixture
def small_blocks(monkeypatch):
    """Limits so low that a few rows make many pieces."""
    for name, value in {"_BLOCK": 12, "_GROUPS": 4, "_PARTS": 15, "_ROWS": 4}.items():
        monkeypatch.setattr(module, name, value)


@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "d"), [(1, 1), (1, 4), (2, 3), (37, 4)])
def test_products_are_those_of_plain_numpy(n, d, form, constant):
    check(*rows(n, d, form), constant)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("constant", CONSTANTS)
@pytest.mark.parametrize("form", ["C", "F", "float32"])
@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 6, 7, 12, 13, 44, 45, 46, 100])
def test_many_blocks_of_dense_rows(n, form, constant):
    """With 4 columns a block of 12 values is 3 rows; beyond 15 blocks they grow."""
    check(*rows(n, 4, form), constant)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("share", [0.0, 0.1, 0.69, 0.71, 1.0])
def test_rows_without_weight_are_left_out(share):
    check(*rows(60, 4, "C"), 1.0, share)
    check(*rows(60, 4, "csr"), 1.0, share)


@pytest.mark.usefixtures("small_blocks")
def test_rows_wider_than_a_block():
    check(*rows(6, 30, "C"), 1.0)


@pytest.mark.parametrize("share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("d", [4, 5, 7, 8, 9])
@pytest.mark.parametrize("form", ["C", "F", "float32"])
def test_tiles_of_many_columns(form, d, share, monkeypatch):
    monkeypatch.setattr(module, "_TILE", 4)
    monkeypatch.setattr(module, "_TILED", 40)
    for n in (1, 7, 30):
        check(*rows(n, d, form), 1.0, share)


def test_the_blocks_cover_all_rows_once(monkeypatch):
    monkeypatch.setattr(module, "_BLOCK", 12)
    monkeypatch.setattr(module, "_PARTS", 7)
    seen = []
    monkeypatch.setattr(Workers, "each", lambda _, work, pieces: seen.append(list(pieces)))
    for n in (0, 1, 3, 4, 20, 21, 22, 500):
        Design(np.zeros((n, 4)), 0.0, Workers(1)).values(np.zeros(4))
        blocks = seen.pop()
        np.testing.assert_array_equal(np.concatenate([np.r_[b] for b in blocks] or [[]]), range(n))
        assert len(blocks) <= 8


@pytest.mark.parametrize("constant", [0.0, 1.0])
@pytest.mark.parametrize("lengths", ["even", "few long rows"])
def test_sparse_rows_cut_into_ranges(lengths, constant, monkeypatch):
    """Enough values for several partial sums; where a few rows hold most, some ranges are empty."""
    monkeypatch.setattr(module, "_LEAST_WORK", 2**13)
    rng = np.random.default_rng(0)
    if lengths == "even":
        X = sparse.random_array((9000, 20), density=0.9, rng=rng, format="csr")
    else:
        long = sparse.random_array((3, 60_000), density=0.9, rng=rng, format="csr")
        short = sparse.random_array((50, 60_000), density=1e-5, rng=rng, format="csr")
        X = sparse.vstack([short, long, short], format="csr")
    theta = rng.normal(size=X.shape[1] + (constant != 0))
    beta = rng.normal(size=X.shape[0])
    with Workers(1) as workers:
        ranges = Design(X, constant, workers)._ranges(1, X.nnz)
    assert len(ranges) > 3
    assert [first for first, _ in ranges] == [0, *(stop for _, stop in ranges[:-1])]
    assert ranges[-1][1] == X.shape[0]
    found = []
    for n_jobs in (1, 2, 3):
        with Workers(n_jobs) as workers:
            design = Design(X, constant, workers)
            narrow = [design.products(beta**2)] if lengths == "even" else []
            found.append([design.values(theta), design.back(beta), design.squares(beta)])
            found[-1] += [design.row_norms(), *narrow]
            curved = design.curved(beta**2, theta)
            plain = design.back(beta**2 * design.values(theta))
            np.testing.assert_allclose(curved, plain, rtol=1e-9, atol=1e-9)
            found[-1] += [curved]
    right = [X @ theta[: X.shape[1]] + constant * theta[-1] * (constant != 0)]
    right += [np.append(X.T @ beta, constant * beta.sum())]
    right += [np.append(X.multiply(X).T @ beta, constant**2 * beta.sum())]
    right += [np.asarray(X.multiply(X).sum(axis=1)) + constant**2]
    for answer, expect in zip(found[0][:4], right, strict=True):
        np.testing.assert_allclose(answer, expect[: len(answer)], rtol=1e-9, atol=1e-9)
    if lengths == "even":
        A = with_constant(X.toarray(), constant)
        np.testing.assert_allclose(found[0][4], (A.T * beta**2) @ A, rtol=1e-9)
    for one, two, three in zip(*found, strict=True):
        np.testing.assert_array_equal(one, two)
        np.testing.assert_array_equal(one, three)


@pytest.mark.parametrize("form", ["C", "csr"])
@pytest.mark.parametrize("constant", [0.0, 2.5])
@pytest.mark.parametrize(("n", "d"), [(0, 3), (3, 0)])
def test_no_rows_and_no_columns(n, d, form, constant):
    check(*rows(n, d, form), constant)


@pytest.mark.parametrize("form", FORMS)
def test_what_a_design_says_of_itself(form):
    X, plain = rows(9, 4, form)
    with Workers(1) as workers:
        bare, more = Design(X, 0.0, workers), Design(X, 1.0, workers)
    assert len(bare) == 9
    assert (bare.columns, bare.width, more.columns, more.width) == (4, 4, 4, 5)
    assert bare.dtype == X.dtype
    assert bare.dense != sparse.issparse(X)
    assert bare.stored == (np.count_nonzero(plain) if sparse.issparse(X) else 36)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("n", "d"), [(9, 4), (1, 1), (0, 3), (3, 0)])
def test_rows_for_loops(form, n, d):
    X, plain = rows(n, d, form)
    with Workers(1) as workers:
        values, columns, starts = Design(X, 1.0, workers).csr
    assert len(starts) == n + 1
    for i in range(n):
        inside = slice(starts[i], starts[i + 1])
        row = np.zeros(d)
        row[columns[inside] if sparse.issparse(X) else slice(None)] = values[inside]
        np.testing.assert_array_equal(row, plain[i])
    assert sparse.issparse(X) or len(columns) == 0


@pytest.mark.parametrize("form", FORMS)
def test_some_rows_make_a_design(form):
    X, plain = rows(9, 4, form)
    chosen, theta = np.array([7, 0, 7, 3]), np.arange(5.0)
    with Workers(1) as workers:
        part = Design(X, 2.5, workers).take(chosen)
        assert len(part) == 4
        right = with_constant(plain, 2.5)[chosen] @ theta
        np.testing.assert_allclose(part.values(theta), right, rtol=1e-12)


@pytest.mark.usefixtures("small_blocks")
@pytest.mark.parametrize("n_jobs", [1, 2, 3])
@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 17])
def test_each_part_meets_every_row_once(n, n_jobs):
    met = np.zeros(n, int)

    def work(part):
        met[part] += 1

    with Workers(n_jobs) as workers:
        Design(np.zeros((n, 2)), 0.0, workers).each_part(work)
    np.testing.assert_array_equal(met, 1)


def test_columns_of_a_row_may_come_in_any_order_and_twice():
    """The row (1, 2, 3), with its 3 stored as 1 + 2 and its columns in disorder."""
    arrays = np.array([1.0, 2.0, 1.0, 2.0]), np.array([2, 1, 0, 2]), np.array([0, 4])
    X = sparse.csr_matrix(arrays, shape=(1, 3))
    check(X, np.array([[1.0, 2.0, 3.0]]), 1.0)
    assert X.indices.tolist() == [2, 1, 0, 2]  # the caller's matrix stays as it was


def test_single_precision_data_give_sums_in_double():
    X = np.full((4, 1), 1 / 3, np.float32)
    third = float(X[0, 0])
    for given in (X, sparse.csr_matrix(X)):
        with Workers(1) as workers:
            design = Design(given, 0.0, workers)
            one = np.ones(4)
            np.testing.assert_allclose(design.values(np.ones(1)), third, rtol=1e-15)
            np.testing.assert_allclose(design.back(one), 4 * third, rtol=1e-15)
            np.testing.assert_allclose(design.squares(one), 4 * third**2, rtol=1e-15)
            np.testing.assert_allclose(design.products(one), [[4 * third**2]], rtol=1e-15)
            np.testing.assert_allclose(design.row_norms(), third**2, rtol=1e-15)


@pytest.mark.parametrize("constant", [0.0, 2.0])
@pytest.mark.parametrize("store", [np.asarray, sparse.csr_array])
def test_all_classes_at_once(store, constant, monkeypatch):
    """What the rows give for several vectors together they give for each, in pieces too."""
    monkeypatch.setattr("maxmargin.ops.clock.WORK", 100)
    rng = np.random.default_rng(0)
    with Workers(2) as workers:
        design = Design(store(rng.normal(size=(40, 3))), constant, workers)
        W, A = rng.normal(size=(5, design.width)), rng.normal(size=(40, 5))
        each = np.column_stack([design.values(w) for w in W])
        np.testing.assert_allclose(design.joint_values(W), each, atol=1e-13)
        each = np.stack([design.back(np.ascontiguousarray(a)) for a in A.T])
        np.testing.assert_allclose(design.joint_back(A), each, atol=1e-13)
