import pytest

from maxmargin.tables import Wishes, load_table

ROWS = "a,b,y\n1.5,u,no\n2.5,v,yes\n3.5,u,no\n4.5,w,yes\n"


@pytest.fixture
def write(tmp_path):
    """Write a file and return its path."""

    def write(content, name="table.csv"):
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.fixture
def load(write):
    """Write a file and make a table of it."""

    def load(content, target="y", name="table.csv", reading=None, **wishes):
        return load_table(write(content, name), Wishes(target, **wishes), reading)

    return load
