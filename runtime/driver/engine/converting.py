"""A stored run put into the terms of another version of its workflow, if it is judged to go on there."""

from __future__ import annotations

import json
import time
from collections.abc import Iterable
from typing import Any, NamedTuple

from wfc.runtime.authoring.definition import definition_of
from wfc.runtime.authoring.migrations import migrations_in
from wfc.runtime.core.advance import advance
from wfc.runtime.core.execution import Execution
from wfc.runtime.core.ticks import Upgraded
from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.engine.kept_values import open_tasks, values_of
from wfc.runtime.errors import SnapshotError
from wfc.runtime.store.blobs import Body
from wfc.runtime.store.checkpoint import read_checkpoint
from wfc.runtime.store.folding import read_start, write_snapshot
from wfc.runtime.store.journal import PlanChanged, Row, Snapshot, TasksReset, WorkflowRenamed
from wfc.runtime.store.judgement.judging import judge
from wfc.runtime.store.judgement.moves import Description
from wfc.runtime.store.judgement.verdicts import Judgement, Verdict, migrated, refused
from wfc.runtime.store.ticks import encode_tick
from wfc.runtime.store.versions.conversions import Converter
from wfc.runtime.store.versions.describing import describe
from wfc.runtime.store.versions.migrating import migrated_checkpoint, migrated_start
from wfc.runtime.store.versions.position import position_at_start, position_of

__all__ = [
    "Converted",
    "convert",
    "moved_rows",
    "renaming",
    "rows_of_renaming",
    "said_of_refusals",
]

_OF_TASKS = frozenset({"form-changed", "step-renamed"})
"""The rules by which open questions are asked anew."""


class Converted(NamedTuple):
    """A run in the terms of another version, or why it cannot be.

    Args:
        verdicts: What the change means for it.
        execution: How it is; ``None``: it has not begun, or it is refused.
        start: What it began with.
    """

    verdicts: tuple[Verdict, ...]
    execution: Execution | None
    start: bytes


def convert(
    run_id: str,
    old: Description,
    checkpoint: dict[str, Any] | None,
    start: bytes,
    workflow: StartableWorkflow,
) -> Converted:
    """Judge whether a run goes on under another version, and put it into the terms of that.

    Args:
        old: The description of its plan.
        checkpoint: How it is; ``None``: it has not begun.
        start: What it began with.
        workflow: The other version.
    """
    began = json.loads(start)
    position = position_at_start(began) if checkpoint is None else position_of(checkpoint, old)
    definition, plan = definition_of(type(workflow)), workflow._wfc.plan
    converter = Converter(workflow, migrations_in(definition.run_rules.functions), values_of(workflow))
    judgement = judge(
        old,
        describe(plan).data,
        position,
        moved=definition.moved,
        removed=definition.removed,
        conversions=converter.conversions(),
    )
    if judgement.refusals:
        return Converted(judgement.verdicts, None, start)
    try:
        return _converted(run_id, judgement, checkpoint, began, workflow, converter)
    except SnapshotError as error:
        told = f"something that the run has does not fit the new version: {error}"
        return Converted((*judgement.verdicts, refused("value-does-not-fit", told)), None, start)


def _converted(
    run_id: str,
    judgement: Judgement,
    checkpoint: dict[str, Any] | None,
    began: dict[str, Any],
    workflow: StartableWorkflow,
    converter: Converter,
) -> Converted:
    plan, values, moves = workflow._wfc.plan, values_of(workflow), judgement.moves
    start = json.dumps(
        migrated_start(began, moves, converter.convert), ensure_ascii=False, separators=(",", ":")
    ).encode()
    read_start(start, plan, values)
    if checkpoint is None:
        return Converted(judgement.verdicts, None, start)
    data = migrated_checkpoint(checkpoint, moves, run_id, converter.convert)
    try:
        execution = read_checkpoint(data, plan, run_id, values)
    except SnapshotError:
        raise
    except Exception as error:  # as data that fits no more may be met anywhere
        raise SnapshotError(f"{type(error).__name__}: {error}") from error
    return Converted(judgement.verdicts, execution, start)


def said_of_refusals(verdicts: Iterable[tuple[str, Verdict]], root: str = "") -> str:
    """Return the verdicts by which runs are refused in one line; empty: there are none.

    Args:
        verdicts: Each with the id of the run that it is about.
        root: The run whose id need not be said.
    """
    lines = []
    for run_id, one in verdicts:
        if one.means == "refused":
            of = f"{run_id}: " if root and run_id != root else ""
            advice = f"; {one.advice}" if one.advice else ""
            lines.append(f"{of}{one.told} [{one.rule}]{advice}")
    return ". ".join(lines)


def renaming(before: str, workflow: StartableWorkflow) -> tuple[Verdict, ...]:
    """Return what is told of a run whose workflow had another name before: nothing if it had not."""
    now = workflow._wfc.name
    told = f"the workflow `{before}` is called `{now}` now"
    return () if now == before else (migrated("workflow-renamed", told),)


def rows_of_renaming(before: str, workflow: StartableWorkflow) -> list[Row]:
    """Return what is kept with a run whose workflow had another name before: nothing if it had not."""
    return [] if workflow._wfc.name == before else [WorkflowRenamed(workflow._wfc.name)]


def moved_rows(
    converted: Converted, workflow: StartableWorkflow, version: str, last: int
) -> tuple[list[Body], list[Row], Execution | None]:
    """Return the tick by which a run moves to another version, what is kept with it, and how the run is then.

    Args:
        version: What the code of the other version is known by.
        last: The number of the run's last tick.
    """
    plan, values, run = workflow._wfc.plan, values_of(workflow), converted.execution
    described, ticks = describe(plan), [] if run is None else [last + 1]
    since = last + 1 if ticks else 0
    rows: list[Row] = [PlanChanged(version, described.digest, described.body, converted.start, since)]
    if run is None:
        return [], rows, None
    rules = tuple(one.rule for one in converted.verdicts if one.means == "migrated")
    tick, at = Upgraded(rules, run), max(time.time_ns(), run.at)
    execution = Execution(plan, run.run_id, plan.new_state())
    body = encode_tick(tick, at, execution, values)
    advance(execution, tick, at)
    if not _OF_TASKS.isdisjoint(rules):
        rows.append(TasksReset(open_tasks(execution), at))
    rows.append(Snapshot(since, write_snapshot(execution, values)))
    return [body], rows, execution
