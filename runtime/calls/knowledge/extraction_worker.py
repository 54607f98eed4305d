"""The process that reads files of intricate formats: each is given in, what it says comes out."""

from __future__ import annotations

import json
import os
import sys
from contextlib import suppress
from typing import Any

from wfc.runtime.calls.knowledge.definition import UnreadableError
from wfc.runtime.errors import MissingPackageError

__all__ = ["main"]


def main() -> None:
    """Answer requests from standard input: a line with ending, size and seconds that it may take, then the bytes.

    The program's one argument is how many bytes of memory it may have.
    """
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # whatever else is printed is no reply
    memory = int(sys.argv[1])
    _bound_memory(memory)
    requests = sys.stdin.buffer
    while head := requests.readline():
        ending, size, seconds = head.decode().split()
        raw = requests.read(int(size))
        _bound_time(int(seconds))
        reply = json.dumps(_reply(ending, raw, memory)).encode()
        replies.write(b"%d\n" % len(reply))
        replies.write(reply)
        replies.flush()


def _reply(ending: str, raw: bytes, memory: int) -> tuple[str, Any]:
    try:
        if ending == "pdf":
            from wfc.runtime.calls.knowledge.pdf import pages

            return "found", pages(raw)
        from wfc.runtime.calls.knowledge.sheets import rows

        return "found", rows(raw)
    except MissingPackageError as error:
        return "missing", str(error)
    except UnreadableError as error:
        return "unreadable", str(error)
    except MemoryError:
        return "unreadable", f"reading it takes more than {memory // 2**20:,} MB of memory"


def _bound_memory(most: int) -> None:
    """Let this process have a bounded part of the memory, where the system knows such bounds."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (most, most))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _bound_time(seconds: int) -> None:
    """Let the next file take so much computing, where the system knows such bounds: then the process is ended."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        used = resource.getrusage(resource.RUSAGE_SELF)
        _, most = resource.getrlimit(resource.RLIMIT_CPU)
        resource.setrlimit(resource.RLIMIT_CPU, (int(used.ru_utime + used.ru_stime) + seconds + 1, most))


if __name__ == "__main__":
    main()
