import doctest
from pathlib import Path

import matplotlib.pyplot as plt

PAGE = Path(__file__).parents[2] / "docs" / "solvers.md"


def test_the_page_on_solvers_runs_as_printed():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
    plt.close("all")
