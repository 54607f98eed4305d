"""Problems with waiting: for people, for a time, for an event from outside."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem, warning
from wfc.compiler.rules.fixes import replace_text
from wfc.compiler.rules.phrases import joined

__all__ = [
    "assigned_to_whom",
    "cannot_be_tried_again",
    "choices_elsewhere",
    "endless_wait",
    "file_in_form",
    "no_list_of_choices",
    "not_received",
    "quorum_of_answers",
    "reminded_too_late",
    "wait_for_what",
]


@problem
def wait_for_what(
    place: Place, found: Sequence[str], *, joins: bool = False, bounded: bool = False
) -> Finding:
    """A `wait` step does not say what it waits for, or says several things.

    A `wait` is for one thing: `for:` a length of time, such as `for: 2 days`; `until:` a moment, such as
    `until: inputs.due`; or `event:` an event from outside. To wait for an event, but not longer than some
    time, write `event`, `within` and `on_timeout`.
    """
    # Args: joins: Whether it accepts several events, joined. bounded: Whether it has a `within` or an `on_timeout`.
    if not found:
        return Finding("wait-for-what", "this `wait` does not say for what", place, _for_what(joins, bounded))
    keys = " and ".join(f"`{key}`" for key in found)
    return Finding(
        "wait-for-what", f"a `wait` is for one thing, and this one has {keys}", place, "keep one of them"
    )


def _for_what(joins: bool, bounded: bool) -> str:
    """Return what a step that waits for nothing may be meant as."""
    more = "for what comes after that, add `for`, `until` or `event`"
    if not joins:
        begins = "a step that only waits for the event that it `accepts` is a `transform`"
        return f"add `for` or `until` for a time, or `event` for one from outside; {begins}"
    moved = ", with `within` and `on_timeout` within `accepts`" if bounded else ""
    return f"to wait for the events that it `accepts` and no more, write `kind: transform`{moved}; {more}"


@problem
def file_in_form(place: Place, name: str) -> Finding:
    """A form has a field for a file.

    Whoever answers a question types the answer, or picks it from a list; there is no way yet to hand over a file. Ask
    for where the file is, such as its address, or take the file in as a field of an event.
    """
    return Finding(
        "file-in-form",
        f"nobody can hand over a file in a form yet, and `{name}` wants one",
        place,
        "ask for its address: `string`",
    )


@problem
def assigned_to_whom(place: Place, text: str) -> Finding:
    """It is not said whether a name under `assign` is a person's or a group's.

    Whoever answers a question has a name such as `user:ann`, and belongs to groups such as `group:support`. A name
    without `user:` or `group:` before it would be nobody's, and nobody could answer. Write which of the two it is. An
    expression may give the whole name: `${{ event.reviewer }}`.
    """
    return Finding(
        "assigned-to-whom",
        f"it is not clear whether `{text}` is a person or a group",
        place,
        f"write `user:{text}` or `group:{text}`",
        fix=replace_text(place, f"group:{text}", applicability="display"),
    )


@problem
def endless_wait(place: Place, events: Sequence[str], missing: Sequence[str]) -> Finding:
    """A `wait` for an event from outside has no end.

    Nobody knows whether the event will ever come: the other side may have forgotten, or crashed. So a wait
    says with `within` how long it lasts at most, and with `on_timeout` where the run goes then. Otherwise
    runs would pile up that nothing can end.
    """
    keys = " or ".join(f"`{key}`" for key in missing)
    return Finding(
        "endless-wait",
        f"{joined(events, 'or')} may never come, and this wait has no {keys}",
        place,
        "write `within: 3 days` and `on_timeout: …`" if len(missing) > 1 else f"add {keys}",
    )


@problem
def not_received(place: Place, event: str, received: Iterable[str]) -> Finding:
    """A `wait` is for an event that the workflow does not take from outside.

    What may be sent to a run is listed at the top of the file, under `receives`, so that others can see what
    the workflow takes, and by which field the right run is found: `receives: {Paid: {key: order_id}}`. An
    event that a step of the same workflow emits needs no `wait`: let a step accept it.
    """
    known = list(received)
    hint = closest(event, known) or (
        f"add `{event}: {{}}` under `receives`"
        if known
        else f"add `receives: {{{event}: {{}}}}` at the top of the file"
    )
    what = f"`{event}` is not under `receives`, so it cannot come"
    return Finding("not-received", what, place, hint, about=(event,))


@problem
def cannot_be_tried_again(place: Place, key: str, kind: str, *, bounded: bool = True) -> Finding:
    """A step that only waits says something about attempts.

    A person is asked once, and a wait passes once: neither is tried several times, fails on the way, or takes
    part of the run's capacity while it lasts. So `retry`, `timeout`, `concurrency`, `on_error` and
    `idempotency_key` would do nothing there. How long the step waits is `within`, and what follows then is
    `on_timeout`. What a person's answer must be like is `require`; which event a wait is for is `that`.
    """
    what = "asks a person once" if kind == "human" else "only waits"
    hint = {
        "timeout": "leave `timeout` out" if bounded else "the bound of the whole wait is `within`",
        "on_error": "what follows when the time is over is `on_timeout`",
        "require": "which event is meant is `that`",
    }.get(key, f"leave `{key}` out")
    return Finding("cannot-be-tried-again", f"a `{kind}` step {what}, so `{key}` does nothing", place, hint)


@problem
def no_list_of_choices(place: Place, wanted: str, found: str, hint: str) -> Finding:
    """What the choices of a form's field come from is not a list of what the field wants.

    `{type: string, from: inputs.names}` lets a person choose one of these names, so `inputs.names` has to be a list
    of texts. Whatever is chosen is the value of the field. Of a list of records, take the field that is meant:
    `from: "[order.number for order in inputs.orders]"`.
    """
    return Finding("no-list-of-choices", f"the choices must be a {wanted}, and this is {found}", place, hint)


@problem
def choices_elsewhere(place: Place) -> Finding:
    """Choices that are worked out stand where nobody is asked.

    `from` gives the choices of one field in the `form` of a `human` step: they are worked out when the question is
    asked, and the answer is held to them. Everywhere else, and in a record inside a form or under `types`, there is no
    such moment. A list of values that is known beforehand is an `enum`. What must hold of other results, such as a
    model's answer, is a `require`. If a field called `from` is meant, its type is misspelt.
    """
    return Finding(
        "choices-elsewhere",
        "`from` gives the choices of a field that stands in the `form` of a `human` step itself",
        place,
        "leave it out, or write the field in the `form`",
    )


@problem
def quorum_of_answers(place: Place, step: str, quorum: int, given: int) -> Finding:
    """A test answers for fewer or more people than a step asks.

    A step with `quorum: 3` goes on when three different people have answered, and its `result` is the list of
    their answers. So its mock is a list of three answers. For successive runs of the step, write a list of
    such lists.
    """
    return Finding(
        "quorum-of-answers",
        f"step `{step}` waits for {quorum} answers, and here {'is' if given == 1 else 'are'} {given}",
        place,
    )


@warning
def reminded_too_late(place: Place, remind: str, within: str) -> Finding:
    """Nobody is ever reminded of a question, since it is closed by then.

    `remind: 4h` tells whoever watches the run that a question has been open for four hours, and again every four
    hours. If the question waits `within: 4h` or less, that moment never comes. Write a shorter time under `remind`, a
    longer one under `within`, or leave `remind` out.
    """
    return Finding(
        "reminded-too-late",
        f"after {remind} nobody is reminded, for the question is closed after {within}",
        place,
        "write a time that is shorter than `within`",
    )
