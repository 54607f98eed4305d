"""What a model's reply comes to: an answer, calls to make, or something that it has to say again."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any, Final

from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import JudgedReply
from wfc.runtime.calls.transcripts import ANSWER_TOOL, CallAnswer, CallRequest, Said, TurnReply
from wfc.runtime.values.outputs import InvalidOutput, Wanted, plain_type
from wfc.runtime.values.outside_names import json_outside

__all__ = ["LONGEST_TOLD", "MOST_CALLS", "answers_to", "bounded", "cut", "judge", "wanted_calls", "was_cut"]

MOST_CALLS: Final = 32
"""How many calls of one reply are made."""

LONGEST_TOLD: Final = 100_000
"""How many characters of a text, of a call's arguments or of its result stand in a transcript."""

_OTHERS_FIRST = (
    "Not taken, since other calls stand beside it: look at their results, and give the answer alone."
)
_TOO_MANY = f"Not made: at most {MOST_CALLS} calls of one reply are made. Ask again for what is still wanted."
_TOO_MANY_AGENTS = "Not made: so many agents may not work at once. Ask again for what is still wanted."
_NO_RECORD = f"Not made: its arguments are no JSON record of at most {LONGEST_TOLD:,} characters."
_SAY_SOMETHING = "Nothing was said. Give the answer."


def judge(agent: Agent, reply: TurnReply, unmet: Callable[[Any], Sequence[str]]) -> JudgedReply:
    """Return what a reply comes to.

    Args:
        unmet: Returns a sentence for each requirement that an answer does not meet.
    """
    kept = bounded(reply)
    wanted = wanted_calls(reply)
    if wanted:
        told = {each.id: _OTHERS_FIRST for each in reply.calls if each.tool == ANSWER_TOOL}
        told |= {each.id: _NO_RECORD for each in wanted if not _is_record(each.args)}
        told |= {each.id: _TOO_MANY for each in wanted[MOST_CALLS:]}
        told |= {each.id: _TOO_MANY_AGENTS for each in _of_agents(agent, wanted)[agent.parallel_calls :]}
        return JudgedReply(reply=kept, told=told)
    is_unmet = False
    try:
        value = _answer_in(agent, reply)
        said = "; ".join(unmet(value))
        is_unmet = bool(said)
    except InvalidOutput as error:
        said = f"This answer cannot be used: {error}\nAnswer again, without this mistake."
    if said:
        told = {each.id: said for each in reply.calls}
        return JudgedReply(reply=kept, problem=said, is_unmet=is_unmet, told=told)
    return JudgedReply(reply=kept, answer=json_outside(value).decode())


def _answer_in(agent: Agent, reply: TurnReply) -> Any:
    """Return the answer in a reply without calls of tools.

    Raises:
        InvalidOutput: There is none.
    """
    text = reply.calls[0].args if reply.calls else reply.text
    if not text.strip():
        raise InvalidOutput(_SAY_SOMETHING)
    kind = plain_type(agent.output)
    return text if kind in (None, str) else Wanted(kind).read(text)


def wanted_calls(reply: TurnReply) -> list[CallRequest]:
    """Return the calls of tools that a reply asks for."""
    return [each for each in reply.calls if each.tool != ANSWER_TOOL]


def _of_agents(agent: Agent, wanted: Sequence[CallRequest]) -> list[CallRequest]:
    """Return the calls whose tools are agents."""
    tools = agent.by_name
    return [each for each in wanted if each.tool in tools and tools[each.tool].is_run]


def answers_to(said: Said, told: dict[str, str]) -> list[CallAnswer]:
    """Return one answer to each call of a message, in its order."""
    return [CallAnswer(id=each.id, tool=each.tool, text=told.get(each.id, _TOO_MANY)) for each in said.calls]


def cut(text: str) -> str:
    """Return a text as it stands in a transcript, where it may not be too long."""
    if len(text) <= LONGEST_TOLD:
        return text
    return f"{text[:LONGEST_TOLD]}\n… cut: these are {LONGEST_TOLD:,} of {len(text):,} characters"


def was_cut(text: str) -> bool:
    """Return whether a text of a transcript was too long."""
    return len(text) > LONGEST_TOLD and text.startswith("\n… cut: these are ", LONGEST_TOLD)


def bounded(reply: TurnReply) -> TurnReply:
    """Return a reply as it stands in a transcript: of bounded length, and with arguments that every provider takes."""
    calls = [
        each if _is_record(each.args) else each.model_copy(update={"args": "{}"}) for each in reply.calls
    ]
    text = cut(reply.text)
    if text == reply.text and calls == reply.calls:
        return reply
    return reply.model_copy(update={"text": text, "calls": calls, "raw": None})


def _is_record(args: str) -> bool:
    if len(args) > LONGEST_TOLD:
        return False
    try:
        return isinstance(json.loads(args or "{}"), dict)
    except (ValueError, RecursionError):
        return False
