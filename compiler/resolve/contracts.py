"""What other workflows of the folder promise, as far as it is known here, and what is held against it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.model import Event, SendEvent
from wfc.compiler.rules import messages as problems
from wfc.compiler.slotted import dataclass
from wfc.compiler.types import Record, Type, alike, assignable, show

__all__ = ["Contract", "Taken", "hold_message", "hold_topic"]


@dataclass(frozen=True, slots=True)
class Taken:
    """An event that a workflow takes from outside; under one ``topic`` only, if it says so."""

    record: Record
    topic: str | None


@dataclass(frozen=True, slots=True)
class Contract:
    """What a workflow shows to the others.

    Args:
        start: Its inputs.
        ends: Its end events, by name.
        receives: What its runs take from outside, by the events' names.
        key: The type of what identifies its runs, or ``None`` where nothing does.
    """

    name: str
    start: Record
    ends: Mapping[str, Record]
    receives: Mapping[str, Taken]
    key: Type | None


def hold_message(sent: SendEvent, target: Contract, place: Place, report: Report) -> None:
    """Report where an event does not go to a workflow as it is sent; the first mistake only.

    Args:
        place: Of the step that sends it.
    """
    event = sent.emit.event
    if event.name not in target.receives and sent.if_absent != "start":
        report(
            problems.message_not_taken(
                place / "event", target.name, event.name, "does not receive", target.receives
            )
        )
        return
    if event.name in target.receives and (why := misfit(event, target.receives[event.name].record)):
        report(problems.message_not_taken(place / "event", target.name, event.name, f"{why} in", ()))
        return
    if sent.if_absent == "start" and (why := misfit(event, target.start)):
        report(
            problems.message_not_taken(
                place / "if_absent", target.name, event.name, f"{why}, when it is started by", ()
            )
        )
        return
    if sent.to_key is None:
        return
    if target.key is None:
        report(
            problems.message_not_taken(
                place / "to_key", target.name, event.name, "has no `key` to find a run by for", ()
            )
        )
    elif not assignable(sent.to_key.type, target.key):
        why = f"has a `key` that is {show(target.key)}, not {show(sent.to_key.type)}, for"
        report(problems.message_not_taken(place / "to_key", target.name, event.name, why, ()))


def hold_topic(sent: SendEvent, targets: Iterable[Contract], place: Place, report: Report) -> None:
    """Report where no workflow takes an event under its topic, or one that does would not understand it.

    Args:
        targets: All workflows that are known here.
        place: Of the step that sends it.
    """
    event, topics = sent.emit.event, list[str]()
    takers = [(each.name, each.receives[event.name]) for each in targets if event.name in each.receives]
    for name, taken in takers:
        if taken.topic in (None, sent.topic):
            if why := misfit(event, taken.record):
                report(problems.message_not_taken(place / "event", name, event.name, f"{why} in", ()))
            return
        topics.append(str(taken.topic))
    report(problems.topic_without_receiver(place / "topic", event.name, str(sent.topic), topics))


def misfit(event: Event, wanted: Record) -> str:
    """In which field an event is not what is wanted; empty if in none."""
    for field in wanted.fields.values():
        own = event.record.fields.get(field.name)
        if own is None and field.required:
            return f"wants a field `{field.name}`"
        if own is not None and not (assignable(own.type, field.type) or alike(own.type, field.type)):
            return f"wants `{field.name}` to be {show(field.type)}, not {show(own.type)},"
    return ""
