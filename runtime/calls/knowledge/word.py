"""The text of a Word file as Markdown, read as a stream: nothing of its XML is kept but the text."""

from __future__ import annotations

import io
import re
import zipfile
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any, Final
from xml.parsers import expat

from wfc.runtime.calls.knowledge.definition import TextBound, UnreadableError
from wfc.runtime.calls.knowledge.word_tables import OpenTable
from wfc.runtime.calls.knowledge.zipped import refuse_bombs

__all__ = ["markdown_of"]

_LEVEL: Final = re.compile(r"[Hh]eading ([1-6])")
_MOST_TABLES: Final = 20
"""How deep tables may stand within each other."""
_LONGEST_TITLE: Final = 500

_WORD: Final = {
    "http://schemas.openxmlformats.org/wordprocessingml/2006/main",
    "http://purl.oclc.org/ooxml/wordprocessingml/main",
}
_NOT_SAID: Final = {"del", "moveFrom", "pPrChange", "tcPrChange", "trPrChange", "Fallback"}
"""What holds words that were taken out, an earlier form, or the same once more."""

_MARKS: Final = {"tab": "\t", "br": "\n", "cr": "\n", "noBreakHyphen": "-"}


def markdown_of(raw: bytes) -> tuple[str, dict[str, str]]:
    """Return the text, its headings marked as in Markdown and its tables as lines with bars, and its title.

    Raises:
        UnreadableError: It is no Word file, it is encrypted, damaged or too large.
    """
    refuse_bombs(raw, "word/document.xml")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            styles, title = _Styles(), _Title()
            _parse(archive, "word/styles.xml", styles.begin, lambda _name: None, lambda _text: None)
            _parse(archive, "docProps/core.xml", title.begin, title.end, title.say)
            text = _WordText(styles.names)
            _parse(archive, "word/document.xml", text.begin, text.end, text.say)
    except (
        expat.ExpatError,
        zipfile.BadZipFile,
        zlib.error,
        ValueError,
        RuntimeError,
        OSError,
        EOFError,
    ) as error:
        raise UnreadableError(f"it is no Word file that can be read: {type(error).__name__}") from None
    about = {"title": title.said[:_LONGEST_TITLE]} if title.said.strip() else {}
    return "\n\n".join(text.blocks), about


Begin = Callable[[str, dict[str, str]], None]


def _parse(
    archive: zipfile.ZipFile, part: str, begin: Begin, end: Callable[[str], None], say: Callable[[str], None]
) -> None:
    """Read a part of the archive, if it is there, piece by piece."""
    if part not in archive.namelist():
        return
    parser = expat.ParserCreate(namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = begin
    parser.EndElementHandler = end
    parser.CharacterDataHandler = say
    parser.StartDoctypeDeclHandler = _refuse_entities
    with archive.open(part) as stream:
        parser.ParseFile(stream)


def _refuse_entities(*_declared: object) -> None:
    """Refuse what no office program writes: names that stand for texts, which may grow, or lead to other files."""
    raise UnreadableError("it is no Word file that can be read: it declares entities")


@lru_cache(maxsize=1_000)
def _local(name: str) -> str:
    """Return an element's name, if it is one of Word's; of others only those count that say the same once more."""
    space, _, local = name.rpartition(" ")
    return local if space in _WORD or local == "Fallback" else ""


def _value(attributes: dict[str, str]) -> str:
    """Return what an element's attribute `val` says."""
    return next((said for name, said in attributes.items() if name.rpartition(" ")[2] == "val"), "")


class _Styles:
    """The names of styles, by their ids."""

    def __init__(self) -> None:
        self.names: dict[str, str] = {}
        self._id = ""

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        match _local(name):
            case "style":
                ids = (said for key, said in attributes.items() if key.endswith("styleId"))
                self._id = next(ids, "")
            case "name" if self._id:
                self.names.setdefault(self._id, _value(attributes))


class _Title:
    """What a file says to be its title."""

    def __init__(self) -> None:
        self.said = ""
        self._is_title = False

    def begin(self, name: str, _attributes: dict[str, str]) -> None:
        self._is_title = name == "http://purl.org/dc/elements/1.1/ title"

    def end(self, _name: str) -> None:
        self._is_title = False

    def say(self, text: str) -> None:
        if self._is_title and len(self.said) < _LONGEST_TITLE:
            self.said += text


class _WordText:
    """The blocks of a document, as its elements begin and end.

    Args:
        styles: The names of styles, by their ids.
    """

    def __init__(self, styles: dict[str, str]) -> None:
        self.blocks: list[str] = []
        self._styles = styles
        self._bound = TextBound()
        self._tables: list[OpenTable] = []
        self._paragraphs: list[
            tuple[io.StringIO, list[str]]
        ] = []  # open ones, with the names of their styles
        self._runs = 0
        self._texts = 0
        self._unsaid = 0  # how many elements are open whose words do not count

    def begin(self, name: str, attributes: dict[str, str]) -> None:
        local = _local(name)
        if self._unsaid or local in _NOT_SAID:
            self._unsaid += 1
        elif local == "p":
            self._paragraphs.append((io.StringIO(), []))
        elif local == "pStyle" and self._paragraphs:
            self._paragraphs[-1][1].append(self._styles.get(_value(attributes), ""))
        elif local == "r":
            self._runs += 1
        elif local == "t":
            self._texts += 1
        elif local in _MARKS and self._runs:
            self._add(_MARKS[local])
        elif local == "tbl":
            if len(self._tables) >= _MOST_TABLES:
                raise UnreadableError(f"more than {_MOST_TABLES} tables stand within each other")
            self._tables.append(OpenTable(self._bound))
        elif self._tables:
            self._tables[-1].begin(local, _value(attributes))

    def end(self, name: str) -> None:
        if self._unsaid:
            self._unsaid -= 1
            return
        match _local(name):
            case "p" if self._paragraphs:
                self._emit(self._paragraph(*self._paragraphs.pop()))
            case "r":
                self._runs -= 1
            case "t":
                self._texts -= 1
            case "tbl":
                table = self._tables.pop()
                self._emit(" ".join(table.words()) if self._tables else "\n".join(table.lines))
            case local if self._tables:
                self._tables[-1].end(local)

    def say(self, text: str) -> None:
        if self._texts and not self._unsaid:
            self._add(text)

    def _add(self, text: str) -> None:
        if self._paragraphs:
            self._bound.take(len(text))
            self._paragraphs[-1][0].write(text)

    def _paragraph(self, written: io.StringIO, styles: list[str]) -> str:
        said = written.getvalue()
        style = styles[0] if styles and not self._tables else ""
        level = _LEVEL.fullmatch(style)
        mark = "#" * int(level[1]) + " " if level else "# " if style == "Title" else ""
        return mark + " ".join(said.split()) if mark else said

    def _emit(self, block: Any) -> None:
        if self._tables:
            self._tables[-1].say(block)
        elif block.strip():
            self.blocks.append(block)
