"""The inner state of a workflow object, and what its runs need of it."""

from __future__ import annotations

import copy
import inspect
import os
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import ValidationError

from wfc.runtime.authoring.definition import Definition, WorkflowDefinition, definition_of
from wfc.runtime.authoring.resource import ResourceManager, try_configs, try_resources
from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.calls.settings import read_config
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.context import Context, StepContext, Unstarted
from wfc.runtime.driver.engine import Engine, default_engine
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.former_names import stop_former_arguments
from wfc.runtime.driver.gates import Gate
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.watchers import print_step
from wfc.runtime.errors import (
    ContextStateError,
    InvalidValueError,
    RunUnknownError,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
    WorkflowValidationError,
)
from wfc.runtime.events import Event, RunConfig, StartEvent, event_name
from wfc.runtime.plan import Plan
from wfc.runtime.plan.flow_checks import FLOW_CHECKS, check_flow
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["WorkflowInternals"]


class WorkflowInternals:
    """What a workflow object was made with, and what its runs need of it.

    It does not know the object itself, so that copies of the object are workflows of their own.

    ``context_for`` is the class itself of its step runs' contexts, since many steps are given one.

    Args:
        kind: The object's class.

    Raises:
        WorkflowConfigurationError: ``skip_graph_checks`` names a check that does not exist.
    """

    context_for = StepContext

    def __init__(
        self,
        kind: type[WorkflowDefinition],
        *,
        timeout: float | None,
        is_validated: bool,
        verbose: bool,
        resource_manager: ResourceManager | None,
        num_concurrent_runs: int | None,
        workflow_name: str | None,
        skip_graph_checks: Collection[str] | None,
        engine: Engine | None,
        serializer: BaseSerializer | None,
        stream_limit: int | None,
    ) -> None:
        self.kind = kind
        self.definition: Definition = definition_of(kind)  # of the class
        self.timeout = timeout
        self.is_validated = is_validated
        self.verbose = verbose
        self.serializer = serializer
        self.stream_limit = stream_limit
        self.gate = None if num_concurrent_runs is None else Gate(num_concurrent_runs)
        self.caller: tuple[Run, StepRun] | None = None  # the step that the object was given to
        self.parts: dict[str, Any] = {}  # the workflows for parameters of its steps
        self._resource_manager = resource_manager
        self._workflow_name = workflow_name
        self._engine = engine
        self._skips = frozenset(skip_graph_checks or ())
        if unknown := self._skips - FLOW_CHECKS:
            raise WorkflowConfigurationError(
                f"`skip_graph_checks` knows {', '.join(sorted(FLOW_CHECKS))}, not {', '.join(sorted(unknown))}"
            )

    @property
    def plan(self) -> Plan:
        """The plan of the class's steps."""
        return self.definition.plan

    @property
    def run_rules(self) -> RunRules:
        """What the class declares about its runs."""
        return self.definition.run_rules

    @property
    def is_part(self) -> bool:
        """Whether runs are nothing but the actions of steps of other runs."""
        return self.definition.is_part

    @property
    def name(self) -> str:
        """The workflow's name: the one given to the constructor or in the spec, or the class's full name."""
        kind = self.kind
        return self._workflow_name or self.definition.name or f"{kind.__module__}.{kind.__qualname__}"

    @property
    def resource_manager(self) -> ResourceManager:
        """The manager of the resources that the steps use."""
        if self._resource_manager is None:
            self._resource_manager = ResourceManager()
        return self._resource_manager

    @property
    def engine(self) -> Engine:
        """The engine of the workflow's runs."""
        return default_engine() if self._engine is None else self._engine

    def events(self) -> list[type[Event]]:
        """Return all event classes that the steps accept or emit."""
        steps = self.plan.steps
        return list(dict.fromkeys(event for step in steps for event in (*step.accepts, *step.emits)))

    def read_config(self) -> RunConfig | None:
        """Read the config from environment variables and the project's settings.

        Raises:
            SettingsError: A value is missing or does not fit.
        """
        config = self.definition.config
        return None if config is None else read_config(config, settings_folder(self.kind))

    def validate(self, *, resource_configs: bool = True, resources: bool = False) -> None:
        """Check the flow of events, and what else the steps need; see ``Workflow.validate``.

        Raises:
            WorkflowValidationError: Something is wrong or missing.
        """
        plan = self.plan
        if not plan.is_checked:
            check_flow(plan, self._skips)
            plan.is_checked = not self._skips
        asked = [(step.name, one) for step in plan.steps for one in step.resources]
        found = try_configs(asked) if resource_configs else []
        if resources:
            found += try_resources(asked)
        if found:
            raise WorkflowValidationError(f"resources of {plan.owner} are not to be had: " + "; ".join(found))
        for name in plan.workflows:
            self.part(name)

    # --- other workflows that its steps use

    def add_parts(self, workflows: Mapping[str, WorkflowDefinition]) -> None:
        """Set the workflows for step parameters of these names; see ``Workflow.add_workflows``.

        Raises:
            WorkflowValidationError: No step has such a parameter, or the workflow is of another class.
        """
        wanted = self.plan.workflows
        for name, workflow in workflows.items():
            if name not in wanted:
                raise WorkflowValidationError(f"no step of {self.kind.__name__} has a parameter `{name}`")
            if not isinstance(workflow, wanted[name].kind):
                raise WorkflowValidationError(
                    f"`{name}` must be a {wanted[name].kind.__name__}, not {type(workflow).__name__}"
                )
        self.parts.update(workflows)

    def part(self, name: str) -> Any:
        """Return the workflow for a step's parameter of that name; ``None`` if that is its default.

        Raises:
            WorkflowValidationError: There is no such workflow.
        """
        if name in self.parts:
            return self.parts[name]
        default = self.plan.workflows[name].default
        if default is not inspect.Parameter.empty:
            return default
        try:
            return self.engine.workflow(name, beside=self.kind)
        except RunUnknownError:
            raise WorkflowValidationError(
                f"a step of {self.kind.__name__} wants the workflow `{name}`: `add_workflows({name}=…)`"
            ) from None

    def part_for(self, run: Run, step_run: StepRun, name: str) -> Any:
        """Return the workflow for a step's parameter; its runs are then parts of the step's run."""
        workflow = self.part(name)
        if workflow is None:
            return None  # the parameter's default
        bound = copy.copy(workflow)
        internals = copy.copy(workflow._wfc)
        internals.caller = run, step_run
        object.__setattr__(bound, "_wfc", internals)
        return bound

    # --- runs

    def prepare(
        self,
        workflow: RunWorkflow[Run],
        ctx: Context[Any] | None = None,
        start_event: StartEvent | None = None,
        run_id: str | None = None,
        inputs: Mapping[str, Any] | None = None,
        **options: Any,
    ) -> Run:
        """Return a run that has not begun, for an engine to admit.

        Args:
            workflow: The object that these internals are of.
            options: The arguments of ``Run``.

        Raises:
            InvalidValueError: ``start_event`` is not a start event; the error is also a ``ValueError``.
            WorkflowRuntimeError: See ``Workflow.run``, also for the next error.
            ContextStateError: The context's run is not over.
        """
        if not self.is_validated:
            self.validate()
            self.is_validated = True
        stored = state = None
        if ctx is not None:
            before = self._before(ctx)
            if isinstance(before, Unstarted):
                stored, state = before.stored, before.state
            else:
                state = before.execution.state
        if stored is None:
            start = self._start_event(start_event, inputs or {})
            if state is not None:
                options["state"] = state
            made = Run(workflow, start, run_id or os.urandom(16).hex(), **options)
        elif stored.execution is not None and (start_event is not None or inputs):
            raise ContextStateError("the run of this context goes on where it was, so it takes no inputs")
        else:
            made = Run.going_on(workflow, stored, run_id, **options)
        if self.verbose:
            made.watchers.observe(print_step)
        return made

    def start_inside(
        self,
        workflow: StartableWorkflow,
        ctx: Context[Any] | None,
        start_event: StartEvent | None,
        run_id: str | None,
        inputs: Mapping[str, Any],
    ) -> Run:
        """Start a run from the step that the workflow was given to; see ``Workflow.run``.

        Args:
            workflow: The object that these internals are of.
        """
        assert self.caller is not None
        above = self.caller[0]
        engine = above.engine
        assert isinstance(engine, Engine)

        def prepare(known_as: str) -> Run:
            return self.prepare(
                workflow, ctx, start_event, known_as, inputs, engine=engine, clock=above.clock
            )

        return engine.start_inside(workflow, self.caller, run_id, prepare)

    def _before(self, ctx: Context[Any]) -> Run | Unstarted:
        """Return the run that a context is of, with which a new run goes on.

        Raises:
            ContextStateError: It is not over, or of another workflow.
        """
        before = ctx._run
        if ctx._step_run is not None or not (isinstance(before, Unstarted) or before.is_done):
            raise ContextStateError(
                "this context's run is not over, so no other can go on with it: leave `ctx` out, or "
                "make one of its own by `Context(workflow)`"
            )
        plan = before.workflow._wfc.plan
        if plan is not self.plan:
            raise ContextStateError(
                f"this context is of {plan.owner}, and a run of {self.kind.__name__} cannot go on with "
                f"it: make one by `Context(workflow)`, and pass on what it needs of the other's state as inputs"
            )
        return before

    def _start_event(self, given: StartEvent | None, inputs: Mapping[str, Any]) -> StartEvent:
        """Return the event to start with: the one that was given, or one made of the inputs."""
        if given is not None:
            if not isinstance(given, StartEvent):
                raise InvalidValueError("`start_event` must be a StartEvent")
            if not self.plan.acceptors(type(given)):
                raise WorkflowRuntimeError(f"no step accepts {event_name(given)}, so it cannot start a run")
            return given
        kind = self.definition.plan.start_class
        if inputs:
            stop_former_arguments(inputs, kind)
        try:
            return kind(**inputs)
        except ValidationError as error:
            raise WorkflowRuntimeError(
                f"{event_name(kind)} cannot be made of these inputs: {error}"
            ) from error
