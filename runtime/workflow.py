"""``Workflow``: a class whose steps are methods, and the objects that start its runs."""

from __future__ import annotations

import asyncio
import copy
import inspect
import os
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError

from wfc.runtime.authoring.definition import WorkflowDefinition
from wfc.runtime.authoring.options import check_options, check_step_names
from wfc.runtime.authoring.replaceable import ReplaceableProperty
from wfc.runtime.authoring.resource import ResourceManager, try_configs, try_resources
from wfc.runtime.calls.settings import read_config
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.context import Context, StepContext, Unstarted
from wfc.runtime.driver.engine import Engine, default_engine
from wfc.runtime.driver.former_names import stop_former_arguments
from wfc.runtime.driver.gates import Gate
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.stream import DEFAULT_STREAM_LIMIT
from wfc.runtime.driver.run.watchers import print_step
from wfc.runtime.errors import (
    ContextStateError,
    InvalidValueError,
    NoEventLoopError,
    RunUnknownError,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    WorkflowValidationError,
)
from wfc.runtime.events import Event, RunConfig, StartEvent, StopEvent, event_name
from wfc.runtime.plan.flow_checks import FLOW_CHECKS, check_ends, check_flow
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["Workflow"]

DEFAULT_TIMEOUT = float("45")
"""Known by its identity: a generated class that is given no other time has the deadline of its spec."""


