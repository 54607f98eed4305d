"""The file with a project's settings: which one holds for a folder, and its table. Both houses read it here.

Settings are the whole of the nearest ``wfc.toml``, or the table ``[tool.wfc]`` of the nearest ``pyproject.toml`` that
has one, searched upward from a folder.
"""

from __future__ import annotations

import os
import re
import stat
from functools import lru_cache
from typing import Any, Final

__all__ = ["KEYS", "MAX_BYTES", "SettingsFile", "settings_file"]

KEYS: Final = frozenset(
    {
        "modules",
        "commands",
        "config",
        "prices",
        "severity",
        "import_tools",
        "store",
        "tell",
        "hosts",
        "vectors",
    }
)
"""All settings, by name."""

MAX_BYTES: Final = 4_000_000
"""How large a file with settings may be."""

NAMES: Final = ("wfc.toml", "pyproject.toml")
MENTION: Final = rb"\bwfc\b"
TABLE: Final = rb"(?m)^\[tool\.wfc[].]"


class SettingsFile:
    """A file that holds settings.

    Args:
        path: Of the file.
        raw: Its bytes; of a file that is too large, one more than there may be.
        unreadable: Why it cannot be read; empty if it can.
    """

    __slots__ = ("path", "raw", "unreadable")

    def __init__(self, path: str, raw: bytes, unreadable: str = "") -> None:
        self.path = path
        self.raw = raw
        self.unreadable = unreadable

    @property
    def is_own(self) -> bool:
        """Whether the whole file is wfc's, and not only a table in it."""
        return os.path.basename(self.path) == NAMES[0]

    @property
    def is_announced(self) -> bool:
        """Whether settings are in it, as far as that can be told without parsing it."""
        return self.is_own or re.search(TABLE, self.raw) is not None

    @property
    def has_settings(self) -> bool:
        """Whether settings are in it, or might be if it were not broken."""
        if self.is_announced or self.unreadable:
            return True
        if not re.search(MENTION, self.raw):
            return False
        try:
            return self.table("replace") is not None
        except (ValueError, RecursionError):
            return True

    def text(self, errors: str = "strict") -> str:
        """Return the file's text.

        Args:
            errors: What to do with bytes that are not UTF-8; see `bytes.decode`.

        Raises:
            UnicodeDecodeError: It is not UTF-8.
        """
        return self.raw[:MAX_BYTES].decode("utf-8", errors).removeprefix("\ufeff")

    def table(self, errors: str = "strict") -> Any:
        """Return the table with the settings, ``None`` if there is none.

        Args:
            errors: As in ``text``.

        Raises:
            UnicodeDecodeError: It is not UTF-8.
            tomllib.TOMLDecodeError: It is not TOML.
            RecursionError: It is nested too deeply.
        """
        import tomllib  # slow, and most checks have nothing to parse

        data: Any = tomllib.loads(self.text(errors))
        if self.is_own:
            return data
        tools = data.get("tool")
        return tools.get("wfc") if isinstance(tools, dict) else None


def settings_file(folder: str) -> SettingsFile | None:
    """Return the file whose settings hold in a folder, ``None`` if there is none."""
    place = os.path.realpath(folder or ".")
    while True:
        for name in NAMES:
            path = os.path.join(place, name)
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue
            if stat.S_ISREG(found.st_mode):  # a pipe with nobody at its other end never ends
                file = read(path, found.st_mtime_ns)
                if file is not None:
                    return file
        above = os.path.dirname(place)
        if above == place:
            return None
        place = above


@lru_cache(maxsize=64)
def read(path: str, changed: int) -> SettingsFile | None:
    """Return a file as it was at a moment, ``None`` if it holds no settings."""
    try:
        with open(path, "rb") as file:
            found = SettingsFile(path, file.read(MAX_BYTES + 1))
    except OSError as error:
        found = SettingsFile(path, b"", error.strerror or str(error))
    return found if found.has_settings else None
