"""Requests to services, through httpx2."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Literal
from urllib.parse import urlsplit

from wfc.runtime.calls.bindings import Basic, Bearer, OAuth2
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import MissingPackageError, StepError
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.tracing import conventions, span_inside

try:
    import httpx2
except ImportError:
    raise MissingPackageError(
        "an http step needs the package httpx2: pip install 'wfc-workflows[http]'"
    ) from None

from wfc.runtime.calls.http.addresses import AddressRule, AnyPublic, refuse, rule_for
from wfc.runtime.calls.http.messages import RequestContent, basic_authorization
from wfc.runtime.calls.http.public import PublicTransport
from wfc.runtime.calls.http.replies import REDIRECTS, about, read_body, result_of
from wfc.runtime.calls.http.tokens import access_token, forget_token
from wfc.runtime.values.outputs import plain_type

if TYPE_CHECKING:
    import ssl

__all__ = ["call_http", "fetch"]

_CONNECT_SECONDS: Final = 10.0
_REPLY_SECONDS: Final = 300.0
_MOST_REDIRECTS: Final = 5
_UNAUTHORIZED: Final = 401


async def call_http(
    method: str,
    url: str,
    *,
    server: str | None = None,
    only: Sequence[str] | Literal["public"] | None = None,
    query: Mapping[str, object] | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    auth: Bearer | Basic | OAuth2 | None = None,
    body: object = None,
    output: Any = None,
    idempotency_key: str | None = None,
    wait: float | None = None,
) -> tuple[Any, HttpResponse]:
    """Make a request; return the validated body of the reply, and its accompanying data.

    Args:
        server: The beginning of the address that names the server; a request for another one is not sent.
        only: Addresses of which one is the beginning of the address that is asked, for an address from data;
            ``public``: anything on the public internet.
        output: The body's type; ``str`` for its text, ``None`` for JSON data or text, whichever it is.
        wait: Seconds to wait for the reply, at most: the step's time-out; 300 without.

    Raises:
        StepError: ``http.<status>``, ``http.…``, ``timeout``, ``connection``.
        SettingsError: A secret is missing.
        MissingPackageError: The package for HTTP is not installed.
    """
    with span_inside("http", method, lambda: _about_request(method, url)) as span:
        revealed = Revealed()
        rule = rule_for(server, only, revealed)
        call = _Call(
            RequestContent(method.upper(), query or {}, headers or {}, body, idempotency_key),
            rule.first(url, revealed),
            rule,
            auth,
            wait,
            revealed,
        )
        reply, content = await call.reply()
        result, response = result_of(reply, content, plain_type(output), revealed)
        if span is not None:
            span.attributes[conventions.HTTP_STATUS] = response.status
            span.result = result
        return result, response


async def fetch(url: str) -> tuple[str, bytes]:
    """Return what kind of content stands at an address that a spec names, and its bytes; texts come in UTF-8.

    Raises:
        StepError: ``http.<status>``, ``http.…``, ``timeout``, ``connection``.
    """
    revealed = Revealed()
    rule = rule_for(url, None, revealed)
    call = _Call(
        RequestContent("GET", {}, {}, None, None), rule.first(url, revealed), rule, None, None, revealed
    )
    reply, content = await call.reply()
    result_of(reply, content, str, revealed)
    kind = reply.headers.get("content-type", "")
    charset = (reply.charset_encoding or "utf-8").lower()
    if charset not in {"utf-8", "utf8"} and kind.startswith(("text/", "application/xhtml")):
        with suppress(LookupError, UnicodeDecodeError):  # an encoding that Python does not know, or a lie
            content = content.decode(charset).encode()
    return kind, content


def _about_request(method: str, url: str) -> dict[str, object]:
    """Return the description of a request without its path and query, which may be confidential."""
    found: dict[str, object] = {conventions.HTTP_METHOD: method}
    try:
        place = urlsplit(url)
        found |= {conventions.SERVER_ADDRESS: place.hostname or "", conventions.SERVER_PORT: place.port or ""}
    except ValueError:  # the request itself says what is wrong with it
        pass
    return {name: value for name, value in found.items() if value != ""}


@dataclass(frozen=True, slots=True)
class _Call:
    """One request on its way.

    Args:
        address: Where it goes first.
        rule: Where it may go.
        revealed: The secrets that it carries.
    """

    message: RequestContent
    address: httpx2.URL
    rule: AddressRule
    auth: Bearer | Basic | OAuth2 | None
    wait: float | None
    revealed: Revealed

    async def reply(self) -> tuple[httpx2.Response, bytes]:
        """Send the request; return the reply and its bytes. With a token that is refused, send it once more."""
        if not isinstance(self.auth, OAuth2):
            return await self.sent(self.built(self.authorization()), self.rule)
        token = await self.token(self.auth)
        reply, content = await self.sent(self.built(f"Bearer {token}"), self.rule)
        if reply.status_code == _UNAUTHORIZED:
            forget_token(self.auth, token, self.revealed)
            token = await self.token(self.auth)
            reply, content = await self.sent(self.built(f"Bearer {token}"), self.rule)
        return reply, content

    def built(self, authorization: str | None) -> httpx2.Request:
        request = self.message.to(self.address, authorization, self.revealed)
        if self.revealed and isinstance(self.rule, AnyPublic):
            refuse("a request that carries a secret is not sent to an address from data")
        return request

    def authorization(self) -> str | None:
        if isinstance(self.auth, Basic):
            return basic_authorization(self.auth, self.revealed)
        return f"Bearer {self.revealed.read(self.auth.secret)}" if isinstance(self.auth, Bearer) else None

    async def token(self, auth: OAuth2) -> str:
        async def send(request: httpx2.Request) -> tuple[httpx2.Response, bytes]:
            return await self.sent(request, AddressRule())

        return await access_token(auth, send, self.revealed)

    async def sent(self, request: httpx2.Request, rule: AddressRule) -> tuple[httpx2.Response, bytes]:
        """Send a request; return the reply, without the client's own errors, which may hold headers."""
        try:
            return await _send(request, rule, self.wait, carries_secret=bool(self.revealed))
        except StepError as error:
            failure = error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            failure = _transport_error(error, request, self.revealed)
        raise failure


