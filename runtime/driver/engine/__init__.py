"""The registry of a process: workflows by name, and live runs by id and by key."""

from __future__ import annotations

import asyncio
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.authoring.run_rules import RunRules
from wfc.runtime.calls.memories import KeptMemories, MemoryMemories
from wfc.runtime.calls.sibling_modules import folder_of, sibling_workflow
from wfc.runtime.calls.turns import MemoryLedger, Turns
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.durable import Durable, runs_above
from wfc.runtime.driver.engine.upgrades import UpgradedRuns
from wfc.runtime.driver.gates import Admission, Gate, GateName, StoredAdmission
from wfc.runtime.driver.loops import call_soon
from wfc.runtime.driver.messages import (
    Key,
    Mailbox,
)
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.bounds import bound_on_runs
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.errors import (
    RunExistsError,
    RunLostError,
    RunParkedError,
    RunUnknownError,
    WorkflowConfigurationError,
    WorkflowRuntimeError,
)
from wfc.runtime.plan.run_rules import Receives
from wfc.runtime.store.opening import open_store
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.threads import MemoryThreads, Threads

__all__ = ["Engine", "default_engine"]

PART = "."
"""What follows a workflow's name in the names of its parts."""

REMEMBERED = 10_000
"""How many runs that are over an engine still knows, so as to say that they have ended."""

_ELSEWHERE = (RunLostError, RunParkedError)
"""By these a run ends here, and goes on elsewhere or later; a union would be made anew at each look."""


