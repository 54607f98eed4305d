"""What a step accepts: one event, any one of several, or several joined."""

from __future__ import annotations

from wfc.compiler.diagnostics import Place
from wfc.compiler.expressions import Expression, Scope, parse_expression
from wfc.compiler.model import AnyOf, Event, Join
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import one_or_many
from wfc.compiler.resolve.values import durations
from wfc.compiler.resolve.values.reader import reads_as_text
from wfc.compiler.resolve.values.scopes import inputs, one_of
from wfc.compiler.rules import steps as problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.types import UNKNOWN, members, show

__all__ = ["resolve_accepts"]

FORMS = ("all", "any", "at_least", "each")


def resolve_accepts(data: object, place: Place, declared: Declarations) -> tuple[AnyOf | Join | None, bool]:
    """Return what is accepted, and whether all of it is known; ``None`` where nothing is."""
    if not isinstance(data, dict):
        events, whole = accepted_events(data, place, declared)
        return (AnyOf(events, place.address) if events else None), whole
    form = next((each for each in FORMS if each in data), None)
    if form is None:
        return None, False
    content, at, count = data[form], place / form, 0
    if form == "at_least":
        if not isinstance(content, dict):
            return None, False
        count = content["count"] if isinstance(content.get("count"), int) else 0
        content, at = content.get("of"), at / "of"
    events, whole = accepted_events(content, at, declared)
    if (
        form == "at_least"
        and whole
        and not 1 <= count <= len(events)
        and not declared.is_broken(place.address)
    ):
        declared.report(problems.count_out_of_range(place / form / "count", count, len(events)))
        whole = False
    if not events:
        return None, False
    for key, needed in (("within", "on_timeout"), ("on_timeout", "within")):
        if key in data and needed not in data and not declared.is_broken((*place.address, needed)):
            declared.report(problems.key_without_companion((place / key).key, key, needed))
    if "match_by" in data and data.get("rest") == "cancel":
        why = "a join with `match_by` goes on for each value, so that there is no rest to cancel"
        declared.report(value_problems.wrong_value(place / "rest", why, "write `rest: finish`"))
        whole = False
    if form == "each" and "match_by" in data:
        declared.report(problems.match_by_in_batch((place / "match_by").key))
    by = "match_by" in data and form != "each"
    within = (
        durations.duration(data["within"], place / "within", declared.report) if "within" in data else None
    )
    whole = whole and ("within" not in data or within is not None)
    join = Join(
        form=form,  # type: ignore[arg-type]  # one of FORMS
        events=events,
        count=count,
        within=within,
        proceed=data.get("on_timeout") == "proceed",
        fork=None,
        address=place.address,
        rest=rest if (rest := data.get("rest")) in ("finish", "cancel") else None,
        match_by=match_by(data["match_by"], events, place, declared) if by else None,
    )
    return join, whole


def match_by(data: object, events: tuple[Event, ...], place: Place, declared: Declarations) -> Expression:
    """Return the value by which events are matched; a text, so that it can be compared and stored."""
    names = {"event": one_of(event.record for event in events), "inputs": inputs(declared)}
    scope = Scope(names={**names, "config": declared.config}, classes=declared.classes)
    found = parse_expression(str(data), place / "match_by", scope, declared.report)
    if found.type != UNKNOWN and not all(reads_as_text(each) for each in members(found.type)):
        why = f"wanted a text or a number that events share, found {show(found.type)}"
        declared.report(value_problems.wrong_value(place / "match_by", why))
    return found


def accepted_events(data: object, place: Place, declared: Declarations) -> tuple[tuple[Event, ...], bool]:
    """Return the events of one name or of a list of names, each once, and whether all names are known."""
    names = one_or_many(data, place)
    found: dict[str, Event] = {}
    whole = not declared.is_broken(place.address)
    for name, at in names:
        if not isinstance(name, str):
            whole = False
            continue
        event = declared.events.find(name, at, declared.report)
        if event is None:
            whole = False
        elif event.name in found:
            declared.report(problems.accepted_twice(at, event.name))
        elif event.role == "end":
            declared.report(problems.end_event_accepted(at, event.name))
            whole = False
            found[event.name] = event
        else:
            found[event.name] = event
    return tuple(found.values()), whole
