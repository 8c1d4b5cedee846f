"""What every test shares, those in docstrings of src among them."""

import sys

import pytest


@pytest.fixture(autouse=True)
def close_figures():
    """Leave no figure open for the next test, in documents and docstrings too."""
    yield
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is not None:
        pyplot.close("all")
