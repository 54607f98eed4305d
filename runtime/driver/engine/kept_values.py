"""What the store is given of runs: how their values are written, their open questions, and when they go on."""

from __future__ import annotations

from pydantic_core import to_json

from wfc.runtime.core.execution import Execution
from wfc.runtime.core.moments import as_moment
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.needs import RunWorkflow
from wfc.runtime.driver.run.questions import open_questions
from wfc.runtime.store.journal import TaskOpened
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.values import Values

__all__ = ["next_moment", "open_tasks", "values_of"]

_OF_TASKS = ("title", "show", "form", "prefill", "assign", "quorum", "asked_at", "expires_at")


def values_of(workflow: RunWorkflow[Run]) -> Values:
    """Return what writes and reads the values of a workflow's runs."""
    return values_for(workflow._wfc.plan, workflow._wfc.serializer)


def open_tasks(execution: Execution) -> list[TaskOpened]:
    """Return the rows for the questions of a run that are open."""
    found = []
    for one in open_questions(execution):
        about = {name: getattr(one, name) for name in _OF_TASKS}
        expires = None if one.expires_at is None else as_moment(one.expires_at)
        body, asked = to_json(about).decode(), as_moment(one.asked_at)
        by = ",".join(one.answered_by)
        found.append(TaskOpened(one.id, one.step, one.title, one.assign, body, asked, expires, by))
    return found


def next_moment(execution: Execution) -> int | None:
    """Return the moment at which something happens in a run by itself; ``None``: never."""
    moments = [*execution.due_at.values(), *([] if execution.deadline is None else [execution.deadline])]
    return min(moments, default=None)
