"""Keys that stand at a step and belong elsewhere, told by what does the same at a step of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.schema.kind_words import plain

__all__ = ["for_key_at_step", "of_model"]

TRIES: Final = frozenset(
    "attempts max_attempts max_retries maximum_attempts retries retry_count retry_policy tries".split()
)
"""Words for how often an action is tried."""
OF_POLICY: Final = frozenset({"backoff", "jitter", "max_delay", "never_on", "retry_on"})
"""Keys of a retry policy."""
PAUSES: Final = frozenset({"human", "wait"})
BOUNDS: Final = frozenset(
    {"deadline", "expires", "max_time", "time_limit", "timeout_minutes", "timeout_seconds", "within"}
)
ERRORS: Final = frozenset({"catch", "except", "on_failure"})
GOES_ON: Final = frozenset({"allow_failure", "continue_on_error", "ignore_errors"})
GIVEN: Final = frozenset(
    {"assign_to", "outputs", "register", "result", "save_as", "set", "set_fact", "store"}
)
"""Words for what a step gives."""
PROGRAMS: Final = frozenset(
    {"cmd", "cmds", "command", "commands", "exec", "program", "run", "script", "shell"}
)
"""Words for a program that is run; in other languages some of them are for functions, too."""
AT_ONCE: Final = frozenset({"max_concurrency", "max_parallel", "parallel", "parallelism"})
NEXT: Final = frozenset(
    {"default", "else", "goto", "next", "next_step", "on_success", "then", "to", "transitions"}
)
"""Words for the step that follows."""
OF_MODEL: Final = frozenset(
    {"api_key", "at_once", "base_url", "max_tokens", "rate", "settings", "temperature"}
)
SETTINGS: Final = frozenset({"frequency_penalty", "presence_penalty", "seed", "stop", "top_k", "top_p"})
OF_JOINS: Final = frozenset({"all", "any", "count", "rest"})
SIDE_BY_SIDE: Final = "steps that accept the same event run side by side"
TIED: Final = "steps are tied by events: what one step has under `emit`, another one has under `accepts`"
JOINED: Final = (
    "which events a step waits for says its `accepts`: `{all: [A, B]}`; which it sends, its `emit`"
)


def for_key_at_step(key: str, content: Any, step: Mapping[str, Any]) -> str:
    """Return what says at a step what a key says elsewhere, if that is known; else an empty text.

    Args:
        content: What stands under the key.
        step: The step.
    """
    kind = step.get("kind")
    if kind not in STEP_KINDS:
        return ""
    word = plain(key)
    acts = STEP_KINDS[kind].acts and kind not in PAUSES
    if word in TRIES | OF_POLICY:
        return (
            in_policy(word, step) if acts and "retry" in step else "" if acts else no_tries(word, step, kind)
        )
    if word in ERRORS | GOES_ON and not acts:
        return cannot_fail(kind, of_errors=True, event="event" in step)
    if word in GIVEN and kind == "transform":
        return "what a `transform` works out stands in its event, `emit: {event: …, with: {…}}`, or in `save`"
    if word in BOUNDS:
        return of_bound(word, step, kind)
    if word in NEXT and (kind == "wait" or word in {"goto", "on_success"}):
        return TIED if "emit" in step else "write `emit`"
    if word in OF_JOINS and kind != "wait":
        return JOINED
    return of_kind(word, content, step, kind)


def in_policy(word: str, step: Mapping[str, Any]) -> str:
    """Return where a key of a retry policy is written at a step that has one."""
    retry, name = step["retry"], word if word in OF_POLICY else "max_attempts"
    if isinstance(retry, str):
        return f"the policy `{retry}`, which `retry` names here, says so: `retries: {{{retry}: {{…, {name}: …}}}}`"
    return f"`retry` stands here already: write it there, as `retry: {{…, {name}: …}}`"


def no_tries(word: str, step: Mapping[str, Any], kind: str) -> str:
    """Return what is said of a further attempt where no action is that could fail; the runs of a step may be meant."""
    runs = word in TRIES and "max_runs" not in step
    return cannot_fail(kind) + "; how often the step may run is said by `max_runs`" * runs


def cannot_fail(kind: str, *, of_errors: bool = False, event: bool = False) -> str:
    """Return what is said of a failure, or of a further attempt, where no action is that could fail."""
    said = f"a `{kind}` has no action that could fail: leave it out"
    if of_errors and (kind == "human" or event):
        return f"{said}; what follows when nothing comes in time is said by `on_timeout`"
    return f"{said}; a person is reminded by `remind`" if kind == "human" else said


def of_bound(word: str, step: Mapping[str, Any], kind: str) -> str:
    """Return how long a step of a kind may take, or wait."""
    if "within" in step and word != "within":
        return "`within` stands here already, and bounds how long it waits"
    if kind == "wait" and ("for" in step or "until" in step) and "event" not in step:
        return "how long it waits is said by `for`, and until when by `until`: leave it out"
    if isinstance(step.get("accepts"), Mapping) and not (kind in PAUSES or kind == "agent"):
        own = "an attempt is bounded by `timeout`; " if STEP_KINDS[kind].acts else ""
        return f"{own}how long a join waits is said within it: `accepts: {{…, within: 1h, on_timeout: A}}`"
    return ""


def of_kind(word: str, content: Any, step: Mapping[str, Any], kind: str) -> str:
    """Return what a step of a kind has in place of a key."""
    if word in AT_ONCE and kind == "map":
        return "how many items are worked on at once is said by `concurrency`"
    if word in GOES_ON and kind == "map":
        return "`on_item_error: skip` leaves out an item that fails; where a failed step leads says `on_error: [A]`"
    if word in PROGRAMS and kind == "tool" and not isinstance(content, dict):
        return "a program is run by a step of kind `command`, as in `command: [sort, -u]`; a tool is named by `tool`"
    if word in AT_ONCE and kind == "agent":
        return "how many tools an agent calls at once is said by `parallel_calls`; " + SIDE_BY_SIDE
    if kind in {"agent", "llm"}:
        return of_model(word, content, step)
    if kind == "human" and word == "output":
        return "what a person answers is said by `form`"
    tool = step.get("tool")
    if word == "read_only" and kind == "tool" and isinstance(tool, str) and tool.isidentifier():
        return f"it is said of the tool, where that is declared: `tools: {{{tool}: {{…, read_only: true}}}}`"
    if word == "read_only" and kind == "http":
        return "what a request does is said by its `method`: one with `GET` only reads"
    if word == "approve" and STEP_KINDS[kind].acts and kind not in PAUSES:
        return "whether somebody allows it is asked by a step of kind `human` before this one"
    return ""


def of_model(word: str, content: Any, step: Mapping[str, Any]) -> str:
    """Return where an option of a model is said that stands at a step which asks it."""
    model = step.get("model")
    name = model if isinstance(model, str) and model.isidentifier() else "NAME"
    if word in SETTINGS:
        return f"it is said of the model: `models: {{{name}: {{…, settings: {{{word}: …}}}}}}`"
    if word in OF_MODEL or (word == "fallback" and not is_event(content)):
        return f"it is said of the model, where that is declared: `models: {{{name}: {{…, {word}: …}}}}`"
    return ""


def is_event(content: Any) -> bool:
    """Return whether a value may say where a failure leads, and names no models."""
    names = content if isinstance(content, list) else [content]
    return any(isinstance(each, dict) or str(each)[:1].isupper() for each in names)
