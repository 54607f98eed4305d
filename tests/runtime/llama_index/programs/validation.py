"""Workflows that cannot be run as they are written, and the kinds of errors that say so."""

from typing import Annotated

from workflows import Workflow, catch_error, step
from workflows.collect import Collect, Take
from workflows.errors import WorkflowConfigurationError, WorkflowValidationError
from workflows.events import Event, StartEvent, StepFailedEvent, StopEvent


class Lost(Event):
    pass


class Other(Event):
    pass


def refusals() -> dict:
    def no_steps():
        class Flow(Workflow):
            pass

        return Flow

    def no_start():
        class Flow(Workflow):
            @step
            async def one(self, ev: Lost) -> StopEvent | Lost: ...

        return Flow

    def no_stop():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> None: ...

        return Flow

    def two_starts():
        class Second(StartEvent):
            pass

        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent: ...

            @step
            async def two(self, ev: Second) -> StopEvent: ...

        return Flow

    def never_produced():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent: ...

            @step
            async def two(self, ev: Lost) -> StopEvent: ...

        return Flow

    def never_consumed():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent | Lost: ...

        return Flow

    def unreachable():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent: ...

            @step
            async def two(self, ev: Lost) -> Lost | StopEvent: ...

        return Flow

    def dead_end():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent | Lost: ...

            @step
            async def two(self, ev: Lost) -> Other: ...

            @step
            async def three(self, ev: Other) -> Lost: ...

        return Flow

    def takes_a_stop():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent: ...

            @step
            async def two(self, ev: StopEvent) -> None: ...

        return Flow

    def no_event():
        class Flow(Workflow):
            @step
            async def one(self) -> StopEvent: ...

        return Flow

    def no_return():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent): ...

        return Flow

    def collects_nothing():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> Lost: ...

            @step
            async def two(self, evs: list[Lost]) -> StopEvent: ...

        return Flow

    def two_lists():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> list[Lost | Other]: ...

            @step
            async def two(self, a: list[Lost], b: list[Other]) -> StopEvent: ...

        return Flow

    def union_in_a_join():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> Lost | Other: ...

            @step
            async def two(self, a: Lost | Other, b: Other) -> StopEvent: ...

        return Flow

    def join_over_levels():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> list[Lost]: ...

            @step
            async def other(self, ev: StartEvent) -> Other: ...

            @step
            async def two(self, a: Lost, b: Other) -> StopEvent: ...

        return Flow

    def collect_of_no_list():
        class Flow(Workflow):
            @step
            async def one(self, ev: Annotated[StartEvent, Collect(Take(1))]) -> StopEvent: ...

        return Flow

    def yields():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent:
                yield StopEvent()

        return Flow

    def no_workers():
        class Flow(Workflow):
            @step(num_workers=0)
            async def one(self, ev: StartEvent) -> StopEvent: ...

        return Flow

    def two_handlers_for_all():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent: ...

            @catch_error
            async def two(self, ev: StepFailedEvent) -> StopEvent: ...

            @catch_error
            async def three(self, ev: StepFailedEvent) -> StopEvent: ...

        return Flow

    def handler_of_no_step():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent: ...

            @catch_error(for_steps=["won"])
            async def two(self, ev: StepFailedEvent) -> StopEvent: ...

        return Flow

    def handler_of_something_else():
        class Flow(Workflow):
            @step
            async def one(self, ev: StartEvent) -> StopEvent: ...

            @catch_error
            async def two(self, ev: Lost) -> StopEvent: ...

        return Flow

    return {name: make for name, make in locals().items() if callable(make)}


def accepted(make, **options) -> bool:
    try:
        make()(**options).validate()
        return True
    except (WorkflowValidationError, WorkflowConfigurationError):
        return False


async def main() -> object:
    makers = refusals()
    return [
        [name for name, make in makers.items() if accepted(make)],
        accepted(makers["dead_end"], skip_graph_checks={"dead_end"}),
        accepted(makers["no_steps"], disable_validation=True),
        [accepted(makers["dead_end"], num_concurrent_runs=bad) for bad in (0, -1, True)],
        accepted(makers["dead_end"], skip_graph_checks={"unheard_of"}),
    ]


EXPECTED = [[], True, False, [False, False, False], False]
