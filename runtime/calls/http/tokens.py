"""Access tokens of OAuth 2.0 for this program itself (client credentials), kept as long as they hold."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Final
from weakref import WeakKeyDictionary

import httpx2

from wfc.runtime.calls.bindings import Basic, OAuth2
from wfc.runtime.calls.http.addresses import shown, web_address
from wfc.runtime.calls.http.messages import FORM, RequestContent, basic_authorization
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import StepError

__all__ = ["access_token", "forget_token"]

Send = Callable[[httpx2.Request], Awaitable[tuple[httpx2.Response, bytes]]]

MARGIN: Final = 60.0
"""How many seconds before its end a token is used no more."""

WITHOUT_END: Final = 300.0
"""How many seconds a token is kept of which nobody says how long it holds."""

MOST_KEPT: Final = 1000
LONGEST_TOKEN: Final = 100_000
SUCCESS: Final = 200

_KEPT: Final[dict[str, tuple[str, float]]] = {}
_LOCKS: Final[WeakKeyDictionary[asyncio.AbstractEventLoop, dict[str, asyncio.Lock]]] = WeakKeyDictionary()


async def access_token(auth: OAuth2, send: Send, revealed: Revealed) -> str:
    """Return a token that holds: a kept one, or a new one, for which the service is asked once at a time.

    Raises:
        StepError: The service gives none.
        SettingsError: A secret is missing.
    """
    request = token_request(auth, revealed)
    key = key_of(request)
    locks = _LOCKS.setdefault(asyncio.get_running_loop(), {})
    async with locks.setdefault(key, asyncio.Lock()):
        token, end = _KEPT.get(key, ("", 0.0))
        if time.monotonic() >= end:
            token, seconds = read_token(*await send(request))
            while len(_KEPT) >= MOST_KEPT:
                _KEPT.pop(next(iter(_KEPT)))
            _KEPT[key] = token, time.monotonic() + seconds - MARGIN
    revealed.remember(token, auth.password or Secret("access token"))
    return token


def forget_token(auth: OAuth2, token: str, revealed: Revealed) -> None:
    """Keep a token no more that a service has refused."""
    key = key_of(token_request(auth, revealed))
    if _KEPT.get(key, ("", 0.0))[0] == token:
        del _KEPT[key]


def token_request(auth: OAuth2, revealed: Revealed) -> httpx2.Request:
    fields = {"grant_type": "client_credentials", "scope": auth.scope, **auth.body}
    proof = None
    if auth.password is not None:
        proof = basic_authorization(Basic(auth.user or "", auth.password), revealed)
    message = RequestContent("POST", {}, {"Content-Type": FORM}, fields)
    return message.to(web_address(auth.url, revealed), proof, revealed)


def key_of(request: httpx2.Request) -> str:
    """Return what tells tokens apart: by all that is sent for one, of which only a digest is kept."""
    parts = (str(request.url), request.headers.get("authorization", ""))
    return sha256(json.dumps(parts).encode() + request.content).hexdigest()


def read_token(reply: httpx2.Response, content: bytes) -> tuple[str, float]:
    """Return the token in a reply, and how many seconds it holds."""
    service = shown(reply.request.url)
    if reply.status_code != SUCCESS:
        name = f"http.{reply.status_code}"
        raise StepError(
            name, f"{service} gave no access token: {reply.status_code}", status=reply.status_code
        )
    try:
        found = json.loads(content)
        token, kind = found["access_token"], found.get("token_type", "bearer")
        seconds = float(WITHOUT_END if found.get("expires_in") is None else found["expires_in"])
    except (ValueError, RecursionError, TypeError, KeyError, AttributeError):
        raise StepError("http.invalid_output", f"{service} gave no access token that can be read") from None
    usable = (
        isinstance(token, str) and 0 < len(token) <= LONGEST_TOKEN and token.isascii() and token.isprintable()
    )
    if not usable or str(kind).lower() != "bearer":
        raise StepError("http.invalid_output", f"{service} gave no access token of the kind `bearer`")
    return token, 0.0 if math.isnan(seconds) else seconds
