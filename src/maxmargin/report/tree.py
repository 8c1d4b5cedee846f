"""A page of ours as a tree of its elements."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

_VOID = frozenset({"meta", "br", "hr", "img", "link", "input"})


@dataclass
class Element:
    """An element with what is in it.

    Parameters
    ----------
    tag : str
    attributes : dict of str to str
    children : list of Element or str
    """

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    @property
    def classes(self) -> list[str]:
        """Its classes."""
        return self.attributes.get("class", "").split()

    @property
    def elements(self) -> list[Element]:
        """Its children without bare text."""
        return [child for child in self.children if isinstance(child, Element)]

    def find(self, *tags: str) -> Iterator[Element]:
        """Find elements inside, in the order of the page.

        Parameters
        ----------
        *tags : str

        Yields
        ------
        Element
        """
        for child in self.elements:
            if child.tag in tags:
                yield child
            yield from child.find(*tags)


class _Builder(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open = [Element("page")]

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)
        if tag not in _VOID:
            self.open.append(element)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        element = Element(tag, {name: value or "" for name, value in attrs})
        self.open[-1].children.append(element)

    def handle_endtag(self, tag: str) -> None:
        if self.open[-1].tag == tag:
            self.open.pop()

    def handle_data(self, data: str) -> None:
        self.open[-1].children.append(data)


def parse_page(page: str) -> Element:
    """Return a page as a tree.

    Parameters
    ----------
    page : str
        Well-formed, as our templates are: what is opened is closed, in order.

    Returns
    -------
    Element

    Examples
    --------
    >>> parse_page("<p>a &lt; <b>b</b></p>").elements[0].children
    ['a < ', Element(tag='b', attributes={}, children=['b'])]
    """
    builder = _Builder()
    builder.feed(page)
    builder.close()
    return builder.open[0]
