"""Files of formats in which a small one may take any time or memory: they are read in a process that can be ended.

The process is started with the first such file and reads one after the other, until `end_reader`. What it is given and
what it gives are bytes and JSON; it has none of this process's secrets.
"""

from __future__ import annotations

import atexit
import json
import os
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any, Final

from wfc.runtime.calls.knowledge.definition import UnreadableError
from wfc.runtime.errors import MissingPackageError

__all__ = ["end_reader", "extracted"]

LONGEST: Final = 60
"""How many seconds of computing a file may take."""
MOST_MEMORY: Final = 2 * 2**30
"""How many bytes of memory the process may have."""
_LONGEST_WAIT: Final = 1200
"""How many seconds may pass where the system knows no bound for what a process computes, or it does not compute."""

_KEPT: Final = (
    "PATH",
    "PYTHONPATH",
    "PYTHONHOME",
    "SYSTEMROOT",
    "TEMP",
    "TMP",
    "TMPDIR",
    "LANG",
    "LC_ALL",
    "HOME",
)
"""The variables of the environment that the process has."""


class _ReaderProcess:
    """The process, of which there is one at most."""

    def __init__(self) -> None:
        self.lock = threading.Lock()
        self.process: subprocess.Popen[bytes] | None = None

    def ask(self, ending: str, raw: bytes) -> Any:
        """Return its reply; ``None`` if it was ended before it gave one."""
        if self.process is not None and self.process.poll() is not None:
            self.stop()
        process = self.process = self.process or _started()
        assert process.stdin is not None and process.stdout is not None
        timer = threading.Timer(_LONGEST_WAIT, process.kill)
        timer.daemon = True
        timer.start()
        try:
            process.stdin.write(f"{ending} {len(raw)} {LONGEST}\n".encode())
            process.stdin.write(raw)
            process.stdin.flush()
            head = process.stdout.readline()
            reply = process.stdout.read(int(head)) if head.strip() else b""
        except (BrokenPipeError, ConnectionError):
            reply = b""
        finally:
            timer.cancel()
        if not reply:
            self.stop()
            return None
        return json.loads(reply)

    def stop(self) -> None:
        """End the process."""
        process, self.process = self.process, None
        if process is not None:
            process.kill()
            for pipe in (process.stdin, process.stdout):
                with suppress(OSError):
                    if pipe is not None:
                        pipe.close()
            process.wait()


_READER: Final = _ReaderProcess()


def _started() -> subprocess.Popen[bytes]:
    atexit.register(end_reader)  # of several entries the later ones find nothing to end
    return subprocess.Popen(  # noqa: S603 - nothing of it comes from outside
        [sys.executable, "-P", "-m", "wfc.runtime.calls.knowledge.extraction_worker", str(MOST_MEMORY)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env={name: os.environ[name] for name in _KEPT if name in os.environ},
    )


def extracted(ending: str, raw: bytes) -> Any:
    """Return what a file says: of a PDF its pages, of a spreadsheet its rows; see the modules `pdf` and `sheets`.

    Raises:
        UnreadableError: It cannot be read, or not within the bounds of time and memory.
        MissingPackageError: The package for it is not installed.
    """
    with _READER.lock:
        reply = _READER.ask(ending, raw)
    if reply is None:
        raise UnreadableError(
            f"the process that read it has ended: it is given {LONGEST} seconds of computing and "
            f"{MOST_MEMORY // 2**20:,} MB of memory"
        )
    said, found = reply
    if said == "missing":
        raise MissingPackageError(found)
    if said == "unreadable":
        raise UnreadableError(found)
    return found


def end_reader() -> None:
    """End the process; the next file starts another one."""
    with _READER.lock:
        _READER.stop()
