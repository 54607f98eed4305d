"""Problems with the flow: events that nobody sends or takes, joins that can wait for ever, loops without a bound."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place, Severity
from wfc.compiler.problems import problem, warning
from wfc.compiler.problems.fixes import removed

__all__ = [
    "batch_in_itself",
    "batch_work_escapes",
    "batches_mixed",
    "each_also_outside_batch",
    "emit_falls_through",
    "entry_never_taken",
    "event_never_accepted",
    "event_never_emitted",
    "flow_too_complex",
    "infinite_type",
    "join_feeds_itself",
    "join_from_outside",
    "join_never_fires",
    "join_overfills",
    "join_starves",
    "joins_in_a_circle",
    "run_without_end",
    "unbounded_cycle",
    "unreachable_end",
    "unreachable_step",
    "unused_event",
]


def listed(names: Sequence[str], word: str = "and") -> str:
    """``a``, ``a and b``, ``a, b and c``, each in backticks."""
    quoted = [f"`{name}`" for name in names]
    return quoted[0] if len(quoted) == 1 else f"{', '.join(quoted[:-1])} {word} {quoted[-1]}"


# rule 1: events and steps


@problem
def event_never_emitted(place: Place, event: str, step: str) -> Finding:
    """A step waits for an event that no step sends.

    Events come from the `emit` of another step (or from one of its other exits: `on_error`, `on_limit`,
    `on_timeout`), or from the start of the run. No step sends this one, so the step that accepts it would
    never run. Let some step emit it, or accept another event.
    """
    return Finding(
        "event-never-emitted",
        f"`{step}` accepts `{event}`, which no step emits",
        place,
        f"let a step `emit: {event}`, or accept another event",
    )


@problem
def event_never_accepted(place: Place, event: str, step: str) -> Finding:
    """A step sends an event that no step accepts.

    What a step emits must lead somewhere: to a step that accepts the event, or to the end of the run, if the
    event is listed under `end`. This one would be lost without a word. Let a step accept it, list it under
    `end` if the run is over then, or emit `nothing` if the branch shall simply stop.
    """
    who = "the run starts with" if step == "start" else f"`{step}` emits"
    hint = f"let a step have `accepts: {event}`"
    if step != "start":
        hint += f", add `{event}` to `end` if the run is over then, or emit `nothing` here"
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
        Severity.WARNING,
        fix=removed(place),
    )


@problem
def unreachable_step(place: Place, step: str, waits_for: Sequence[str], senders: Sequence[str]) -> Finding:
    """No path from the start of the run leads to a step.

    The steps that could send its events run only after it, or not at all, so none of them can ever be the
    first. This happens when steps wait for each other in a circle, or when a part of the flow was never tied
    to the start. Let a step that does run emit one of its events.
    """
    message = f"no path from the start leads to `{step}`"
    hint = (
        f"it waits for {listed(waits_for, 'or')}, which only {listed(senders)} "
        f"{'emits' if len(senders) == 1 else 'emit'}, and no path leads there either: "
        f"let a step that runs before emit {listed(waits_for, 'or')}"
    )
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
        fix=removed(place) if place.address != ("end",) else None,
    )


# rule 3: every way out has an entry


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
        "add a last entry without `when`: `nothing` if there is nothing to send, or `fail` with a text",
    )


@problem
def entry_never_taken(place: Place, step: str, occasion: str, earlier: int | None) -> Finding:
    """An entry is never taken, because those above it take all its cases.

    The entries are tried from the top, and the first that fits is taken. An entry without `when` always fits,
    so nothing below it is ever reached; and a `when` that holds only where an earlier one holds too never gets its
    turn. Put the narrower case first, or remove the entry.
    """
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
        f"move entry {earlier + 1} to the end, or give it a `when`",
        fix=removed(place, "display"),
    )


# rule 4: joins


@problem
def join_starves(
    place: Place,
    join: str,
    missing: str,
    other: str,
    arrives: str,
    told: str,
    culprit: str,
    related: tuple[tuple[Place, str], ...],
) -> Finding:
    """A step that waits for several events can wait for ever for one of them.

    A join of form `all` goes on when one of each of its events has arrived. Here the run can take a course on
    which some of them arrive and another cannot come any more, so that the join would wait and the run would never
    end. Let the step that may leave without the missing event emit it there too, or end the run there, or
    give the join a time-out: `within: 20s` with `on_timeout: proceed` goes on with what has arrived.
    """
    return Finding(
        "join-starves",
        f"`{join}` can wait for ever for `{missing}`",
        place,
        f"`{other}` comes by {arrives}, but {told} brings no `{missing}`: let `{culprit}` emit it there too, "
        f"or end the run there, or give `{join}` a time-out (`within: 20s` with `on_timeout: proceed`)",
        related=related,
    )


@problem
def join_overfills(place: Place, join: str, twice: str, fork: str, paths: Sequence[str]) -> Finding:
    """A step that waits for one of each of several events can get one of them twice.

    A join of form `all` pairs one of each event. Here the run can take a course that sends it two of the same kind, and
    which of them counts would be left to chance. Let only one path lead there, use different events for the two,
    or collect them with an `each` join if they come from a list of items.
    """
    hint = f"they come by {' and by '.join(paths)}: " if paths else ""
    return Finding(
        "join-overfills",
        f"`{join}` can get `{twice}` more than once {'in a run' if fork == 'start' else f'after one run of `{fork}`'}",
        place,
        f"{hint}let one of them emit another event, or collect the items of a list with `accepts: {{each: {twice}}}`",
    )


@problem
def join_from_outside(place: Place, join: str, event: str) -> Finding:
    """A join of all its events waits for one from outside.

    What comes from outside may come never, or twice, and a join `{all: …}` is for exactly one of each. Let a
    `wait` step take one event from outside, with a time-out, and join what the `wait` emits.
    """
    return Finding(
        "join-from-outside",
        f"`{event}` comes from outside, never or several times, and `{join}` joins exactly one",
        place,
        f"let a `wait` take one `{event}`, and join what it emits",
    )


@problem
def join_feeds_itself(place: Place, join: str, fork: str, told: str) -> Finding:
    """What a join sends comes back to it, although it goes on only once.

    A join goes on once after each run of its fork, the step at which its paths part. A loop that leads back to the
    join without passing the fork would bring events that nothing waits for any more. Let the loop lead back
    to the fork, so that both branches run again, or let the loop's events go to a step of their own.
    """
    once = "in a run" if fork == "start" else f"after each run of `{fork}`"
    hint = f"let the loop lead past `{join}`"
    if fork != "start":
        hint = f"let the loop lead back to `{fork}`, where the paths part, or past `{join}`"
    return Finding(
        "join-feeds-itself",
        f"what `{join}` emits comes back to `{join}`, which goes on only once {once}",
        place,
        f"{told}: {hint}",
    )


@problem
def joins_in_a_circle(place: Place, joins: Sequence[str], fork: str, told: str) -> Finding:
    """Joins wait for each other.

    Each of these steps waits for an event that comes only after another of them has gone on, and each goes on only
    once, so that none can be the first, or an event comes back to one that has gone on already. Let one of
    them start from an event that does not depend on the others.
    """
    hint = f"{told}: let `{joins[0]}` wait only for events that come without {listed(joins[1:], 'or')}"
    if fork != "start":
        hint += f", or let the loop lead back to `{fork}`, where the paths part"
    return Finding("joins-in-a-circle", f"{listed(joins)} wait for each other", place, hint)


@problem
def join_never_fires(place: Place, join: str, needed: int, events: Sequence[str]) -> Finding:
    """Never do enough of a join's events come together.

    The join goes on when so many of its events have arrived, but on every course of a run fewer do. Ask for fewer, or
    let the step at which the paths part send more of them (`emit: {all: [...]}`).
    """
    return Finding(
        "join-never-fires",
        f"`{join}` waits for {needed} of {listed(events)}, but so many never come together",
        place,
        "lower the count, or let the step before emit several of them at once: `emit: {all: [...]}`",
    )


@problem
def flow_too_complex(place: Place, join: str) -> Finding:
    """A join has so many possible courses before it that they cannot all be looked at.

    The checker looks at every combination of events that can arrive at a join. Here there are thousands, most often
    since many branches may each come or not come. Let every branch send its event in any case (for instance with an
    optional field), or give the join a time-out.
    """
    return Finding(
        "flow-too-complex",
        f"there are too many combinations of events that may reach `{join}` to look at each",
        place,
        "let each branch emit its event in any case, split the join in two, or give it a time-out",
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
        return Finding("unbounded-cycle", f"nothing bounds the loop through `{step}`", place, hint)
    hint = f"{told}: give `{step}` a bound, such as `max_runs: 3`, and an `on_limit` that leaves the loop"
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
def run_without_end(place: Place, told: str, why: str, end: str) -> Finding:
    """A run can come to rest without an end event.

    Every course of a run must come to one of the events under `end`, or to a failure that is declared. On the
    course shown here nothing is left to do, and nothing has ended the run: whoever waits for it would wait for ever.
    Emit an end event there, or see to it that another branch always does.
    """
    return Finding(
        "run-without-end",
        "the run can come to rest without an end event",
        place,
        f"{told}: {why}; emit an end event such as `{end}` there, or `fail` with a text",
    )


# rule 7: batches


@problem
def each_also_outside_batch(place: Place, join: str, event: str, told: str) -> Finding:
    """A step collects the events of a batch, but some of them can come from outside of the batch.

    An `each` join waits until all the work that an `emit` with `each` has sent out is done. An event that does not
    come from the batch has nothing to wait for, and nothing to be collected with. Use another event for it.
    """
    return Finding(
        "each-also-outside-batch",
        f"`{join}` collects the events of a batch, but they also come from outside of it",
        place,
        f"{told}: use another event than `{event}` on that path",
    )


@problem
def batches_mixed(place: Place, join: str, paths: Sequence[str]) -> Finding:
    """A step collects events of two different batches.

    An `each` join waits for one batch, the one that a certain step sent out. Here its events come from batches of
    different steps, so that nobody could say which of them must be done. Give each batch a join of its own,
    with an event of its own.
    """
    return Finding(
        "batches-mixed",
        f"`{join}` collects events of two different batches",
        place,
        f"one comes by {' and one by '.join(paths)}: use an event and a join of its own for each batch",
    )


@problem
def batch_in_itself(place: Place, step: str, told: str) -> Finding:
    """The work of a batch leads back to the step that sent the batch out.

    Every item would send out a batch again, and that batch's items too. Collect the batch first (with an `each` join)
    and let the loop go on from there.
    """
    return Finding(
        "batch-in-itself",
        f"the items that `{step}` sends out lead back to `{step}`",
        place,
        f"{told}: collect the batch with `accepts: {{each: …}}` before the loop goes back to `{step}`",
    )


@problem
def batch_work_escapes(place: Place, join: str, opener: str, told: str) -> Finding:
    """A join takes events of a batch's items together with events from elsewhere.

    The work of a batch is one piece per item. It may be collected by an `each` join, stop, or end the run; a join of
    another form can pair only what belongs to one item. Collect the batch first, and join what comes out.
    """
    return Finding(
        "batch-work-escapes",
        f"`{join}` pairs work of the batch that `{opener}` sends out with work outside of it",
        place,
        f"{told}: collect the batch with `accepts: {{each: …}}` first, and join what that step emits",
    )


# rule 9: values


@problem
def infinite_type(place: Place, name: str, path: Sequence[str]) -> Finding:
    """A type contains itself without an end, so that no value of it can be written down.

    A record that needs another record of its own type needs one more inside that, and so on. Make the field
    `optional`, or a list, which may be empty.
    """
    return Finding(
        "infinite-type",
        f"a value of `{name}` would have to contain itself without an end",
        place,
        f"{' → '.join(path)}: make `{path[1] if len(path) > 1 else name}` optional, or a list",
    )
