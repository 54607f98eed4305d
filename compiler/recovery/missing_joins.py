"""Missing joins: steps that use several events and accept one."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any, Final

from wfc.compiler.diagnostics import Address, Finding, Place
from wfc.compiler.recovery.suspicion import Data, Suspicion, at, walk, with_value
from wfc.compiler.rules import accepts as accept_problems

__all__ = ["missing_joins"]

USE: Final = re.compile(r"\bevents\.(\w+)")
MOST_EVENTS: Final = 50


def missing_joins(data: Data, findings: Sequence[Finding]) -> Iterator[Suspicion]:
    """Suspect that a step which uses `events` must accept more events than it does."""
    seen: set[Address] = set()
    lost = {name for each in findings if each.code == "event-never-accepted" for name in each.about}
    for finding in findings:
        address = finding.place.address[:2]
        lacking = finding.code == "unknown-field" or (
            finding.code == "unknown-name" and finding.about == ("events",)
        )
        if lacking and address not in seen and address[:1] == ("steps",):
            seen.add(address)
            yield from joins_of(data, address, lost)


def joins_of(data: Data, address: Address, lost: set[str]) -> Iterator[Suspicion]:
    """Suspect joins of the events that a step names and of those that would declare the fields it uses."""
    step = at(data, address)
    if not isinstance(step, dict) or "accepts" not in step:
        return
    accepts = step["accepts"]
    joined = isinstance(accepts, dict) and isinstance(accepts.get("all"), list)
    listed = accepts["all"] if joined else [accepts] if isinstance(accepts, str) else accepts
    events = data.get("events")
    if not isinstance(listed, list) or not isinstance(events, dict) or len(events) > MOST_EVENTS:
        return
    alone = [name for each in listed for name in (each if isinstance(each, list) and joined else [each])]
    if not all(isinstance(name, str) for name in alone):
        return
    used = {name: None for _, each in walk(step) if isinstance(each, str) for name in USE.findall(each)}
    named = [*listed, *(name for name in used if name in events and name not in alone)]
    fields = {
        name
        for name in used
        if name not in events and not any(declares(events, each, name) for each in (*named, *alone))
    }
    owners = [
        name
        for name in events
        if name not in named and name not in alone and any(declares(events, name, each) for each in fields)
    ]
    choices = [named, [*named, *(each for each in owners if each in lost)], [*named, *owners]]
    for index, wanted in enumerate(choices):
        if len(wanted) < 2 or wanted in choices[:index] or (joined and wanted == listed):
            continue
        at_all: Address = (*address, "accepts", "all") if joined else (*address, "accepts")
        again = wanted if joined else {"all": wanted}
        if joined:
            missing = [each for each in wanted if each not in listed]
            finding = accept_problems.join_lacks_event(
                Place((*address, "accepts")), str(address[-1]), missing, [spelt(each) for each in wanted]
            )
        else:
            finding = accept_problems.no_join(Place((*address, "accepts")), str(address[-1]), wanted)
        yield Suspicion(finding, with_value(data, at_all, again), explains=1)


def spelt(slot: str | list[str]) -> str:
    """Return a slot of a join as it is written: an event, or the alternatives of which one fills it."""
    return slot if isinstance(slot, str) else f"[{', '.join(slot)}]"


def declares(events: dict[str, Any], event: Any, field: str) -> bool:
    """Return whether an event declares a field itself."""
    fields = events.get(event) if isinstance(event, str) else None
    return isinstance(fields, dict) and field in fields
