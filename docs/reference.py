"""Make the reference whole: extensions of Griffe and a hook of MkDocs, named in ``mkdocs.yml``.

Some public functions are named after their module, as ``plots.rounds`` is; read without being run,
the package has the module under that name. Griffe takes the first of some choices for the default
and examples without a heading for quotations, and a browser takes <x, y> for a tag. And a build
warns, which ``--strict`` makes an error, of public names without an entry and of pages that load
something from elsewhere: the site is read without a network too.
"""

import logging
import re
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import griffe

_log = logging.getLogger("mkdocs")
_LOADED = re.compile(r'<(?:script|link|img|iframe)\b[^>]*(?:src|href)="((?:https?:)?//[^"]*)"')


class Exports(griffe.Extension):
    """Show what a module exports under a name, not the file of the same name."""

    def on_package(self, *, pkg: griffe.Module, **_others: Any) -> None:
        for module in pkg.modules.values():
            for name in exports(module) & module.imports.keys():
                if module[name].is_module:
                    module.set_member(name, griffe.Alias(name, module.imports[name], parent=module))


class Docstrings(griffe.Extension):
    """Write docstrings in the way that Griffe and browsers read them."""

    def on_instance(self, *, obj: griffe.Object, **_others: Any) -> None:
        if obj.docstring is None:
            return
        text = obj.docstring.value
        if "\nExamples\n" not in text:
            text = re.sub(r"\n\n(?=>>> )", "\n\nExamples\n--------\n", text, count=1)
        prose, heading, examples = text.partition("\nExamples\n")
        prose = re.sub(r"(?m)^([\w, ]+ : )\{(.+?)\}", r"\1one of \2", prose)
        prose = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", prose)
        prose = re.sub(r"<([^<>\n]+, [^<>\n]+)>", r"⟨\1⟩", prose)
        obj.docstring.value = prose + heading + examples


def exports(module: griffe.Module) -> set[str]:
    """Names in ``__all__``."""
    return {str(name) for name in module.exports or () if not str(name).startswith("_")}


def public_names(pages: set[str]) -> Iterator[str]:
    """Whatever is exported by the package, its public rooms and the modules with a page."""
    package = griffe.load("maxmargin", search_paths=["src"])
    rooms = {name for name in exports(package) if package[name].is_module}
    yield from (f"maxmargin.{name}" for name in exports(package) - rooms)
    for room in rooms | pages:
        yield from (f"maxmargin.{room}.{name}" for name in exports(package[room]))


def on_post_build(config: Any) -> None:
    """Look over the built site."""
    site, docs = Path(config.site_dir), Path(config.docs_dir)
    pages = {page.stem for page in (docs / "api").glob("*.md")} - {"index"}
    for name in sorted({*public_names(pages)} - shown_names(site)):
        _log.warning("The reference has no entry for %s.", name)
    for page in site.rglob("*.html"):
        for loaded in _LOADED.findall(page.read_text(encoding="utf-8")):
            _log.warning("%s loads %s from elsewhere.", page.name, loaded)


def shown_names(site: Path) -> set[str]:
    """Names in the inventory of the built site."""
    packed = (site / "objects.inv").read_bytes().split(b"\n", 4)[4]
    return {line.split()[0] for line in zlib.decompress(packed).decode().splitlines()}
