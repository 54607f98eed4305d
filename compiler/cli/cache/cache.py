"""The folder of answers: found by digest, written whole or not at all, and never more than so many."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from hashlib import sha256

from wfc.compiler.cli.cache.answers import Answer, Question, packed, unpacked
from wfc.compiler.cli.cache.stamp import stamp

__all__ = ["Cache"]

OFF, FOLDER = "WFC_NO_CACHE", "WFC_CACHE_DIR"
MOST_BYTES = 256 * 1024
"""How large one answer may be; a spec with thousands of findings is checked each time."""

MOST_ON_SHELF, MOST_BYTES_ON_SHELF = 64, 512 * 1024
"""How much is kept in each of the 256 shelves: some 16,000 answers, and 128 MiB at most."""


class Cache:
    """The answers of earlier checks.

    Args:
        folder: Where they are kept; made when there is something to keep. It may be used by several processes.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.stamp = stamp()

    @classmethod
    def of_user(cls) -> Cache | None:
        """The user's own, or ``None`` if they want none (``WFC_NO_CACHE``) or have no place for it."""
        if os.environ.get(OFF):
            return None
        folder = os.environ.get(FOLDER) or user_folder()
        try:
            return cls(os.path.abspath(folder)) if folder else None
        except OSError:
            return None  # our own code cannot be read as files

    def find(self, path: str, raw: bytes, holds: Callable[[Question], bool]) -> Answer | None:
        """What a check of this spec would find.

        Args:
            path: The spec's path, as findings show it.
            raw: Its bytes.
            holds: Whether a question that the check has asked would get the same answer now.
        """
        try:
            with open(self.place(path, raw), "rb", buffering=0) as file:
                content = file.read(MOST_BYTES + 1)
        except OSError:
            return None
        answer = unpacked(content, raw)
        if answer is None or answer.path != path:
            return None
        return answer if all(map(holds, answer.asked)) else None

    def keep(self, raw: bytes, answer: Answer) -> None:
        """Keep what a check of a spec with these bytes has found; where that cannot be, nothing is said."""
        try:
            content = packed(answer, raw)
        except TypeError:
            return
        if len(content) > MOST_BYTES:
            return
        place = self.place(answer.path, raw)
        made = f"{place}.{os.getpid()}"
        try:
            os.makedirs(os.path.dirname(place), mode=0o700, exist_ok=True)
            clear(os.path.dirname(place))
            with open(made, "wb") as file:
                file.write(content)
            os.replace(made, place)
        except OSError:
            return  # no room, or no right to write

    def place(self, path: str, raw: bytes) -> str:
        shown = path.encode("utf-8", "surrogatepass")
        key = sha256(self.stamp + b"%d %s\n" % (len(shown), shown) + sha256(raw).digest()).hexdigest()
        return os.path.join(self.folder, key[:2], key[2:])


def clear(shelf: str) -> None:
    """Make room for one more, if need be: what was written first goes first."""
    with os.scandir(shelf) as entries:
        there = [(each.stat().st_mtime_ns, each.stat().st_size, each.path) for each in entries]
    size = sum(each for _, each, _ in there)
    if len(there) < MOST_ON_SHELF and size < MOST_BYTES_ON_SHELF:
        return
    count = len(there)
    for _, each, path in sorted(there):
        if count < MOST_ON_SHELF * 3 // 4 and size < MOST_BYTES_ON_SHELF * 3 // 4:
            return
        os.unlink(path)
        count, size = count - 1, size - each


def user_folder() -> str:
    """Where this platform keeps what can be made again; empty if the user has no folder of their own."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        above = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        above = os.path.join(home, "Library", "Caches")
    else:
        above = os.environ.get("XDG_CACHE_HOME", "")
        above = above if os.path.isabs(above) else os.path.join(home, ".cache")
    return os.path.join(above, "wfc") if os.path.isabs(above) else ""
