"""HTTP clients for other protocols, which carry the proof of who asks and follow no redirect with it."""

from __future__ import annotations

from collections.abc import Mapping

import httpx2

from wfc.runtime.calls.bindings import Basic, Bearer, OAuth2
from wfc.runtime.calls.http.messages import basic_authorization
from wfc.runtime.calls.http.tokens import access_token
from wfc.runtime.calls.secrets import Revealed, Secret

__all__ = ["client_with"]


async def client_with(
    headers: Mapping[str, str | Secret],
    auth: Bearer | Basic | OAuth2 | None,
    wait: float,
    revealed: Revealed,
) -> httpx2.AsyncClient:
    """Return a client whose requests have these headers.

    Args:
        wait: Seconds to wait for a reply, at most.

    Raises:
        StepError: No access token could be had.
        SettingsError: A secret is missing.
    """
    fields = {
        name: revealed.read(value) if isinstance(value, Secret) else value for name, value in headers.items()
    }
    match auth:
        case Bearer():
            fields["authorization"] = f"Bearer {revealed.read(auth.secret)}"
        case Basic():
            fields["authorization"] = basic_authorization(auth, revealed)
        case OAuth2():
            fields["authorization"] = f"Bearer {await _token(auth, wait, revealed)}"
    return httpx2.AsyncClient(headers=fields, timeout=wait, follow_redirects=False)


async def _token(auth: OAuth2, wait: float, revealed: Revealed) -> str:
    async with httpx2.AsyncClient(timeout=wait, follow_redirects=False) as client:

        async def send(request: httpx2.Request) -> tuple[httpx2.Response, bytes]:
            reply = await client.send(request)
            return reply, reply.content

        return await access_token(auth, send, revealed)
