"""The start of runs that are parts of others: by a pause of a step run, or from its body."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol
from unicodedata import normalize

from wfc.runtime.core.body_ticks import ChildJoined, ChildStarted
from wfc.runtime.core.effects import StartChild
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import PauseFailed, PauseResolved
from wfc.runtime.driver.engine.child_ends import resolve
from wfc.runtime.driver.messages import read_as
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.children import Parent
from wfc.runtime.driver.run.needs import RunEngine, RunInternals, RunWorkflow
from wfc.runtime.errors import (
    InvalidMessageError,
    RunExistsError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    StepError,
    WorkflowError,
)
from wfc.runtime.errors.raised import step_error
from wfc.runtime.events import StartEvent
from wfc.runtime.plan.pauses import Child
from wfc.runtime.store.crash_points import CRASHES, reach
from wfc.runtime.store.snapshots import read_run

__all__ = ["ChildStarter", "StartableWorkflow"]

DEEPEST = 100
"""How many runs may be parts of each other: more is a workflow that starts itself without end."""


class StartableInternals(RunInternals[Run], Protocol):
    """The inner state of a workflow whose runs an engine starts."""

    def prepare(
        self,
        workflow: RunWorkflow[Run],
        *,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        **options: Any,
    ) -> Run:
        """Return a run that has not begun."""


class StartableWorkflow(Protocol):
    """The interface of workflows whose runs an engine starts."""

    def __init__(self, *, engine: Any = None) -> None: ...

    @property
    def _wfc(self) -> StartableInternals:
        """The workflow's inner state."""


class ChildStarter(RunEngine[Run], Protocol):
    """The part of an engine that starts child runs of other runs."""

    def workflow(self, name: str, beside: type[Any] | None = None, version: str = "") -> StartableWorkflow:
        """Return the workflow of a name."""

    def workflows(self, version: str = "") -> list[StartableWorkflow]:
        """Return the workflows that were added."""

    def admit(self, run: Run) -> Run:
        """Admit a new run; return it, or the existing run that it joins."""

    def run(self, run_id: str) -> Run | None:
        """Return the live run with an id."""

    def await_end(self, run: Run, number: int, run_id: str) -> None:
        """Let a stored run be told of the end of another one, which goes on elsewhere, for its paused step run."""

    def part_of(self, run: Run, run_id: str, workflow: StartableWorkflow) -> Run | None:
        """Return the part that a recovered run had, to go on with it."""

    def start_child(self, run: Run, effect: StartChild) -> None:
        """Start the run that a step run has paused for; its end is reported back as a tick."""
        child, number = effect.child, effect.number
        pause = run.execution.paused[number]
        step_run = pause.run
        if pause.joined and self._rejoin(run, effect, pause.joined):
            return
        run_id = f"{run.run_id}/{step_run.step.name}/{number}"
        if effect.attempt > 1:
            run_id += f".{effect.attempt}"
        try:
            workflow = self._workflow_for(run, _chosen(child))
            made = self.part_of(run, run_id, workflow) or self._parked(run, run_id, workflow)
            if made is not None and made.is_done:  # the run above was cut off before it heard of it
                _resolve_with_end(self, run, number, child, made)
                return
            if made is None:
                start = _start_event(workflow, child.inputs)
                made = self._prepare_below(workflow, start, run_id, run, number)
            related = _relate(made, run, step_run, is_attached=not child.detach)
            if run.breakpoints is not None and related.execution.plan.places is not None:
                related.breaking()
            if run.double_parts is not None and workflow._wfc.is_part:
                run.double_parts(related)
            admitted = self.admit(related)
            if CRASHES:
                reach("child")
        except WorkflowError as error:
            run.take(PauseFailed(number, step_error(error)))
        else:
            if child.detach:
                run.take(PauseResolved(number, admitted.run_id))
            else:
                if admitted is not related or admitted.is_elsewhere:
                    run.take(ChildJoined(number, admitted.run_id))
                if admitted.is_elsewhere:  # it hears the end by its inbox, as it may rest meanwhile
                    admitted.future.add_done_callback(lambda future: future.exception())
                    self.await_end(run, number, admitted.run_id)
                else:
                    _resolve_with_end(self, run, number, child, admitted)

    def _rejoin(self, run: Run, effect: StartChild, run_id: str) -> bool:
        """Let a recovered run wait again for the end of a run that it has joined; return whether that can be."""
        joined = self.run(run_id)
        if joined is not None and joined.loop is run.loop and not joined.is_done:
            _resolve_with_end(self, run, effect.number, effect.child, joined)
        elif run.port is not None:
            self.await_end(run, effect.number, run_id)
        else:
            return False
        return True

    def start_inside(
        self,
        workflow: StartableWorkflow,
        caller: tuple[Run, StepRun],
        run_id: str | None,
        prepare: Callable[[str], Run],
    ) -> Run:
        """Start a run from the body of a step.

        Args:
            caller: The run of the body, and its step run.
            prepare: Creates the run with the given id.

        Raises:
            WorkflowError: See ``Workflow.run``.
        """
        run, step_run = caller
        if run_id is None:
            before = getattr(step_run, "started_runs", 0)
            run.take(ChildStarted(step_run.number))
            run_id = f"{run.run_id}/{step_run.step.name}/{step_run.number}"
            run_id += f".{before + 1}" if before else ""
        known_as = run_id
        kept = self.part_of(run, known_as, workflow) or self._parked(run, known_as, workflow)
        if kept is not None and kept.is_done:
            return kept
        made = kept or prepare(known_as)
        admitted = self.admit(_relate(made, run, step_run, is_attached=True))
        if CRASHES:
            reach("child")
        if admitted is made and not made.is_elsewhere:
            run.add_child(known_as, made, step_run.number)

            def ended(_: object) -> None:
                error = made.future.exception()  # whoever awaits the handler is told; nobody has to
                if isinstance(error, RunLostError | RunParkedError):
                    run.abandon(error)
                run.children.remove(known_as)

            made.future.add_done_callback(ended)
        return admitted

    def _workflow_for(self, run: Run, workflow: Any) -> StartableWorkflow:
        if isinstance(workflow, str):
            try:
                return self.workflow(workflow, beside=type(run.workflow))
            except RunUnknownError as error:
                raise StepError("workflow.unknown", str(error)) from None
        found: StartableWorkflow = workflow(engine=self) if isinstance(workflow, type) else workflow
        return found

    def _parked(self, run: Run, run_id: str, workflow: StartableWorkflow) -> Run | None:
        """Return the stored run that was part of this run when it was stored, to resume it.

        Raises:
            SnapshotError: The stored run is damaged, or belongs to another workflow.
        """
        if run_id not in run.parked:
            return None
        stored = read_run(workflow._wfc.name, workflow._wfc.plan, run.parked[run_id])
        run.parked = {known: data for known, data in run.parked.items() if known != run_id}
        return Run.going_on(workflow, stored, run_id, engine=self, clock=run.clock)

    def _prepare_below(
        self, workflow: StartableWorkflow, start: StartEvent, run_id: str, run: Run, number: int
    ) -> Run:
        """Return a new run whose span is a child of the span of the step run that starts it."""
        span = run.trace.span_of(number) if run.trace is not None else None
        if span is None:
            return workflow._wfc.prepare(
                workflow, start_event=start, run_id=run_id, engine=self, clock=run.clock
            )
        tokens = span.activate()
        try:
            return workflow._wfc.prepare(
                workflow, start_event=start, run_id=run_id, engine=self, clock=run.clock
            )
        finally:
            span.deactivate(tokens)


