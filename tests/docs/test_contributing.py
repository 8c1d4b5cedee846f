import inspect
import re
from pathlib import Path

from maxmargin import kernels

PAGE = Path(__file__).parents[2] / "CONTRIBUTING.md"
BY_HAND = {"psd", "prepare", "fill", "diagonal"}  # what a kernel has to give


def lines(kind):
    return len(inspect.getsource(kind).splitlines())


def test_the_kernel_shown_is_the_shortest_that_gives_everything_itself():
    """After a change of the class, paste it again: inspect.getsource of what is named here."""
    exported = [getattr(kernels, name) for name in kernels.__all__]
    classes = [kind for kind in exported if isinstance(kind, type)]
    whole = [k for k in classes if issubclass(k, kernels.Kernel) and vars(k).keys() >= BY_HAND]
    shortest = min((k for k in whole if k is not kernels.Kernel), key=lines)
    section = PAGE.read_text(encoding="utf-8").partition("## Adding a kernel")[2].partition("\n## ")
    shown = re.findall(r"^```py\n(.*?)^```", section[0], re.DOTALL | re.MULTILINE)
    assert shown == [inspect.getsource(shortest)]
