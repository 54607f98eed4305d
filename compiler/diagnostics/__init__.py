"""Findings: their places, their messages, and their form for output."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Literal

from wfc.compiler.slotted import dataclass, field, replace

__all__ = [
    "Address",
    "Applicability",
    "Diagnostic",
    "Edit",
    "Finding",
    "Fix",
    "Origin",
    "Place",
    "Position",
    "Related",
    "Repair",
    "Report",
    "Severity",
    "TextEdit",
]

Address = tuple[str | int, ...]
"""The way to a place in a document's data, such as ``("steps", "classify", "emit", 0, "when")``."""


class Origin(str):
    """The path of another file, as findings show it: the first step of an address in that file."""

    __slots__ = ()


class Severity(IntEnum):
    """The severity of a finding; a greater value is more severe."""

    WARNING = 1
    ERROR = 2

    @property
    def word(self) -> str:
        """The severity as a word: ``warning`` or ``error``."""
        return self.name.lower()


@dataclass(frozen=True, slots=True)
class Place:
    """A place in a document: a value or a key, a stretch inside a scalar value, or a stretch of the text.

    Args:
        address: The way to the value in the document's data.
        part: ``"key"`` for the key that leads to the value, ``"value"`` for the value itself, ``"text"`` for
            a stretch of the document's text, which may be no YAML at all.
        start: First code point of a stretch inside the scalar's *decoded* value (or, for ``"text"``, of
            the text), or ``None`` for the whole of it.
        end: One past the last code point of that stretch.
    """

    address: Address
    part: Literal["value", "key", "text"] = "value"
    start: int | None = None
    end: int | None = None

    def __truediv__(self, step: str | int) -> Place:
        """Return the place one key or index further down."""
        return Place(self.address + (step,))  # noqa: RUF005  # unpacking takes twice as long, and this is done often

    @property
    def key(self) -> Place:
        """The place of the key that leads here."""
        return Place(self.address, "key")

    @property
    def origin(self) -> str | None:
        """The path of the file it is in, if that is not the spec itself."""
        return self.address[0] if self.address and isinstance(self.address[0], Origin) else None

    @property
    def here(self) -> Place:
        """The same place relative to its own file."""
        return self if self.origin is None else replace(self, address=self.address[1:])

    def stretch(self, start: int, end: int) -> Place:
        """Return a stretch of this scalar's decoded value, in code points."""
        return Place(self.address, self.part, start, end)


Applicability = Literal["safe", "unsafe", "display"]
"""Who may apply a fix: ``wfc check --fix``; only with ``--unsafe``; nobody but a person."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One change of a document's data; how the text changes is determined when the place is looked up.

    Args:
        place: What is changed.
        new: What is to stand there: in a scalar as its *decoded* value has it, for a stretch of the text as it is.
        old: What must stand there exactly once; only it is replaced. ``None`` for the whole place.
        how: ``"replace"``; ``"remove"`` the entry or the item at the address with all it holds; ``"quote"`` the
            text of the place as it is written; put ``new`` as an entry of its own ``"before"`` the key;
            ``"add"`` its lines, an entry each, to the map of the place; or ``"rewrite"`` the value, be it a map or a
            list, as ``new`` has it in YAML.
    """

    place: Place
    new: str = ""
    old: str | None = None
    how: Literal["replace", "remove", "quote", "before", "add", "rewrite"] = "replace"


@dataclass(frozen=True, slots=True)
class Fix:
    """A way to mend a finding.

    Args:
        title: What it does, such as ``write `Asked```.
        edits: All to be made, or none.
        applicability: Who may apply it.
    """

    title: str
    edits: tuple[Edit, ...]
    applicability: Applicability = "unsafe"


@dataclass(frozen=True, slots=True)
class Finding:
    """A problem at a place, not yet looked up in the text.

    Args:
        code: The problem's code, such as ``unknown-event``.
        message: One sentence without a full stop.
        place: Where it is.
        hint: What to do, or empty.
        severity: How grave it is.
        related: Other places that matter, each with a few words about it.
        fix: How it can be mended, if there is a way that is clear.
        about: The names that something asks for and that are not there, to see what several findings have in common.
    """

    code: str
    message: str
    place: Place
    hint: str = ""
    severity: Severity = Severity.ERROR
    related: tuple[tuple[Place, str], ...] = ()
    fix: Fix | None = None
    about: tuple[str, ...] = ()


Report = Callable[[Finding], None]
"""Where a pass puts what it finds; usually a list's ``append``."""


@dataclass(frozen=True, slots=True, order=True)
class Position:
    """A place in a text: line and column from 1, offset from 0, all counted in code points."""

    line: int
    column: int
    offset: int


@dataclass(frozen=True, slots=True)
class Related:
    """Another place that is relevant to a finding: its position, the reason in a few words, and the file."""

    position: Position
    words: str
    path: str


@dataclass(frozen=True, slots=True)
class TextEdit:
    """A stretch of a text and its replacement."""

    start: Position
    end: Position
    text: str


@dataclass(frozen=True, slots=True)
class Repair:
    """A fix in a file's text, ready to be applied; its edits are in order and do not overlap."""

    title: str
    applicability: Applicability
    edits: tuple[TextEdit, ...]


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """A finding in a file's text, ready to be shown.

    ``suppressed`` is the reason given in the text for not minding it, or ``None``.
    """

    path: str
    start: Position
    end: Position
    code: str
    message: str
    severity: Severity
    hint: str = ""
    related: tuple[Related, ...] = field(default=())
    fix: Repair | None = None
    suppressed: str | None = None