def _resolve_with_end(engine: ChildStarter, run: Run, number: int, child: Child[Any], admitted: Run) -> None:
    """Resolve a pause when a child run ends."""
    run.add_child(number, admitted, number)

    def ended(_: object) -> None:
        if CRASHES:
            reach("child-ended")
        error = admitted.future.exception()
        if not run.children.has(number, admitted) or run.is_parking:
            return  # it was stopped, or whoever takes it up again looks himself
        if isinstance(error, RunExistsError):  # it was not created after all
            run.children.remove(number)
            run.take(PauseFailed(number, step_error(error)))
        elif not isinstance(error, RunLostError | RunParkedError):
            run.children.remove(number)
            resolve(run, number, child, admitted.workflow, error or admitted.future.result())
        elif run.port is not None and run.execution.paused[number].joined:
            run.children.remove(number)
            engine.await_end(run, number, admitted.run_id)  # it goes on elsewhere, and this one may rest
        else:
            run.abandon(error)  # it goes on elsewhere, and with it what it is a part of

    admitted.future.add_done_callback(ended)


def _chosen(child: Child[Any]) -> Any:
    """Return the workflow that a pause names.

    Raises:
        StepError: Data has chosen it, and it is none of those that may be chosen.
    """
    if not child.only:
        return child.workflow
    name = normalize("NFKC", child.workflow)
    if name not in child.only:
        known = ", ".join(f"`{each}`" for each in child.only)
        raise StepError(
            "workflow.unknown", f"`{name[:200]}` is none of the workflows to choose from: {known}"
        )
    return name


def _start_event(workflow: StartableWorkflow, inputs: Mapping[str, object] | StartEvent) -> StartEvent:
    kind = workflow._wfc.plan.start_class
    if type(inputs) is kind:
        return inputs
    data = inputs.model_dump(by_alias=True) if isinstance(inputs, StartEvent) else inputs
    try:
        return read_as(kind, data, f"the inputs of `{workflow._wfc.name}`")
    except InvalidMessageError as error:
        raise StepError("workflow.inputs", str(error)) from None


def _relate(made: Run, run: Run, step_run: StepRun, *, is_attached: bool) -> Run:
    depth = 1 + (run.parent.depth if run.parent is not None else 0)
    if depth > DEEPEST:
        raise StepError("workflow.failed", f"{DEEPEST} runs have started each other: this would never end")
    made.parent = Parent(
        run.run_id, run.workflow._wfc.name, step_run.step.name, step_run.number, step_run.path, depth
    )
    if is_attached:
        made.above = run
        if run.execution.observed:
            made.look_inside()
    return made
