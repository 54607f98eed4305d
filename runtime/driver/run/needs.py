"""What a run needs of its workflow, and of the engine that it belongs to.

A workflow's steps are methods of any name, so what only runs call begins with an underscore.
"""

from __future__ import annotations

from typing import Any, Protocol, TypeVar

from wfc.runtime.authoring.resource import ResourceManager
from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.core.effects import StartChild
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.driver.gates import Gate
from wfc.runtime.driver.messages import IfAbsent, Message
from wfc.runtime.events import Event
from wfc.runtime.plan import Plan
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["RunEngine", "RunWorkflow"]

R = TypeVar("R")


class RunEngine(Protocol[R]):
    """What a run needs of the engine that it belongs to."""

    def run(self, run_id: str) -> R | None:
        """Return the live run of an id."""

    def start_child(self, run: R, effect: StartChild) -> None:
        """Start the run that a step run has paused for."""

    def ended(self, run: R) -> None:
        """Forget a run that is over."""

    async def deliver(
        self,
        event: Event | Message,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        key: object = None,
        message_id: str | None = None,
        if_absent: IfAbsent = None,
        beside: type[Any] | None = None,
    ) -> bool:
        """Deliver an event to another run."""

    async def publish(self, topic: str, event: Event | Message, *, message_id: str | None = None) -> int:
        """Deliver an event to all runs that receive it."""


class RunWorkflow(Protocol[R]):
    """What a run needs of its workflow."""

    @property
    def workflow_name(self) -> str:
        """What it is called."""

    @property
    def _serializer(self) -> BaseSerializer | None:
        """What writes values of undeclared classes in snapshots, where these are given no other."""

    @property
    def _stream_limit(self) -> int | None:
        """How many events of a run's stream are kept for readers that come later."""

    @property
    def _timeout(self) -> float | None:
        """Seconds for one run; ``None``: no bound."""

    @property
    def _gate(self) -> Gate | None:
        """Bounds how many runs of this object are under way."""

    @property
    def _manager(self) -> ResourceManager:
        """Keeps what the steps ask for besides events."""

    @property
    def _own_engine(self) -> RunEngine[R]:
        """What its runs belong to."""

    def _plan(self) -> Plan:
        """Return the class's steps."""

    def _run_rules(self) -> RunRules:
        """Return what the class declares of its runs."""

    def read_config(self) -> Any:
        """Return the config."""

    def _context_for(self, run: R, step_run: StepRun) -> Any:
        """Return the context of a step run."""

    def _part_for(self, run: R, step_run: StepRun, name: str) -> Any:
        """Return the workflow for a step's parameter of that name; ``None`` is the default."""
