"""Rules about what callers see: inputs, outcomes, events from outside and events that are shown."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.catalogue.bounds import bound_change, raised_or_lowered
from wfc.compiler.review.catalogue.fields import (
    GIVEN,
    INPUTS,
    OUTPUTS,
    SHOWN,
    changes_of_given,
    changes_of_read,
)
from wfc.compiler.review.changes import Level, SpecChange, mirrored, rule
from wfc.compiler.review.pair import Facts, Pair
from wfc.compiler.review.sameness import place, said, same

__all__ = ["changes_for_callers", "told_to_callers"]

_INFO, _WARN, _BREAK = Level.INFO, Level.WARN, Level.BREAK
_ANOTHER = "the opposite of another one is another one"

start_changed = rule(
    "start-event-changed",
    "callers",
    _BREAK,
    """A run starts with another event.

Whoever starts runs by that event, or has them started by a topic, fails.""",
    no_mirror=_ANOTHER,
)

_END = mirrored(
    "outcome",
    "callers",
    (
        "added",
        _WARN,
        """A run may end with an event with which it could not end before.

Whoever calls the workflow has to know what to do then: calls by other workflows are checked, programs are not.""",
    ),
    (
        "removed",
        _BREAK,
        """No run ends any more with an event with which runs could end.

Whoever waits for it, or reads it, waits in vain or fails.""",
    ),
)

_SHOWN = mirrored(
    "shown-event",
    "callers",
    ("added", _INFO, "An event is shown while a run goes on that was not shown before."),
    (
        "removed",
        _BREAK,
        "An event is no longer shown while a run goes on.\n\nWhoever waits for it waits in vain.",
    ),
)

_FROM_OUTSIDE = mirrored(
    "message",
    "callers",
    ("added", _INFO, "A run takes an event from outside that it did not take before."),
    (
        "removed",
        _BREAK,
        """A run no longer takes an event from outside.

Whoever sends it is refused.""",
    ),
)

address_changed = rule(
    "message-address-changed",
    "callers",
    _BREAK,
    """An event from outside finds its run otherwise: by another key or under another topic.

Whoever sends it as before finds no run.""",
    no_mirror=_ANOTHER,
)

key_changed = rule(
    "run-key-changed",
    "callers",
    _BREAK,
    """A run is known by another key, or by one newly or no more.

Senders of messages find their run by it, and it decides which runs are the same: runs that are under way keep the
key that they have.""",
    no_mirror=_ANOTHER,
)

when_running = rule(
    "when-running-changed",
    "callers",
    Level.ACT,
    """Something else happens when a run is started whose key another run has.

What was refused may replace the run that is there, or the other way round.""",
    no_mirror=_ANOTHER,
)

_DEADLINE = raised_or_lowered(
    "deadline",
    "callers",
    (_INFO, "A run may take longer than before, so whoever waits for it may wait longer."),
    (
        _WARN,
        """A run has less time than before.

Runs that took longer end by `on_deadline`, or fail. Runs that are under way keep their deadline.""",
    ),
)

version_changed = rule(
    "version-changed",
    "callers",
    _INFO,
    "The workflow's `version` is another one.",
    no_mirror=_ANOTHER,
)

version_not_raised = rule(
    "version-not-raised",
    "callers",
    _INFO,
    """Something breaks callers, and the workflow's `version` is the same.

