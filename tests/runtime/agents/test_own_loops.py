"""Subclasses of an agent's loop: what they change counts, is recorded once, and is not done again after a crash."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

from careful_agent import careful
from desk_flow import TurnModel, call, calls, in_turn, says

from wfc.runtime import Engine


def model() -> TurnModel:
    find = calls(call("find_order", '{"order_id": "A"}', "a"))
    return TurnModel(in_turn(says("It is lost."), find, says("In Oslo.")))


def test_a_subclass_changes_what_is_asked_told_and_answered() -> None:
    asked = model()
    kind = careful(asked)

    async def main() -> Any:
        return await kind().run(question="Where is A?")

    assert asyncio.run(main()).text == "In Oslo. (desk)"
    assert [each.system for each in asked.asked] == [
        "You know orders. This is turn 1.",
        "Look things up first.",
        "You know orders. This is turn 2.",
    ]
    assert asked.asked[-1].said[-1].answers[0].text == "A is in Oslo"


def test_what_it_has_changed_is_recorded_and_not_worked_out_again(tmp_path: Path) -> None:
    """The run is put to rest after its first turn, and goes on in another engine."""
    asked, store = model(), f"sqlite:///{tmp_path / 'runs.db'}"
    kind = careful(asked)

    async def begin() -> None:
        engine = Engine(store=store)
        handler = kind(engine=engine).run(run_id="r1", question="Where is A?")
        handler.break_at("answer/turn 2")
        await handler.halted()
        await engine.park("r1")
        engine.close()

    async def go_on() -> Any:
        engine = Engine(store=store)
        engine.add(kind)
        handler = await engine.resume("r1")
        handler.go_on()
        return await handler

    asyncio.run(begin())
    assert len(asked.asked) == 2
    assert asyncio.run(go_on()).text == "In Oslo. (desk)"
    assert len(asked.asked) == 3
    assert asked.asked[-1].said[-1].answers[0].text == "A is in Oslo"
