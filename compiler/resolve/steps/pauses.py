"""Steps that wait: for a person, for a time, for an event from outside."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeGuard

from wfc.compiler.diagnostics import Place, Report
from wfc.compiler.expressions import Expression, Scope
from wfc.compiler.model import AskPerson, Event, Exit, Pause, Value, WaitEvent, WaitFor, WaitUntil
from wfc.compiler.model.step_keys import NEEDS, WAITS
from wfc.compiler.python.literals import normal_form, pascal_case
from wfc.compiler.resolve.declarations.fields import read_fields
from wfc.compiler.resolve.steps.actions import ResolvedAction
from wfc.compiler.resolve.steps.exits import ExitResolver
from wfc.compiler.resolve.symbols.declarations import Declarations
from wfc.compiler.resolve.symbols.tables import Data, one_or_many
from wfc.compiler.resolve.values import bounds
from wfc.compiler.resolve.values.assignees import assigned
from wfc.compiler.resolve.values.durations import duration_or_expression
from wfc.compiler.resolve.values.reader import ValueReader, hint_for_list
from wfc.compiler.resolve.values.scopes import StepScopes, one_of
from wfc.compiler.resolve.values.texts import read_prompt
from wfc.compiler.rules import accepts as accept_problems
from wfc.compiler.rules import pauses as problems
from wfc.compiler.rules import shape as shape_problems
from wfc.compiler.rules import steps as step_problems
from wfc.compiler.rules import values as value_problems
from wfc.compiler.slotted import replace
from wfc.compiler.types import (
    DATETIME,
    FILE,
    UNKNOWN,
    ListOf,
    Record,
    Type,
    assignable,
    mentions,
    parse_type,
    show,
    without_null,
)
from wfc.compiler.types.durations import everyday_seconds
from wfc.compiler.types.long_form import CHOICES, is_long_form

__all__ = ["report_pause_keys", "resolve_expiry", "resolve_pause"]

ABOUT_ATTEMPTS: Final = ("retry", "timeout", "concurrency", "on_error", "idempotency_key")


def resolve_pause(
    name: str, data: Data, place: Place, scopes: StepScopes, declared: Declarations, reader: ValueReader
) -> ResolvedAction:
    """Return what a step waits for, and the type of what that returns."""
    result = pause_result(name, data, place, declared)
    found = pause(data, place, result, scopes.action(), declared, reader)
    if data.get("kind") != "human":
        return ResolvedAction(found, result)
    answer = replace(scopes, result=answer_type(data, result)).tail()
    return ResolvedAction(found, result, place / "form" if "form" in data else None, outcome=answer)


def pause_result(name: str, data: Data, place: Place, declared: Declarations) -> Type | None:
    """Return the type of a pause's result: a form (with `quorum`, a list of it), an event from outside, or
    nothing.
    """
    if data.get("kind") == "wait":
        if "event" not in data or "for" in data:
            return UNKNOWN if declared.is_broken((*place.address, "event")) else None
        named = [str(event) for event, _at in one_or_many(data["event"], place / "event")]
        known = [declared.events.nodes.get(event) for event in named]
        return UNKNOWN if None in known else one_of(event.record for event in known if event is not None)
    if "form" not in data:
        return UNKNOWN if declared.is_broken((*place.address, "form")) else None
    form = form_of(name, data["form"], place / "form", declared)
    if form is None:
        return UNKNOWN
    for field in form.fields.values():
        if mentions(field.type, FILE):
            at = place / "form" if isinstance(data["form"], str) else Place(field.address)
            declared.report(problems.file_in_form(at, field.name))
    if declared.is_broken((*place.address, "quorum")):
        return UNKNOWN  # one answer, or a list of them
    return ListOf(form) if "quorum" in data else form


def form_of(name: str, data: object, place: Place, declared: Declarations) -> Record | None:
    """Return what a person fills in: fields that are written in place, or a type from `types`."""
    if not isinstance(data, str):
        form = Record(f"{pascal_case(name)}Form", role="output", address=place.address)
        read_fields(without_choices(data), form.address, form, declared)
        return form
    found = parse_type(data, place, declared.types, declared.report, "")
    if isinstance(found, Record) and found.role == "type":
        return found
    if found is not UNKNOWN:
        why = f"wanted the name of a record under `types`, found {show(found)}"
        declared.report(value_problems.wrong_value(place, why))
    return None


def has_choices(field: object) -> TypeGuard[Data]:
    """Return whether a field of a form says what it is chosen from."""
    return isinstance(field, dict) and CHOICES in field and is_long_form(field)


def without_choices(form: object) -> object:
    """Return the fields of a form as they would be declared anywhere else."""
    if not isinstance(form, dict) or not any(map(has_choices, form.values())):
        return form
    return {
        name: {key: each for key, each in field.items() if key != CHOICES} if has_choices(field) else field
        for name, field in form.items()
    }


def choices(
    data: object, place: Place, form: Record, scope: Scope, reader: ValueReader
) -> Iterator[tuple[str, Expression]]:
    """Yield the names of a form's fields that have choices, each with the list of them."""
    for key, written in data.items() if isinstance(data, dict) else ():
        field = form.fields.get(normal_form(str(key)))
        if field is None or not has_choices(written):
            continue
        at = place / str(key) / CHOICES
        found = reader.expression(written[CHOICES], at, scope)
        wanted = ListOf(without_null(field.type))
        if UNKNOWN not in (found.type, wanted.item) and not assignable(found.type, wanted):
            hint = hint_for_choices(found, wanted.item)
            reader.report(problems.no_list_of_choices(at, show(wanted), show(found.type), hint))
        yield field.name, found


