"""The endpoint that starts runs: once for each idempotency key, however often it is asked."""

from __future__ import annotations

import asyncio
import hashlib
import json
import uuid
from functools import partial
from typing import Any, Final, NamedTuple

from pydantic import ValidationError

from wfc.runtime.driver.engine.children import StartableWorkflow
from wfc.runtime.driver.run import Run
from wfc.runtime.errors import RunExistsError
from wfc.runtime.events import StartEvent
from wfc.runtime.server.access import Principal
from wfc.runtime.server.auditing import entry_of
from wfc.runtime.server.calls import Call, FieldProblem, Problem, Reply
from wfc.runtime.server.data import json_bytes
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.refusals import misfit
from wfc.runtime.server.runs import run_reply
from wfc.runtime.store.journal import AuditEntry, Entry, KeyTaken, Lost
from wfc.runtime.store.sql import selecting

__all__ = ["LONGEST_WAIT", "begin_run", "start_run"]

LONGEST_WAIT: Final = 60
LONGEST_KEY: Final = 255


async def start_run(server: Installation, call: Call) -> Reply:
    """Start a run.

    With an `Idempotency-Key` the same request starts one run, however often it is sent. With `?wait=30` the reply
    comes when the run is over or rests, or after so many seconds.

    Raises:
        Problem: The inputs do not fit, or the server is about to end.
    """
    workflow = server.workflow_for(call.principal, call.path["workflow"])
    wait = call.number("wait", 0)
    if server.is_draining:
        raise Problem(503, "server.draining", "the server is about to end", headers={"Retry-After": "5"})
    start = read_inputs(workflow._wfc.plan.start_class, call.data.get("inputs", {}))
    key = call.headers.get("idempotency-key")
    run_id = uuid.uuid4().hex if key is None else keyed_id(call.principal, workflow._wfc.name, key)
    is_again = False
    begun = Begun(run_id)
    try:
        begun = await begin_run(server, workflow, start, run_id, entry_of(call, "201", run_id))
    except Lost:
        await _check_same(server, run_id, server.engine.queued_entry(workflow, start, run_id))
        is_again = True
    if begun.run_id != run_id:
        return await run_reply(server, call.principal, begun.run_id)
    if wait and (begun.run is None or not begun.run.is_done):
        await server.wait_for(run_id, wait)
    headers = {"Location": f"{call.server}/v1/runs/{run_id}"}
    if is_again:
        headers["Idempotent-Replay"] = "true"
    status = 200 if is_again else 201
    return await run_reply(server, call.principal, run_id, status=status, headers=headers, begun=begun.run)


def read_inputs(kind: type[StartEvent], inputs: dict[str, Any], *above: str) -> StartEvent:
    """Return a start event of inputs from outside, by the names that they have there.

    Raises:
        Problem: They do not fit.
    """
    try:
        return kind.model_validate_json(json_bytes(inputs), strict=True, by_alias=True, by_name=False)
    except ValidationError as error:
        raise misfit(
            error, "run.inputs", "the inputs do not fit the workflow", *(above or ("inputs",))
        ) from None


def keyed_id(principal: Principal, workflow: str, key: str) -> str:
    """Return the id of the run that a key stands for; that of somebody else is another one.

    Raises:
        Problem: It is no key.
    """
    if not key or len(key) > LONGEST_KEY or not key.isprintable():
        raise Problem(400, "key", f"`Idempotency-Key` has 1 to {LONGEST_KEY} characters that can be printed")
    parts = json.dumps([principal.name, workflow, key])
    return f"k-{hashlib.sha256(parts.encode()).hexdigest()[:32]}"


class Begun(NamedTuple):
    """The run that a request has started or joined; the run itself if it was begun in this process."""

    run_id: str
    run: Run | None = None


async def begin_run(
    server: Installation,
    workflow: StartableWorkflow,
    start: StartEvent,
    run_id: str,
    noted: AuditEntry | None = None,
) -> Begun:
    """Record a new run, which begins here, or is due; or join another one as its workflow says.

    Args:
        noted: What the audit has of it, if it begins here.

    Raises:
        Lost: There is a run of this id.
        RunExistsError: There is one of its key, and the workflow allows no second.
    """
    if (run := await server.begin_here(workflow, start, run_id, noted)) is not None:
        return Begun(run_id, run)
    joined = await _enqueue(server, workflow, server.engine.queued_entry(workflow, start, run_id))
    server.look_now()
    return Begun(joined or run_id)


async def _enqueue(server: Installation, workflow: StartableWorkflow, entry: Entry) -> str | None:
    """Record a new run, which then is due; return the run that it joins instead, if it does.

    Raises:
        Lost: There is a run of this id.
        RunExistsError: There is one of its key, and the workflow allows no second.
    """
    try:
        await server.engine.store.append_together([entry])
    except KeyTaken as taken:
        if workflow._wfc.run_rules.when_running == "join":
            return taken.run_id
        raise RunExistsError(str(taken), taken.run_id) from None
    return None


async def _check_same(server: Installation, run_id: str, entry: Entry) -> None:
    """Check whether a run that is there was started with what another request says.

    Raises:
        Problem: It was not.
    """
    found = await asyncio.to_thread(server.engine.store.select, partial(selecting.beginning, run_id=run_id))
    assert entry.created is not None
    if found is None or json.loads(found.start)["event"] != json.loads(entry.created.start)["event"]:
        raise Problem(
            422,
            "key.reused",
            "this `Idempotency-Key` has started a run with other inputs",
            errors=(FieldProblem("/inputs", "they are not those of the first request"),),
        )
