import doctest
import re
from importlib.util import find_spec
from pathlib import Path

import matplotlib.pyplot as plt
import pytest

ROOT = Path(__file__).parents[2]
BLOCK = re.compile(r"^```(?:python|pycon)\n(.*?)^```", re.DOTALL | re.MULTILINE)
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


def code_blocks(page):
    """Code of a page, without the blocks that need pandas where it is not installed."""
    blocks = BLOCK.findall(page.read_text(encoding="utf-8"))
    return [code for code in blocks if "import pandas" not in code or find_spec("pandas")]


PAGES = (ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")))
PAGES_WITH_CODE = [page for page in PAGES if code_blocks(page)]


@pytest.mark.parametrize("page", PAGES_WITH_CODE, ids=lambda page: page.stem)
def test_code_of_the_page_runs_and_prints_what_it_says(page, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    parser, runner = doctest.DocTestParser(), doctest.DocTestRunner(optionflags=FLAGS)
    names: dict = {}
    for i, code in enumerate(code_blocks(page)):
        if ">>>" in code:
            session = parser.get_doctest(code, names, f"block {i}", str(page), 0)
            runner.run(session, clear_globs=False)
            names.update(session.globs)
        else:
            exec(compile(code, f"{page.name}, block {i}", "exec"), names)
        plt.close("all")
    assert runner.summarize(verbose=False).failed == 0
