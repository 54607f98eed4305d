"""Rules about the tools of agents, and who chooses what they are given."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from wfc.compiler.review.catalogue.calls import argument_changed
from wfc.compiler.review.catalogue.placing import change_between
from wfc.compiler.review.changes import Level, SpecChange, mirrored
from wfc.compiler.review.pair import Pair
from wfc.compiler.review.sameness import became, said, same

__all__ = ["changes_of_agents"]

_INFO, _ACT = Level.INFO, Level.ACT

_FREED = mirrored(
    "argument",
    "security",
    (
        "left-to-the-model",
        _ACT,
        """A model chooses an argument of a tool that the spec gave before.

What the model reads may be a stranger's words: it may choose anything that the type allows.""",
    ),
    ("taken-from-the-model", _INFO, "The spec gives an argument of a tool that a model chose before."),
)


def changes_of_agents(pair: Pair) -> Iterator[SpecChange]:
    """Yield what the tools of agents are given otherwise."""
    for name, before, after in pair.both("agents"):
        yield from _uses(pair, f"agents.{name}", name, before, after)


def _uses(pair: Pair, path: str, agent: str, before: Any, after: Any) -> Iterator[SpecChange]:
    """Yield what an agent's tools are given otherwise."""
    freed, taken = _FREED
    for tool, one in before["tools"].items():
        other = after["tools"].get(tool)
        if other is None:
            continue
        about = f"{path}.tools.{tool}.bound"
        for arg in dict.fromkeys([*one["bound"], *other["bound"]]):
            was, now = one["bound"].get(arg), other["bound"].get(arg)
            if was is not None and now is None and arg in other["free"]:
                told = f"the model of `{agent}` chooses `{arg}` of `{tool}`, which was {said(was)}"
                yield change_between(
                    pair,
                    freed,
                    f"{about}.{arg}",
                    told,
                    was,
                    now,
                    (one, other),
                    covers=(f"{path}.tools.{tool}.free",),
                )
            elif was is None and arg in one["free"]:
                told = f"`{arg}` of `{tool}` is {said(now)} where `{agent}` calls it, and the model chose it"
                yield change_between(
                    pair,
                    taken,
                    f"{about}.{arg}",
                    told,
                    was,
                    now,
                    (one, other),
                    covers=(f"{path}.tools.{tool}.free",),
                )
            elif not same(was, now):
                told = became(f"`{arg}` of `{tool}`, where `{agent}` calls it,", was, now)
                yield change_between(pair, argument_changed, f"{about}.{arg}", told, was, now, (one, other))
