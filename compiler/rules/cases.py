"""Problems in a spec's own tests."""

from __future__ import annotations

import re
from collections.abc import Sequence

from wfc.compiler.diagnostics import Finding, Fix, Place
from wfc.compiler.rules import closest, problem, warning
from wfc.compiler.rules.fixes import correct_name, replace_text
from wfc.compiler.rules.phrases import joined

__all__ = [
    "body_without_reply",
    "clock_without_offset",
    "event_is_no_end",
    "failing_status",
    "key_of_another_answer",
    "no_reply",
    "no_test_above",
    "step_without_action",
    "test_name_twice",
    "which_awaited_event",
    "which_end_of_the_workflow",
    "with_which_end",
]


MOMENT = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?", re.ASCII)


@problem
def step_without_action(place: Place, name: str, key: str) -> Finding:
    """A test stands in for a step that does nothing that could be stood in for.

    `mock` says what the action of a step gives in the test, and `real` that it is really done. A
    `transform` has no action: it joins, saves and chooses, and does so in tests too. Leave it out.
    """
    return Finding(
        "step-without-action",
        f"step `{name}` has no action for `{key}` to stand in for",
        place,
    )


@problem
def key_of_another_answer(place: Place, key: str, answer: str) -> Finding:
    """An answer of a mocked step has a key that does not go with the others.

    An answer is a value; or `{give: VALUE}` with `status`, `headers` and `after` beside it; or `{error: NAME}` with
    `headers`, `body` and `after`; or `{attempts: [ANSWER, …]}` with nothing beside it, one answer for each attempt
    of one run. A value that has a field of such a name itself is written `{give: {error: …}}`.
    """
    why = {
        "attempts": "each of the `attempts` is a single answer, and says by itself what comes",
        "give": "a reply that fails is written `{error: http.…}`"
        if key == "body"
        else "an answer gives or fails",
        "error": "the status is in the name of the error" if key == "status" else "an answer gives or fails",
    }[answer]
    return Finding("key-of-another-answer", f"`{key}` does not stand beside `{answer}`", place, why)


@problem
def no_reply(place: Place, key: str, step: str, fix: Fix | None) -> Finding:
    """Something is said of a reply, and the step sends no request.

    `status`, `headers` and `body` are parts of the reply to a request, so only the answers that tests give for steps
    that send one have them, and only the `on_error` of such steps asks for a `body`. Leave the key out.
    """
    return Finding("no-reply", f"step `{step}` sends no request, so there is no `{key}`", place, fix=fix)


@problem
def failing_status(place: Place, status: int) -> Finding:
    """An answer gives a result with a status of a reply that has none, since the request failed.

    With a status from 400 on, a request gives nothing and its step fails. Say so: `{error: http.404, body: {…}}`.
    """
    said = f"with the status {status} a request fails, and gives nothing"
    return Finding("failing-status", said, place, f"write `error: http.{status}` instead of `give`")


@problem
def body_without_reply(place: Place, error: str, hint: str) -> Finding:
    """There is to be the body of a reply, and the error is one for which there is no reply.

    Only a service that replies with an HTTP status says something in a body: an answer in a test is
    `{error: http.409, body: {…}}`, an entry of `on_error` is `{errors: [http.409], body: TYPE, event: …}`.
    """
    return Finding(
        "body-without-reply",
        f"after `{error}` there is no reply with a body",
        place,
        hint,
    )


@problem
def no_test_above(place: Place, name: str, above: list[str], *, below: bool) -> Finding:
    """A test is to be like another one that does not stand above it.

    `like` takes over `start`, `mock` and `config` of a test further up, so that tests that differ in a little say only
    that. Write its name as it stands there, or move it up.
    """
    said = f"no test above this one is called `{name}`"
    if below:
        return Finding("no-test-above", said, place, "name another test: one that stands above this one")
    return Finding("no-test-above", said, place, closest(name, above), fix=correct_name(place, name, above))


@problem
def event_is_no_end(place: Place, name: str) -> Finding:
    """A test expects a run to end with an event that does not end it.

    Only the events under `end` end a run. Name one of them, or list this one under `emitted`, if it is
    enough that it occurs.
    """
    return Finding(
        "event-is-no-end", f"`{name}` does not end a run", place, "name one of the events under `end`"
    )


@problem
def with_which_end(place: Place) -> Finding:
    """A test expects fields of the end event, and does not say of which.

    The workflow has several ends, so `with` alone does not say whose fields are meant. Write `end: Name`
    beside it.
    """
    return Finding("with-which-end", "`with` needs `end` beside it, because there are several ends", place)


@problem
def which_awaited_event(place: Place, step: str, names: Sequence[str]) -> Finding:
    """A test stands in for a wait for one of several events, and does not say which has come.

    Write `{event: Name, with: {…}}`: the event, and its fields. Or leave the mock out, and let the event come from
    outside with `deliver`.
    """
    return Finding(
        "which-awaited-event",
        f"a mock of `{step}` says which event has come",
        place,
        f"write `{{event: {names[0]}, with: {{…}}}}`; it waits for {joined(names, 'or')}",
    )


@problem
def which_end_of_the_workflow(place: Place, workflows: Sequence[str], names: list[str]) -> Finding:
    """A test stands in for another workflow that has several ends, and does not say by which it ends.

    Write `{event: Name, with: {…}}`: the event, and its fields.
    """
    known = ", ".join(f"`{name}`" for name in names)
    return Finding(
        "which-end-of-the-workflow",
        f"a mock of {' or '.join(f'`{name}`' for name in workflows)} says by which event it ends",
        place,
        f"write `{{event: {names[0]}, with: {{…}}}}`; there are {known}",
    )


@warning
def test_name_twice(place: Place, name: str, first: Place) -> Finding:
    """Two tests have one name.

    A test that fails is known by its name, so it would not be clear which one it is. Give one of them
    another name.
    """
    return Finding(
        "test-name-twice",
        f"another test is called `{name}` too",
        place,
        related=((first, "the other one"),),
    )


@problem
def clock_without_offset(place: Place, text: str, hint: str = "") -> Finding:
    """The moment at which a test's clock starts is not written as one.

    It is a date, a time and an offset, such as `2026-03-29T01:30:00+01:00` or `2026-03-29T00:30:00Z`.
    Without an offset it would be another moment on each machine.
    """
    return Finding(
        "clock-without-offset",
        f"`{text}` is not a moment with an offset",
        place,
        hint or "write it like `2026-03-29T00:30:00Z`",
        fix=replace_text(place, f"{text}Z") if MOMENT.fullmatch(text) else None,
    )
