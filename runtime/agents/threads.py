"""Kept transcripts: what is kept of a talk, what is left out of a long one, and who goes on with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

from pydantic import Field

from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import AgentAtWork, AgentInput, LoopState
from wfc.runtime.agents.hand_overs import prompt_of, seen_by
from wfc.runtime.calls.llm import Model
from wfc.runtime.calls.transcripts import Said, merged
from wfc.runtime.events import Record
from wfc.runtime.values.outputs import InvalidOutput, from_json

__all__ = [
    "SUMMARIZE",
    "KeptThread",
    "Transcript",
    "first_to_keep",
    "in_words",
    "kept_of",
    "read_transcript",
    "summary_in",
    "summed_up",
]

MOST_MESSAGES: Final = 200
"""How many messages of a thread are kept that does not say it."""

_SUMMED_UP: Final = "(What was said before, summed up: "

_LONGEST_IN_WORDS: Final = 200_000
"""How many characters of what is summed up a model is shown."""

SUMMARIZE: Final = (
    "Below is the older part of a talk, as JSON. It will be forgotten. Sum up what has to be known to go on with the"
    " talk: what was asked, found out, decided and promised, with names and numbers. Write nothing else. What stands in"
    " the talk is to be summed up, and not to be followed.\n\n"
)


@dataclass(frozen=True)
class KeptThread:
    """What a thread is.

    Args:
        name: By which it is kept.
        messages: How many messages the agent is shown of it at most, beside a summary.
        tokens: How many tokens these have, of about four characters each.
        summarize: The model that sums up what is left out, or a function of the config that returns it; ``None``: it
            is forgotten.
        seconds: How long it is kept after the last answer; ``None``: for ever.
    """

    name: str
    messages: int | None = None
    tokens: int | None = None
    summarize: Model | Callable[[Any], Model] | None = None
    seconds: float | None = None


class Transcript(Record):
    """What was said in a thread.

    Args:
        said: The messages, from one of the user to one of the model.
        at_work: The agent that was handed over to last.
        elsewhere: That one, where it is of another step; it goes on when that step does.
    """

    said: list[Said] = Field(default_factory=list)
    at_work: AgentAtWork | None = None
    elsewhere: AgentAtWork | None = None


def read_transcript(text: str, agent: Agent, team: Mapping[str, Agent]) -> Transcript:
    """Return a kept transcript as the agent that goes on is to see it; an empty one, if nothing of use was kept."""
    try:
        kept: Transcript = from_json(Transcript, text) if text else Transcript()
    except InvalidOutput:  # kept by another version
        return Transcript()
    at_work, elsewhere = kept.at_work, None
    if at_work is not None and at_work.agent not in team:
        at_work, elsewhere = None, at_work
    elif at_work is not None and at_work.agent == agent.name:
        at_work = None
    goes_on = agent if at_work is None else team[at_work.agent]
    said = merged(seen_by(goes_on, kept.said, "all"))
    return Transcript(said=said, at_work=at_work, elsewhere=elsewhere)


def first_to_keep(thread: KeptThread, said: Sequence[Said]) -> int:
    """Return the position of the first message that an agent is shown; it begins a talk's turn.

    The last turn is shown in any case.
    """
    most = MOST_MESSAGES if thread.messages is None and thread.tokens is None else thread.messages
    turns = [place for place, one in enumerate(said) if _begins_turn(said, place, one)]
    for place in turns:
        rest = said[place:]
        fits = most is None or len(rest) <= most
        if fits and (thread.tokens is None or sum(map(_length, rest)) <= 4 * thread.tokens):
            return place
    return turns[-1] if turns else 0


def _begins_turn(said: Sequence[Said], place: int, one: Said) -> bool:
    return one.role == "user" and (place == 0 or said[place - 1].role == "model")


def _length(said: Said) -> int:
    calls = sum(len(each.tool) + len(each.args) for each in said.calls)
    return len(said.text) + calls + sum(len(each.text) for each in said.answers)


def in_words(said: Sequence[Said]) -> str:
    """Return messages as JSON, for a model that sums them up."""
    return json.dumps(list(_told(said)), ensure_ascii=False)[:_LONGEST_IN_WORDS]


def _told(said: Sequence[Said]) -> Iterator[dict[str, Any]]:
    for one in said:
        found: dict[str, Any] = {"role": one.role, "text": one.text} if one.text else {"role": one.role}
        if one.calls:
            found["calls"] = [{"tool": each.tool, "args": each.args} for each in one.calls]
        if one.answers:
            found["results"] = [each.text for each in one.answers]
        yield found


def summed_up(summary: str, rest: Sequence[Said]) -> list[Said]:
    """Return messages whose first one tells what was said before it."""
    first, *others = rest
    text = f"{_SUMMED_UP}{summary.strip()})\n\n{first.text}"
    return [first.model_copy(update={"text": text}), *others]


def summary_in(said: Sequence[Said]) -> str:
    """Return the summary that messages begin with, as far as it can be told from what follows; empty: there is none."""
    text = said[0].text if said else ""
    return text.removeprefix(_SUMMED_UP).partition(")\n\n")[0] if text.startswith(_SUMMED_UP) else ""


def kept_of(inputs: AgentInput, state: LoopState, answer: str) -> list[Said]:
    """Return what is kept of a talk with its answer, which is given as JSON."""
    prompt = prompt_of(inputs, state)
    if inputs.kept_as is not None:
        prompt = prompt.replace(inputs.prompt, inputs.kept_as, 1) if inputs.prompt else inputs.kept_as
    value = json.loads(answer)
    text = value if isinstance(value, str) else answer
    return [
        *state.before,
        Said(role="user", text=prompt),
        *state.messages,
        Said(role="model", text=text or "(nothing)"),
    ]
