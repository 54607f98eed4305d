"""What a step accepts: one event, any one of several, or several joined."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.model import AnyOf, Event, Join
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.resolve.values import bounds
from wfc.compiler.rules import accepts as accept_problems
from wfc.compiler.rules import steps as problems
from wfc.compiler.slotted import replace

__all__ = ["resolve_accepts"]

FORMS = ("all", "any", "each")
BOUNDS = ("within", "until")


def resolve_accepts(data: object, place: Place, declared: Declarations) -> tuple[AnyOf | Join | None, bool]:
    """Return what is accepted, and whether all of it is known; ``None`` where nothing is."""
    if not isinstance(data, dict):
        slots, whole = accepted_slots(data, place, declared)
        return (
            AnyOf(tuple(event for slot in slots for event in slot), place.address) if slots else None
        ), whole
    form = next((each for each in FORMS if each in data), None)
    if form is None:
        return None, False
    slots, whole = accepted_slots(data[form], place / form, declared)
    if not slots:
        return None, False
    report_half_a_time_out(data, place, declared)
    within = bounds.length(data["within"], place / "within", declared) if "within" in data else None
    until = bounds.moment(data["until"], place / "until", declared) if "until" in data else None
    whole = whole and ("within" not in data or within is not None)
    join = Join(
        form=form,  # type: ignore[arg-type]  # one of FORMS
        slots=slots,
        count=None,
        within=within,
        proceed=data.get("on_timeout") == "proceed",
        fork=None,
        address=place.address,
        rest=rest if (rest := data.get("rest")) in ("finish", "cancel") else None,
        until=until,
    )
    return with_count(join, data, place, declared, whole=whole)


def report_half_a_time_out(data: Data, place: Place, declared: Declarations) -> None:
    """Report a bound of a join's wait without what follows it, and the other way round."""
    found = [key for key in BOUNDS if key in data]
    if found and "on_timeout" not in data and not declared.is_broken((*place.address, "on_timeout")):
        declared.report(problems.key_without_companion((place / found[0]).key, found[0], "on_timeout"))
    lost = declared.any_broken(place, BOUNDS)
    if "on_timeout" in data and not found and not lost:
        declared.report(problems.key_without_companion((place / "on_timeout").key, "on_timeout", "within"))


def with_count(
    join: Join, data: Data, place: Place, declared: Declarations, *, whole: bool
) -> tuple[Join, bool]:
    """Return a join with its `count`, and whether all of it is known."""
    if "count" not in data:
        lost = declared.is_broken((*place.address, "count"))
        if join.form == "each" and join.rest is not None and not join.timed and not lost:
            declared.report(problems.key_without_companion((place / "rest").key, "rest", "count"))
        return join, whole and not lost
    count, at = data["count"], place / "count"
    if join.form == "each":
        return replace(join, count=bounds.count(count, at, declared)), whole
    if not isinstance(count, int):
        return join, False
    if whole and count > len(join.slots) and not declared.is_broken(place.address):
        declared.report(accept_problems.count_out_of_range(at, count, len(join.slots)))
        whole = False
    return replace(join, count=count), whole


def accepted_slots(
    data: object, place: Place, declared: Declarations
) -> tuple[tuple[tuple[Event, ...], ...], bool]:
    """Return the events of one name or of a list, each once, and whether all names are known.

    An entry of the list may itself be a list, of events of which one comes.
    """
    found: dict[str, Event] = {}
    slots: list[tuple[Event, ...]] = []
    whole = not declared.is_broken(place.address)
    for entry, entry_at in one_or_many(data, place):
        slot: list[Event] = []
        for name, at in one_or_many(entry, entry_at):
            event = accepted_event(name, at, declared)
            if event is not None and event.name in found:
                certain = event in slot or (isinstance(entry, str) and (event,) in slots)
                declared.report(accept_problems.accepted_twice(at, event.name, certain=certain))
            elif event is not None:
                found[event.name] = event
                slot.append(event)
            whole = whole and event is not None and event.role != "end"
        if slot:
            slots.append(tuple(slot))
    return tuple(slots), whole


def accepted_event(name: object, at: Place, declared: Declarations) -> Event | None:
    """Return an event by its name; ``None`` if it is not known."""
    event = declared.events.find(name, at, declared.report) if isinstance(name, str) else None
    if event is not None and event.role == "end":
        declared.report(accept_problems.end_event_accepted(at, event.name))
    return event
