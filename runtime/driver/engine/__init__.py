"""Who knows whom in a process: workflows by name, and live runs by id and by key."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.driver.engine.gates import Gate, Passage, in_loop_of
from wfc.runtime.driver.engine.messages import (
    IfAbsent,
    Mailbox,
    Message,
    deliver_to_key,
    deliver_to_run,
    publish,
    receive,
)
from wfc.runtime.errors import (
    RunExistsError,
    RunUnknownError,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
)
from wfc.runtime.plan.run_rules import Receives

if TYPE_CHECKING:
    from wfc.runtime.driver.run import Run
    from wfc.runtime.events import Event
    from wfc.runtime.workflow import Workflow

__all__ = ["Engine", "Key", "default_engine"]

REMEMBERED = 10_000
"""How many runs that are over an engine still knows, so as to say that they have ended."""

Key = tuple[str, str]
"""A workflow's name and a run's key."""


class Engine:
    """Runs that know each other.

    Its runs may be in event loops of different threads. A process has one by itself, ``default_engine()``; another
    one keeps runs apart, as in tests.
    """

    def __init__(self) -> None:
        self.lock = threading.RLock()  # held while it is settled who there is
        self.mailbox = Mailbox()
        self._workflows: dict[str, Workflow] = {}
        self._beside: dict[tuple[Path, str], Workflow] = {}
        self._classes: dict[str, type[Workflow]] = {}  # of runs with keys or events from outside, by name
        self._runs: dict[str, Run] = {}
        self._keyed: dict[Key, dict[str, Run]] = {}
        self._receiving: dict[str, dict[str, Run]] = {}  # by name of event
        self._gates: dict[tuple[str, ...], Gate] = {}
        self._ended: OrderedDict[str | Key, None] = OrderedDict()
        self._loop: asyncio.AbstractEventLoop | None = None  # of the last run

    # --- workflows

    def add(self, workflow: type[Workflow] | Workflow, name: str | None = None) -> None:
        """Makes a workflow known, so that others can start it by name.

        Args:
            name: By which; otherwise the one that it has.

        Raises:
            WorkflowConfigurationError: Another workflow has this name.
        """
        made = workflow(engine=self) if isinstance(workflow, type) else workflow
        called = name or made.workflow_name
        known = self._workflows.get(called)
        if known is not None and type(known) is not type(made):
            raise WorkflowConfigurationError(f"this engine has another workflow of the name `{called}`")
        self._workflows[called] = made

    def workflow(self, name: str, beside: type[Workflow] | None = None) -> Workflow:
        """The workflow of a name: one that was added, or one that was generated beside another one.

        Args:
            beside: A generated class; what it names may be in a module ``<name>_workflow.py`` of its folder.

        Raises:
            RunUnknownError: There is none.
        """
        found = self._workflows.get(name)
        if found is None and beside is not None:
            found = self._generated_beside(name, beside)
        if found is None:
            raise RunUnknownError(f"there is no workflow `{name}`: `engine.add(…)` makes one known")
        return found

    def class_of(self, name: str, beside: type[Workflow] | None = None) -> type[Workflow] | None:
        """The class of a workflow of which there is a run, or which could be started."""
        known = self._classes.get(name)
        if known is not None and name not in self._workflows:
            return known
        try:
            return type(self.workflow(name, beside))
        except RunUnknownError:
            return None

    def _generated_beside(self, name: str, other: type[Workflow]) -> Workflow | None:
        from wfc.runtime.calls.beside import folder_of, workflow_beside

        folder = folder_of(other) if other._name is not None else None
        if folder is None:
            return None
        found = self._beside.get((folder, name))
        if found is None:
            kind = workflow_beside(folder, name)
            if kind is not None:
                found = self._beside[folder, name] = kind(engine=self)
        return found

    # --- runs

    def run(self, run_id: str) -> Run | None:
        """The live run of an id."""
        return self._runs.get(run_id)

    def runs_of(self, workflow: str, key: str) -> list[Run]:
        """The live runs of a workflow under a key, the oldest first."""
        return list(self._keyed.get((workflow, key), {}).values())

    def receiving(self, event: str) -> Iterator[tuple[Run, Receives]]:
        """The live runs that declare to receive an event of that name, and how."""
        for run in list(self._receiving.get(event, {}).values()):
            yield run, RunRules.of(type(run.workflow)).receives[event]

    def has_ended(self, known_by: str | Key) -> bool:
        """Whether a run of that id, or of that workflow and key, has ended lately."""
        return known_by in self._ended

    def admit(self, run: Run) -> Run:
        """Takes in a new run, which begins when it may; gives the run that is there instead, if so declared.

        Raises:
            RunExistsError: A run of this id is not over, or one of its key, which shall not have two.
            ExpressionError: Its key cannot be computed.
        """
        if run.loop is not self._loop:
            self._forget_dead()
            self._loop = run.loop
        workflow = run.workflow
        declared = RunRules.of(type(workflow))
        if declared.has_none and workflow._gate is None:
            self._enlist(run, declared)
            run.begin()
            return run
        if declared.key is not None and run.key is None:
            run.key = declared.key(run)
        with self.lock:
            others = self.runs_of(workflow.workflow_name, run.key) if run.key is not None else []
            if others and (joined := self._make_way(run, declared, others)) is not None:
                return joined
            gates = self._gates_for(run, declared)
            self._enlist(run, declared)
            kept = self.mailbox.take((workflow.workflow_name, run.key)) if run.key is not None else []
            run.passage = Passage(run, gates, self.lock, self._drop)
        run.passage.start()
        for event, message_id in kept:
            try:
                receive(run, event, message_id)
            except WorkflowRuntimeError as error:  # who sent it is long gone
                run.loop.call_exception_handler({"message": "a kept message was refused", "exception": error})
        return run

    def _make_way(self, run: Run, declared: RunRules, others: list[Run]) -> Run | None:
        """What the policy says of a second start; the run that stands for it, if it is not to be."""
        way, first = declared.when_running, others[0]
        if way == "parallel":
            return None
        if way == "join" and first.loop is run.loop:
            return first
        above = run.above
        while above is not None:
            # to wait for those who wait for it, or to cancel them, would be the end of both
            way = "reject" if above in others else way
            above = above.above
        if way in {"reject", "join"}:
            raise RunExistsError(
                f"a run of {run.workflow.workflow_name} with the key {run.key!r} is not over: {first.run_id}",
                first.run_id,
            )
        if way == "replace":
            for other in others:
                in_loop_of(
                    other, other.cancel, f"another run with the key {run.key!r} was started in its place"
                )
        return None

    def _gates_for(self, run: Run, declared: RunRules) -> list[Gate]:
        name, found = run.workflow.workflow_name, []
        if run.key is not None and declared.when_running != "parallel":
            # even where there is nobody to wait for: the steps of one that is over may still clean up
            found.append(self._gate(("key", name, run.key), 1))
        if declared.limits.concurrent_runs is not None:
            per = declared.per(run) if declared.per is not None else ""
            found.append(self._gate(("runs", name, per), declared.limits.concurrent_runs))
        if run.workflow._gate is not None:
            found.append(run.workflow._gate)
        above = run.above
        while above is not None:  # a child counts as a part of the run that waits for it
            if above.passage is not None:
                found = [gate for gate in found if not above.passage.holds(gate)]
            above = above.above
        return found

    def _gate(self, name: tuple[str, ...], most: int) -> Gate:
        gate = self._gates.get(name)
        if gate is None:
            gate = self._gates[name] = Gate(most, name)
        return gate

    def _drop(self, gates: list[Gate]) -> None:
        for gate in gates:
            if gate.name is not None and gate.is_free:
                self._gates.pop(gate.name, None)

    # --- messages

    async def deliver(
        self,
        event: Event | Message,
        *,
        run_id: str | None = None,
        workflow: str | None = None,
        key: object = None,
        message_id: str | None = None,
        if_absent: IfAbsent = None,
        beside: type[Workflow] | None = None,
    ) -> bool:
        """Delivers an event to a run by its id, or to all live runs of a workflow under a key (the first of a queue).

        A run takes an event whether its steps are at work, waiting, or have not begun; one of its class that its
        declared events have by name, else those that its steps accept.

        Args:
            key: ``None``: it is in the field of the event that the workflow declares for that.
            message_id: A run takes only one event under an id.
            if_absent: What to do where there is no run under the key: ``"start"`` one whose inputs are fields of the
                event, ``Keep(seconds)`` the event until one starts, or, by itself, raise.
            beside: The sender's class, which may have been generated beside the workflow.

        Returns:
            Whether it is new to the run, or to one of the runs.

        Raises:
            RunUnknownError: There is no such run or workflow.
            RunEndedError: The run is over.
            InvalidMessageError: The event does not fit what the run takes.
            WorkflowConfigurationError: There is no address, or there are two.
        """
        if (run_id is None) == (workflow is None):
            raise WorkflowConfigurationError("deliver an event to a `run_id`, or to a `workflow` and a `key`")
        if run_id is not None:
            return await deliver_to_run(self, event, run_id, message_id)
        assert workflow is not None
        return await deliver_to_key(self, event, workflow, key, message_id, if_absent, beside)

    async def publish(self, topic: str, event: Event | Message, *, message_id: str | None = None) -> int:
        """Delivers an event to every live run that declares to receive it, but for those that want another topic.

        Where a run declares a field for its key, the event must have the run's key there.

        Returns:
            To how many runs it is new.

        Raises:
            InvalidMessageError: It does not fit what a run receives; all others have got it.
        """
        return await publish(self, topic, event, message_id)

    # --- the lists of live runs

    def _enlist(self, run: Run, declared: RunRules) -> None:
        known = self._runs.setdefault(run.run_id, run)
        if known is not run:
            raise RunExistsError(f"a run with the id {run.run_id!r} is not over", run.run_id)
        if declared.has_none:
            return
        name = run.workflow.workflow_name
        self._classes[name] = type(run.workflow)
        if run.key is not None:
            self._keyed.setdefault((name, run.key), {})[run.run_id] = run
            self._ended.pop((name, run.key), None)
        for event in declared.receives:
            self._receiving.setdefault(event, {})[run.run_id] = run

    def ended(self, run: Run) -> None:
        """A run is over."""
        if self._runs.get(run.run_id) is not run:
            return
        del self._runs[run.run_id]
        self._ended[run.run_id] = None
        declared = RunRules.of(type(run.workflow))
        if not declared.has_none:
            with self.lock:
                key = run.workflow.workflow_name, run.key or ""
                keyed = self._keyed.get(key, {})
                if keyed.pop(run.run_id, None) is not None and not keyed:
                    del self._keyed[key]
                    self._ended[key] = None
                for event in declared.receives:
                    self._receiving[event].pop(run.run_id, None)
        while len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)

    def _forget_dead(self) -> None:
        """Lets go of runs that were waiting when their event loop was closed."""
        for run in [run for run in list(self._runs.values()) if run.loop.is_closed()]:
            self.ended(run)
            if run.passage is not None:
                run.passage.over(set())


_default = Engine()


def default_engine() -> Engine:
    """The engine of this process, which runs belong to where nobody says otherwise."""
    return _default
