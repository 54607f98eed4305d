"""Requests to services, through httpx2."""

from __future__ import annotations

import base64
import functools
import json
import re
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NoReturn
from urllib.parse import urlsplit

from pydantic_core import PydanticSerializationError

from wfc.runtime.authoring.retry import read_retry_after
from wfc.runtime.calls.bindings import Basic, Bearer, plain_type
from wfc.runtime.calls.secrets import Revealed, Secret
from wfc.runtime.errors import MissingPackageError, StepError
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.tracing import conventions, span_inside
from wfc.runtime.values.outputs import InvalidOutput, from_json
from wfc.runtime.values.outside_names import json_outside, jsonable_outside

try:
    import httpx2
except ImportError:
    raise MissingPackageError(
        "an http step needs the package httpx2: pip install 'wfc-workflows[http]'"
    ) from None

if TYPE_CHECKING:
    import ssl

__all__ = ["call_http"]

LARGEST_BODY = 16 * 1024 * 1024
"""The maximum size of a reply in bytes after decompression; larger replies are refused."""

_CONNECT_SECONDS = 10.0
_REPLY_SECONDS = 300.0
_MOST_REDIRECTS = 5
_LONGEST_SHOWN = 300
_FIRST_ERROR_STATUS = 400
_HEADER_NAME = re.compile(r"[!#$%&'*+.^_`|~0-9a-z-]+")
_REDIRECTS = frozenset({301, 302, 303, 307, 308})


async def call_http(
    method: str,
    url: str,
    *,
    query: Mapping[str, object] | None = None,
    headers: Mapping[str, str | Secret] | None = None,
    auth: Bearer | Basic | None = None,
    body: object = None,
    output: Any = None,
    idempotency_key: str | None = None,
    wait: float | None = None,
) -> tuple[Any, HttpResponse]:
    """Make a request; return the validated body of the reply, and its accompanying data.

    Args:
        output: The body's type; ``str`` for its text, ``None`` for JSON data or text, whichever it is.
        wait: Seconds to wait for the reply, at most: the step's time-out; 300 without.

    Raises:
        StepError: ``http.<status>``, ``http.…``, ``timeout``, ``connection``.
        SettingsError: A secret is missing.
        MissingPackageError: The package for HTTP is not installed.
    """
    with span_inside("http", method, lambda: _about_request(method, url)) as span:
        result, response = await _request(
            method,
            url,
            query=query or {},
            headers=headers or {},
            auth=auth,
            body=body,
            output=plain_type(output),
            idempotency_key=idempotency_key,
            wait=wait,
        )
        if span is not None:
            span.attributes[conventions.HTTP_STATUS] = response.status
            span.result = result
        return result, response


def _about_request(method: str, url: str) -> dict[str, object]:
    """Return the description of a request without its path and query, which may be confidential."""
    found: dict[str, object] = {conventions.HTTP_METHOD: method}
    try:
        place = urlsplit(url)
        found |= {conventions.SERVER_ADDRESS: place.hostname or "", conventions.SERVER_PORT: place.port or ""}
    except ValueError:  # the request itself says what is wrong with it
        pass
    return {name: value for name, value in found.items() if value != ""}


async def _request(
    method: str,
    url: str,
    *,
    query: Mapping[str, object],
    headers: Mapping[str, str | Secret],
    auth: Bearer | Basic | None,
    body: object,
    output: Any,
    idempotency_key: str | None = None,
    wait: float | None = None,
) -> tuple[Any, HttpResponse]:
    revealed = Revealed()
    sent = _build(method, url, query, headers, auth, body, idempotency_key, revealed)
    try:
        reply, content = await _send(sent, wait, carries_secret=bool(revealed))
    except StepError as error:
        failure = error
    except (httpx2.HTTPError, httpx2.InvalidURL) as error:
        failure = _transport_error(error, sent, revealed)
    else:
        return _result(reply, content, output, revealed)
    raise failure  # out of the handler: the client's own error may hold the request's headers


