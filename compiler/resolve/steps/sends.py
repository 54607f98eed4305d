"""Steps that send an event to other runs, checked against what those accept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions import Scope
from wfc.compiler.model import Event, SendEvent
from wfc.compiler.model.step_keys import NEEDS
from wfc.compiler.resolve.declarations.messages import read_key
from wfc.compiler.resolve.steps.exits import ExitResolver
from wfc.compiler.resolve.symbols.contracts import Contract
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.names import check_free_name
from wfc.compiler.resolve.symbols.tables import Data
from wfc.compiler.resolve.values.durations import duration
from wfc.compiler.rules import messages as problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.types import Record, alike, assignable, show

__all__ = ["resolve_send"]


def resolve_send(data: Data, place: Place, scope: Scope, exit_resolver: ExitResolver) -> SendEvent | None:
    """Return what a `send` step delivers, and to whom; ``None`` if that is not known."""
    declared, reader = exit_resolver.declared, exit_resolver.reader
    report_address(data, place, declared)
    emit = exit_resolver.emit(data.get("event"), data.get("with"), place / "event", scope, None)
    to_key = read_key(data["to_key"], place / "to_key", "to_key", scope, reader) if "to_key" in data else None
    if emit is None:
        return None
    absent = data.get("if_absent")
    kept: float | None = None
    if isinstance(absent, Mapping):
        kept = duration(absent.get("keep"), place / "if_absent" / "keep", declared.report)
    sent = SendEvent(
        emit=emit,
        to=str(data["to"]) if "to" in data else None,
        to_key=to_key,
        topic=str(data["topic"]) if "topic" in data else None,
        if_absent="start" if absent == "start" else kept,
    )
    target = declared.contract(sent.to, place / "to") if sent.to is not None else None
    if target is not None:
        check_message(sent, target, place, declared.report)
    if sent.topic is not None and sent.to is None and (known := declared.all_contracts()) is not None:
        check_topic(sent, known, place, declared.report)
    return sent


def report_address(data: Data, place: Place, declared: Declarations) -> None:
    """Report an address that is neither a workflow and a key, nor a topic."""
    found = [key for key in ("to", "topic") if key in data]
    if len(found) != 1 and not declared.any_broken(place, ("to", "topic")):
        declared.report(problems.send_to_whom(place.key, found))
        return
    for key in found:
        check_free_name(str(data[key]), place / key, key, declared.report)
    for key, needed in NEEDS["send"]:
        if key in data and needed not in data and not declared.is_broken((*place.address, needed)):
            declared.report(step_problems.key_without_companion((place / key).key, key, needed))


def check_message(sent: SendEvent, target: Contract, place: Place, report: Report) -> None:
    """Report where an event does not match what the workflow receives; the first mismatch only.

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
    if event.name in target.receives and (why := field_mismatch(event, target.receives[event.name].record)):
        report(problems.message_not_taken(place / "event", target.name, event.name, f"{why} in", ()))
        return
    if sent.if_absent == "start" and (why := field_mismatch(event, target.start)):
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


def check_topic(sent: SendEvent, targets: Iterable[Contract], place: Place, report: Report) -> None:
    """Report a topic under which no workflow receives the event, or a receiver whose event does not match.

    Args:
        targets: All workflows that are known here.
        place: Of the step that sends it.
    """
    event, topics = sent.emit.event, list[str]()
    targets = list(targets)
    if any(sent.topic in each.topics for each in targets):
        return  # it starts runs
    takers = [(each.name, each.receives[event.name]) for each in targets if event.name in each.receives]
    for name, taken in takers:
        if taken.topic in (None, sent.topic):
            if why := field_mismatch(event, taken.record):
                report(problems.message_not_taken(place / "event", name, event.name, f"{why} in", ()))
            return
        topics.append(str(taken.topic))
    report(problems.topic_without_receiver(place / "topic", event.name, str(sent.topic), topics))


def field_mismatch(event: Event, wanted: Record) -> str:
    """Return the field in which an event does not match the one that is wanted; empty if there is none."""
    for field in wanted.fields.values():
        own = event.record.fields.get(field.name)
        if own is None and field.required:
            return f"wants a field `{field.name}`"
        if own is not None and not (assignable(own.type, field.type) or alike(own.type, field.type)):
            return f"wants `{field.name}` to be {show(field.type)}, not {show(own.type)},"
    return ""
