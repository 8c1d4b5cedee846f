"""SMO and Newton by turns on many problems: as each alone, whatever its rows come from."""

from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import pytest

from maxmargin.ops.engine import Engine
from maxmargin.ops.kinds import COPIED, DOT, GIVEN, POWER, RADIAL, TURNS

GROUP = "smo_polish"
reference = getattr(Engine("reference"), GROUP)

DTYPES = [np.float32, np.float64]
KINDS = [COPIED, DOT, POWER, RADIAL]
PARAMS = {DOT: (0.0, 0.0, 0.0), POWER: (0.3, 1.0, 3.0), RADIAL: (0.2, 0.0, 0.0)}
TOL, EXACT, MANY = 1e-3, 1e-12, 100_000


@dataclass(frozen=True)
class Problems:
    """Classifiers of two classes each, of rows that lie somewhere among all."""

    kind: int
    X: np.ndarray
    K: np.ndarray
    index: np.ndarray
    starts: np.ndarray
    sign: np.ndarray
    cost: float

    @property
    def box(self):
        return np.where(self.sign > 0, 0.0, -self.cost), np.where(self.sign > 0, self.cost, 0.0)

    @property
    def parts(self):
        return [slice(a, b) for a, b in pairwise(self.starts.tolist())]

    def alone(self, part):
        starts = np.array([0, part.stop - part.start])
        return replace(self, index=self.index[part], sign=self.sign[part], starts=starts)

    def matrix(self, part):
        rows = self.index[part]
        return self.K[np.ix_(rows, rows)].astype(np.float64)


def problems(kind, dtype, sizes=(2, 9, 40, 3), cost=1.0):
    rng = np.random.default_rng(0)
    X = rng.normal(size=(max(sizes) + 7, 5)).astype(dtype)
    dots = X.astype(np.float64) @ X.T.astype(np.float64)
    gamma, coef0, degree = PARAMS.get(kind, PARAMS[RADIAL])
    lengths = np.diag(dots)
    distances = np.maximum(0, np.add.outer(lengths, lengths) - 2 * dots)
    K = {DOT: dots, POWER: (gamma * dots + coef0) ** degree}.get(kind, np.exp(-gamma * distances))
    index = np.concatenate([rng.permutation(len(X))[:size] for size in sizes])
    sign = np.concatenate([np.where(np.arange(size) % 2, -1.0, 1.0) for size in sizes])
    return Problems(kind, X, K.astype(dtype), index, np.cumsum([0, *sizes]), sign, cost)


def solve(ops, all_of, most=MANY, looks=1):
    """Take turns; gives duals, products, steps and how many turns there were."""
    kind, K, X, index = all_of.kind, all_of.K, all_of.X, all_of.index
    vectors = kind not in (GIVEN, COPIED)
    XT = X.T.copy() if vectors else None
    norms = np.einsum("ij,ij->i", X, X) if vectors else None
    size, count = int(np.diff(all_of.starts).max()), len(all_of.starts) - 1
    store, slots = np.empty(size * size, X.dtype), np.full(len(index), -1)
    if kind == GIVEN:
        store, slots = K[np.ix_(index, index)].reshape(-1), np.arange(len(index))
    taken, beta, F = np.zeros(count, np.int64), np.zeros(len(index)), all_of.sign.copy()
    product, target = np.empty(len(index)), np.full(count, 0.03)
    turns, steps = np.zeros((2, count), np.int64)
    flattest, longest = np.full(count, np.inf), np.full(count, 10_000)
    nothing = np.empty((0, 0), X.dtype) if vectors else None
    rows = kind, K if kind == COPIED else nothing, XT, norms
    params = np.array(PARAMS.get(kind, PARAMS[RADIAL]))
    diagonal = np.diag(K)[index].copy()
    at = params, diagonal, index, all_of.starts, store, slots, taken, beta, F, *all_of.box
    counts = target, turns, steps, flattest, EXACT, 0.5 * TOL, longest, most
    for _ in range(looks):
        ops.smo_and_polish(*rows, *at, product, *counts)
    return beta, product, steps, turns


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("cost", [0.01, 1.0, 100.0])
def test_every_problem_is_solved(ops, kind, dtype, cost):
    all_of = problems(kind, dtype, cost=cost)
    beta, product, _, turns = solve(ops, all_of)
    lower, upper = all_of.box
    assert (turns == TURNS).all()
    assert ((lower <= beta) & (beta <= upper)).all()
    eps, largest = float(np.finfo(dtype).eps), float(np.abs(all_of.K).max())
    for part in all_of.parts:
        b, at = beta[part], all_of.sign[part] - product[part]
        off = 20 * eps * (1.0 + np.abs(b).sum()) * largest
        assert abs(b.sum()) <= 1e-9 * max(1.0, cost)
        np.testing.assert_allclose(product[part], all_of.matrix(part) @ b, atol=off)
        assert at[b < upper[part]].max() - at[b > lower[part]].min() <= TOL + off


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_a_problem_has_the_same_bits_alone_and_among_others(ops, kind, dtype):
    all_of = problems(kind, dtype)
    together = solve(ops, all_of)
    for k, part in enumerate(all_of.parts):
        alone = solve(ops, all_of.alone(part))
        np.testing.assert_array_equal(together[0][part], alone[0])
        np.testing.assert_array_equal(together[1][part], alone[1])
        assert together[2][k] == alone[2][0]


@pytest.mark.parametrize("dtype", DTYPES)
def test_rows_that_are_there_and_rows_that_are_copied_are_the_same(ops, dtype):
    copied = problems(COPIED, dtype, sizes=(30,))
    given = replace(copied, kind=GIVEN)
    for one, other in zip(solve(ops, copied), solve(ops, given), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("kind", KINDS)
def test_few_steps_at_a_time_lead_to_the_same_point(ops, kind):
    all_of = problems(kind, np.float64)
    whole, bit_by_bit = solve(ops, all_of), solve(ops, all_of, most=3, looks=300)
    assert (bit_by_bit[3] == TURNS).all()
    np.testing.assert_allclose(whole[1], bit_by_bit[1], atol=1e-3)
    assert (solve(ops, all_of, most=1)[2] <= 1).all()


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("kind", KINDS)
def test_twins_find_the_same_products(tested, kind, dtype):
    all_of = problems(kind, dtype)
    fast, slow = solve(tested, all_of), solve(reference, all_of)
    np.testing.assert_allclose(fast[1], slow[1], atol=2e-3)
