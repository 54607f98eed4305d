"""Resources: objects for ``Annotated[T, Resource(factory)]``, created on demand, shared and closed."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

from wfc.runtime.authoring.resource.kinds import (
    AnyResource,
    Request,
    Resource,
    ResourceConfig,
    check_resources,
)
from wfc.runtime.authoring.resource.pools import Pool, open_with, pool_of_loop
from wfc.runtime.errors import WorkflowRuntimeError
from wfc.runtime.plan.signature import ResourceRequest

__all__ = [
    "Resource",
    "ResourceConfig",
    "ResourceManager",
    "Resources",
    "try_configs",
    "try_resources",
]


class ResourceManager:
    """The objects created once for a workflow object; several workflow objects may share one manager."""

    def __init__(self) -> None:
        self.resources: dict[str, Any] = {}  # put here by hand
        self.pool = Pool()
        self.names: dict[object, str] = {}

    async def set(self, name: str, val: Any) -> None:
        """Use an object instead of what the factory of this qualified name would create, as in tests."""
        self.resources[name] = val

    async def get(self, resource: AnyResource) -> Any:
        """Return the object of a resource, creating it if there is none yet.

        Raises:
            WorkflowRuntimeError: It belongs to a run or comes from a file; only a parameter can ask for it.
        """
        if not isinstance(resource, Resource) or resource.per == "run":
            raise WorkflowRuntimeError(f"{resource} can only be had by a step's parameter")
        return await Resources(self).get(resource)

    def get_all(self) -> dict[str, Any]:
        """Return all existing objects, by the names of their factories."""
        made = {name: self.pool.made[key] for key, name in self.names.items() if key in self.pool.made}
        return {**made, **self.resources}

    async def close(self) -> None:
        """Close the objects that generators created. This is automatic when the event loop shuts down."""
        await self.pool.close()


class Resources:
    """The resources of one run's steps."""

    __slots__ = ("_manager", "pool")

    def __init__(self, manager: ResourceManager) -> None:
        self._manager = manager
        self.pool = Pool()  # of the run

    async def get(self, resource: Resource[Any]) -> Any:
        """Return the object of a resource. An object that is not shared is closed at the run's end.

        Raises:
            WorkflowValidationError: The resource needs itself, or one that is closed before it.
        """
        check_resources([ResourceRequest("", resource, Any)])
        check_resources(resource.needs)  # of those, too, that are loaded only now
        return await self._get(resource, Any, self.pool)

    async def for_step(self, asked: Sequence[Request], fresh: Pool) -> dict[str, Any]:
        """Return the objects that a step's parameters ask for, by parameter name.

        Args:
            fresh: The pool of the objects that are created for this step run only.
        """
        return {one.name: await self._get(one.resource, one.type, fresh) for one in asked}

    async def _get(self, resource: AnyResource, kind: Any, fresh: Pool) -> Any:
        if isinstance(resource, ResourceConfig):
            return resource.load(kind)
        manager = self._manager
        if resource.per is None and resource.cache and resource.name in manager.resources:
            return manager.resources[resource.name]
        if not resource.cache:
            return await fresh.get(resource.key, lambda: self._make(resource, fresh, fresh))
        if resource.per == "run":
            pool = self.pool
        elif resource.per == "process":
            pool = pool_of_loop()
        else:
            pool = manager.pool
            manager.names[resource.key] = resource.name
        return await pool.get(resource.key, lambda: self._make_shared(resource, pool))

    async def _make_shared(self, resource: Resource[Any], pool: Pool) -> Any:
        own = Pool(ends_with_loop=False)  # what is made for it alone is closed with it
        try:
            value = await self._make(resource, own, own)
        except BaseException:
            await own.close()
            raise
        await pool.adopt(own)
        return value

    async def _make(self, resource: Resource[Any], pool: Pool, fresh: Pool) -> Any:
        given = await self.for_step(resource.needs, fresh)
        return await open_with(resource.factory, given, pool, resource.key, closes=resource.per is not None)


def try_configs(asked: Sequence[tuple[str, Request]]) -> list[str]:
    """Load all config files that steps and their resources ask for, and return the errors found.

    Args:
        asked: The requests, each with the name of its step.
    """
    found = []
    todo = list(asked)
    seen: set[str] = set()
    while todo:
        step, one = todo.pop(0)
        if isinstance(one.resource, Resource):
            if not one.resource.is_loaded_late:
                todo += [(step, need) for need in one.resource.needs]
        elif one.resource.name not in seen:
            seen.add(one.resource.name)
            try:
                one.resource.load(one.type)
            except (OSError, ValueError) as error:
                found.append(f"step `{step}`, `{one.name}`: {error}")
    return found


def try_resources(asked: Sequence[tuple[str, Request]]) -> list[str]:
    """Create and close all resources that steps ask for; return the errors of those that fail."""
    found: list[str] = []

    async def make_all() -> None:
        resources = Resources(ResourceManager())
        for step, one in asked:
            fresh = Pool()
            try:
                await resources.for_step([one], fresh)
            except Exception as error:
                found.append(f"step `{step}`, `{one.name}`: {type(error).__name__}: {error}")
            await fresh.close()
        await resources.pool.close()

    # an event loop of its own: one may be running here
    thread = threading.Thread(target=asyncio.run, args=[make_all()])
    thread.start()
    thread.join()
    return found
