"""One run in memory from its start to its end: what came out, what was searched, what it cost."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from wfc.compiler.cli.programs import Program
    from wfc.runtime import StartEvent
    from wfc.runtime.events.internal import Searched

__all__ = ["Ran", "run_once"]


class Ran(NamedTuple):
    """A run that is over.

    Args:
        end: The name of the end event; empty if it failed.
        values: The fields of that as plain data.
        error: Why it failed; empty if it did not.
        searches: What its steps have searched, in their order.
        tokens: How many tokens its models have used.
        cost_usd: What that has cost in US dollars, as far as prices are known.
        seconds: How long it took.
    """

    end: str
    values: dict[str, Any]
    error: str
    searches: list[Searched]
    tokens: int
    cost_usd: float
    seconds: float


async def run_once(program: Program, start: StartEvent) -> Ran:
    """Run a workflow; a question that it asks, or an event that it waits for, ends it as a failure."""
    from wfc.runtime import WorkflowError
    from wfc.runtime.driver.engine import default_engine
    from wfc.runtime.events.internal import ModelCalled, Searched
    from wfc.runtime.values.outputs import plain

    for other in program.others:
        default_engine().add(other)
    begun = time.perf_counter()
    searches: list[Searched] = []
    tokens, cost = 0, 0.0
    handler = program.workflow().run(start_event=start)
    try:
        async for event in handler.stream_events(expose_internal=True):
            if isinstance(event, Searched):
                searches.append(event)
            elif isinstance(event, ModelCalled):
                tokens += event.tokens_in + event.tokens_out
                cost += event.cost_usd or 0.0
        ended = await handler
        values: Any = plain(ended)
        name, error = type(ended).__name__, ""
    except WorkflowError as failed:
        name, values, error = "", {}, str(failed)
    seconds = time.perf_counter() - begun
    return Ran(name, dict(values) if isinstance(values, dict) else {}, error, searches, tokens, cost, seconds)
