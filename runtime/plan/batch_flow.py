"""Analysis of batches and branches: which steps collect them, and which steps a join may cancel."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from wfc.runtime.plan.signature import EventClass
from wfc.runtime.plan.step import Step

__all__ = ["BatchFlow"]


class BatchFlow:
    """Analysis of the steps that emitted events lead to.

    Args:
        steps: All steps of the class.
        acceptors: The steps that events of a class go to.
    """

    def __init__(self, steps: tuple[Step, ...], acceptors: Callable[[EventClass], tuple[Step, ...]]) -> None:
        self._steps = steps
        self._acceptors = acceptors

    def bind_batches(self) -> None:
        """Set ``batches`` of every step: the steps that collect each batch that it may open."""
        if not any(step.collects for step in self._steps):
            return
        for step in self._steps:
            every: dict[Step, None] = {}
            for batch in step.emissions.batches:
                found = self._collectors(step, batch)
                every.update(dict.fromkeys(found))
                for event in batch:
                    step.batches[event] = found
            if step.emissions.batches:
                step.batches[None] = tuple(every)

    def _collectors(self, opener: Step, batch: tuple[EventClass, ...]) -> tuple[Step, ...]:
        """The collectors that the items' descendants reach while this batch is the innermost one."""
        found = set()
        for step, inner in self._descendants(batch):
            if step.collects:
                fork = getattr(step.join, "fork", None)
                if fork == opener.name or (inner == 0 and fork is None):
                    found.add(step)
        return tuple(step for step in self._steps if step in found)

    def leading_to(self, join: Step) -> frozenset[Step]:
        """The steps from which a join can be reached without passing its fork."""
        found: set[Step] = set()
        todo = [join]
        while todo:
            reached = todo.pop()
            for step in self._steps:
                if step not in found and step is not join.fork and any(map(reached.takes, step.emits)):
                    found.add(step)
                    todo.append(step)
        return frozenset(found)

    def within_items(self, opener: Step) -> frozenset[Step]:
        """The steps that items of an opener's batches reach before their batch is collected."""
        events = tuple(event for batch in opener.emissions.batches for event in batch)
        return frozenset(step for step, _inner in self._descendants(events) if not step.collects)

    def _descendants(self, events: tuple[EventClass, ...]) -> Iterator[tuple[Step, int]]:
        """Yield each step that a batch's items reach before the batch is collected.

        The second value is the number of batches open inside that batch.
        """
        seen: set[tuple[EventClass, int]] = set()
        todo = [(event, 0) for event in events]
        deepest = len(self._steps)
        while todo:
            event, inner = todo.pop()
            if (event, inner) in seen or inner > deepest:
                continue
            seen.add((event, inner))
            for step in self._acceptors(event):
                yield step, inner
                after = inner - 1 if step.collects else inner
                if after >= 0:
                    todo.extend((one, after) for one in step.emissions.events)
                    todo.extend((one, after + 1) for batch in step.emissions.batches for one in batch)
