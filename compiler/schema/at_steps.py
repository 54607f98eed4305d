"""Keys that stand at a step and belong elsewhere, told by what does the same at a step of its kind."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from wfc.compiler.model.kinds import STEP_KINDS
from wfc.compiler.schema.kind_words import BOUNDS, TRIES, plain
from wfc.compiler.schema.synonyms import meanings
from wfc.compiler.types.long_form import can_be_type

__all__ = ["OF_TOOL", "for_key_at_step", "of_model", "said_by_tool"]

OF_POLICY: Final = frozenset({"backoff", "jitter", "max_delay", "never_on", "retry_on"})
"""Keys of a retry policy."""
PAUSES: Final = frozenset({"human", "wait"})
ERRORS: Final = frozenset({"catch", "except", "on_failure"})
GOES_ON: Final = frozenset({"allow_failure", "continue_on_error", "ignore_errors"})
GIVEN: Final = frozenset(
    "assign_to output_key output_variable outputs register result result_path save_as set set_fact store".split()
)
"""Words for what a step gives."""
EVENTS: Final = frozenset({"event", "event_name", "event_type", "events"})
"""Words for an event, of which a step has one that starts it and one that it sends."""
RATES: Final = frozenset(
    "at_once max_rpm quota rate rate_limit rate_limits requests_per_minute rpm rps throttle".split()
)
"""Words for how often something may be called."""
LENGTHS: Final = frozenset({"delay", "duration", "every", "interval", "seconds", "time", "ttl"})
"""Words for how long a step waits."""
ITEMS: Final = frozenset(
    {"for_each", "foreach", "items", "items_path", "iterate", "list", "over", "with_items"}
)
"""Words for the list that a step goes through."""
ENVIRONMENT: Final = frozenset({"env", "environment"})
PROGRAMS: Final = frozenset(
    {"cmd", "cmds", "command", "commands", "exec", "program", "run", "script", "shell"}
)
"""Words for a program that is run; in other languages some of them are for functions, too."""
AT_ONCE: Final = frozenset({"max_concurrency", "max_parallel", "parallel", "parallelism"})
NEXT: Final = frozenset(
    {"default", "else", "goto", "next", "next_step", "on_success", "then", "to", "transitions"}
)
"""Words for the step that follows."""
OF_MODEL: Final = frozenset({"api_key", "base_url", "max_tokens", "settings", "temperature"})
OF_AGENT: Final = frozenset({"handoffs", "max_turns", "model", "output", "system", "tools"})
"""Keys of an agent that a step which names one has not."""
SETTINGS: Final = frozenset({"frequency_penalty", "presence_penalty", "seed", "stop", "top_k", "top_p"})
OF_JOINS: Final = frozenset({"all", "any", "count", "rest"})
SIDE_BY_SIDE: Final = "steps that accept the same event run side by side"
OF_RESULT: Final = "what a step gives is its `result`: hand it on in an event, or keep it with `save`"
OF_TOOL: Final = f"the tool says itself what it gives; {OF_RESULT}"
WAYS: Final = (
    "which way a step leaves is said by the `when` of the entries of its `emit`; "
    "several ways at once are `emit: {all: [A, B]}`"
)
TIED: Final = "steps are tied by events: what one step has under `emit`, another one has under `accepts`"
JOINED: Final = (
    "which events a step waits for says its `accepts`: `{all: [A, B]}`; which it sends, its `emit`"
)
TO_A_PROGRAM: Final = (
    "what a program is given stands behind its name: `command: [sort, -u]`, and on its input `stdin`"
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
    if word in GIVEN and has_no_result(step, kind):
        return f"a `{kind}` has no `result`: what it hands on stands in its event, `emit: {{event: …, with: {{…}}}}`"
    if word in GIVEN and isinstance(content, str) and not can_be_type(content):
        return OF_RESULT
    if word in BOUNDS or (word in LENGTHS and (kind in PAUSES or kind == "agent")):
        return of_bound(word, step, kind)
    if word in EVENTS and kind not in {"send", "wait"}:
        return "the event that starts a step stands under `accepts`, and the one that it sends under `emit`"
    if word in NEXT and (kind == "wait" or word in {"goto", "on_success"}):
        return TIED if "emit" in step else "write `emit`"
    if word in OF_JOINS and kind != "wait":
        return JOINED
    if word == "with" and isinstance(content, dict) and isinstance(step.get("on_timeout"), str):
        late = step["on_timeout"]
        sent = step.get("emit") if isinstance(step.get("emit"), str) else "…"
        return (
            f"beside an event it stands in braces with it: `emit: {{event: {sent}, with: …}}`, or "
            f"`on_timeout: {{event: {late}, with: …}}`"
        )
    return of_kind(word, content, step, kind)


def said_by_tool(word: str, step: Mapping[str, Any], data: Any) -> bool:
    """Return whether a word at a step is one for what it gives, and its tool says that itself.

    Args:
        data: The whole spec.
    """
    if step.get("kind") != "tool" or not meanings(plain(word), ("output",)):
        return False
    tool, tools = step.get("tool"), data.get("tools") if isinstance(data, dict) else None
    if isinstance(tool, str):
        tool = tools.get(tool) if isinstance(tools, dict) else None
    return isinstance(tool, dict) and "output" in tool


def has_no_result(step: Mapping[str, Any], kind: str) -> bool:
    """Return whether nothing comes of a step that could be used as its `result`."""
    return kind in {"send", "transform"} or (kind == "wait" and "event" not in step)


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
    if word in LENGTHS and (kind != "wait" or "event" in step):
        return "" if kind == "agent" else "how long it waits is said by `within`"
    if kind == "wait" and ("for" in step or "until" in step) and "event" not in step:
        return "how long it waits is said by `for`, and until when by `until`: leave it out"
    if isinstance(step.get("accepts"), Mapping) and not (kind in PAUSES or kind == "agent"):
        own = "an attempt is bounded by `timeout`; " if STEP_KINDS[kind].acts else ""
        return f"{own}how long a join waits is said within it: `accepts: {{…, within: 1h, on_timeout: A}}`"
    return ""


def of_kind(word: str, content: Any, step: Mapping[str, Any], kind: str) -> str:
    """Return what a step of a kind has in place of a key."""
    if word in RATES and kind not in {"agent", "llm"}:
        return of_rate(word, step, kind)
    if word in ENVIRONMENT and kind != "command":
        return of_environment(kind)
    if word in {"args", "arguments", "argv", "params", "parameters"} and kind == "command":
        return TO_A_PROGRAM
    if word == "with" and kind == "command":
        return f"{TO_A_PROGRAM}; what an event carries stands beside its name: `emit: {{event: …, with: …}}`"
    if word in {"branches", "paths"}:
        return WAYS
    if word in ITEMS and kind == "map":
        return "which list it goes through is said by `in`, and what each item is called by `as`"
    if word == "limit" and kind == "map":
        return "how many items there may be is said by `max`, and how many are worked on at once by `concurrency`"
    if word in AT_ONCE and kind == "map":
        return "how many items are worked on at once is said by `concurrency`"
    if word in GOES_ON and kind == "map":
        return "`on_item_error: skip` leaves out an item that fails; where a failed step leads says `on_error: [A]`"
    if word in PROGRAMS and kind == "tool" and not isinstance(content, dict):
        return "a program is run by a step of kind `command`, as in `command: [sort, -u]`; a tool is named by `tool`"
    if word in AT_ONCE and kind == "agent":
        return "how many tools an agent calls at once is said by `parallel_calls`; " + SIDE_BY_SIDE
    if kind == "agent" and (said := of_agent(word, step)):
        return said
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


def of_rate(word: str, step: Mapping[str, Any], kind: str) -> str:
    """Return where it is said how often what a step calls may be called."""
    name, said = "NAME", "at_once: 4" if word == "at_once" else "rate: 60 per min"
    if kind == "workflow":
        return "how many runs it has at once is said by the other workflow: `limits: {concurrent_runs: …}`"
    if kind in {"command", "http"}:
        said = f"`tools: {{NAME: {{{kind}: …, {said}}}}}`, and a step of kind `tool` calls it"
        return f"how often something may be called is said of a tool: {said}"
    if not STEP_KINDS[kind].acts or kind in PAUSES:
        return "only what is called has a rate: a tool or a model, where it is declared"
    action = step.get("do")
    tool = (action if isinstance(action, Mapping) else step).get("tool")
    name = tool if isinstance(tool, str) and tool.isidentifier() else name
    return (
        f"how often something may be called is said where it is declared: `tools: {{{name}: {{…, {said}}}}}`"
    )


def of_environment(kind: str) -> str:
    """Return where that is declared which the environment gives."""
    declared = "what the environment gives is declared under `config` at the top: `config.name`"
    if kind not in {"tool", "map"}:
        return f"{declared}; a key or a password is a name under `secrets`"
    return (
        f"{declared}, and a key or a password in `secrets` of what needs it; "
        f"what a step hands to its tool stands under `with`{' within `do`' if kind == 'map' else ''}"
    )


def of_agent(word: str, step: Mapping[str, Any]) -> str:
    """Return where that is said of a declared agent which a step says that names it; empty for anything else."""
    meant, name = meanings(word, OF_AGENT), step.get("agent")
    if not meant or not isinstance(name, str) or not name.isidentifier():
        return ""
    return f"it is said of the agent, where that is declared: `agents: {{{name}: {{…, {meant[0]}: …}}}}`"


def of_model(word: str, content: Any, step: Mapping[str, Any]) -> str:
    """Return where an option of a model is said that stands at a step which asks it."""
    model = step.get("model")
    name = model if isinstance(model, str) and model.isidentifier() else "NAME"
    if word in SETTINGS:
        return f"it is said of the model: `models: {{{name}: {{…, settings: {{{word}: …}}}}}}`"
    if word in RATES:
        word = "at_once" if word == "at_once" else "rate"
        return f"it is said of the model, where that is declared: `models: {{{name}: {{…, {word}: …}}}}`"
    if word in OF_MODEL or (word == "fallback" and not is_event(content)):
        return f"it is said of the model, where that is declared: `models: {{{name}: {{…, {word}: …}}}}`"
    return ""


def is_event(content: Any) -> bool:
    """Return whether a value may say where a failure leads, and names no models."""
    names = content if isinstance(content, list) else [content]
    return any(isinstance(each, dict) or str(each)[:1].isupper() for each in names)