A first number that is raised tells callers that they have to look.""",
    no_mirror="where nothing breaks nothing has to be raised",
)


def changes_for_callers(pair: Pair) -> Iterator[SpecChange]:
    """Yield what has changed for those who start runs, send them events and read their outcomes."""
    found = [*_start(pair), *_ends(pair), *_outside(pair), *_shown(pair), *_key(pair)]
    yield from found
    yield from bound_change(
        pair, _DEADLINE, "deadline", "the time for a whole run", pair.old["deadline"], pair.new["deadline"]
    )
    before, after = pair.old["version"], pair.new["version"]
    if before["value"] != after["value"]:
        told = f"the version is {after['value'] or 'not said'}, and was {before['value'] or 'not said'}"
        yield version_changed.found(
            pair.name,
            "version",
            told,
            before=before["value"],
            after=after["value"],
            old=place(before) if before["value"] else None,
            new=place(after) if after["value"] else None,
        )
    elif before["value"] and any(each.level is _BREAK for each in found):
        told = f"callers break, and the version is {after['value']} as before"
        yield version_not_raised.found(pair.name, "version", told, old=before["at"], new=after["at"])


def _start(pair: Pair) -> Iterator[SpecChange]:
    before, after = pair.old["start"], pair.new["start"]
    if _called(pair, before["event"]) != after["event"]:
        told = f"a run starts with `{after['event']}`, and started with `{_called(pair, before['event'])}`"
        yield start_changed.found(
            pair.name,
            "start",
            told,
            before=_called(pair, before["event"]),
            after=after["event"],
            old=before["at"],
            new=after["at"],
        )
    old, new = (
        facts["events"].get(each["event"], {"fields": {}})
        for facts, each in ((pair.old, before), (pair.new, after))
    )
    about = f"events.{after['event']}.fields"
    yield from changes_of_given(pair, INPUTS, about, "", old["fields"], new["fields"])


def _called(pair: Pair, event: str) -> str:
    """Return what an event was called before: callers do not know of new names."""
    return next((old for old, new in pair.events_renamed.items() if new == event), event)


def _ends(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _END
    before, after = pair.old["end"], pair.new["end"]
    old = {_called(pair, event): event for event in before["events"]}
    for event in after["events"]:
        if event not in old:
            at = place(pair.new["events"].get(event)) or after["at"]
            yield added.found(
                pair.name,
                f"end.{event}",
                f"a run may end with `{event}`",
                after=event,
                new=at,
                covers=("end", f"events.{event}"),
            )
    for event, now in old.items():
        if event not in after["events"]:
            called = f"; it is called `{now}` now" if now in after["events"] else ""
            at = place(pair.old["events"].get(now)) or before["at"]
            told = f"no run ends with `{event}` any more{called}"
            yield removed.found(
                pair.name, f"end.{event}", told, before=event, old=at, covers=("end", f"events.{event}")
            )
    for event in after["events"]:
        one, other = pair.old["events"].get(event), pair.new["events"].get(event)
        if event in before["events"] and one is not None and other is not None:
            about = f"events.{event}.fields"
            yield from changes_of_read(pair, OUTPUTS, about, f" of `{event}`", one["fields"], other["fields"])


def _outside(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _FROM_OUTSIDE
    old, new = _taken(pair.old), _taken(pair.new)
    for event, at in new.items():
        if event not in old:
            told = f"a run takes `{event}` from outside now"
            yield added.found(pair.name, f"receives.{event}", told, after=event, new=at)
    for event, at in old.items():
        if event not in new:
            told = f"a run takes `{event}` from outside no more"
            yield removed.found(pair.name, f"receives.{event}", told, before=event, old=at)
            continue
        one, other = pair.old["events"].get(event), pair.new["events"].get(event)
        if one is not None and other is not None:
            about = f"events.{event}.fields"
            yield from changes_of_given(pair, GIVEN, about, f" of `{event}`", one["fields"], other["fields"])
    for event, before, after in pair.both("receives"):
        was, now = _address(before), _address(after)
        told = f"`{event}` finds its run by {now}, and did by {was}"
        yield address_changed.found(
            pair.name, f"receives.{event}", told, before=was, after=now, old=before["at"], new=after["at"]
        )


def _taken(facts: Facts) -> dict[str, Any]:
    """Return the events that runs take from outside, each with its place: those of waits, too."""
    found = {event: each["at"] for event, each in facts["receives"].items()}
    for step in facts["steps"].values():
        action = step["action"]
        if action is not None and action["does"] == "wait":
            for event in action.get("events", ()):
                found.setdefault(event, action["at"])
    return found


def _address(received: Any) -> str:
    by = [
        f"the key `{received['key']}`" if received["key"] else "",
        f"the topic `{received['topic']}`" if received["topic"] else "",
    ]
    return " and ".join(filter(None, by)) or "its run's id"


def _shown(pair: Pair) -> Iterator[SpecChange]:
    added, removed = _SHOWN
    old, new = _streamed(pair.old), _streamed(pair.new)
    for event, (step, key, at) in new.items():
        if event not in old:
            told = f"`{step}` shows `{event}` while a run goes on"
            yield added.found(
                pair.name, f"shown.{event}", told, after=event, new=at, covers=_stream(step, key)
            )
    for event, (step, key, at) in old.items():
        if event not in new:
            told = f"`{event}` is no longer shown while a run goes on"
            yield removed.found(
                pair.name, f"shown.{event}", told, before=event, old=at, covers=_stream(step, key)
            )
            continue
        one, other = pair.old["events"].get(event), pair.new["events"].get(event)
        if one is not None and other is not None and one["role"] == "message":
            about = f"events.{event}.fields"
            yield from changes_of_read(pair, SHOWN, about, f" of `{event}`", one["fields"], other["fields"])


def _stream(step: str, key: str) -> tuple[str, ...]:
    return (f"steps.{step}.stream.{key}",)


def _streamed(facts: Facts) -> dict[str, tuple[str, str, Any]]:
    """Return the events that are shown, each with the step, its key there and its place."""
    return {
        shown["event"]: (name, key, shown["at"])
        for name, step in facts["steps"].items()
        for key, shown in (step["stream"] or {}).items()
        if isinstance(shown, dict) and "event" in shown
    }


def told_to_callers(pair: Pair) -> set[str]:
    """Return the events within a workflow of whose fields it is told to callers what has changed."""
    outside, shown = (
        {*_taken(pair.old)} & {*_taken(pair.new)},
        {*_streamed(pair.old)} & {*_streamed(pair.new)},
    )
    return outside | shown


def _key(pair: Pair) -> Iterator[SpecChange]:
    before, after = pair.old["key"], pair.new["key"]
    if same(before, after):
        return
    one, other = (None if each is None else {**each, "when_running": ""} for each in (before, after))
    if not same(one, other):
        told = f"a run is known by {said(after) or 'no key'}, and was by {said(before) or 'no key'}"
        covers = () if before and after else ("key",)
        yield key_changed.found(
            pair.name,
            "key.means",
            told,
            before=said(before),
            after=said(after),
            old=place(before),
            new=place(after),
            covers=covers,
        )
    if before is not None and after is not None and before["when_running"] != after["when_running"]:
        was, now = str(before["when_running"]), str(after["when_running"])
        told = f"a start with the key of a run that is there means `{now}`, and meant `{was}`"
        yield when_running.found(
            pair.name, "key.when_running", told, before=was, after=now, old=before["at"], new=after["at"]
        )
