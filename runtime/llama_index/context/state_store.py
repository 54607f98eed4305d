"""``workflows.context.state_store``: the state of a run, and one that belongs to no run."""

from __future__ import annotations

from typing import Any, TypeVar

from wfc.runtime.events import DictState
from wfc.runtime.values.state import StateStore

__all__ = ["DictState", "InMemoryStateStore", "StateStore"]

_S = TypeVar("_S")


class _Holder:
    """Has a state that belongs to no run."""

    def __init__(self, state: Any) -> None:
        self.state = state


class InMemoryStateStore(StateStore[_S]):
    """A state with the methods of a run's state: what agents have outside of runs."""

    __slots__ = ()

    def __init__(self, initial_state: _S) -> None:
        super().__init__(_Holder(initial_state))
