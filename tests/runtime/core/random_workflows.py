"""Random workflows, which `test_model` plays."""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any, Union

from wfc.runtime import (
    All,
    AllOf,
    AtLeast,
    Batch,
    Delay,
    Event,
    FirstOf,
    Item,
    Items,
    Outside,
    Question,
    Receives,
    RetryPolicy,
    StartEvent,
    StopEvent,
    Workflow,
    pause,
    step,
)
from wfc.runtime.core.step_runs import StepRun
from wfc.runtime.core.ticks import (
    Arrived,
)
from wfc.runtime.plan.joins import EachOf

NOW = datetime(2026, 1, 1, tzinfo=UTC)


class Mark(Event):
    """Every event has a number of its own, and its place among the items that it comes from."""

    n: int
    at: list[int] = []  # noqa: RUF012 - pydantic copies it


EVENTS = [type(f"E{n}", (Mark,), {"__module__": __name__}) for n in range(60)]


class Begin(StartEvent):
    n: int = 0


class End(StopEvent):
    pass


class Maker:
    """Puts a workflow together of blocks that lead from one event to another."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.steps: dict[str, Any] = {}
        self.gives: dict[str, Callable[[Any, StepRun], Any]] = {}  # what a step run emits
        self.gathers: dict[str, list[type[Event]]] = {}  # what a step collects
        self.received: list[type[Event]] = []
        self.at_once: dict[str, int | None] = {}  # how many items a step's batches have under way
        self.free = iter(EVENTS)
        first = next(self.free)
        self.add(Begin, first, lambda play, run: play.event(first, run))
        last = self.block(first, 3, in_batch=False)
        self.add(last, End, lambda play, run: End())

    def make(self) -> type[Workflow]:
        received = tuple(Receives(event) for event in self.received)
        return type(Workflow)("Random", (Workflow,), dict(self.steps), receives=received)

    def name(self) -> str:
        return f"s{len(self.steps)}"

    def add(self, accepts: Any, result: Any, gives: Any, decorate: Any = None, **keywords: Any) -> str:
        def function(self: Any, event: Any) -> Any: ...

        return self.put(function, {"event": accepts, "return": result}, gives, decorate, **keywords)

    def put(
        self, function: Any, annotations: dict[str, Any], gives: Any, decorate: Any = None, **keywords: Any
    ) -> str:
        name = function.__name__ = self.name()
        function.__qualname__ = f"Random.{name}"
        function.__annotations__ = annotations
        keywords.setdefault("num_workers", self.rng.choice([1, 1, 2, 4]))
        self.steps[name] = (decorate or step)(**keywords)(function)
        self.gives[name] = gives
        return name

    def block(self, event: type[Event], depth: int, *, in_batch: bool) -> type[Event]:
        """What leads from an event to another one, which it gives."""
        kinds = ["task", "retried", "ask", "wait", "outside", "items"] if depth < 3 else ["chain"]
        if depth:
            kinds += ["chain", "branch", "loop", "fork", "fork", "batch", "batch"]
            kinds += [] if in_batch else ["gather"]
        return getattr(self, self.rng.choice(kinds))(event, depth, in_batch)  # type: ignore[no-any-return]

    def one(self, event: type[Event], **keywords: Any) -> type[Event]:
        out = next(self.free)
        self.add(event, out, lambda play, run: play.event(out, run), **keywords)
        return out

    def task(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        return self.one(event)

    def retried(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        return self.one(event, retry_policy=RetryPolicy(delay=1, max_attempts=3))

    def paused(self, event: type[Event], kind: Any, **keywords: Any) -> tuple[type[Event], Any]:
        out = next(self.free)
        name = self.add(event, kind, lambda play, run: play.event(out, run), pause, **keywords)

        def then(self: Any, event: Any, result: Any) -> Any: ...
        def expired(self: Any, event: Any) -> Any: ...

        then.__annotations__ = {"event": event, "return": out}
        expired.__annotations__ = {"event": event, "return": out}
        made = self.steps[name]
        made.then(then)
        if "within" in keywords:
            made.on_expired(expired)
        return out, made

    def ask(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        within = {"within": 9.0} if self.rng.random() < 0.5 else {}
        return self.paused(event, Question[None], **within)[0]

    def wait(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        return self.paused(event, Delay)[0]

    def outside(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        wanted = [next(self.free) for _ in range(self.rng.choice([1, 1, 2]))]
        self.received += wanted
        return self.paused(event, Outside[Union[tuple(wanted)]], within=9.0)[0]  # type: ignore[misc]  # noqa: UP007

    def items(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        out, made = self.paused(event, Items[int])

        def item(self: Any, event: Any, item: Any) -> Any: ...

        item.__annotations__ = {"event": event, "item": Item[int], "return": int}
        retry = RetryPolicy(delay=1) if self.rng.random() < 0.3 else None
        on_error = self.rng.choice(["fail", "skip", "null"])
        made.item(num_workers=self.rng.choice([1, 2]), on_error=on_error, retry_policy=retry)(item)
        return out

    def chain(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        return self.block(self.block(event, depth - 1, in_batch=in_batch), depth - 1, in_batch=in_batch)

    def branch(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        left, right, out = next(self.free), next(self.free), next(self.free)
        self.add(event, left | right, lambda play, run: play.event(play.rng.choice([left, right]), run))
        ends = [self.block(one, depth - 1, in_batch=in_batch) for one in (left, right)]
        self.add(Union[tuple(ends)], out, lambda play, run: play.event(out, run))  # noqa: UP007
        return out

    def loop(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        back, out = next(self.free), next(self.free)
        body = self.block(back, depth - 1, in_batch=in_batch)

        def gives(play: Any, run: StepRun) -> Any:
            return play.event(back if play.rng.random() < 0.4 else out, run)

        self.add(event | body, back | out, gives, max_runs=self.rng.choice([2, 5, 20]))
        return out

    def fork(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        starts = [next(self.free) for _ in range(self.rng.choice([2, 2, 3]))]

        def gives(play: Any, run: StepRun) -> Any:
            play.opens(run)
            return All(*(play.event(one, run) for one in starts))

        fork = self.add(event, All[tuple(starts)], gives)
        ends: list[Any] = [self.block(one, depth - 1, in_batch=in_batch) for one in starts]
        either = self.rng.random() < 0.3
        if either:
            ends[-1] = self.either(ends[-1])
        out = next(self.free)
        within = self.rng.choice([None, None, 9.0])
        proceed = within is not None and self.rng.random() < 0.7
        rest = self.rng.choice(["finish", "cancel"])
        joins = [AllOf(fork, within, proceed)]
        if not either:  # only a join of all takes one of several in a place
            joins += [FirstOf(fork, rest=rest), AtLeast(2, fork, within, proceed, rest=rest)]
        join: Any = self.rng.choice(joins)

        def two(self: Any, a: Any, b: Any) -> Any: ...
        def three(self: Any, a: Any, b: Any, c: Any) -> Any: ...

        annotations: dict[str, Any] = {name: one | None for name, one in zip("abc", ends, strict=False)}
        self.put(
            two if len(ends) == 2 else three,
            {**annotations, "return": out},
            lambda play, run: play.event(out, run),
            join=join,
        )
        return out

    def either(self, event: type[Event]) -> Any:
        """What leads from an event to one of two others."""
        left, right = next(self.free), next(self.free)
        self.add(event, left | right, lambda play, run: play.event(play.rng.choice([left, right]), run))
        return left | right

    def batch(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        each, out = next(self.free), next(self.free)

        at_once = self.rng.choice([None, None, 1, 2])

        def gives(play: Any, run: StepRun) -> Any:
            play.opens(run)
            items = [play.event(each, run, at) for at in range(play.rng.choice([0, 1, 2, 3, 5]))]
            return items if at_once is None else Batch(each, items, concurrency=at_once)

        fork = self.add(event, list[each], gives)  # type: ignore[valid-type]
        self.at_once[fork] = at_once
        end = self.block(each, depth - 1, in_batch=True)

        def every(self: Any, events: Any) -> Any: ...

        within = self.rng.choice([None, None, 9.0])
        self.put(
            every,
            {"events": list[end], "return": out},  # type: ignore[valid-type]
            lambda play, run: play.event(out, run, up=True),
            join=EachOf(
                fork,
                within,
                within is not None,
                self.rng.choice([None, None, 1, 2]),
                self.rng.choice([None, None, "finish", "cancel"]),
            ),
        )
        return out

    def gather(self, event: type[Event], depth: int, in_batch: bool) -> type[Event]:
        sent, out, count = next(self.free), next(self.free), self.rng.choice([1, 2, 3])

        def sends(play: Any, run: StepRun) -> Any:
            for _ in range(count):
                play.apply(Arrived(play.event(sent, run), None, run.number))
            return None

        def gathers(play: Any, run: StepRun) -> Any:
            return play.event(out, run) if play.collect(run) else None

        self.add(event, sent | None, sends)
        end = self.block(sent, depth - 1, in_batch=True)
        self.gathers[self.add(end, out | None, gathers)] = [end] * count
        return out
