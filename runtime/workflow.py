"""``Workflow``: a class whose steps are methods, and the objects that start its runs."""

from __future__ import annotations

import inspect
import os
from collections.abc import Collection, Mapping
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import ValidationError

from wfc.runtime.authoring.class_reader import read_plan
from wfc.runtime.authoring.resource import ResourceManager, try_configs, try_resources
from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.authoring.step_functions import StepFunction
from wfc.runtime.driver.context import Context, Unstarted
from wfc.runtime.driver.engine import Engine, default_engine
from wfc.runtime.driver.engine.children import start_inside
from wfc.runtime.driver.engine.gates import Gate
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.watchers import print_step
from wfc.runtime.errors import (
    ContextStateError,
    RunUnknownError,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    WorkflowValidationError,
)
from wfc.runtime.events import Event, RunConfig, StartEvent, StopEvent, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.flow_checks import FLOW_CHECKS, check_ends, check_flow
from wfc.runtime.plan.inputs import WorkflowBase
from wfc.runtime.plan.run_rules import RUN_EXITS, Limits, Receives, WhenRunning

if TYPE_CHECKING:
    from wfc.runtime.core.step_runs import StepRun

__all__ = ["Workflow"]

DEFAULT_TIMEOUT = 45.0

_UNSET: Any = object()


