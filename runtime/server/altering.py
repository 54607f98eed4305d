"""Endpoints that change what a run is: forks, and moves to another version of its workflow; all told beforehand."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from difflib import unified_diff
from itertools import islice
from typing import Final

from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.runs import check_moved, rewinding_data

__all__ = ["compare_run", "fork_run", "upgrade_run"]

MOST_LINES: Final = 2_000
"""How many lines are told of the differences of a file."""


async def fork_run(server: Installation, call: Call) -> Reply:
    """Begin a new run that goes on from how this one was after a tick (`at`), or when a step began (`step`),
    or at a place within an agent, such as `answer/turn 3`; its agents go on from where they were at that moment.

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
    if "at" in data:
        at = data["at"]
    else:  # agents are read wholly for it
        at = await asyncio.to_thread(server.engine.point_of, row.run_id, data["step"])
    state, is_dry = data.get("state"), call.flag("dry")
    told = await server.engine.fork(row.run_id, at, state=state, dry_run=True)
    if not is_dry:
        await server.engine.fork(row.run_id, at, state=state, by=call.principal.name, new_id=told.run_id)
        server.look_now()
    again = {"run": told.run_id, "of": row.run_id, "dry": is_dry, **rewinding_data(told)}
    return Reply(
        again, 200 if is_dry else 201, {} if is_dry else {"Location": f"{call.server}/v1/runs/{told.run_id}"}
    )


async def compare_run(server: Installation, call: Call) -> Reply:
    """Compare the version that a run is on with the one that this server starts: whether it may go on with that, and
    what differs in the Python of both, as far as that of the run's version is kept here.

    Raises:
        Problem: The workflow is not served any more.
    """
    row = await server.run_for(call.principal, call.path["run"])
    workflow = server.workflow_for(call.principal, row.workflow)
    now = server.engine.version_of(workflow)
    told: dict[str, object] = {
        "run": row.run_id,
        "from": row.version,
        "to": now,
        "verdicts": [],
        "refusals": [],
    }
    if now == row.version or not now:
        return Reply({**told, "files": []})
    if row.ended is None:
        server.load_code(row)
        judged = await server.engine.upgrade(row.run_id, version=now, dry_run=True)
        told["verdicts"] = [one._asdict() for one in judged.verdicts]
        told["refusals"] = [{"run": run_id, **one._asdict()} for run_id, one in judged.refusals]
    old, new = server.kept_python(row.workflow, row.version), server.kept_python(row.workflow, now)
    files = None if old is None or new is None else await asyncio.to_thread(_differences, old, new)
    return Reply({**told, "files": files})


def _differences(old: Mapping[str, str], new: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the files that differ, each with its differences line by line, as `diff -u` writes them."""
    found = []
    for path in sorted(old.keys() | new.keys()):
        before, after = old.get(path, "").splitlines(), new.get(path, "").splitlines()
        if before != after:
            lines = islice(unified_diff(before, after, "then", "now", lineterm=""), MOST_LINES)
            found.append({"path": path, "difference": "\n".join(lines)})
    return found


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
