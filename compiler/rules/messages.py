"""Problems with what goes from run to run: what a workflow receives, how its runs are found, what is sent."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem, warning

__all__ = [
    "key_not_a_word",
    "message_not_taken",
    "never_from_outside",
    "received_by_nobody",
    "received_by_two",
    "received_key_differs",
    "received_key_for_nothing",
    "send_to_whom",
    "topic_without_receiver",
]


@problem
def never_from_outside(place: Place, name: str, role: str) -> Finding:
    """`receives` lists the start event, or one that ends the run.

    What a run receives comes while it goes on. The start event comes before that, and only once; and an end
    event is the run's own answer, which nobody else can give. For a word from outside that is to end the run,
    declare an event of its own, and let the step that accepts it emit the end.
    """
    does = "starts the run" if role == "start" else "ends the run"
    return Finding("never-from-outside", f"`{name}` {does}, so no run receives it", place)


@problem
def received_key_for_nothing(place: Place) -> Finding:
    """An event's `key` under `receives` is to find a run, but runs have no `key`.

    `receives: {Paid: {key: order_id}}` brings a `Paid` to the run whose own key equals its `order_id`. What the
    key of a run is, the spec says at the top: `key: inputs.order_id`. Without that, events reach a run only by
    its id.
    """
    return Finding(
        "received-key-for-nothing",
        "this `key` is compared with the key of runs, and the spec does not say what that is",
        place,
        "add `key: inputs.…` at the top of the file",
    )


@problem
def received_key_differs(place: Place, field: str, given: str, wanted: str) -> Finding:
    """The field by which an event finds its run cannot equal the run's key.

    The value of that field is compared with the run's `key`, so both must be of one type, and the field must
    be there in every event. Otherwise no event would ever find a run.
    """
    return Finding(
        "received-key-differs",
        f"`{field}` is {given}, and the run's `key`, which it must equal, is {wanted}",
        place,
    )


@problem
def key_not_a_word(place: Place, key: str, given: str) -> Finding:
    """What identifies a run is not a text, a whole number or a date.

    A run is found by its key, as a drawer by its label. Values with fractions, moments, lists and records can
    be written in several ways that mean the same, and a value that may be null labels nothing. Use a text, a
    whole number, a date or an enumeration.
    """
    said = f"`{key}` must be a text, a whole number or a date, and this is {given}"
    return Finding("key-not-a-word", said, place)


@problem
def received_by_nobody(place: Place, name: str) -> Finding:
    """`receives` lists an event that no step takes.

    An event from outside is for a `wait` step that names it, or for the steps that accept it. This one would
    be kept to the end of the run and then dropped.
    """
    return Finding(
        "received-by-nobody",
        f"no step waits for `{name}` or accepts it",
        place,
        "let a step accept it, or take it out of `receives`",
        about=(name,),
    )


@problem
def received_by_two(place: Place, name: str, waits: str, accepts: str) -> Finding:
    """An event from outside is waited for by one step and accepted by another.

    Each event that arrives is used once: a `wait` takes the one that it waits for, and what a step accepts
    goes to that step at once. With both, it would depend on the moment who gets it. Declare two events, or
    let one of the two steps do without.
    """
    return Finding(
        "received-by-two",
        f"`{waits}` waits for `{name}`, and `{accepts}` accepts it: which of the two gets it is open",
        place,
        "let only one of them take it",
    )


@problem
def send_to_whom(place: Place, found: Sequence[str]) -> Finding:
    """A `send` step does not say to whom, or says it in two ways.

    Either `to` and `to_key` say which run of which workflow gets the event, or `topic` says that all runs
    which receive the event get it.
    """
    if not found:
        return Finding(
            "send-to-whom", "this `send` does not say to whom", place, "add `to` and `to_key`, or `topic`"
        )
    keys = " and ".join(f"`{key}`" for key in found)
    return Finding("send-to-whom", f"this `send` has {keys}, which say two things", place, "keep one of them")


@problem
def message_not_taken(place: Place, workflow: str, event: str, why: str, received: Iterable[str]) -> Finding:
    """An event is sent to a workflow that does not take it, or not like this.

    What a workflow takes from outside it lists under `receives`, with the fields of each event. An event of
    another name would be refused there, and so would one whose fields do not fit. Send an event that it
    receives, with the fields that it declares.
    """
    return Finding(
        "message-not-taken", f"workflow `{workflow}` {why} `{event}`", place, closest(event, received)
    )


@warning
def topic_without_receiver(place: Place, event: str, topic: str, topics: Sequence[str]) -> Finding:
    """An event is sent under a topic, and no workflow here receives it.

    A `send` with a `topic` reaches all runs whose workflow lists the event under `receives`, with this topic or
    without any. No workflow that is checked together with this one does, so that the event would go
    nowhere. It is a warning, since others may be at work elsewhere.
    """
    return Finding(
        "topic-without-receiver",
        f"no workflow here receives `{event}`" + (f" under `{topic}`" if topics else ""),
        place,
        closest(topic, topics) or (f"it is received under `{topics[0]}`" if topics else ""),
    )
