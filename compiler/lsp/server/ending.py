"""How the server ends: when the editor says so, or has gone."""

from __future__ import annotations

import sys
from contextlib import suppress
from typing import BinaryIO

from lsprotocol import types as lsp

from wfc.compiler.lsp.server.state import Server, server

__all__ = ["EditorOutput", "asked_to_end", "serve"]


class EditorOutput:
    """Standard output as pygls writes to it, which drops what nobody reads any more.

    To pygls a failed write is an error that it tells the editor, by another write that fails.
    """

    def __init__(self, stream: BinaryIO) -> None:
        self.stream = stream
        self.closed = False

    def write(self, data: bytes) -> None:
        """Write and flush, as long as there is a reader."""
        if self.closed:
            return
        try:
            self.stream.write(data)
            self.stream.flush()
        except (OSError, ValueError):  # ValueError: it was closed
            self.closed = True  # that the editor has gone is told by the end of the input

    def flush(self) -> None:
        """Do nothing: what was written is flushed."""

    def close(self) -> None:
        """Write no more. The stream stays open for who started the server."""
        self.closed = True


@server.feature(lsp.SHUTDOWN)
def asked_to_end(ls: Server, _params: object) -> None:
    """Begin nothing any more: the editor is about to end the server."""
    ls.asked_to_end = True
    ls.stop_checking()


def serve() -> int:
    """Serve an editor over standard input and output; return the exit status that the protocol asks for."""
    output = EditorOutput(sys.stdout.buffer)
    server.start_io(stdout=output)  # type: ignore[arg-type]  # of a stream, it uses these three
    with suppress(OSError, ValueError):
        sys.stdout.flush()
    return 0 if server.asked_to_end else 1
