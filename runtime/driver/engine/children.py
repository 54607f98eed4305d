"""Children: runs of other workflows that a run starts, waits for, and takes with it when it is over."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from wfc.runtime.core.execution import NONE
from wfc.runtime.core.step_runs import Path, StepRun
from wfc.runtime.core.ticks import PauseFailed, PauseResolved
from wfc.runtime.driver.engine.messages import read_as
from wfc.runtime.errors import (
    InvalidMessageError,
    RunUnknownError,
    StepError,
    WorkflowCancelledByUser,
    WorkflowError,
    WorkflowTimeoutError,
    step_error,
)
from wfc.runtime.events import Event, StartEvent, StopEvent, event_name

if TYPE_CHECKING:
    from wfc.runtime.core.effects import StartChild
    from wfc.runtime.driver.context import Context
    from wfc.runtime.driver.run import Run
    from wfc.runtime.plan.pauses import Child
    from wfc.runtime.workflow import Workflow

__all__ = [
    "ChildRun",
    "Parent",
    "asker_of",
    "parts_of",
    "start_child",
    "start_inside",
    "stop_all",
    "stop_child",
    "stop_children_of",
]

DEEPEST = 100
"""How many runs may be parts of each other: more is a workflow that starts itself without end."""


class Parent(NamedTuple):
    """What a run knows of the one that started it.

    Args:
        run_id: Its id.
        workflow: Its workflow's name.
        step: The step that started this run.
        number: Of that step run.
        path: Of that step run, in its batches.
        depth: How many runs are above this one.
    """

    run_id: str
    workflow: str
    step: str
    number: int
    path: Path
    depth: int


class ChildRun(NamedTuple):
    """A run that is part of another one, and the number of the step run that it is for."""

    run: Run
    number: int


# --- by a pause


def start_child(run: Run, want: StartChild) -> None:
    """Starts the run that a step run has paused for; its end comes back as a tick."""
    child, number = want.child, want.number
    step_run = run.execution.paused[number].run
    run_id = f"{run.run_id}/{step_run.step.name}/{number}"
    if want.attempt > 1:
        run_id += f".{want.attempt}"
    try:
        workflow = _workflow_of(run, child.workflow)
        made = _parked(run, run_id, workflow)
        if made is None:
            made = _prepare_below(workflow, _start_event(workflow, child.inputs), run_id, run, number)
        admitted = run.engine.admit(_relate(made, run, step_run, is_attached=not child.detach))
    except WorkflowError as error:
        run.take(PauseFailed(number, step_error(error)))
    else:
        if child.detach:
            run.take(PauseResolved(number, admitted.run_id))
        else:
            _wait(run, number, child, admitted)


def _parked(run: Run, run_id: str, workflow: Workflow) -> Run | None:
    """A run that was part of this one when it was written down, and goes on with it.

    Raises:
        SnapshotError: What was written is damaged, or of another workflow.
    """
    if run_id not in run.parked:
        return None
    from wfc.runtime.store.resuming import resumed

    found = resumed(workflow, run.parked[run_id])
    run.parked = {known: data for known, data in run.parked.items() if known != run_id}
    return found.make_run(workflow, run_id, None, {}, engine=run.engine, clock=run.clock)


def _prepare_below(workflow: Workflow, start: StartEvent, run_id: str, run: Run, number: int) -> Run:
    """A run whose span is below that of the step run that starts it."""
    span = run.trace.span_of(number) if run.trace is not None else None
    if span is None:
        return workflow.prepare(start_event=start, run_id=run_id, engine=run.engine, clock=run.clock)
    tokens = span.activate()
    try:
        return workflow.prepare(start_event=start, run_id=run_id, engine=run.engine, clock=run.clock)
    finally:
        span.deactivate(tokens)


def _wait(run: Run, number: int, child: Child[Any], admitted: Run) -> None:
    mine = ChildRun(admitted, number)
    _register(run, number, mine)

    def ended(_: object) -> None:
        error = admitted.future.exception()
        if run.children.get(number) is not mine:
            return  # it was stopped
        _unregister(run, number)
        try:
            if error is not None:
                raise _failure(admitted, error)
            run.take(PauseResolved(number, _end_as_declared(admitted, admitted.future.result(), child)))
        except StepError as failure:
            run.take(PauseFailed(number, failure))

    admitted.future.add_done_callback(ended)


def stop_child(run: Run, number: int) -> None:
    """Cancels the run that a step run has paused for."""
    found = run.children.get(number)
    if found is not None:
        _unregister(run, number)
        _stop(run, found)


def _workflow_of(run: Run, workflow: Any) -> Workflow:
    if isinstance(workflow, str):
        try:
            return run.engine.workflow(workflow, beside=type(run.workflow))
        except RunUnknownError as error:
            raise StepError("workflow.unknown", str(error)) from None
    return workflow(engine=run.engine) if isinstance(workflow, type) else workflow  # type: ignore[no-any-return]


def _start_event(workflow: Workflow, inputs: Mapping[str, object] | StartEvent) -> StartEvent:
    kind = workflow.start_event_class
    if type(inputs) is kind:
        return inputs
    data = inputs.model_dump(by_alias=True) if isinstance(inputs, StartEvent) else inputs
    try:
        return read_as(kind, data, f"the inputs of `{workflow.workflow_name}`")
    except InvalidMessageError as error:
        raise StepError("workflow.inputs", str(error)) from None


def _end_as_declared(admitted: Run, end: StopEvent, child: Child[Any]) -> Event:
    """The end event as the class that the parent has for it.

    Raises:
        StepError: It has none, or the event does not fit.
    """
    name = admitted.workflow.workflow_name
    if not child.ends:
        return end
    for kind in child.ends:
        if type(end) is kind:
            return end
        if event_name(kind) == event_name(end):
            try:
                found: Event = read_as(kind, end.model_dump(by_alias=True), event_name(end))
            except InvalidMessageError as error:
                raise StepError("workflow.failed", f"the workflow `{name}` ended, but {error}") from None
            return found
    raise StepError(
        "workflow.failed", f"the workflow `{name}` ended with {event_name(end)}, which nobody has declared"
    )


def _failure(admitted: Run, error: BaseException) -> StepError:
    kind = "failed"
    if isinstance(error, WorkflowTimeoutError):
        kind = "timeout"
    elif isinstance(error, WorkflowCancelledByUser):
        kind = "cancelled"
    name = admitted.workflow.workflow_name
    said = {"failed": "failed", "timeout": "took too long", "cancelled": "was cancelled"}[kind]
    failure = StepError(f"workflow.{kind}", f"the workflow `{name}` {said}: {error}")
    failure.__cause__ = error
    return failure


# --- by injection


def start_inside(
    workflow: Workflow,
    run: Run,
    step_run: StepRun,
    run_id: str | None,
    start_event: StartEvent | None,
    inputs: Mapping[str, Any],
    ctx: Context[Any] | None = None,
) -> Run:
    """Starts a run from the body of a step.

    Raises:
        WorkflowError: See ``Workflow.run``.
    """
    if run_id is None:
        before = getattr(step_run, "started_runs", 0)
        step_run.started_runs = before + 1
        run_id = f"{run.run_id}/{step_run.step.name}/{step_run.number}" + (f".{before + 1}" if before else "")
    made = _parked(run, run_id, workflow)
    if made is None:
        made = workflow.prepare(ctx, start_event, run_id, inputs, engine=run.engine, clock=run.clock)
    admitted = run.engine.admit(_relate(made, run, step_run, is_attached=True))
    if admitted is made:
        _register(run, run_id, ChildRun(made, step_run.number))

        def ended(_: object) -> None:
            made.future.exception()  # whoever awaits the handler is told; nobody has to
            _unregister(run, run_id)

        made.future.add_done_callback(ended)
    return admitted


def stop_children_of(run: Run, step_run: StepRun) -> None:
    """Cancels the runs that a step run has started: it is over without a result."""
    for known_as, child in list(run.children.items()):
        if child.number == step_run.number:
            _unregister(run, known_as)
            _stop(run, child)


def stop_all(run: Run) -> None:
    """Cancels all that is part of a run."""
    children, run.children = run.children, NONE
    for child in children.values():
        _stop(run, child)


# --- kinship


def _relate(made: Run, run: Run, step_run: StepRun, *, is_attached: bool) -> Run:
    depth = 1 + (run.parent.depth if run.parent is not None else 0)
    if depth > DEEPEST:
        raise StepError("workflow.failed", f"{DEEPEST} runs have started each other: this would never end")
    made.parent = Parent(
        run.run_id, run.workflow.workflow_name, step_run.step.name, step_run.number, step_run.path, depth
    )
    if is_attached:
        made.above = run
        if run.execution.observed:
            made.watchers.look_inside()
    return made


def _register(run: Run, known_as: int | str, child: ChildRun) -> None:
    if run.children is NONE:
        run.children = {}
    run.children[known_as] = child


def _unregister(run: Run, known_as: int | str) -> None:
    child = run.children.pop(known_as, None)
    if child is not None and (asked := _asked_in(child.run)):
        run.asked_below = {**run.asked_below, **asked}


def _stop(run: Run, child: ChildRun) -> None:
    if child.run.above is run and not child.run.is_done:
        child.run.cancel(f"the run that it is part of, {run.run_id}, does not want it any more")
        child.run.future.add_done_callback(lambda future: future.exception())  # it is known


def parts_of(run: Run) -> Iterator[Run]:
    """The live runs that a run has started and that are part of it."""
    return (child.run for child in list(run.children.values()) if child.run.above is run)


def _asked_in(run: Run) -> dict[str, frozenset[str]]:
    """The numbers of the step runs that have asked a question, of a run and of those below it, by run id."""
    found = {**run.asked_below}
    if run.execution.asked_for:
        found[run.run_id] = frozenset(map(str, run.execution.asked_for))
    for part in parts_of(run):
        found |= _asked_in(part)
    return found


def asker_of(run: Run, question: str) -> Run | None:
    """Who has asked a question: the run, or one below it; ``None`` if that one is over."""
    if run.asked_below:
        head, _, number = question.rpartition("/")
        if number in run.asked_below.get(head.rpartition("/")[0], ()):
            return None
    for part in parts_of(run):
        if question.startswith(f"{part.run_id}/"):
            return asker_of(part, question)
    return run
