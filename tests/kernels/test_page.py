import doctest
from pathlib import Path

PAGE = Path(__file__).parents[2] / "docs" / "kernels.md"


def test_the_page_on_kernels_runs_as_printed():
    assert doctest.testfile(str(PAGE), module_relative=False).failed == 0
