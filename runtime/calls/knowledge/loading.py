"""Files → documents: what a file says as text, with what it says about itself."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from html.parser import HTMLParser
from typing import Any, Final

from wfc.runtime.calls.knowledge.definition import LOADED, TextBound, UnreadableError

__all__ = ["Document", "documents", "front_matter_end"]

_MOST_ABOUT: Final = 50
_LONGEST_ABOUT: Final = 500


@dataclass(frozen=True, slots=True)
class Document:
    """One text.

    Args:
        about: What is said about it, as texts by name.
        is_markdown: Whether its headings are marked as in Markdown.
        is_source: Whether the text is the file's own from its first character on, so that places in it are places in
            the file.
        is_code: Whether it is a program.
    """

    text: str
    about: Mapping[str, str] = field(default_factory=dict)
    is_markdown: bool = False
    is_source: bool = False
    is_code: bool = False

    def with_about(self, more: Mapping[str, str]) -> Document:
        """Return it with more said about it, of which what it says itself counts more."""
        return replace(self, about={**more, **self.about}) if more else self


def documents(ending: str, raw: bytes) -> Iterator[Document]:
    """Yield the texts of a file: one, or one for each row, page or record of it.

    Args:
        ending: What its name ends with.

    Raises:
        UnreadableError: It is of no kind that can be read, not what its ending says, or gives too much text.
    """
    reader = _READERS.get(ending.lower())
    if reader is None:
        raise UnreadableError(f"files that end with `.{ending}` are not read")
    bound = TextBound()
    for each in reader(raw):
        bound.take(len(each.text))
        if each.text.strip():
            yield _unbroken(each)


def _unbroken(document: Document) -> Document:
    """Return a document without halves of characters, which JSON may have and no index takes."""
    try:
        "".join((document.text, *document.about, *document.about.values())).encode()
    except UnicodeEncodeError:
        about = {_whole(name): _whole(value) for name, value in document.about.items()}
        return replace(document, text=_whole(document.text), about=about, is_source=False)
    return document


def _whole(text: str) -> str:
    return text.encode("utf-8", "replace").decode()


def _decoded(raw: bytes) -> str:
    """Return the text of a file as it is, with its line ends."""
    encoding = "utf-16" if raw[:2] in {b"\xff\xfe", b"\xfe\xff"} else "utf-8-sig"
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        raise UnreadableError(f"it is not text in UTF-8 (byte {error.start})") from None
    if "\0" in text:
        raise UnreadableError("it is not text: it has a character with the number 0")
    return text


def _plain(raw: bytes) -> list[Document]:
    return [Document(_decoded(raw), is_source=True)]


def _code(raw: bytes) -> list[Document]:
    return [Document(_decoded(raw), is_source=True, is_code=True)]


def _markdown(raw: bytes) -> list[Document]:
    text = _decoded(raw)
    return [Document(text, _front_matter(text), is_markdown=True, is_source=True)]


def _front_matter(text: str) -> dict[str, str]:
    """Return the lines ``name: value`` between two lines ``---`` at the beginning; others say nothing."""
    lines = iter(text[:20_000].splitlines())
    if next(lines, "").rstrip() != "---":
        return {}
    found: dict[str, str] = {}
    for line in lines:
        if line.rstrip() == "---":
            return found
        name, colon, value = line.partition(":")
        value = value.strip().strip("\"'")
        if colon and value and name.strip() == name and name and len(found) < _MOST_ABOUT:
            found[name[:_LONGEST_ABOUT]] = value[:_LONGEST_ABOUT]
    return {}


def front_matter_end(text: str) -> int:
    """Return where the text begins after such lines."""
    if not text.startswith("---") or not _front_matter(text):
        return 0
    end = text.find("\n---", 3)
    line_end = text.find("\n", end + 1)
    return line_end + 1 if line_end > 0 else len(text)


def _html(raw: bytes) -> list[Document]:
    page = _Page()
    page.feed(_decoded(raw))
    page.close()
    about = {"title": page.title.strip()[:_LONGEST_ABOUT]} if page.title.strip() else {}
    return [Document(page.text(), about)]


class _Page(HTMLParser):
    """The words of a page, a line for each block of it."""

    _UNSEEN: Final = frozenset({"script", "style", "template", "noscript", "svg", "math", "iframe", "object"})
    _WITHIN_LINES: Final = _UNSEEN | frozenset(
        "a abbr b bdi bdo cite code data dfn em i kbd label mark q s samp small span strong sub sup time u var".split()
    )

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.pieces: list[str] = []
        self.title = ""
        self.unseen = 0
        self.in_title = False

    def handle_starttag(self, tag: str, _attributes: object) -> None:
        self.unseen += tag in self._UNSEEN
        self.in_title = tag == "title"
        if tag not in self._WITHIN_LINES:
            self.pieces.append("\n")

    def handle_startendtag(self, tag: str, _attributes: object) -> None:
        self.pieces.append("" if tag in self._WITHIN_LINES else "\n")

    def handle_endtag(self, tag: str) -> None:
        self.unseen -= tag in self._UNSEEN and self.unseen > 0
        self.in_title = False
        if tag not in self._WITHIN_LINES:
            self.pieces.append("\n")

    def handle_data(self, data: str) -> None:
        if self.in_title:
            self.title += data
        elif not self.unseen:
            self.pieces.append(data)

    def text(self) -> str:
        """Return the words, with one empty line between blocks."""
        lines = (" ".join(line.split()) for line in "".join(self.pieces).splitlines())
        return "\n".join(line for line in lines if line)


def _table(raw: bytes) -> Iterator[Document]:
    """Yield a document for each row below the first: a line ``column: value`` for each value."""
    text = _decoded(raw)
    try:
        first = text[:10_000].partition("\n")[0]
        delimiter = max((",", ";", "\t"), key=first.count)
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
        names = next(rows, [])
        for number, row in enumerate(rows, start=2):
            lines = (f"{name}: {value}" for name, value in zip(names, row, strict=False) if value)
            yield Document("\n".join(lines), {"row": str(number)})
    except csv.Error as error:
        raise UnreadableError(f"it is no table: {error}") from None


def _json(raw: bytes) -> list[Document]:
    """Return a document for each entry of a list, or one for all."""
    data = _parsed(_decoded(raw))
    if not isinstance(data, list):
        return [Document(_told(data))]
    return [Document(_told(each), {"row": str(number)}) for number, each in enumerate(data, start=1)]


def _json_lines(raw: bytes) -> Iterator[Document]:
    for number, line in enumerate(io.StringIO(_decoded(raw), newline="\n"), start=1):
        if line.strip():
            yield Document(_told(_parsed(line)), {"row": str(number)})


def _parsed(text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError as error:
        raise UnreadableError(f"it is not JSON: {error}") from None
    except RecursionError:
        raise UnreadableError("it is not JSON that can be read: it is nested too deeply") from None


def _told(data: object) -> str:
    """Return a record as lines ``name: value``, anything else as it is."""
    if not isinstance(data, dict):
        return data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    texts = {
        name: value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        for name, value in data.items()
    }
    return "\n".join(f"{name}: {value}" for name, value in texts.items())


def _word(raw: bytes) -> list[Document]:
    from wfc.runtime.calls.knowledge.word import markdown_of

    text, about = markdown_of(raw)
    return [Document(text, about, is_markdown=True)]


def _sheets(raw: bytes) -> Iterator[Document]:
    from wfc.runtime.calls.knowledge.contained import extracted

    for sheet, number, row in extracted("xlsx", raw):
        yield Document(
            "\n".join(f"{name}: {value}" for name, value in row), {"sheet": sheet, "row": str(number)}
        )


def _pdf(raw: bytes) -> list[Document]:
    from wfc.runtime.calls.knowledge.contained import extracted

    pages = extracted("pdf", raw)
    return [Document(text, {"page": str(number)}) for number, text in enumerate(pages, start=1)]


def _loaded(raw: bytes) -> Iterator[Document]:
    """Yield what a loader of one's own has given."""
    for line in raw.split(b"\n"):
        told = json.loads(line)
        yield Document(told["text"], told["about"])


_READERS: Final[dict[str, Callable[[bytes], Any]]] = {
    **dict.fromkeys(("txt", "text", "rst", "log"), _plain),
    **dict.fromkeys(("md", "markdown"), _markdown),
    **dict.fromkeys(
        "py pyi js mjs ts tsx jsx go rs java kt c h cc cpp hpp cs rb php swift sh sql toml yaml yml ini".split(),
        _code,
    ),
    **dict.fromkeys(("html", "htm"), _html),
    **dict.fromkeys(("csv", "tsv"), _table),
    "json": _json,
    **dict.fromkeys(("jsonl", "ndjson"), _json_lines),
    "pdf": _pdf,
    "docx": _word,
    **dict.fromkeys(("xlsx", "xlsm"), _sheets),
    LOADED: _loaded,
}
"""By what files end with."""
