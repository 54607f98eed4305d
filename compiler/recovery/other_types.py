"""Values that do not fit where the declaration may be what is wrong: a field with which its event would be right."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding
from wfc.compiler.recovery.exchanged_types import declared_at, in_words, source_of
from wfc.compiler.recovery.suspicion import Data, at, with_value
from wfc.compiler.rules.values import MADE_WHOLE

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
BOUNDS: Final = frozenset({"format", "max", "max_length", "min", "min_length", "pattern"})


def declared_otherwise(data: Data, finding: Finding) -> list[tuple[str, Data]]:
    """Return the declarations with which a value would fit that does not, if it is right: in words, and the data with
    each.

    Only where nothing is said of how the value is to be written instead, but that it may be made whole.
    """
    if finding.code != "wrong-value" or finding.hint not in {"", MADE_WHOLE}:
        return []
    address = finding.place.address
    choices = of_test(data, address) if address[:1] == ("tests",) else of_step(data, address, finding.message)
    return [
        (f"declare `{field[-1]}` of {in_words(field[:-1])} as `{type}`", changed)
        for field, type in choices
        if (changed := with_type(data, field, type)) is not None
    ]


def of_test(data: Data, address: Address) -> Iterator[tuple[Address, str]]:
    """Generate the field of an event and the type that a value of a test speaks for."""
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
        yield ("events", event, name), type


def of_step(data: Data, address: Address, message: str) -> Iterator[tuple[Address, str]]:
    """Generate the fields and the types for which an expression speaks: of what takes it, and of where it is from."""
    found = re.match(MISMATCH, message)
    if found is None or address[:1] != ("steps",):
        return
    wanted, given = found.groups()
    target, source = declared_at(data, address), source_of(data, address)
    if target is not None and given in SIMPLE:
        yield target, given
    if source is not None and wanted in SIMPLE:
        yield source, wanted


def with_type(data: Data, address: Address, type: str) -> Data | None:
    """Return the data with another type of a field, without bounds, which are those of the type that it has; ``None``
    if it is declared in another way.
    """
    field: Any = at(data, address)
    declared = field.get("type") if isinstance(field, dict) else field
    if not isinstance(declared, str) or declared == type or declared.removeprefix("optional ") not in SIMPLE:
        return None
    words: Any = f"optional {type}" if declared.startswith("optional ") else type
    if isinstance(field, dict):
        words = {key: each for key, each in field.items() if key not in BOUNDS} | {"type": words}
    changed: Data = with_value(data, address, words)
    return changed