def _build(
    method: str,
    url: str,
    query: Mapping[str, object],
    headers: Mapping[str, str | Secret],
    auth: Bearer | Basic | None,
    body: object,
    idempotency_key: str | None,
    revealed: Revealed,
) -> httpx2.Request:
    fields = {"accept": "application/json, text/*;q=0.9, */*;q=0.1", "user-agent": "wfc-workflows"}
    if idempotency_key is not None and method.upper() not in {"GET", "HEAD"}:
        fields["idempotency-key"] = idempotency_key
    for name, value in headers.items():
        fields[name.lower()] = revealed.read(value) if isinstance(value, Secret) else value
    if auth is not None:
        fields["authorization"] = _authorization(auth, revealed)
    content = _content(body, fields)
    for name, text in fields.items():
        if not _HEADER_NAME.fullmatch(name):
            _refuse(f"`{name}` is no name of a header")
        if any(sign in text for sign in "\r\n\0"):
            _refuse(f"the header `{name}` holds a line break")
    encoded = [(name.encode("utf-8"), text.encode("utf-8")) for name, text in fields.items()]
    return httpx2.Request(method.upper(), _address(url, query, revealed), headers=encoded, content=content)


def _address(url: str, query: Mapping[str, object], revealed: Revealed) -> httpx2.URL:
    try:
        address = httpx2.URL(url).copy_merge_params(tuple(_pairs(query)))
    except (httpx2.InvalidURL, ValueError) as error:
        _refuse(f"`{revealed.hide(url)}` is not an address: {revealed.hide(str(error))}")
    if address.scheme not in {"http", "https"} or not address.host:
        _refuse(f"`{revealed.hide(url)}` is not an http or https address")
    return address


def _refuse(message: str) -> NoReturn:
    raise StepError("http.invalid_request", message)


def _authorization(auth: Bearer | Basic, revealed: Revealed) -> str:
    value = revealed.read(auth.secret)
    if isinstance(auth, Bearer):
        return f"Bearer {value}"
    pair = base64.b64encode(f"{auth.user}:{value}".encode()).decode("ascii")
    revealed.remember(pair, auth.secret)
    return f"Basic {pair}"


def _content(body: object, fields: dict[str, str]) -> bytes | None:
    """Return the body's bytes: text unchanged, other data as JSON, or as a form if a header asks for it."""
    if body is None:
        return None
    if isinstance(body, str):
        fields.setdefault("content-type", "text/plain; charset=utf-8")
        return body.encode("utf-8")
    kind = fields.setdefault("content-type", "application/json")
    try:
        if kind.startswith("application/x-www-form-urlencoded") and isinstance(body, Mapping):
            return str(httpx2.QueryParams(tuple(_pairs(body)))).encode("ascii")
        return json_outside(body)
    except PydanticSerializationError as error:
        _refuse(f"the body cannot be written as JSON: {error}")


def _pairs(query: Mapping[str, object]) -> list[tuple[str, str]]:
    """Return the names and values of a query: a null is left out, a list repeats its name."""
    pairs: list[tuple[str, str]] = []
    for name, value in query.items():
        data = jsonable_outside(value)
        items = data if isinstance(data, list) else [data]
        pairs.extend((name, _text(item)) for item in items if item is not None)
    return pairs


def _text(value: object) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, separators=(",", ":"))


async def _send(
    sent: httpx2.Request,
    wait: float | None,
    *,
    carries_secret: bool,
) -> tuple[httpx2.Response, bytes]:
    limits = httpx2.Timeout(wait or _REPLY_SECONDS, connect=_CONNECT_SECONDS)
    async with httpx2.AsyncClient(verify=_certificates(), timeout=limits) as client:
        for _ in range(_MOST_REDIRECTS + 1):
            reply = await client.send(sent, stream=True, follow_redirects=False)
            try:
                following = reply.next_request if reply.status_code in _REDIRECTS else None
                if following is None:
                    return reply, await _read(reply)
            finally:
                await reply.aclose()
            if carries_secret and not _same_service(sent.url, following.url):
                raise StepError(
                    "http.redirect",
                    f"{_shown(sent)} was sent on to another service, {following.url.host}; "
                    "a request that carries a secret does not follow",
                    status=reply.status_code,
                )
            sent = following
    raise StepError("http.redirect", f"{_shown(sent)} was sent on more than {_MOST_REDIRECTS} times")


