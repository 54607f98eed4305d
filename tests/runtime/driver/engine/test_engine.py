"""What an engine knows of its runs and workflows, and for how long."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from keyed_flows import Order, keyed

from wfc.runtime import (
    Engine,
    Event,
    Receives,
    RunExistsError,
    RunUnknownError,
    StopEvent,
    Workflow,
    WorkflowConfigurationError,
    WorkflowValidationError,
    default_engine,
    run_key,
    runs_per,
    step,
)
from wfc.runtime.calls.sibling_modules import sibling_module

Virtually = Callable[[Callable[[], Any]], Any]


class Paid(Event):
    order_id: str = ""


def test_a_run_id_is_one_run_s_only(virtually: Virtually) -> None:
    class Plain(Workflow):
        @step
        async def work(self, ev: Order) -> StopEvent:
            await asyncio.sleep(1)
            return StopEvent()

    async def main() -> None:
        first = Plain(engine=engine).run(run_id="x")
        with pytest.raises(RunExistsError, match="'x' is not over"):
            Plain(engine=engine).run(run_id="x")
        other = Plain(engine=Engine()).run(run_id="x")  # another engine's runs are nobody we know
        await first
        await other
        assert engine.has_ended("x")
        await Plain(engine=engine).run(run_id="x")

    engine = Engine()
    virtually(main)


def test_how_many_ended_runs_an_engine_remembers_is_bounded(virtually: Virtually, monkeypatch: Any) -> None:
    monkeypatch.setattr("wfc.runtime.driver.engine.REMEMBERED", 3)
    engine = Engine()
    made = keyed("reject")(engine=engine)

    async def main() -> None:
        for number in range(5):
            await made.run(run_id=f"r{number}", order_id=number)

    virtually(main)
    assert [number for number in range(5) if engine.has_ended(f"r{number}")] == [4]
    assert engine.has_ended((made.workflow_name, "4"))


def test_runs_whose_loop_was_closed_hold_nothing() -> None:
    engine = Engine()

    class Idle(Workflow, when_running="reject", receives=(Receives(Paid),)):
        @run_key
        def key(self, inputs: Order) -> str:
            return "k"

        @step
        async def begin(self, ev: Order) -> None:
            return None

        @step
        async def end(self, ev: Paid) -> StopEvent:
            return StopEvent()

    async def main() -> None:
        Idle(engine=engine, timeout=None).run()
        await asyncio.sleep(0.01)

    asyncio.run(main())
    asyncio.run(main())  # the first one's run waits in a loop that is no more
    assert len(engine._runs) == 1


def test_a_contradiction_is_told_of_when_the_workflow_is_made() -> None:
    class NoKey(Workflow, when_running="queue"):
        @step
        async def work(self, ev: Order) -> StopEvent:
            return StopEvent()

    class Closed(Event, closed=True):
        name: str

    class NoField(Workflow, receives=(Receives(Closed, key="order_id"),)):
        @step
        async def work(self, ev: Order) -> StopEvent:
            return StopEvent()

    class Twice(Workflow, receives=(Receives(Paid), Receives(Paid, topic="x"))):
        @step
        async def work(self, ev: Order) -> StopEvent:
            return StopEvent()

    class PerNothing(Workflow):
        @runs_per
        def per(self, inputs: Order) -> str:
            return "x"

        @step
        async def work(self, ev: Order) -> StopEvent:
            return StopEvent()

    cases = [
        (NoKey, "under which key"),
        (NoField, "which it does not have"),
        (Twice, "of the same name"),
        (PerNothing, "concurrent_runs"),
        (keyed("sometimes"), "must be one of"),
    ]
    for flow, said in cases:
        with pytest.raises(WorkflowValidationError, match=said):
            flow()


def test_workflows_are_known_by_name() -> None:
    engine = Engine()
    made = keyed("reject")(workflow_name="orders", engine=engine)
    engine.add(made)
    engine.add(made)
    assert engine.workflow("orders") is made
    with pytest.raises(RunUnknownError, match="no workflow `other`"):
        engine.workflow("other")
    with pytest.raises(WorkflowConfigurationError, match="another workflow"):
        engine.add(keyed("queue"), "orders")
    assert keyed("queue")().engine is default_engine()


GENERATED = """\
from wfc.runtime import StartEvent, StopEvent, Workflow, step

class {class_name}(Workflow, name="{name}", deadline=None, source="{name}.yaml"):
    @step
    async def work(self, ev: StartEvent) -> StopEvent:
        return StopEvent(result="{name}")
"""


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("child", True),
        ("missing", False),
        ("../outside/child", False),
        ("..outside.child", False),
        ("sub.child", False),
        ("misnamed", False),
        ("os", False),
        ("", False),
    ],
)
def test_generated_workflows_find_those_beside_them_and_no_others(
    tmp_path: Path, name: str, found: bool
) -> None:
    folder = tmp_path / "compiled"
    (folder / "sub").mkdir(parents=True)
    (tmp_path / "outside").mkdir()
    for path, called in [
        ("compiled/parent", "parent"),
        ("compiled/child", "child"),
        ("compiled/sub/child", "child"),
        ("compiled/misnamed", "something_else"),
        ("outside/child", "child"),
    ]:
        text = GENERATED.format(class_name="Made", name=called)
        (tmp_path / f"{path}_workflow.py").write_text(text)
    module = sibling_module(folder, "parent_workflow")
    assert module is not None
    parent = module.Made
    engine = Engine()
    if not found:
        with pytest.raises(RunUnknownError):
            engine.workflow(name, beside=parent)
        return
    child = engine.workflow(name, beside=parent)
    assert child.workflow_name == name
    assert child.engine is engine
    assert engine.workflow(name, beside=parent) is child
    with pytest.raises(RunUnknownError):  # a hand-written class has nothing beside it
        engine.workflow(name, beside=keyed("queue"))
    assert "child_workflow" not in sys.modules
