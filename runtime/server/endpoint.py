"""What an endpoint is: where it is found, who may use it, what it takes and gives."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import unquote

from wfc.runtime.server.calls import Call, Reply, StreamReply, TextReply
from wfc.runtime.server.installation import Installation
from wfc.runtime.server.links import Purpose

__all__ = [
    "ANYBODY",
    "FLAG",
    "LINK",
    "OPENED",
    "PAGE",
    "SENDER",
    "TEXT",
    "YES",
    "Endpoint",
    "Table",
    "list_of",
    "object_of",
    "whole",
]

PAGE: Final = "text/html"
"""The content of what is for people, and not described to programs."""

Handle = Callable[[Installation, Call], Awaitable[Reply | TextReply | StreamReply]]

ANYBODY: Final = "anybody"
"""The role of what needs no token."""

LINK: Final = "link"
"""The role of whoever has a link."""

OPENED: Final = "opened"
"""The role of whoever uses what the operator has opened to anybody."""

SENDER: Final = "sender"
"""The role of whoever proves to be the sender of a webhook."""


TEXT: Final = {"type": "string"}
YES: Final = {"type": "boolean"}
FLAG: Final = {"type": "string", "enum": ["", "true", "false", "1", "0"]}


def object_of(needed: tuple[str, ...] = (), /, **members: object) -> dict[str, Any]:
    """Return the JSON Schema of an object that has these members and no others."""
    found: dict[str, Any] = {"type": "object", "properties": members, "additionalProperties": False}
    return found | ({"required": list(needed)} if needed else {})


def whole(least: int, most: int) -> dict[str, Any]:
    """Return the JSON Schema of a whole number between bounds."""
    return {"type": "integer", "minimum": least, "maximum": most}


def list_of(items: Mapping[str, Any], least: int, most: int) -> dict[str, Any]:
    """Return the JSON Schema of a list of so many items."""
    return {"type": "array", "items": items, "minItems": least, "maxItems": most}


@dataclass(frozen=True)
class Endpoint:
    """An endpoint.

    Args:
        roles: Of which one is enough, or ``ANYBODY``, ``LINK``, ``OPENED``, ``SENDER``.
        body: The JSON Schema of its body; ``None``: it takes none.
        query: The parameters that it takes, each with its JSON Schema.
        headers: Those that it heeds.
        good: The status of a good reply.
        content: The type of a good reply.
        is_raw: Whether it takes the body as it is, whatever its type.
        link: What a link is for that it takes.
        changes: Whether it changes something, unless it is a `GET`.
    """

    method: str
    path: str
    name: str
    handle: Handle
    roles: tuple[str, ...]
    body: Mapping[str, Any] | None = None
    query: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    headers: tuple[str, ...] = ()
    good: tuple[int, ...] = (200,)
    content: str = "application/json"
    is_raw: bool = False

    link: Purpose = "task"
    changes: bool = True

    @property
    def is_action(self) -> bool:
        """Whether it changes something, so that the audit has it."""
        return self.method != "GET" and self.changes

    @property
    def summary(self) -> str:
        """What it does, in one sentence."""
        return (self.handle.__doc__ or "").strip().split("\n")[0]

    @property
    def description(self) -> str:
        """What it does, in full."""
        told = (self.handle.__doc__ or "").partition("Raises:")[0]
        return "\n".join(line.strip() for line in told.strip().split("\n"))

    @cached_property
    def _pattern(self) -> re.Pattern[str]:
        parts = (
            (_ID if part in {"{run}", "{task}", "{path}"} else _NAME).format(part[1:-1])
            if part.startswith("{")
            else re.escape(part)
            for part in self.path.split("/")
        )
        return re.compile("/".join(parts))

    def match(self, path: str) -> dict[str, str] | None:
        """Return the parameters in a path, as it was sent; ``None``: it is another path."""
        found = self._pattern.fullmatch(path)
        if found is None:
            return None
        parts = {name: unquote(text) for name, text in found.groupdict().items()}
        return None if any("\0" in part for part in parts.values()) else parts  # PostgreSQL has no such text


_NAME: Final = "(?P<{}>[^/]+)"

_ID: Final = "(?P<{}>.+)"
"""Ids of parts of runs, of tasks, and paths of files have slashes; who writes these as ``%2F`` is never misread."""


class Table:
    """Endpoints by the first two parts of their paths, so that a request is held against few of them and not all.

    Of two paths that a request fits the first one counts, or that which has no parameter there.
    """

    def __init__(self, endpoints: Iterable[Endpoint]) -> None:
        self._found: dict[tuple[str, ...], list[Endpoint]] = {}
        for one in endpoints:
            beginning = tuple("" if part.startswith("{") else part for part in _beginning(one.path))
            self._found.setdefault(beginning, []).append(one)

    def find(self, method: str, path: str) -> tuple[Endpoint | None, dict[str, str], list[str]]:
        """Return the endpoint of a request and the parameters in its path; without one, the methods that there are."""
        methods: list[str] = []
        beginning = _beginning(path)
        for one in (*self._found.get(beginning, ()), *self._found.get((*beginning[:-1], ""), ())):
            found = one.match(path)
            if found is not None:
                if one.method == method:
                    return one, found, []
                methods.append(one.method)
        return None, {}, sorted(set(methods))


def _beginning(path: str) -> tuple[str, ...]:
    return tuple(path.split("/", 3)[1:3])