@functools.cache
def _certificates() -> ssl.SSLContext:
    # reading the certificates takes longer than most requests
    return httpx2.create_ssl_context()


def _same_service(one: httpx2.URL, other: httpx2.URL) -> bool:
    upgraded = one.scheme == "http" and other.scheme == "https" and one.port is None and other.port is None
    same_port = one.scheme == other.scheme and one.port == other.port
    return one.host == other.host and (upgraded or same_port)


async def _read(reply: httpx2.Response) -> bytes:
    parts: list[bytes] = []
    size = 0
    async for part in reply.aiter_bytes():
        size += len(part)
        if size > LARGEST_BODY:
            raise StepError(
                "http.too_large",
                f"{_shown(reply.request)} replied with more than {LARGEST_BODY // 2**20} MB",
                status=reply.status_code,
            )
        parts.append(part)
    return b"".join(parts)


def _result(
    reply: httpx2.Response, content: bytes, output: Any, revealed: Revealed
) -> tuple[Any, HttpResponse]:
    content = revealed.hide_in_result(content)
    if reply.status_code >= _FIRST_ERROR_STATUS or reply.status_code in _REDIRECTS:
        raise _status_error(reply, content, revealed)
    headers = {name.lower(): revealed.hide_in_result(value) for name, value in reply.headers.items()}
    return _validated(reply, content, output, revealed), HttpResponse(reply.status_code, headers)


def _validated(reply: httpx2.Response, content: bytes, output: Any, revealed: Revealed) -> Any:
    if output is str:
        return _decoded(reply, content)
    if output is None or output is Any:
        return _loose(reply, content)
    try:
        # services add fields as they please: the declared ones are what counts
        return from_json(output, content or b"null", extra_fields=True, outside=True)
    except InvalidOutput as error:
        said = revealed.hide(str(error))
    raise StepError(
        "http.invalid_output",
        f"{_shown(reply.request)} replied with something else than declared: {said}",
        status=reply.status_code,
        body=revealed.hide_in(_loose(reply, content)),
    )


def _loose(reply: httpx2.Response, content: bytes) -> Any:
    """Return the body as JSON data if it is declared as such, else as text; ``None`` if it is empty."""
    if not content:
        return None
    if "json" in reply.headers.get("content-type", ""):
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            pass
    return _decoded(reply, content)


def _decoded(reply: httpx2.Response, content: bytes) -> str:
    try:
        return content.decode(reply.charset_encoding or "utf-8", "replace")
    except LookupError:  # an encoding that Python does not know
        return content.decode("utf-8", "replace")


def _status_error(reply: httpx2.Response, content: bytes, revealed: Revealed) -> StepError:
    body = revealed.hide_in(_loose(reply, content))
    said = body if isinstance(body, str) else _text(body)
    shown = f": {said[:_LONGEST_SHOWN]}" if body else ""
    return StepError(
        f"http.{reply.status_code}",
        f"{_shown(reply.request)} replied {reply.status_code} {reply.reason_phrase}".rstrip() + shown,
        status=reply.status_code,
        body=body,
        retry_after=read_retry_after(reply.headers.get("retry-after", "")),
    )


def _transport_error(error: Exception, sent: httpx2.Request, revealed: Revealed) -> StepError:
    said = revealed.hide(str(error)) or type(error).__name__
    if isinstance(error, httpx2.TimeoutException):
        return StepError("timeout", f"{_shown(sent)} gave no reply in time ({type(error).__name__})")
    if isinstance(error, httpx2.DecodingError):
        return StepError(
            "http.invalid_output", f"{_shown(sent)} replied with bytes that do not decode: {said}"
        )
    if isinstance(error, httpx2.LocalProtocolError | httpx2.UnsupportedProtocol | httpx2.InvalidURL):
        return StepError("http.invalid_request", f"{_shown(sent)} cannot be sent: {said}")
    return StepError("connection", f"{_shown(sent)} failed: {said}")


def _shown(sent: httpx2.Request) -> str:
    """Return the method and the address without the query, which may be confidential."""
    return f"{sent.method} {sent.url.scheme}://{sent.url.netloc.decode('ascii')}{sent.url.path}"
