"""The scope of a context: a run that has not started, a run, or a step run."""

from __future__ import annotations

from typing import Any

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.step_runs import idempotency_key, retry_info
from wfc.runtime.errors import ContextStateError
from wfc.runtime.plan.retries import RetryInfo
from wfc.runtime.store.snapshots import StoredRun
from wfc.runtime.values.serializers import BaseSerializer
from wfc.runtime.values.state import StateStore

__all__ = ["Scope", "Unstarted"]


class Unstarted:
    """A placeholder for a run before its start: its initial state, and the stored run to resume, if any."""

    __slots__ = ("state", "store", "stored", "workflow")

    def __init__(self, workflow: RunWorkflow[Any], stored: StoredRun | None = None) -> None:
        self.workflow = workflow
        self.stored = stored
        self.state = workflow._wfc.plan.new_state() if stored is None else stored.state
        self.store: StateStore[Any] = StateStore(self)


class Scope:
    """The run and the step run of a context, and their properties."""

    __slots__ = ("_run", "_serializer", "_step_run")

    _run: Run | Unstarted
    _step_run: StepRun | None
    _serializer: BaseSerializer | None  # of one that was made with it

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
        """The number of this attempt of the step, from 1."""
        return self._inside("attempt").attempt

    @property
    def idempotency_key(self) -> str:
        """The step run's idempotency key: the same in all its attempts, and unique to this step run."""
        return idempotency_key(self._inside("idempotency_key"), self._started("idempotency_key").run_id)

    def retry_info(self) -> RetryInfo:
        """Return data about the attempts of this step run so far."""
        return retry_info(self._inside("retry_info"), self._started("retry_info").now())

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
