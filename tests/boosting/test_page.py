import doctest
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

PAGE = Path(__file__).parents[2] / "docs" / "boosting.md"


def test_the_page_on_boosting_runs_as_printed():
    mpl.use("Agg")
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
    plt.close("all")
