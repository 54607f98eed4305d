"""Hand-overs: another agent goes on in place of the one at work, with what it was given and what it may see."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import AgentAtWork, AgentInput, CallDone, LoopState, ToolCallResult
from wfc.runtime.calls.transcripts import Said, in_words, merged
from wfc.runtime.driver.run.step_runs import expression_error
from wfc.runtime.errors import WorkflowError

__all__ = [
    "bound_in",
    "first_to_go_on",
    "given_to",
    "go_on",
    "hand_over",
    "instructions_in",
    "prompt_of",
    "said_before",
    "seen_by",
    "told_of_hand_overs",
]


def prompt_of(inputs: AgentInput, state: LoopState) -> str:
    """Return what the transcript begins with."""
    return inputs.prompt if state.prompt is None else state.prompt


def said_before(inputs: AgentInput, state: LoopState) -> list[Said]:
    """Return what was said before the prompt: in the thread, or as whoever has called the agent says."""
    if not inputs.history or state.at_work is not None:
        return state.before
    roles: Mapping[str, Literal["user", "model"]] = {"user": "user", "assistant": "model"}
    said = [Said(role=roles[each.role], text=each.content) for each in inputs.history if each.role in roles]
    return begun_by_user(merged(each for each in said if each.text.strip()))


def begun_by_user(said: list[Said]) -> list[Said]:
    """Return messages of which a user says the first one, as some providers want it."""
    if said and said[0].role != "user":
        return [Said(role="user", text="(What was said before is left out.)"), *said]
    return said


def instructions_in(inputs: AgentInput, state: LoopState) -> str:
    """Return the instructions that stand in the history."""
    if state.at_work is not None:
        return ""
    return "\n\n".join(each.content for each in inputs.history if each.role == "system")


def given_to(inputs: AgentInput, state: LoopState) -> Mapping[str, Any]:
    """Return the arguments of the agent at work, as JSON data."""
    return inputs.args if state.at_work is None else state.at_work.args


def bound_in(agent: Agent, tool: str, inputs: AgentInput, state: LoopState) -> Mapping[str, Any]:
    """Return the arguments of a call that the model of the agent at work does not choose."""
    known = agent.by_name.get(tool)
    if known is None:
        return {}
    if known.hand_over:
        given = given_to(inputs, state)
        return {name: given[name] for name in known.bound if name in given}
    bound = inputs.bound if state.at_work is None else state.at_work.bound
    return bound.get(known.name, {})


def hand_over(agent: Agent, args: object, config: object) -> CallDone:
    """Return what a hand-over comes to, if no other one of its reply came before it.

    Raises:
        ExpressionError: What the agent is given cannot be worked out.
    """
    try:
        asked = agent.asked(args, config)
    except WorkflowError:
        raise
    except Exception as error:
        raise expression_error(error) from error
    return CallDone(text=f"{agent.name} goes on", goes_on=AgentAtWork(agent=agent.name, **asked))


def first_to_go_on(said: Said, results: Iterable[ToolCallResult]) -> AgentAtWork | None:
    """Return the agent that goes on after a turn: of several, the one that the model has named first."""
    found = {each.id: each.goes_on for each in results if each.goes_on is not None}
    return next((found[each.id] for each in said.calls if each.id in found), None)


def told_of_hand_overs(results: Iterable[ToolCallResult], going_on: AgentAtWork | None) -> dict[str, str]:
    """Return what stands in the transcript of hand-overs that another one came before, by their ids."""
    if going_on is None:
        return {}
    said = f"Not done: {going_on.agent} goes on already."
    return {each.id: said for each in results if each.goes_on not in (None, going_on)}


def go_on(agent: Agent, asked: AgentAtWork, inputs: AgentInput, state: LoopState) -> None:
    """Let an agent go on, with as much of the transcript as it is to see."""
    before = [*said_before(inputs, state), Said(role="user", text=prompt_of(inputs, state)), *state.messages]
    seen = list(seen_by(agent, before, agent.sees))
    first, *others = merged([*seen, Said(role="user", text=asked.prompt)])
    state.prompt, state.messages, state.before = first.text, others, []
    state.at_work = asked


def seen_by(agent: Agent, said: Sequence[Said], sees: str) -> Iterable[Said]:
    """Yield what an agent sees of a transcript; without tools of its own it is told of calls in words.

    Providers refuse calls in a transcript where no tools are offered, and signed parts of another model.
    """
    if sees == "nothing":
        return
    for one in said:
        if sees == "all" and agent.offered:
            yield one.model_copy(update={"raw": None})
            continue
        text = in_words(one) if sees == "all" else one.text
        if text:
            yield Said(role="model" if one.role == "model" else "user", text=text)
