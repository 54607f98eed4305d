"""Resources that cannot be, told of before anything runs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated, Any

import pytest

from wfc.runtime import (
    Resource,
    StartEvent,
    StopEvent,
    Workflow,
    WorkflowValidationError,
    step,
)


def needs(*resources: Any) -> Any:
    def factory(one: Any, two: Any = None) -> str: ...

    factory.__annotations__ = {
        name: Annotated[str, resource] for name, resource in zip(("one", "two"), resources, strict=False)
    }
    return factory


def test_a_resource_that_needs_itself_is_told_of_when_the_workflow_is_made() -> None:
    first: Any = needs()
    second = needs(Resource(lambda: ""), Resource(first))
    first.__annotations__ = {"one": Annotated[str, Resource(second)]}

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, it: Annotated[str, Resource(first)]) -> StopEvent: ...

    with pytest.raises(WorkflowValidationError, match=r"circular resource dependency: .* → .* → "):
        Flow()


def test_what_lives_longer_cannot_need_what_is_closed_before_it() -> None:
    for_a_run = Resource(lambda: "", per="run")
    for resource in (Resource(needs(for_a_run)), Resource(needs(for_a_run), per="process")):

        class Flow(Workflow):
            @step
            async def start(self, ev: StartEvent, it: Annotated[str, resource]) -> StopEvent: ...

        with pytest.raises(WorkflowValidationError, match="outlives the run"):
            Flow()


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Resource(str, per="day"), "`per` is"),  # type: ignore[arg-type]
        (lambda: Resource(str, cache=False, per="run"), "goes with `cache`"),
        (lambda: Resource(lambda it: it).needs, "needs a value for `it`"),
    ],
)
def test_wrong_resources(make: Callable[[], Any], said: str) -> None:
    with pytest.raises(WorkflowValidationError, match=said):
        make()


def test_a_tail_cannot_wait_for_a_resource() -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> str: ...

        @start.then
        def after(self, ev: StartEvent, result: str, db: Annotated[str, Resource(str)]) -> StopEvent: ...

    with pytest.raises(WorkflowValidationError, match="cannot wait for a resource"):
        Flow()
