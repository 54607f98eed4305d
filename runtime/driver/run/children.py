"""Child runs of a run: started by it, and cancelled with it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any, Generic, NamedTuple, Protocol, TypeVar

from wfc.runtime.core.execution import NONE, Execution
from wfc.runtime.core.step_runs import Path

__all__ = ["NO_CHILDREN", "Children", "Parent"]


class Parent(NamedTuple):
    """Data about the run that started a run.

    Args:
        run_id: The id of the parent run.
        workflow: The name of the parent run's workflow.
        step: The step that started this run.
        number: The number of that step run.
        path: The path of that step run in its batches.
        depth: The number of runs above this one.
    """

    run_id: str
    workflow: str
    step: str
    number: int
    path: Path
    depth: int


class RelatedRun(Protocol):
    """The interface of a run that its parents and children use."""

    @property
    def run_id(self) -> str:
        """The run's id."""

    @property
    def is_done(self) -> bool:
        """Return whether the run is over."""

    @property
    def future(self) -> asyncio.Future[Any]:
        """The future of the run's end."""

    @property
    def execution(self) -> Execution:
        """The run's state of execution, as data."""

    @property
    def above(self) -> object:
        """The run that this run is part of; ``None`` if there is none."""

    @property
    def children(self) -> Children[Any]:
        """The runs that this run has started."""

    def cancel(self, reason: str = ...) -> None:
        """End the run at once."""


R = TypeVar("R", bound=RelatedRun)


class Children(Generic[R]):
    """The live runs that a run has started, by the number of the step run that has paused for one, or by id.

    ``asked_before`` holds, for parts that are over, the step runs that have asked a question, by run id.
    """

    __slots__ = ("_live", "_owner", "asked_before")

    def __init__(self, owner: R) -> None:
        self._owner = owner
        self._live: dict[int | str, tuple[R, int]] = NONE
        self.asked_before: dict[str, frozenset[str]] = NONE

    def __bool__(self) -> bool:
        return bool(self._live)

    def add(self, known_as: int | str, child: R, number: int) -> None:
        """Add a run that the step run of this number has started."""
        if self._live is NONE:
            self._live = {}
        self._live[known_as] = child, number

    def has(self, known_as: int | str, child: R) -> bool:
        """Return whether this run is still registered under a number or an id."""
        found = self._live.get(known_as)
        return found is not None and found[0] is child

    def remove(self, known_as: int | str) -> R | None:
        """Remove a run, and remember the questions that it has asked."""
        found = self._live.pop(known_as, None)
        if found is None:
            return None
        if asked := _asked_in(found[0]):
            self.asked_before = {**self.asked_before, **asked}
        return found[0]

    def stop(self, known_as: int | str) -> None:
        """Cancel a run."""
        child = self.remove(known_as)
        if child is not None:
            self._cancel(child)

    def stop_of(self, number: int) -> None:
        """Cancel the runs started by a step run that is over without a result."""
        for known_as, (_, of) in list(self._live.items()):
            if of == number:
                self.stop(known_as)

    def stop_all(self) -> None:
        """Cancel all runs that are parts of this one."""
        live, self._live = self._live, NONE
        for child, _ in live.values():
            self._cancel(child)

    def _cancel(self, child: R) -> None:
        if child.above is self._owner and not child.is_done:
            child.cancel(f"the run that it is part of, {self._owner.run_id}, does not want it any more")
            child.future.add_done_callback(lambda future: future.exception())  # it is known

    def parts(self) -> Iterator[R]:
        """Yield the live runs that are part of this one."""
        return (child for child, _ in self.numbered_parts())

    def numbered_parts(self) -> Iterator[tuple[R, int]]:
        """Yield the live parts of this run, with the numbers of the step runs that they are for."""
        return (one for one in list(self._live.values()) if one[0].above is self._owner)

    @property
    def has_news(self) -> bool:
        """Whether one of those runs is over, of which the step run that waits for it has not heard yet."""
        return any(child.is_done for child, _ in self._live.values())

    def has_asked_before(self, question: str) -> bool:
        """Return whether a part that is over has asked a question."""
        if not self.asked_before:
            return False
        head, _, number = question.rpartition("/")
        return number in self.asked_before.get(head.rpartition("/")[0], ())


NO_CHILDREN: Any = Children(None)
"""The children of all runs that have not started any; never changed."""


def _asked_in(run: RelatedRun) -> dict[str, frozenset[str]]:
    """Return the numbers of step runs that have asked a question, of a run and those below it, by run id."""
    found = {**run.children.asked_before}
    if run.execution.asked_for:
        found[run.run_id] = frozenset(map(str, run.execution.asked_for))
    for part in run.children.parts():
        found |= _asked_in(part)
    return found