def hint_for_choices(found: Expression, wanted: Type) -> str:
    """Return a hint for choices that are no list of what is wanted."""
    if not isinstance(found.type, ListOf):
        return hint_for_list(found.text, found.type, wanted)
    item = found.type.item
    fields = item.fields.values() if isinstance(item, Record) else ()
    fitting = [field.name for field in fields if assignable(field.type, wanted)]
    each = f"[each.{fitting[0]} for each in {found.text}]" if fitting else ""
    return f'take a field of each: `"{each}"`' if each and '"' not in each else ""


def answer_type(data: Data, result: Type | None) -> Type | None:
    """Return the type of one answer, which is what `require` looks at."""
    return result.item if "quorum" in data and isinstance(result, ListOf) else result


def pause(
    data: Data, place: Place, result: Type | None, scope: Scope, declared: Declarations, reader: ValueReader
) -> Pause | None:
    """Return what is waited for; ``None`` if that is not known."""
    if data.get("kind") == "human":
        report_endless_question(data, place, declared)
        return question(data, place, answer_type(data, result), scope, declared, reader)
    found = [key for key in WAITS if key in data and (key != "until" or "event" not in data)]
    if len(found) != 1:
        if not any(declared.is_broken((*place.address, key)) for key in WAITS):
            joins = isinstance(data.get("accepts"), dict)
            bounded = "within" in data or "on_timeout" in data
            declared.report(problems.wait_for_what(place.key, found, joins=joins, bounded=bounded))
        return None
    for key, needed in NEEDS["wait"]:
        if key in data and needed not in data:
            declared.report(step_problems.key_without_companion((place / key).key, key, needed))
    if "for" in data:
        length = duration_or_expression(data["for"], place / "for", scope, declared.report)
        return WaitFor(length) if length is not None else None
    if "event" in data:
        return outside_event(data, place, scope, declared, reader)
    return WaitUntil(moment(data, place / "until", scope, reader))


def report_endless_question(data: Data, place: Place, declared: Declarations) -> None:
    """Report a question that waits without end."""
    keys = ("within", "until")
    if "timeout" in data:
        return  # which is told to be the wrong word for it
    # a key that could not be read may be what was meant as the bound
    if not any(key in data for key in keys) and not any(
        place.address == broken[:-1] for broken in declared.broken
    ):
        hint = "write how long to wait for an answer, such as `within: 3 days`"
        declared.report(
            shape_problems.missing_key(place.key, f"`{place.address[-1]}`", keys, hint, one_of=True)
        )


def question(
    data: Data, place: Place, form: Type | None, scope: Scope, declared: Declarations, reader: ValueReader
) -> AskPerson:
    prefill: dict[str, Value] = {}
    given = data.get("prefill")
    if isinstance(given, dict) and isinstance(form, Record):
        prefill = reader.given(given, place / "prefill", form.fields, "the form", scope)
    elif isinstance(given, dict) and form is None:
        reader.report(step_problems.key_without_companion((place / "prefill").key, "prefill", "form"))
    assign = data.get("assign")
    quorum = data.get("quorum")
    return AskPerson(
        title=reader.text(data.get("title", ""), place / "title", scope),
        show=read_prompt(data["show"], place / "show", scope, declared, reader) if "show" in data else None,
        form=form if isinstance(form, Record) else None,
        choices=tuple(choices(data.get("form"), place / "form", form, scope, reader))
        if isinstance(form, Record)
        else (),
        prefill=tuple(prefill.items()),
        assign=tuple(
            assigned(each, place / "assign" / index, scope, reader)
            for index, each in enumerate(assign if isinstance(assign, list) else ())
        ),
        quorum=bounds.count(quorum, place / "quorum", declared) if quorum is not None else None,
        remind=reminder(data, place, scope, reader.report) if "remind" in data else None,
    )


