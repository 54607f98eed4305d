"""What comes back: a reply's body, checked and without secrets, or the error that it is."""

from __future__ import annotations

import json
from typing import Any, Final

import httpx2

from wfc.runtime.authoring.retry import read_retry_after
from wfc.runtime.calls.http.addresses import shown
from wfc.runtime.calls.http.messages import as_text
from wfc.runtime.calls.secrets import Revealed
from wfc.runtime.errors import StepError
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.values.outputs import InvalidOutput, from_json

__all__ = ["LARGEST_BODY", "REDIRECTS", "about", "read_body", "result_of"]

LARGEST_BODY: Final = 16 * 1024 * 1024
"""The maximum size of a reply in bytes after decompression; larger replies are refused."""

REDIRECTS: Final = frozenset({301, 302, 303, 307, 308})
LONGEST_SHOWN: Final = 300
FIRST_ERROR_STATUS: Final = 400


def about(sent: httpx2.Request) -> str:
    """Return the method and the address without the query, which may be confidential."""
    return f"{sent.method} {shown(sent.url)}"


async def read_body(reply: httpx2.Response) -> bytes:
    """Return the bytes of a reply, decompressed.

    Raises:
        StepError: ``http.too_large``.
    """
    parts: list[bytes] = []
    size = 0
    async for part in reply.aiter_bytes():
        size += len(part)
        if size > LARGEST_BODY:
            raise StepError(
                "http.too_large",
                f"{about(reply.request)} replied with more than {LARGEST_BODY // 2**20} MB",
                status=reply.status_code,
            )
        parts.append(part)
    return b"".join(parts)


def result_of(
    reply: httpx2.Response, content: bytes, output: Any, revealed: Revealed
) -> tuple[Any, HttpResponse]:
    """Return the validated body of a reply, and what came with it."""
    content = revealed.hide_in_result(content)
    if reply.status_code >= FIRST_ERROR_STATUS or reply.status_code in REDIRECTS:
        raise status_error(reply, content, revealed)
    headers = {name.lower(): revealed.hide_in_result(value) for name, value in reply.headers.items()}
    return validated(reply, content, output, revealed), HttpResponse(reply.status_code, headers)


def validated(reply: httpx2.Response, content: bytes, output: Any, revealed: Revealed) -> Any:
    if output is str:
        return decoded(reply, content)
    if output is None or output is Any:
        return loose(reply, content)
    try:
        # services add fields as they please: the declared ones are what counts
        return from_json(output, content or b"null", extra_fields=True, outside=True)
    except InvalidOutput as error:
        said = revealed.hide(str(error))
    raise StepError(
        "http.invalid_output",
        f"{about(reply.request)} replied with something else than declared: {said}",
        status=reply.status_code,
        body=revealed.hide_in(loose(reply, content)),
    )


def loose(reply: httpx2.Response, content: bytes) -> Any:
    """Return the body as JSON data if it is declared as such, else as text; ``None`` if it is empty."""
    if not content:
        return None
    if "json" in reply.headers.get("content-type", ""):
        try:
            return json.loads(content)
        except (ValueError, RecursionError):
            pass
    return decoded(reply, content)


def decoded(reply: httpx2.Response, content: bytes) -> str:
    try:
        return content.decode(reply.charset_encoding or "utf-8", "replace")
    except LookupError:  # an encoding that Python does not know
        return content.decode("utf-8", "replace")


def status_error(reply: httpx2.Response, content: bytes, revealed: Revealed) -> StepError:
    body = revealed.hide_in(loose(reply, content))
    said = body if isinstance(body, str) else as_text(body)
    shown = f": {said[:LONGEST_SHOWN]}" if body else ""
    return StepError(
        f"http.{reply.status_code}",
        f"{about(reply.request)} replied {reply.status_code} {reply.reason_phrase}".rstrip() + shown,
        status=reply.status_code,
        body=body,
        retry_after=read_retry_after(reply.headers.get("retry-after", "")),
    )
