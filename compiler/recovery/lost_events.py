"""Events in the place of others: one is emitted or accepted, and another one leads nowhere, or comes from nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import product
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Severity
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, walk, with_value
from wfc.compiler.slotted import replace

__all__ = ["lost_events"]

MOST_PLACES: Final = 6
MOST_WAYS: Final = 12
EXITS: Final = ("emit", "on_error", "on_limit", "on_timeout")


def lost_events(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that another event is emitted, or accepted, than one that nobody emits or accepts."""
    errors = [each for each in findings if each.severity is Severity.ERROR]
    places = [each.place.address for each in errors]
    wrong = list(dict.fromkeys(each[1] for each in places if each[:1] == ("steps",) and len(each) > 1))
    lost = [each.about[0] for each in errors if each.code in {"event-never-accepted", "received-by-nobody"}]
    for finding in errors if len(errors) > 1 else ():
        place, names = finding.place.address, finding.about
        pairs: list[tuple[Address, Any]]
        if finding.code == "event-never-emitted":  # either end may have the wrong name
            pairs = [*product([place], lost), *product(places_emitting(data, wrong), names)]
        elif finding.code == "unreachable-end":
            pairs = [*product(places_emitting(data, wrong), names)]
        elif finding.code == "event-never-accepted":
            pairs = [*product(places_accepting(data, wrong), names)]
        elif finding.code == "start-event-emitted":
            ends = data.get("end")
            pairs = [(place, each) for each in (ends if isinstance(ends, list) else [ends])]
        elif finding.code == "not-received":
            pairs = [(place, each) for each in lost]
        else:
            if finding.code == "accepted-twice" and place[:1] == ("end",):
                for name in lost[:MOST_PLACES]:
                    told = replace(finding, hint=f"`{name}` stands nowhere: it would fit here", fix=None)
                    yield Suspicion(told, with_value(data, place, name))
            continue
        yield from instead(data, finding, pairs, len(errors))


def instead(
    data: Data, finding: Finding, pairs: Iterable[tuple[Address, Any]], errors: int
) -> Iterator[Suspicion]:
    """Suspect that an event belongs to a place in a step where another one stands; all at which it would be right
    are told.

    Args:
        pairs: The places, each with an event that may belong there.
        errors: How many there are: none is to be left, for a step that is missing explains some of them as well.
    """
    ways: list[tuple[str, Data]] = []
    for address, name in pairs:
        there = at(data, address)
        if address[:1] == ("steps",) and len(address) > 2 and isinstance(name, str) and name != there:
            told = f"`{name}`, and not `{there}`, in `{address[1]}` under `{address[2]}`"
            ways.append((told, with_value(data, address, name)))
    ways = ways[:MOST_WAYS]
    for index, (told, changed) in enumerate(ways):
        blamed = replace(finding, hint=f"nothing would be wrong with {told}", fix=None)
        yield Suspicion(blamed, changed, explains=errors, rivals=tuple(ways[index + 1 :]))


def places_emitting(data: Data, steps: Sequence[Any]) -> Iterator[Address]:
    """Generate where some steps name an event that they emit."""
    declared = data.get("events")
    for step in steps:
        for key in EXITS:
            exits: Address = ("steps", step, key)
            content = at(data, exits)
            for address, value in ((exits, content), *walk(content, exits, 5)):
                is_name = len(address) == 3 or isinstance(address[-1], int) or address[-1] == "event"
                if is_name and isinstance(value, str) and isinstance(declared, dict) and value in declared:
                    yield address


def places_accepting(data: Data, steps: Sequence[Any]) -> Iterator[Address]:
    """Generate where some steps name the one event that they accept."""
    for step in steps:
        address: Address = ("steps", step, "accepts")
        if isinstance(at(data, address), str):
            yield address
