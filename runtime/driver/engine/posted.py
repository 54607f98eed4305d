"""What others have posted to a stored run, as it takes it."""

from __future__ import annotations

import json
from collections.abc import Callable

from wfc.runtime.driver.messages import EventData
from wfc.runtime.driver.run import Run
from wfc.runtime.driver.run.edits import Edits
from wfc.runtime.driver.run.questions import read_delegation
from wfc.runtime.store.journal import Posted

__all__ = ["take_item"]


def take_item(run: Run, item: Posted) -> None:
    """Let a run take an item of its inbox.

    Raises:
        WorkflowError: It does not fit.
    """
    _TAKERS[item.kind](run, item)


def _answer(run: Run, item: Posted) -> None:
    data = json.loads(item.body)
    asker = run.asker_of(data["question"])
    if asker is not None:
        asker.answer(data["question"], data["value"], item.by, data.get("state"))


def _delegate(run: Run, item: Posted) -> None:
    data = json.loads(item.body)
    asker = run.asker_of(data["question"])
    if asker is not None:
        asker.take(read_delegation(asker.execution, data["question"], data["to"], item.by, data["because"]))


def _edit(run: Run, item: Posted) -> None:
    data = json.loads(item.body)
    events = [EventData(name, fields) for name, fields in data["events"]]
    for tick in Edits(data["state"], events, data["dropped"]).ticks(run.execution, item.by):
        run.take(tick)


def _receive(run: Run, item: Posted) -> None:
    data = json.loads(item.body)
    run.receive(EventData(data["event"], data["fields"]), data.get("message_id"))


def _cancel(run: Run, item: Posted) -> None:
    run.cancel(json.loads(item.body)["reason"])


_TAKERS: dict[str, Callable[[Run, Posted], None]] = {
    "answer": _answer,
    "delegation": _delegate,
    "edit": _edit,
    "event": _receive,
    "cancel": _cancel,
}
