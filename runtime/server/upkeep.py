"""Endpoints about the server itself: whether it lives and is ready, its figures, who one is, and its description."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Final

from wfc.runtime.errors import StoreError
from wfc.runtime.server.calls import Call, Problem, Reply, TextReply
from wfc.runtime.server.cursors import read_cursor, write_cursor
from wfc.runtime.server.data import moment
from wfc.runtime.server.installation import Installation
from wfc.runtime.store.sql import paging
from wfc.runtime.store.sql.audit import page_of_audit

__all__ = ["list_audit", "livez", "readyz", "show_me", "show_metrics"]

_PROMETHEUS: Final = "text/plain; version=0.0.4"


async def livez(_: Installation, __: Call) -> Reply:
    """Tell that the server is alive."""
    return Reply({"alive": True})


async def readyz(server: Installation, _: Call) -> Reply:
    """Tell whether the server can reach its store, works on runs and takes requests: 200, or else 503.

    Raises:
        Problem: It does not.
    """
    if server.is_draining:
        raise Problem(503, "server.draining", "the server is about to end")
    try:
        await asyncio.to_thread(server.engine.store.select, paging.known_workflows)
    except StoreError:
        raise Problem(503, "store.unavailable", "the store of runs cannot be reached now") from None
    if server.has_no_worker:
        raise Problem(503, "worker.unavailable", "no run is worked on now: the server's log says why")
    return Reply({"ready": True})


async def show_metrics(server: Installation, call: Call) -> TextReply:
    """Show figures in the text format of Prometheus, to those who may see all workflows.

    Raises:
        Problem: They are not for this one.
    """
    if not call.principal.knows_all:
        raise Problem(403, "role.missing", "figures are for those who may see all workflows")
    return TextReply(await asyncio.to_thread(server.metrics.text), _PROMETHEUS)


async def show_me(server: Installation, call: Call) -> Reply:
    """Tell who one is for this server, and what one may do there: nobody is an author where
    there is nothing to write."""
    one = call.principal
    has_author = any("author" in endpoint.roles for endpoint in server.beside)
    return Reply(
        {
            "name": one.name,
            "roles": sorted(one.roles if has_author else one.roles - {"author"}),
            "workflows": list(one.workflows),
            "groups": list(one.groups),
        }
    )


async def list_audit(server: Installation, call: Call) -> Reply:
    """List what was done and refused, the newest first, page by page, to those who may operate all workflows.

    Raises:
        Problem: It is not for this one.
    """
    if not call.principal.knows_all:
        raise Problem(403, "role.missing", "the audit is for those who may operate all workflows")
    most, after = call.number("most", 100), call.query.get("after")
    before = None if after is None else int(read_cursor(after, int)[0])
    who, action, target = (call.query.get(name) for name in ("who", "action", "target"))
    read = partial(page_of_audit, before=before, most=most, who=who, action=action, target=target)
    found = await asyncio.to_thread(server.engine.store.select, read)
    following = write_cursor(found[-1][0]) if len(found) == most else None
    entries = [{**one._asdict(), "at": moment(one.at)} for _, one in found]
    return Reply({"entries": entries, "next": following})
