"""The ASGI application: what comes from outside is held against all bounds here, before any endpoint sees it."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from random import getrandbits
from typing import Final
from urllib.parse import quote, urlsplit

from wfc.runtime.errors import MissingPackageError, WorkflowError
from wfc.runtime.server.access import NOBODY, Principal
from wfc.runtime.server.calls import PROBLEM, Call, Problem, Reply, StreamReply, TextReply
from wfc.runtime.server.data import json_bytes
from wfc.runtime.server.endpoint import ANYBODY, LINK, OPENED, SENDER, Endpoint, Table
from wfc.runtime.server.fitting import fitting_body, fitting_query
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.links import LINKED, read_link, run_of_link
from wfc.runtime.server.packing import packed
from wfc.runtime.server.refusals import problem_of
from wfc.runtime.server.routes import ENDPOINTS
from wfc.runtime.server.streamed import Streamed, content_of

try:
    from starlette.requests import ClientDisconnect, Request
    from starlette.responses import Response
    from starlette.types import ASGIApp, Receive, Scope, Send
except ImportError:
    raise MissingPackageError(
        "the server needs the package starlette: pip install 'wfc-workflows[server]'"
    ) from None

__all__ = ["LOOPBACK", "Application"]

LOOPBACK: Final = ("localhost", "127.0.0.1", "::1")
BODY_IN: Final = 20.0
"""The seconds in which a body has to come."""

_LOG: Final = logging.getLogger("wfc.server")

_HEADERS: Final = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
_ONCE: Final = frozenset(
    """host origin authorization content-type content-length content-encoding idempotency-key if-match if-none-match
    last-event-id""".split()
)
"""Headers of which a request has one at most: of two, two readers may heed different ones."""


class Application:
    """The ASGI application of a server, which may be mounted in another one.

    Its lifespan lets runs go on; where nobody gives it one, as where it is mounted, it begins with the first request.
    ``server.at_work()`` is for the lifespan of the application around it.

    Args:
        hosts: The names under which it may be reached: those of this machine, unless others are given.
        origins: Origins of pages that may use it, such as ``https://desk.example``, besides its own.
    """

    def __init__(
        self, server: Installation, *, hosts: Sequence[str] = LOOPBACK, origins: Iterable[str] = ()
    ) -> None:
        self.server = server
        self._hosts: frozenset[str] = frozenset()
        self._origins: frozenset[str] = frozenset()
        self.allow(hosts, origins)
        self._streams: Counter[str] = Counter()  # by the names of principals, or by links
        self.faces: dict[str, ASGIApp] = {}  # other ways in, such as MCP, by their paths
        self._beside: Sequence[Endpoint] = ()
        self._table = Table(ENDPOINTS)

    def allow(self, hosts: Iterable[str], origins: Iterable[str]) -> None:
        """Let it be reached under more names, and used by more pages."""
        self._hosts |= {one.lower().strip("[]") for one in hosts}
        self._origins |= {one.rstrip("/").lower() for one in origins}

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or go through a lifespan."""
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "http":
            response = await self._respond(Request(scope, receive))
            await response(scope, receive, send)
        else:
            await send({"type": "websocket.close", "code": 1008})

    async def _live(self, receive: Receive, send: Send) -> None:
        await receive()
        try:
            await self.server.begin()
        except WorkflowError as error:
            await send({"type": "lifespan.startup.failed", "message": str(error)})
            return
        await send({"type": "lifespan.startup.complete"})
        await receive()
        await self.server.end()
        await send({"type": "lifespan.shutdown.complete"})

    async def _respond(self, request: Request) -> ASGIApp:
        request_id = f"{getrandbits(128):032x}"  # which nobody need be unable to guess
        try:
            return await self._answer(request, {"X-Request-Id": request_id})
        except Problem as problem:
            found = problem
        except WorkflowError as error:
            found = problem_of(error, self.server.engine.store.errors)
        except ClientDisconnect:
            return Response(status_code=400)
        except Exception:
            _LOG.exception("the request %s failed by a bug of wfc", request_id)
            found = Problem(
                500, "server.bug", "this is a bug of wfc; its log has more under this request's id"
            )
        headers = {**_HEADERS, "X-Request-Id": request_id, **found.headers}
        return Response(json_bytes(found.as_data(request_id)), found.status, headers, PROBLEM)

    async def _answer(self, request: Request, headers: Mapping[str, str]) -> ASGIApp:
        shown = headers_of(request)
        self._check_sender(request.method, shown)
        if (face := self.faces.get(path_of(request.scope))) is not None:
            return await self._handed_to(face, request, shown)
        method = "GET" if request.method == "HEAD" else request.method
        endpoint, path, methods = self._endpoints().find(method, path_of(request.scope))
        if endpoint is None and methods:
            raise Problem(
                405, "method", "there is no such method here", headers={"Allow": ", ".join(methods)}
            )
        if endpoint is None:
            raise Problem(404, "path", "there is nothing under this path")
        principal, via, link = self._let_in(shown, endpoint)
        query = fitting_query(request.query_params.multi_items(), endpoint.query)
        body = await self._body_of(request, shown, endpoint)
        call = Call(
            principal,
            path,
            query,
            shown,
            {} if endpoint.is_raw else fitting_body(body, endpoint.body),
            body if endpoint.is_raw else b"",
            link,
            address_of(request.scope, shown),
            via,
            endpoint.name,
        )
        await self.server.begin()
        reply = await self._do(endpoint, call)
        reader = run_of_link(link) if via == "link" else principal.name
        return self._response(reply, request, reader, {**_HEADERS, **headers})

    def _endpoints(self) -> Table:
        if self.server.beside is not self._beside:  # which may be given later
            self._beside = self.server.beside
            self._table = Table((*ENDPOINTS, *self._beside))
        return self._table

    async def _handed_to(self, face: ASGIApp, request: Request, shown: Mapping[str, str]) -> ASGIApp:
        """Return the reply of somebody else to a request, once it is known who asks."""
        found = self._of_token(shown)
        request.scope["wfc.principal"] = found, address_of(request.scope, shown)
        await self.server.begin()
        return face

    async def _do(self, endpoint: Endpoint, call: Call) -> Reply | TextReply | StreamReply:
        """Return the reply of an endpoint; the audit has what it changes, and what it refuses to somebody known."""
        if not endpoint.is_action or call.flag("dry"):
            return await endpoint.handle(self.server, call)
        given = call.data.get("reason") or call.data.get("because")
        reason = given if isinstance(given, str) else ""
        try:
            reply = await endpoint.handle(self.server, call)
        except (Problem, WorkflowError) as error:
            if call.principal is not NOBODY:  # strangers fill no audit
                problem = error if isinstance(error, Problem) else problem_of(error)
                await self.server.audit.note(call, problem.code, reason)
            raise
        if isinstance(reply, Reply) and reply.is_noted:
            return reply
        made = reply.data.get("run") if isinstance(reply, Reply) and isinstance(reply.data, dict) else None
        target = made if isinstance(made, str) and "task" not in call.path else ""
        result = str(reply.status) if isinstance(reply, Reply) else "200"
        await self.server.audit.note(call, result, reason, target)
        return reply

    def _response(
        self,
        reply: Reply | TextReply | StreamReply,
        request: Request,
        reader: str,
        headers: Mapping[str, str],
    ) -> ASGIApp:
        match reply:
            case TextReply(text, content, more):
                raw, how = packed(text, request.headers.get("accept-encoding", ""))
                return Response(raw, 200, {**headers, **more, **how}, content)
            case StreamReply() if request.method == "HEAD":
                return Response(None, 200, dict(headers), content_of(reply))
            case StreamReply():
                self._take_place(reader)
                return Streamed(reply, dict(headers), lambda: self._leave_place(reader))
            case Reply(data, status, more):
                raw = data if isinstance(data, bytes) else json_bytes(data)
                return Response(raw, status, {**headers, **more}, "application/json")

    # --- who asks

    def _check_sender(self, method: str, shown: Mapping[str, str]) -> None:
        """Check whether a request names us as its host, and comes from no page of somebody else.

        A page of somebody else may reach us under a name of its own, which it lets point to this machine.

        Raises:
            Problem: It does not.
        """
        if "transfer-encoding" in shown and "content-length" in shown:
            raise Problem(
                400,
                "body.two_lengths",
                "the length of the body is told in two ways",
                headers={
                    "Connection": "close"
                },  # whoever stands between may see another request behind this one
            )
        host = shown.get("host", "")
        reached = host_name(host)
        if reached is None or ("*" not in self._hosts and reached not in self._hosts):
            raise Problem(
                421, "host", "this server is not reached under this name; `wfc serve --name` gives it one"
            )
        origin = shown.get("origin")
        if origin is None:
            if shown.get("sec-fetch-site", "none") == "cross-site" and method not in {
                "GET",
                "HEAD",
            }:
                raise Problem(403, "origin", "pages of other sites may not use this server")
            return
        own = {f"http://{host}".lower(), f"https://{host}".lower()}
        if origin.lower() not in own and origin.lower() not in self._origins:
            raise Problem(403, "origin", "pages of other sites may not use this server")

    def _let_in(self, shown: Mapping[str, str], endpoint: Endpoint) -> tuple[Principal, str, str]:
        """Return who asks, by what this one is known, and the link that is shown instead of a token.

        Raises:
            Problem: Nobody knows who it is, or this one may not.
        """
        scheme, _, token = shown.get("authorization", "").partition(" ")
        if endpoint.roles == (SENDER,):  # what a sender shows is judged with the body
            return NOBODY, "webhook", ""
        if endpoint.roles in {(ANYBODY,), (OPENED,)}:
            return NOBODY, "open", ""
        if endpoint.roles == (LINK,):
            if scheme.lower() != "link":
                raise Problem(
                    401, "link.missing", "the token of a link is shown as `Authorization: Link TOKEN`"
                )
            link = token.strip()
            made = read_link(link, self.server.key, endpoint.link)  # before anything of the body is read
            return Principal(made.by, frozenset(), workflows=()), "link", link
        found = self._of_token(shown)
        if not any(map(found.may, endpoint.roles)):
            raise Problem(403, "role.missing", f"this needs the role {' or '.join(endpoint.roles)}")
        return found, "token", ""

    def _of_token(self, shown: Mapping[str, str]) -> Principal:
        """Return whose token a request shows.

        Raises:
            Problem: It shows none that counts.
        """
        scheme, _, token = shown.get("authorization", "").partition(" ")
        found = self.server.access.find(token.strip()) if scheme.lower() == "bearer" else None
        if found is None:
            raise Problem(
                401,
                "token",
                "a valid token is needed: `Authorization: Bearer TOKEN`",
                headers={"WWW-Authenticate": 'Bearer realm="wfc"'},
            )
        return found

    async def _body_of(self, request: Request, shown: Mapping[str, str], endpoint: Endpoint) -> bytes:
        """Return the body of a request.

        Raises:
            Problem: It is too large, too slow, or of another type.
        """
        if shown.get("content-encoding", "identity").lower() != "identity":
            raise Problem(415, "body.encoding", "a body is taken as it is, not compressed")
        most, found = self.server.bounds.body, bytearray()
        length = shown.get("content-length", "0")
        if not (length.isascii() and length.isdigit()) or int(length[:20]) > most:
            raise Problem(413, "body.large", f"a body has {most} bytes at most")
        try:
            async with asyncio.timeout(BODY_IN):
                async for chunk in request.stream():
                    found += chunk
                    if len(found) > most:
                        raise Problem(413, "body.large", f"a body has {most} bytes at most")
        except TimeoutError:
            raise Problem(408, "body.slow", f"a body has to come within {BODY_IN:.0f} seconds") from None
        if found and endpoint.body is None:
            raise Problem(400, "body.members", "no body is wanted here")
        kind = shown.get("content-type")
        if endpoint.is_raw:
            return bytes(found)
        if (found or kind) and endpoint.body is not None and media_type(kind or "") != "application/json":
            raise Problem(415, "body.type", "the body is JSON: `Content-Type: application/json`")
        return bytes(found)

    # --- streams

    def _take_place(self, reader: str) -> None:
        """Count a stream of somebody known by name, or by a link; links have half of all streams at most.

        Raises:
            Problem: There are too many.
        """
        bounds = self.server.bounds
        full = self._streams[reader] >= bounds.streams_each or self._streams.total() >= bounds.streams
        if reader.startswith(LINKED):
            linked = sum(count for name, count in self._streams.items() if name.startswith(LINKED))
            full = full or linked >= max(bounds.streams // 2, 1)
        if full:
            raise Problem(429, "streams.full", "there are too many streams", headers={"Retry-After": "5"})
        self._streams[reader] += 1

    def _leave_place(self, reader: str) -> None:
        self._streams[reader] -= 1
        if not self._streams[reader]:
            del self._streams[reader]


def headers_of(request: Request) -> dict[str, str]:
    """Return the headers of a request by their names in lower case, read once for all who ask for them.

    Raises:
        Problem: One is there twice of which there is one at most.
    """
    found: dict[str, str] = {}
    for raw, value in request.scope["headers"]:
        name = raw.decode("latin-1").lower()
        if name not in found:
            found[name] = value.decode("latin-1")
        elif name in _ONCE:
            raise Problem(400, "header.twice", f"the header `{name}` is there twice")
    return found


def address_of(scope: Scope, shown: Mapping[str, str]) -> str:
    """Return the address under which a request has reached the server, without a slash at its end."""
    root: str = scope.get("app_root_path", scope.get("root_path", ""))
    return f"{scope['scheme']}://{shown['host']}{root}".rstrip("/")


def path_of(scope: Scope) -> str:
    """Return the path of a request as it was sent, without that under which we are mounted."""
    raw: bytes = scope.get("raw_path") or quote(scope["path"]).encode()
    path = raw.partition(b"?")[0].decode("latin-1")
    if not path.startswith("/"):
        raise Problem(400, "path", "the path is written from the root of this server")
    root = quote(scope.get("root_path", ""))
    return path[len(root) :] if root and path.startswith(root + "/") else path


def host_name(host: str) -> str | None:
    """Return the name in a ``Host`` header, without its port; ``None``: it is none."""
    try:
        parts = urlsplit(f"//{host}")
        if parts.netloc != host or not host or "@" in host or parts.port == 0:
            return None
    except ValueError:
        return None
    return parts.hostname


def media_type(text: str) -> str:
    """Return a content type without its parameters; empty if it is of another encoding than UTF-8."""
    kind, _, rest = text.partition(";")
    is_utf8 = rest.strip().lower().replace('"', "") in {"", "charset=utf-8"}
    return kind.strip().lower() if is_utf8 else ""
