"""Loops over strings, counts and categories: every engine gives what the definitions say."""

import numpy as np
import pytest
from scipy import sparse

from maxmargin.ops.engine import engines

every_engine = pytest.mark.parametrize("engine", engines(), ids=lambda engine: engine.name)
RNG = np.random.default_rng(0)
REFERENCE = next(engine for engine in engines() if engine.name == "reference")


def sequences(lengths, letters=3):
    codes = RNG.integers(0, letters, size=sum(lengths), dtype=np.int32)
    return codes, np.cumsum([0, *lengths])


def block(verb, *arguments, shape):
    """Run a verb on a block whose rows lie apart, and check what lies between them."""
    out, stride = np.full(shape[0] * (shape[1] + 3), 7.0), shape[1] + 3
    verb(*arguments, out, stride)
    lines = out.reshape(shape[0], stride)
    assert (lines[:, shape[1] :] == 7.0).all()
    return lines[:, : shape[1]]


@every_engine
@pytest.mark.parametrize("k", [1, 2, 4])
def test_subsequences(engine, k):
    A, B = sequences([5, 0, 9, 1]), sequences([6, 3, 0, 8, *[4] * 18])
    verbs, slow = engine.string_subsequence, REFERENCE.string_subsequence
    values = block(verbs.subsequence_block, *A, *B, k, 0.6, shape=(4, 22))
    for i in (0, 2, 3):
        for j in (0, 1, 3, 21):
            s, t = A[0][A[1][i] : A[1][i + 1]], B[0][B[1][j] : B[1][j + 1]]
            expected = slow.subsequence_value(s, t, k, 0.6)
            np.testing.assert_allclose(values[i, j], expected, rtol=1e-13)
    assert not values[1].any()
    assert not values[:, 2].any()
    own = np.empty(4)
    verbs.subsequence_diagonal(*A, k, 0.6, own)
    same = block(verbs.subsequence_block, *A, *A, k, 0.6, shape=(4, 4))
    np.testing.assert_allclose(own, np.diag(same), rtol=1e-13)


@every_engine
@pytest.mark.parametrize("k", [1, 3])
def test_subsequences_in_parts(engine, k):
    codes, slow = sequences([9, 6, 6])[0], REFERENCE.string_subsequence
    s, lanes = codes[:9], np.ascontiguousarray(codes[9:].reshape(2, 6).T)
    state, total = np.zeros((k, 7, 2)), np.zeros(2)
    state[0] = 1.0
    for part in (s[:4], s[4:4], s[4:]):
        engine.string_subsequence.subsequence_part(part, lanes, k, 0.6, state, total)
    expected = [slow.subsequence_value(s, t, k, 0.6) for t in lanes.T]
    np.testing.assert_allclose(total, expected, rtol=1e-13)


@every_engine
@pytest.mark.parametrize("shifts", [0, 1, 3])
def test_runs(engine, shifts):
    A, B = sequences([5, 0, 9], letters=2), sequences([6, 3, 0, 8], letters=2)
    gains, weights = np.cumsum([0.0, 0.5, 0.3, 0.2]), 1.0 / np.arange(1, shifts + 2)
    numbers = gains, weights
    values = block(engine.string_runs.runs_block, *A, *B, *numbers, shape=(3, 4))
    expected = block(REFERENCE.string_runs.runs_block, *A, *B, *numbers, shape=(3, 4))
    np.testing.assert_allclose(values, expected, rtol=1e-13)
    own = np.empty(3)
    engine.string_runs.runs_diagonal(*A, *numbers, own)
    same = block(REFERENCE.string_runs.runs_block, *A, *A, *numbers, shape=(3, 3))
    np.testing.assert_allclose(own, np.diag(same), rtol=1e-13)


@every_engine
def test_lists(engine):
    A = sparse.random(5, 30, 0.3, format="csr", random_state=1)
    B = sparse.random(7, 30, 0.3, format="csc", random_state=2)
    arguments = A.data, A.indices, A.indptr, B.data, B.indices, B.indptr, 7
    for fresh, before in ((False, 7.0), (True, 0.0)):
        values = block(engine.string_lists.add_by_lists, *arguments, fresh, shape=(5, 7))
        np.testing.assert_allclose(values, before + (A @ B.T).toarray(), rtol=1e-13)


@every_engine
def test_counts(engine):
    starts, columns = np.array([0, 4, 4, 9]), np.array([2, 0, 2, 2, 1, 3, 1, 1, 0])
    indptr, indices, data = np.empty(4, np.int32), np.empty(9, np.int32), np.empty(9)
    last = np.full((2, 4), -1)
    size = engine.string_lists.count_columns(columns, starts, last, indptr, indices, data)
    counts = sparse.csr_matrix((data[:size], indices[:size], indptr), (3, 4)).toarray()
    assert counts.tolist() == [[1, 0, 3, 0], [0, 0, 0, 0], [1, 3, 0, 1]]


@every_engine
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_overlap(engine, dtype):
    a, b = (RNG.integers(0, 2, size=(n, 3), dtype=np.int32) for n in (4, 6))
    weights = np.array([0.5, 2.0, 0.25], dtype)
    values = block(engine.sequence_overlap.overlap, a, b, weights, shape=(4, 6))
    expected = [[weights[x == y].sum() for y in b] for x in a]
    np.testing.assert_allclose(values, expected, rtol=1e-6)
