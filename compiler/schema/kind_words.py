"""Words of other systems for the kinds of steps, mapped to those of wfc."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any, Final

from wfc.compiler.model.kinds import STEP_KINDS

__all__ = ["BOUNDS", "TRIES", "other_kind", "plain"]

TRIES: Final = frozenset(
    "attempts max_attempts max_retries maximum_attempts retries retry_count retry_policy tries".split()
)
"""Words for how often an action is tried."""
BOUNDS: Final = frozenset(
    {"deadline", "expires", "max_time", "time_limit", "timeout_minutes", "timeout_seconds", "within"}
)
"""Words for how long something may take."""

FORMS: Final = ("all", "any", "each")
JOINS: Final = frozenset(
    "aggregate and barrier collect converge fan_in fanin gather join join_all merge sync synchronize synchronise "
    "wait_all wait_for_all".split()
)
"""Words for a step at which branches come together."""
FORKS: Final = frozenset("all both concurrent fan_out fanout fork parallel parallel_for split".split())
"""Words for a step at which branches part."""
LOOPS: Final = frozenset({"loop", "repeat", "until", "while"})
GATEWAYS: Final = frozenset({"exclusive_gateway", "gateway", "inclusive_gateway", "parallel_gateway"})
OF_ITEMS: Final = frozenset({"as", "do", "for_each", "foreach", "in", "items", "list", "over"})
"""Keys of a step that say that something is done for each item of a list."""
JOINING: Final = "write `transform`: which events it waits for says its `accepts`, as `{all: [A, B]}`"
NOTES: Final[Mapping[str, str]] = {
    **dict.fromkeys(
        FORKS,
        "write `transform`: `emit: {all: [A, B]}` sends several events, and the steps that accept them run "
        "side by side; for each item of a list there is the kind `map`",
    ),
    **dict.fromkeys(
        GATEWAYS,
        "write `transform`: it chooses by the `when` of the entries of its `emit`, sends several events by "
        "`emit: {all: [A, B]}`, and waits for several by `accepts: {all: [A, B]}`",
    ),
    **dict.fromkeys(
        LOOPS,
        "for each item of a list there is the kind `map`; to repeat steps, let an event lead back to an earlier one, "
        "which has a bound, `max_runs`",
    ),
    **dict.fromkeys(
        ["email", "mail", "message", "notification", "notify", "sms"],
        "a mail or a message to people is sent by a `tool` or an `http` request; `send` brings an event to another run",
    ),
    **dict.fromkeys(
        ["begin", "entry", "input_event", "start", "trigger"],
        "no step begins a run: it begins with the event under `start`, which the first steps accept",
    ),
    **dict.fromkeys(
        ["end", "exit", "finish", "return", "stop", "terminate"],
        "no step ends a run: it is over when a step emits an event that stands under `end`",
    ),
    **dict.fromkeys(
        ["error", "fail", "raise", "throw"],
        "a run fails by an entry of `emit`: `- fail: TEXT`; a step that does no more is a `transform`",
    ),
    "signal": "write `wait` to take an event that comes from outside, or `send` to send one to another run",
}
"""What is said of kinds that may be one of several here."""


def plain(key: str) -> str:
    """Return a word in small letters, with `_` between its parts however they are put together elsewhere."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", key).lower().replace("-", "_")


def other_kind(kind: str, step: Mapping[str, Any] | Iterable[str] = ()) -> str:
    """Return a hint for a kind of step that has another name here; empty if none is known.

    Args:
        step: What the step says.
    """
    word = plain(kind)
    accepts = step.get("accepts") if isinstance(step, Mapping) else None
    joins = isinstance(accepts, Mapping) and any(each in accepts for each in FORMS)
    of_batch = (
        isinstance(accepts, Mapping) and "each" in accepts
    )  # of which the fork may be meant, for each item
    if word in JOINS or (joins and not of_batch and word in FORKS | GATEWAYS):
        return "write `transform`" if joins else JOINING
    if word in LOOPS and not OF_ITEMS.isdisjoint(step):
        return "write `map`"
    if said := NOTES.get(word):
        return said
    meant = next((here for here, each in STEP_KINDS.items() if word in each.words.split()), "")
    return f"write `{meant}`" if meant else ""
