"""The records that every spec knows without declaring them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from wfc.compiler.types.shapes import (
    INTEGER,
    NUMBER,
    STRING,
    Constraints,
    Enumeration,
    Field,
    MapOf,
    Optional,
    Record,
    Type,
    within,
)

__all__ = ["BUILT_IN", "FILE", "MESSAGE", "PASSAGE", "SEEN_PASSAGE", "mentions"]

LONGEST_FILE: Final = 10_000_000

MESSAGE: Final = Record(
    "Message",
    {
        "role": Field(
            "role",
            Enumeration(("user", "assistant", "system")),
            description="Who said it, or the instructions.",
        ),
        "content": Field("content", STRING, description="What was said."),
    },
    role="built in",
    description="One message of a conversation with a model.",
)

PASSAGE: Final = Record(
    "Passage",
    {
        "text": Field("text", STRING, description="What it says."),
        "source": Field("source", STRING, description="Where it stands: a file's path, or an address."),
        "score": Field("score", Optional(NUMBER), description="How well it fits; more is better."),
        "id": Field(
            "id",
            STRING,
            has_default=True,
            default="",
            description="What tells it from all others of its collection.",
        ),
        "start": Field(
            "start",
            Optional(INTEGER),
            description="Where it begins in its source, in characters, if that is text.",
        ),
        "end": Field("end", Optional(INTEGER), description="Where it ends there."),
        "about": Field(
            "about",
            MapOf(STRING),
            has_default=True,
            default={},
            description="What is said about its source, such as `title`, `page` or `heading`.",
        ),
    },
    role="built in",
    description="A piece of text that a search has found.",
)

SEEN_PASSAGE: Final = Record(
    "Passage",
    {
        **PASSAGE.fields,
        "previous": Field(
            "previous",
            Optional(PASSAGE),
            description="The one before it in the same text; null for the first.",
        ),
        "next": Field(
            "next", Optional(PASSAGE), description="The one after it in the same text; null for the last."
        ),
        "parent": Field(
            "parent",
            Optional(PASSAGE),
            description="The larger part that it is cut from; null where `chunk` has no `parent`.",
        ),
    },
    role="built in",
    description=PASSAGE.description,
)
"""A passage as the condition of a search sees it, together with those around it."""

FILE: Final = Record(
    "File",
    {
        "name": Field(
            "name",
            STRING,
            description="Its name, without a folder.",
            constraints=Constraints(min_length=1, max_length=255, pattern=r"^[^/\\\x00-\x1f\x7f]+$"),
        ),
        "media_type": Field(
            "media_type",
            STRING,
            description="What it is, such as `text/plain` or `image/png`.",
            constraints=Constraints(
                max_length=127, pattern=r"^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*$"
            ),
        ),
        "content": Field(
            "content",
            STRING,
            description="Its bytes, in base64.",
            constraints=Constraints(max_length=LONGEST_FILE),
        ),
    },
    role="built in",
    description="A file, with what is in it.",
)

BUILT_IN: Final[Mapping[str, Record]] = {each.name: each for each in (MESSAGE, PASSAGE, FILE)}
"""By name. There is one object of each, in all specs."""


def mentions(type: Type, wanted: Record) -> bool:
    """Return whether a type is made of a record, however deep inside."""
    return any(each is wanted for each in within(type))
