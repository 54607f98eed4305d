"""Endpoints over many runs at once: how many there are, what they fail by, and what is done with several together."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from datetime import UTC, datetime
from functools import partial
from typing import Any, Final

from wfc.runtime.errors import WorkflowError
from wfc.runtime.server.access import Principal
from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.cursors import read_moment
from wfc.runtime.server.data import moment
from wfc.runtime.server.deeds import bring_back_run, set_aside_run
from wfc.runtime.server.endpoint import FLAG, TEXT, YES, Endpoint, list_of, object_of
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.refusals import problem_of
from wfc.runtime.server.runs import cancel_run, resume_run
from wfc.runtime.store.sql import counting, paging
from wfc.runtime.store.sql.audit import BROUGHT_BACK, SET_ASIDE
from wfc.runtime.store.sql.paging import FailedRun

__all__ = ["OVER_MANY", "cancel_runs", "count_runs", "resume_runs", "set_aside_runs"]

MOST_FAILURES: Final = 5000
"""How many failed runs are looked at, the newest first."""

MOST_AT_ONCE: Final = 200
SHOWN: Final = 20
"""How many runs of a group are named."""

SINCE: Final = 7 * 24 * 3600
SECOND: Final = 1_000_000_000


async def count_runs(server: Installation, call: Call) -> Reply:
    """Count runs by workflow and status, and group those that have failed: by workflow, step and error. Those that
    somebody has set aside since are only counted.

    Failures are those since a moment (`since`, seven days ago by default), 5,000 at most, the newest first.
    """
    since = read_moment(call, "since")
    now = _now()
    names = await server.workflows_for(call.principal)
    found = await asyncio.to_thread(server.engine.store.select, partial(counting.counts, now=now))
    runs = [
        {"workflow": workflow, "status": status, "count": count}
        for workflow, status, count in found.runs
        if call.principal.knows(workflow)
    ]
    since = now - SINCE * SECOND if since is None else since
    failed = await _failed(server, names, since)
    told: dict[str, Any] = {"runs": runs, "failures": _grouped(failed)}
    told["failures_left_off"] = len(failed) == MOST_FAILURES
    aside = partial(paging.count_aside, workflows=names, since=since)
    told["set_aside"] = await asyncio.to_thread(server.engine.store.select, aside)
    if names is None:
        told["tasks"] = {"open": found.open_tasks, "overdue": found.overdue_tasks}
    return Reply(told)


async def _failed(
    server: Installation, names: Sequence[str] | None, since: int, *, aside: bool = False
) -> list[FailedRun]:
    read = partial(paging.failed_runs, workflows=names, since=since, most=MOST_FAILURES, aside=aside)
    return await asyncio.to_thread(server.engine.store.select, read)


def _grouped(failed: Sequence[FailedRun]) -> list[dict[str, Any]]:
    """Return groups of failures, the largest first; of each the newest runs are named."""
    groups: dict[tuple[str, str, str], list[FailedRun]] = {}
    for one in failed:
        groups.setdefault((one.workflow, one.step, one.error), []).append(one)
    told = [
        {
            "workflow": workflow,
            "step": step,
            "error": error,
            "count": len(runs),
            "since": moment(min(one.since for one in runs)),
            "last": moment(runs[0].ended),
            "runs": [one.run_id for one in runs[:SHOWN]],
        }
        for (workflow, step, error), runs in groups.items()
    ]
    return sorted(told, key=lambda one: -one["count"])


def _now() -> int:
    return int(datetime.now(UTC).timestamp() * SECOND)


# --- what is done with several


async def cancel_runs(server: Installation, call: Call) -> Reply:
    """Cancel several runs: those of a list (`runs`), or those of a workflow with a status; `?dry` only tells which.

    Each is told apart: one that cannot be cancelled hinders no other. `left_off` says that there are more.
    """
    chosen, more = await _chosen(server, call, ("live", "queued", "parked", "halted"))
    told = await _each(server, call, chosen, "cancel_run", cancel_run)
    return Reply({"dry": call.flag("dry"), "runs": told, "left_off": more})


async def resume_runs(server: Installation, call: Call) -> Reply:
    """Let several runs go on: those of a list (`runs`), or those that have failed alike (`workflow`, `step`, `error`).

    With `?dry` nothing is done: it is told which steps each would do again. With `upgrade` they move to the version
    that this server starts. `left_off` says that there are more.
    """
    chosen, more = await _chosen(server, call, ("failed", "dead", "halted"))
    told = await _each(server, call, chosen, "resume_run", resume_run)
    return Reply({"dry": call.flag("dry"), "runs": told, "left_off": more})


async def set_aside_runs(server: Installation, call: Call) -> Reply:
    """Set failed runs aside, for a reason: those of a list (`runs`), or those that have failed alike (`workflow`,
    `step`, `error`). They stay as they are and may still go on, but are no news any more. `back` takes that back.

    Each is told apart; `?dry` only tells which. `left_off` says that there are more.

    Raises:
        Problem: There is no reason.
    """
    back = bool(call.data.get("back"))
    if not back and not str(call.data.get("reason", "")).strip():
        raise Problem(422, "body.members", "say why they are set aside, by `reason`")
    chosen, more = await _chosen(server, call, ("failed", "dead"), aside=back)
    action, do = (BROUGHT_BACK, bring_back_run) if back else (SET_ASIDE, set_aside_run)
    told = await _each(server, call, chosen, action, do)
    return Reply({"dry": call.flag("dry"), "runs": told, "left_off": more})


async def _chosen(
    server: Installation, call: Call, statuses: Sequence[str], *, aside: bool | None = None
) -> tuple[list[str], bool]:
    """Return the ids of the runs that a request means, and whether there are more of them.

    Args:
        aside: Those that have been set aside, or those that have not; ``None``: with a status, both.

    Raises:
        Problem: It names none.
    """
    data = call.data
    if ("runs" in data) == ("workflow" in data):
        raise Problem(
            422, "body.members", "name the runs: by `runs`, or by `workflow` and what they have in common"
        )
    if "runs" in data:
        return list(dict.fromkeys(data["runs"])), False
    name, status = data["workflow"], data.get("status")
    if not call.principal.knows(name):
        return [], False
    if status is not None and status not in statuses:
        raise Problem(422, "body.members", f"`status` is one of {', '.join(statuses)} here")
    if aside is not None or "step" in data or "error" in data:
        if "failed" not in statuses:
            raise Problem(422, "body.members", "`step` and `error` are of runs that have failed")
        failed = await _failed(server, [name], 0, aside=bool(aside))
        found = [one.run_id for one in failed if _is_like(one, data) and status in (None, one.status)]
    else:
        found = []
        for one in [status] if status else statuses:
            read = partial(paging.page_of_runs, workflows=[name], status=one, most=MOST_AT_ONCE + 1)
            found += [row.run_id for _, row in await asyncio.to_thread(server.engine.store.select, read)]
    return found[:MOST_AT_ONCE], len(found) > MOST_AT_ONCE


def _is_like(one: FailedRun, data: Any) -> bool:
    return bool(one.step == data.get("step", one.step) and one.error == data.get("error", one.error))


async def _each(
    server: Installation,
    call: Call,
    run_ids: Sequence[str],
    action: str,
    do: Callable[[Installation, Call], Awaitable[Reply]],
) -> list[dict[str, Any]]:
    """Do something with each of some runs, and return what has become of each."""
    told = []
    for run_id in run_ids:
        own = Call(
            call.principal,
            {"run": run_id},
            call.query,
            {},
            {name: call.data[name] for name in ("reason", "upgrade") if name in call.data},
            server=call.server,
            via=call.via,
            action=action,
        )
        if call.flag("dry") and do is cancel_run:
            told.append(await _would_cancel(server, call.principal, run_id))
            continue
        result = "200"
        try:
            reply = await do(server, own)
            told.append({"run": run_id, "done": not call.flag("dry"), **_shortened(reply.data)})
        except (Problem, WorkflowError) as error:
            problem = error if isinstance(error, Problem) else problem_of(error, server.engine.store.errors)
            result = problem.code
            told.append({"run": run_id, "done": False, "code": problem.code, "detail": problem.detail})
        is_noted = result == "200" and do in {set_aside_run, bring_back_run}
        if not call.flag("dry") and not is_noted:
            await server.audit.note(own, result, str(call.data.get("reason", "")))
    return told


async def _would_cancel(server: Installation, principal: Principal, run_id: str) -> dict[str, Any]:
    try:
        row = await server.run_for(principal, run_id)
    except Problem as problem:
        return {"run": run_id, "done": False, "code": problem.code, "detail": problem.detail}
    if row.ended is not None:
        return {"run": run_id, "done": False, "code": "run.ended", "detail": f"the run {run_id} is over"}
    return {"run": run_id, "done": False, "status": row.status}


def _shortened(data: Any) -> dict[str, Any]:
    """Return what is told of one run among many."""
    return {name: data[name] for name in ("status", "again", "gone", "failed_by", "newer") if name in data}


_CHOICE: Final = {
    "runs": list_of(TEXT, 1, MOST_AT_ONCE),
    "workflow": TEXT,
    "status": TEXT,
    "step": TEXT,
    "error": TEXT,
    "reason": TEXT,
    "upgrade": YES,
}

_ASIDE: Final = {name: _CHOICE[name] for name in ("runs", "workflow", "step", "error", "reason")}

OVER_MANY: Final[tuple[Endpoint, ...]] = (
    Endpoint("GET", "/v1/runs/counts", "count_runs", count_runs, ("see",), query={"since": TEXT}),
    Endpoint(
        "POST",
        "/v1/runs/cancel",
        "cancel_runs",
        cancel_runs,
        ("operate",),
        body=object_of(**{name: _CHOICE[name] for name in ("runs", "workflow", "status", "reason")}),
        query={"dry": FLAG},
    ),
    Endpoint(
        "POST",
        "/v1/runs/set-aside",
        "set_aside_runs",
        set_aside_runs,
        ("operate",),
        body=object_of(**_ASIDE, back=YES),
        query={"dry": FLAG},
    ),
    Endpoint(
        "POST",
        "/v1/runs/resume",
        "resume_runs",
        resume_runs,
        ("operate",),
        body=object_of(**_CHOICE),
        query={"dry": FLAG},
    ),
)
