"""Endpoints of runs: lists, what has happened to one, and what is done with it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from functools import partial
from itertools import islice
from typing import Any, Final

from wfc.runtime.driver.engine.pictures import pending_of, state_of
from wfc.runtime.driver.messages import EventData
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import StoreError
from wfc.runtime.events import StopEvent
from wfc.runtime.server.access import Principal
from wfc.runtime.server.calls import Call, Problem, Reply, StreamReply, TextReply
from wfc.runtime.server.cursors import read_cursor, read_moment, write_cursor
from wfc.runtime.server.data import json_bytes, moment, outcome_data, run_data, search_data, step_data
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.shown import START, Position, read_position
from wfc.runtime.server.workflows import drawing
from wfc.runtime.store.replay import Replay
from wfc.runtime.store.sql import paging, selecting
from wfc.runtime.store.sql.paging import Progress
from wfc.runtime.store.sql.reading import RunRow

__all__ = [
    "cancel_run",
    "draw_run",
    "list_runs",
    "resume_run",
    "run_reply",
    "send_event",
    "send_message",
    "show_history",
    "show_run",
    "show_run_at",
    "stream_changes",
    "stream_run",
]

STATUSES: Final = ("live", "queued", "parked", "halted", "done", "failed", "cancelled", "dead")
MOST: Final = 1000
WRITTEN_TOGETHER: Final = 500
"""So many steps are written at once: thousands of small objects at a time set off collections of garbage."""

CANCELLED_IN: Final = 10.0


# --- what there is


async def list_runs(server: Installation, call: Call) -> Reply:
    """List runs, the newest first, page by page: `next` of a reply is the `after` of the following request."""
    workflow = call.query.get("workflow")
    most = call.number("most", 100)
    names = await server.workflows_for(call.principal)
    if workflow is not None:
        names = [workflow] if call.principal.knows(workflow) else []
    after = call.query.get("after")
    read = partial(
        paging.page_of_runs,
        workflows=names,
        status=call.query.get("status"),
        key=call.query.get("key"),
        search=call.query.get("search", ""),
        since=read_moment(call, "since"),
        until=read_moment(call, "until"),
        before=None if after is None else int(read_cursor(after, int)[0]),
        most=most,
    )
    found = await asyncio.to_thread(server.engine.store.select, read)
    following = write_cursor(found[-1][0]) if len(found) == most else None
    return Reply({"runs": [run_data(row) for _, row in found], "next": following})


async def run_reply(
    server: Installation,
    principal: Principal,
    run_id: str,
    *,
    status: int = 200,
    headers: Mapping[str, str] | None = None,
    begun: Run | None = None,
) -> Reply:
    """Return a run as it is now, with its end, if it is over.

    Args:
        begun: The run, if it was begun here, with its entry in the audit: what has ended well meanwhile need not be
            read from the store.
    """
    told = {} if begun is None else _told_here(server, begun)
    if not told:
        row, told = await asyncio.to_thread(_told_of, server, principal, run_id)
        if row.outcome is not None:
            server.load_code(row)
            told |= outcome_data(await asyncio.to_thread(server.engine.outcome, run_id))
    return Reply(told, status, {"ETag": f'"{told["tick"]}"', **(headers or {})}, is_noted=begun is not None)


def _told_here(server: Installation, run: Run) -> dict[str, Any]:
    """Return what is told of a run that was begun and has ended well in this process; nothing: it has not."""
    port, execution = run.port, run.execution
    if port is None or port.created_at is None or not run.is_done:
        return {}
    if not isinstance(execution.outcome, StopEvent):
        return {}
    name, version = run.workflow._wfc.name, server.engine.version_of(run.workflow)
    row = RunRow(
        run.run_id, name, version, run.key, "done", None, port.created_at, execution.at, None, 0, 0, None
    )
    return {**run_data(row), "tick": port.seq, "waits": [], **outcome_data(execution.outcome)}


def _told_of(server: Installation, principal: Principal, run_id: str) -> tuple[RunRow, dict[str, Any]]:
    row = server.find_run(principal, run_id)
    found = server.engine.store.select(partial(paging.progress, run_ids=[run_id])).get(run_id)
    waits = [] if row.ended is not None else server.engine.waits_of(run_id)
    told = run_data(row)
    told["tick"] = 0 if found is None else found.seq
    told["waits"] = [{"step": one.step, "for": one.what, "until": moment(one.until)} for one in waits]
    return row, told


async def show_run(server: Installation, call: Call) -> Reply:
    """Show a run as it is now; with `?wait=30`, once it is over or rests, or after so many seconds."""
    run_id = call.path["run"]
    await server.run_for(call.principal, run_id)
    if wait := call.number("wait", 0):
        await server.wait_for(run_id, wait)
    return await run_reply(server, call.principal, run_id)


async def show_history(server: Installation, call: Call) -> Reply:
    """Show what is recorded of a run, tick by tick: those after `since`."""
    run_id = call.path["run"]
    await server.run_for(call.principal, run_id)
    since, most = call.number("since", 0), call.number("most", 100)
    ticks, _ = await asyncio.to_thread(
        server.engine.store.select, partial(selecting.ticks_after, run_id=run_id, since=since, most=most)
    )
    told = []
    for seq, body in ticks:
        kind, at, *data = json.loads(body)
        told.append({"tick": seq, "at": moment(at), "kind": kind, "data": data})
    return Reply({"ticks": told, "next": told[-1]["tick"] if len(told) == most else None})


async def show_run_at(server: Installation, call: Call) -> Reply:
    """Show how a run was after a tick: its state, its steps, the events that nobody had taken.

    Raises:
        Problem: The tick is no number.
    """
    row = await server.run_for(call.principal, call.path["run"])
    seq = call.path["seq"]
    if not (seq.isascii() and seq.isdigit() and len(seq) <= 15):
        raise Problem(400, "query", "a tick has a whole number")
    server.load_code(row)
    return Reply(await asyncio.to_thread(_told_at, server, row, int(seq)))


async def draw_run(server: Installation, call: Call) -> TextReply:
    """Draw the workflow of a run, with how often each step has run, and how that went: now, or after the tick `at`.

    `form` is as for a workflow.
    """
    from wfc.runtime.drawing.rendering import render
    from wfc.runtime.drawing.stored import stored_flow

    row = await server.run_for(call.principal, call.path["run"])
    server.load_code(row)
    workflow: Any = server.engine.workflow(row.workflow, version=row.version)
    form = call.query.get("form", "mermaid")
    at = call.number("at", 0)
    replay = await asyncio.to_thread(_told_until, server, row.run_id, at)
    flow = stored_flow(workflow, replay.lines(), form, call.principal.knows)
    return drawing(await asyncio.to_thread(render, flow, form), form)


def _told_until(server: Installation, run_id: str, at: int) -> Replay:
    return server.engine.told(run_id, at or server.engine.last_tick(run_id))


def _told_at(server: Installation, row: RunRow, seq: int) -> bytes:
    """Return what is told of a run after a tick, written: of 10,000 steps that is two megabytes."""
    replay = server.engine.told(row.run_id, seq)
    execution = replay.execution
    told = {
        "run": row.run_id,
        "workflow": row.workflow,
        "tick": replay.seq,
        "at": moment(execution.at) if execution.at else None,
        "state": state_of(execution),
        "pending": pending_of(execution),
        "searches": [search_data(seq, each) for seq, each in replay.searches if replay.counts(seq)],
        **outcome_data(execution.outcome),
    }
    lines, steps = iter(replay.lines()), []
    while some := [step_data(line) for line in islice(lines, WRITTEN_TOGETHER)]:
        steps.append(json_bytes(some)[1:-1])
    return json_bytes(told)[:-1] + b',"steps":[' + b",".join(steps) + b"]}"


# --- streams


async def stream_run(server: Installation, call: Call) -> StreamReply:
    """Stream what a run shows, from its beginning, or on from `Last-Event-ID` (or `?since=`), until it is over.

    It comes as events for browsers (SSE), or with `Accept: application/x-ndjson` as a line of JSON for each.

    Raises:
        Problem: The run has not come so far.
    """
    run_id = call.path["run"]
    row = await server.run_for(call.principal, run_id)
    server.load_code(row)
    text = call.headers.get("last-event-id") or call.query.get("since")
    since = START if not text else read_position(text)
    progress = await server.watch.progress(run_id)
    if progress is not None and since.seq > progress.seq:
        raise Problem(400, "stream.position", f"the run has not come so far: its last tick is {progress.seq}")
    messages = server.feeds.messages(run_id, Position(*since), lambda: server.is_draining)
    return StreamReply(messages, as_lines="application/x-ndjson" in call.headers.get("accept", ""))


async def stream_changes(server: Installation, call: Call) -> StreamReply:
    """Stream which runs come further, from now on: for pages that show many, which then ask for what they show.

    Who may not see runs is told that the questions may be other ones. Nothing has an id: what was missed is missed.
    """
    messages = server.changes.messages(call.principal, lambda: server.is_draining)
    return StreamReply(messages, as_lines="application/x-ndjson" in call.headers.get("accept", ""))


# --- what is done with one


async def check_moved(server: Installation, call: Call) -> None:
    """Check whether a run is where whoever asks has seen it, if that is said.

    Raises:
        Problem: It has moved.
    """
    wanted = call.headers.get("if-match")
    if wanted is None or wanted.strip() == "*":
        return
    progress: Progress | None = await server.watch.progress(call.path["run"])
    now = 0 if progress is None else progress.seq
    if wanted.strip().strip('"') != str(now):
        raise Problem(
            412, "run.moved", f"the run has come further: its last tick is {now}", more={"tick": now}
        )


async def send_event(server: Installation, call: Call) -> Reply:
    """Bring an event to a run that receives it. With a `message_id` the run takes it once, however often it is sent."""
    run_id = call.path["run"]
    row = await server.run_for(call.principal, run_id)
    data = call.data
    await check_moved(server, call)
    event = event_of(data)
    server.load_code(row)
    if row.ended is None:
        await asyncio.to_thread(server.engine.check_message, run_id, event)
    await server.engine.post(run_id, event, message_id=data.get("message_id"))
    server.look_now()
    return Reply({"run": run_id}, 202)


async def send_message(server: Installation, call: Call) -> Reply:
    """Bring an event to the runs of a workflow under a key, which is that of the event unless it is given.

    Raises:
        Problem: No run takes the event.
    """
    data = call.data
    name = data["workflow"]
    workflow = server.workflow_for(call.principal, name)
    event = event_of(data)
    receives = workflow._wfc.run_rules.receives.get(event.event)
    if receives is None:
        raise Problem(422, "message.invalid", f"`{name}` does not receive `{event.event[:100]}`")
    key = data.get("key")
    if key is None and receives.key is not None:
        key = _key_in(event, receives)
    if key is None:
        raise Problem(422, "message.key", "which runs it is for is said by `key`")
    found = await asyncio.to_thread(server.engine.runs_under, name, key)
    if not found:
        raise Problem(404, "run.unknown", f"no run of `{name}` under this key is under way")
    if workflow._wfc.run_rules.when_running == "queue":
        found = found[:1]
    for run_id in found:
        await server.engine.post(run_id, event, message_id=data.get("message_id"))
    server.look_now()
    return Reply({"runs": found}, 202)


def _key_in(event: EventData, receives: Any) -> str | None:
    from wfc.runtime.driver.messages import key_of_event

    return key_of_event(event, receives)


def event_of(data: Mapping[str, Any]) -> EventData:
    """Return the event that a body names."""
    return EventData(data["event"], data.get("with", {}))


async def cancel_run(server: Installation, call: Call) -> Reply:
    """Cancel a run; what it undoes on its way out may take longer than the reply."""
    run_id = call.path["run"]
    row = await server.run_for(call.principal, run_id)
    await check_moved(server, call)
    server.load_code(row)
    reason = f"{call.principal.name}: {call.data.get('reason') or 'cancelled'}"[:500]
    cancelling = asyncio.ensure_future(server.engine.cancel(run_id, reason))
    await asyncio.wait([cancelling], timeout=CANCELLED_IN)
    if cancelling.done():
        cancelling.result()
    else:
        server.keep(cancelling)
    server.look_now()
    return await run_reply(server, call.principal, run_id, status=200 if cancelling.done() else 202)


async def resume_run(server: Installation, call: Call) -> Reply:
    """Let a run go on: one that has halted, or one that has failed, from what has failed (`?dry` only tells what).

    It keeps its version of the workflow; with `upgrade` one that has failed moves to the version that this server
    starts. A dry call tells as `newer` what that would mean, if that is another one.

    Raises:
        Problem: The run is over, or cannot go on with that version.
    """
    run_id = call.path["run"]
    row = await server.run_for(call.principal, run_id)
    await check_moved(server, call)
    server.load_code(row)
    is_dry = call.flag("dry")
    if row.status in {"failed", "cancelled", "dead"}:
        version = _started_now(server, call, row) if call.data.get("upgrade") else ""
        told = await server.engine.retry(run_id, version=version, dry_run=is_dry)
        if not is_dry:
            server.look_now()
        newer = {"newer": await _newer(server, call, row)} if is_dry else {}
        return Reply({"run": run_id, "dry": is_dry, **rewinding_data(told), **newer}, 200 if is_dry else 202)
    if call.data.get("upgrade"):
        raise Problem(409, "run.not_failed", "only a run that has failed goes on with another version here")
    if row.status == "halted" and not is_dry:
        handler = await server.engine.resume(run_id)
        handler.go_on()
        server.rest_soon(handler)
    elif row.ended is not None:
        raise Problem(409, "run.ended", f"the run {run_id} is over")
    server.look_now()
    return Reply({"run": run_id, "dry": is_dry, "again": []}, 200 if is_dry else 202)


def _started_now(server: Installation, call: Call, row: RunRow) -> str:
    """Return the version of a run's workflow that this server starts; an empty text: it starts none."""
    if row.workflow not in server.offered:
        return ""
    return server.engine.version_of(server.workflow_for(call.principal, row.workflow))


async def _newer(server: Installation, call: Call, row: RunRow) -> dict[str, Any] | None:
    """Return what it would mean that a failed run goes on with the version that this server starts; `None`: nothing."""
    version = _started_now(server, call, row)
    if version in {"", row.version}:
        return None
    try:
        told = await server.engine.retry(row.run_id, version=version, dry_run=True)
    except StoreError as error:
        return {"version": version, "verdicts": [], "refused": str(error)}
    return {"version": version, "verdicts": [one._asdict() for one in told.verdicts], "refused": None}


def rewinding_data(told: Any) -> dict[str, Any]:
    """Return what it means that a run goes on from an earlier tick: which steps are done again, what is lost."""
    return {
        "after": told.to,
        "last": told.last,
        "failed_by": told.failed_by,
        "again": [one._asdict() for one in told.again],
        "gone": list(told.came),
        "parts": [{"run": one.run_id, **rewinding_data(one)} for one in told.parts],
    }
