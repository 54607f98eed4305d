"""Plain values of snapshots, which are not trusted: each is what it is to be, or refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from wfc.runtime.core.execution import NONE
from wfc.runtime.core.halt_ticks import Stops
from wfc.runtime.errors import SnapshotError
from wfc.runtime.plan.step import Step

__all__ = ["LARGEST", "ids", "instance", "join_key", "natural", "path_of", "read_stops"]

LARGEST: Final = 2**62


def natural(value: Any) -> int:
    """Return a number that is not negative.

    Raises:
        SnapshotError: It is none.
    """
    if type(value) is not int or not 0 <= value < LARGEST:
        raise SnapshotError("where a number is to be, the snapshot has something else")
    return value


def path_of(value: Any) -> tuple[int, ...]:
    """Return a path in batches."""
    return tuple(natural(one) for one in value)


def instance(value: Any, kind: type[Any]) -> Any:
    """Return a value that is of a class.

    Raises:
        SnapshotError: It is of another.
    """
    if not isinstance(value, kind):
        raise SnapshotError(f"where a {kind.__name__} is to be, the snapshot has something else")
    return value


def read_stops(data: Any) -> Stops:
    """Return where a run is to halt, and where it has halted.

    Raises:
        SnapshotError: It is nothing of the kind.
    """
    before, after, at, number, step, held = data
    if at not in {"", "before", "after"}:
        raise SnapshotError("the snapshot names no place where the run has halted")
    names = tuple(map(str, before)), tuple(map(str, after))
    return Stops(*names, at, natural(number), str(step), tuple(map(natural, held)))


def ids(names: Iterable[Any]) -> dict[str, None]:
    """Return ids in their order, as an execution holds them."""
    return dict.fromkeys(map(str, names)) or NONE


def join_key(step: Step, value: Any) -> int | tuple[int, str]:
    """Return the key under which a frame has a join's slots."""
    return step.index if value is None else (step.index, str(value))
