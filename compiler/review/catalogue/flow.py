"""Rules about the flow: steps, what they accept, events within the workflow and the state."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.catalogue.callers import told_to_callers
from wfc.compiler.review.changes import Level, SpecChange, mirrored, rule
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import said, same

__all__ = ["changes_of_flow"]

_INFO, _WARN = Level.INFO, Level.WARN

_STEP = mirrored(
    "flow-step",
    "reviewers",
    ("added", _INFO, "A step is new.\n\nWhat it reaches outside is told as newly reached."),
    (
        "removed",
        _WARN,
        """A step is gone, and what it did is not done any more.

What it means for runs that stand there, `wfc runs upgrade --dry-run` tells.""",
    ),
)

renamed = rule(
    "flow-renamed",
    "reviewers",
    _INFO,
    """A step, an event, or a field of an event or of the state has another name, and does the same.

Runs that are paused know the old name: `moved` says what it is called now.""",
    no_mirror="the opposite of a new name is another new name",
)

kind_changed = rule(
    "step-kind-changed",
    "reviewers",
    _WARN,
    "A step does something of another kind, so that all that it did is not done any more.",
    no_mirror="the opposite of another kind is another kind",
)

accepts_changed = rule(
    "accepts-changed",
    "reviewers",
    _WARN,
    """A step runs on other events than before.

What led to it may lead past it, or the other way round.""",
    no_mirror="events may come and go in one change",
)

join_changed = rule(
    "join-condition-changed",
    "reviewers",
    _WARN,
    """A step waits for other events to meet than before, or for another number of them, or goes on otherwise.

Runs of which branches are under way may not be able to go on: `wfc runs upgrade --dry-run` tells.""",
    no_mirror="the opposite of another condition is another condition",
)

_EVENT = mirrored(
    "flow-event",
    "reviewers",
    ("added", _INFO, "An event within the workflow is new."),
    ("removed", _INFO, "An event within the workflow is gone."),
)

event_field = rule(
    "event-field-changed",
    "reviewers",
    _INFO,
    """A field of an event within the workflow is new, gone or otherwise.

Callers do not see it. What it means for runs that have such an event is told under “Paused runs”.""",
    no_mirror="fields may come and go in one change",
)

state_field = rule(
    "state-field-changed",
    "reviewers",
    _INFO,
    """A field of the state is new, gone or otherwise.

What it means for runs that are under way is told under “Paused runs”.""",
    no_mirror="fields may come and go in one change",
)

saves_changed = rule(
    "saves-changed",
    "reviewers",
    _WARN,
    "A step saves something else in the state than before.",
    no_mirror="the opposite of another value is another value",
)


def changes_of_flow(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed of the flow."""
    yield from _steps(pair)
    yield from _renamed_fields(pair)
    yield from _renamed_loops(pair)
    yield from _renamed_in_types(pair)
    for name, before, after in pair.changed_steps:
        yield from _step(pair, name, before, after)
    yield from _events(pair)
    yield from _fields(pair, "state", "state", "the state", pair.old["state"], pair.new["state"])


