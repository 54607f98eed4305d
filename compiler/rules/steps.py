"""Problems in steps: where a run begins and ends, errors, lengths of time, and keys that say nothing."""

from __future__ import annotations

import re
from collections.abc import Iterable

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, remove_entry, replace_text
from wfc.compiler.rules.phrases import listed

__all__ = [
    "bad_duration",
    "each_not_a_list",
    "key_without_companion",
    "no_action",
    "start_event_emitted",
    "start_event_ends",
    "uncaught_error",
    "unknown_error",
]


@problem
def start_event_emitted(place: Place, name: str) -> Finding:
    """A step emits the start event.

    The start event is what a run is given when it begins; `inputs` are its fields from then on. If a step
    could send it again, the run would have two beginnings and it would not be clear which one `inputs`
    means. To go back to an earlier step, let that step accept a second event too, `accepts: [Start,
    Again]`, and emit that one.
    """
    return Finding(
        "start-event-emitted",
        f"`{name}` starts the run, so no step can emit it",
        place,
        "emit another event; to lead back there, declare one and accept both",
    )


@problem
def start_event_ends(place: Place, name: str) -> Finding:
    """One event is named as the start and as an end.

    The start event begins a run and an end event is its outcome; if they were one, the run would be over
    before its first step. Declare an event of its own for the end.
    """
    return Finding("start-event-ends", f"`{name}` starts the run, so it cannot end it", place)


@problem
def bad_duration(place: Place, text: str, hint: str, better: str = "", *, sure: bool = False) -> Finding:
    """A length of time is not written as one.

    Times are a number and a unit: `500 ms`, `30s`, `5 min`, `4h`, `3 days`, `2 weeks`. `2m` is refused
    because people read it as minutes and as months, and months and years are not all of one length.
    """
    return Finding(
        "bad-duration",
        f"`{text}` is not a length of time",
        place,
        hint,
        fix=replace_text(place, better, old=text, applicability="safe" if sure else "unsafe")
        if better
        else None,
    )


@problem
def no_action(place: Place, key: str) -> Finding:
    """A step without an action says something about its action.

    A `transform` only joins, saves and chooses. Nothing in it can fail for a while and then succeed, or take long, or
    be done twice, so this key would do nothing.
    Leave it out, or put it on the step that acts.
    """
    return Finding(
        "no-action",
        f"a `transform` has no action, so `{key}` does nothing",
        place,
        f"leave `{key}` out",
        fix=remove_entry(place),
    )


COMPANIONS = {
    "max_calls": "max_calls: 100",
    "max_runs": "max_runs: 3",
    "on_timeout": "on_timeout: proceed",
    "within": "within: 1h",
}


@problem
def key_without_companion(place: Place, key: str, *needed: str) -> Finding:
    """A key means something only together with another one, which is not there.

    `on_limit` says what follows when a step has run `max_runs` times; `within` how long a join waits, and
    `on_timeout` what follows then. One without the other is half a sentence. Add the other key, or leave
    this one out.
    """
    entry = COMPANIONS.get(needed[0]) if len(needed) == 1 else None
    return Finding(
        "key-without-companion",
        f"`{key}` needs {' or '.join(f'`{each}`' for each in needed)} beside it",
        place,
        fix=Fix(f"write `{entry}`", (Edit(place, entry, how="before"),), "display") if entry else None,
    )


BUSY = re.compile(
    r"\.[1-5](\d\d|xx)$|busy|capacity|exhausted|limit|overload|quota|server|thrott|too_many|unavail"
)
OF_SERVICES = (
    "a model's service that is busy is `http.429`, one that fails `http.5xx`, and one that cannot be reached "
    "`connection`, as of any other service"
)


@problem
def unknown_error(
    place: Place, name: str, known: Iterable[str], meant: str = "", written: str = ""
) -> Finding:
    """A name stands for no error that can happen.

    Errors have dotted names, from broad to narrow: `http` is every failure of a request, `http.5xx` those
    that are the service's fault, `http.429` one of them. Others are `timeout`, `connection`, `model`,
    `model.refused`, `model.invalid_output`, `requirement`, `tool`, and `python.ValueError` for an
    error that a Python tool meets. A name that cannot happen would never match.
    """
    known = list(known)
    below = [each for each in known if each.startswith(f"{name.partition('.')[0]}.")]
    return Finding(
        "unknown-error",
        "the name of an error stands here, and no expression"
        if "${{" in name
        else f"no error is called `{name}`",
        place,
        meant
        or (f"write `{written}`" if written else "")
        or ("" if name[:1].isupper() else closest(name, known))  # an event, which is no error
        or (OF_SERVICES if name.startswith("model.") and BUSY.search(name) else "")
        or (f"there are {listed(below)}" if below and "." in name else "")
        or "the broad ones are `http`, `timeout`, `connection`, `model`, `requirement` and `tool`",
        fix=correct_name(place, name, known, written) if written or not name[:1].isupper() else None,
        about=(name,),
    )


@problem
def uncaught_error(place: Place, name: str, why: str) -> Finding:
    """An error is named where it cannot be dealt with.

    `expression` is a mistake while a step's outcome was worked out: its action has been done and must not
    be done again, so it is neither retried nor caught. `limit` is a step that ran too often, which
    `on_limit` takes, or a run that has used up its `limits`; the `on_error` of the run as a whole takes both.
    """
    return Finding("uncaught-error", f"`{name}` is never dealt with here", place, why)


@problem
def each_not_a_list(place: Place, given: str, hint: str = "") -> Finding:
    """The `in` of an `each` or of a `map` is not a list.

    An `each` sends one event for each item of a list, and a `map` does something for each. Say which list: `in:
    result.items`. A value that may be null needs a `default` first: `in: event.items | default([])`.
    """
    return Finding("each-not-a-list", f"`in` must be a list, and this is {given}", place, hint)
