import sys
from types import ModuleType, SimpleNamespace

import pytest


class Handle:
    """What display gives for what may be shown anew."""

    def __init__(self, shown):
        self._shown = shown

    def update(self, data, *, raw):
        assert raw
        self._shown[-1] = data


@pytest.fixture
def cells(monkeypatch):
    """What a notebook shows, under an IPython that is not there; the last may be replaced."""
    shown = []

    def display(data, *, raw, display_id=False):
        assert raw
        shown.append(data)
        return Handle(shown) if display_id else None

    package, module = ModuleType("IPython"), ModuleType("IPython.display")
    package.get_ipython = lambda: SimpleNamespace(kernel=object())
    module.display = display
    monkeypatch.setitem(sys.modules, "IPython", package)
    monkeypatch.setitem(sys.modules, "IPython.display", module)
    return shown
