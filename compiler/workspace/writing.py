"""Writing of files as a whole or not at all, whatever happens meanwhile."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Mapping
from typing import BinaryIO

__all__ = ["write_whole"]


def write_whole(
    texts: Mapping[str, bytes], *, edited: bool = False, last: Callable[[], None] | None = None
) -> None:
    """Write files, by path. All are prepared before the first is replaced; earlier errors change nothing.

    Args:
        edited: Whether they are people's own: then rights and owners stay, and they take their places when the disk has
            them.
        last: Called before the first takes its place; what it raises leaves all as it was.

    Raises:
        OSError: A file cannot be written.
    """
    ready: dict[str, str] = {}
    try:
        for folder in dict.fromkeys(os.path.dirname(path) for path in texts):
            os.makedirs(folder or os.curdir, exist_ok=True)
        for path, raw in texts.items():
            name = ready[path] = temporary_name(path)
            with open(name, "xb") as file:
                file.write(raw)
                if edited:
                    make_like(file, path)
        if last is not None:
            last()
        for path, name in ready.items():
            os.replace(name, path)
    except BaseException as error:
        for path, name in ready.items():
            with contextlib.suppress(OSError):
                os.unlink(name)
            if isinstance(error, OSError) and error.filename in (None, name):
                error.filename = path
        raise


def temporary_name(path: str) -> str:
    """Return an unused file name in the folder of a path."""
    return os.path.join(os.path.dirname(path) or os.curdir, f".wfc-{os.urandom(8).hex()}")


def make_like(file: BinaryIO, path: str) -> None:
    there = os.stat(path)
    file.flush()
    os.fsync(file.fileno())
    if hasattr(os, "fchown"):
        with contextlib.suppress(OSError):  # only root may give files to others
            os.fchown(file.fileno(), there.st_uid, there.st_gid)
        os.fchmod(file.fileno(), there.st_mode & 0o7777)
