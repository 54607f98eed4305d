"""What older programs for llama-index-workflows write is refused with what to write instead."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from wfc.runtime import Context, StartEvent, StopEvent, Workflow, WorkflowRuntimeError, step

Virtually = Callable[[Callable[[], Any]], Any]


class Flow(Workflow):
    @step
    async def only(self, ctx: Context, ev: StartEvent) -> StopEvent:
        return StopEvent(result=ev.get("stepwise"))


@pytest.mark.parametrize(
    ("name", "instead"),
    [("get", r"await ctx\.store\.get"), ("set", r"await ctx\.store\.set"), ("data", r"ctx\.store")],
)
def test_what_a_context_had_is_refused_with_what_to_write(name: str, instead: str) -> None:
    context = Context(Flow())
    with pytest.raises(AttributeError, match=rf"a context has no `{name}` any more: write `{instead}"):
        getattr(context, name)
    assert not hasattr(context, "nonsense")


@pytest.mark.parametrize(
    ("argument", "instead"), [("stepwise", "run_step"), ("checkpoint_callback", "to_dict")]
)
def test_what_run_took_is_refused_with_what_to_write(
    virtually: Virtually, argument: str, instead: str
) -> None:
    async def main() -> None:
        with pytest.raises(WorkflowRuntimeError, match=rf"no argument `{argument}`: .*{instead}"):
            Flow().run(**{argument: True})  # type: ignore[arg-type]

    virtually(main)


def test_a_start_event_may_have_a_field_of_such_a_name(virtually: Virtually) -> None:
    class Begin(StartEvent):
        stepwise: bool

    class Own(Workflow):
        @step
        async def only(self, ev: Begin) -> StopEvent:
            return StopEvent(result=ev.stepwise)

    async def main() -> Any:
        return await Own().run(stepwise=True)

    assert virtually(main) is True


def test_a_child_that_is_verbose_prints_its_steps(capsys: pytest.CaptureFixture[str]) -> None:
    class Parent(Workflow):
        @step
        async def call(self, ev: StartEvent, child: Flow) -> StopEvent:
            return StopEvent(result=await child.run())

    async def main() -> None:
        parent = Parent()
        parent.add_workflows(child=Flow(verbose=True))
        await parent.run()

    asyncio.run(main())
    assert capsys.readouterr().out == "Running step only on StartEvent\nStep only produced StopEvent\n"
