"""The snapshot of a cancelled run from before its cancellation; its serialization is completed on request."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wfc.runtime.errors import SnapshotError
from wfc.runtime.plan import Plan
from wfc.runtime.store.snapshots import values_for
from wfc.runtime.store.values import Values
from wfc.runtime.values.serializers import BaseSerializer

__all__ = ["KeptSnapshot"]


class KeptSnapshot:
    """A snapshot that is taken before its serializer is known.

    Args:
        plan: The workflow's plan.
        take: The function that takes the snapshot.
    """

    def __init__(self, plan: Plan, take: Callable[[BaseSerializer], dict[str, Any]]) -> None:
        self._plan = plan
        self._data: dict[str, Any] | SnapshotError
        try:
            self._data = take(_Postponing())
        except SnapshotError as error:
            self._data = error

    def to_dict(self, serializer: BaseSerializer | None, *, include_state: bool) -> dict[str, Any]:
        """Return the snapshot as JSON data.

        Raises:
            SnapshotError: Something cannot be written as JSON.
        """
        if isinstance(self._data, SnapshotError):
            raise self._data
        data = self._data if include_state else {**self._data, "state": None}
        found: dict[str, Any] = _finished(data, values_for(self._plan, serializer))
        return found


class _Postponed(str):
    """A placeholder for a value that is not serialized yet."""

    __slots__ = ("value",)
    value: Any


class _Postponing(BaseSerializer):
    """A serializer that keeps the values instead of writing them."""

    def serialize(self, value: Any) -> str:
        """Return a placeholder for a value."""
        made = _Postponed()
        made.value = value
        return made

    def deserialize(self, value: str) -> Any:
        """Refuse to read: the placeholders are never stored."""
        raise SnapshotError("this was never written")


def _finished(data: Any, values: Values) -> Any:
    if isinstance(data, list):
        return [_finished(one, values) for one in data]
    if not isinstance(data, dict):
        return data
    of = data.get("of")
    if isinstance(of, _Postponed):
        return values.write(of.value)
    found = {}
    for key, one in data.items():
        try:
            found[key] = _finished(one, values)
        except SnapshotError as error:
            said = str(error)
            raise SnapshotError(said if said.startswith("`") or key == "of" else f"`{key}`: {said}") from None
    return found
