"""The folder of an installation: a folder for each revision that was brought, a link to the current one, a history.

::

    releases/4f0c…/     the files of a commit, or of a part of it; they stay, for runs that began with them
    current             leads to one of the releases
    history.jsonl       a line for each time that this has changed
"""

from __future__ import annotations

import contextlib
import getpass
import json
import os
import re
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, Final

import click

from wfc.compiler.diagnostics.escaping import printable

__all__ = ["Environment"]

_MEMBERS: Final = ("at", "what", "commit", "by")
_RELEASE: Final = re.compile(r"[0-9a-f]{40,64}(-[0-9a-f]{16})?")
"""The name of a release: a commit, and which part of its files it has, unless it has all."""


class Environment:
    """The folder of an installation.

    Args:
        folder: Its path.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self._link = os.path.join(folder, "current")
        self._history = os.path.join(folder, "history.jsonl")

    def release(self, name: str) -> str:
        """Return the folder of a release."""
        return os.path.join(self.folder, "releases", name)

    def current(self) -> str | None:
        """Return the folder of the current revision; ``None``: nothing was brought yet."""
        try:
            return os.path.join(self.folder, os.readlink(self._link))
        except OSError:
            return None

    def history(self) -> list[dict[str, Any]]:
        """Return what was brought when, the oldest first.

        Raises:
            click.ClickException: The history cannot be read.
        """
        try:
            with open(self._history, encoding="utf-8") as file:
                lines = [json.loads(line) for line in file]
        except FileNotFoundError:
            return []
        except (OSError, ValueError) as error:
            raise click.ClickException(printable(f"{self._history} cannot be read: {error}")) from None
        return [line for line in lines if _is_entry(line)]

    def before_last(self) -> str | None:
        """Return the release that was current before the last time that this has changed, step by step back."""
        been: list[str] = []
        for one in self.history():
            if one["what"] == "applied":
                been.append(one["commit"])
            elif been:
                been.pop()
        found = been[-2] if len(been) > 1 else None
        return found if found is not None and os.path.isdir(self.release(found)) else None

    @contextlib.contextmanager
    def alone(self) -> Iterator[None]:
        """Let nobody else change the installation meanwhile.

        Raises:
            click.ClickException: Somebody does, or the folder cannot be written.
        """
        path = os.path.join(self.folder, "lock")
        try:
            os.makedirs(os.path.join(self.folder, "releases"), exist_ok=True)
            with open(path, "a", encoding="ascii") as file:
                _lock(file.fileno())
                yield
        except BlockingIOError:
            raise click.ClickException(printable(f"somebody else changes {self.folder} now")) from None
        except OSError as error:
            raise click.ClickException(printable(f"{self.folder}: {error.strerror or error}")) from None

    def keep(self, folder: str, name: str) -> None:
        """Take a folder as that of a release, unless it is there already."""
        place = self.release(name)
        if not os.path.isdir(place):
            os.replace(folder, place)

    def switch(self, name: str, what: str) -> None:
        """Let a release be the current one, from one moment to the next, and write that down."""
        entry = {
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "what": what,
            "commit": name,
            "by": _user(),
        }
        new = f"{self._link}.new"
        with contextlib.suppress(FileNotFoundError):
            os.unlink(new)
        os.symlink(os.path.join("releases", name), new)
        with open(self._history, "a", encoding="utf-8") as file:
            file.write(json.dumps(entry, ensure_ascii=False) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self._link)


def _is_entry(line: object) -> bool:
    if not isinstance(line, dict) or not all(isinstance(line.get(name), str) for name in _MEMBERS):
        return False
    return _RELEASE.fullmatch(line["commit"]) is not None


def _user() -> str:
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return str(os.getuid()) if hasattr(os, "getuid") else "somebody"


def _lock(number: int) -> None:
    """Lock an open file, without waiting, until it is closed."""
    if os.name == "posix":
        import fcntl

        fcntl.flock(number, fcntl.LOCK_EX | fcntl.LOCK_NB)
