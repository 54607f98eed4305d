"""The ways through a plan, by its description: which steps lead to which, and where events belong together."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, Literal, NamedTuple

__all__ = ["Description", "FlowGraph", "OpenFrame"]

_ANY: Final = 2**31

Description = Mapping[str, Any]
"""The description of a plan, as ``store.versions.describing`` makes it."""


class OpenFrame(NamedTuple):
    """What keeps events together between a step and the joins where they meet.

    Args:
        fork: The step; ``None``: the start of the run.
        joins: The joins.
        before: The steps from which a run comes to each of the joins.
    """

    kind: Literal["fork", "batch"]
    fork: str | None
    collectors: tuple[str, ...]
    joins: tuple[str, ...]
    before: dict[str, frozenset[str]]

    @property
    def inside(self) -> frozenset[str]:
        """The steps at which a run may stand while it is open."""
        return frozenset[str]().union(*self.before.values())


class FlowGraph:
    """The ways through a plan.

    Args:
        plan: Its description.
    """

    def __init__(self, plan: Description) -> None:
        self.plan = plan
        self._acceptors: dict[str, list[str]] = {}
        for key, step in plan["steps"].items():
            for event in step["accepts"]:
                self._acceptors.setdefault(event, []).append(key)

    def acceptors(self, events: Iterable[str]) -> set[str]:
        """Return the steps that take one of some events."""
        return {key for event in events for key in self._acceptors.get(event, ())}

    def after(self, key: str) -> set[str]:
        """Return the steps that what a step emits goes to."""
        return self.acceptors(self.plan["steps"][key]["emits"])

    def reached(self, begins: Iterable[str], without: Collection[str | None] = ()) -> frozenset[str]:
        """Return some steps, and those to which they lead; what lies behind others is left out with these."""
        found: set[str] = set()
        todo = [key for key in begins if key not in without]
        while todo:
            key = todo.pop()
            if key not in found:
                found.add(key)
                todo += [one for one in self.after(key) if one not in found and one not in without]
        return frozenset(found)

    def from_outside(self) -> list[str]:
        """Return the events that a run may get before anybody takes them."""
        awaited = {event for step in self.plan["steps"].values() for event in step["awaits"]}
        return sorted(awaited.union(self.plan["receives"]))

    @cached_property
    def begun(self) -> set[str]:
        """The steps with which a run begins, or that an event from outside begins."""
        return self.acceptors([*self.plan["starts"], *self.plan["receives"]])

    def ways_to(self, key: str) -> list[str]:
        """Return the events of exits of the run by which it comes to a step; an empty one: its usual course."""
        found = [event for event in self.plan["ways"] if key in self._reached_by[event]]
        is_usual = key in self._reached_by[""] or not found
        return ["", *found] if is_usual else found

    @cached_property
    def _reached_by(self) -> dict[str, frozenset[str]]:
        ways = {event: self.reached(self.acceptors([event])) for event in self.plan["ways"]}
        return {"": self.reached(self.begun), **ways}

    def counted_before(self, key: str) -> tuple[tuple[str, int], ...]:
        """Return how often steps may have run at most that a run passes on its way to one, of those with a bound.

        Of a bound that is worked out when a run starts nobody knows what it comes to: it counts as any number.
        """
        return tuple((one, most) for one, most, reached in self._counted if key in reached)

    @cached_property
    def _counted(self) -> list[tuple[str, int, frozenset[str]]]:
        bounds = [
            (key, step["limit"]) for key, step in self.plan["steps"].items() if step["limit"] is not None
        ]
        return [(key, _ANY if most == "computed" else most, self.reached([key])) for key, most in bounds]

    def arriving(self, join: str) -> tuple[str, ...]:
        """Return an event that may have come to a join while others have not."""
        step = self.plan["steps"][join]
        return tuple(step["accepts"][:1]) if step["collects"] else tuple(step["slots"][0][:1])

    # --- what belongs together

    @cached_property
    def frames(self) -> list[OpenFrame]:
        """All that may keep events together."""
        return [*self._forks(), *self._batches()]

    def _forks(self) -> Iterator[OpenFrame]:
        found: dict[str | None, list[str]] = {}
        for key, step in self.plan["steps"].items():
            if step["join"] is not None and step["join"]["kind"] != "EachOf":
                found.setdefault(step["join"]["fork"], []).append(key)
        for fork, joins in found.items():
            begins = self.begun if fork is None else self.after(fork)
            before = {join: self._between(begins, join, fork) for join in joins}
            yield OpenFrame("fork", fork, (), tuple(joins), before)

    def _batches(self) -> Iterator[OpenFrame]:
        for fork, step in self.plan["steps"].items():
            for event, collectors in step["batches"].items():
                begins = self.acceptors([event] if event else step["emits"])
                before = {one: self._between(begins, one, fork) for one in collectors}
                yield OpenFrame("batch", fork, tuple(collectors), tuple(collectors), before)

    def _between(self, begins: Iterable[str], join: str, fork: str | None) -> frozenset[str]:
        """Return the steps that some lead to, and that lead to a join."""
        inside = self.reached(begins, {join, fork})
        return frozenset(key for key in inside if join in self.behind(key))

    def behind(self, key: str) -> frozenset[str]:
        """Return a step, and those to which it leads."""
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self.reached([key])
        return found

    def leading_to(self, key: str) -> frozenset[str]:
        """Return a step, and those that lead to it."""
        found = self._before.get(key)
        if found is None:
            reached, todo = set[str](), [key]
            while todo:
                one = todo.pop()
                if one not in reached:
                    reached.add(one)
                    todo += self._followed.get(one, ())
            found = self._before[key] = frozenset(reached)
        return found

    @cached_property
    def _followed(self) -> dict[str, list[str]]:
        """By each step, those that lead to it at once."""
        found: dict[str, list[str]] = {}
        for key in self.plan["steps"]:
            for after in self.after(key):
                found.setdefault(after, []).append(key)
        return found

    @cached_property
    def _known(self) -> dict[str, frozenset[str]]:
        return {}

    @cached_property
    def _before(self) -> dict[str, frozenset[str]]:
        return {}
