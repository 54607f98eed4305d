"""Where a context stands: before a run, in one, or in one of its steps."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import Future
from typing import TYPE_CHECKING, Any, TypeVar

from wfc.runtime.driver import about
from wfc.runtime.errors import ContextStateError
from wfc.runtime.plan.retries import RetryInfo
from wfc.runtime.values.state import StateStore

if TYPE_CHECKING:
    from wfc.runtime.core.step_runs import StepRun
    from wfc.runtime.driver.run import Run
    from wfc.runtime.store.resuming import Resumed
    from wfc.runtime.workflow import Workflow

__all__ = ["Standing", "Unstarted"]

T = TypeVar("T")


class Unstarted:
    """What stands for the run before there is one: the state to begin with."""

    __slots__ = ("resumed", "state", "store", "workflow")

    def __init__(self, workflow: Workflow, resumed: Resumed | None = None) -> None:
        self.workflow = workflow
        self.resumed = resumed  # what it goes on with
        self.state = type(workflow).table().new_state() if resumed is None else resumed.state
        self.store: StateStore[Any] = StateStore(self)


class Standing:
    """The run and the step run that a context is of, and what is known of them."""

    __slots__ = ("_run", "_step_run")

    _run: Run | Unstarted
    _step_run: StepRun | None

    @property
    def run_id(self) -> str:
        """The run's id."""
        return self._started("run_id").run_id

    @property
    def step_name(self) -> str:
        """The name of the step that this context belongs to."""
        return self._inside("step_name").step.name

    @property
    def attempt(self) -> int:
        """Which attempt of the step this is, from 1."""
        return self._inside("attempt").attempt

    @property
    def idempotency_key(self) -> str:
        """The same in every attempt of this step run, and in no other step run."""
        return about.key_of(self._started("idempotency_key"), self._inside("idempotency_key"))

    def retry_info(self) -> RetryInfo:
        """How the attempts of this step run went so far."""
        return about.retry_info(self._started("retry_info"), self._inside("retry_info"))

    def _started(self, what: str) -> Run:
        run = self._run
        if isinstance(run, Unstarted):
            raise ContextStateError(
                f"`{what}` needs a run, and this one has not started: `workflow.run(ctx=…)`"
            )
        return run

    def _inside(self, what: str) -> StepRun:
        if self._step_run is None:
            raise ContextStateError(f"`{what}` can only be used inside a step")
        return self._step_run

    def _in_loop(self, function: Callable[..., T], *arguments: Any) -> T:
        """Calls in the run's event loop, also from the thread of a step that is a plain function."""
        loop = self._started("this").loop
        if asyncio._get_running_loop() is loop:
            return function(*arguments)

        outcome: Future[T] = Future()

        def call() -> None:
            try:
                outcome.set_result(function(*arguments))
            except BaseException as error:
                outcome.set_exception(error)

        loop.call_soon_threadsafe(call)  # no coroutine, which a loop that ends meanwhile would leave behind
        return outcome.result()
