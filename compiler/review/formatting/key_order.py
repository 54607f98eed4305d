"""The order of the keys of a step: what it is and waits for, what it does, what may go wrong, what follows."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final

__all__ = ["STEP_KEYS", "in_order"]

STEP_KEYS: Final = (
    *("kind", "description", "accepts"),
    *("from", "topic", "command", "env", "stdin", "in", "as", "keep", "do", "give", "max"),
    *("workflow", "to", "to_key", "for", "tool", "agent", "model", "style", "system", "history", "prompt"),
    *("files", "tools", "first_tool", "offer", "handoffs", "event", "with", "if_absent", "thread"),
    *("method", "url", "knowledge", "text", "about", "id", "query", "top", "fetch", "that", "rerank"),
    *("min_score", "unlike", "expand"),
    *("headers", "auth", "body", "idempotency_key", "output"),
    *("concurrency", "read_only", "max_turns", "last_turn", "parallel_calls", "on_tool_error", "limits"),
    *("assign", "title", "show", "form", "prefill", "require", "remind", "quorum"),
    *("cache", "stream", "timeout", "retry", "within", "until", "on_timeout", "max_runs", "on_limit"),
    *("on_item_error", "on_error", "save", "detach", "emit"),
)
"""Every key that a step of any kind may have. The order is the one that the most steps of our own specs had already."""

RANKS: Final = {key: rank for rank, key in enumerate(STEP_KEYS)}


def in_order(keys: Sequence[str]) -> Iterable[int]:
    """Return the indexes of some keys in the order in which they are to stand.

    A key that no step has stays behind the one before it.
    """
    ranks, rank = [], -1
    for key in keys:
        rank = RANKS.get(key, rank)
        ranks.append(rank)
    return sorted(range(len(keys)), key=ranks.__getitem__)
