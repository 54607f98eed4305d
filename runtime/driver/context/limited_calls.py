"""Calls that wait for their turn, where a model, a tool or a host may not be called at any time."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager, nullcontext
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary

from wfc.runtime.calls.bindings import CallLimit
from wfc.runtime.calls.settings import settings_near
from wfc.runtime.calls.sibling_modules import settings_folder
from wfc.runtime.calls.turns import Refused
from wfc.runtime.driver.context.cached_calls import CachedCalls
from wfc.runtime.events.internal import CallWaits

__all__ = ["LimitedCalls"]

_PORTS: Final = {"http": 80, "https": 443}

_AT_ONCE: Final = nullcontext()
"""The turn of a call that nothing limits."""

_HOSTS: Final[WeakKeyDictionary[type[Any], Mapping[str, CallLimit]]] = WeakKeyDictionary()
"""The limits of hosts by class of workflow, so that the settings are looked for once for each."""


class LimitedCalls(CachedCalls):
    """A context's calls, some of which wait for their turn."""

    __slots__ = ()

    def in_turn(self, limit: CallLimit | None, url: str | None = None) -> AbstractAsyncContextManager[None]:
        """Return the turn of a call: entering it waits, and it ends with the call.

        Args:
            limit: What the call itself is limited to, if it is.
            url: The address that it asks; the settings may limit the requests to its host.
        """
        limits = [] if limit is None else [limit]
        if url is not None and (of_host := self._host_limit(url)) is not None:
            limits.append(of_host)
        return self._in_turns(limits) if limits else _AT_ONCE

    def _host_limit(self, url: str) -> CallLimit | None:
        """Return what the settings limit the requests to an address's host to; ``None``: nothing."""
        workflow = type(self._started("this call").workflow)
        hosts = _HOSTS.get(workflow)
        if hosts is None:
            hosts = _HOSTS[workflow] = settings_near(settings_folder(workflow)).hosts
        if not hosts:
            return None
        try:
            place = urlsplit(url)
            port = place.port or _PORTS.get(place.scheme.lower(), 0)
        except ValueError:  # the request itself says what is wrong with it
            return None
        return hosts.get(f"{place.hostname}:{port}") or hosts.get(place.hostname or "")

    @asynccontextmanager
    async def _in_turns(self, limits: Sequence[CallLimit]) -> AsyncIterator[None]:
        turns = self._started("this call").engine.turns
        async with AsyncExitStack() as stack:
            for limit in limits:
                await stack.enter_async_context(turns.turn(limit, partial(self._tell_of_waiting, limit)))
            yield

    def _tell_of_waiting(self, limit: CallLimit, why: Refused | None) -> None:
        """Tell the watchers that a call waits for its turn."""
        run, step_run = self._started("this call"), self._inside("this call")
        if run.execution.observed:
            run.watchers.note(
                CallWaits(
                    step_name=step_run.step.name,
                    worker_id=str(step_run.number),
                    attempt=step_run.attempt,
                    name=limit.name,
                    rate=limit.rate,
                    at_once=limit.at_once,
                    seconds=why.seconds if why is not None and why.by_rate else None,
                )
            )
