"""Pages for people: files that are the same for everybody, and load nothing from elsewhere.

All that they show they ask for with the token that their reader has. It stands behind a `#`, where no server sees it.
"""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

from wfc.runtime.drawing.page import COLOURS, DRAWN
from wfc.runtime.server.calls import Call, Problem, TextReply
from wfc.runtime.server.installation import Installation

__all__ = ["show_chat_page", "show_form_page", "show_page", "show_page_file", "show_task_page"]

_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; worker-src 'none'; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; "
    "trusted-types 'none'"
)
_VIEWER: Final = ("viewer.css", "viewer.js", "opening.js")
_TYPES: Final = {
    "html": "text/html",
    "js": "text/javascript",
    "css": "text/css",
    "svg": "image/svg+xml",
    "txt": "text/plain",
}


@cache
def all_files() -> dict[str, str]:
    """Return the texts of all files, by their names: there are no others, whatever a path says."""
    folder = files("wfc.runtime.server").joinpath("page")
    found = {one.name: one.read_text(encoding="utf-8") for one in folder.iterdir() if one.is_file()}
    drawing = files("wfc.runtime.drawing")
    viewer = {name: drawing.joinpath(name).read_text(encoding="utf-8") for name in _VIEWER}
    return {**found, **viewer, "drawing.css": COLOURS + DRAWN}


def page_file(call: Call, name: str) -> TextReply:
    if "service-worker" in call.headers:  # it would stand between the page and this server, and stay
        raise Problem(403, "page.no_worker", "no file of the page is a service worker")
    text = all_files().get(name)
    if text is None:
        raise Problem(404, "path", "there is nothing under this path")
    return TextReply(text, _TYPES[name.rpartition(".")[2]], {"Content-Security-Policy": _POLICY})


async def show_page(_: Installation, call: Call) -> TextReply:
    """Show the page of runs, questions and workflows."""
    return page_file(call, "index.html")


async def show_task_page(_: Installation, call: Call) -> TextReply:
    """Show the page on which somebody with a link answers one question."""
    return page_file(call, "task.html")


async def show_form_page(_: Installation, call: Call) -> TextReply:
    """Show the page on which somebody fills in a form that the operator has opened."""
    return page_file(call, "form.html")


async def show_chat_page(_: Installation, call: Call) -> TextReply:
    """Show the page on which somebody talks with a workflow that the operator has opened."""
    return page_file(call, "chat.html")


async def show_page_file(_: Installation, call: Call) -> TextReply:
    """Give a file of a page."""
    return page_file(call, call.path["file"])
