"""Objects of other languages, behind which stands what has a name of its own here, as in `github.event.name`."""

from __future__ import annotations

import re
from typing import Final

from wfc.compiler.expressions.typing.scope import Scope
from wfc.compiler.types import Record, Type, members

__all__ = ["FIELD", "NOT_ITEMS", "OWNERS", "for_object", "has_field"]

OWNERS: Final = ("result", "event", "events", "inputs", "state", "config", "error")
"""Whose field a name alone may be, the most likely first."""
NOT_ITEMS: Final = frozenset({*OWNERS, "agent", "args", "loop", "response", "run", "secrets", "trigger"})
"""Names that mean the same everywhere; the others are those of items, of which the innermost comes last."""
FIELD: Final = re.compile(r"\s*\.\s*(\w+)")


def of_several(field: str, scope: Scope) -> str:
    """Return what has a field of what came, where that is not `event` alone; empty elsewhere."""
    event = scope.names.get("event")
    meanings = {
        "event": "what the step accepted",
        "result": "what its action gave",
        "inputs": "what the run began with",
    }
    having = [each for each in meanings if has_field(scope.names.get(each), field)]
    if scope.names.get("inputs") == event and "inputs" in having:
        having.remove("inputs")
    if len(having) < 2 or having[0] != "event":
        return ""
    return ", ".join(f"`{each}.{field}` is of {meanings[each]}" for each in having)


def for_object(name: str, text: str, after: re.Match[str], scope: Scope) -> str:
    """Return what is meant by an object of another language behind which a name stands that is one here.

    Args:
        after: Where that name stands.
    """
    asked, within = after[1], FIELD.match(text, after.end())
    field = within[1] if within else ""
    if field in OWNERS and field in scope.names:  # as in `github.event.inputs.name`
        return f"leave out `{name}.{asked}.`"
    known = members(scope.names[asked])
    if asked == "event" and (several := of_several(field, scope)):
        return several
    if (
        not field
        or not all(isinstance(each, Record) for each in known)
        or has_field(scope.names[asked], field)
    ):
        return f"leave out `{name}.`"
    items = [each for each in scope.names if each not in NOT_ITEMS and each != asked]
    run = (
        () if (asked, field) == ("event", "id") else ("run",)
    )  # the `id` of what came is not that of the run
    places = (*reversed(items), *OWNERS, *run, "response")
    others = [each for each in dict.fromkeys(places) if has_field(scope.names.get(each), field)]
    if others and asked == "event":  # which elsewhere is what began it all
        return f"write `{others[0]}.{field}`"
    there = f", and there is `{others[0]}.{field}`" if others else ""
    return f"leave out `{name}.`; `{asked}` has no field `{field}`{there}"


def has_field(kind: Type | None, name: str) -> bool:
    return kind is not None and any(
        isinstance(each, Record) and name in each.fields for each in members(kind)
    )