def reminder(data: Data, place: Place, scope: Scope, report: Report) -> float | Expression | None:
    """Return how long it takes until somebody is reminded."""
    text, at = data["remind"], place / "remind"
    found = duration_or_expression(text, at, scope, report)
    if not isinstance(found, float):
        return found
    within = data.get("within")
    end = everyday_seconds(within.strip()) if isinstance(within, str) else None
    if found < 1:
        report(step_problems.bad_duration(at, str(text), "nobody is reminded more often than once a second"))
    elif end is not None and found >= end:
        report(problems.reminded_too_late(at, str(text), str(within)))
    return found


def moment(data: Data, place: Place, scope: Scope, reader: ValueReader) -> Expression:
    found = reader.expression(data["until"], place, scope)
    if found.type != UNKNOWN and not assignable(found.type, DATETIME):
        reader.report(value_problems.wrong_value(place, f"wanted a datetime, found {show(found.type)}"))
    return found


def outside_event(
    data: Data, place: Place, scope: Scope, declared: Declarations, reader: ValueReader
) -> WaitEvent | None:
    events = awaited_events(data["event"], place / "event", declared)
    if not events:
        return None
    for event in events:
        declared.waited.setdefault(event.name, place.address)
    bounded = "until" in data or declared.is_broken((*place.address, "until"))
    missing = [
        key
        for key in (*(() if bounded else ("within",)), "on_timeout")
        if key not in data and not declared.is_broken((*place.address, key))
    ]
    if missing:
        names = [event.name for event in events]
        reader.report(problems.endless_wait((place / "event").key, names, missing))
    that = None
    if "that" in data:
        came = one_of(event.record for event in events)
        inside = Scope(names={**scope.names, "result": came}, classes=scope.classes, types=scope.types)
        that = reader.condition(data["that"], place / "that", inside)
    return WaitEvent(events, that)


def awaited_events(data: object, place: Place, declared: Declarations) -> tuple[Event, ...]:
    """Return the events that a wait names, each once; none of them if one is not known."""
    found: dict[str, Event] = {}
    whole = True
    for name, at in one_or_many(data, place):
        event = declared.events.find(str(name), at, declared.report)
        if event is None:
            whole = False
            continue
        if event.name in found:
            declared.report(accept_problems.accepted_twice(at, event.name))
        elif event.name not in declared.receives and not declared.may_receive_more():
            declared.report(problems.not_received(at, event.name, declared.receives))
        found[event.name] = event
    return tuple(found.values()) if whole else ()


def resolve_expiry(
    data: Data, place: Place, scopes: StepScopes, exit_resolver: ExitResolver
) -> tuple[float | Expression | None, Expression | None, Exit | None]:
    """Return the bounds of a step's own pause, in time and by a moment, and the exit that it takes then."""
    if data["kind"] == "wait" and "event" not in data:
        return None, None, None
    declared, scope = exit_resolver.declared, scopes.action()
    within = until = on_expired = None
    if "within" in data:
        within = duration_or_expression(data["within"], place / "within", scope, declared.report)
        declared.flow_whole &= within is not None
    if "until" in data:
        until = moment(data, place / "until", scope, exit_resolver.reader)
    if "on_timeout" in data:
        on_expired = exit_resolver.exit(data["on_timeout"], place / "on_timeout", scope)
    return within, until, on_expired


def report_pause_keys(data: Data, place: Place, declared: Declarations) -> None:
    """Report keys about attempts, which have no meaning where a step only waits."""
    kind = str(data.get("kind"))
    keys = (*ABOUT_ATTEMPTS, "require") if kind == "wait" else ABOUT_ATTEMPTS
    for key in keys:
        if key in data:
            bounded = kind == "wait" and not data.keys().isdisjoint(("for", "within"))
            declared.report(problems.cannot_be_tried_again((place / key).key, key, kind, bounded=bounded))
