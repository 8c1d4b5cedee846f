from collections.abc import Iterator
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import matplotlib as mpl
import pytest

mpl.use("Agg")


@pytest.fixture(autouse=True)
def _close_figures() -> Iterator[None]:
    import matplotlib.pyplot as plt  # noqa: PLC0415 - after the backend is chosen

    yield
    plt.close("all")


@pytest.fixture(scope="session")
def outcomes() -> ModuleType:
    """Give the factory of outcomes, whose jobs are run once for all tests."""
    spec = spec_from_file_location("outcomes", Path(__file__).with_name("outcomes.py"))
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
