"""Keys of steps that cannot stand beside each other, or only where another one stands."""

from __future__ import annotations

from typing import Final

__all__ = ["APART", "NEEDED_BY_ALL", "NEEDS", "OF_THE_AGENT", "ONLY_READS", "WAITS"]

WAITS: Final = ("for", "until", "event")
"""Keys that say what a `wait` waits for."""
OF_THE_AGENT: Final = (
    "model", "system", "tools", "output", "max_turns", "last_turn", "parallel_calls", "on_tool_error",
    "handoffs", "style", "first_tool", "offer",
)  # fmt: skip
"""Keys of a step that say what its agent is, where it names none of `agents`."""
APART: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "agent": (*(("agent", each) for each in OF_THE_AGENT), ("history", "thread")),
    "llm": (("history", "thread"), ("cache", "thread")),
    "send": (("to", "topic"),),
    "wait": (("for", "until"), ("for", "event")),
}
"""Two keys each of a kind of steps of which a step may have only one."""
ONLY_READS: Final = frozenset({"GET", "HEAD"})
"""Methods of requests that change nothing, so that their replies can be kept by `cache`."""
NEEDED_BY_ALL: Final = (("on_limit", "max_runs"),)
"""Keys of all steps, each with the one without which it means nothing."""
NEEDS: Final[dict[str, tuple[tuple[str, str], ...]]] = {
    "agent": (("on_timeout", "within"), ("with", "agent")),
    "human": (("prefill", "form"),),
    "send": (("to", "to_key"), ("to_key", "to"), ("if_absent", "to")),
    "wait": (("that", "event"), ("within", "event"), ("on_timeout", "event")),
}
"""Keys of a kind of steps, each with the one without which it means nothing."""