async def _send(
    sent: httpx2.Request, rule: AddressRule, wait: float | None, *, carries_secret: bool
) -> tuple[httpx2.Response, bytes]:
    limits = httpx2.Timeout(wait or _REPLY_SECONDS, connect=_CONNECT_SECONDS)
    transport = PublicTransport(_certificates()) if isinstance(rule, AnyPublic) else None
    async with httpx2.AsyncClient(verify=_certificates(), timeout=limits, transport=transport) as client:
        for _ in range(_MOST_REDIRECTS + 1):
            reply = await client.send(sent, stream=True, follow_redirects=False)
            try:
                following = reply.next_request if reply.status_code in REDIRECTS else None
                if following is None:
                    return reply, await read_body(reply)
            finally:
                await reply.aclose()
            if carries_secret and not _same_service(sent.url, following.url):
                raise StepError(
                    "http.redirect",
                    f"{about(sent)} was sent on to another service, {following.url.host}; "
                    "a request that carries a secret does not follow",
                    status=reply.status_code,
                )
            following.url = rule.following(following.url, sent.url)
            sent = following
    raise StepError("http.redirect", f"{about(sent)} was sent on more than {_MOST_REDIRECTS} times")


@functools.cache
def _certificates() -> ssl.SSLContext:
    # reading the certificates takes longer than most requests
    return httpx2.create_ssl_context()


def _same_service(one: httpx2.URL, other: httpx2.URL) -> bool:
    upgraded = one.scheme == "http" and other.scheme == "https" and one.port is None and other.port is None
    same_port = one.scheme == other.scheme and one.port == other.port
    return one.host == other.host and (upgraded or same_port)


def _transport_error(error: Exception, sent: httpx2.Request, revealed: Revealed) -> StepError:
    said = revealed.hide(str(error)) or type(error).__name__
    if isinstance(error, httpx2.TimeoutException):
        return StepError("timeout", f"{about(sent)} gave no reply in time ({type(error).__name__})")
    if isinstance(error, httpx2.DecodingError):
        return StepError(
            "http.invalid_output", f"{about(sent)} replied with bytes that do not decode: {said}"
        )
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return StepError("http.invalid_request", f"{about(sent)} cannot be sent: {said}")
    return StepError("connection", f"{about(sent)} failed: {said}")
