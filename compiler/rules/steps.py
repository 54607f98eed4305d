"""Problems in steps: what they accept, how they leave, and how the fields of events get their values."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wfc.compiler.diagnostics import Edit, Finding, Fix, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import add_entries, correct_name, remove_entry, replace_text, replace_value
from wfc.compiler.rules.phrases import joined, listed

__all__ = [
    "accepted_twice",
    "bad_duration",
    "count_out_of_range",
    "each_not_a_list",
    "each_outside_batch",
    "end_event_accepted",
    "join_lacks_event",
    "key_without_companion",
    "no_action",
    "no_answer_to_show",
    "no_join",
    "no_result",
    "result_without_field",
    "start_event_emitted",
    "start_event_ends",
    "uncaught_error",
    "unclear_fill",
    "unclear_whole",
    "unfilled_field",
    "unknown_error",
    "unused_result",
    "wrong_fill",
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
        "to lead back there, declare another event and accept both",
    )


@problem
def start_event_ends(place: Place, name: str) -> Finding:
    """One event is named as the start and as an end.

    The start event begins a run and an end event is its outcome; if they were one, the run would be over
    before its first step. Declare an event of its own for the end.
    """
    return Finding("start-event-ends", f"`{name}` starts the run, so it cannot end it", place)


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
    fix = remove_entry(place, "safe") if certain else None
    return Finding("accepted-twice", f"`{name}` is in this list already", place, fix=fix)


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
        f"write a number from 1 to {events}" if events > 1 else "leave `count` out",
    )


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
def no_answer_to_show(place: Place, why: str, key: str, other: str = "") -> Finding:
    """A step is to show a model's answer while it comes, and there is no such answer.

    `stream: {tokens: true}` shows whoever watches the run what a model writes, as it writes it. That is for a step that
    asks a model for a text: an `llm` step without `output`, or a `map` that asks a model for a text for each item.
    `partial: true` is for answers with an `output`: it shows the fields that have come so far. `thinking: true` is for
    both, and `calls: true` for agents. To tell those who watch how far a run is that asks no model, use `before` and
    `after`.
    """
    hint = f"`{other}: true` shows that" if other else f"leave `{key}` out, or tell the result by `after`"
    fix = replace_text(place, other) if other else remove_entry(place)
    return Finding("no-answer-to-show", f"nothing can be shown while it comes: {why}", place, hint, fix=fix)


@problem
def no_result(place: Place, key: str) -> Finding:
    """Something is taken from a result, and there is none.

    A `transform` does nothing but join, save and choose; and where a step has failed, or must not run
    again, its action has given nothing either. So there is no result to save parts of by name, or to
    require something of. Say which value is meant: `save: {field: "${{ event.field }}"}`.
    """
    return Finding("no-result", f"there is no `result` here for `{key}`", place)


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


@problem
def result_without_field(
    place: Place, name: str, result: str, known: Sequence[str], fields: Sequence[str]
) -> Finding:
    """`save` lists a name that the result does not have as a field.

    `save: [urgency]` saves the result's field `urgency` in the state's field of that name. So the result
    must have such a field: declare it in `output`, correct the name, or say which value is meant, `save:
    {urgency: "${{ … }}"}`.
    """
    return Finding(
        "result-without-field",
        f"the result has no field `{name}`: it is {result}",
        place,
        closest(name, known),
        fix=correct_name(place, name, fields),
        about=(name,),
    )


@problem
def unfilled_field(
    place: Place,
    event: str,
    fields: Sequence[str],
    looked: str,
    value: str = "…",
    output: str = "",
    bringing: str = "",
    given: bool = False,
) -> Finding:
    """An event is emitted, and nothing says what one of its fields is.

    A field gets its value from `with`; else from the result's field of the same name; else, if it is the
    only one still open, from the whole result, if that has its type; else from the accepted event's field
    of the same name. Where none of these is there, the field would be empty, and every step that uses it
    would fail. Write the value under `with`, or make the field optional.
    """
    # Args: given: whether some fields stand under `with` already.
    names = " and ".join(f"`{field}`" for field in fields)
    write = to_write(fields[0], value, given=given)
    return Finding(
        "unfilled-field",
        f"nothing fills {names} of `{event}`: {looked}",
        place,
        f"say what the step gives: `output: {{{output}}}`, or {write}"
        if output
        else write
        + (f", or declare it under `{bringing}` if that is to bring it" if bringing and value == "…" else ""),
        fix=filled(place, event, {**dict.fromkeys(fields, ""), fields[0]: value.strip("…")}, given=given),
        about=tuple(fields),
    )


def to_write(field: str, value: str, *, given: bool) -> str:
    """Return what gives one field its value, where others may be given already."""
    entry = f"{field}: {value}"
    return f"add `{entry}` to `with`" if given else f"write `with: {{{entry}}}`"


def filled(place: Place, event: str, fields: Mapping[str, str], *, given: bool) -> Fix:
    """Return what gives an event fields under `with`, those without a value to be filled in."""
    beside = place.address[-1] == "event"
    if beside and given:
        return add_entries(Place((*place.address[:-1], "with")), fields)
    values = ", ".join(f"{name}: {value}" for name, value in fields.items())
    title = "add `with: {" + ", ".join(f"{name}: {value or '…'}" for name, value in fields.items()) + "}`"
    if beside:
        return add_entries(Place(place.address[:-1]), {"with": f"{{{values}}}"}, title)
    return replace_value(place, f"{{event: {event}, with: {{{values}}}}}", "display", title)


@problem
def wrong_fill(
    place: Place,
    event: str,
    field: str,
    source: str,
    given: str,
    wanted: str,
    hint: str,
    *,
    others: bool = False,
) -> Finding:
    """An event's field would be filled by its name, but with a value of another type.

    The result, or the accepted event, has a field of the same name, so that it is most likely meant; but
    its type does not go into the field's. Write under `with` which value the field is to have, or change
    one of the two types. A value that may be null needs a `default` or a condition first.
    """
    # Args: others: whether other fields stand under `with` already.
    return Finding(
        "wrong-fill",
        f"`{field}` of `{event}` is {wanted}, but {source}, which would fill it, is {given}",
        place,
        hint or f"{to_write(field, '…', given=others)}, or change one of the two types",
    )


@problem
def unclear_fill(
    place: Place, event: str, field: str, having: Sequence[str], *, together: bool, nullable: bool
) -> Finding:
    """An event's field that may be left out could be filled from some of the accepted events.

    Fields are filled by their names, also those that need not be given. Here several of the joined events have the
    field, or only some of those events of which any one starts the step, so that nobody can know what is meant. Say
    under `with` what the field holds, or leave it out with `null`.
    """
    owners = joined(having)
    have = "has" if len(having) == 1 else "have"
    why = f"{owners} {have} it" if together else f"only {owners} {have} it"
    such = (
        f"such as `events.{having[0]}.{field}`" if together else f"such as by asking `event is {having[0]}`"
    )
    leave = f"leave it out with `{field}: null`" if nullable else "give it a value of its own"
    return Finding(
        "unclear-fill",
        f"it is not clear what fills `{field}` of `{event}`: {why}",
        place,
        f"say under `with` what is meant, {such}, or {leave}",
    )


@problem
def unclear_whole(place: Place, event: str, field: str, source: str, rival: str) -> Finding:
    """An event's field could be a whole value, such as the result, or the accepted event's field of its name.

    The whole result fills the only field that is still open, if it is just of its type. Here the accepted event has a
    field of that name that fits too, so that nobody who reads the step can know which of the two is meant: the text
    that came, or the one that was made of it? Say it under `with`.
    """
    return Finding(
        "unclear-whole",
        f"it is not clear what fills `{field}` of `{event}`: the whole `{source}` would fit, and `{rival}` too",
        place,
        f'say under `with` which is meant: `{field}: "${{{{ {rival} }}}}"` or `{field}: "${{{{ {source} }}}}"`',
    )


@problem
def unused_result(place: Place, step: str) -> Finding:
    """A step asks for a structured result and uses nothing of it.

    `output` makes a model or a service give named fields. Here no `save`, `emit`, `require` or `stream`
    of the step uses them, so the answer would be paid for and lost. Use the result, or leave `output`
    out.
    """
    return Finding(
        "unused-result",
        f"step `{step}` asks for this result and does nothing with it",
        place,
        "save it, or give it to an event with `with`",
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
        f"no error is called `{name}`",
        place,
        meant
        or (f"write `{written}`" if written else "")
        or ("" if name[:1].isupper() else closest(name, known))  # an event, which is no error
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


@problem
def each_outside_batch(place: Place, names: Sequence[str]) -> Finding:
    """A join collects the events of a batch, and no batch leads to it.

    `accepts: {each: E}` waits until all items that an `each` has sent out are done. So on the way from
    the start to this step some step must emit with `each`. Without one, there is nothing to wait for:
    accept the event itself.
    """
    shown = " and ".join(f"`{name}`" for name in names)
    instead = (
        f"accept {shown} itself"
        if len(names) == 1
        else f"for one of each write `{{all: [{', '.join(names)}]}}`"
    )
    said = f"no `each` sends out what leads to {shown}, so there is no batch to collect"
    hint = f"{instead}, or emit with `each` before, and let no step between collect the batch"
    return Finding("each-outside-batch", said, place, hint)
