"""Which of its tools a model is offered for its next reply."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final

from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.calls.transcripts import CallRequest, OfferedTool, Said

__all__ = ["Offer", "before_the_first", "offer_of"]

_WORD: Final = re.compile(r"[^\W_]{3,}")

_STEM: Final = 5
"""How many letters of a word count, so that its forms are the same one."""


@dataclass(frozen=True, slots=True)
class Offer:
    """What a model is offered for a reply.

    Args:
        tools: The tools.
        first: The one that the model has to call now; empty: it need not call any.
    """

    tools: Sequence[OfferedTool]
    first: str = ""

    @property
    def names(self) -> list[str]:
        """The names of the tools, as the model is told them."""
        return [each.name for each in self.tools]


def offer_of(
    agent: Agent, said: Sequence[Said], since: Sequence[Said], is_open: Callable[[AgentTool], bool]
) -> Offer:
    """Return what the model of an agent is offered for its next reply.

    Args:
        said: The transcript.
        since: What was said since the prompt.
        is_open: Returns whether a tool may be offered now.
    """
    tools = agent.by_name
    found = [each for each in agent.offered if is_open(tools[each.name])]
    first = next(
        (each for each in found if agent.first_tool and tools[each.name].name == agent.first_tool), None
    )
    due = first is not None and not any(call.tool == first.name for one in since for call in one.calls)
    must = first.name if first is not None and due else ""
    if agent.offer is None or len(found) <= agent.offer:
        return Offer(found, must)
    shown = _chosen(found, said, agent.offer - bool(must)) | {must}
    return Offer([each for each in found if each.name in shown], must)


def _chosen(tools: Sequence[OfferedTool], said: Sequence[Said], most: int) -> set[str]:
    """Return the names of the tools to show: those used last, and those that fit what the model is told."""
    names = {each.name for each in tools}
    used = [call.tool for one in reversed(said) for call in one.calls if call.tool in names]
    chosen = list(dict.fromkeys(used))[:most]
    words = {each.name: _words(f"{each.name.replace('_', ' ')} {each.description}") for each in tools}
    often = Counter(word for each in words.values() for word in each)
    wanted = _words(" ".join(_told_last(said)))
    rest = [each.name for each in tools if each.name not in chosen]
    rest.sort(key=lambda name: -sum(1 / often[word] for word in sorted(words[name] & wanted)))
    return {*chosen, *rest[: most - len(chosen)]}


def _told_last(said: Sequence[Said]) -> list[str]:
    """Return the last words of the user, and what tools have said since."""
    found: list[str] = []
    for one in reversed(said):
        found += [one.text] if one.role == "user" else [each.text for each in one.answers]
        if one.role == "user":
            break
    return found


def _words(text: str) -> set[str]:
    return {word[:_STEM] for word in _WORD.findall(text[:10_000].lower())}


def before_the_first(first: str, calls: Sequence[CallRequest]) -> dict[str, str]:
    """Return what a model is told of calls that have to wait until a tool has been called, by their ids."""
    return {each.id: f"Not made: first call the tool `{first}`." for each in calls if each.tool != first}
