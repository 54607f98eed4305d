"""What people have done with a run: told of it, and the two deeds that are nothing but their entry in the audit."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.data import moment
from wfc.runtime.server.installation import Installation
from wfc.runtime.store.sql.audit import BROUGHT_BACK, SET_ASIDE, page_of_audit

__all__ = ["bring_back_run", "list_deeds", "set_aside_run"]

MOST: Final = 200


async def list_deeds(server: Installation, call: Call) -> Reply:
    """List what people have done with a run, the newest first: who, what, and why, as far as the audit still has it.

    What was refused is not among it. `set_aside` says whether somebody has set it aside since it has failed.
    """
    row = await server.run_for(call.principal, call.path["run"])
    read = partial(page_of_audit, target=row.run_id, most=MOST)
    found = [one for _, one in await asyncio.to_thread(server.engine.store.select, read)]
    done = [one for one in found if one.result[:3] in {"200", "201", "202"}]
    told = [
        {
            "at": moment(one.at),
            "who": one.who,
            "via": one.via,
            "action": one.action,
            "reason": one.result.partition(": ")[2],
        }
        for one in done
    ]
    last = next((one for one in done if one.action in {SET_ASIDE, BROUGHT_BACK}), None)
    is_aside = (
        last is not None and last.action == SET_ASIDE and row.ended is not None and last.at >= row.ended
    )
    return Reply({"run": row.run_id, "deeds": told, "set_aside": is_aside})


async def set_aside_run(server: Installation, call: Call) -> Reply:
    """Set a failed run aside; its entry in the audit is all that this is."""
    return await _note(server, call)


async def bring_back_run(server: Installation, call: Call) -> Reply:
    """Take back that a failed run was set aside."""
    return await _note(server, call)


async def _note(server: Installation, call: Call) -> Reply:
    row = await server.run_for(call.principal, call.path["run"])
    if row.status not in {"failed", "dead"}:
        raise Problem(409, "run.not_failed", f"the run {row.run_id} has not failed: it is {row.status}")
    if not call.flag("dry"):
        await server.audit.write(call, "200", str(call.data.get("reason", "")))
    return Reply({"run": row.run_id, "status": row.status})
