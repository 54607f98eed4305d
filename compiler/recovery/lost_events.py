"""Events in the place of others: one is emitted or accepted, and another one leads nowhere, or comes from nowhere."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Severity
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, walk, with_value
from wfc.compiler.slotted import replace

__all__ = ["lost_events"]

MOST_PLACES: Final = 6
EXITS: Final = ("emit", "on_error", "on_limit", "on_timeout")


def lost_events(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that another event is emitted, or accepted, than one that nobody emits or accepts."""
    errors = [each for each in findings if each.severity is Severity.ERROR]
    places = [each.place.address for each in errors]
    wrong = list(dict.fromkeys(each[1] for each in places if each[:1] == ("steps",) and len(each) > 1))
    lost = [each.about[0] for each in errors if each.code in {"event-never-accepted", "received-by-nobody"}]
    for finding in errors if len(errors) > 1 else ():
        place = finding.place.address
        if finding.code in {"event-never-emitted", "unreachable-end"}:
            yield from instead(data, finding, emitted(data, wrong), finding.about, len(errors))
        elif finding.code == "event-never-accepted":
            yield from instead(data, finding, accepted(data, wrong), finding.about, len(errors))
        elif finding.code == "start-event-emitted":
            ends = data.get("end")
            yield from instead(
                data,
                finding,
                iter([place]),
                ends if isinstance(ends, list) else [ends],
                len(errors),
            )
        elif finding.code == "not-received":
            yield from instead(data, finding, iter([place]), lost, len(errors))
        elif finding.code == "accepted-twice" and place[:1] == ("end",):
            for name in lost[:MOST_PLACES]:
                told = replace(finding, hint=f"`{name}` stands nowhere: it would fit here", fix=None)
                yield Suspicion(told, with_value(data, place, name))


def instead(
    data: Data, finding: Finding, places: Iterator[Address], names: Sequence[Any], errors: int
) -> Iterator[Suspicion]:
    """Suspect that an event belongs to one of some places, where another one stands; all at which it would be right
    are told.

    Args:
        errors: How many there are: none is to be left, for a step that is missing explains some of them as well.
    """
    ways: list[tuple[str, Data]] = []
    for address in islice(places, MOST_PLACES):
        there = at(data, address)
        for name in [each for each in names if isinstance(each, str) and each != there][:MOST_PLACES]:
            told = f"`{name}`, and not `{there}`, in `{address[1]}` under `{address[2]}`"
            ways.append((told, with_value(data, address, name)))
    for index, (told, changed) in enumerate(ways):
        blamed = replace(finding, hint=f"nothing would be wrong with {told}", fix=None)
        yield Suspicion(blamed, changed, explains=errors, rivals=tuple(ways[index + 1 :]))


def emitted(data: Data, steps: Sequence[Any]) -> Iterator[Address]:
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


def accepted(data: Data, steps: Sequence[Any]) -> Iterator[Address]:
    """Generate where some steps name the one event that they accept."""
    for step in steps:
        address: Address = ("steps", step, "accepts")
        if isinstance(at(data, address), str):
            yield address
