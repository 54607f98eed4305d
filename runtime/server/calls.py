"""Requests and replies as plain data, so that endpoints know nothing of how they are served."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

from wfc.runtime.server.access import Principal
from wfc.runtime.server.batches import StreamBatch

__all__ = ["PROBLEM", "Call", "FieldProblem", "Problem", "Reply", "StreamReply", "TextReply", "pointer"]

PROBLEM: Final = "application/problem+json"


class FieldProblem(NamedTuple):
    """What is wrong with a place of a body: a JSON Pointer (RFC 6901), and what is to be said of it.

    Args:
        beside: The other places of which that speaks.
    """

    pointer: str
    message: str
    beside: tuple[str, ...] = ()

    def as_data(self) -> dict[str, Any]:
        """Return it as it is told."""
        told: dict[str, Any] = {"pointer": self.pointer, "message": self.message}
        return told | {"beside": list(self.beside)} if self.beside else told


class Problem(Exception):  # noqa: N818 - it is what RFC 9457 calls it
    """A refusal, which becomes the reply: problem details as in RFC 9457.

    Args:
        code: Dotted, broad to narrow, such as ``run.ended``; it stays the same where the words change.
        more: Further members of the reply.
    """

    def __init__(
        self,
        status: int,
        code: str,
        detail: str,
        *,
        errors: tuple[FieldProblem, ...] = (),
        headers: Mapping[str, str] | None = None,
        more: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(detail)
        self.status = status
        self.code = code
        self.detail = detail
        self.errors = errors
        self.headers = dict(headers or {})
        self.more = dict(more or {})

    def as_data(self, request_id: str) -> dict[str, Any]:
        """Return it as the body of a reply."""
        data: dict[str, Any] = {
            "type": f"urn:wfc:problem:{self.code}",
            "title": self.code,
            "status": self.status,
            "detail": self.detail,
            "code": self.code,
            "request_id": request_id,
            **self.more,
        }
        if self.errors:
            data["errors"] = [one.as_data() for one in self.errors]
        return data


@dataclass(frozen=True, slots=True)
class Call:
    """A request that has been let in.

    Args:
        principal: Who asks.
        path: The parameters in the path.
        query: The parameters behind it.
        headers: By their names in lower case.
        data: The members of the body, which fit what the endpoint takes.
        raw: The body as it came, where the endpoint wants that.
        link: What a link allows whoever has it, if the request has one.
        server: The address under which the server is reached, without a slash at its end.
        via: By what this one is known, for the audit: ``token``, ``link``, ``webhook`` or ``form``.
        action: The name of the endpoint, for the audit.
    """

    principal: Principal
    path: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    headers: Mapping[str, str] = field(default_factory=dict)
    data: Mapping[str, Any] = field(default_factory=dict)
    raw: bytes = b""
    link: str = ""
    server: str = ""
    via: str = "token"
    action: str = ""

    def number(self, name: str, default: int) -> int:
        """Return a whole number among the parameters."""
        return int(self.query.get(name, default))

    def flag(self, name: str) -> bool:
        """Return whether a parameter is set: ``?dry``, ``?dry=true``."""
        return self.query.get(name, "false") in {"", "true", "1"}


def pointer(*parts: object) -> str:
    """Return the JSON Pointer to a place."""
    return "".join("/" + str(part).replace("~", "~0").replace("/", "~1") for part in parts)


@dataclass(frozen=True, slots=True)
class Reply:
    """A reply with JSON data, or with none.

    Args:
        data: If it is bytes, it is written as JSON already.
        is_noted: Whether the audit has it already, by the commit of what was done.
    """

    data: Any = None
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    is_noted: bool = False


@dataclass(frozen=True, slots=True)
class TextReply:
    """A reply with text of some type."""

    text: str
    content: str
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class StreamReply:
    """A reply that goes on: messages, in batches, as they come; as lines of JSON, or as events of a browser."""

    messages: AsyncGenerator[StreamBatch, None]
    as_lines: bool
