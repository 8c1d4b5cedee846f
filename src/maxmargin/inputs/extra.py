"""Packages that only parts of maxmargin need, and how to install them."""

from __future__ import annotations

from importlib.util import find_spec


class MissingPackageError(ImportError):
    """A part of maxmargin needs a package that is not installed."""


def require(what: str, extra: str, *packages: str) -> None:
    """Raise an error with the pip line if a package is not installed.

    Parameters
    ----------
    what : str
        What needs it, such as "maxmargin.plots".
    extra : str
        The extra of maxmargin that installs it.
    *packages : str

    Raises
    ------
    MissingPackageError

    Examples
    --------
    >>> require("maxmargin.plots", "plots", "a_package_that_nobody_has")
    Traceback (most recent call last):
    ...
    maxmargin.inputs.extra.MissingPackageError: maxmargin.plots needs a_package_that_nobody_has: \
pip install "maxmargin[plots]"
    """
    absent = [name for name in packages if find_spec(name) is None]
    if absent:
        line = f'pip install "maxmargin[{extra}]"'
        raise MissingPackageError(f"{what} needs {', '.join(absent)}: {line}", name=absent[0])
