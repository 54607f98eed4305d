"""Safe reading of untrusted files: without waiting for pipes, and up to a limit."""

from __future__ import annotations

import errno
import os
import stat

__all__ = ["read_file", "read_or_reason", "reason"]

NON_BLOCKING = getattr(os, "O_NONBLOCK", 0)


def read_file(path: str, limit: int) -> bytes:
    """Return the bytes of a file, at most so many.

    A pipe, a socket or a device is not read: one with nobody at its other end never ends. Those in `/dev` are, where a
    shell puts what another program writes.

    Raises:
        OSError: It cannot be read, or is no regular file.
        ValueError: No file can have this path.
    """
    if path.startswith("/dev/"):
        with open(path, "rb") as file:
            return file.read(limit)
    with open(path, "rb", opener=open_without_waiting) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no file", path)
        return file.read(limit) or b""


def open_without_waiting(path: str, flags: int) -> int:
    return os.open(path, flags | NON_BLOCKING)


def read_or_reason(path: str, limit: int) -> bytes | str:
    """Return the bytes of a file, at most so many, or why it cannot be read."""
    try:
        return read_file(path, limit)
    except (OSError, ValueError) as error:
        return reason(error)


def reason(error: OSError | ValueError) -> str:
    """Return an error's reason, to be shown after a colon."""
    said = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    return f"{said[:1].lower()}{said[1:]}"
