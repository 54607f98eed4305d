"""The server: what the protocol asks is handed to the modules beside this room. Only here is pygls known."""

from __future__ import annotations

from wfc.compiler.lsp.server import documents, doing, ending, reading, writing  # each adds what it answers
from wfc.compiler.lsp.server.state import path_of, server

__all__ = ["documents", "doing", "ending", "path_of", "reading", "server", "writing"]
