"""The part of an engine that moves stored runs to another version of their workflow, where they can go on."""

from __future__ import annotations

import contextlib
import json
import time
from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple, Protocol

from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.converting import (
    Converted,
    convert,
    moved_rows,
    renaming,
    rows_of_renaming,
    said_of_refusals,
)
from wfc.runtime.driver.engine.edits import EditedRuns
from wfc.runtime.driver.engine.kept_values import values_of
from wfc.runtime.driver.engine.successors import successor
from wfc.runtime.driver.handler import WorkflowHandler
from wfc.runtime.errors import RunUnknownError, StoreError
from wfc.runtime.store.blobs import Body
from wfc.runtime.store.checkpoint import write_checkpoint
from wfc.runtime.store.entries import entry_of
from wfc.runtime.store.folding import fold
from wfc.runtime.store.journal import Entry, Lease, Parked, Row, VersionChanged
from wfc.runtime.store.judgement.verdicts import Verdict, refused
from wfc.runtime.store.sql.upgrading import (
    HasPlan,
    Upgradable,
    parts_of_workflow,
    runs_of_workflow,
    upgradable,
    with_parts,
)
from wfc.runtime.store.versions.describing import describe
from wfc.runtime.store.versions.reading import can_fold, is_of_plan, plan_of

__all__ = ["Upgrade", "UpgradedRuns"]


class Upgrade(NamedTuple):
    """What it means for a run that it moves to another version of its workflow.

    Args:
        version: What the code that it has is known by; empty if nobody keeps it.
        to: The same of the other version.
        verdicts: What the change means for it; nothing: it goes on as if nothing had happened.
        is_needed: Whether anything is written at all: it may be of that version already.
        parts: The runs that are parts of it and move with it.
    """

    run_id: str
    workflow: str
    version: str
    to: str
    verdicts: tuple[Verdict, ...] = ()
    is_needed: bool = True
    parts: tuple[Upgrade, ...] = ()

    @property
    def refusals(self) -> list[tuple[str, Verdict]]:
        """The reasons for which it cannot go on, each with the id of the run or of the part that it is about."""
        found = [(self.run_id, one) for one in self.verdicts if one.means == "refused"]
        return [*found, *(one for part in self.parts for one in part.refusals)]


class _Move(NamedTuple):
    """A run that is to move, and how."""

    told: Upgrade
    found: Upgradable
    workflow: StartableWorkflow
    converted: Converted | None  # None: only its code is another one


