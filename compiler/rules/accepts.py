"""Problems with what steps accept: events that they cannot get, and joins that lack some."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import problem
from wfc.compiler.rules.fixes import remove_entry, replace_value

__all__ = [
    "accepted_twice",
    "count_out_of_range",
    "each_outside_batch",
    "end_event_accepted",
    "join_lacks_event",
    "no_join",
]


@problem
def end_event_accepted(place: Place, name: str) -> Finding:
    """A step accepts an event that ends the run.

    As soon as an end event is emitted the run is over, and what waits is dropped; a step that accepts it
    would never run. Let the step accept the event that comes before, or take the event out of `end`.
    """
    return Finding("end-event-accepted", f"`{name}` ends the run, so this step would never see it", place)


@problem
def accepted_twice(place: Place, name: str, *, certain: bool = True) -> Finding:
    """A step's `accepts` lists one event twice.

    Once is enough: a list means any one of its events, and a join waits for one of each. To wait for
    several events of one name, send them out with an `each` and collect them with `accepts: {each: …}`.
    """
    # Args: certain: whether it says just the same twice, so that either may go.
    joined = "all" in place.address[3:]  # where two of them, or another one, may be meant
    hint = (
        f"leave one out, or name the event that is meant; several `{name}`, sent out for the items of a list, are "
        f"collected by `accepts: {{each: {name}}}`"
    )
    fix = remove_entry(place, "unsafe" if joined else "safe") if certain else None
    return Finding(
        "accepted-twice", f"`{name}` is in this list already", place, hint if joined else "", fix=fix
    )


@problem
def no_join(place: Place, step: str, wanted: Sequence[str]) -> Finding:
    """A step uses what a join has collected, and accepts its events one by one.

    `accepts: [A, B]` runs the step for each `A` and for each `B`; the one that has come is `event`. `accepts: {all:
    [A, B]}` waits until there is one of each, and then both are there: `events.A` and `events.B`. Write the join, or
    use `event`.
    """
    written = f"accepts: {{all: [{', '.join(wanted)}]}}"
    return Finding(
        "no-join",
        f"`{step}` uses `events`, so it needs several events at once, and it accepts them one by one",
        place,
        f"write `{written}` for one of each, `{{any: […]}}` for the first that comes, `{{each: …}}` for a batch",
        fix=replace_value(place, written.removeprefix("accepts: ")),
    )


@problem
def join_lacks_event(place: Place, step: str, missing: Sequence[str], wanted: Sequence[str]) -> Finding:
    """A join does not wait for an event whose fields its step uses.

    `events` has the events that the join waits for, and their fields. What comes from another event is not there.
    Add the event to the join, or do without its fields.
    """
    shown = " and ".join(f"`{each}`" for each in missing)
    return Finding(
        "join-lacks-event",
        f"`{step}` uses fields of {shown}, and does not wait for {'it' if len(missing) == 1 else 'them'}",
        place,
        f"write `accepts: {{all: [{', '.join(wanted)}]}}`",
        fix=replace_value(place / "all", f"[{', '.join(wanted)}]"),
    )


@problem
def count_out_of_range(place: Place, count: int, events: int) -> Finding:
    """A join waits for more of its events than it has.

    `{any: [A, B, C], count: 2}` goes on when two of the three have arrived. With a count greater than the
    list is long it could never go on. Make the count smaller or the list longer.
    """
    return Finding(
        "count-out-of-range",
        f"`count` is {count}, but `any` has {events} event{'s' if events != 1 else ''}",
        place,
        f"write a number from 1 to {events}"
        if events > 1
        else "leave `count` out; so many of a batch are `{each: A, count: …}`",
    )


@problem
def each_outside_batch(place: Place, names: Sequence[str], *, starts: bool = False) -> Finding:
    """A join collects the events of a batch, and no batch leads to it.

    `accepts: {each: E}` waits until all items that an `each` has sent out are done. So on the way from
    the start to this step some step must emit with `each`. Without one, there is nothing to wait for:
    accept the event itself.
    """
    # Args: starts: Whether the only one of them is the event with which a run starts, which no step emits.
    shown = " and ".join(f"`{name}`" for name in names)
    if starts:
        said = f"the run starts with one {shown}, so there is no batch to collect"
        hint = (
            f"replace the join by the event: `accepts: {names[0]}`; a batch is collected by `{{each: E}}` with an "
            "event that an `each` sends, or that the steps behind it send"
        )
        return Finding("each-outside-batch", said, place, hint)
    instead = (
        f"accept {shown} itself"
        if len(names) == 1
        else f"for one of each write `{{all: [{', '.join(names)}]}}`"
    )
    said = f"no `each` sends out what leads to {shown}, so there is no batch to collect"
    hint = f"{instead}, or emit with `each` before, and let no step between collect the batch"
    return Finding("each-outside-batch", said, place, hint)
