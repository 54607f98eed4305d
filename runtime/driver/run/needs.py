"""The interfaces of a workflow and of an engine that a run uses."""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from wfc.runtime.authoring.resource import ResourceManager
from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.calls.memories import KeptMemories
from wfc.runtime.calls.turns import Turns
from wfc.runtime.core.effects import StartChild
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.gates import Gate
from wfc.runtime.driver.messages import EventData, IfAbsent
from wfc.runtime.events import Event
from wfc.runtime.plan import Plan
from wfc.runtime.store.journal import KeyTaken
from wfc.runtime.store.threads import Threads
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["RunEngine", "RunInternals", "RunWorkflow"]

R = TypeVar("R")


class RunEngine(Protocol[R]):
    """The interface of an engine that a run uses."""

    turns: Turns
    """The turns of calls that are limited, shared by all runs of the engine."""

    threads: Threads
    """The threads that agents take one after the other."""

    memories: KeptMemories
    """What runs remember in collections, for those that come after them."""

    def run(self, run_id: str) -> R | None:
        """Return the live run of an id."""

    def start_child(self, run: R, effect: StartChild) -> None:
        """Start the run that a step run has paused for."""

    def ended(self, run: R) -> None:
        """Forget a run that is over."""

    def recovered(self, run: R) -> None:
        """Be told that a stored run goes on here, so that it may get what was posted to it."""

    def give_way(self, run: R, taken: KeyTaken) -> None:
        """Be told that a run was not created in the store: another one has its key."""

    def cancel_elsewhere(self, run: R, reason: str) -> None:
        """Cancel the run of another process that a run here stands for."""

    def rests(self, run: R) -> None:
        """Be told that nothing happens in a run before somebody answers, or a timer fires."""

    async def deliver(
        self,
        event: Event | EventData,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        key: object = None,
        message_id: str | None = None,
        if_absent: IfAbsent = None,
        beside: type[Any] | None = None,
    ) -> bool:
        """Deliver an event to another run."""

    async def publish(self, topic: str, event: Event | EventData, *, message_id: str | None = None) -> int:
        """Deliver an event to all runs that receive it."""


class RunInternals(Protocol[R]):
    """The inner state of a workflow, as far as a run uses it."""

    @property
    def name(self) -> str:
        """The workflow's name."""

    @property
    def is_part(self) -> bool:
        """Whether runs are nothing but the actions of steps of other runs."""

    @property
    def plan(self) -> Plan:
        """The plan of the class's steps."""

    @property
    def run_rules(self) -> RunRules:
        """The class's rules for its runs."""

    @property
    def serializer(self) -> BaseSerializer | None:
        """The default serializer of values of undeclared classes in snapshots."""

    @property
    def stream_limit(self) -> int | None:
        """The number of events of a run's stream that are kept for later readers; ``None``: all."""

    @property
    def timeout(self) -> float | None:
        """The number of seconds that a run may take; ``None``: no limit."""

    @property
    def gate(self) -> Gate | None:
        """The gate that limits the concurrent runs of this object; ``None``: no limit."""

    @property
    def resource_manager(self) -> ResourceManager:
        """The manager of the resources that the steps use."""

    @property
    def engine(self) -> RunEngine[R]:
        """The engine of the workflow's runs."""

    def read_config(self) -> Any:
        """Return the config."""

    def context_for(self, run: R, step_run: StepRun) -> Any:
        """Return the context of a step run."""

    def part_for(self, run: R, step_run: StepRun, name: str) -> Any:
        """Return the workflow for a step's parameter of that name; ``None`` is the default."""


class RunWorkflow(Protocol[R]):
    """The interface of a workflow that a run uses: all other names are free for its steps and attributes."""

    @property
    def _wfc(self) -> RunInternals[R]:
        """The workflow's inner state."""
