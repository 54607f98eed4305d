"""A cache of call results in files: a call with the same inputs is not repeated while its entry is valid."""

from __future__ import annotations

import json
import logging
import os
import stat
import tempfile
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from pydantic_core import to_json

from wfc.runtime.plan.caching import Cache
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.values.outputs import adapter, from_json
from wfc.runtime.values.own_folder import make_folder

__all__ = ["entry_path", "load_entry", "read_entry", "store_entry", "warn_of_damage", "write_entry"]

_log = logging.getLogger("wfc.runtime")

_VERSION: Final = 1
_LARGEST: Final = 1_000_000
_SKEW: Final = 60.0
"""The tolerated clock difference, in seconds, between the machines that share a cache folder."""
_MOST_IN_FOLDER: Final = 64
"""The maximum number of files in each of the cache's 256 subfolders; the oldest are removed."""


def entry_path(
    cache: Cache, function: Callable[..., Any], asked: tuple[object, ...], kind: Any, folder: Path
) -> Path:
    """Return the path of the cache entry for a call.

    Args:
        function: The function of the step that makes the call.
        asked: Everything that determines the result: the kind of call, the binding, the inputs.
        kind: The result's type.
        folder: The folder of the spec, unless ``WFC_CACHE`` names another one for the files.
    """
    definition = cache.definition or f"{function.__module__}.{function.__qualname__}"
    schema = None if kind is Any else adapter(kind).json_schema(by_alias=True)
    asked_text = to_json([definition, *map(_plain, asked), schema], by_alias=True, inf_nan_mode="constants")
    key = sha256(asked_text).hexdigest()
    place = os.environ.get("WFC_CACHE")
    if place is None:
        place = str(_folder_near(folder))
    return Path(place) / key[:2] / f"{key[2:]}.json"


def _folder_near(folder: Path) -> Path:
    from wfc.runtime.calls.settings import settings_near

    settings = settings_near(folder)
    return (settings.path.parent if settings.path is not None else folder) / ".wfc" / "cache"


def write_entry(result: object, response: HttpResponse | None) -> str:
    """Return a call's result and its accompanying data as the text of a cache entry."""
    entry = {"result": result, "response": None if response is None else [response.status, response.headers]}
    return to_json(entry, by_alias=True).decode()


def read_entry(text: str, kind: Any) -> tuple[Any, HttpResponse | None]:
    """Return a call's result and its accompanying data from the text of a cache entry.

    Raises:
        InvalidOutput: The result is not of this type.
        ValueError, TypeError, KeyError, RecursionError: The text is not a cache entry.
    """
    entry = json.loads(text)
    result = from_json(kind, to_json(entry["result"]))
    if entry["response"] is None:
        return result, None
    status, headers = entry["response"]
    return result, HttpResponse(int(status), {str(name): str(one) for name, one in headers.items()})


def _plain(value: object) -> object:
    """Return a binding's ``repr``, which names secrets and never holds them; data as it is."""
    return repr(value) if type(value).__module__.startswith("wfc.runtime.") else value


def load_entry(path: Path, now: float, seconds: float | None) -> str | None:
    """Return the text of a cache file; ``None`` if there is none, if it has expired or, with a warning, if it is
    damaged.
    """
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                warn_of_damage(path)
                return None
            kept = json.loads(file.read(_LARGEST + 1))
        made, text, digest = float(kept["made"]), kept["entry"], kept["digest"]
        if kept["version"] != _VERSION:
            return None
        is_whole = isinstance(text, str) and digest == _digest(made, text)
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        is_whole = False
    if not is_whole:
        warn_of_damage(path)
        return None
    age = now - made
    return text if age > -_SKEW and (seconds is None or age < seconds) else None


def warn_of_damage(path: Path) -> None:
    """Log that an entry is not used; the result of the call that is made instead takes its place."""
    _log.warning("the entry %s of the cache of results is damaged; the call is made again", path)


def store_entry(path: Path, now: float, text: str) -> None:
    """Write a file atomically; errors of the disk do not fail the step."""
    whole = json.dumps({"version": _VERSION, "made": now, "digest": _digest(now, text), "entry": text})
    if len(whole) > _LARGEST:
        return
    try:
        make_folder(path.parent)
        _make_room(path.parent)
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with open(handle, "w", encoding="utf-8") as file:
                file.write(whole)
            os.replace(name, path)
        except BaseException:
            os.unlink(name)
            raise
    except OSError:
        return


def _make_room(folder: Path) -> None:
    files = [(entry.stat(follow_symlinks=False).st_mtime_ns, entry.path) for entry in os.scandir(folder)]
    for _, path in sorted(files)[: max(0, len(files) - _MOST_IN_FOLDER + 1)]:
        os.unlink(path)


def _digest(made: float, text: str) -> str:
    return sha256(f"{made!r}\n{text}".encode()).hexdigest()
