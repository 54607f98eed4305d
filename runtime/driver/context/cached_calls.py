"""Calls whose results may be kept: what identifies them, and the way to the cache."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wfc.runtime.calls.bindings import Secret
from wfc.runtime.calls.cache import entry_path, load_entry, read_entry, warn_of_damage, write_entry
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.calls.threads import in_thread
from wfc.runtime.driver.context.messaging import Messaging
from wfc.runtime.driver.run.step_runs import unmet_requirements
from wfc.runtime.events.internal import CacheHit
from wfc.runtime.values.outputs import InvalidOutput, plain_type

if TYPE_CHECKING:
    from wfc.runtime.plan.inputs import HttpResponse

__all__ = ["CachedCalls", "named"]


class CachedCalls(Messaging):
    """A context's cache; calls report their progress by messages, so this class extends ``Messaging``."""

    __slots__ = ()

    async def _cached(
        self, asked: tuple[object, ...], output: Any, call: Callable[[], Awaitable[Any]]
    ) -> Any:
        """Return the result of a call, from the cache if it is there and the step allows caching.

        Args:
            asked: The data that determines the result: the kind of call, the binding, the inputs.
            output: The result's type, or ``None`` for JSON data.
        """
        run, step_run = self._started("this call"), self._inside("this call")
        cache = step_run.step.cache
        if cache is None or run.doubles is not None:
            return await call()
        kind = Any if output is None else plain_type(output)
        path = entry_path(cache, step_run.step.function, asked, kind, settings_folder(type(run.workflow)))
        if step_run.attempt == 1:
            text = await in_thread(load_entry, path, run.clock().timestamp(), cache.seconds)
            kept = self._read(path, text, kind) if text is not None else None
            if kept is not None and not self.unmet(kept[0]):
                return self._take(path, *kept)
        result = await call()
        step_run.fresh.append((path, write_entry(result, step_run.response)))
        return result

    def _read(self, path: Path, text: str, kind: Any) -> tuple[Any, HttpResponse | None] | None:
        """Return what an entry of the cache holds; ``None``, with a warning, if that is no result of this call."""
        try:
            return read_entry(text, kind)
        except (InvalidOutput, ValueError, TypeError, KeyError, RecursionError):
            warn_of_damage(path)
            return None

    def _take(self, path: Path, result: object, response: HttpResponse | None) -> object:
        """Return a result from the cache, and note that it comes from there."""
        run, step_run = self._started("this call"), self._inside("this call")
        if response is not None:
            step_run.response = response
        if run.execution.observed:
            run.watchers.note(CacheHit(step_name=step_run.step.name, key=path.stem))
        return result

    def unmet(self, result: object) -> list[str]:
        """Return the messages of the step's requirements that a result does not meet, one for each."""
        return unmet_requirements(self._started("unmet"), self._inside("unmet"), result)


def named(data: object) -> object:
    """Return data with a secret's name instead of the secret, for what is kept."""
    if isinstance(data, Secret):
        return repr(data)
    if isinstance(data, Mapping):
        return {key: named(value) for key, value in data.items()}
    return [named(each) for each in data] if isinstance(data, list | tuple) else data
