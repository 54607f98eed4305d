"""The context of a step: state, events, the stream, and calls of models, tools and services."""

from __future__ import annotations

import warnings
from collections.abc import AsyncGenerator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.context.described_calls import DescribedCalls
from wfc.runtime.driver.context.scope import Unstarted
from wfc.runtime.driver.current_step import CURRENT_STEP
from wfc.runtime.driver.former_names import FormerName
from wfc.runtime.driver.loops import call_and_block
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.touching import edit
from wfc.runtime.errors import ContextStateError, WorkflowCancelledByUser, WorkflowRuntimeError
from wfc.runtime.events import Event, StopEvent
from wfc.runtime.plan.inputs import ContextBase
from wfc.runtime.store.serializers import JsonSerializer, PickleSerializer
from wfc.runtime.store.snapshots import read_run, write_state
from wfc.runtime.values.serializers import BaseSerializer
from wfc.runtime.values.state import KeptStateStore, StateStore

if TYPE_CHECKING:
    # a bare `Context` means any state; `typing` knows defaults of type variables from Python 3.13 on
    from typing_extensions import TypeVar as TypeVarWithDefault

    S = TypeVarWithDefault("S", default=Any)
else:
    S = TypeVar("S")

__all__ = ["BaseSerializer", "Context", "JsonSerializer", "PickleSerializer", "StepContext", "Unstarted"]


