"""Accepted flows in more of the language, compiled and run: with people, bounds, deadlines and cancellations."""

from __future__ import annotations

import asyncio
import random
import sys
from collections import Counter
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any

import pytest
import random_flows
from conditions import holds
from game import INPUTS
from language import Dresser, Leave
from random_flows import Flow
from test_language_flows import found, sayable
from test_on_the_runtime import Dice, compiled
from writing import CHILD, Writer

from wfc.runtime import (
    Engine,
    LimitError,
    StepError,
    StepFailedError,
    StuckError,
    Workflow,
    WorkflowCancelledByUser,
    WorkflowError,
    WorkflowTimeoutError,
)
from wfc.runtime.testing import run_virtually

RUNS = 6  # of each flow, with different inputs, answers and times
DEADLINE = 8.0  # seconds, as `writing` has it
LONG = 10_000.0  # seconds that no run takes unless it has begun anew

Facts = dict[str, Any]


class Slower(Dice):
    """Dice that now and then take longer than a step's time-out, and fail where nothing takes the error."""

    async def roll(self, step: str) -> Facts:
        await asyncio.sleep(
            self.by.choice((0, 0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 7 if step in self.caught else 4))
        )
        if self.by.random() < (0.25 if step in self.caught else 0.03):
            raise StepError("tool", "it fell off the table")
        return self.result(step)


class Trial:
    """One run of a flow: what it is given, and how it ends.

    Args:
        by: Decides all that chance decides.
    """

    def __init__(
        self, flow: Flow, workflow: type[Workflow], child: type[Workflow], by: random.Random
    ) -> None:
        self.flow = flow
        self.workflow = workflow
        self.child = child
        self.by = by
        self.dice = Slower(flow.nodes, by.randrange(10**9))
        self.inputs: Facts = {name: by.choice(values) for name, values in INPUTS.items()}
        self.cancelled = False
        self.left_by: tuple[str, ...] = ()  # the exits of the run by which it has gone on
        self.anew = any(
            way.how == "restart" for unit in flow.nodes for way in unit.ways if isinstance(way, Leave)
        )

    async def play(self) -> str:
        """How it ends: one word, or with a colon what is wrong about that."""
        loop = asyncio.get_running_loop()
        began = loop.time()
        engine = Engine()
        engine.add(self.child)
        handler = self.workflow(engine=engine).run(
            **{name.removeprefix("inputs."): value for name, value in self.inputs.items()}
        )
        others = [asyncio.create_task(each(handler)) for each in self.others()]
        try:
            end, error = await handler, None
        except WorkflowError as failed:
            end, error = None, failed
        finally:
            for each in others:
                each.cancel()
            await asyncio.gather(*others, return_exceptions=True)
        self.left_by = handler._run.execution.left_by
        fate = self.judged(type(end).__name__) if error is None else self.failed(error)
        fate += f" after {len(self.left_by)}" if self.left_by and ":" not in fate else ""
        took = loop.time() - began
        bounded = self.flow.deadline and "run_deadline" not in self.left_by
        if took > (DEADLINE + 1 if bounded else LONG) and not self.anew:
            return f"late: {took} s"
        return fate

    def others(self) -> list[Callable[[Any], Awaitable[None]]]:
        """Who acts beside the run."""
        acting: list[Callable[[Any], Awaitable[None]]] = [self.answer, self.answer]
        if self.flow.outside or "wait" in self.flow.kinds.values():
            acting.append(self.send)
        return [*acting, self.cancel] if self.by.random() < 0.2 else acting

    async def answer(self, handler: Any) -> None:
        me = f"user:{self.by.random()}"
        while True:
            await asyncio.sleep(self.by.choice((1, 2, 4)))
            for question in handler.questions():
                asked = question.form is not None and "way" in question.form.get("properties", {})
                if me not in question.answered_by and self.by.random() < 0.6:
                    await handler.answer(
                        question.id, self.dice.result(question.step) if asked else None, by=me
                    )

    async def send(self, handler: Any) -> None:
        kinds = [
            *self.flow.outside,
            *(
                event
                for name, kind in self.flow.kinds.items()
                if kind == "wait"
                for event in self.flow.awaited.get(name, (f"Came{name[1:]}",))
            ),
        ]
        for _ in range(self.by.randrange(6)):
            await asyncio.sleep(self.by.choice((0, 1, 3)))
            if handler.is_done():
                return
            await handler.send_event(getattr(sys.modules["trial"], self.by.choice(kinds))(key=0))

    async def cancel(self, handler: Any) -> None:
        await asyncio.sleep(self.by.choice((0, 1, 3, 6, 10)))
        if not handler.is_done():
            self.cancelled = True
            await handler.cancel_run()

    # how it may end

    def way_out(self, occasion: str, error: str = "") -> str:
        """How the run's own exit for something ends it; nothing if there is none."""
        for entry in self.flow.run.get(occasion, ()):
            named = not entry.errors or error in entry.errors
            if named and (entry.when is None or holds(entry.when, self.inputs)):
                return entry.how
        return ""

    def takes(self, error: str) -> bool:
        """Whether the run's own `on_error` takes an error: not on the way of an exit."""
        return bool(not self.left_by and self.way_out("on_error", error))

    def judged(self, end: str) -> str:
        return end if end == "Finish" else f"wrong: ended with {end}"

    def failed(self, error: WorkflowError) -> str:
        told = str(error)
        if isinstance(error, StuckError):
            return f"stuck: {told}"
        if isinstance(error, WorkflowCancelledByUser):
            fine = self.cancelled and not self.way_out("on_cancel")
            return "cancelled" if fine else f"wrong: {told}"
        if isinstance(error, WorkflowTimeoutError):
            fine = self.flow.deadline and not self.way_out("on_deadline")
            return "deadline" if fine else f"wrong: {told}"
        if "it had to be" in told:
            return "failed"
        if isinstance(error, LimitError):
            return f"wrong: {told}" if self.takes("limit") else "limit"
        if isinstance(error, StepFailedError) and error.name in (
            "limit",
            "tool",
            "timeout",
            "workflow.failed",
        ):
            return f"wrong: {told}" if self.takes(error.name) else error.name
        return f"wrong: {type(error).__name__} {told}"


