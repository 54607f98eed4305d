"""Results of calls, kept in files: a call with the same inputs is not made again while its result is good."""

from __future__ import annotations

import json
import os
import stat
import tempfile
from collections.abc import Awaitable, Callable
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import to_json

from wfc.runtime.calls.bindings import Output
from wfc.runtime.driver.about import unmet
from wfc.runtime.driver.threads import in_thread
from wfc.runtime.events import CacheHit
from wfc.runtime.plan.caching import Cache
from wfc.runtime.plan.inputs import HttpResponse
from wfc.runtime.values.outputs import InvalidOutput, adapter, from_json

if TYPE_CHECKING:
    from wfc.runtime.core.step_runs import StepRun
    from wfc.runtime.driver.run import Run

__all__ = ["cached", "keep_fresh"]

_VERSION: Final = 1
_LARGEST: Final = 1_000_000
_SKEW: Final = 60.0
"""Seconds by which the clocks of those who share a folder may differ."""
_MOST_IN_FOLDER: Final = 64
"""Files in each of the 256 folders that entries are spread over; the oldest make way."""


async def cached(
    run: Run, step_run: StepRun, asked: tuple[object, ...], output: Any, call: Callable[[], Awaitable[Any]]
) -> Any:
    """The result of a call, from the cache if it is there and its step says that it may be.

    Args:
        asked: What decides the result: the kind of call, the binding, the inputs.
        output: The result's type, or ``None`` for JSON data.
    """
    cache = step_run.step.cache
    if cache is None or run.doubles is not None:
        return await call()
    kind = output.type if isinstance(output, Output) else output
    kind = Any if kind is None else kind
    path = _path(run, step_run, cache, asked, kind)
    if step_run.attempt == 1:
        text = await in_thread(_read, path, run.clock().timestamp(), cache.seconds)
        if text is not None:
            try:
                return _hit(run, step_run, path, json.loads(text), kind)
            except (InvalidOutput, ValueError, TypeError, KeyError, RecursionError):
                pass  # somebody else's, or of another time
    result = await call()
    response = step_run.response
    entry = {"result": result, "response": None if response is None else [response.status, response.headers]}
    step_run.fresh.append((path, to_json(entry, by_alias=True).decode()))
    return result


def _hit(run: Run, step_run: StepRun, path: Path, entry: Any, kind: Any) -> Any:
    result = from_json(kind, to_json(entry["result"]))
    if unmet(run, step_run, result):
        raise InvalidOutput
    if entry["response"] is not None:
        status, headers = entry["response"]
        step_run.response = HttpResponse(int(status), {str(name): str(one) for name, one in headers.items()})
    if run.execution.observed:
        run.watchers.note(CacheHit(step_name=step_run.step.name, key=path.stem))
    return result


def keep_fresh(run: Run, step_run: StepRun) -> None:
    """Keeps what the calls of an attempt have given that went well."""
    for path, text in step_run.fresh:
        _write(path, run.clock().timestamp(), text)
    step_run.fresh = []


def _path(run: Run, step_run: StepRun, cache: Cache, asked: tuple[object, ...], kind: Any) -> Path:
    from wfc.runtime.calls.beside import home_of
    from wfc.runtime.calls.settings import settings_near

    function = step_run.step.function
    definition = cache.definition or f"{function.__module__}.{function.__qualname__}"
    schema = None if kind is Any else adapter(kind).json_schema(by_alias=True)
    asked_text = to_json([definition, *map(_plain, asked), schema], by_alias=True, inf_nan_mode="constants")
    key = sha256(asked_text).hexdigest()
    folder = os.environ.get("WFC_CACHE")
    if folder is None:
        near = home_of(type(run.workflow))
        settings = settings_near(near)
        folder = str((settings.path.parent if settings.path is not None else near) / ".wfc" / "cache")
    return Path(folder) / key[:2] / f"{key[2:]}.json"


def _plain(value: object) -> object:
    """Bindings by what they say of themselves, which names secrets and never holds them; data as it is."""
    return repr(value) if type(value).__module__.startswith("wfc.runtime.") else value


def _read(path: Path, now: float, seconds: float | None) -> str | None:
    """What a file holds, if it is whole, and still good."""
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0))
        with open(handle, "rb") as file:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
                return None
            kept = json.loads(file.read(_LARGEST + 1))
        made, text, digest = float(kept["made"]), kept["entry"], kept["digest"]
        is_whole = kept["version"] == _VERSION and isinstance(text, str) and digest == _digest(made, text)
    except (OSError, ValueError, TypeError, KeyError, RecursionError):
        return None
    age = now - made
    return text if is_whole and age > -_SKEW and (seconds is None or age < seconds) else None


def _write(path: Path, now: float, text: str) -> None:
    """Writes a file whole or not at all; a disk that is full or closed is no failure of the step."""
    whole = json.dumps({"version": _VERSION, "made": now, "digest": _digest(now, text), "entry": text})
    if len(whole) > _LARGEST:
        return
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
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
