"""Values that do not fit where the declaration may be what is wrong: a field with which its event would be right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding
from wfc.compiler.recovery.suspicion import Data, at, with_value

__all__ = ["declared_otherwise"]

SIMPLE: Final = frozenset(
    {"boolean", "date", "datetime", "decimal", "duration", "integer", "number", "string"}
)
OF_VALUES: Final = ((bool, "boolean"), (int, "integer"), (float, "number"), (str, "string"))
"""The type of a value that is written out, the narrowest first."""
FORMS: Final = {
    "date": r"\d{4}-\d\d-\d\d",
    "datetime": r"\d{4}-\d\d-\d\d[Tt ]\d\d:\d\d\S*",
}
"""What texts look like that are values of other types."""
MISMATCH: Final = r"wanted (?:an? )?(\w+), found (\w+)"
MENTION: Final = r"\s*\$\{\{\s*(event|inputs)\.(\w+)\s*\}\}\s*"


def declared_otherwise(data: Data, finding: Finding) -> list[tuple[str, Data]]:
    """Return the declarations with which a value would fit that does not, in words, and the data with each.

    Only where nothing is said of how the value is to be written instead.
    """
    if finding.code != "wrong-value" or finding.hint:
        return []
    address = finding.place.address
    choices = of_test(data, address) if address[:1] == ("tests",) else of_step(data, address, finding.message)
    return [
        (f"if the value is right, declare `{name}` of `{event}` as `{type}`", changed)
        for event, name, type in choices
        if (changed := with_type(data, event, name, type)) is not None
    ]


def of_test(data: Data, address: Address) -> Iterator[tuple[str, str, str]]:
    """Generate the event, the field and the type that a value of a test speaks for."""
    value = at(data, address)
    type = next((word for kind, word in OF_VALUES if isinstance(value, kind)), "")
    if isinstance(value, str):
        type = next((word for word, form in FORMS.items() if re.fullmatch(form, value)), type)
    match address:
        case ("tests", int(), "start", str(name)):
            event = data.get("start")
        case ("tests", int(), "expect", "with", str(name)):
            event = at(data, (*address[:3], "end")) or data.get("end")
        case ("tests", int(), "deliver", int(), "with", str(name)):
            event = at(data, (*address[:4], "event"))
        case _:
            return
    if isinstance(event, str) and type:
        yield event, name, type


def of_step(data: Data, address: Address, message: str) -> Iterator[tuple[str, str, str]]:
    """Generate the events, the fields and the types for which an expression speaks that fills a field."""
    found = re.match(MISMATCH, message)
    if found is None or address[:1] != ("steps",) or address[-2:-1] != ("with",) or "emit" not in address:
        return
    wanted, given = found.groups()
    event, name = at(data, (*address[:-2], "event")), str(address[-1])
    if isinstance(event, str) and given in SIMPLE:
        yield event, name, given
    value, accepts = at(data, address), at(data, (*address[:2], "accepts"))
    mention = re.fullmatch(MENTION, value) if isinstance(value, str) else None
    source = (data.get("start") if mention[1] == "inputs" else accepts) if mention is not None else None
    if mention is not None and isinstance(source, str) and wanted in SIMPLE:
        yield source, mention[2], wanted


def with_type(data: Data, event: str, name: str, type: str) -> Data | None:
    """Return the data with another type of an event's field; ``None`` if it is declared in another way."""
    field: Any = at(data, ("events", event, name))
    address: Address = ("events", event, name)
    if isinstance(field, dict) and isinstance(field.get("type"), str):
        address, field = (*address, "type"), field["type"]
    if not isinstance(field, str) or field == type or field.removeprefix("optional ") not in SIMPLE:
        return None
    words = f"optional {type}" if field.startswith("optional ") else type
    changed: Data = with_value(data, address, words)
    return changed