def play(seeds: range) -> tuple[Counter[str], list[tuple[int, str]]]:
    """How runs ended, and which of them did not as promised."""
    fates: Counter[str] = Counter()
    wrong: list[tuple[int, str]] = []
    child = compiled(CHILD, "child")
    for seed in seeds:
        flow = Dresser(seed).dressed()
        if not sayable(flow) or found(flow, seed):
            continue
        workflow = compiled(Writer(flow, random.Random(seed)).spec())  # noqa: S311 — flows, not secrets
        for number in range(RUNS):
            trial = Trial(flow, workflow, child, random.Random(f"{seed} {number}"))  # noqa: S311 — dice, not secrets
            random_flows.die = trial.dice.roll
            fate = run_virtually(partial(trial.play))
            fates[fate.partition(":")[0]] += 1
            if ":" in fate:
                wrong.append((seed, fate))
    print(f"\nseeds {seeds.start}–{seeds.stop - 1}: {dict(fates)}")
    return fates, wrong


COMMON = {"Finish", "failed", "limit", "tool", "cancelled", "Finish after 1"}


@pytest.mark.parametrize(
    ("seeds", "met"),
    [
        (range(4_000_000, 4_000_070), COMMON),
        pytest.param(range(4_000_070, 4_000_250), {*COMMON, "deadline"}, marks=pytest.mark.full),
    ],
    ids=["part", "rest"],
)
def test_accepted_flows_in_more_of_the_language_end_as_they_say(seeds: range, met: set[str]) -> None:
    fates, wrong = play(seeds)
    assert not wrong
    assert met <= fates.keys()


@pytest.mark.slow
def test_thousands_of_accepted_flows_in_more_of_the_language_end_as_they_say() -> None:
    fates, wrong = play(range(4_100_000, 4_106_000))
    assert not wrong
    assert fates.total() > 10_000
