"""The stores that programs of llama-index-workflows give their server: what is taken, and what to write instead."""

from __future__ import annotations

from typing import Any

from wfc.runtime.errors import SettingsError
from wfc.runtime.llama_index.server.handlers import MOST_OVER

__all__ = [
    "AbstractWorkflowStore",
    "AgentDataStore",
    "MemoryWorkflowStore",
    "SqliteWorkflowStore",
    "instead_of",
]


class MemoryWorkflowStore:
    """The store of a server whose runs are in memory, which it has by itself too.

    Args:
        max_completed: How many runs that are over are remembered, the newest; ``None``: all.

    Raises:
        ValueError: It is less than none.
    """

    def __init__(self, max_completed: int | None = MOST_OVER) -> None:
        if max_completed is not None and max_completed < 0:
            raise ValueError("max_completed must be >= 0 or None")
        self.max_completed = max_completed


class SqliteWorkflowStore:
    """Not there; whoever makes one is told what keeps runs in a file here.

    Raises:
        SettingsError: Always.
    """

    def __init__(self, db_path: str, *_: Any, **__: Any) -> None:
        raise SettingsError(instead_of("SqliteWorkflowStore", f"sqlite:///{db_path}"))


class AgentDataStore:
    """Not there; whoever makes one is told what keeps runs here.

    Raises:
        SettingsError: Always.
    """

    def __init__(self, *_: Any, **__: Any) -> None:
        raise SettingsError(instead_of("AgentDataStore", "sqlite:///runs.db"))


class AbstractWorkflowStore:
    """Not there; whoever derives a store of their own is told what keeps runs here.

    Raises:
        SettingsError: Always.
    """

    def __init_subclass__(cls) -> None:
        raise SettingsError(instead_of(cls.__name__, "sqlite:///runs.db"))


def instead_of(name: str, address: str) -> str:
    """Return what to write instead of a store or a runtime of llama-index-workflows."""
    return (
        f"`WorkflowServer` takes no {name}, as its runs are in memory; those that are kept are served under /v1: "
        f'write `engine = Engine(store="{address}")` and '
        "`Application(Installation(engine, [MyWorkflow(engine=engine)], Access([…])))` of `wfc.runtime.server` "
        f"(docs/serve.md, `In a program of yours`), or for specs `wfc serve --store {address}`"
    )
