"""Problems with joins: events that never come together, and batches that are not collected."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import problem, warning
from wfc.compiler.rules.phrases import joined, listed

__all__ = [
    "batch_in_itself",
    "batch_not_collected",
    "batch_without_each",
    "batch_work_escapes",
    "batches_mixed",
    "clock_without_work",
    "each_also_outside_batch",
    "flow_too_complex",
    "join_by_value",
    "join_feeds_itself",
    "join_from_outside",
    "join_never_fires",
    "join_of_some",
    "join_overfills",
    "join_starves",
    "joins_in_a_circle",
    "other_join",
]


@problem
def join_starves(
    place: Place,
    join: str,
    missing: Sequence[str],
    other: Sequence[str],
    arrives: str,
    told: str,
    culprit: str,
    first: str,
    related: tuple[tuple[Place, str], ...],
) -> Finding:
    """A step that waits for several events can wait for ever for one of them.

    A join of form `all` goes on when one of each of its events has arrived. Here the run can take a course on
    which some of them arrive and another cannot come any more, so that the join would wait and the run would never
    end. Let the step that may leave without the missing event emit it there too, or end the run there, or
    give the join a time-out: `within: 20s` with `on_timeout: proceed` goes on with what has arrived. If another
    event comes there in its place, wait for either: `{all: [A, [B, C]]}`. If the first of them is enough, write
    `{any: [A, B]}`.
    """
    # Args: first: What the step would accept to go on with the first of its events; empty if that says nothing.
    lacking, came = joined(missing, "or"), joined(other, "or")
    return Finding(
        "join-starves",
        f"`{join}` can wait for ever for {lacking}",
        place,
        f"{came} comes by {arrives}, but {told} brings no {lacking}: let `{culprit}` emit it there too, "
        f"or end the run there, or give `{join}` a time-out (`within: 20s` with `on_timeout: proceed`)"
        + (f", or, if the first of its events is enough, write `accepts: {first}`" if first else ""),
        related=related,
    )


@problem
def join_overfills(
    place: Place, join: str, twice: Sequence[str], fork: str, paths: Sequence[str], *, items: bool = True
) -> Finding:
    """A step that waits for one of each of several events can get one of them twice.

    A join of form `all` pairs one of each event. Here the run can take a course that sends it two of the same kind, and
    which of them counts would be left to chance. Let only one path lead there, use different events for the two,
    or collect them with an `each` join if they come from a list of items. Of events that stand for each other,
    `[B, C]`, only one may come.
    """
    # Args: items: Whether they come for the items of a batch, so that a join can collect them.
    several, once = len(twice) > 1, "in a run" if fork == "start" else f"after one run of `{fork}`"
    hint = f"they come by {' and by '.join(paths)}: " if paths else ""
    return Finding(
        "join-overfills",
        f"`{join}` can get more than one of {joined(twice)} {once}"
        if several
        else f"`{join}` can get `{twice[0]}` more than once {once}",
        place,
        f"{hint}let only one of them come, or let one of them lead to another step"
        if several
        else f"{hint}{'let it be sent once there' if len(paths) == 1 else 'let one of them emit another event'}"
        + f", or collect the items of a list with `accepts: {{each: {twice[0]}}}`" * items,
    )


@problem
def join_from_outside(place: Place, join: str, event: str, told: str) -> Finding:
    """A join of all its events waits for one from outside.

    What comes from outside may come never, or twice, and a join `{all: …}` is for exactly one of each. Let a
    `wait` step take one event from outside, with a time-out, and join what the `wait` emits.
    """
    return Finding(
        "join-from-outside",
        f"`{event}` comes from outside, never or several times, and `{join}` joins exactly one",
        place,
        f"{told}: let a step of kind `wait` take one `{event}` (with `within` and `on_timeout`), and let `{join}` "
        "accept what that step emits; if the first of its events is enough, write `{any: […]}`",
    )


@problem
def join_feeds_itself(
    place: Place,
    join: str,
    fork: str,
    told: str,
    sender: str,
    event: str,
    related: tuple[tuple[Place, str], ...],
) -> Finding:
    """What a join sends comes back to it, although it goes on only once.

    A join goes on once after each run of its fork, the step at which its paths part. A loop that leads back to the
    join without passing the fork would bring events that nothing waits for any more. Let the loop lead back
    to the fork, so that both branches run again, or let the loop's events go to a step of their own.
    """
    once = "in a run" if fork == "start" else f"after each run of `{fork}`"
    hint = f"let `{sender}` emit another event than `{event}` there, for a step of its own"
    if fork != "start":
        hint += f", or one that leads back to `{fork}`, where the paths part"
    return Finding(
        "join-feeds-itself",
        f"what `{join}` emits comes back to `{join}`, which goes on only once {once}",
        place,
        f"{told}: {hint}",
        related=related,
    )


@problem
def joins_in_a_circle(
    place: Place,
    joins: Sequence[str],
    fork: str,
    told: str,
    event: str,
    related: tuple[tuple[Place, str], ...],
) -> Finding:
    """Joins wait for each other.

    Each of these steps waits for an event that comes only after another of them has gone on, and each goes on only
    once, so that none can be the first, or an event comes back to one that has gone on already. Let one of
    them start from an event that does not depend on the others.
    """
    later = joined(joins[1:], "or")
    hint = f"{told}: take `{event}` out of what `{joins[0]}` waits for, for it comes only after {later}"
    if fork != "start":
        hint += f", or let the loop lead back to `{fork}`, where the paths part"
    message = f"{joined(joins)} wait for each other"
    return Finding("joins-in-a-circle", message, place, hint, related=related)


@problem
def join_never_fires(
    place: Place, join: str, needed: int, events: Sequence[str], fork: str, paths: Sequence[str]
) -> Finding:
    """Never do enough of a join's events come together.

    The join goes on when so many of its events have arrived, but on every course of a run fewer do. Ask for fewer, or
    let the step at which the paths part send more of them (`emit: {all: [...]}`).
    """
    who = "let the start lead to several steps" if fork == "start" else f"let `{fork}` emit several at once"
    return Finding(
        "join-never-fires",
        f"`{join}` waits for {needed} of {joined(events)}, but so many never come together",
        place,
        f"they come by {' or by '.join(paths)}, never by enough of these in one run: lower the count, or {who} "
        "(`emit: {all: [...]}`)",
    )


@problem
def join_of_some(place: Place, now: str, fix: Fix | None) -> Finding:
    """A join says `at_least`, which is written as `any` with a `count`.

    `{any: [A, B, C], count: 2}` goes on when two of the three have arrived, and `{any: [A, B, C]}` with the first.
    `rest`, `within` and `on_timeout` stand beside them as before.
    """
    return Finding(
        "join-of-some",
        "there is no `at_least`: so many of some events are `any` with a `count`",
        place,
        f"write `{{{now}}}`" if now else "write `{any: [A, B, C], count: 2}`",
        fix=fix,
    )


@problem
def join_by_value(place: Place) -> Finding:
    """A join pairs its events by a value, `match_by`, which the language no longer has.

    A join pairs what descends from the same run of the step at which its branches part, and so from the same item
    of a batch. So let one step send out what belongs together, one item for each value, with
    `emit: {each: {in: …, as: item, event: E, max: 100}}`; a join `{all: [A, B]}` after that pairs the `A` and the
    `B` of one item, and `{each: C}` collects all of them. Where a list is at hand already, no join is needed:
    `group("id")` puts together its records that have the same value. For events from outside that belong to one
    order or one customer, let each have a run of its own: `key` and `receives` bring each event to its run.
    """
    return Finding(
        "join-by-value",
        "joins do not pair by a value: what belongs together descends from one item of a batch",
        place,
        "send out one item for each value with `emit: {each: …}` and join the branches of an item, or keep a list and "
        'put its records together with `group("…")`',
    )


@warning
def clock_without_work(place: Place, join: str, fork: str, choice: bool, cancels: bool) -> Finding:
    """A join's time begins when the step right before it is done, so that it bounds no work.

    The time of a join counts from the end of its fork, the nearest step through which every path to it passes. Where
    that step itself sends all that the join waits for, nothing is left to wait for, however long the steps before
    it took. To bound a stretch of steps, let the join accept the event with which the stretch begins as well:
    `{all: [Begun, Done], within: 3s, on_timeout: …}` counts from the step that sent `Begun`, and so does
    `{all: [Begun, [Done, Failed]], …}`, which waits for one of the two. An `any` with `rest: cancel` counts from
    where the branches part that lead to its events, so let one of them come from where the stretch begins, or from
    outside: `{any: [Done, Failed, CancelAsked], rest: cancel, …}` counts from the start of the run.
    """
    begins = "when the run starts" if fork == "start" else f"when `{fork}` is done"
    return Finding(
        "clock-without-work",
        f"the time of `{join}` begins {begins}, right before `{join}` itself, and bounds no work",
        place,
        _earlier_clock(choice, cancels),
    )


def _earlier_clock(choice: bool, cancels: bool) -> str:
    """Return how a join bounds a stretch of steps, which waits for one of several events, or cancels the rest."""
    if cancels:
        return (
            "to bound a stretch of steps, let one of its events come from a step that runs beside them, such as a "
            "`wait` for a cancellation, or from outside, which counts from the start of the run"
        )
    shown = "`{all: [Begun, [Done, Failed]], …}`" if choice else "`{all: [Begun, Done], …}`"
    return f"to bound a stretch of steps, wait for the event with which it begins as well: {shown}"


@problem
def flow_too_complex(place: Place, join: str, wavering: Sequence[str]) -> Finding:
    """A join has so many possible courses before it that they cannot all be looked at.

    The checker looks at every combination of events that can arrive at a join. Here there are thousands, most often
    since many branches may each come or not come. Let every branch send its event in any case (for instance with an
    optional field), or give the join a time-out.
    """
    return Finding(
        "flow-too-complex",
        f"there are too many combinations of events that may reach `{join}` to look at each",
        place,
        f"{_those(wavering)}: let each branch emit its event in any case, split the join in two, or give it a time-out",
    )


def _those(wavering: Sequence[str]) -> str:
    """The steps whose ways out make many combinations, in words."""
    if not wavering:
        return "many branches may each come or not come"
    return f"{listed(wavering, 4)} may each leave in several ways"


@problem
def each_also_outside_batch(
    place: Place, join: str, event: str, told: str, *, starts: bool = False
) -> Finding:
    """A step collects the events of a batch, but some of them can come from outside of the batch.

    An `each` join waits until all the work that an `emit` with `each` has sent out is done. An event that does not
    come from the batch has nothing to wait for, and nothing to be collected with. Use another event for it.
    """
    hint = f"use another event than `{event}` on that path"
    if starts:
        hint = f"take `{event}` out of the `each`: the run starts with it, and no batch sends it out"
    return Finding(
        "each-also-outside-batch",
        f"`{join}` collects the events of a batch, but they also come from outside of it",
        place,
        f"{told}: {hint}",
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


@problem
def other_join(place: Place, step: str, now: str, better: str, *, once: bool = False) -> Finding:
    """A step uses its events in another way than it accepts them.

    `A` and `[A, B]` run the step for each event, which is `event`. `{all: [A, B]}` waits for one of each, `{any: [A,
    B]}` for the first of them; both are in `events`, where of `any` all but one are null. `{each: A}` collects the
    events of a batch, and `events` is their list. Write the form that fits what the step does, or use what there is
    in this form.
    """
    return Finding(
        "other-join",
        f"`{step}` accepts `{now}`, "
        + ("which starts it once and not again" if once else "and uses it in another way"),
        place,
        f"the run would go on to an end with `accepts: {better}`"
        if once
        else f"what it uses would be there with `accepts: {better}`",
    )


@problem
def batch_without_each(place: Place, step: str, event: str) -> Finding:
    """A step emits one event where another step collects a batch.

    A join `{each: …}` collects what an `each` under `emit` has sent out, one event for each item of a list. Where a
    step emits a single event there is nothing to collect. Write the batch, or accept the one event that comes.
    """
    return Finding(
        "batch-without-each",
        f"`{step}` emits one `{event}`, and what follows collects a batch of them",
        place,
        f"for one of them for each item of a list write `{{each: {{in: …, as: item, event: {event}, max: …}}}}`",
    )


@problem
def batch_not_collected(place: Place, step: str, event: str) -> Finding:
    """A step runs for each item of a batch, where it would have to run once.

    What an `each` under `emit` sends out is done item by item, and so is each step that accepts the events that
    follow, until a join `{each: …}` collects them. Without one the run can end with any of the items, and of an empty
    list nothing follows at all. Collect the batch before the run ends.
    """
    return Finding(
        "batch-not-collected",
        f"`{step}` runs for each item of a batch by itself, and the run goes on from there",
        place,
        f"if it is to run once, when all items are done, write `accepts: {{each: {event}}}`",
    )
