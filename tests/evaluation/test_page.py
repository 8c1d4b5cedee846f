import doctest
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

PAGE = Path(__file__).parents[2] / "docs" / "evaluation.md"


def test_the_page_on_evaluation_runs_as_printed():
    mpl.use("Agg")
    text = PAGE.read_text(encoding="utf-8")
    page = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert doctest.DocTestRunner().run(page).failed == 0
    plt.close("all")
