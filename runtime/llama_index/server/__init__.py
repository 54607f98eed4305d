"""``llama_agents.server`` (``workflows.server``): workflows over HTTP, as programs of llama-index-workflows serve them.

Runs are kept in memory. Those that outlive their process are served by ``wfc serve``.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

from wfc.runtime.errors import SettingsError
from wfc.runtime.events import Event
from wfc.runtime.llama_index.server.api import WorkflowAPI
from wfc.runtime.llama_index.server.guarding import Guard
from wfc.runtime.llama_index.server.stores import (
    AbstractWorkflowStore,
    AgentDataStore,
    MemoryWorkflowStore,
    SqliteWorkflowStore,
    instead_of,
)
from wfc.runtime.workflow import Workflow

__all__ = [
    "AbstractWorkflowStore",
    "AgentDataStore",
    "MemoryWorkflowStore",
    "SqliteWorkflowStore",
    "WorkflowServer",
]


class WorkflowServer:
    """Workflows behind an HTTP API, by which they are run, followed, and sent events.

    Other than there it takes nothing from pages of other sites unless ``middleware`` allows it, answers under the names
    of this machine alone and those given here, and listens at port 8080 by itself.

    Args:
        middleware: Middleware of starlette around the application.
        exception_handlers: How errors are told; by default as ``{"detail": …}``.
        workflow_store: A ``MemoryWorkflowStore``, which it has by itself too; no other one.
        runtime: Not taken: runs go on in the event loop of the server.
        sse_heartbeat_interval: The seconds after which a quiet stream says that it lives; ``None``: never.
        accept_context_api: Whether a request may bring a saved context.
        hosts: Further names under which it is reached; ``*``: any.

    Raises:
        SettingsError: A store or a runtime is given.
    """

    def __init__(
        self,
        *,
        middleware: Sequence[Any] | None = None,
        exception_handlers: Mapping[Any, Any] | None = None,
        workflow_store: Any = None,
        persistence_backoff: Sequence[float] = (0.5, 3.0),
        runtime: Any = None,
        idle_timeout: float = 60.0,
        sse_heartbeat_interval: float | None = 25.0,
        accept_context_api: bool = False,
        serializer: Any = None,
        hosts: Iterable[str] = (),
    ) -> None:
        if workflow_store is not None and not isinstance(workflow_store, MemoryWorkflowStore):
            raise SettingsError(instead_of(type(workflow_store).__name__, "sqlite:///runs.db"))
        if runtime is not None:
            raise SettingsError(instead_of(type(runtime).__name__, "postgresql://…"))
        del persistence_backoff, idle_timeout, serializer  # which are about its stores
        self._guard = Guard(hosts)
        self._api = WorkflowAPI(
            self._guard,
            sse_heartbeat_interval,
            (workflow_store or MemoryWorkflowStore()).max_completed,
            takes_context=accept_context_api,
            middleware=middleware,
            exception_handlers=exception_handlers,
        )
        self.app = self._api.app

    def add_workflow(
        self, name: str, workflow: Workflow, additional_events: Sequence[type[Event]] | None = None
    ) -> None:
        """Serve a workflow under a name.

        Args:
            additional_events: Events that may be sent to it though no step says so.
        """
        self._api.workflows[name] = workflow
        self._api.more[name] = tuple(additional_events or ())

    @property
    def additional_events(self) -> Mapping[str, tuple[type[Event], ...]]:
        """The events that were given besides, by the names of their workflows."""
        return {name: more for name, more in self._api.more.items() if more}

    def get_workflows(self) -> dict[str, Workflow]:
        """Return the workflows by their names."""
        return dict(self._api.workflows)

    async def start(self) -> WorkflowServer:
        """Return itself: there is nothing to begin."""
        return self

    async def stop(self) -> None:
        """Cancel all runs that are under way."""
        await self._api.end()

    @asynccontextmanager
    async def contextmanager(self) -> AsyncIterator[WorkflowServer]:
        """Serve as long as this lasts."""
        await self.start()
        try:
            yield self
        finally:
            await self.stop()

    async def serve(
        self,
        host: str = "localhost",
        port: int | str = 8080,
        uvicorn_config: dict[str, Any] | None = None,
    ) -> None:
        """Listen at an address until the process is told to end; then runs under way are cancelled."""
        from wfc.runtime.server.process import serve_app

        self._guard.allow(host)
        async with self.contextmanager():
            await serve_app(self.app, host, int(port), uvicorn_config or {})
