"""The folder of cached results: found by digest, written as a whole or not at all, limited in number."""

from __future__ import annotations

import os
import re
import stat
import sys
from collections.abc import Callable
from hashlib import sha256

from wfc.compiler.workspace.cache.entries import CheckResult, decode, encode
from wfc.compiler.workspace.cache.fingerprint import fingerprint
from wfc.compiler.workspace.lookups import Lookup
from wfc.compiler.workspace.reading import READING, read_open

__all__ = ["Cache"]

OFF_VARIABLE, FOLDER_VARIABLE = "WFC_NO_CACHE", "WFC_CACHE_DIR"
MAX_ENTRY_BYTES = 256 * 1024
"""How large one result may be; a spec with thousands of findings is checked each time."""

NAME = "[0-9a-f]{62}(?:\\.[0-9a-f]+)?"
"""The names of the files on a shelf; those that are being written have something after a dot."""

NO_LINKS = getattr(os, "O_NOFOLLOW", 0)

MAX_SHELF_ENTRIES, MAX_SHELF_BYTES = 64, 512 * 1024
"""How much is kept in each of the 256 shelves: some 16,000 results, and 128 MiB at most."""


class Cache:
    """The results of earlier checks.

    Args:
        folder: Where they are kept; made when there is something to keep. It may be used by several processes.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.fingerprint = fingerprint()
        self.rooms: dict[str, Room] = {}

    @classmethod
    def of_user(cls) -> Cache | None:
        """Return the user's cache, or ``None`` if it is disabled (``WFC_NO_CACHE``) or has no folder."""
        if os.environ.get(OFF_VARIABLE):
            return None
        folder = os.environ.get(FOLDER_VARIABLE) or user_folder()
        try:
            return cls(os.path.abspath(folder)) if folder else None
        except OSError:
            return None  # our own code cannot be read as files

    def find(
        self, path: str, raw: bytes, still_holds: Callable[[Lookup], bool], purpose: str = ""
    ) -> CheckResult | None:
        """Return the cached result of a spec's check, if there is one that is still valid.

        Args:
            path: The spec's path, as findings show it.
            raw: Its bytes.
            still_holds: Whether a lookup of that check finds the same now.
            purpose: What else the result depends on, such as the folder that a module is for; of a check nothing.
        """
        key = self.key(path, raw, purpose)
        try:
            content = read_own(self.place(key))
        except OSError:
            return None
        result = decode(content, raw, key)
        if result is None or result.path != path:
            return None
        return result if all(map(still_holds, result.lookups)) else None

    def keep(self, raw: bytes, result: CheckResult, purpose: str = "") -> None:
        """Store the result of checking a spec with these bytes; failures to do so are ignored."""
        key = self.key(result.path, raw, purpose)
        try:
            content = encode(result, raw, key)
        except TypeError:
            return
        if len(content) > MAX_ENTRY_BYTES:
            return
        place = self.place(key)
        shelf = os.path.dirname(place)
        try:
            room = self.rooms.get(shelf)
            if room is None or not room.is_left:
                os.makedirs(shelf, mode=0o700, exist_ok=True)
                if not is_own(os.lstat(shelf), stat.S_IFDIR):
                    return
                room = self.rooms[shelf] = make_room(shelf)
            write(place, content)
            room.fill(len(content))
        except OSError:  # no room, no right to write, or the folder was deleted: then it is made again
            self.rooms.pop(shelf, None)

    def key(self, path: str, raw: bytes, purpose: str) -> str:
        shown, meant = path.encode("utf-8", "surrogatepass"), purpose.encode("utf-8", "surrogatepass")
        asked = b"%d %s\n%s\n" % (len(shown), shown, meant)
        return sha256(self.fingerprint + asked + sha256(raw).digest()).hexdigest()

    def place(self, key: str) -> str:
        return os.path.join(self.folder, key[:2], key[2:])


def read_own(path: str) -> bytes:
    """Return the bytes of a file that only this user can have written.

    Raises:
        OSError: There is none.
    """
    number = os.open(path, READING | NO_LINKS)
    try:
        found = os.fstat(number)
        if not is_own(found, stat.S_IFREG):
            raise PermissionError(path)
        return read_open(number, found.st_size, MAX_ENTRY_BYTES + 1)
    finally:
        os.close(number)


def is_own(found: os.stat_result, kind: int) -> bool:
    """Return whether a path is of this kind, and only this user may write to it and so affect findings."""
    if stat.S_IFMT(found.st_mode) != kind:
        return False
    return sys.platform == "win32" or (found.st_uid == os.geteuid() and not found.st_mode & 0o022)


def write(place: str, content: bytes) -> None:
    """Write a file as a whole or not at all."""
    made = f"{place}.{os.urandom(8).hex()}"
    try:
        with open(made, "xb", opener=lambda name, flags: os.open(name, flags, 0o600)) as file:
            file.write(content)
        os.replace(made, place)
    except BaseException:
        if os.path.lexists(made):
            os.unlink(made)
        raise


class Room:
    """How much may still be put on a shelf before it is looked at again.

    Args:
        count: How many entries are there.
        size: How many bytes they have.
    """

    def __init__(self, count: int, size: int) -> None:
        self.count = count
        self.size = size

    @property
    def is_left(self) -> bool:
        """Return whether there is room for one more."""
        return self.count < MAX_SHELF_ENTRIES and self.size < MAX_SHELF_BYTES

    def fill(self, size: int) -> None:
        """Count one more entry."""
        self.count += 1
        self.size += size


def make_room(shelf: str) -> Room:
    """Remove the oldest entries if there is no room for one more. Only entries are removed."""
    there = []
    with os.scandir(shelf) as entries:
        for entry in entries:
            found = entry.stat(follow_symlinks=False)
            if re.fullmatch(NAME, entry.name) and not stat.S_ISDIR(found.st_mode):
                there.append((found.st_mtime_ns, found.st_size, entry.path))
    room = Room(len(there), sum(each for _, each, _ in there))
    if room.is_left:
        return room
    for _, each, path in sorted(there):
        if room.count < MAX_SHELF_ENTRIES * 3 // 4 and room.size < MAX_SHELF_BYTES * 3 // 4:
            break
        os.unlink(path)
        room.count, room.size = room.count - 1, room.size - each
    return room


def user_folder() -> str:
    """Return the platform's folder for data that can be recreated; empty if the user has none."""
    home = os.path.expanduser("~")
    if sys.platform == "win32":
        above = os.environ.get("LOCALAPPDATA", "")
    elif sys.platform == "darwin":
        above = os.path.join(home, "Library", "Caches")
    else:
        above = os.environ.get("XDG_CACHE_HOME", "")
        above = above if os.path.isabs(above) else os.path.join(home, ".cache")
    return os.path.join(above, "wfc") if os.path.isabs(above) else ""
