"""A small validator of what our JSON Schemas use; a keyword it does not know is an error.

It also finds fields that a schema does not describe: those may come at any time for readers, but
not for us.
"""

from collections.abc import Iterator

from maxmargin.job.schema import schema_of

TYPES = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "null": lambda value: value is None,
    "integer": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
}
KNOWN = {
    *("$schema", "$id", "$defs", "$ref", "title", "description", "type", "enum", "const"),
    *("properties", "required", "additionalProperties", "items", "anyOf", "oneOf"),
}


def faults(value, name: str) -> list[str]:
    """Say what is wrong with a value, by the schema of this name."""
    homes = {schema["$id"]: schema for schema in map(schema_of, ("run", "events"))}
    return list(_faults(value, schema_of(name), schema_of(name), homes, ""))


def _faults(value, schema, home, homes, place) -> Iterator[str]:
    assert not schema.keys() - KNOWN, schema.keys() - KNOWN
    if "$ref" in schema:
        where, _, part = schema["$ref"].partition("#/$defs/")
        home = homes[where] if where else home
        yield from _faults(value, home["$defs"][part], home, homes, place)
        return
    for choice in ("anyOf", "oneOf"):
        if choice in schema:
            yield from _choose(value, schema[choice], home, homes, place)
            return
    if "const" in schema and value != schema["const"]:
        yield f"{place} is {value!r}, not {schema['const']!r}"
    if "enum" in schema and value not in schema["enum"]:
        yield f"{place} is {value!r}, none of {schema['enum']}"
    kinds = schema.get("type", list(TYPES))
    kinds = [kinds] if isinstance(kinds, str) else kinds
    if not any(TYPES[kind](value) for kind in kinds):
        yield f"{place} is a {type(value).__name__}, not {' or '.join(kinds)}"
        return
    if isinstance(value, dict):
        yield from _members(value, schema, home, homes, place)
    if isinstance(value, list) and "items" in schema:
        for number, item in enumerate(value):
            yield from _faults(item, schema["items"], home, homes, f"{place}[{number}]")


def _choose(value, choices, home, homes, place):
    """Name the faults by the choice that fits best: none if one fits."""
    found = [list(_faults(value, each, home, homes, place)) for each in choices]
    yield from min(found, key=len)


def _members(value, schema, home, homes, place):
    fields = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            yield f"{place}.{name} is missing"
    for name, part in value.items():
        where = f"{place}.{name}"
        if name in fields:
            yield from _faults(part, fields[name], home, homes, where)
        elif "additionalProperties" in schema:
            yield from _faults(part, schema["additionalProperties"], home, homes, where)
        else:
            yield f"{where} is not described"
