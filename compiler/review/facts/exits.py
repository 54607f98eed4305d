"""What a step accepts, and its ways out, as facts."""

from __future__ import annotations

from collections.abc import Iterable

from wfc.compiler.model import AnyOf, Emission, Emit, EmitEach, Entry, Exit, Fail, Join, Merge, Restart, Save
from wfc.compiler.model.flow import emits
from wfc.compiler.review.facts.places import Fact, Places
from wfc.compiler.review.facts.texts import bound, duration, expression, text, value

__all__ = ["accepted", "exit_facts", "saves"]


def accepted(places: Places, accepts: AnyOf | Join) -> Fact:
    """Return what a step accepts, and how it joins that."""
    found: Fact = {"at": places.at(accepts.address), "events": [event.name for event in accepts.events]}
    if isinstance(accepts, AnyOf):
        return found
    inside = accepts.address
    return found | {
        "join": accepts.form,
        "slots": [[event.name for event in slot] for slot in accepts.slots],
        "count": bound(places, accepts.count, (*inside, "count")),
        "within": duration(places, accepts.within, (*inside, "within")),
        "until": None if accepts.until is None else expression(places, accepts.until),
        "proceed": accepts.proceed,
        "fork": accepts.fork,
        "rest": accepts.rest,
    }


def exit_facts(places: Places, exit_: Exit) -> Fact:
    """Return the entries of an exit, in the order in which they are tried."""
    return {"at": places.at(exit_.address), "entries": [_entry(places, each) for each in exit_.entries]}


def _entry(places: Places, entry: Entry) -> Fact:
    return {
        "at": places.at(entry.address),
        "when": None if entry.when is None else expression(places, entry.when),
        "errors": list(entry.errors),
        "saves": saves(places, entry.save),
        **_emission(places, entry.emission),
    }


def _emission(places: Places, emission: Emission) -> Fact:
    """Return what is emitted; or that the run fails, begins anew, or nothing of that."""
    if isinstance(emission, Fail):
        return {"ends": "fail", "emits": [], "says": text(places, emission.text)}
    if isinstance(emission, Restart):
        filled = {each.field: value(places, each.value) for each in emission.fills}
        return {"ends": "restart", "emits": [], "fills": filled}
    found = []
    for emit, each in emits(emission):
        fact: Fact = {
            "at": places.at(emit.address),
            "event": emit.event.name,
            "fills": {fill.field: _placed(places, value(places, fill.value), emit) for fill in emit.fills},
        }
        if each is not None:
            fact["each"] = _each(places, each)
        found.append(fact)
    return {"emits": found}


def _placed(places: Places, given: Fact, emit: Emit) -> Fact:
    """Return a value with its place: what is copied by name has none of its own, but that of what is emitted."""
    return given if given["at"] != places.at(()) else {**given, "at": places.at(emit.address)}


def _each(places: Places, each: EmitEach) -> Fact:
    return {
        "at": places.at(each.address),
        "as": each.name,
        "items": expression(places, each.items),
        "max": bound(places, each.max, (*each.address, "max")),
        "concurrency": bound(places, each.concurrency, (*each.address, "concurrency")),
    }


def saves(places: Places, given: Iterable[Save]) -> dict[str, Fact]:
    """Return what is saved, by the field of the state."""
    return {
        each.field: {
            "at": places.at(each.address),
            "given": value(places, each.value),
            "merge": _merge(each.merge),
        }
        for each in given
    }


def _merge(merge: Merge | None) -> str | None:
    return None if merge is None else f"{merge.how} {merge.by}".strip()
