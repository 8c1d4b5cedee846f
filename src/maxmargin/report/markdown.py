"""A report as Markdown: the same words and numbers, readable where HTML is not shown.

It is made of the page itself, so that whatever the page says is said here too. Pictures become the
words in which they are read out, with a link to the page.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from maxmargin.report.tree import Element, parse_page

PAGE = "report.html"
_LEFT_OUT = {"head", "nav", "style", "svg", "script"}
_BLOCKS = {
    *("section", "div", "p", "ul", "table", "pre", "figure", "details", "header", "footer"),
    *("h1", "h2", "h3", "main", "body", "html", "figcaption", "summary"),
}
_SIGNS = re.compile(r"([\\`*_\[\]|~$#])")
_STARTS = re.compile(r"^(\s*)([-+>=]|\d+[.)])(?=\s|$)")
_LONGEST = 200  # rows of a table


def markdown_of(page: str) -> str:
    """Write a page of ours as Markdown.

    Parameters
    ----------
    page : str
        HTML.

    Returns
    -------
    str

    Examples
    --------
    >>> print(markdown_of("<h2 id='a'>A &lt; B</h2><p>It <strong>is</strong> so.</p>"))
    ## A &lt; B
    <BLANKLINE>
    It **is** so.
    <BLANKLINE>
    """
    return "\n\n".join(_blocks(parse_page(page), "")) + "\n"


def escape_markdown(text: str) -> str:
    r"""Write text so that Markdown shows it as it is.

    Parameters
    ----------
    text : str

    Returns
    -------
    str

    Examples
    --------
    >>> escape_markdown("a_b | <script> & *c*")
    'a\\_b \\| &lt;script&gt; &amp; \\*c\\*'
    """
    safe = text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return _SIGNS.sub(r"\\\1", safe)


# blocks


def _blocks(element: Element, section: str) -> Iterator[str]:
    """Write what stands in an element, paragraph by paragraph."""
    line: list[Element | str] = []
    for child in element.children:
        if isinstance(child, Element) and _is_drawn(child):
            continue
        if isinstance(child, str) or child.tag not in _BLOCKS:
            line.append(child)
            continue
        yield from _paragraph(line)
        line = []
        yield from _block(child, child.attributes.get("aria-labelledby", section))
    yield from _paragraph(line)


def _is_drawn(element: Element) -> bool:
    """Whether an element says nothing without its looks."""
    return element.tag in _LEFT_OUT or "data-drawn" in element.attributes


def _block(element: Element, section: str) -> Iterator[str]:
    if element.tag in _WRITERS:
        yield from _WRITERS[element.tag](element, section)
    elif "tile" in element.classes:
        yield f"- {_tile(element)}"
    elif "tiles" in element.classes:
        yield "\n".join(_blocks(element, section))
    elif "alert" in element.classes:
        yield "\n>\n".join(f"> {block}" for block in _blocks(element, section))
    else:
        yield from _blocks(element, section)


def _paragraph(parts: Sequence[Element | str]) -> Iterator[str]:
    text = _line(parts)
    if text:
        yield _STARTS.sub(r"\1\\\2", text)


def _heading(element: Element, _section: str) -> Iterator[str]:
    text = _line(element.children)
    if text:
        yield f"{'#' * int(element.tag[1])} {text}"


def _text(element: Element, _section: str) -> Iterator[str]:
    yield from _paragraph(element.children)


def _list(element: Element, _section: str) -> Iterator[str]:
    items = [_line(item.children) for item in element.elements if item.tag == "li"]
    if items:
        yield "\n".join(f"- {_STARTS.sub(_ESCAPED, item)}" for item in items)


_ESCAPED = r"\1\\\2"


def _code(element: Element, _section: str) -> Iterator[str]:
    text = _plain(element).strip("\n")
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * max(3, longest + 1)
    yield f"{fence}text\n{text}\n{fence}"


def _tile(element: Element) -> str:
    name, value, *notes = [_line(child.children) for child in element.elements]
    told = "; ".join(note for note in notes if note)
    return f"{name}: **{value}**{f' ({told})' if told else ''}"


def _figure(element: Element, section: str) -> Iterator[str]:
    """Write what a picture says to those who cannot see it, and where it is."""
    said = [each.attributes.get("aria-label", "") for each in element.find("svg")]
    words = escape_markdown(next((each for each in said if each), "a picture"))
    link = f"{PAGE}#{section}" if section else PAGE
    caption = [_line(each.children) for each in element.find("figcaption")]
    yield " ".join([f"*Picture:* {_squeezed(words)} ([see it]({link}))", *caption])


def _details(element: Element, section: str) -> Iterator[str]:
    for child in element.elements:
        if child.tag == "summary":
            yield f"**{_line(child.children)}**"
        else:
            yield from _block(child, section)


# tables


def _table(element: Element, _section: str) -> Iterator[str]:
    for caption in element.find("caption"):
        yield from _paragraph(caption.children)
    rows = [[_cell(cell) for cell in _cells(row)] for row in element.find("tr")]
    headed = any(True for _ in element.find("thead"))
    if not rows:
        return
    width = max(map(len, rows))
    rows = [[*row, *[""] * (width - len(row))] for row in rows]
    head, body = (rows[0], rows[1:]) if headed else ([""] * width, rows)
    kept = [place for place in range(width) if any(row[place] for row in [head, *body])]
    written = [_row(row, kept) for row in [head, *body[:_LONGEST]]]
    yield "\n".join([written[0], _row(["---"] * width, kept), *written[1:]])
    if len(body) > _LONGEST:
        yield f"and {len(body) - _LONGEST:,} more in [{PAGE}]({PAGE})."


def _cells(row: Element) -> Iterator[Element]:
    """Return the cells of a row, and empty ones for those that one stretches over."""
    for cell in row.elements:
        yield cell
        for _ in range(int(cell.attributes.get("colspan", "1")) - 1):
            yield Element("td")


def _cell(cell: Element) -> str:
    return _line(cell.children)


def _row(cells: Sequence[str], kept: Iterable[int]) -> str:
    return f"| {' | '.join(cells[place] for place in kept)} |"


# words


def _line(parts: Iterable[Element | str]) -> str:
    return _squeezed("".join(map(_inline, parts)))


def _inline(part: Element | str) -> str:
    if isinstance(part, str):
        return escape_markdown(part)
    if part.tag in _LEFT_OUT:
        return ""
    if part.tag == "code":
        return _code_span(_plain(part))
    text = "".join(map(_inline, part.children))
    if part.tag in ("strong", "b") and text.strip():
        return f"**{text.strip()}**"
    # An interval that a page sets apart by its colour.
    aside = part.tag == "span" and "muted" in part.classes and text.strip()[:1].isdigit()
    return f" ({text.strip()})" if aside else text


def _code_span(text: str) -> str:
    longest = max((len(run) for run in re.findall("`+", text)), default=0)
    fence = "`" * (longest + 1)
    gap = " " if longest else ""
    return f"{fence}{gap}{_squeezed(text).replace('|', chr(92) + '|')}{gap}{fence}"


def _plain(element: Element) -> str:
    parts = [child if isinstance(child, str) else _plain(child) for child in element.children]
    return "".join(parts)


def _squeezed(text: str) -> str:
    return " ".join(text.split())


_WRITERS: dict[str, Callable[[Element, str], Iterator[str]]] = {
    **dict.fromkeys(("h1", "h2", "h3"), _heading),
    **dict.fromkeys(("p", "footer", "figcaption"), _text),
    "ul": _list,
    "pre": _code,
    "table": _table,
    "figure": _figure,
    "details": _details,
}
