"""Which programs the user lets a project start. A project's settings propose them; a file of the user's own decides.

The file lies outside of all projects, in the user's folder of configuration, and holds for each folder with settings
the commands that were agreed to there::

    {"/home/ann/shop": ["git", "npx"]}
"""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Final

from wfc.runtime.errors import SettingsError

__all__ = ["FOR_ALL", "agree", "agreed_everywhere", "agreed_in", "is_agreed", "trust_file", "withdraw"]

FOR_ALL: Final = "WFC_TRUST"
"""The variable that agrees, with ``1``, to every command of every settings: for machines that nobody sits at."""

_LARGEST: Final = 4_000_000


def is_agreed(program: str, folder: Path) -> bool:
    """Return whether the user lets the settings of a folder start a program.

    Raises:
        SettingsError: The file of the user cannot be read.
    """
    return os.environ.get(FOR_ALL) == "1" or program in agreed_in(folder)


def agreed_in(folder: Path) -> frozenset[str]:
    """Return the commands of a folder's settings that the user has agreed to.

    Raises:
        SettingsError: The file of the user cannot be read.
    """
    return agreed_everywhere().get(os.path.realpath(folder), frozenset())


def agreed_everywhere() -> dict[str, frozenset[str]]:
    """Return what the user has agreed to, by folder.

    Raises:
        SettingsError: The file cannot be read, or others may write to it.
    """
    path = trust_file()
    try:
        found = path.stat()
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    if os.name == "posix" and (found.st_uid not in {os.geteuid(), 0} or found.st_mode & 0o022):
        raise SettingsError(f"{path} is not believed: others than you may write to it")
    return _read(str(path), found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4)
def _read(path: str, _changed: int, size: int) -> dict[str, frozenset[str]]:
    """Return the file as it was at a moment."""
    try:
        data = json.loads(Path(path).read_bytes()) if size <= _LARGEST else None
    except OSError as error:
        raise SettingsError(f"{path} cannot be read: {error.strerror}") from None
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict) or not all(_are_commands(each) for each in data.values()):
        raise SettingsError(
            f"{path} is not what `wfc trust` writes: delete it, and agree anew to what you want"
        )
    return {folder: frozenset(each) for folder, each in data.items()}


def _are_commands(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, str) for each in value)


def trust_file() -> Path:
    """Return where the user's file is, or would be.

    Raises:
        SettingsError: The user has no folder of configuration.
    """
    named = os.environ.get("APPDATA" if os.name == "nt" else "XDG_CONFIG_HOME", "")
    if os.path.isabs(named):  # what is relative would lie in whatever folder this is started in
        return Path(named) / "wfc" / "trust.json"
    try:
        return Path.home() / ".config" / "wfc" / "trust.json"
    except RuntimeError:
        raise SettingsError("it is not known where your files are: the variable HOME is missing") from None


def agree(folder: Path, programs: Iterable[str]) -> None:
    """Note that the settings of a folder may start these programs, besides those agreed to before.

    Raises:
        SettingsError: The file cannot be read or written.
    """
    _change(folder, agreed_in(folder).union(programs))


def withdraw(folder: Path) -> None:
    """Note that the settings of a folder may start nothing any more.

    Raises:
        SettingsError: The file cannot be read or written.
    """
    _change(folder, frozenset())


def _change(folder: Path, programs: frozenset[str]) -> None:
    path = trust_file()
    everywhere = {**agreed_everywhere(), os.path.realpath(folder): programs}
    data = {place: sorted(each) for place, each in sorted(everywhere.items()) if each}
    made = ""
    try:
        path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        number, made = tempfile.mkstemp(dir=path.parent, prefix=".trust-")
        with os.fdopen(number, "w", encoding="utf-8") as file:
            json.dump(data, file, indent=2)
            file.write("\n")
        os.chmod(made, stat.S_IRUSR | stat.S_IWUSR)
        os.replace(made, path)  # whole, or as it was
    except OSError as error:
        if made:
            with suppress(OSError):
                os.unlink(made)
        raise SettingsError(f"{path} cannot be written: {error.strerror}") from None
