"""Plain values of snapshots, which are not trusted: each is what it is to be, or refused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from wfc.runtime.core.execution import NONE, OF_RUN
from wfc.runtime.core.halt_ticks import Stops
from wfc.runtime.errors import SnapshotError
from wfc.runtime.plan import Plan
from wfc.runtime.plan.step import Step

__all__ = [
    "LARGEST",
    "bounds_in",
    "ids",
    "instance",
    "join_key",
    "natural",
    "path_of",
    "read_stops",
    "step_named",
]

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


def step_named(name: Any, plan: Plan) -> Step:
    """Return the step of a name; what was kept before has its place among the steps instead.

    Raises:
        SnapshotError: The workflow has no such step.
    """
    found = plan.by_key.get(name) if isinstance(name, str) else None
    if found is None and type(name) is int and 0 <= name < plan.size:
        found = plan.by_key[plan.keys[name]]
    if found is None:
        raise SnapshotError(f"the snapshot names the step `{name}`, which the workflow does not have")
    return found


def bounds_in(data: Iterable[Any], plan: Plan) -> dict[tuple[str, int], float]:
    """Return the bounds that were worked out at the start of a run, by what they bound, and of which step.

    Raises:
        SnapshotError: The workflow has no such bound.
    """
    found: dict[tuple[str, int], float] = {}
    for name, of, bound in data:
        if not isinstance(bound, int | float) or not 0 <= bound < LARGEST:
            raise SnapshotError("the snapshot has a bound that the workflow does not have")
        found[str(name), OF_RUN if of in (None, OF_RUN) else step_named(of, plan).index] = bound
    return found


def join_key(step: Step, value: Any) -> int | tuple[int, str]:
    """Return the key under which a frame has a join's slots."""
    return step.index if value is None else (step.index, str(value))
