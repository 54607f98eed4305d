"""What may be done with a document: its tests run, its flow shown."""

from __future__ import annotations

import asyncio
import tempfile
from pathlib import Path
from typing import Any, Final

from lsprotocol import types as lsp

from wfc.compiler.lsp.extras import lenses
from wfc.compiler.lsp.server.state import Server, path_of, server, stretch
from wfc.schemas.spans import span

__all__ = [
    "draw_flow",
    "offer",
    "run_tests",
    "show_flow",
]

SHOW_FLOW: Final = "wfc.showFlow"
RUN_TESTS: Final = "wfc.runTests"
COMMANDS: Final = {"flow": SHOW_FLOW, "tests": RUN_TESTS, "test": RUN_TESTS}
TITLES: Final = {"flow": "show the flow", "tests": "run all tests", "test": "run this test"}
NO_FLOW: Final = "There is no flow to be shown while the spec has errors."
MOST_SAID: Final = 2_000
LONGEST: Final = 600
"""So many seconds the tests of a spec may take."""


@server.feature(lsp.TEXT_DOCUMENT_CODE_LENS)
def offer(ls: Server, params: lsp.CodeLensParams) -> list[lsp.CodeLens]:
    """Return what may be done with the lines of a document."""
    uri = params.text_document.uri
    document = ls.document(uri)
    lines = ls.lines(document.text)
    return [
        lsp.CodeLens(
            stretch(lines, each.start, each.end),
            lsp.Command(TITLES[each.what], COMMANDS[each.what], arguments=[uri, each.test]),
        )
        for each in (lenses(document) if document.is_spec else ())
    ]


@server.command(SHOW_FLOW)
async def show_flow(ls: Server, uri: str, _test: str = "") -> str | None:
    """Return the flow of a document as a page, and have it shown by an editor that shows files in a browser."""
    found = ls.flow(ls.document(uri), "html")
    if found is None:
        ls.window_show_message(lsp.ShowMessageParams(lsp.MessageType.Warning, NO_FLOW))
        return None
    page = found[0]
    window = ls.client_capabilities.window
    if window and window.show_document and window.show_document.support:
        with tempfile.NamedTemporaryFile("w", prefix="wfc-", suffix=".html", delete=False) as file:
            file.write(page)
        shown = lsp.ShowDocumentParams(Path(file.name).as_uri(), external=True)
        await ls.window_show_document_async(shown)
    return page


@server.command(RUN_TESTS)
async def run_tests(ls: Server, uri: str, test: str = "") -> dict[str, object]:
    """Run the tests of a file as it is saved, or those whose names hold some words; return how that went."""
    named = ["--only", test] if test else []
    passed, said = await command_run([*ls.command_line, "test", path_of(uri), *named])
    level = lsp.MessageType.Info if passed else lsp.MessageType.Error
    ls.window_show_message(lsp.ShowMessageParams(level, said.strip()[-MOST_SAID:] or "no tests"))
    return {"passed": passed, "said": said}


async def command_run(command: list[str]) -> tuple[bool, str]:
    """Run a command of ours; return whether it went well, and what it said."""
    process = await asyncio.create_subprocess_exec(
        *command,
        stdin=asyncio.subprocess.DEVNULL,  # the editor's is not to be read by anything else
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    try:
        said, _ = await asyncio.wait_for(process.communicate(), LONGEST)
    except TimeoutError:
        return False, f"stopped after {span(LONGEST)}"
    finally:
        if process.returncode is None:  # also when the server ends
            process.kill()
            await process.wait()
    return process.returncode == 0, said.decode("utf-8", "replace")


@server.feature("wfc/flow")
def draw_flow(ls: Server, params: Any) -> dict[str, object] | None:
    """Return the flow of the document at ``uri`` as it is in the editor.

    Returns:
        ``svg``, in which what comes from a line says which, with the workflows that steps may run; and ``files``, the
        addresses of all workflows by their names. ``None`` while the document has errors.
    """
    document = ls.document(str(params.uri))
    found = ls.flow(document, "svg")
    if found is None:
        return None
    picture, paths = found
    return {"svg": picture, "files": {name: ls.uri(path) for name, path in paths.items()}}
