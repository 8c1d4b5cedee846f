"""Portable instructions compute what LLVM's do, and take their place where these fail."""

import numba
import numpy as np
import pytest
from llvmlite import ir

from maxmargin.ops.compiler import llvm, portable, quick, trial
from maxmargin.ops.compiler.blas import hold_blas
from maxmargin.ops.compiler.plain import is_asked_for, is_plain, mode
from maxmargin.ops.kinds import PANEL, SLIVER
from maxmargin.ops.loop import njit


@njit(nogil=True)
def llvm_parts(counter, a, b, rounded):
    llvm.prefetch(counter, np.uint64(0))
    taken = llvm.take_next(counter)
    found = llvm.larger(a, b), llvm.smaller(a, b), llvm.size(a), llvm.power_of_two(rounded)
    return taken, llvm.look(counter, 0), *found


@njit(nogil=True)
def portable_parts(counter, a, b, rounded):
    portable.prefetch(counter, np.uint64(0))
    portable.call(0)
    taken = portable.take_next(counter)
    found = (
        portable.larger(a, b),
        portable.smaller(a, b),
        portable.size(a),
        portable.power_of_two(rounded),
    )
    return taken, portable.look(counter, 0), *found


DOUBLE, SINGLE = 6755399441055744.0 + 1023, np.float32(12582912.0 + 127)


@pytest.mark.parametrize("n", [-2000, -1, 0, 3])
@pytest.mark.parametrize("zero", [DOUBLE, SINGLE], ids=["double", "single"])
def test_both_compute_the_same(zero, n):
    rounded = zero + type(zero)(max(n, -127 if zero is SINGLE else -1023))
    given = type(zero)(-2.5), type(zero)(1.5), rounded
    ours, theirs = np.array([5]), np.array([5])
    found = llvm_parts(ours, *given)
    assert found == portable_parts(theirs, *given)
    assert found[:5] == (5, 6, 1.5, -2.5, 2.5)
    assert found[5] == (2.0**n if n > -2000 else 0.0)
    assert ours[0] == theirs[0] == 6


@njit(nogil=True)
def both_products(A, B, C, D, depth, fresh):
    llvm.add_products(A, 0, B, 0, C, 0, 64, depth, fresh)
    portable.add_products(A, 0, B, 0, D, 0, 64, depth, fresh)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_sliver_times_a_panel(dtype):
    random, width = np.random.default_rng(0), PANEL // np.dtype(dtype).itemsize
    A, B = (random.normal(size=(7, n)).astype(dtype) for n in (SLIVER, width))
    C = np.zeros((SLIVER, 64), dtype)
    D = C.copy()
    for fresh in (True, False):
        both_products(A.ravel(), B.ravel(), C.ravel(), D.ravel(), 7, fresh)
    np.testing.assert_allclose(C[:, :width], 2 * A.T @ B, rtol=1e-5)
    np.testing.assert_allclose(C, D, rtol=1e-5)


@pytest.fixture
def undone():
    plain = mode.plain
    yield
    mode.plain = plain
    quick.use_private_parts()


larger = llvm.larger


def _part(a, b):
    return larger(a, b)


def test_a_loop_whose_private_parts_fail_is_compiled_from_portable_ones(
    undone, monkeypatch, capsys
):
    mode.plain = False

    def gone(*_, **__):
        raise AttributeError("declare_intrinsic has gone")

    monkeypatch.setattr(ir.Module, "declare_intrinsic", gone)
    loop = quick.quick_njit(_part, False, {"nogil": True})
    assert loop(2.0, 3.0) == 3.0
    assert is_plain()
    assert "differs from those that were tested" in capsys.readouterr().err
    assert larger is portable.larger


def wrong(a):
    return a.nothing


def test_an_error_of_the_loop_is_no_reason_to_switch(undone):
    mode.plain = False
    with pytest.raises(numba.TypingError, match="nothing"):
        quick.quick_njit(wrong, False, {})(1.0)
    assert not is_plain()


def test_trials_pass_here_and_say_what_failed(monkeypatch):
    assert trial.first_failure() is None
    monkeypatch.setattr("numba.core.compiler.Compiler.compile_extra", lambda self: None)
    assert "compiler is known" in trial.first_failure()


def test_blas_is_held_without_private_parts_too(monkeypatch):
    for asked in ("1", "0"):
        monkeypatch.setenv("MAXMARGIN_PLAIN", asked)
        restore = hold_blas()
        restore()
        assert is_asked_for() == (asked == "1")
