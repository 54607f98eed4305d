"""Joins and lists of events that stand within others under `accepts`, and how what they mean is written."""

from __future__ import annotations

from typing import Any, Final

from wfc.compiler.diagnostics import Address

__all__ = ["FORMS", "for_count", "for_join_as_whole", "for_nested_join"]

FORMS: Final = ("all", "any", "each")
MOST_NAMES: Final = 6


def for_count(value: Any, address: Address) -> str:
    """Return what to do about an expression as the `count` of a join; empty for all else."""
    if address[-1:] != ("count",) or address[2:3] != ("accepts",) or "${{" not in str(value):
        return ""
    return "how many of these events must come is written out as a number; only `{each: …}` takes its `count` from data"


def for_nested_join(value: Any, address: Address, data: Any) -> str:
    """Return how a join, or a list, is written that stands within another under `accepts`; empty for all else.

    Args:
        address: Where it stands, which is an item of a list.
        data: That of the whole spec.
    """
    if address[:1] != ("steps",) or address[2:3] != ("accepts",) or not isinstance(address[-1], int):
        return ""
    listed = data["steps"]
    for step in address[1:-1]:
        if isinstance(listed, dict) and step not in listed:
            return ""  # a misspelt key, which findings name as it is meant
        listed = listed[step]
    around = str(address[-2])
    if isinstance(value, list):
        return "only within `all` a list stands for one of several; elsewhere each event stands beside the others"
    inner = next((each for each in FORMS if isinstance(value, dict) and each in value), "")
    if not inner:
        return ""
    names = value[inner] if isinstance(value[inner], list) else [value[inner]]
    written = ", ".join(str(each) for each in names)
    if len(names) > MOST_NAMES or not all(isinstance(each, str) for each in names):
        written = "…"
    alone = len(value) == 1 and inner != "each"
    if len(listed) == 1 and around == "accepts":
        either = ", or `[A, B]` for either of two" if inner == "any" else ""
        return f"a join is no item of a list: write `accepts: {{{inner}: …}}`{either}"
    if alone and (around, inner) == ("all", "any"):
        return f"write `[{written}]`: of a list within `all` one comes"
    if alone and around == inner:
        return f"write its events beside the others: {written}"
    return stands_alone(inner, written)


def for_join_as_whole(value: dict[str, Any], form: str) -> str | None:
    """Return how a join is written that is all of another one (`any: {each: A}`); ``None`` for what is no join."""
    inner = next((each for each in FORMS if each in value), "")
    if not inner and form == "each" and isinstance(name := value.get("event"), str) and name.isidentifier():
        return f"write `each: {name}`: it collects what an `each` under `emit` has sent out"
    if not inner:
        return "" if any(value.values()) else None
    events = value[inner]
    written = ", ".join(map(str, events)) if isinstance(events, list) else str(events)
    if form == "each" and inner != "all":
        return f"write `[{written}]`"
    return stands_alone(inner, written)


def stands_alone(form: str, written: str) -> str:
    join = f"{{{form}: {written}}}" if form == "each" else f"{{{form}: [{written}]}}"
    return f"a join stands alone: let a step of its own have `accepts: {join}`; the event that it emits stands here"
