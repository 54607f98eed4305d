"""The record types built into every spec: messages of conversations, passages found by a search, files."""

from __future__ import annotations

import base64
import binascii
from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from wfc.runtime.events import Number, Record

__all__ = ["MOST_FILE_BYTES", "File", "Message", "Passage"]

MOST_FILE_BYTES: Final = 7_500_000
"""How large a file may be, before base64 makes four bytes of three."""


class Message(Record):
    """One message of a conversation with a model.

    Args:
        role: Who said it, or ``system`` for instructions.
    """

    role: Annotated[
        Literal["user", "assistant", "system"], Field(description="Who said it, or the instructions.")
    ]
    content: Annotated[str, Field(description="What was said.")]


class Passage(Record):
    """A piece of text that a search has found.

    Args:
        source: Where it stands: a file's path, or an address.
        score: How well it fits; more is better.
        id: What tells it from all others of its collection.
        start: Where it begins in its source, in characters, if that is text.
        end: Where it ends there.
        about: What is said about its source, such as ``title``, ``page`` or ``heading``.
    """

    text: Annotated[str, Field(description="What it says.")]
    source: Annotated[str, Field(description="Where it stands: a file's path, or an address.")]
    score: Annotated[Number | None, Field(description="How well it fits; more is better.")] = None
    id: Annotated[str, Field(description="What tells it from all others of its collection.")] = ""
    start: Annotated[
        int | None, Field(description="Where it begins in its source, in characters, if that is text.")
    ] = None
    end: Annotated[int | None, Field(description="Where it ends there.")] = None
    about: Annotated[
        dict[str, str],
        Field(
            default_factory=dict,
            description="What is said about its source, such as `title`, `page` or `heading`.",
        ),
    ]


def _no_folder(name: str) -> str:
    if name in {".", ".."}:
        raise ValueError("it names a folder")
    return name


def _in_base64(content: str) -> str:
    try:
        binascii.a2b_base64(content, strict_mode=True)
    except ValueError as error:  # binascii.Error, or characters outside ASCII
        raise ValueError(f"it is not in base64: {error}") from None
    return content


class File(Record):
    """A file, with what is in it: it can be stored and sent like any other value, and names no place on a disk.

    Args:
        name: Without a folder.
        media_type: What it is, such as ``text/plain``.
        content: Its bytes in base64, at most 10,000,000 characters of it.
    """

    name: Annotated[
        str,
        Field(
            description="Its name, without a folder.",
            min_length=1,
            max_length=255,
            pattern=r"^[^/\\\x00-\x1f\x7f]+$",
        ),
        AfterValidator(_no_folder),
    ]
    media_type: Annotated[
        str,
        Field(
            description="What it is, such as `text/plain` or `image/png`.",
            max_length=127,
            pattern=r"^[a-z0-9][a-z0-9!#$&^_.+-]*/[a-z0-9][a-z0-9!#$&^_.+-]*$",
        ),
    ]
    content: Annotated[
        str,
        Field(
            description="Its bytes, in base64.",
            max_length=MOST_FILE_BYTES * 4 // 3,
            json_schema_extra={"contentEncoding": "base64"},
        ),
        AfterValidator(_in_base64),
    ]

    @classmethod
    def of(cls, data: bytes, *, name: str, media_type: str) -> File:
        """Return a file with these bytes.

        Raises:
            pydantic.ValidationError: The file is too large, or the name or the media type is invalid.
        """
        return cls(name=name, media_type=media_type, content=base64.b64encode(data).decode("ascii"))

    @property
    def data(self) -> bytes:
        """Return the file's bytes."""
        return binascii.a2b_base64(self.content)
