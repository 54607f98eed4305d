"""Endpoints that change what a run is: forks, and moves to another version of its workflow; all told beforehand."""

from __future__ import annotations

from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.runs import check_moved, rewinding_data

__all__ = ["fork_run", "upgrade_run"]


async def fork_run(server: Installation, call: Call) -> Reply:
    """Begin a new run that goes on from how this one was after a tick (`at`), or when a step began (`step`).

    With `?dry` nothing is done: it is told which steps would be done again, with their effects outside.

    Raises:
        Problem: The tick is named twice or not at all, or the run has moved.
    """
    row = await server.run_for(call.principal, call.path["run"])
    data = call.data
    if ("at" in data) == ("step" in data):
        raise Problem(422, "body.members", "name the tick: by `at`, or by `step`, which began then")
    await check_moved(server, call)
    server.load_code(row)
    at = data["at"] if "at" in data else server.engine.beginning_of_step(row.run_id, data["step"])
    state, is_dry = data.get("state"), call.flag("dry")
    told = await server.engine.fork(row.run_id, at, state=state, dry_run=True)
    if not is_dry:
        await server.engine.fork(row.run_id, at, state=state, by=call.principal.name, new_id=told.run_id)
        server.look_now()
    again = {"run": told.run_id, "of": row.run_id, "dry": is_dry, **rewinding_data(told)}
    return Reply(
        again, 200 if is_dry else 201, {} if is_dry else {"Location": f"{call.server}/v1/runs/{told.run_id}"}
    )


async def upgrade_run(server: Installation, call: Call) -> Reply:
    """Move a run that rests to the version of its workflow that this server starts; `?dry` tells what that means.

    Raises:
        Problem: The run cannot go on with that version.
    """
    row = await server.run_for(call.principal, call.path["run"])
    await check_moved(server, call)
    workflow = server.workflow_for(call.principal, row.workflow)
    server.load_code(row)
    version, is_dry = server.engine.version_of(workflow), call.flag("dry")
    if not version:
        raise Problem(409, "run.code_missing", "this server's own workflow has no version that is kept")
    told = await server.engine.upgrade(row.run_id, version=version, dry_run=True)
    data = {
        "run": row.run_id,
        "dry": is_dry,
        "from": row.version,
        "to": version,
        "verdicts": [one._asdict() for one in told.verdicts],
        "refusals": [{"run": run_id, **one._asdict()} for run_id, one in told.refusals],
    }
    if is_dry:
        return Reply(data)
    if told.refusals:
        words = "; ".join(one.told for _, one in told.refusals[:3])
        raise Problem(409, "run.not_upgradable", f"the run cannot go on with it: {words}", more=data)
    await server.engine.upgrade(row.run_id, version=version)
    server.look_now()
    return Reply(data)
