"""Reminders of open questions: told each time that `remind` has passed, until the answer; kept over snapshots."""

from __future__ import annotations

import asyncio
import json
from datetime import timedelta
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Question,
    QuestionReminded,
    Record,
    SnapshotError,
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowHandler,
    pause,
)
from wfc.runtime.testing import run_virtually


class Begun(StartEvent):
    remind: Any = 10.0
    quorum: int | None = None


class Form(Record):
    note: str = ""


class Asks(Workflow):
    @pause(within=100)
    def ask(self, event: Begun) -> Question[Form]:
        return Question(Form, title="tea?", assign=["user:ann"], quorum=event.quorum, remind=event.remind)

    @ask.then
    def after_ask(self, event: Begun, result: Form | list[Form]) -> StopEvent:
        return StopEvent(result="answered")

    @ask.on_expired
    def ask_expired(self, event: Begun) -> StopEvent:
        return StopEvent(result="nobody")


async def reminded(handler: WorkflowHandler, into: list[float], since: float = 0.0) -> None:
    """Note the moments of all reminders."""
    async for event in handler.stream_events():
        if isinstance(event, QuestionReminded):
            into.append(since + asyncio.get_running_loop().time())


def moments(answered: float | None = None, **inputs: Any) -> tuple[list[float], Any]:
    """When there are reminders, and the result; answered after so many seconds."""

    async def main() -> Any:
        found: list[float] = []
        handler = Asks(timeout=None).run(run_id="r", **inputs)
        watching = asyncio.create_task(reminded(handler, found))
        if answered is not None:
            await asyncio.sleep(answered)
            await handler.answer("r/ask/1", {})
        result = await handler
        await watching
        return found, result

    return run_virtually(main)  # type: ignore[no-any-return]


@pytest.mark.parametrize(
    ("remind", "answered", "told"),
    [
        (10.0, 35.0, [10.0, 20.0, 30.0]),
        (10.0, 5.0, []),
        (timedelta(seconds=30), None, [30.0, 60.0, 90.0]),
        (50.0, None, [50.0]),  # at its end the question is closed, and nobody is reminded of it
        (100.0, None, []),
        (1000.0, None, []),
        (None, None, []),
    ],
)
def test_who_watches_is_reminded_each_time_that_passes_until_the_end(
    remind: Any, answered: float | None, told: list[float]
) -> None:
    found, result = moments(answered, remind=remind)
    assert found == told
    assert result == ("nobody" if answered is None else "answered")


def test_a_reminder_says_what_is_open_and_who_has_answered() -> None:
    async def main() -> Any:
        handler = Asks(timeout=None).run(run_id="r", quorum=2)
        told = []
        async for event in handler.stream_events():
            if isinstance(event, QuestionReminded):
                told.append(event)
                await handler.answer(event.id, {}, by=f"user:{len(told)}")
        return told, await handler

    (first, second), result = run_virtually(main)
    assert (first.id, first.step, first.title, first.assign) == ("r/ask/1", "ask", "tea?", ["user:ann"])
    assert first.expires_at - first.asked_at == timedelta(seconds=100)
    assert (first.answered_by, second.answered_by, result) == ([], ["user:1"], "answered")


@pytest.mark.parametrize("remind", [0.0, -1.0, 0.5, float("nan"), float("inf"), timedelta(days=5000)])
def test_a_reminder_that_cannot_be_is_an_expression_s_failure(remind: Any) -> None:
    with pytest.raises(StepFailedError) as caught:
        moments(remind=remind)
    assert caught.value.error.name == "expression"


def gone_on(data: Any, since: float) -> tuple[list[float], Any]:
    """The moments of the reminders after a snapshot, and the result."""

    async def main() -> Any:
        found: list[float] = []
        workflow = Asks(timeout=None)
        ctx: Context[Any] = Context.from_dict(workflow, data)
        handler = workflow.run(ctx=ctx)
        watching = asyncio.create_task(reminded(handler, found, since))
        result = await handler
        await watching
        return found, result

    return run_virtually(main)  # type: ignore[no-any-return]


def parked(after: float) -> tuple[list[float], Any]:
    """The moments of the reminders until a snapshot, and the snapshot."""

    async def main() -> Any:
        found: list[float] = []
        handler = Asks(timeout=None).run(run_id="r", remind=10.0)
        watching = asyncio.create_task(reminded(handler, found))
        await asyncio.sleep(after)
        data = json.loads(json.dumps(handler.ctx.to_dict()))
        told = list(found)
        await handler.cancel_run()
        await asyncio.gather(watching, return_exceptions=True)
        return told, data

    return run_virtually(main)  # type: ignore[no-any-return]


def test_over_a_snapshot_no_reminder_is_lost_and_none_comes_twice() -> None:
    """A virtual clock begins anew, so that no time passes while the run is stored."""
    for after in [0.1, 9.5, 10.5, 99.9, *(n * 100 / 31 for n in range(1, 31))]:
        before, data = parked(after)
        found, result = gone_on(data, after)
        assert [round(each, 3) for each in (*before, *found)] == [10.0 * n for n in range(1, 10)], after
        assert result == "nobody"


def test_what_was_due_while_the_run_was_stored_is_told_once() -> None:
    before, data = parked(5)
    data["taken"] = "2025-12-31T23:59:25+00:00"  # 35 s before the virtual clock begins anew
    assert (before, gone_on(data, 0)) == ([], ([0.0, 10.0, 20.0, 30.0, 40.0, 50.0], "nobody"))


@pytest.mark.parametrize("remind", [0, -1, 0.2, "often", None, []])
def test_a_snapshot_whose_reminder_cannot_be_is_refused(remind: object) -> None:
    _, data = parked(5)
    (pause_,) = data["execution"]["paused"]
    assert pause_["for"]["remind"] == 10.0
    pause_["for"]["remind"] = remind
    with pytest.raises(SnapshotError):
        gone_on(data, 5)