class Context(DescribedCalls, ContextBase, Generic[S]):
    """The view of a run for its steps and for its caller.

    ``Context(workflow)`` creates one before the run, for its state; ``workflow.run(ctx=…)`` continues with
    it.
    """

    __slots__ = ()

    if not TYPE_CHECKING:
        get = FormerName("await ctx.store.get(…)")
        set = FormerName("await ctx.store.set(…)")
        data = FormerName("ctx.store")
        lock = FormerName("async with ctx.store.edit_state() as state")

    def __init__(
        self,
        workflow: RunWorkflow[Any],
        previous_context: Mapping[str, Any] | None = None,
        serializer: BaseSerializer | None = None,
    ) -> None:
        """Create a context for a run that is to be started.

        Args:
            previous_context: A snapshot to resume; see ``from_dict``.
            serializer: The serializer of ``to_dict`` for values of undeclared classes; by default the
                workflow's.

        Raises:
            SnapshotError: The snapshot is damaged, or of another workflow or version of it.
        """
        self._serializer = serializer
        self._run = Unstarted(workflow)
        self._step_run = None
        if previous_context is not None:
            self._run = self._stored_in(workflow, previous_context)

    def _stored_in(self, workflow: RunWorkflow[Any], data: Mapping[str, Any]) -> Unstarted:
        serializer = self._serializer or workflow._wfc.serializer
        found = Unstarted(workflow, read_run(workflow._wfc.name, workflow._wfc.plan, data, serializer))
        if found.stored is not None and found.stored.execution is None:
            found.stored = None  # only a state
        return found

    def __repr__(self) -> str:
        run = self._run
        where = f"Context of {run.workflow._wfc.plan.owner}"
        if isinstance(run, Unstarted):
            return f"<{where}, before its run>"
        if self._step_run is not None:
            return f"<{where}, run {run.run_id}, step `{self._step_run.step.name}`>"
        return f"<{where}, run {run.run_id}, {'over' if run.is_done else 'running'}>"

    def attach(self, run: Run) -> None:
        """Attach the context to a run, for use from outside its steps."""
        self._run = run
        self._step_run = None

    def to_dict(
        self, serializer: BaseSerializer | None = None, *, include_state: bool = True
    ) -> dict[str, Any]:
        """Return a snapshot: the run with its active and waiting work as JSON data; if it is over, its state.

        For a run ended by ``cancel_run``, it is the run as it was before, so that it can be resumed.

        Its cost depends on the active work, and not on the run's history. Active steps begin again when the
        run is resumed; completed ones do not.

        Args:
            serializer: Writes values of classes that the workflow does not declare; see ``JsonSerializer``.
            include_state: Whether to include the state.

        Raises:
            SnapshotError: A value cannot be written as JSON.
            ContextStateError: It is a step's own context: an active step has no state that could be stored.
        """
        run = self._run
        serializer = serializer or getattr(self, "_serializer", None) or run.workflow._wfc.serializer
        if self._step_run is not None:
            raise ContextStateError("inside a step there is no snapshot; the handler's context gives one")
        if not isinstance(run, Unstarted):
            if run.kept is not None and isinstance(run.execution.outcome, WorkflowCancelledByUser):
                return run.kept.to_dict(serializer, include_state=include_state)
            return call_and_block(run.loop, partial(run.snapshot, serializer, include_state=include_state))
        name, plan = run.workflow._wfc.name, run.workflow._wfc.plan
        data = write_state(name, plan, run.state if include_state else None, serializer)
        return data if run.stored is None else {**run.stored.data, "state": data["state"]}

    @classmethod
    def from_dict(
        cls, workflow: RunWorkflow[Any], data: Mapping[str, Any], serializer: BaseSerializer | None = None
    ) -> Context[S]:
        """Return the context of a snapshot; ``workflow.run(ctx=…)`` resumes its run, under its id.

        Args:
            serializer: A serializer like the one that wrote the snapshot.

        Raises:
            SnapshotError: The snapshot is damaged, or of another workflow or version of it.
        """
        made = cls(workflow, None, serializer)
        made._run = made._stored_in(workflow, data)
        return made

    @staticmethod
    def get_step_context() -> Context[Any]:
        """Return the context of the running step, for functions called by it that are not passed the context.

        Raises:
            WorkflowRuntimeError: The function is called outside of a step.
        """
        current = CURRENT_STEP.get(None)
        run = None if current is None else current.run
        if current is None or not isinstance(run, Run) or current.step_run is None:
            raise WorkflowRuntimeError("`get_step_context` can only be called inside a step")
        return StepContext(run, current.step_run)

    @property
    def store(self) -> StateStore[S]:
        """The run's state."""
        run = self._run
        if isinstance(run, Unstarted) or run.port is None:
            return run.store
        return KeptStateStore(run.execution, run.store.editing, partial(edit, run, self._step_run))

    @property
    def is_running(self) -> bool:
        """Return whether the run has started and is not over; also true for a stored run to be resumed."""
        run = self._run
        if isinstance(run, Unstarted):
            known = None if run.stored is None else run.stored.execution
            return known is not None and known.outcome is None
        return not run.is_done

    def get_result(self) -> Any:
        """Return the run's result, the same as awaiting its handler. Deprecated: await the handler.

        Raises:
            ContextStateError: The run has not started, or this is a step's own context.
            WorkflowRuntimeError: The run is not over, or has failed (then the error that it failed with).
        """
        warnings.warn(
            "`get_result` of a context is deprecated: await the handler", DeprecationWarning, stacklevel=2
        )
        run = self._started("get_result")
        if self._step_run is not None:
            raise ContextStateError("inside a step there is no result yet; the handler gives it")
        if not run.is_done:
            raise WorkflowRuntimeError(
                f"the run {run.run_id} is not over, so it has no result: await its handler"
            )
        event = run.future.result()
        return event.result if type(event) is StopEvent else event

    async def running_steps(self) -> list[str]:
        """Return the names of the active steps."""
        return self._started("running_steps").active_steps()

    def stream_events(self) -> AsyncGenerator[Event, None]:
        """Return the published and the internal events; see ``WorkflowHandler.stream_events``."""
        return self._started("stream_events").watchers.inner_stream().read()


class StepContext(Context[Any]):
    """The context of one step run."""

    __slots__ = ()

    def __init__(
        self, run: Run, step_run: StepRun
    ) -> None:  # its own, and lean: one is made for each step run
        self._run = run
        self._step_run = step_run