class Engine(UpgradedRuns):
    """A registry of workflows and of live runs that can reach each other.

    Its runs may be in event loops of different threads. Each process has a default engine,
    ``default_engine()``; further engines isolate runs, as in tests.

    Args:
        store: The address of a store, such as ``sqlite:///runs.db``, or one that is open. What happens in the runs
            is recorded there before it has effects, so that they go on after a crash. ``None``: runs are in memory.

    Raises:
        StoreError: The store cannot be opened.
    """

    def __init__(self, store: str | Path | SqlJournal | None = None) -> None:
        self.lock = threading.RLock()  # held while it is settled who there is
        self.mailbox = Mailbox()
        self._workflows: dict[str, StartableWorkflow] = {}
        self._beside: dict[tuple[Path, str], StartableWorkflow] = {}
        self._versions: dict[type[Any], str] = {}
        self._of_versions: dict[tuple[str, str], StartableWorkflow] = {}
        self._classes: dict[str, type[Any]] = {}  # of runs with keys or events from outside, by name
        self._runs: dict[str, Run] = {}
        self._keyed: dict[Key, dict[str, Run]] = {}
        self._receiving: dict[str, dict[str, Run]] = {}  # by name of event
        self._gates: dict[tuple[str, ...], Gate] = {}
        self._ended: OrderedDict[str | Key, None] = OrderedDict()
        self._loop: asyncio.AbstractEventLoop | None = None  # of the last run
        self._to_park: set[str] = set()  # ids of runs that are to rest in the store
        self._durable: Durable | None = None
        self.turns = Turns(MemoryLedger())
        self.threads = Threads(MemoryThreads(self._is_under_way))
        self.memories: KeptMemories = MemoryMemories()
        if store is not None:
            self.open(store)

    def open(self, store: str | Path | SqlJournal) -> None:
        """Let runs be kept in a store from now on: new ones, and those that are parked.

        Raises:
            StoreError: The store cannot be opened.
        """
        journal = store if isinstance(store, SqlJournal) else open_store(store)
        self._durable = Durable(journal, self)
        self.turns = Turns(journal.calls)
        self.threads = Threads(journal.threads)
        self.memories = journal.memories

    def _is_under_way(self, run_id: str) -> bool:
        with self.lock:
            run = self._runs.get(run_id)
            return run is not None and not run.is_done

    # --- workflows

    def add(
        self,
        workflow: type[StartableWorkflow] | StartableWorkflow,
        name: str | None = None,
        *,
        version: str = "",
    ) -> None:
        """Register a workflow, so that others can start it by name, and its stored runs can go on.

        Args:
            name: The name to register; by default the workflow's own.
            version: What its code is known by: a stored run goes on with the version that it was started with. Of
                several versions of a workflow, others start the first.

        Raises:
            WorkflowConfigurationError: Another workflow has this name, and no version.
        """
        made: StartableWorkflow = workflow(engine=self) if isinstance(workflow, type) else workflow
        called = name or made._wfc.name
        known = self._workflows.get(called)
        if version:
            self.note_version(type(made), version)
            self._of_versions.setdefault((called, version), made)
        elif known is not None and type(known) is not type(made):
            raise WorkflowConfigurationError(f"this engine has another workflow of the name `{called}`")
        self._workflows.setdefault(called, made)

    def note_version(self, workflow: type[Any], version: str) -> None:
        """Note what the code of a workflow's class is known by."""
        self._versions[workflow] = version

    def version_of(self, workflow: RunWorkflow[Run]) -> str:
        """Return what the code of a workflow is known by; empty if nobody has said it."""
        return self.version_of_class(type(workflow))

    def version_of_class(self, workflow: type[Any]) -> str:
        """Return what the code of a workflow's class is known by; empty if nobody has said it."""
        return self._versions.get(workflow, "")

    def workflow(self, name: str, beside: type[Any] | None = None, version: str = "") -> StartableWorkflow:
        """Return the workflow of a name: one that was added, or one that was generated beside another one.

        Args:
            beside: A generated class; the workflows that it names are of its version, or may be in a module
                ``<name>_workflow.py`` of its folder.
            version: The version that is wanted, if there is a choice.

        Raises:
            RunUnknownError: There is no workflow of this name.
        """
        if self._of_versions:
            wanted = version or self._versions.get(beside or Engine, "")
            found = self._of_versions.get((name, wanted), self._workflows.get(name))
        else:
            found = self._workflows.get(name)
        if found is None and PART in name:
            found = self._part(name, beside, version)
        elif found is None and beside is not None:
            found = self._generated_beside(name, beside)
        if found is None:
            raise RunUnknownError(f"there is no workflow `{name}`: `engine.add(…)` makes one known")
        return found

    def _part(self, name: str, beside: type[Any] | None, version: str) -> StartableWorkflow | None:
        """Return the workflow of a part of another one, which stands in the module of that one."""
        owner = name.partition(PART)[0]
        owners = [] if beside is None else [beside]
        with suppress(RunUnknownError):
            owners.append(type(self.workflow(owner, beside, version)))
        for kind in owners:
            for part in definition_of(kind).parts:
                if definition_of(part).name == name:
                    if known := self._versions.get(kind):
                        self.note_version(part, known)
                    made: StartableWorkflow = part(engine=self)
                    return made
        return None

    def workflows(self, version: str = "") -> list[StartableWorkflow]:
        """Return the workflows that were added.

        Args:
            version: What the code of those that are wanted is known by; empty: all.
        """
        known = dict.fromkeys([*self._workflows.values(), *self._of_versions.values()])
        return [one for one in known if version in ("", self.version_of(one))]

    def class_of(self, name: str, beside: type[Any] | None = None) -> type[Any] | None:
        """Return the class of a workflow that has a run or could be started."""
        known = self._classes.get(name)
        if known is not None and name not in self._workflows:
            return known
        try:
            return type(self.workflow(name, beside))
        except RunUnknownError:
            return None

    def _generated_beside(self, name: str, other: type[Any]) -> StartableWorkflow | None:
        folder = folder_of(other) if definition_of(other).name is not None else None
        if folder is None:
            return None
        found = self._beside.get((folder, name))
        if found is None:
            kind = sibling_workflow(folder, name)
            if kind is not None:
                found = self._beside[folder, name] = kind(engine=self)
        return found

    # --- runs

    def run(self, run_id: str) -> Run | None:
        """Return the live run with an id."""
        return self._runs.get(run_id)

    def live_runs(self) -> list[Run]:
        """Return the runs that are under way in this process."""
        return list(self._runs.values())

    def runs_of(self, workflow: str, key: str) -> list[Run]:
        """Return the live runs of a workflow under a key, the oldest first."""
        return list(self._keyed.get((workflow, key), {}).values())

    def receiving(self, event: str) -> Iterator[tuple[Run, Receives]]:
        """Yield the live runs that declare an event of that name as received, with the declarations."""
        for run in list(self._receiving.get(event, {}).values()):
            yield run, run.workflow._wfc.run_rules.receives[event]

    def leaving(self) -> list[str]:
        """Return the ids of the runs of this event loop that go on by one of their exits.

        Such a run may be a part of one that is over, which it was cancelled with: nobody waits for what it undoes.
        """
        loop = asyncio.get_running_loop()
        return [run.run_id for run in self._runs.values() if run.loop is loop and run.execution.left_by]

    async def finish_exits(self) -> dict[str, BaseException]:
        """Wait until the runs are over that go on by one of their exits; return what those failed by that did."""
        failed: dict[str, BaseException] = {}
        while going := {run_id: self._runs[run_id].future for run_id in self.leaving()}:
            await asyncio.wait(going.values())
            for run_id, future in going.items():
                if not future.cancelled() and (error := future.exception()) is not None:
                    failed[run_id] = error
        return failed

    def has_ended(self, known_by: str | Key) -> bool:
        """Return whether a run with that id, or of that workflow and key, has ended recently."""
        return known_by in self._ended

    def admit(self, run: Run) -> Run:
        """Admit a new run, which begins when its gates allow; return it, or the run that it joins by policy.

        One that goes on, as its process has died, was admitted already: it is no second start.

        Raises:
            RunExistsError: A run with this id is not over, or one with its key, which only one run may have.
            ExpressionError: Its key cannot be computed.
        """
        if run.loop is not self._loop:
            self._forget_dead()
            self._loop = run.loop
        workflow = run.workflow
        rules = workflow._wfc.run_rules
        if rules.has_none and workflow._wfc.gate is None:
            self._enlist(run, rules)
            if self._durable is not None:
                self.make_durable(run)
            run.begin()
            return run
        if rules.key is not None and run.key is None:
            run.key = rules.key(run)
        with self.lock:
            is_start = run.key is not None and run.port is None
            if is_start and (joined := self._make_way(run, rules)) is not None:
                return joined
            names, own = self._gates_for(run, rules), workflow._wfc.gate
            is_held = any(above.passage and own and above.passage.holds(own) for above in runs_above(run))
            gates = [] if own is None or is_held else [own]
            self._enlist(run, rules)
            if self._durable is not None and names:
                run.passage = StoredAdmission(
                    run, names, gates, self.lock, self._drop, self._durable.leave_places
                )
                self.make_durable(run, names, rules.when_running if is_start else "")
            else:
                self.make_durable(run, waits=bool(gates))
                gates = [*(self._gate(name, most) for name, most in names.items()), *gates]
                run.passage = Admission(run, gates, self.lock, self._drop)
            kept = self.mailbox.take((workflow._wfc.name, run.key)) if run.key is not None else []
        run.passage.start()
        for event, message_id in kept:
            try:
                run.receive(event, message_id)
            except WorkflowRuntimeError as error:  # who sent it is long gone
                run.loop.call_exception_handler({"message": "a kept message was refused", "exception": error})
        return run

    def _make_way(self, run: Run, rules: RunRules) -> Run | None:
        """Apply the policy for a second start; return the run to use instead of the new one, or ``None``."""
        way, name = rules.when_running, run.workflow._wfc.name
        others = [] if way == "parallel" else self.runs_of(name, run.key or "")
        elsewhere = [] if way == "parallel" else self._others_elsewhere(run, others)
        if not (others or elsewhere):
            return None
        if way == "join" and others and others[0].loop is run.loop:
            return others[0]
        if any(above in others for above in runs_above(run)):
            way = "reject"  # to wait for those who wait for it, or to cancel them, would be the end of both
        if way == "join" and not others:
            self.kept.follow(run, elsewhere[0])
            return run
        if way in {"reject", "join"}:
            first = others[0].run_id if others else elsewhere[0]
            raise RunExistsError(f"a run of {name} with the key {run.key!r} is not over: {first}", first)
        if way == "replace":
            for other in others:
                if other.port is None:  # else it is cancelled by the commit that creates the new one
                    call_soon(other.loop, self._replace, other)
        return None

    def _others_elsewhere(self, run: Run, others: list[Run]) -> list[str]:
        """Return the ids of the runs under the key of a run that the store has and this process has not."""
        if self._durable is None:
            return []
        return self._durable.others_of(run, {run.run_id, *(other.run_id for other in others)})

    def _replace(self, other: Run) -> None:
        """Cancel a run in whose place another one with its key is started."""
        reason = f"another run with the key {other.key!r} was started in its place"
        try:
            other.cancel(reason)
        except RunParkedError:  # it is just being put to rest
            self.kept.later(self.cancel(other.run_id, reason))

    def _gates_for(self, run: Run, rules: RunRules) -> dict[GateName, int]:
        """Return the gates by which a run is counted with others, and how many each admits."""
        name, found = run.workflow._wfc.name, dict[GateName, int]()
        if run.key is not None and rules.when_running != "parallel":
            # even where there is nobody to wait for: the steps of one that is over may still clean up
            found["key", name, run.key] = 1
        most: float | None = rules.limits.concurrent_runs
        if rules.bounds is not None:
            most = bound_on_runs(run, most)
        if most is not None:
            per = rules.per(run) if rules.per is not None else ""
            found["runs", name, per] = int(most)
        for above in runs_above(run):  # a child counts as a part of the run that waits for it
            for place in () if above.passage is None else above.passage.places():
                found.pop(place, None)
        return found

    def _gate(self, name: GateName, most: int) -> Gate:
        gate = self._gates.get(name)
        if gate is None:
            gate = self._gates[name] = Gate(most, name)
        return gate

    def _drop(self, gates: list[Gate]) -> None:
        for gate in gates:
            if gate.name is not None and gate.is_free:
                self._gates.pop(gate.name, None)

    # --- the lists of live runs

    def _enlist(self, run: Run, rules: RunRules) -> None:
        known = self._runs.setdefault(run.run_id, run)
        if known is not run:
            raise RunExistsError(f"a run with the id {run.run_id!r} is not over", run.run_id)
        if rules.has_none:
            return
        name = run.workflow._wfc.name
        self._classes[name] = type(run.workflow)
        if run.key is not None:
            self._keyed.setdefault((name, run.key), {})[run.run_id] = run
            self._ended.pop((name, run.key), None)
        for event in rules.receives:
            self._receiving.setdefault(event, {})[run.run_id] = run

    def ended(self, run: Run) -> None:
        """Remove a run that is over."""
        if self._runs.get(run.run_id) is not run:
            return
        del self._runs[run.run_id]
        is_over = not isinstance(run.execution.outcome, _ELSEWHERE)
        if is_over:
            self._ended[run.run_id] = None
            if self._durable is not None:
                self._durable.inboxes.awaited.ended(run.run_id)
        if self._keyed or self._receiving:
            self._leave_lists(run, is_over)
        while len(self._ended) > REMEMBERED:
            self._ended.popitem(last=False)

    def _leave_lists(self, run: Run, is_over: bool) -> None:
        """Remove a run from the lists of those with keys, and of those with events from outside."""
        rules = run.workflow._wfc.run_rules
        if rules.has_none:
            return
        with self.lock:
            key = run.workflow._wfc.name, run.key or ""
            keyed = self._keyed.get(key, {})
            if keyed.pop(run.run_id, None) is not None and not keyed:
                del self._keyed[key]
                if is_over:
                    self._ended[key] = None
            for event in rules.receives:
                self._receiving[event].pop(run.run_id, None)

    def _forget_dead(self) -> None:
        """Remove runs whose event loop has been closed."""
        for run in [run for run in list(self._runs.values()) if run.loop.is_closed()]:
            self.ended(run)
            if run.passage is not None:
                run.passage.over(set())


_default = Engine()


def default_engine() -> Engine:
    """Return the default engine of this process, which runs belong to unless another one is given."""
    return _default
