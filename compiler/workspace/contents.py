"""The bytes of files, whoever has put them there: no pipe is waited for, and nothing is read without end."""

from __future__ import annotations

import errno
import os
import stat

__all__ = ["contents"]

AT_ONCE = getattr(os, "O_NONBLOCK", 0)


def contents(path: str, most: int) -> bytes:
    """The bytes of a file, of a longer one the first so many.

    What is no file, but a pipe, a socket or a device, is not read: one with nobody at its other end has no end either.
    Only those in `/dev` are, where a shell puts what another program writes.

    Raises:
        OSError: It cannot be read, or is no file.
        ValueError: No file can have this path.
    """
    if path.startswith("/dev/"):
        with open(path, "rb") as file:
            return file.read(most)
    with open(path, "rb", opener=opened) as file:
        if not stat.S_ISREG(os.fstat(file.fileno()).st_mode):
            raise OSError(errno.EINVAL, "it is no file", path)
        return file.read(most) or b""


def opened(path: str, flags: int) -> int:
    return os.open(path, flags | AT_ONCE)
