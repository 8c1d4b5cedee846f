import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "threads.md"


def test_the_page_on_threads_runs_as_printed():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