def _steps(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _STEP
    for name, step in pair.added("steps"):
        yield added.found(pair.name, f"steps.{name}", f"the step `{name}` is new", after=name, new=step["at"])
    for name, step in pair.gone("steps"):
        yield removed.found(
            pair.name, f"steps.{name}", f"the step `{name}` is gone", before=name, old=step["at"]
        )
    for sort, section, names in (
        ("step", "steps", pair.steps_renamed),
        ("event", "events", pair.events_renamed),
    ):
        for before, after in names.items():
            yield renamed.found(
                pair.name,
                f"renamed.{section}.{after}",
                f"the {sort} `{before}` is called `{after}` now",
                before=before,
                after=after,
                old=pair.old[section][after]["at"],
                new=pair.new[section][after]["at"],
                advice=f"say so for runs that are under way, `moved: {{{before}: {after}}}`"
                if before in pair.undeclared
                else "",
                covers=(f"moved.{before}",),
            )


def _renamed_fields(pair: Pair) -> Iterator[SpecChange]:
    """Yield the fields that have another name; those that callers see are told to them."""
    told = told_to_callers(pair) | {pair.new["start"]["event"], *pair.new["end"]["events"], "config"}
    events = {now: before for before, now in pair.events_renamed.items()}
    for owner, names in pair.fields_renamed.items():
        if owner.startswith("tools."):
            continue
        fields = (pair.old["state"], pair.new["state"])
        if owner != "state" and owner not in told:
            fields = (pair.old["events"][owner]["fields"], pair.new["events"][owner]["fields"])
        elif owner != "state":
            continue
        for before, after in names.items():
            moved = f"{events.get(owner, owner)}.{before}"
            is_declared = before in pair.fields_declared.get(owner, ())
            yield renamed.found(
                pair.name,
                f"renamed.fields.{owner}.{after}",
                f"the field `{before}` of {'the state' if owner == 'state' else f'`{owner}`'} is called `{after}` now",
                before=before,
                after=after,
                old=fields[0][after]["at"],
                new=fields[1][after]["at"],
                advice=""
                if is_declared
                else f"say so for runs that are under way, `moved: {{{moved}: {after}}}`",
                covers=(f"moved.{moved}",),
            )


def _renamed_loops(pair: Pair) -> Iterator[SpecChange]:
    """Yield the variables of loops that have another name."""
    for each in pair.loops_renamed:
        told = f"an item of the loop of `{each.step}` is called `{each.now}` now, and was `{each.before}`"
        yield renamed.found(
            pair.name, each.path, told, before=each.before, after=each.now, old=each.at[0], new=each.at[1]
        )


def _renamed_in_types(pair: Pair) -> Iterator[SpecChange]:
    """Yield the fields within types that have another name; callers are told of their own what has changed."""
    told = told_to_callers(pair)
    inside = [("state", pair.old["state"], pair.new["state"])]
    inside += [
        (f"events.{name}.fields", before["fields"], after["fields"])
        for name, before, after in pair.both("events")
        if before["role"] == after["role"] == "message" and name not in told
    ]
    covers = tuple(
        f"{path}.{name}"
        for path, old, new in inside
        for name, field in old.items()
        if name in new and same(pair.type_fields.of(field), new[name])
    )
    for before, after in pair.type_fields.names.items():
        where, old, new = pair.type_fields.where[after]
        yield renamed.found(
            pair.name,
            f"renamed.types.{after}",
            f"the field `{before}` within `{where}` is called `{after}` now, and so wherever a value has its type",
            before=before,
            after=after,
            old=old,
            new=new,
            covers=covers,
        )


def _step(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    path = f"steps.{name}"
    if before["kind"] != after["kind"]:
        told = f"`{name}` is of kind `{after['kind']}`, and was of kind `{before['kind']}`"
        yield kind_changed.found(
            pair.name,
            f"{path}.kind",
            told,
            before=before["kind"],
            after=after["kind"],
            old=before["at"],
            new=after["at"],
            covers=(f"{path}.action", f"{path}.result"),
        )
    yield from _accepts(pair, name, before["accepts"], after["accepts"])
    one, other = before["saves"], after["saves"]
    if not same(one, other):
        was, now = _saved(one), _saved(other)
        yield saves_changed.found(
            pair.name,
            f"{path}.saves",
            f"`{name}` saves {now}, and saved {was}",
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
        )


def _saved(saves: Any) -> str:
    shown = (
        f"{said(each['given'])} in `{field}`" + (f" ({each['merge']})" if each["merge"] else "")
        for field, each in saves.items()
    )
    return ", ".join(shown) or "nothing"


def _accepts(pair: Pair, name: str, before: Any, after: Any) -> Iterator[SpecChange]:
    path = f"steps.{name}.accepts"
    if sorted(before["events"]) != sorted(after["events"]):
        was, now = said(before["events"]), said(after["events"])
        yield accepts_changed.found(
            pair.name,
            f"{path}.events",
            f"`{name}` accepts {now}, and accepted {was}",
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=(f"{path}.slots",),
        )
    was, now = _joined(before), _joined(after)
    if was != now:
        yield join_changed.found(
            pair.name,
            f"{path}.join",
            f"`{name}` runs on {now}, and ran on {was}",
            before=was,
            after=now,
            old=before["at"],
            new=after["at"],
            covers=(*(f"{path}.{each}" for each in _PARTS), path)
            if ("join" in before) != ("join" in after)
            else tuple(f"{path}.{each}" for each in _PARTS),
        )


_PARTS = ("join", "slots", "count", "until", "proceed", "fork", "rest")


def _joined(accepts: Any) -> str:
    """Return how events meet, as text."""
    if "join" not in accepts:
        return "each event by itself"
    slots = sorted(" or ".join(sorted(slot)) for slot in accepts["slots"])
    found = f"{accepts['join']} of {', '.join(slots)}"
    if accepts["count"] is not None:
        found += f", {said(accepts['count'])} of them"
    if accepts["until"] is not None:
        found += f", until {said(accepts['until'])}"
    if accepts["proceed"]:
        found += ", and goes on with what is there"
    if accepts["rest"] is not None:
        found += f", and lets the rest {accepts['rest']}"
    return found + (f", parted at `{accepts['fork']}`" if accepts["fork"] else "")


def _events(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _EVENT
    for name, event in pair.added("events"):
        if event["role"] == "message":
            yield added.found(
                pair.name, f"events.{name}", f"the event `{name}` is new", after=name, new=event["at"]
            )
    for name, event in pair.gone("events"):
        if event["role"] == "message":
            yield removed.found(
                pair.name, f"events.{name}", f"the event `{name}` is gone", before=name, old=event["at"]
            )
    told = told_to_callers(pair)
    for name, before, after in pair.both("events"):
        if before["role"] == after["role"] == "message" and name not in told:
            yield from _fields(
                pair, f"events.{name}.fields", "event", f"`{name}`", before["fields"], after["fields"]
            )


def _fields(pair: Pair, path: str, sort: str, of: str, old: Any, new: Any) -> Iterator[SpecChange]:
    which = state_field if sort == "state" else event_field
    for name in dict.fromkeys([*old, *new]):
        before, after = old.get(name), new.get(name)
        if same(before, after) or (before and after and same(pair.type_fields.of(before), after)):
            continue
        if before is None:
            told = f"`{name}` of {of} is new"
        elif after is None:
            told = f"`{name}` of {of} is gone"
        else:
            told = f"`{name}` of {of} is {_field(after)}, and was {_field(before)}"
        yield which.found(
            pair.name,
            f"{path}.{name}",
            told,
            before="" if before is None else _field(before),
            after="" if after is None else _field(after),
            old=None if before is None else before["at"],
            new=None if after is None else after["at"],
        )


def _field(field: Any) -> str:
    found = str(field["text"]) + ("" if field["required"] else "?")
    if field.get("bounds"):
        found += f" ({said(field['bounds']).strip('{}')})"
    if "called" in field:
        found += f", outside `{field['called']}`"
    return f"{found}, by default {said(field['default']) or 'null'}" if "default" in field else found
