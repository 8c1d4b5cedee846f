import gc

import numpy as np
import pytest
from numba.core.compiler import Flags

from maxmargin.ops.compiler.plain import is_plain
from maxmargin.ops.compiler.quick import QuickFlags, collector_at_rest
from maxmargin.ops.loop import njit


@njit(cache=True, nogil=True)
def _twice(x):
    return 2.0 * x


@njit(nogil=True, fastmath={"contract"})
def add_twice(x, y):
    """Call one of ours, as loops do."""
    return _twice(x) + y


def test_loops_call_what_has_no_wrapper():
    assert add_twice(2.0, 1.0) == 5.0
    assert add_twice.signatures


def test_what_only_loops_call_becomes_part_of_them():
    assert add_twice(3.0, 1.0) == 7.0
    if is_plain():
        assert _twice(3.0) == 6.0
        return
    (part,) = _twice.overloads.values()
    assert not part.library.get_pointer_to_function(part.fndesc.llvm_func_name)
    assert _twice.stats.cache_path is None
    with pytest.raises(KeyError):  # not for Python to call
        _twice(3.0)


def test_quick_flags_are_equal_to_numbas():
    ours, theirs = QuickFlags(), Flags()
    assert ours == theirs
    assert hash(ours) == hash(theirs)
    ours.nrt = True
    assert ours != theirs
    theirs.nrt = True
    assert ours == theirs == ours.copy()
    assert hash(ours) == hash(theirs)


def test_the_collector_rests_and_wakes():
    assert gc.isenabled()
    with collector_at_rest(), collector_at_rest():
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_compilation_leaves_the_collector_awake():
    assert njit(nogil=True)(lambda x: x + 1)(np.float32(1.0)) == 2.0
    assert gc.isenabled()
