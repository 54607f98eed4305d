"""Endpoints about the server itself: whether it lives and is ready, its figures, who one is, and its description."""

from __future__ import annotations

import asyncio
from typing import Final

from wfc.runtime.errors import StoreError
from wfc.runtime.server.calls import Call, Problem, Reply, TextReply
from wfc.runtime.server.installation import Installation
from wfc.runtime.store.sql import paging

__all__ = ["livez", "readyz", "show_me", "show_metrics"]

_PROMETHEUS: Final = "text/plain; version=0.0.4"


async def livez(_: Installation, __: Call) -> Reply:
    """Tell that the server is alive."""
    return Reply({"alive": True})


async def readyz(server: Installation, _: Call) -> Reply:
    """Tell whether the server can reach its store and takes requests: 200, or else 503.

    Raises:
        Problem: It does not.
    """
    if server.is_draining:
        raise Problem(503, "server.draining", "the server is about to end")
    try:
        await asyncio.to_thread(server.engine.store.select, paging.known_workflows)
    except StoreError:
        raise Problem(503, "store.unavailable", "the store of runs cannot be reached now") from None
    return Reply({"ready": True})


async def show_metrics(server: Installation, call: Call) -> TextReply:
    """Show figures in the text format of Prometheus, to those who may see all workflows.

    Raises:
        Problem: They are not for this one.
    """
    if not call.principal.knows_all:
        raise Problem(403, "role.missing", "figures are for those who may see all workflows")
    return TextReply(await asyncio.to_thread(server.metrics.text), _PROMETHEUS)


async def show_me(_: Installation, call: Call) -> Reply:
    """Tell who one is for this server, and what one may do."""
    one = call.principal
    return Reply(
        {
            "name": one.name,
            "roles": sorted(one.roles),
            "workflows": list(one.workflows),
            "groups": list(one.groups),
        }
    )
