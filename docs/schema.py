"""Write the fields of schemas into docs/run-json.md, or say whether they are there.

python docs/schema.py            writes them
python docs/schema.py --check    ends with 1 if the page differs
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PAGE = ROOT / "docs" / "run-json.md"
SCHEMAS = ROOT / "src" / "maxmargin" / "job"
BLOCK = re.compile(
    r"(?P<head><!-- fields of (?P<name>\w+) -->\n).*?(?P<tail><!-- end of fields -->)", re.DOTALL
)


def filled(page: str) -> str:
    """Give a page with the fields as the schemas have them."""
    return BLOCK.sub(
        lambda found: f"{found['head']}\n{fields_of(found['name'])}\n{found['tail']}", page
    )


def fields_of(name: str) -> str:
    """Write a schema as tables: the whole, then its parts."""
    schema = json.loads((SCHEMAS / f"{name}.schema.json").read_text(encoding="utf-8"))
    parts = [] if "properties" not in schema else [table(schema)]
    for part, value in schema["$defs"].items():
        parts += [f"### {part}", value["description"], table(value)]
    return "\n\n".join(parts) + "\n"


def table(schema: dict) -> str:
    """Write the fields of an object."""
    shared = {"event", "version", "seconds"} if "event" in schema["properties"] else set()
    rows = [
        f"| `{name}` | {kind_of(field)} | {field['description']} |"
        for name, field in schema["properties"].items()
        if name not in shared
    ]
    return "\n".join(["| field | holds | |", "|---|---|---|", *rows])


def kind_of(field: dict) -> str:
    """Say in words what a field holds."""
    if "$ref" in field:
        part = field["$ref"].rpartition("/")[2]
        return f"[{part}](#{part})"
    if "anyOf" in field:
        return " or ".join(kind_of(each) for each in field["anyOf"])
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    kinds = field.get("type", "anything")
    listed = [kinds] if isinstance(kinds, str) else kinds
    return " or ".join(word_of(kind, field) for kind in listed)


def word_of(kind: str, field: dict) -> str:
    """Say in words what one type is."""
    if kind == "array":
        item = kind_of(field["items"])
        return f"list of {f'({item})' if ' or ' in item else item}"
    if kind == "object":
        return f"object of {kind_of(field['additionalProperties'])}"
    return kind


def main(words: list[str]) -> int:
    """Write the page, or compare."""
    old = PAGE.read_text(encoding="utf-8")
    new = filled(old)
    if "--check" in words:
        return int(old != new)
    PAGE.write_text(new, encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
