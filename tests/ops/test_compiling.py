import io
import multiprocessing
from types import SimpleNamespace

import numba
import pytest

from maxmargin.ops import compiling
from maxmargin.ops.cpu.pairs import __name__ as ours


class Terminal(io.StringIO):
    def isatty(self):
        return True


def inner(x):
    return x + 1


def compile_anew(module=ours):
    """Compile a loop that calls another, as if it were of the module."""
    for function in (inner, outer := _outer()):
        function.__module__ = module
    return numba.njit(outer)(1)


def _outer():
    compiled = numba.njit(inner)

    def outer(x):
        return 2 * compiled(x)

    return outer


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.delenv(compiling.QUIET, raising=False)
    monkeypatch.setattr(compiling.notice, "patience", 0.0)
    monkeypatch.setattr(compiling.notice, "told", False)
    return show_on(Terminal(), monkeypatch)


def show_on(stream, monkeypatch):
    """Have the notice look at another stream; pytest keeps the standard ones to itself."""
    monkeypatch.setattr(compiling, "sys", SimpleNamespace(stderr=stream))
    return stream


def test_a_terminal_is_told_once_that_our_loops_compile(terminal):
    assert compile_anew() == 4
    compile_anew()
    assert terminal.getvalue().count("maxmargin: compiling for this processor, once") == 1


def test_time_adds_up_over_loops(terminal, monkeypatch):
    monkeypatch.setattr(compiling.notice, "patience", 3600.0)
    compile_anew()
    assert terminal.getvalue() == ""
    assert compiling.notice.patience < 3600.0
    monkeypatch.setattr(compiling.notice, "patience", 1e-9)  # all but spent
    compile_anew()
    assert "compiling" in terminal.getvalue()


def test_other_packages_compile_in_peace(terminal):
    compile_anew("elsewhere")
    assert terminal.getvalue() == ""
    assert not compiling.notice.told


def test_silent_where_nobody_looks(terminal, monkeypatch):
    file = show_on(io.StringIO(), monkeypatch)
    compile_anew()
    assert file.getvalue() == ""
    assert compiling.notice.told


def test_silent_when_asked_to_be(terminal, monkeypatch):
    monkeypatch.setenv(compiling.QUIET, "1")
    compile_anew()
    assert terminal.getvalue() == ""


def test_silent_in_a_worker(terminal, monkeypatch):
    monkeypatch.setattr(multiprocessing, "parent_process", object)
    compile_anew()
    assert terminal.getvalue() == ""


def test_loops_at_hand_are_not_counted(terminal):
    compiled = numba.njit(inner)
    compiled(1)
    terminal.truncate(0)
    compiling.notice.told, compiling.notice.patience = False, 0.0
    compiled(1)
    assert (terminal.getvalue(), compiling.notice.told) == ("", False)
