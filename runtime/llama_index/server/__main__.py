"""``python -m wfc.runtime.llama_index.server PROGRAM.py``: serve the ``WorkflowServer`` that a program makes."""

from __future__ import annotations

import asyncio
import os
import runpy
import sys
from pathlib import Path

from wfc.runtime.llama_index.server import WorkflowServer

__all__ = ["main"]

HOST, PORT = "WORKFLOWS_PY_SERVER_HOST", "WORKFLOWS_PY_SERVER_PORT"


def main(arguments: list[str]) -> int:
    """Serve what a program makes, at the address that the environment names; return the exit status."""
    if len(arguments) != 1:
        print("Usage: python -m wfc.runtime.llama_index.server PROGRAM.py", file=sys.stderr)
        return 1
    path = Path(arguments[0])
    if not path.is_file():
        print(f"Error: there is no file '{path}'", file=sys.stderr)
        return 1
    port = os.environ.get(PORT, "8080")
    if not (port.isascii() and port.isdigit() and int(port) < 65_536):
        print(f"Error: {PORT} is no port: {port}", file=sys.stderr)
        return 1
    made = runpy.run_path(str(path.resolve()), run_name=path.stem)
    server = next((one for one in made.values() if isinstance(one, WorkflowServer)), None)
    if server is None:
        print(f"Error: No WorkflowServer instance found in '{path}'", file=sys.stderr)
        return 1
    asyncio.run(server.serve(os.environ.get(HOST, "127.0.0.1"), int(port)))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
