import doctest
import re
from importlib.util import find_spec
from pathlib import Path

import matplotlib as mpl
import matplotlib.pyplot as plt

PAGE = Path(__file__).parents[2] / "docs" / "boosting.md"
BLOCK = re.compile(r"```python\n.*?```", re.DOTALL)


def runnable(text):
    """Leave out the blocks that need pandas where it is not installed."""
    if find_spec("pandas") is not None:
        return text
    return BLOCK.sub(lambda block: "" if "import pandas" in block[0] else block[0], text)


def test_the_page_on_boosting_runs_as_printed():
    mpl.use("Agg")
    text = runnable(PAGE.read_text(encoding="utf-8"))
    page = doctest.DocTestParser().get_doctest(text, {}, PAGE.name, str(PAGE), 0)
    assert doctest.DocTestRunner().run(page).failed == 0
    plt.close("all")
