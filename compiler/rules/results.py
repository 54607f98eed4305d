"""Problems with results: taken where there are none, or used for nothing."""

from __future__ import annotations

from collections.abc import Sequence

from wfc.compiler.diagnostics import Finding, Place
from wfc.compiler.rules import closest, problem
from wfc.compiler.rules.fixes import correct_name, remove_entry, replace_text

__all__ = [
    "no_answer_to_show",
    "no_result",
    "result_without_field",
    "unused_result",
]


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
        fix=remove_entry(place),
    )
