"""The definition of a workflow by its class: keywords, steps, and the plan made of them once."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, TypeVar

from wfc.runtime.authoring.class_reader import read_plan
from wfc.runtime.authoring.run_rules import RunFunction, RunRules
from wfc.runtime.authoring.step_functions import StepFunction
from wfc.runtime.errors import WorkflowConfigurationError, WorkflowValidationError
from wfc.runtime.events import RunConfig
from wfc.runtime.plan import Plan, Shows
from wfc.runtime.plan.inputs import WorkflowBase
from wfc.runtime.plan.places import Places
from wfc.runtime.plan.run_rules import RUN_EXITS, Limits, Receives, WhenRunning

__all__ = ["Definition", "WorkflowDefinition", "definition_of"]

T = TypeVar("T")


class Definition:
    """What a workflow class says, by its keywords and its steps.

    Args:
        kind: The class.
        base: The definition of the class that it is derived from, whose keywords it has unless it gives others.
    """

    def __init__(self, kind: type[Any], base: Definition | None) -> None:
        self.kind = kind
        self.name: str | None = base.name if base else None
        self.config: type[RunConfig] | None = base.config if base else None
        self.deadline: float | None = base.deadline if base else None
        self.source: str | None = base.source if base else None
        self.when_running: WhenRunning | None = base.when_running if base else None
        self.limits: Limits | None = base.limits if base else None
        self.receives: tuple[Receives, ...] = base.receives if base else ()
        self.moved: Mapping[str, str] = base.moved if base else {}
        self.removed: tuple[str, ...] = base.removed if base else ()
        self.is_part: bool = base.is_part if base else False
        self.parts: tuple[type[Any], ...] = ()
        self.shows: Shows | None = base.shows if base else None
        self.places: Places | None = base.places if base else None
        self.pays_for: frozenset[str] = base.pays_for if base else frozenset()
        self.added_steps: dict[str, StepFunction[Any, Any]] = {}  # the free functions among its steps

    @cached_property
    def plan(self) -> Plan:
        """The plan of the class's steps, which is made once.

        Raises:
            WorkflowValidationError: A signature cannot be read.
        """
        rules = self.run_rules
        plan = read_plan(
            self.kind.__name__,
            self.steps(),
            is_generated=self.name is not None,
            received=tuple(one.event for one in self.receives),
            limits=rules.limits,
            computes_bounds=rules.bounds is not None,
            exits={name: rules.functions[name] for name in RUN_EXITS if name in rules.functions},
        )
        plan.shows = self.shows
        plan.places = self.places
        plan.pays_for = self.pays_for
        return self._first("plan", plan)

    @cached_property
    def run_rules(self) -> RunRules:
        """What the class declares about its runs, which is read once.

        Raises:
            WorkflowValidationError: The declarations contradict each other.
        """
        functions: dict[str, RunFunction] = {}
        for owner in reversed(self.kind.__mro__):
            functions.update(
                (value.what, value) for value in vars(owner).values() if isinstance(value, RunFunction)
            )
        rules = RunRules(self.kind.__name__, functions, self.when_running, self.limits, self.receives)
        return self._first("run_rules", rules)

    def _first(self, name: str, made: T) -> T:
        """Return what was read first: several threads may ask, and from Python 3.12 on none waits for another."""
        first: T = self.__dict__.setdefault(name, made)
        return first

    def steps(self) -> dict[str, StepFunction[Any, Any]]:
        """Return the steps as defined, by name: inherited ones first, in the order of their classes."""
        found: dict[str, StepFunction[Any, Any]] = {}
        for owner in reversed(self.kind.__mro__):
            for name, value in vars(owner).items():
                if isinstance(value, StepFunction):
                    found[name] = value
                else:
                    found.pop(name, None)  # overridden by something that is no step
            if issubclass(owner, WorkflowDefinition):
                found.update(definition_of(owner).added_steps)
        return found

    def add_step(self, function: StepFunction[Any, Any]) -> None:
        """Make a decorated free function a step of the class.

        Raises:
            WorkflowValidationError: The class already has a step of that name.
        """
        if not isinstance(function, StepFunction):
            raise WorkflowValidationError(f"`{getattr(function, '__name__', function)}` lacks `@step`")
        if function.__name__ in self.steps():
            raise WorkflowValidationError(f"{self.kind.__name__} already has a step `{function.__name__}`")
        self.added_steps[function.__name__] = function
        self.__dict__.pop("plan", None)  # which is read anew


class ClassInternals:
    """The value of a workflow class's only private attribute, ``_wfc``: all other names are free for subclasses.

    Each class gets one of its own when it is first asked for. An object has another value under the same name,
    with what it was made with, in its ``__dict__``, which comes first.
    """

    definition: Definition | None = None

    def __get__(self, owner: object | None, kind: type[Any]) -> Definition:
        """Return the definition of a class.

        Raises:
            WorkflowConfigurationError: It is asked of an object, which then has not been initialised.
        """
        if owner is not None:
            raise WorkflowConfigurationError(
                f"`{type(owner).__name__}.__init__` does not call `super().__init__()`, which every workflow needs"
            )
        if self.definition is not None and self.definition.kind is kind:
            return self.definition
        made = ClassInternals()
        made.definition = Definition(kind, self.definition)
        kind._wfc = made
        return made.definition


def definition_of(kind: type[Any]) -> Definition:
    """Return the definition of a workflow class."""
    found: Definition = kind._wfc
    return found


class WorkflowDefinition(WorkflowBase):
    """The definition of a workflow by class keywords and decorated methods; see ``Workflow``."""

    _wfc: Any = ClassInternals()

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
        is_part: bool = False,
        parts: tuple[type[Any], ...] = (),
        **kwargs: Any,
    ) -> None:
        """Note the keywords of a class.

        Args:
            is_part: Whether its runs are nothing but the actions of steps of others.
            parts: The classes of such runs that its own steps start, so that they are found by name.
        """
        super().__init_subclass__(**kwargs)
        own = definition_of(cls)
        own.is_part |= is_part
        own.parts = parts
        if when_running is not None:
            own.when_running = when_running
        if limits is not None:
            own.limits = limits
        if receives is not None:
            own.receives = receives
        if moved is not None or removed:
            own.moved, own.removed = moved or {}, removed
        if name is not None:
            own.name, own.config, own.deadline, own.source = name, config, deadline, source

    @classmethod
    def add_step(cls, function: StepFunction[Any, Any]) -> None:
        """Make a decorated free function a step of this class.

        Raises:
            WorkflowValidationError: The class already has a step of that name.
        """
        definition_of(cls).add_step(function)
