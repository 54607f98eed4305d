"""Keys that stand at an agent or a model and belong to the step that asks it, or the other way round."""

from __future__ import annotations

from collections.abc import Container, Mapping
from typing import Any, Final

from wfc.compiler.schema.at_steps import of_model
from wfc.compiler.schema.kind_words import plain

__all__ = ["for_key_at_declaration"]

OF_STEP: Final = frozenset(
    "cache concurrency files history on_error on_timeout require retry save stream thread timeout within".split()
)
"""Keys of a step that lets an agent work, and of no agent."""
TRIES: Final = frozenset({"max_attempts", "max_retries", "retries", "retry"})
OF_REQUEST: Final = frozenset({"files", "history", "output", "prompt", "system"})
"""Keys of what a model is asked."""
OF_AGENT: Final = frozenset({"handoffs", "max_turns", "tools"})


def for_key_at_declaration(
    key: str, content: Any, declared: Mapping[str, Any], properties: Container[str]
) -> str:
    """Return where a key belongs that stands at an agent or a model; else, or if it is not known, an empty text.

    Args:
        content: What stands under the key.
        declared: The agent or the model.
        properties: The keys that there are at its place.
    """
    word = plain(key)
    if "handoffs" in properties and "emit" not in properties:
        if word in OF_STEP | TRIES:
            name = "retry" if word in TRIES else word
            return f"it is said by the step that lets the agent work: `{name}` beside `kind: agent`"
        return of_model(word, content, declared)
    if "fallback" not in properties or "use" not in properties:
        return ""
    if word in OF_REQUEST:
        return f"it is said where the model is asked: `{word}` of a step of kind `llm`, or of an agent"
    if word in OF_AGENT:
        return f"it is said of an agent, which has a `model`: `agents: {{NAME: {{model: …, {word}: …}}}}`"
    if word in TRIES:
        return "how often it is asked is said by the `retry` of the step, or for all of them by `defaults: {retry: …}`"
    if word in {"cache", "stream"}:
        return f"it is said by the step that asks the model: `{word}` beside `kind: llm`"
    return ""
