"""What a page of a drawing can do by a script of its own: search, open called workflows, lead to the source.

The script is that of ``viewer.js``, ``opening.js`` and ``standing.js`` in one. The page allows this one text by its
digest and nothing else, so that a page can be opened from a file, offline, and no text in it can become a program.
"""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Callable, Iterator
from functools import cache
from hashlib import sha256
from importlib.resources import files
from typing import Final

from wfc.runtime.drawing.graph import Graph

__all__ = ["policy", "script", "sources", "style"]

_SCRIPTS: Final = ("opening.js", "viewer.js", "standing.js")
_IMPORT: Final = re.compile(r"^import .*\n", re.MULTILINE)
_BREAK: Final = re.compile(r"\r\n|\r|\n")
_NO_ASCII: Final = re.compile(r"[^\x00-\x7f]")


def policy() -> str:
    """Return what the page may do: its styles, and the script that belongs to it."""
    digest = b64encode(sha256(_program().encode()).digest()).decode()
    return f"default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-{digest}'"


def script() -> str:
    """Return the element of the one script of a page."""
    return f'<script type="module">{_program()}</script>'


@cache
def style() -> str:
    """Return what a page says of how it looks."""
    return _text("viewer.css") + _text("standing.css")


@cache
def _program() -> str:
    """Return the program; in ASCII, which is the same in any encoding that the page may get."""
    text = "\n".join(_IMPORT.sub("", _text(name)) for name in _SCRIPTS)
    text = text.replace('import("./opening.js");', "{ Picture };")  # which stands above
    return _NO_ASCII.sub(lambda found: f"\\u{ord(found[0]):04x}", text)


def _text(name: str) -> str:
    return files("wfc.runtime.drawing").joinpath(name).read_text(encoding="utf-8")


def sources(graph: Graph, escape: Callable[[str], str]) -> Iterator[str]:
    """Yield the texts that the drawing and what opens in it come from, with their lines; nothing without any."""
    found = {name: each for name, each in ((graph.title, graph), *graph.inside.items()) if each.text}
    if not found:
        return
    yield '<aside aria-label="Source">'
    for name, each in found.items():
        lines = enumerate(_BREAK.split(each.text), 1)
        text = "".join(f'<span data-number="{number}">{escape(line)}</span>' for number, line in lines)
        summary = f"<summary>{escape(each.path)}</summary>"
        yield f'<details class="source" data-name="{escape(name)}">{summary}<pre>{text}</pre></details>'
    yield "</aside>"