class UpgradedRuns(EditedRuns, Protocol):
    """The part of an engine with a store that moves runs to other versions."""

    async def upgrade(self, run_id: str, *, version: str = "", dry_run: bool = False) -> Upgrade:
        """Move a run that rests, with its parts, to another version of its workflow; return what that means for it.

        A run that cannot go on there stays as it is.

        Args:
            version: What the code of that version is known by; empty: the first that was added.
            dry_run: Whether nothing is changed, and a run that cannot go on is told of and no error.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: It cannot go on there, it is over or a part of another run, or somebody works on it.
        """
        self._check_at_rest(run_id)
        moves = list(self._moves(run_id, version))
        told = _told(moves)
        if dry_run:
            return told
        if told.refusals:
            raise StoreError(_refusal(told))
        if entries := [self._move_entry(move) for move in moves if move.told.is_needed]:
            await self.alter(entries)
        return told

    def judged(self, run_id: str, *, version: str) -> Upgrade:
        """Return what it would mean for a run that rests, with its parts, to go on with a version; nothing is changed.

        It may be a part of another run: then it is judged by itself, though it moves with that one only.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            StoreError: Somebody works on it.
        """
        self._check_nobody_works_on(self.store.root_of(run_id) or run_id)
        return _told(list(self._moves(run_id, version)))

    async def resume(self, run_id: str) -> WorkflowHandler[Any]:
        """Let a stored run go on in this process, unless it does so already.

        One whose code nobody keeps moves to the version that its workflow has here, if it can go on there.

        Raises:
            RunUnknownError: There is none of that id, or its workflow is not known here.
            RunEndedError: It is over.
            RunLostError: Another process has it.
            StoreError: It cannot go on.
        """
        root = self.store.root_of(run_id) or run_id
        if await self.here(root) is None and self._has_other_plan(root):
            await self.upgrade(root)
        return await super().resume(run_id)

    def runs_of_workflow(self, workflow: str) -> list[str]:
        """Return the ids of the runs of a workflow that are not over and no parts of others, the oldest first."""
        return self.store.select(partial(runs_of_workflow, workflow=workflow))

    def parts_of_workflow(self, workflow: str) -> list[str]:
        """Return the ids of the runs of a workflow that are not over and parts of others, the oldest first."""
        return self.store.select(partial(parts_of_workflow, workflow=workflow))

    def _has_other_plan(self, run_id: str) -> bool:
        """Return whether a run that nobody works on, or a part of it, has another plan than its workflow here."""
        if self.store.is_worked_on(run_id):
            return False
        return any(map(self._differs, self.store.select(partial(with_parts, run_id=run_id))))

    def _differs(self, found: HasPlan) -> bool:
        try:
            workflow = self.workflow(found.workflow, version=found.version)
        except RunUnknownError:
            with contextlib.suppress(RunUnknownError):
                return bool(successor(self, found.workflow))
            return False  # of a part whose class the run above names
        is_kept = found.version and self.version_of(workflow)
        return not is_kept and not is_of_plan(found.shape, workflow._wfc.plan)

    def _check_at_rest(self, run_id: str) -> None:
        if self.show(run_id).ended is not None:
            raise StoreError(
                f"the run {run_id} is over: `wfc runs retry --with SPEC` lets one that has failed go on with another "
                f"version"
            )
        root = self.store.root_of(run_id)
        if root not in (None, run_id):
            raise StoreError(f"the run {run_id} is a part of {root}, and moves with that one only")
        self._check_nobody_works_on(run_id)

    def _check_nobody_works_on(self, run_id: str) -> None:
        if self.run(run_id) is not None or self.store.is_worked_on(run_id):
            raise StoreError(
                f"a process works on the run {run_id}: it moves to another version when it rests"
            )

    # --- what it means

    def _moves(self, run_id: str, version: str) -> Iterator[_Move]:
        """Yield how a run moves, and its parts."""
        found = self.store.select(partial(upgradable, run_id=run_id))
        if found is None:
            raise RunUnknownError(f"there is no run `{run_id}` in this store")
        workflow = self._other_code(found, version)
        to = self.version_of(workflow)
        told = Upgrade(run_id, found.workflow, found.version, to)
        renamed = renaming(found.workflow, workflow)
        if version not in ("", to):
            lost = f"there is no workflow `{found.workflow}` in the new version"
            yield _Move(told._replace(verdicts=(refused("workflow-removed", lost),)), found, workflow, None)
        elif is_of_plan(found.shape, workflow._wfc.plan):
            is_needed = bool(renamed) or to not in ("", found.version)
            yield _Move(told._replace(verdicts=renamed, is_needed=is_needed), found, workflow, None)
        else:
            converted = self._convert(run_id, found, workflow)
            told = told._replace(verdicts=(*renamed, *converted.verdicts))
            yield _Move(told, found, workflow, converted)
        for part in found.parts:
            with contextlib.suppress(
                *([] if version else [RunUnknownError])
            ):  # of a class that the run names
                yield from self._moves(part, version)

    def _convert(self, run_id: str, found: Upgradable, workflow: StartableWorkflow) -> Converted:
        own = self._own_code(found)
        old = plan_of(found.plan, found.shape, (own or workflow)._wfc.plan)
        if old is None:
            told = "what its steps were is not kept: it was started by an earlier version of wfc"
            return _not_moved(found, "plan-unknown", told)
        kept = found.kept
        if kept.seq == 0 and kept.snapshot is None:
            return convert(run_id, old, None, found.start, workflow)
        if kept.snapshot is not None and not kept.ticks:
            return convert(run_id, old, json.loads(kept.snapshot), found.start, workflow)
        if own is None and can_fold(found.plan, found.shape, workflow._wfc.plan):
            own, old = workflow, describe(workflow._wfc.plan).data
        if own is None:
            told = (
                f"it was cut off in the midst of its work, and what it did after its tick {kept.snapshot_seq} can be "
                f"read only with the code that it was started with, which is not here"
            )
            return _not_moved(found, "cut-off", told)
        values = values_of(own)
        execution = fold(kept, own._wfc.plan, run_id, found.start, values)
        return convert(run_id, old, write_checkpoint(execution, values), found.start, workflow)

    def _other_code(self, found: Upgradable, version: str) -> StartableWorkflow:
        """Return what a workflow has become in a version; if there is nothing of it, any of its name that is known.

        Raises:
            RunUnknownError: There is none of that name at all.
        """
        try:
            return successor(self, found.workflow, version)
        except RunUnknownError:
            if not version:
                raise
            return self.workflow(found.workflow, version=found.version)

    def _own_code(self, found: Upgradable) -> StartableWorkflow | None:
        """Return the workflow with the plan that a run has, if it is known here."""
        try:
            workflow = self.workflow(found.workflow, version=found.version)
        except RunUnknownError:
            return None
        return workflow if is_of_plan(found.shape, workflow._wfc.plan) else None

    # --- writing it

    def _move_entry(self, move: _Move) -> Entry:
        told, found = move.told, move.found
        seq, bodies = found.kept.seq, list[Body]()
        rows: list[Row] = [VersionChanged(told.to)]
        renamed = rows_of_renaming(found.workflow, move.workflow)
        is_halted = found.status == "halted"
        wake_at = found.wake_at if is_halted or found.status == "parked" else time.time_ns()
        if move.converted is not None:
            bodies, rows, execution = moved_rows(move.converted, move.workflow, told.to, seq)
            if not is_halted and execution is not None and execution.inbox and execution.expecting:
                wake_at = time.time_ns()
        lease = Lease(told.run_id, found.number, found.epoch)
        return entry_of(lease, seq + 1, bodies, [*renamed, *rows, Parked(wake_at, is_halted)])


def _not_moved(found: Upgradable, rule: str, told: str) -> Converted:
    advice = "let it go on with that: `wfc runs resume RUN`"
    return Converted((refused(rule, told, advice),), None, found.start)


def _told(moves: list[_Move]) -> Upgrade:
    first, *others = (move.told for move in moves)
    return first._replace(parts=tuple(others))


def _refusal(told: Upgrade) -> str:
    said = said_of_refusals(told.refusals, told.run_id)
    return f"the run {told.run_id} cannot go on with this version of `{told.workflow}`, and stays as it is: {said}"
