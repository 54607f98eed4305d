"""What was said before, as whoever calls an agent tells it."""

from __future__ import annotations

from desk_flow import TurnModel, assert_valid, call, calls, desk, in_turn, says

from wfc.runtime import Model
from wfc.runtime.agents.definition import Agent
from wfc.runtime.agents.events import AgentAtWork, AgentInput, LoopState
from wfc.runtime.agents.hand_overs import go_on, instructions_in, said_before
from wfc.runtime.records import Message
from wfc.runtime.testing import run_virtually


def test_what_was_said_before_comes_before_the_prompt_until_another_goes_on() -> None:
    said = [
        ("system", "Be short."),
        ("assistant", "Hello."),
        ("assistant", ""),
        ("user", "Hi."),
        ("user", "You?"),
    ]
    history = [Message(role=role, content=text) for role, text in said]
    inputs, state = AgentInput(prompt="Where?", history=history), LoopState()
    assert [(one.role, one.text) for one in said_before(inputs, state)] == [
        ("user", "(What was said before is left out.)"),
        ("model", "Hello."),
        ("user", "Hi.\n\nYou?"),
    ]
    assert instructions_in(inputs, state) == "Be short."
    go_on(
        Agent("other", Model("a:b"), sees="said"), AgentAtWork(agent="other", prompt="Go on."), inputs, state
    )
    assert "Hello." in str(state.messages)
    assert (said_before(inputs, state), instructions_in(inputs, state)) == ([], "")


def test_each_turn_is_told_it() -> None:
    model = TurnModel(in_turn(calls(call("nope")), says("done")))
    history = [{"role": "user", "content": "Hi."}, {"role": "assistant", "content": "Hello."}]
    kind = desk(Agent("desk", model), history=[*history, {"role": "system", "content": "Be short."}])

    async def main() -> str:
        return (await kind().run(question="where?")).text

    assert run_virtually(main) == "done"
    for request in model.asked:
        assert_valid(request.said)
        assert [one.text for one in request.said[:3]] == ["Hi.", "Hello.", "where?"]
        assert request.system == "Be kind.\n\nBe short."
