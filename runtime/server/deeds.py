"""What people have done with a run: told of it, and the two deeds that are nothing but their entry in the audit."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from wfc.runtime.server.calls import Call, Problem, Reply
from wfc.runtime.server.data import moment
from wfc.runtime.server.installation import Installation
from wfc.runtime.store.sql.audit import page_of_audit
from wfc.runtime.store.sql.paging import is_aside

__all__ = ["bring_back_run", "list_deeds", "set_aside_run"]

MOST: Final = 200


async def list_deeds(server: Installation, call: Call) -> Reply:
    """List what people have done with a run and its questions, the newest first: who, what, and why.

    It goes back as far as the audit does, and what was refused is not among it. `set_aside` says whether somebody has
    set it aside since it has failed.
    """
    row = await server.run_for(call.principal, call.path["run"])
    read = partial(page_of_audit, run_id=row.run_id, done=True, most=MOST)
    found = [one for _, one in await asyncio.to_thread(server.engine.store.select, read)]
    aside = await asyncio.to_thread(server.engine.store.select, partial(is_aside, run_id=row.run_id))
    told = [
        {
            "at": moment(one.at),
            "who": one.who,
            "via": one.via,
            "action": one.action,
            "reason": one.result.partition(": ")[2],
        }
        for one in found
    ]
    return Reply({"run": row.run_id, "deeds": told, "set_aside": aside})


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