class Workflow(WorkflowBase):
    """A flow of events through steps.

    Subclasses have methods decorated with ``@step``. Generated ones say more in class keywords: ``name``,
    ``config`` (the class of their config), ``deadline`` (seconds) and ``source`` (the spec's file).

    Both kinds may say in class keywords what concerns several runs: ``when_running`` (what a second start under
    a key does, see ``@run_key``), ``limits`` (a ``Limits``) and ``receives`` (a tuple of ``Receives``); and by
    which names paused runs of older versions find their way: ``moved`` (old names of steps and events, with the
    new ones) and ``removed``.

    Args:
        timeout: Seconds for one run; ``None``: no bound. By itself 45, or the deadline of a generated class.
        disable_validation: Whether to leave out the check of the flow of events before the first run.
        verbose: Whether to print what the steps do.
        resource_manager: Keeps what the steps ask for; by itself one of this object's own.
        num_concurrent_runs: How many runs of this object may be under way; further ones wait their turn.
        workflow_name: A name for people, and for other workflows, instead of the class's.
        skip_graph_checks: Checks of the flow to leave out: ``reachability``, ``terminal_event``, ``dead_end``.
        engine: What its runs belong to; ``None``: the process's own.

    Raises:
        WorkflowValidationError: A step's signature is wrong.
        WorkflowConfigurationError: An argument is out of range.
    """

    _steps: ClassVar[dict[str, StepFunction[Any, Any]]]
    _table: ClassVar[Plan | None] = None
    _name: ClassVar[str | None] = None
    _config: ClassVar[type[RunConfig] | None] = None
    _deadline: ClassVar[float | None] = None
    _source: ClassVar[str | None] = None
    _when_running: ClassVar[WhenRunning | None] = None
    _limits: ClassVar[Limits | None] = None
    _receives: ClassVar[tuple[Receives, ...]] = ()
    _moved: ClassVar[Mapping[str, str]] = {}
    _removed: ClassVar[tuple[str, ...]] = ()
    _declared: ClassVar[RunRules | None] = None

    def __init_subclass__(
        cls,
        *,
        name: str | None = None,
        config: type[RunConfig] | None = None,
        deadline: float | None = None,
        source: str | None = None,
        when_running: WhenRunning | None = None,
        limits: Limits | None = None,
        receives: tuple[Receives, ...] | None = None,
        moved: Mapping[str, str] | None = None,
        removed: tuple[str, ...] = (),
        **kwargs: Any,
    ) -> None:
        super().__init_subclass__(**kwargs)
        cls._table = cls._declared = None
        cls._steps = {}
        if when_running is not None:
            cls._when_running = when_running
        if limits is not None:
            cls._limits = limits
        if receives is not None:
            cls._receives = receives
        if moved is not None or removed:
            cls._moved, cls._removed = moved or {}, removed
        if name is not None:
            cls._name, cls._config, cls._deadline, cls._source = name, config, deadline, source

    def __init__(
        self,
        timeout: float | None = _UNSET,
        disable_validation: bool = False,
        verbose: bool = False,
        resource_manager: ResourceManager | None = None,
        num_concurrent_runs: int | None = None,
        workflow_name: str | None = None,
        skip_graph_checks: Collection[str] | None = None,
        engine: Engine | None = None,
    ) -> None:
        if timeout is _UNSET:
            timeout = self._deadline if self._name is not None else DEFAULT_TIMEOUT
        if num_concurrent_runs is not None and (
            isinstance(num_concurrent_runs, bool)
            or not isinstance(num_concurrent_runs, int)
            or num_concurrent_runs < 1
        ):
            raise WorkflowConfigurationError(
                "`num_concurrent_runs` must be an integer greater than 0, or None"
            )
        # a subclass may be a pydantic model too, which takes only private attributes beside its fields
        self._timeout = timeout
        self._workflow_name = workflow_name
        self._verbose = verbose
        self._caller: tuple[Run, StepRun] | None = None  # the step that it was given to
        self._parts: dict[str, Workflow] = {}
        self._gate = None if num_concurrent_runs is None else Gate(num_concurrent_runs)
        self._engine = engine
        self._resource_manager = resource_manager
        self._is_validated = disable_validation
        self._skips = frozenset(skip_graph_checks or ())
        if unknown := self._skips - FLOW_CHECKS:
            raise WorkflowConfigurationError(
                f"`skip_graph_checks` knows {', '.join(sorted(FLOW_CHECKS))}, not {', '.join(sorted(unknown))}"
            )
        table = self.table()  # a signature that cannot be read is told of now
        RunRules.of(type(self))
        if not table.is_checked:
            check_ends(table)

    @property
    def timeout(self) -> float | None:
        """Seconds for one run; ``None``: no bound."""
        return self._timeout

    @property
    def resource_manager(self) -> ResourceManager:
        """Keeps what the steps ask for besides events."""
        if self._resource_manager is None:
            self._resource_manager = ResourceManager()
        return self._resource_manager

    @property
    def workflow_name(self) -> str:
        """What it is called: by its maker, by its spec, or its class's full name."""
        return self._workflow_name or self._name or f"{type(self).__module__}.{type(self).__qualname__}"

    # --- the class

    @classmethod
    def table(cls) -> Plan:
        """The class's steps, read once.

        Raises:
            WorkflowValidationError: A signature cannot be read.
        """
        table = cls.__dict__.get("_table")
        if table is None:
            received = tuple(one.event for one in cls._receives)
            declared = RunRules.of(cls)
            table = cls._table = read_plan(
                cls.__name__,
                cls.steps(),
                is_generated=cls._name is not None,
                received=received,
                limits=declared.limits,
                exits={name: declared.functions[name] for name in RUN_EXITS if name in declared.functions},
            )
        return table

    @classmethod
    def steps(cls) -> dict[str, StepFunction[Any, Any]]:
        """The steps as they are written, by name: inherited ones first, in the order of their classes."""
        found: dict[str, StepFunction[Any, Any]] = {}
        for owner in reversed(cls.__mro__):
            for name, value in vars(owner).items():
                if isinstance(value, StepFunction):
                    found[name] = value
                else:
                    found.pop(name, None)  # overridden by something that is no step
            found.update(owner.__dict__.get("_steps", {}))
        return found

    @classmethod
    def add_step(cls, function: StepFunction[Any, Any]) -> None:
        """Makes a decorated free function a step of this class.

        Raises:
            WorkflowValidationError: The class has a step of that name.
        """
        if not isinstance(function, StepFunction):
            raise WorkflowValidationError(f"`{getattr(function, '__name__', function)}` lacks `@step`")
        if function.__name__ in cls.steps():
            raise WorkflowValidationError(f"{cls.__name__} already has a step `{function.__name__}`")
        if "_steps" not in cls.__dict__:
            cls._steps = {}
        cls._steps[function.__name__] = function
        cls._table = None

    def validate(self, *, validate_resource_configs: bool = True, validate_resources: bool = False) -> bool:
        """Checks the flow of events; whether the workflow asks people for something, or takes their answers.

        Args:
            validate_resource_configs: Whether to read the config files that steps ask for.
            validate_resources: Whether to make the resources that steps ask for, and close them again.

        Raises:
            WorkflowValidationError: An event comes from nowhere or goes nowhere, there is no start or end, or what
                steps ask for is not to be had.
        """
        table = self.table()
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

    @property
    def engine(self) -> Engine:
        """What its runs belong to."""
        return default_engine() if self._engine is None else self._engine

    @property
    def start_event_class(self) -> type[StartEvent]:
        """The event that starts a run."""
        return self.table().start_class

    @property
    def stop_event_class(self) -> type[StopEvent]:
        """The event that ends a run; the first of several."""
        return next(event for event in self.events if issubclass(event, StopEvent))

    @property
    def events(self) -> list[type[Event]]:
        """All event classes that the steps accept or emit."""
        steps = self.table().steps
        return list(dict.fromkeys(event for step in steps for event in (*step.accepts, *step.emits)))

    def read_config(self) -> RunConfig | None:
        """The config, from environment variables and the project's settings.

        Raises:
            SettingsError: A value is missing or does not fit.
        """
        if self._config is None:
            return None
        from wfc.runtime.calls.beside import home_of
        from wfc.runtime.calls.settings import read_config

        return read_config(self._config, home_of(type(self)))

    def add_workflows(self, **workflows: Workflow) -> None:
        """Gives workflows to steps that have a parameter of that name, annotated with ``Workflow`` or a subclass.

        What such a step starts with ``run()`` is a part of its own run: shown in its stream, asked through its
        handler, cancelled with it. A parameter that nothing is given for takes its default, or what the engine
        knows by that name.

        Raises:
            WorkflowValidationError: No step has such a parameter, or it is of another class.
        """
        wanted = self.table().workflows
        for name, workflow in workflows.items():
            if name not in wanted:
                raise WorkflowValidationError(f"no step of {type(self).__name__} has a parameter `{name}`")
            if not isinstance(workflow, wanted[name].kind):
                raise WorkflowValidationError(
                    f"`{name}` must be a {wanted[name].kind.__name__}, not {type(workflow).__name__}"
                )
        self._parts.update(workflows)

    def part(self, name: str) -> Workflow | None:
        """The workflow for a step's parameter of that name; ``None`` where that is its default.

        Raises:
            WorkflowValidationError: There is none.
        """
        if name in self._parts:
            return self._parts[name]
        default = self.table().workflows[name].default
        if default is not inspect.Parameter.empty:
            return default  # type: ignore[no-any-return]
        try:
            return self.engine.workflow(name, beside=type(self))
        except RunUnknownError:
            raise WorkflowValidationError(
                f"a step of {type(self).__name__} wants the workflow `{name}`: `add_workflows({name}=…)`"
            ) from None

    # --- runs

    def run(
        self,
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        **inputs: Any,
    ) -> WorkflowHandler:
        """Starts a run in the running event loop, and returns at once.

        Args:
            ctx: A context to go on with: its state is the run's; one from a snapshot goes on with its run.
            start_event: The event to start with; or its fields by name in ``inputs``.
            run_id: A name for the run; by itself a fresh one.

        Raises:
            WorkflowValidationError: An event comes from nowhere or goes nowhere, or there is no start or end.
            WorkflowRuntimeError: The start event cannot be made of ``inputs``, or no step accepts it.
            ContextStateError: The context's run is not over.
            RunExistsError: A run of this id is not over, or one of its key, which shall not have two.
        """
        if self._caller is not None:
            run = start_inside(self, *self._caller, run_id, start_event, inputs, ctx)
            admitted = run
        else:
            run = self.prepare(ctx, start_event, run_id, inputs)
            if self._verbose:
                run.watchers.observe(print_step)
            admitted = self.engine.admit(run)
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
        """A run that has not begun, for an engine to admit.

        Args:
            options: Of ``Run``.

        Raises:
            WorkflowRuntimeError: See ``run``, as for the next.
            ContextStateError: The context's run is not over.
        """
        if not self._is_validated:
            self.validate()
            self._is_validated = True
        state = None
        if ctx is not None:
            if ctx._step_run is not None or ctx.is_running:
                raise ContextStateError("this context's run is not over, so no other can go on with it")
            before = ctx._run
            if isinstance(before, Unstarted) and before.resumed is not None:
                return before.resumed.make_run(self, run_id, start_event, inputs or {}, **options)
            state = before.state if isinstance(before, Unstarted) else before.execution.state
        if start_event is None:
            start_event = self._start_event(inputs or {})
        elif not isinstance(start_event, StartEvent):
            raise WorkflowRuntimeError("`start_event` must be a StartEvent")
        elif not self.table().acceptors(type(start_event)):
            raise WorkflowRuntimeError(f"no step accepts {event_name(start_event)}, so it cannot start a run")
        return Run(self, start_event, run_id or os.urandom(16).hex(), state=state, **options)

    def _start_event(self, inputs: Mapping[str, Any]) -> StartEvent:
        kind = self.start_event_class
        try:
            return kind(**inputs)
        except ValidationError as error:
            raise WorkflowRuntimeError(
                f"{event_name(kind)} cannot be made of these inputs: {error}"
            ) from error
