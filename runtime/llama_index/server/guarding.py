"""Who may reach a server for programs of llama-index-workflows: under names of its own, and no other page."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from wfc.runtime.server.application import LOOPBACK, host_name

__all__ = ["Guard"]


class Guard:
    """The names under which a server is reached.

    Args:
        hosts: Those besides the names of this machine; ``*``: any.
    """

    def __init__(self, hosts: Iterable[str] = ()) -> None:
        self.hosts = {*LOOPBACK, *(one.lower().strip("[]") for one in hosts)}

    def allow(self, host: str) -> None:
        """Let it be reached under one more name."""
        self.hosts.add(host.lower().strip("[]"))

    def around(self, app: Any) -> Any:
        """Return an application around another one, which refuses what comes under other names or from other pages."""

        async def guarded(scope: Any, receive: Any, send: Any) -> None:
            refused = self._refusal(scope) if scope["type"] == "http" else None
            if refused is None:
                await app(scope, receive, send)
                return
            status, detail = refused
            kind = [(b"content-type", b"application/json")]
            await send({"type": "http.response.start", "status": status, "headers": kind})
            await send({"type": "http.response.body", "body": json.dumps({"detail": detail}).encode()})

        return guarded

    def _refusal(self, scope: Any) -> tuple[int, str] | None:
        headers: dict[bytes, bytes] = dict(scope["headers"])
        host = headers.get(b"host", b"").decode("latin-1")
        reached = host_name(host)
        if reached is None or ("*" not in self.hosts and reached not in self.hosts):
            return 421, "this server is not reached under this name"
        origin = headers.get(b"origin", b"").decode("latin-1").lower()
        if origin and origin not in {f"http://{host}".lower(), f"https://{host}".lower()}:
            return 403, "pages of other sites may not use this server"
        return None
