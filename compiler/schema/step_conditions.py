"""Conditions that stand at a step itself, as other systems have them, and where the same is said here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.schema.kind_words import plain

__all__ = ["for_condition", "is_condition"]

WORDS: Final = frozenset(
    "cond condition enabled_if if only_if only_when run_if run_when runs_if skip_if skip_when unless when".split()
)
"""What other systems call the condition under which a step runs."""
CHOSEN: Final = frozenset({"filter", "where"})
"""What they call the one by which items are chosen."""
OUTCOME: Final = re.compile(r"!?\s*(always|cancelled|canceled|failed|failure|success|succeeded)\s*\(\s*\)")
"""A function that tells how the steps before have ended."""
SUCCESS: Final = frozenset({"succeeded", "success"})
FAILED: Final = frozenset({"failed", "failure"})
AFTER_FAILURE: Final = FAILED | {"always"}
OF_RESULT: Final = re.compile(r"(?<![.\w])(?:agent|response|result)\b")
OF_EMIT: Final = "the `when` of an entry of its `emit`: `emit: [{event: A, when: …}, B]`"
OF_WAIT: Final = "which event is taken is said by `that: result.…`"
LEFT_OUT: Final = (
    "leave it out: a step runs when what it `accepts` comes, "
    "and where the step before has failed, that does not come"
)
LED_ON: Final = (
    "a failure leads here where the step that fails says so: "
    "`on_error: [%s]`, with the event that this step accepts"
)
CANCELLED: Final = "what follows when a run is cancelled is said by `on_cancel` at the top of the file"


def is_condition(key: str) -> bool:
    """Return whether a key is a word for the condition under which a step runs, or an item counts."""
    return plain(key) in WORDS | CHOSEN


def for_condition(key: str, content: Any, step: Mapping[str, Any], start: object) -> str:
    """Return where the condition is said that stands at a step; empty for what is none.

    Args:
        content: What stands under the key.
        step: The step, whose kind is right.
        start: The event that starts the run.
    """
    if isinstance(content, (dict, list)) or step.get("kind") not in STEP_KINDS:
        return ""
    word, said = plain(key), str(content)
    if word in CHOSEN or (word in WORDS and step["kind"] == "map" and mentions(said, step.get("as"))):
        return of_items(step)
    if word not in WORDS:
        return ""
    alone = said.strip().removeprefix("${{").removesuffix("}}").strip()
    if (outcome := OUTCOME.search(said)) and (outcome[1] not in SUCCESS or outcome[0].strip() == alone):
        return of_outcome(outcome[1], step, start)
    taken = f"{OF_WAIT}; " if is_wait_for_event(step) else ""
    if STEP_KINDS[step["kind"]].acts and OF_RESULT.search(said):
        return f"{taken}what a step gives is asked for by {OF_EMIT}"
    if step["kind"] == "transform":
        return f"which way a step leaves is said by {OF_EMIT}; whether it runs, {before(step, start)}"
    return f"{taken}whether a step runs is said {before(step, start)}"


def before(step: Mapping[str, Any], start: object) -> str:
    """Return where it is chosen whether a step runs."""
    event = step.get("accepts")
    if not isinstance(event, str) or not event.isidentifier():
        return "where what it accepts is emitted: `emit: [{event: A, when: …}, B]`"
    if event == start:
        first = f"`{{kind: transform, accepts: {event}, emit: [{{event: A, when: …}}, B]}}`"
        return f"by a step before it, {first}, and this one accepts `A`"
    return f"where `{event}` is emitted: `emit: [{{event: {event}, when: …}}, B]`"


def of_outcome(word: str, step: Mapping[str, Any], start: object) -> str:
    """Return what says that a step runs by how the steps before it have ended."""
    if word in {"cancelled", "canceled"}:
        return CANCELLED
    event = step.get("accepts")
    if event == start:
        after = "; what follows a failure says `on_error: [A]` at the step that fails" * (word in FAILED)
        return f"leave it out: a step that accepts `{event}` runs first{after}"
    name = event if isinstance(event, str) and event.isidentifier() else "A"
    return LED_ON % name if word in AFTER_FAILURE else LEFT_OUT


def of_items(step: Mapping[str, Any]) -> str:
    """Return how it is said which of several items count; empty where there are none."""
    if step["kind"] == "map":
        return "which items anything is done with is said by `keep`"
    if step["kind"] == "retrieve":
        return "which passages count is said by `that`"
    return OF_WAIT if is_wait_for_event(step) else ""


def is_wait_for_event(step: Mapping[str, Any]) -> bool:
    """Return whether a step waits for an event from outside."""
    return step.get("kind") == "wait" and "event" in step


def mentions(text: str, name: object) -> bool:
    """Return whether an expression mentions a name."""
    return (
        isinstance(name, str) and name.isidentifier() and re.search(rf"(?<![.\w]){name}\b", text) is not None
    )
