"""Fields that stand in a map of their own, as in `{fields: {…}}`, where they stand directly under the name."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, with_value
from wfc.compiler.rules import types as problems

__all__ = ["unwrapped", "wrapped_fields"]

SECTIONS: Final = ("events", "types")
ALWAYS: Final = frozenset({"attributes", "fields", "properties", "schema"})
"""What fields are called in other languages."""
OFTEN: Final = frozenset(
    {"args", "body", "content", "data", "inputs", "items", "params", "payload", "value", "values"}
)
"""Words that may be the name of a field as well."""


def wrapped_fields(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that the one field of an event or a type is no field, but holds them all."""
    if not findings:
        return
    for section in SECTIONS:
        declared = data.get(section)
        for name, content in declared.items() if isinstance(declared, dict) else ():
            found = inner(content)
            if found is None:
                continue
            address: Address = (section, name)
            word, fields = found
            finding = problems.fields_in_a_map(
                Place((*address, word), "key"), str(name), word, section, list(fields)
            )
            moves = tuple(((*address, word, key), (*address, key)) for key in fields)
            least = 1 if word in ALWAYS else 2
            yield Suspicion(finding, with_value(data, address, dict(fields)), moves, least)


def unwrapped(data: Data, finding: Finding) -> list[tuple[str, Data]]:
    """Return how an event is written whose one field is filled by nothing, if what stands within it is meant, in words,
    and the data with it.
    """
    place = finding.place.address
    event = at(data, place) if finding.code == "unfilled-field" else None
    found = inner(at(data, ("events", event))) if isinstance(event, str) else None
    if not isinstance(event, str) or found is None or finding.about != (found[0],):
        return []
    word, fields = found
    written = ", ".join(f"{key}: {each if isinstance(each, str) else '…'}" for key, each in fields.items())
    told = f"if what stands within `{word}` is meant, declare `{event}: {{{written}}}`"
    return [(told, with_value(data, ("events", event), dict(fields)))]


def inner(content: Any) -> tuple[str, dict[str, Any]] | None:
    """Return the word under which all fields stand, and the fields."""
    if not isinstance(content, dict):
        return None
    words = [word for word in content if word in ALWAYS or word in OFTEN]
    others = content.keys() - set(words)
    if len(words) != 1 or (
        others and not (others <= {"type", "required", "additionalProperties"} and words[0] in ALWAYS)
    ):
        return None
    fields = content[words[0]]
    if not isinstance(fields, dict) or not fields or {"type", "enum", "one_of"} & fields.keys():
        return None
    return words[0], fields
