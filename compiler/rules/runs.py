"""Problems with runs as a whole: their exits, and names from before."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem, warning

__all__ = [
    "cancel_waits",
    "exit_begins_anew",
    "former_owner_unknown",
    "join_in_two_flows",
    "migrated_again",
    "migration_never_taken",
    "moved_and_removed",
    "moved_into_one",
    "new_name_not_in_use",
    "nothing_to_migrate",
    "old_name_in_use",
    "rest_cancels_more",
    "run_exit_does_not_end",
]


@problem
def run_exit_does_not_end(place: Place, key: str, ends: Sequence[str], *, several: bool) -> Finding:
    """An exit of the run does not bring it to its end.

    The `on_error`, `on_deadline` and `on_cancel` of a spec are for a run that would be over: all its work is
    cancelled first, so that nothing but the exit can end it. They emit an end event, or `fail`, or one event for
    steps that bring the run to its end, such as those that undo what was done. Several steps may accept that event;
    to send different events, let it lead to a step that does.
    """
    if several:
        hint = "emit one event, and let the step that accepts it send the others"
        return Finding("run-exit-does-not-end", f"the run's `{key}` can emit one event only", place, hint)
    hint = f"emit {' or '.join(f'`{each}`' for each in ends[:3])}, or `fail` with a text" if ends else ""
    return Finding("run-exit-does-not-end", f"the run's `{key}` must bring the run to its end", place, hint)


@problem
def exit_begins_anew(place: Place, who: str, told: str) -> Finding:
    """A run would begin anew on the way of one of its own exits.

    The `on_error`, `on_deadline` and `on_cancel` of a run, and the steps to which they lead, bring it to its end. Would
    they `restart` it, a run that fails would begin anew and fail again, without a bound, and one that is cancelled
    would not be. Emit an end event there. If such steps are for the usual course of the run too, let the exit lead to a
    step of its own.
    """
    course = f"{told}: " if told else ""
    return Finding(
        "exit-begins-anew",
        f"{who} begins the run anew that is to come to its end",
        place,
        f"{course}emit an end event in its place, or `fail` with a text",
    )


@problem
def join_in_two_flows(
    place: Place, join: str, flows: Sequence[tuple[str, str]], related: tuple[tuple[Place, str], ...]
) -> Finding:
    """A join belongs to the usual course of a run and to the way of one of its exits, and not in the same manner.

    A join puts together what descends from one run of its fork: the nearest step through which all paths to it pass.
    An exit of the run (`on_error`, `on_deadline`, `on_cancel`) begins a course of its own, by which this join has
    another fork, so that its time-out would count from elsewhere, or it would go on less often, as where one course
    comes to its fork several times, in a loop or by branches. Give each of the two courses a join of its own, with
    events of its own, or let both pass the same step before the branches part: then that is the fork in both.
    """
    told = " and ".join(f"from `{course}` its branches part {fork}" for course, fork in flows)
    return Finding(
        "join-in-two-flows",
        f"`{join}` is reached by two courses of the run whose branches part at different steps",
        place,
        f"{told}: let both pass one step at which the branches part, or write a join of its own for each",
        related=related,
    )


@warning
def cancel_waits(place: Place, step: str, waits: str, told: str) -> Finding:
    """A run that is cancelled waits for somebody.

    Whoever cancels a run expects it to be over soon. On the way of its `on_cancel` a step waits for a person, for an
    event from outside, or for a time, and until then the run goes on. Where that is meant, suppress this
    warning there; else do without the wait on that way, by an event of its own that leads past it.
    """
    return Finding(
        "cancel-waits",
        f"a run that is cancelled waits {waits} in `{step}`",
        place,
        f"{told}: let `on_cancel` lead past `{step}`",
    )


@problem
def old_name_in_use(place: Place, name: str) -> Finding:
    """`moved` or `removed` lists a name that a step, an event, a type or a field still has.

    Both are for names of before: runs that were paused under an older version find their way by them. As long as
    something has the name, nothing has been moved. Take the name out of the list, or rename what has it.
    """
    return Finding("old-name-in-use", f"`{name}` is still in use, so it is no name of before", place)


@problem
def new_name_not_in_use(place: Place, name: str, known: Iterable[str], owner: str) -> Finding:
    """`moved` gives a new name that no step, no event, no type and no field has.

    A paused run that waits at a step of the old name would look for the new one and not find it. Write the name
    as it is now; what is gone for good belongs under `removed`. The new name of a field stands alone: it belongs to
    what the old one belongs to, as in `Paid.sum: amount`. Of the workflow itself it is that of this spec, as in
    `workflow.shop: store`.
    """
    nothing = f"`{owner}` has no field `{name}`" if owner else f"there is no step, event or type `{name}`"
    if owner == "workflow":
        nothing = f"this workflow is not called `{name}`"
    return Finding("new-name-not-in-use", nothing, place, closest(name, known))


@problem
def former_owner_unknown(place: Place, name: str, known: Iterable[str]) -> Finding:
    """`moved` or `removed` names a field of something that there is not.

    Before the dot stands `state`, or the old name of an event or a type. If that is called otherwise now, `moved` says
    so too: `moved: {Paid: Payment, Paid.sum: amount}`. If it is gone as a whole, its fields need not be listed.
    """
    return Finding("former-owner-unknown", f"there is no event or type `{name}`", place, closest(name, known))


@problem
def moved_into_one(place: Place, name: str, first: str) -> Finding:
    """Two old fields have moved to one new field.

    A run that was paused has a value for each of them, and only one could stay. Give the second a field of its own,
    or say under `removed` which of the two may be lost.
    """
    return Finding("moved-into-one", f"`{first}` has moved to `{name}` already", place)


@problem
def moved_and_removed(place: Place, name: str) -> Finding:
    """A name stands under `moved` and under `removed`.

    What has moved is still there, and what was removed is gone: take it out of one of the two.
    """
    return Finding("moved-and-removed", f"`{name}` has moved, as `moved` says, so it is not gone", place)


@problem
def rest_cancels_more(
    place: Place, step: str, join: str, event: str, told: str, related: tuple[tuple[Place, str], ...]
) -> Finding:
    """A join cancels the rest, and would take with it what others wait for.

    `rest: cancel` stops all work of the frame that could still lead to the join, once the join has what it needs.
    A step of that work also sends an event elsewhere: whether it comes would depend on who is faster. Let the
    branches lead to the join alone, or let them finish with `rest: finish`.
    """
    return Finding(
        "rest-cancels-more",
        f"`{join}` may cancel `{step}` before it sends `{event}`, which does not lead to `{join}`",
        place,
        f"{told}: write `rest: finish`, or send `{event}` before the branches part or after `{join}`",
        related=related,
    )


@problem
def nothing_to_migrate(place: Place, name: str, known: Iterable[str]) -> Finding:
    """`migrate` names something that there is not.

    Its keys are `state`, and events as they are called now: what they hold in a run of an earlier version is converted.
    For an event that has another name since, write the new one, and say the old one under `moved`. A record of `types`
    is converted with what it stands in.
    """
    return Finding("nothing-to-migrate", f"there is no event `{name}`", place, closest(name, known))


@problem
def migrated_again(place: Place, name: str) -> Finding:
    """A conversion would be made again with what it has made.

    A run is converted if it has all the fields that `from` lists, of these types. Here runs of the present version have
    them too, with values that were converted already or never had to be, and the next change of the workflow would
    convert those once more. Give what is made another name, or another type. A field that stays and only has another
    value made of it is no such case: then the new field is not among those in `from`.
    """
    what = "the state" if name == "state" else f"`{name}`"
    hint = "give a field that `to` makes another name than the one it is made of"
    return Finding("migrated-again", f"{what} has these fields, of these types, now too", place, hint)


@problem
def migration_never_taken(place: Place, first: Place) -> Finding:
    """A conversion is never made, since an earlier one is made first.

    Of several conversions of the state or of an event the first is made of which a run has all the fields. Whatever
    has the fields of this one has those of the earlier one, too. Let the one with more fields, or with the narrower
    types, come first.
    """
    return Finding(
        "migration-never-taken",
        "an earlier conversion is made of all runs that have these fields",
        place,
        "let this one come before it",
        related=((first, "this one is made first"),),
    )