class Workflow(WorkflowDefinition):
    """A flow of events through steps.

    Subclasses have methods decorated with ``@step``. Generated ones are configured by further class keywords:
    ``name``, ``config`` (the class of their config), ``deadline`` (seconds) and ``source`` (the spec's file).

    Both kinds accept class keywords for the relation between runs: ``when_running`` (the effect of a second
    start under a key, see ``@run_key``), ``limits`` (a ``Limits``) and ``receives`` (a tuple of
    ``Receives``); and, for resuming paused runs of older versions, ``moved`` (old names of steps and events,
    with the new ones) and ``removed``.

    Args:
        timeout: Seconds for one run; ``None``: no limit. The default of a generated class is its spec's
            deadline.
        disable_validation: Whether to skip the check of the flow of events before the first run.
        verbose: Whether to print what the steps do.
        resource_manager: The manager of the resources that the steps use; by default a new one for this
            object.
        num_concurrent_runs: The maximum number of active runs of this object; further ones wait in a queue.
        workflow_name: A name for users and for other workflows, instead of the class's name.
        skip_graph_checks: Checks of the flow to skip: ``reachability``, ``terminal_event``, ``dead_end``.
        engine: The engine of its runs; ``None``: the default engine of the process.
        serializer: The serializer of values of undeclared classes in snapshots, used if ``to_dict`` and
            ``from_dict`` are given none.
        stream_limit: The number of events of a run's stream that are kept for later readers; ``None``: all.
        runtime: Only ``None``: other runtimes are llama-index-workflows'.

    Raises:
        WorkflowValidationError: A step's signature is wrong.
        WorkflowConfigurationError: An argument is out of range.
    """

    def __init__(
        self,
        timeout: float | None = DEFAULT_TIMEOUT,
        disable_validation: bool = False,
        verbose: bool = False,
        resource_manager: ResourceManager | None = None,
        num_concurrent_runs: int | None = None,
        workflow_name: str | None = None,
        skip_graph_checks: Collection[str] | None = None,
        engine: Engine | None = None,
        *,
        serializer: BaseSerializer | None = None,
        stream_limit: int | None = DEFAULT_STREAM_LIMIT,
        runtime: None = None,
    ) -> None:
        if timeout is DEFAULT_TIMEOUT and self._name is not None:
            timeout = self._deadline
        check_options(timeout, num_concurrent_runs, stream_limit, runtime)
        # a subclass may be a pydantic model too, which takes only private attributes beside its fields
        self._timeout = timeout
        self._workflow_name = workflow_name
        self._verbose = verbose
        self._caller: tuple[Run, StepRun] | None = None  # the step that it was given to
        self._parts: dict[str, Workflow] = {}
        self._gate = None if num_concurrent_runs is None else Gate(num_concurrent_runs)
        self._engine = engine
        self._serializer = serializer
        self._stream_limit = stream_limit
        self._resource_manager = resource_manager
        self._is_validated = disable_validation
        self._skips = frozenset(skip_graph_checks or ())
        if unknown := self._skips - FLOW_CHECKS:
            raise WorkflowConfigurationError(
                f"`skip_graph_checks` knows {', '.join(sorted(FLOW_CHECKS))}, not {', '.join(sorted(unknown))}"
            )
        table = self._plan()  # a signature that cannot be read is told of now
        self._run_rules()
        if not table.is_checked:
            check_ends(table)
            if self._name is None:  # the compiler knows which names it cannot give
                check_step_names(type(self), Workflow)

    def __repr__(self) -> str:
        names = ", ".join(step.name for step in self._plan().steps)
        return f"<{type(self).__name__} with the steps {names}>"

    @property
    def serializer(self) -> BaseSerializer | None:
        """The default serializer of values of undeclared classes in snapshots."""
        return self._serializer

    @ReplaceableProperty
    def timeout(self) -> float | None:
        """The number of seconds that a run may take; ``None``: no limit."""
        return self._timeout

    @ReplaceableProperty
    def resource_manager(self) -> ResourceManager:
        """The manager of the resources that the steps use."""
        if self._resource_manager is None:
            self._resource_manager = ResourceManager()
        return self._resource_manager

    _manager = resource_manager

    @property
    def workflow_name(self) -> str:
        """The workflow's name: the one given to the constructor or in the spec, or the class's full name."""
        return self._workflow_name or self._name or f"{type(self).__module__}.{type(self).__qualname__}"

    def validate(self, *, validate_resource_configs: bool = True, validate_resources: bool = False) -> bool:
        """Check the flow of events; return whether the workflow asks people for input or takes their answers.

        Args:
            validate_resource_configs: Whether to read the config files that steps use.
            validate_resources: Whether to create the resources that steps use, and close them again.

        Raises:
            WorkflowValidationError: An event comes from nowhere or goes nowhere, there is no start or end, or
                a resource of a step is not available.
        """
        table = self._plan()
        if not table.is_checked:
            check_flow(table, self._skips)
            table.is_checked = not self._skips
        asked = [(step.name, one) for step in table.steps for one in step.resources]
        found = try_configs(asked) if validate_resource_configs else []
        if validate_resources:
            found += try_resources(asked)
        if found:
            raise WorkflowValidationError(
                f"resources of {table.owner} are not to be had: " + "; ".join(found)
            )
        for name in table.workflows:
            self.part(name)
        return table.asks

    _validate = validate

    @ReplaceableProperty
    def engine(self) -> Engine:
        """The engine of the workflow's runs."""
        return default_engine() if self._engine is None else self._engine

    _own_engine = engine

    @property
    def start_event_class(self) -> type[StartEvent]:
        """The class of the event that starts a run."""
        return self._plan().start_class

    @property
    def stop_event_class(self) -> type[StopEvent]:
        """The class of the event that ends a run; the first one if there are several."""
        return next(event for event in self.events if issubclass(event, StopEvent))

    @property
    def events(self) -> list[type[Event]]:
        """All event classes that the steps accept or emit."""
        steps = self._plan().steps
        return list(dict.fromkeys(event for step in steps for event in (*step.accepts, *step.emits)))

    def read_config(self) -> RunConfig | None:
        """Read the config from environment variables and the project's settings.

        Raises:
            SettingsError: A value is missing or does not fit.
        """
        if self._config is None:
            return None
        return read_config(self._config, settings_folder(type(self)))

    def add_workflows(self, **workflows: Workflow) -> None:
        """Set the workflows for step parameters of these names, annotated with ``Workflow`` or a subclass.

        A run that such a step starts with ``run()`` is a part of its own run: its events are shown in that
        run's stream, its questions are asked through that run's handler, and it is cancelled with that run. A
        parameter that is not given takes its default, or the engine's workflow of that name.

        Raises:
            WorkflowValidationError: No step has such a parameter, or the workflow is of another class.
        """
        wanted = self._plan().workflows
        for name, workflow in workflows.items():
            if name not in wanted:
                raise WorkflowValidationError(f"no step of {type(self).__name__} has a parameter `{name}`")
            if not isinstance(workflow, wanted[name].kind):
                raise WorkflowValidationError(
                    f"`{name}` must be a {wanted[name].kind.__name__}, not {type(workflow).__name__}"
                )
        self._parts.update(workflows)

    def part(self, name: str) -> Workflow | None:
        """Return the workflow for a step's parameter of that name; ``None`` if that is its default.

        Raises:
            WorkflowValidationError: There is no such workflow.
        """
        if name in self._parts:
            return self._parts[name]
        default = self._plan().workflows[name].default
        if default is not inspect.Parameter.empty:
            return default  # type: ignore[no-any-return]
        try:
            found = self._own_engine.workflow(name, beside=type(self))
        except RunUnknownError:
            raise WorkflowValidationError(
                f"a step of {type(self).__name__} wants the workflow `{name}`: `add_workflows({name}=…)`"
            ) from None
        assert isinstance(found, Workflow)
        return found

    # --- what its runs need

    def _context_for(self, run: Run, step_run: StepRun) -> StepContext:
        """Return the context of a step run."""
        return StepContext(run, step_run)

    def _part_for(self, run: Run, step_run: StepRun, name: str) -> Workflow | None:
        """Return the workflow for a step's parameter; its runs are then parts of the step's run."""
        workflow = self.part(name)
        if workflow is None:
            return None  # the parameter's default
        bound = copy.copy(workflow)
        bound._caller = run, step_run
        return bound

    # --- runs

    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        *args: Any,
        **inputs: Any,
    ) -> WorkflowHandler[Any]:
        """Start a run in the running event loop, and return its handler at once.

        Args:
            ctx: A context to continue with: the run uses its state; for one from a snapshot, its run is
                resumed.
            start_event: The event to start with; or its fields by name in ``inputs``.
            run_id: An id for the run; by default a new one.
            args: Must be empty; they exist for subclasses that name their inputs.

        Raises:
            WorkflowValidationError: An event comes from nowhere or goes nowhere, or there is no start or end.
            WorkflowRuntimeError: The start event cannot be made of ``inputs``, or no step accepts it.
            NoEventLoopError: The method is not called in a coroutine.
            ContextStateError: The context's run is not over, or belongs to another workflow.
            RunExistsError: A run with this id is not over, or one with its key, which only one run may have.
        """
        self._check_call(ctx, args)
        if self._caller is not None:
            engine = self._caller[0].engine
            assert isinstance(engine, Engine)

            def prepare(known_as: str) -> Run:
                clock = self._caller[0].clock if self._caller is not None else None
                made = self._prepare(ctx, start_event, known_as, inputs, engine=engine, clock=clock)
                if self._verbose:
                    made.watchers.observe(print_step)
                return made

            run = admitted = engine.start_inside(self, self._caller, run_id, prepare)
        else:
            run = self._prepare(ctx, start_event, run_id, inputs)
            if self._verbose:
                run.watchers.observe(print_step)
            admitted = self._own_engine.admit(run)
        if admitted is run and ctx is not None:
            ctx.attach(run)
        # else it has joined that other one
        return WorkflowHandler(admitted, ctx if admitted is run else None)

    def prepare(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        inputs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Run:
        """Return a run that has not begun, for an engine to admit.

        Args:
            options: The arguments of ``Run``.

        Raises:
            InvalidValueError: ``start_event`` is not a start event; the error is also a ``ValueError``.
            WorkflowRuntimeError: See ``run``, also for the next error.
            ContextStateError: The context's run is not over.
        """
        if not self._is_validated:
            self._validate()
            self._is_validated = True
        state = None
        if ctx is not None:
            before = ctx._run
            if ctx._step_run is not None or not (isinstance(before, Unstarted) or before.is_done):
                raise ContextStateError(
                    "this context's run is not over, so no other can go on with it: leave `ctx` out, or "
                    "make one of its own by `Context(workflow)`"
                )
            other = before.workflow
            if other._plan() is not self._plan():
                raise ContextStateError(
                    f"this context is of {other._plan().owner}, and a run of {type(self).__name__} cannot go on with "
                    f"it: make one by `Context(workflow)`, and pass on what it needs of the other's state as inputs"
                )
            if isinstance(before, Unstarted) and before.stored is not None:
                if before.stored.execution is not None and (start_event is not None or inputs):
                    raise ContextStateError(
                        "the run of this context goes on where it was, so it takes no inputs"
                    )
                return Run.going_on(self, before.stored, run_id, **options)
            state = before.state if isinstance(before, Unstarted) else before.execution.state
        if start_event is None:
            start_event = self._start_event(inputs or {})
        elif not isinstance(start_event, StartEvent):
            raise InvalidValueError("`start_event` must be a StartEvent")
        elif not self._plan().acceptors(type(start_event)):
            raise WorkflowRuntimeError(f"no step accepts {event_name(start_event)}, so it cannot start a run")
        run_id = run_id or os.urandom(16).hex()
        return Run(self, start_event, run_id, state=state, **options)

    _prepare = prepare

    def _check_call(self, ctx: Any, args: tuple[Any, ...]) -> None:
        """Reject common mistakes in calls of ``run``.

        Raises:
            NoEventLoopError: No event loop is running.
            WorkflowRuntimeError: Inputs are given by position.
            WorkflowConfigurationError: The class does not call this one's ``__init__``.
        """
        name = type(self).__name__
        if not hasattr(self, "_caller"):
            raise WorkflowConfigurationError(
                f"`{name}.__init__` does not call `super().__init__()`, which every workflow needs"
            )
        if asyncio._get_running_loop() is None:
            raise NoEventLoopError(
                f"`run` starts a run in the running event loop, and there is none: write `async def main(): "
                f"return await {name}().run(…)`, and call `asyncio.run(main())`"
            )
        if args or not (ctx is None or isinstance(ctx, Context)):
            first = next(iter(self.start_event_class.model_fields), "topic")
            raise WorkflowRuntimeError(
                "`ctx` takes a Context, and not its snapshot: `Context.from_dict(workflow, snapshot)` makes one of it"
                if isinstance(ctx, Mapping)
                else f"`run` takes inputs by name, as in `run({first}=…)`; by position it takes a Context"
            )

    def _start_event(self, inputs: Mapping[str, Any]) -> StartEvent:
        kind = self.start_event_class
        stop_former_arguments(inputs, kind.model_fields)
        try:
            return kind(**inputs)
        except ValidationError as error:
            raise WorkflowRuntimeError(
                f"{event_name(kind)} cannot be made of these inputs: {error}"
            ) from error
