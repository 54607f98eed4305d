"""The definition of a workflow by its class: keywords, steps, and the table built from them once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar

from wfc.runtime.authoring.class_reader import read_plan
from wfc.runtime.authoring.run_rules import RunFunction, RunRules
from wfc.runtime.authoring.step_functions import StepFunction
from wfc.runtime.errors import WorkflowValidationError
from wfc.runtime.events import RunConfig
from wfc.runtime.plan import Plan
from wfc.runtime.plan.inputs import WorkflowBase
from wfc.runtime.plan.run_rules import RUN_EXITS, Limits, Receives, WhenRunning

__all__ = ["WorkflowDefinition"]


class WorkflowDefinition(WorkflowBase):
    """The definition of a workflow by class keywords and decorated methods; see ``Workflow``."""

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
    _rules: ClassVar[RunRules | None] = None

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
        cls._table = cls._rules = None
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

    @classmethod
    def table(cls) -> Plan:
        """Return the table of the class's steps, which is built once.

        Raises:
            WorkflowValidationError: A signature cannot be read.
        """
        table = cls.__dict__.get("_table")
        if table is None:
            received = tuple(one.event for one in cls._receives)
            rules = cls._run_rules()
            table = cls._table = read_plan(
                cls.__name__,
                cls._written_steps(),
                is_generated=cls._name is not None,
                received=received,
                limits=rules.limits,
                computes_bounds=rules.bounds is not None,
                exits={name: rules.functions[name] for name in RUN_EXITS if name in rules.functions},
            )
        return table

    _plan = table  # which a step or an attribute of that name does not hide, as below

    @classmethod
    def _run_rules(cls) -> RunRules:
        """Return what the class declares about its runs, which is read once.

        Raises:
            WorkflowValidationError: The declarations contradict each other.
        """
        found: RunRules | None = cls.__dict__.get("_rules")
        if found is None:
            functions: dict[str, RunFunction] = {}
            for owner in reversed(cls.__mro__):
                functions.update(
                    (value.what, value) for value in vars(owner).values() if isinstance(value, RunFunction)
                )
            found = cls._rules = RunRules(
                cls.__name__, functions, cls._when_running, cls._limits, cls._receives
            )
        return found

    @classmethod
    def steps(cls) -> dict[str, StepFunction[Any, Any]]:
        """Return the steps as defined, by name: inherited ones first, in the order of their classes."""
        found: dict[str, StepFunction[Any, Any]] = {}
        for owner in reversed(cls.__mro__):
            for name, value in vars(owner).items():
                if isinstance(value, StepFunction):
                    found[name] = value
                else:
                    found.pop(name, None)  # overridden by something that is no step
            found.update(owner.__dict__.get("_steps", {}))
        return found

    _written_steps = steps

    @classmethod
    def add_step(cls, function: StepFunction[Any, Any]) -> None:
        """Make a decorated free function a step of this class.

        Raises:
            WorkflowValidationError: The class already has a step of that name.
        """
        if not isinstance(function, StepFunction):
            raise WorkflowValidationError(f"`{getattr(function, '__name__', function)}` lacks `@step`")
        if function.__name__ in cls._written_steps():
            raise WorkflowValidationError(f"{cls.__name__} already has a step `{function.__name__}`")
        if "_steps" not in cls.__dict__:
            cls._steps = {}
        cls._steps[function.__name__] = function
        cls._table = None
