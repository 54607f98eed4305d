"""The process that looks at one spec for somebody who is not trusted, and ends: a request in, an answer out."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Final

__all__ = ["main"]

MOST_MEMORY: Final = 4 * 2**30


def main() -> None:
    """Read a request from standard input, and write the answer to standard output."""
    answer = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever else is printed is no answer
    bound_memory()
    from wfc.compiler.cli.drafting.looking import answer as look

    tool, arguments = json.load(sys.stdin.buffer)
    found = look(tool, arguments)
    answer.write(json.dumps(found).encode())
    answer.flush()


def bound_memory() -> None:
    """Let this process have a bounded part of the memory, where the system knows such bounds."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))


if __name__ == "__main__":
    main()
