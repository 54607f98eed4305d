"""``Workflow``: a class whose steps are methods, and the objects that start its runs."""

from __future__ import annotations

import asyncio
from collections.abc import Collection, Mapping
from typing import Any

from wfc.runtime.authoring.definition import WorkflowDefinition, definition_of
from wfc.runtime.authoring.options import check_options, check_step_names
from wfc.runtime.authoring.replaceable import ReplaceableProperty
from wfc.runtime.authoring.resource import ResourceManager
from wfc.runtime.driver.context import Context
from wfc.runtime.driver.engine import Engine
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.internals import WorkflowInternals
from wfc.runtime.driver.run.stream import DEFAULT_STREAM_LIMIT
from wfc.runtime.errors import NoEventLoopError, WorkflowRuntimeError
from wfc.runtime.events import Event, StartEvent, StopEvent
from wfc.runtime.plan.flow_checks import check_ends
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

    _wfc: WorkflowInternals

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
        definition = definition_of(type(self))
        if timeout is DEFAULT_TIMEOUT and definition.name is not None:
            timeout = definition.deadline
        check_options(timeout, num_concurrent_runs, stream_limit, runtime)
        internals = WorkflowInternals(
            type(self),
            timeout=timeout,
            is_validated=disable_validation,
            verbose=verbose,
            resource_manager=resource_manager,
            num_concurrent_runs=num_concurrent_runs,
            workflow_name=workflow_name,
            skip_graph_checks=skip_graph_checks,
            engine=engine,
            serializer=serializer,
            stream_limit=stream_limit,
        )
        object.__setattr__(self, "_wfc", internals)  # whatever else a subclass does with its attributes
        plan = definition.plan  # a signature that cannot be read is told of now
        if not plan.is_checked:
            check_ends(plan)
            if definition.name is None:  # the compiler knows which names it cannot give
                check_step_names(definition, Workflow)

    def __repr__(self) -> str:
        names = ", ".join(step.name for step in definition_of(type(self)).plan.steps)
        return f"<{type(self).__name__} with the steps {names}>"

    @ReplaceableProperty
    def serializer(self) -> BaseSerializer | None:
        """The default serializer of values of undeclared classes in snapshots."""
        return self._wfc.serializer

    @ReplaceableProperty
    def timeout(self) -> float | None:
        """The number of seconds that a run may take; ``None``: no limit."""
        return self._wfc.timeout

    @ReplaceableProperty
    def resource_manager(self) -> ResourceManager:
        """The manager of the resources that the steps use."""
        return self._wfc.resource_manager

    @ReplaceableProperty
    def workflow_name(self) -> str:
        """The workflow's name: the one given to the constructor or in the spec, or the class's full name."""
        return self._wfc.name

    @ReplaceableProperty
    def engine(self) -> Engine:
        """The engine of the workflow's runs."""
        return self._wfc.engine

    @ReplaceableProperty
    def start_event_class(self) -> type[StartEvent]:
        """The class of the event that starts a run."""
        return self._wfc.plan.start_class

    @ReplaceableProperty
    def stop_event_class(self) -> type[StopEvent]:
        """The class of the event that ends a run; the first one if there are several."""
        return next(event for event in self._wfc.events() if issubclass(event, StopEvent))

    @ReplaceableProperty
    def events(self) -> list[type[Event]]:
        """All event classes that the steps accept or emit."""
        return self._wfc.events()

    def validate(self, *, validate_resource_configs: bool = True, validate_resources: bool = False) -> bool:
        """Check the flow of events; return whether the workflow asks people for input or takes their answers.

        Args:
            validate_resource_configs: Whether to read the config files that steps use.
            validate_resources: Whether to create the resources that steps use, and close them again.

        Raises:
            WorkflowValidationError: An event comes from nowhere or goes nowhere, there is no start or end, or
                a resource of a step is not available.
        """
        self._wfc.validate(resource_configs=validate_resource_configs, resources=validate_resources)
        return self._wfc.plan.asks

    def add_workflows(self, **workflows: Workflow) -> None:
        """Set the workflows for step parameters of these names, annotated with ``Workflow`` or a subclass.

        A run that such a step starts with ``run()`` is a part of its own run: its events are shown in that
        run's stream, its questions are asked through that run's handler, and it is cancelled with that run. A
        parameter that is not given takes its default, or the engine's workflow of that name.

        Raises:
            WorkflowValidationError: No step has such a parameter, or the workflow is of another class.
        """
        self._wfc.add_parts(workflows)

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
        own = self._wfc
        if args or ctx is not None:
            _check_arguments(own, ctx, args)
        try:
            if own.caller is None:
                run = own.prepare(self, ctx, start_event, run_id, inputs)
                engine = run.engine
                assert isinstance(engine, Engine)
                admitted = engine.admit(run)
            else:
                _check_loop(type(self).__name__)  # else the step's run would note a run that cannot start
                run = admitted = own.start_inside(self, ctx, start_event, run_id, inputs)
        except RuntimeError:
            _check_loop(type(self).__name__)  # only now: a run asks for the loop anyway, and asking is slow
            raise
        if admitted is run and ctx is not None:
            ctx.attach(run)
        # else it has joined that other one
        return WorkflowHandler(admitted, ctx if admitted is run else None)


def _check_loop(name: str) -> None:
    """Check that an event loop is running; ``name`` is that of the workflow's class.

    Raises:
        NoEventLoopError: None is.
    """
    if asyncio._get_running_loop() is None:
        raise NoEventLoopError(
            f"`run` starts a run in the running event loop, and there is none: write `async def main(): "
            f"return await {name}().run(…)`, and call `asyncio.run(main())`"
        ) from None


def _check_arguments(own: WorkflowInternals, ctx: Any, args: tuple[Any, ...]) -> None:
    """Check the arguments of ``run`` that are given by position.

    Raises:
        WorkflowRuntimeError: Inputs are among them.
    """
    if args or not (ctx is None or isinstance(ctx, Context)):
        first = next(iter(own.plan.start_class.model_fields), "topic")
        raise WorkflowRuntimeError(
            "`ctx` takes a Context, and not its snapshot: `Context.from_dict(workflow, snapshot)` makes one of it"
            if isinstance(ctx, Mapping)
            else f"`run` takes inputs by name, as in `run({first}=…)`; by position it takes a Context"
        )
