"""What all pages share: how templates are rendered, and how values are written."""

from __future__ import annotations

import math
import platform
import unicodedata
from importlib import metadata
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from maxmargin.job.wording import Metric, significant

LIBRARIES = ("maxmargin", "numpy", "scipy", "numba", "scikit-learn", "polars", "matplotlib")

SEEN = 0.8  # a class that is found less often is warned of
HALF = 0.5  # and less often than this, in red

_STEERING = frozenset("\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069\ufeff")
_UNSEEN = ("Cc", "Cs")
_SPACES = "\n\t"


def render_page(template: str, **facts: Any) -> str:
    """Fill a template.

    Parameters
    ----------
    template : str
        Name of the file.
    **facts
        What it tells.

    Returns
    -------
    str
        One self-contained document.
    """
    environment = Environment(
        loader=PackageLoader("maxmargin.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        finalize=_seen,
    )
    environment.filters |= {
        "percent": percent,
        "alarm": alarm,
        "share": Metric("recall").show,
        "number": number,
        "seconds": seconds,
        "some": some,
        "short": short,
        "significant": significant,
        "thousands": "{:,}".format,
        "values": values,
        "capitalize_first": capitalize_first,
    }
    return environment.get_template(template).render(versions=versions(), **facts)


def visible(text: object) -> str:
    r"""Spell out characters that cannot be seen, or that turn around how others are read.

    Parameters
    ----------
    text : object
        A name from a file.

    Returns
    -------
    str

    Examples
    --------
    >>> visible("a\x07b\u202ec")
    'a\\x07b\\u202ec'
    """
    return "".join(_spelt(letter) for letter in str(text))


def _spelt(letter: str) -> str:
    hidden = unicodedata.category(letter) in _UNSEEN or letter in _STEERING
    if not hidden or letter in _SPACES:
        return letter
    return letter.encode("unicode_escape").decode()


def _seen(value: Any) -> Any:
    """Escape hidden letters of a text; markup holds only escaped text."""
    return visible(value) if isinstance(value, str) and not isinstance(value, Markup) else value


def versions() -> dict[str, str]:
    """List Python and the libraries whose versions may change a result.

    Returns
    -------
    dict of str to str
    """
    return {"Python": platform.python_version()} | {
        library: metadata.version(library) for library in LIBRARIES
    }


def percent(share: float) -> str:
    """Write a share.

    Parameters
    ----------
    share : float

    Returns
    -------
    str

    Examples
    --------
    >>> percent(0.8444)
    '84.4 %'
    """
    return f"{100.0 * share:.1f} %" if math.isfinite(share) else "–"


def alarm(recall: float) -> str:
    """Describe how to read the share of a class's rows that were found.

    Parameters
    ----------
    recall : float

    Returns
    -------
    {"bad", "fair", ""}

    Examples
    --------
    >>> alarm(0.45), alarm(0.75), alarm(0.9)
    ('bad', 'fair', '')
    """
    return "bad" if recall < HALF else "fair" if recall < SEEN else ""


def number(value: Any) -> str:
    """Write a number with as many digits as tell something.

    Parameters
    ----------
    value : object

    Returns
    -------
    str
    """
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def seconds(value: float) -> str:
    """Write a time.

    Parameters
    ----------
    value : float

    Returns
    -------
    str

    Examples
    --------
    >>> seconds(0.0312), seconds(75.2), seconds(400.0)
    ('0.031 s', '75.2 s', '6.7 min')
    """
    if not math.isfinite(value):
        return "–"
    if value >= 120.0:
        return f"{value / 60.0:.1f} min"
    return f"{value:.1f} s" if value >= 1.0 else f"{value:.2g} s"


def some(count: int, thing: str) -> str:
    """Count things.

    Parameters
    ----------
    count : int
    thing : str
        What one of them is called.

    Returns
    -------
    str

    Examples
    --------
    >>> some(1, "row"), some(32561, "row")
    ('1 row', '32,561 rows')
    """
    many = "es" if thing.endswith(("s", "x")) else "s"
    return f"{count:,} {thing}{'' if count == 1 else many}"


def values(parameters: Any) -> str:
    """Write parameters by their last names.

    Parameters
    ----------
    parameters : mapping of str to object

    Returns
    -------
    str

    Examples
    --------
    >>> values({"svc__C": 10.0, "svc__gamma": 0.001953125, "svc__kernel": "rbf"})
    'C = 10, gamma = 0.001953, kernel = rbf'
    """
    return ", ".join(
        f"{name.rpartition('__')[2]} = {f'{value:.4g}' if isinstance(value, float) else value}"
        for name, value in parameters.items()
    )


def short(text: object, limit: int = 80) -> str:
    """Leave out the middle of what is too long to be a name.

    Parameters
    ----------
    text : object
    limit : int, default=80

    Returns
    -------
    str

    Examples
    --------
    >>> short("a very long name", 9)
    'a ver…ame'
    """
    name = str(text)
    tail = limit // 3
    return name if len(name) <= limit else f"{name[: limit - tail - 1]}…{name[-tail:]}"


def capitalize_first(text: str) -> str:
    """Begin a sentence, leaving the rest as it is.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> capitalize_first("linear SVM")
    'Linear SVM'
    """
    return text[:1].upper() + text[1:]
