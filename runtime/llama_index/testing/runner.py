"""``workflows.testing.runner``: a run from its start to its end, with all that its stream showed."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import Any

from wfc.runtime.driver.context import Context
from wfc.runtime.events import Event, StartEvent
from wfc.runtime.workflow import Workflow

__all__ = ["WorkflowTestResult", "WorkflowTestRunner"]


@dataclass
class WorkflowTestResult:
    """The stream and the result of a run.

    Args:
        collected: The events of its stream, in order.
        event_types: The number of events of each class.
        result: The result of awaiting the handler.
        ctx: The run's context, for its state.
    """

    collected: list[Event]
    event_types: dict[type[Event], int]
    result: Any
    ctx: Context[Any]


class WorkflowTestRunner:
    """A runner that runs a workflow in a test and collects the events of its stream."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow

    async def run(
        self,
        start_event: StartEvent | None = None,
        ctx: Context[Any] | None = None,
        expose_internal: bool = True,
        exclude_events: list[type[Event]] | None = None,
    ) -> WorkflowTestResult:
        """Run the workflow to its end.

        Args:
            start_event: ``None``: the workflow's own, without any inputs.
            ctx: A context to continue with.
            expose_internal: Whether to collect internal events too, ``InternalDispatchEvent`` s.
            exclude_events: Classes of events not to collect; their subclasses are collected.

        Raises:
            WorkflowError: The run failed.
        """
        handler = self._workflow.run(ctx=ctx, start_event=start_event)
        dropped = set(exclude_events or ())
        stream = handler.stream_events(expose_internal=expose_internal)
        collected = [event async for event in stream if type(event) not in dropped]
        result = await handler
        return WorkflowTestResult(collected, dict(Counter(map(type, collected))), result, handler.ctx)
