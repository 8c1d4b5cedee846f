import io
import logging
import multiprocessing
import subprocess
import sys
from types import ModuleType, SimpleNamespace

import numba
import pytest

from maxmargin.ops import compiling
from maxmargin.ops.cpu.pairs import __name__ as ours
from maxmargin.progress import audience
from maxmargin.progress.compile_time import compile_time

LINE = "compiling for this processor, once"


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
    monkeypatch.delenv(audience.QUIET, raising=False)
    monkeypatch.setattr(compiling.notice, "patience", 0.0)
    monkeypatch.setattr(compiling.notice, "told", False)
    return show_on(Terminal(), monkeypatch)


def show_on(stream, monkeypatch):
    """Have the notice look at another stream; pytest keeps the standard ones to itself."""
    streams = SimpleNamespace(stderr=stream, stdout=None, modules=sys.modules)
    monkeypatch.setattr(audience, "sys", streams)
    return stream


@pytest.fixture
def cells(monkeypatch):
    """What a notebook shows, under an IPython that is not there."""
    shown = []
    module, display = ModuleType("IPython"), ModuleType("IPython.display")
    module.get_ipython = lambda: SimpleNamespace(kernel=object())
    display.display = lambda data, raw: shown.append(data["text/plain"])
    monkeypatch.setitem(sys.modules, "IPython", module)
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    return shown


def test_a_terminal_is_told_once_that_our_loops_compile(terminal):
    assert compile_anew() == 4
    compile_anew()
    assert terminal.getvalue().count(LINE) == 1


def test_time_adds_up_over_loops(terminal, monkeypatch):
    monkeypatch.setattr(compiling.notice, "patience", 3600.0)
    compile_anew()
    assert terminal.getvalue() == ""
    assert compiling.notice.patience < 3600.0
    monkeypatch.setattr(compiling.notice, "patience", 1e-9)  # all but spent
    compile_anew()
    assert "compiling" in terminal.getvalue()


def test_other_packages_compile_in_peace(terminal, caplog):
    caplog.set_level(logging.INFO, "maxmargin")
    compile_anew("elsewhere")
    assert terminal.getvalue() == caplog.text == ""
    assert not compiling.notice.told


def test_silent_where_nobody_looks(terminal, monkeypatch):
    file = show_on(io.StringIO(), monkeypatch)
    compile_anew()
    assert file.getvalue() == ""
    assert compiling.notice.told


def test_silent_when_asked_to_be(terminal, monkeypatch, cells):
    monkeypatch.setenv(audience.QUIET, "1")
    compile_anew()
    assert (terminal.getvalue(), cells) == ("", [])


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


def test_seconds_count_after_the_line_too(terminal):
    compile_anew()
    before = compile_time.seconds
    compile_anew()
    assert compiling.notice.told
    assert compile_time.seconds > before


# the log


@pytest.mark.parametrize("quiet", ["0", "1"])
def test_the_log_hears_in_pipes_too(terminal, monkeypatch, caplog, quiet):
    show_on(io.StringIO(), monkeypatch)
    monkeypatch.setenv(audience.QUIET, quiet)
    caplog.set_level(logging.INFO, "maxmargin")
    compile_anew()
    compile_anew()
    found = [(each.name, each.levelname) for each in caplog.records if LINE in each.message]
    assert found == [("maxmargin", "INFO")]


def test_a_log_on_the_screen_is_not_repeated(terminal, cells, monkeypatch):
    handler = logging.StreamHandler(terminal)
    monkeypatch.setattr(audience.logger, "handlers", [handler])
    monkeypatch.setattr(audience.logger, "level", logging.INFO)
    audience.logger.manager._clear_cache()
    compile_anew()
    assert terminal.getvalue() == f"{compiling._LINE}\n"  # as the handler writes it
    assert cells == []
    audience.logger.manager._clear_cache()


def test_a_log_elsewhere_is_no_reason_for_silence(terminal, monkeypatch, caplog):
    caplog.set_level(logging.INFO, "maxmargin")  # whose handler writes to memory
    compile_anew()
    assert terminal.getvalue().count(LINE) == 1
    assert LINE in caplog.text


def test_nothing_is_printed_by_a_log_that_nobody_set_up():
    code = "from maxmargin.progress import logger; logger.info('a'); logger.warning('b')"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
    assert run.stdout + run.stderr == b""


# notebooks


def test_a_notebook_shows_one_line(cells, terminal):
    compile_anew()
    compile_anew()
    assert [line.startswith(f"maxmargin: {LINE}") for line in cells] == [True]
    assert terminal.getvalue() == ""


def test_an_ipython_on_a_terminal_is_a_terminal(cells, terminal, monkeypatch):
    monkeypatch.setattr(sys.modules["IPython"], "get_ipython", SimpleNamespace)
    compile_anew()
    assert (cells, terminal.getvalue().count(LINE)) == ([], 1)
