"""``workflows.context.state_store``: the state of a run, and one that belongs to no run."""

from __future__ import annotations

from typing import Any, TypeVar

from pydantic import BaseModel

from wfc.runtime.errors import SnapshotError
from wfc.runtime.events import DictState
from wfc.runtime.values.serializers import BaseSerializer
from wfc.runtime.values.state import StateStore

__all__ = ["DictState", "InMemoryStateStore", "StateStore"]

_S = TypeVar("_S")


class _Holder:
    """The holder of a state that belongs to no run."""

    def __init__(self, state: Any) -> None:
        self.state = state


class InMemoryStateStore(StateStore[_S]):
    """A state with the methods of a run's state, which agents use outside of runs."""

    __slots__ = ()

    def __init__(self, initial_state: _S) -> None:
        super().__init__(_Holder(initial_state))

    def to_dict(self, serializer: BaseSerializer) -> dict[str, Any]:
        """Return the state as JSON data.

        Raises:
            SnapshotError: A value cannot be written as JSON; a subclass of ``ValueError``.
        """
        state = self._holder.state
        kind = type(state)
        data: Any
        if isinstance(state, DictState):
            data = {"_data": {key: _written(key, value, serializer) for key, value in state.items()}}
        else:
            data = _written(kind.__name__, state, serializer)
        names = {"state_type": kind.__name__, "state_module": kind.__module__}
        return {"store_type": "in_memory", **names, "state_data": data}

    @classmethod
    def from_dict(
        cls, serialized_state: dict[str, Any], serializer: BaseSerializer
    ) -> InMemoryStateStore[Any]:
        """Return a store with the state read from JSON data, or an empty one if there is no data.

        Raises:
            SnapshotError: The data is not that of a store; a subclass of ``ValueError``.
        """
        if not serialized_state:
            return cls(DictState())  # type: ignore[arg-type]
        if (kind := serialized_state.get("store_type", "in_memory")) != "in_memory":
            raise SnapshotError(f"this is the state of a store of the type {kind!r}, which is not known here")
        data = serialized_state.get("state_data")
        if data is None:
            return cls(DictState())  # type: ignore[arg-type]
        if isinstance(data, dict) and "_data" in data:
            entries = {key: serializer.deserialize(value) for key, value in data["_data"].items()}
            return cls(DictState(**entries))  # type: ignore[arg-type]
        state = serializer.deserialize(data) if isinstance(data, str) else None
        if not isinstance(state, BaseModel):
            raise SnapshotError("where a state is to be, there is something else")
        return cls(state)  # type: ignore[arg-type]


def _written(key: str, value: Any, serializer: BaseSerializer) -> str:
    try:
        return serializer.serialize(value)
    except ValueError as error:
        raise SnapshotError(f"`{key}` of the state: {error}") from error
