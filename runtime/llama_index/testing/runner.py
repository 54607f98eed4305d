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
    """What a run showed, and what it came to.

    Args:
        collected: The events of its stream, in order.
        event_types: How many of each class are among them.
        result: What awaiting the handler gave.
        ctx: The run's context, for its state.
    """

    collected: list[Event]
    event_types: dict[type[Event], int]
    result: Any
    ctx: Context[Any]


class WorkflowTestRunner:
    """Runs a workflow in a test and keeps what its stream shows."""

    def __init__(self, workflow: Workflow) -> None:
        self._workflow = workflow

    async def run(
        self,
        start_event: StartEvent | None = None,
        ctx: Context[Any] | None = None,
        expose_internal: bool = True,
        exclude_events: list[type[Event]] | None = None,
    ) -> WorkflowTestResult:
        """Runs it to its end.

        Args:
            start_event: ``None``: the workflow's own, without any inputs.
            ctx: A context to go on with.
            expose_internal: Whether to keep what happens inside too, ``InternalDispatchEvent`` s.
            exclude_events: Classes of events not to keep; subclasses of them are kept.

        Raises:
            WorkflowError: What the run failed with.
        """
        handler = self._workflow.run(ctx=ctx, start_event=start_event)
        dropped = set(exclude_events or ())
        stream = handler.stream_events(expose_internal=expose_internal)
        collected = [event async for event in stream if type(event) not in dropped]
        result = await handler
        return WorkflowTestResult(collected, dict(Counter(map(type, collected))), result, handler.ctx)
