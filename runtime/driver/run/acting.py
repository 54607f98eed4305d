"""The action of a step run: within its time, with its resources, by a test double, or in a thread."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Mapping
from typing import Any, Protocol

from wfc.runtime.authoring.injection import CallingRun
from wfc.runtime.authoring.resource import Resources
from wfc.runtime.authoring.resource.pools import Pool
from wfc.runtime.calls.standing_time import bounded_by
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run.doubles import Double
from wfc.runtime.driver.run.step_runs import call_safely
from wfc.runtime.errors import StepError
from wfc.runtime.plan.signature import Call
from wfc.runtime.values.spans import span

__all__ = ["ActingRun", "act"]


class ActingRun(CallingRun, Protocol):
    """The interface of a run that actions use."""

    @property
    def doubles(self) -> Mapping[str, Double] | None:
        """The test doubles of step actions, by step name."""

    @property
    def resources(self) -> Resources:
        """The resources that the steps use."""


def act(run: ActingRun, step_run: StepRun) -> Awaitable[Any]:
    """Start the action of a step; waiting for what is returned gives its result.

    Raises:
        StepError: It took longer than it may.
        Exception: The action failed.
    """
    timeout = run.execution.timeout_of(step_run.step)
    return _chosen(run, step_run) if timeout is None else _in_time(run, step_run, timeout)


async def _in_time(run: ActingRun, step_run: StepRun, seconds: float) -> Any:
    try:
        async with asyncio.timeout(seconds) as bound:
            with bounded_by(bound):
                return await _chosen(run, step_run)
    except TimeoutError:
        if bound.expired():
            raise StepError("timeout", f"it took longer than {span(seconds)}") from None
        raise


def _chosen(run: ActingRun, step_run: StepRun) -> Awaitable[Any]:
    """Start the action itself or its test double, which needs no resources."""
    step = step_run.step
    assert step.action is not None
    if run.doubles is not None and (double := run.doubles.get(step.name)) is not None:
        step_run.called = True
        return double(run.context_of(step_run))
    if step.resources:
        return _with_resources(run, step_run, step.action)
    return _perform(run, step_run, step.action)


async def _with_resources(run: ActingRun, step_run: StepRun, action: Call) -> Any:
    fresh = Pool()
    try:
        step_run.resources = await run.resources.for_step(step_run.step.resources, fresh)
        return await _perform(run, step_run, action)
    finally:
        if fresh.has_closers:
            await fresh.close()


def _perform(run: ActingRun, step_run: StepRun, action: Call) -> Awaitable[Any]:
    if step_run.step.is_async:
        performed: Awaitable[Any] = action(run, step_run, None)
        return performed
    return _perform_in_thread(run, step_run, action)


async def _perform_in_thread(run: ActingRun, step_run: StepRun, action: Call) -> Any:
    result, error = await in_thread(call_safely, action, run, step_run)
    if error is not None:
        raise error
    return result
