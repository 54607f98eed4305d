"""Problems with the flow: events that nobody sends or takes, loops without a bound."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place
from wfc.compiler.rules import problem, warning
from wfc.compiler.rules.fixes import remove_entry
from wfc.compiler.rules.phrases import joined

__all__ = [
    "choice_written_otherwise",
    "emit_falls_through",
    "entry_never_taken",
    "event_never_accepted",
    "event_never_emitted",
    "run_without_end",
    "unbounded_cycle",
    "unreachable_end",
    "unreachable_step",
    "unused_event",
]


# rule 1: events and steps


@problem
def event_never_emitted(place: Place, event: str, step: str) -> Finding:
    """A step waits for an event that no step sends.

    Events come from the `emit` of another step (or from one of its other exits: `on_error`, `on_limit`,
    `on_timeout`), from the start of the run, or from outside, as `receives` says. No step sends this one, so
    the step that accepts it would never run. Let some step emit it, or accept another event.
    """
    return Finding(
        "event-never-emitted",
        f"`{step}` accepts `{event}`, which no step emits",
        place,
        f"let a step `emit: {event}`, or accept another event; one that comes from outside is named under `receives`",
        about=(event,),
    )


@problem
def event_never_accepted(place: Place, event: str, step: str, *, in_batch: bool = False) -> Finding:
    """A step sends an event that no step accepts.

    What a step emits must lead somewhere: to a step that accepts the event, or to the end of the run, if the
    event is listed under `end`. This one would be lost without a word. Let a step accept it, list it under
    `end` if the run is over then, or emit `nothing` if the branch shall simply stop.
    """
    # Args: in_batch: whether it comes once for each item of a batch.
    who = "the run starts with" if step == "start" else f"{step} emits"
    hint = f"let a step have `accepts: {event}`"
    if step != "start":
        join = (
            f"all of them (`{{each: {event}}}`)" if in_batch else f"it with others (`{{all: [{event}, …]}}`)"
        )
        hint += (
            f", or wait for {join}, add `{event}` to `end` if the run is over then, or emit `nothing` here"
        )
    message = f"{who} `{event}`, which no step accepts"
    return Finding("event-never-accepted", message, place, hint, about=(event,))


@warning
def unused_event(place: Place, event: str) -> Finding:
    """An event is declared, but no step emits or accepts it.

    It does no harm, but a reader will look for it in vain. Remove it, or use it.
    """
    return Finding(
        "unused-event",
        f"no step emits or accepts `{event}`",
        place,
        "remove it, or let a step emit it and another accept it",
        fix=remove_entry(place),
    )


@problem
def unreachable_step(
    place: Place,
    step: str,
    waits_for: Sequence[str],
    senders: Mapping[str, Iterable[str]],
    together: Sequence[str] = (),
) -> Finding:
    """No path from the start of the run leads to a step.

    The steps that could send its events run only after it, or not at all, so none of them can ever be the
    first. This happens when steps wait for each other in a circle, when a part of the flow was never tied
    to the start, or when a step sends its events only after another one (`when: event is …`) that never comes. Let a
    step that does run emit one of its events.
    """
    # Args: senders: Steps that would emit what it waits for; those that run with the events after which alone they do.
    emit = f"{joined(senders)} {'emits' if len(senders) == 1 else 'emit'}"
    after = {event: None for events in senders.values() for event in events}
    if after:
        emit += f" after {joined(after, 'or')}"
    message = f"no path from the start leads to `{step}`"
    hint = (
        f"it waits for {joined(waits_for, 'or')}, which only {emit}, and "
        f"{'that never comes to pass' if after else 'no path leads there either'}: "
        f"let a step that runs before emit {joined(waits_for, 'or')}, or accept another event"
    )
    if after:
        hint += f"; or let {joined(after, 'or')} come from elsewhere too"
    if together:
        listed = f"[{', '.join(together)}]"
        hint += f"; or, if each of its events alone is to start it, write `accepts: {listed}`"
        hint += f", and if only the first is, `{{any: {listed}}}`"
    return Finding("unreachable-step", message, place, hint)


@problem
def unreachable_end(place: Place, event: str) -> Finding:
    """An event is listed under `end`, but no step sends it.

    The events under `end` are the ways in which a run may be over, and its caller prepares for each of them.
    This one never comes. Let a step emit it, or take it off the list.
    """
    return Finding(
        "unreachable-end",
        f"no step emits `{event}`, so no run can end with it",
        place,
        f"let a step `emit: {event}`, or take it out of `end`",
        fix=remove_entry(place) if place.address != ("end",) else None,
        about=(event,),
    )


# rule 3: every way out has an entry


@problem
def choice_written_otherwise(place: Place, word: str, entries: str, *, by_event: bool) -> Finding:
    """What a step does next is written in the way of another language or system.

    A choice is a list of entries, and the first whose `when` holds is taken: `- event: Refused` with `when: …`, and so
    on. The last has no `when`: it is taken if no other is. There is no `if`, `then` or `else`, and an
    event is no key: its name stands after `event`, its fields under `with`. Write it as the hint says.
    """
    what = "the event is the value of `event`" if by_event else "a choice is a list of entries"
    return Finding(
        "choice-written-otherwise",
        f"{what} here, and `{word}` is no key of an entry",
        place,
        f"write `{entries}`" if entries else "write `[{event: A, when: …}, B]`",
    )


@problem
def emit_falls_through(place: Place, step: str, occasion: str, case: str) -> Finding:
    """The conditions of a list of entries leave a case for which none is meant.

    The entries are tried from the top, and the first whose `when` holds is taken. If none holds, the step would not
    know what to send. So the last entry has no `when` (it is for all the rest), or the conditions together cover every
    case that the checker can see: every value of an enumeration, true and false, present and absent.
    """
    shown = f" where {case}" if case else ""
    return Finding(
        "emit-falls-through",
        f"no entry of `{step}`'s `{occasion}` is taken{shown}",
        place,
        "add a last entry without `when`: the event for all other cases, `nothing` if none is sent, or `fail`",
    )


@problem
def entry_never_taken(
    place: Place,
    step: str,
    occasion: str,
    earlier: int | None,
    together: str = "",
    *,
    alike: bool = False,
    after: str = "",
) -> Finding:
    """An entry is never taken, because those above it take all its cases, or its case never comes.

    The entries are tried from the top, and the first that fits is taken. An entry without `when` always fits,
    so nothing below it is ever reached; and a `when` that holds only where an earlier one holds too never gets its
    turn. Put the narrower case first, or remove the entry. An entry that asks for an event (`when: event is …`) which
    only this entry itself leads to has no turn either: let the event come from elsewhere first.
    """
    # Args: alike: Whether this entry would take every case of the earlier one, too.
    #     after: The event after which alone it would be taken, if it is that which never comes.
    if after:
        return Finding(
            "entry-never-taken",
            f"this entry of `{step}`'s `{occasion}` is taken only after `{after}`, which never comes",
            place,
            f"only what follows this entry emits `{after}`: let something that runs before emit it too, "
            "or let this entry be taken in another case",
        )
    if earlier is None:
        message = f"the entries above take every case of this one of `{step}`'s `{occasion}`"
        return Finding(
            "entry-never-taken",
            message,
            place,
            "put the narrower condition first, or remove this entry",
        )
    return Finding(
        "entry-never-taken",
        f"entry {earlier + 1} of `{step}`'s `{occasion}` is taken before this one in every case",
        place,
        (
            "one of the two needs a `when`, and stands first then; or leave one out"
            if alike
            else f"move entry {earlier + 1} to the end, or give it a `when`"
        )
        + (f"; to emit all of them write `{together}`" if together else ""),
        fix=remove_entry(place, "display"),
    )


# rule 5: cycles


@problem
def unbounded_cycle(place: Place, step: str, told: str, by_limit: bool) -> Finding:
    """A loop could go round for ever.

    The steps of this loop lead back to its beginning, and nothing says how often. A model that is never content, or a
    service that never answers as hoped, would keep the run going, and paying. Put `max_runs` on a step of the loop,
    and say with `on_limit` where it leaves when they are used up.
    """
    if by_limit:
        hint = f"{told}: the `on_limit` of `{step}` leads back into the loop; let it leave by another event"
        hint += ", or exchange it with `emit` if each has what the other one should"
        return Finding("unbounded-cycle", f"nothing bounds the loop through `{step}`", place, hint)
    way_out = "a bound, such as `max_runs: 3`, and an `on_limit` that leaves it"
    hint = f"{told}: if it is meant to loop, give `{step}` {way_out}"
    if "(on_limit)" in told:
        hint += "; an `on_limit` in it may be meant to leave it as well"
    bound = Edit((place / "accepts").key, "max_runs: 3", how="before")
    return Finding(
        "unbounded-cycle",
        f"nothing bounds the loop through `{step}`",
        place,
        hint,
        fix=Fix("write `max_runs: 3`", (bound,), "display"),
    )


# rule 6: ends


@problem
def run_without_end(
    place: Place, told: str, why: str, end: str, join: str = "", *, may_wait: bool = False
) -> Finding:
    """A run can come to rest without an end event.

    Every course of a run must come to one of the events under `end`, or to a failure that is declared. On the
    course shown here nothing is left to do, and nothing has ended the run: whoever waits for it would wait for ever.
    Emit an end event there, or see to it that another branch always does. Where the branch leads to a join, the run
    may go on without it: give the join a time-out.
    """
    # Args: may_wait: whether events from outside may follow, for which a run waits that has a `deadline`.
    timed = f", or give `{join}` a time-out (`within: 20s` with `on_timeout: proceed`)" if join else ""
    timed += "; a run that waits there for events from outside has a `deadline`" * may_wait
    return Finding(
        "run-without-end",
        "the run can come to rest without an end event",
        place,
        f"{told}: {why}; emit an end event such as `{end}` there, or `fail` with a text{timed}",
    )
