"""A workflow keeps its inner life under one private name, so subclasses may use all others but those documented."""

from __future__ import annotations

import asyncio
import copy
import keyword
from typing import Any

import pytest

from wfc.runtime import Context, Event, StartEvent, StopEvent, Workflow, WorkflowValidationError, step
from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.driver.internals import WorkflowInternals
from wfc.runtime.driver.run import Run

DOCUMENTED = {
    "add_step",
    "add_workflows",
    "engine",
    "events",
    "resource_manager",
    "run",
    "serializer",
    "start_event_class",
    "stop_event_class",
    "timeout",
    "validate",
    "workflow_name",
}
METHODS = {"add_step", "add_workflows", "run", "validate"}

# what the runtime calls things inside, and what it once called attributes of workflows
INSIDE = {
    name.lstrip("_")
    for kind in (Workflow, WorkflowInternals, type(definition_of(Workflow)), Run)
    for name in {*dir(kind), *vars(definition_of(Workflow)), *getattr(kind, "__slots__", ())}
    if not name.startswith("__")
}
OTHERS = set(
    """
    broker_config caller check_call config context_for deadline disable_validation dispatcher gate is_validated limits
    manager moved name own_engine part part_for parts plan prepare read_config receives removed rules run_id run_rules
    runtime skips source start_event state steps store stream_limit table verbose when_running written_steps
    """.split()
)
NAMES = sorted(
    found
    for name in INSIDE | OTHERS
    for found in (name, f"_{name}")
    if found.isidentifier() and not keyword.iskeyword(found) and found not in DOCUMENTED | {"_wfc"}
)


class Middle(Event):
    text: str


class Plain(Workflow):
    """What each of the others does too."""

    @step
    async def first_step(self, ev: StartEvent) -> Middle:
        return Middle(text=ev.get("topic"))

    @step
    async def last_step(self, ctx: Context, ev: Middle) -> StopEvent:
        await ctx.store.set("seen", ev.text)
        return StopEvent(result=ev.text * 2)


async def outcome(workflow: Workflow) -> Any:
    """The result, the state, the stream, and the result of a run that goes on with a snapshot."""
    handler = workflow.run(topic="a")
    shown = [type(event).__name__ async for event in handler.stream_events()]
    result = await handler
    kept = handler.ctx.to_dict()
    again = workflow.run(ctx=Context.from_dict(workflow, kept), topic="b")
    return result, shown, await again, await again.ctx.store.get("seen"), kept["state"]


@pytest.fixture(scope="module")
def expected() -> Any:
    return asyncio.run(outcome(Plain(timeout=9)))


def test_a_workflow_has_only_what_is_documented_and_one_private_name() -> None:
    assert {name for name in dir(Workflow) if not name.startswith("__")} == {*DOCUMENTED, "_wfc"}
    assert set(vars(Plain())) == {"_wfc"}


def test_the_names_that_are_tried_are_many() -> None:
    assert len(NAMES) > 200
    assert {"_engine", "_timeout", "_name", "_config", "table", "prepare", "plan"} <= set(NAMES)


@pytest.mark.parametrize("name", [*NAMES, *sorted(DOCUMENTED - METHODS)])
def test_a_field_may_have_any_name(name: str, expected: Any) -> None:
    class WithField(Plain):
        def __init__(self, **options: Any) -> None:
            setattr(self, name, "before")  # also before the workflow is made
            super().__init__(**options)
            assert getattr(self, name) == "before"
            setattr(self, name, ["mine"])

    workflow = WithField(timeout=9)
    assert asyncio.run(outcome(workflow)) == expected
    assert getattr(workflow, name) == ["mine"]
    assert workflow.validate() is False


@pytest.mark.parametrize("name", [*NAMES, *sorted(DOCUMENTED - METHODS)])
def test_an_attribute_of_the_class_may_have_any_name(name: str, expected: Any) -> None:
    workflow = type("WithAttribute", (Plain,), {name: 7})(timeout=9)
    assert asyncio.run(outcome(workflow)) == expected
    assert getattr(workflow, name) == 7


def as_step(function: Any, name: str) -> Any:
    """The step of that name, as the method of a class would be one."""
    function.__name__ = name
    function.__qualname__ = f"Made.{name}"
    return step(function)


@pytest.mark.parametrize("name", [*NAMES, "engine", "resource_manager", "timeout", "validate"])
def test_a_helper_and_a_step_may_have_any_name(name: str, expected: Any) -> None:
    def helper(self: Any, text: str) -> str:
        return text * 2

    async def last(self: Any, ctx: Context, ev: Middle) -> StopEvent:
        await ctx.store.set("seen", ev.text)
        return StopEvent(result=getattr(self, name)(ev.text))

    async def first(self: Any, ev: StartEvent) -> Middle:
        return Middle(text=ev.get("topic"))

    with_helper = type("WithHelper", (Plain,), {name: helper, "last_step": as_step(last, "last_step")})
    assert asyncio.run(outcome(with_helper(timeout=9))) == expected
    with_step = type("WithStep", (Workflow,), {name: as_step(first, name), "last_step": Plain.last_step})
    assert asyncio.run(outcome(with_step(timeout=9))) == expected


@pytest.mark.parametrize("name", sorted(DOCUMENTED - {"engine", "resource_manager", "timeout", "validate"}))
def test_a_step_that_would_hide_what_is_documented_is_refused(name: str) -> None:
    async def hiding(self: Any, ev: StartEvent) -> StopEvent:
        return StopEvent()

    with pytest.raises(WorkflowValidationError, match=f"every workflow has `{name}` already"):
        type("Hiding", (Workflow,), {name: as_step(hiding, name)})()


def test_copies_of_a_workflow_are_workflows_of_their_own(expected: Any) -> None:
    class Named(Plain):
        greeting = "hello"

        @step
        async def last_step(self, ctx: Context, ev: Middle) -> StopEvent:
            return StopEvent(result=self.greeting)

    original = Named(timeout=9)
    for made in (copy.copy(original), copy.deepcopy(original)):
        made.greeting = "goodbye"
        assert asyncio.run(_result(made)) == "goodbye"
    assert asyncio.run(_result(original)) == "hello"
    assert asyncio.run(outcome(copy.deepcopy(Plain(timeout=9)))) == expected


async def _result(workflow: Workflow) -> Any:
    return await workflow.run(topic="a")


def test_a_base_that_tells_nobody_of_its_subclasses_is_no_hindrance(expected: Any) -> None:
    class Silent:
        def __init_subclass__(cls, **options: Any) -> None:
            """It does not call its ``super()``."""

    class Derived(Silent, Plain):
        pass

    assert asyncio.run(outcome(Derived(timeout=9))) == expected
    assert definition_of(Derived) is not definition_of(Plain)
