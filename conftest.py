"""What every test shares, those in docstrings of src among them."""

import sys
from functools import cache
from importlib.util import find_spec

import pytest

# The engine of a card imports torch, which ``make test-gpu`` installs.
collect_ignore_glob = [] if find_spec("torch") else ["src/maxmargin/ops/gpu/*.py"]


@pytest.fixture(autouse=True)
def close_figures():
    """Leave no figure open for the next test, in documents and docstrings too."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")


@cache
def _generators(module):
    """Find a module's random generators, each with its state before the first test."""
    # Not imported here: libraries are loaded after tests/conftest.py has given them their threads.
    kind = getattr(sys.modules.get("numpy.random"), "Generator", ())
    found = [each for each in vars(module).values() if isinstance(each, kind)]
    return [(each.bit_generator, each.bit_generator.state) for each in found]


@pytest.fixture(autouse=True)
def same_numbers(request):
    """Give each test the same random numbers, whichever ran before it in the same process."""
    for generator, state in _generators(request.node.getparent(pytest.Module).obj):
        generator.state = state
