"""Workflows of two versions, made of texts, and runs that are put to rest under one and go on under the other."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from wfc.compiler.cli.programs import execute
from wfc.runtime import Engine, Workflow
from wfc.runtime.errors import StepError

T = TypeVar("T")

LOG: list[str] = []
BROKEN: set[str] = set()
"""What fails when it is called."""

HEAD = """\
from typing import Annotated, Literal

from pydantic import Field
from version_flows import act
from wfc.runtime import (
    All, AllOf, Child, ClosedFields, Delay, EachOf, Event, Inputs, Item, Items, Outside, Question, Receives, Record,
    RetryPolicy, RunState, StartEvent, StopEvent, Workflow, pause, run_cancel, run_migration,
    step, transform,
)

class Go(ClosedFields, StartEvent):
    n: int = 1

class End(ClosedFields, StopEvent):
    said: str

"""

ASKING = """\
class Asked(ClosedFields, Event):
    n: int

class Form(Record):
    ok: bool

class State(RunState):
    sum: int = 0

class Flow(Workflow, name="flow"):
    @transform
    def first(self, ev: Go, state: State) -> Asked:
        state.sum = 7
        return Asked(n=ev.n)

    @pause
    def ask(self, ev: Asked) -> Question[Form]:
        return Question(Form, title="all right?")

    @ask.then
    def asked(self, ev: Asked, result: Form, state: State) -> End:
        return End(said=f"{ev.n} {state.sum} {result.ok}")
"""

WAITING = """\
class Paid(ClosedFields, Event):
    n: int

class Noted(ClosedFields, Event):
    text: str

class Wanted(ClosedFields, Event):
    n: int

class Flow(Workflow, name="flow", receives=(Receives(Paid), Receives(Noted))):
    @transform
    def first(self, ev: Go) -> Wanted:
        return Wanted(n=ev.n)

    @pause(within=3600)
    def wait(self, ev: Wanted) -> Outside[Paid]:
        return Outside(Paid)

    @wait.then
    def paid(self, ev: Wanted, result: Paid) -> End:
        return End(said=f"{ev.n} {result.n}")

    @transform
    def note(self, ev: Noted) -> None:
        return None
"""

FORKING = """\
class Left(ClosedFields, Event):
    n: int

class Right(ClosedFields, Event):
    n: int

class Done(ClosedFields, Event):
    n: int

class Form(Record):
    ok: bool

class Flow(Workflow, name="flow"):
    @transform
    def split(self, ev: Go) -> All[Left, Right]:
        return All(Left(n=1), Right(n=2))

    @pause
    def ask(self, ev: Right) -> Question[Form]:
        return Question(Form, title="all right?")

    @ask.then
    def asked(self, ev: Right, result: Form) -> Done:
        return Done(n=ev.n)

    @transform(join=AllOf("split"))
    def meet(self, left: Left, done: Done) -> End:
        return End(said=f"{left.n} {done.n}")
"""

EACH = """\
class One(ClosedFields, Event):
    n: int

class Done(ClosedFields, Event):
    n: int

class Form(Record):
    ok: bool

class Flow(Workflow, name="flow"):
    @transform
    def split(self, ev: Go) -> list[One]:
        return [One(n=1), One(n=2)]

    @pause
    def ask(self, ev: One) -> Question[Form]:
        return Question(Form, title="all right?")

    @ask.then
    def asked(self, ev: One, result: Form) -> Done:
        return Done(n=ev.n)

    @transform(join=EachOf("split"))
    def meet(self, done: list[Done]) -> End:
        return End(said=" ".join(str(one.n) for one in done))
"""

ACTING = """\
class Left(ClosedFields, Event):
    n: int

class Flow(Workflow, name="flow"):
    @transform
    def first(self, ev: Go) -> Left:
        return Left(n=ev.n)

    @step(retry_policy=RetryPolicy(max_attempts=3, delay=3600))
    async def work(self, ev: Left) -> int:
        act("work")
        return ev.n

    @work.then
    def worked(self, ev: Left, result: int) -> End:
        return End(said=f"{ev.n} {result}")
"""

PARTS = """\
class Asked(ClosedFields, Event):
    n: int

class Form(Record):
    ok: bool

class Part(Workflow, name="part"):
    @pause
    def ask(self, ev: Go) -> Question[Form]:
        return Question(Form, title="all right?")

    @ask.then
    def asked(self, ev: Go, result: Form) -> End:
        return End(said=f"{ev.n} {result.ok}")

class Flow(Workflow, name="flow"):
    @transform
    def first(self, ev: Go) -> Asked:
        return Asked(n=ev.n)

    @pause
    def part(self, ev: Asked) -> Child[End]:
        return Child("part", {"n": ev.n + 1}, ends=(End,))

    @part.then
    def over(self, ev: Asked, result: End) -> End:
        return End(said=f"{ev.n} {result.said}")
"""

LOOPING = """\
class Again(ClosedFields, Event):
    n: int

class Form(Record):
    ok: bool

class Flow(Workflow, name="flow", receives=(Receives(Again),)):
    @pause(max_runs=5)
    def ask(self, ev: Go | Again) -> Question[Form]:
        return Question(Form, title="all right?")

    @ask.then
    def asked(self, ev: Go | Again, result: Form) -> Again | End:
        return End(said=f"{ev.n}") if result.ok else Again(n=ev.n + 1)

    @ask.on_limit
    def often(self) -> End:
        return End(said="too often")
"""

VOTING = """\
class Form(Record):
    ok: bool

class Flow(Workflow, name="flow"):
    @pause
    def ask(self, ev: Go) -> Question[Form]:
        return Question(Form, title="all right?", prefill={"ok": True}, quorum=2)

    @ask.then
    def asked(self, ev: Go, result: list[Form]) -> End:
        return End(said=" ".join(str(one.ok) for one in result))
"""

ITEMS = """\
class Flow(Workflow, name="flow"):
    @pause
    def each(self, ev: Go) -> Items[int]:
        return Items([1, 2])

    @each.item(retry_policy=RetryPolicy(max_attempts=2, delay=3600))
    async def one(self, ev: Go, item: Item[int]) -> int:
        if item == 2:
            act("two")
        return item

    @each.then
    def over(self, ev: Go, result: list[int]) -> End:
        return End(said=f"{sum(result)}")
"""

LEAVING = """\
class Undo(ClosedFields, Event):
    n: int

class Form(Record):
    ok: bool

class Flow(Workflow, name="flow"):
    @pause
    def wait(self, ev: Go) -> Question[Form]:
        return Question(Form, title="go on?")

    @wait.then
    def waited(self, ev: Go, result: Form) -> End:
        return End(said="well")

    @run_cancel
    def leave(self) -> Undo:
        return Undo(n=3)

    @pause
    def undo(self, ev: Undo) -> Question[Form]:
        return Question(Form, title="undo?")

    @undo.then
    def undone(self, ev: Undo, result: Form) -> End:
        return End(said=f"undone {ev.n}")
"""

_NUMBERS = itertools.count()


def act(name: str) -> None:
    LOG.append(name)
    if name in BROKEN:
        raise StepError("down", f"{name} is broken")


def load(text: str) -> tuple[type[Workflow], ...]:
    """Returns the workflows of a module's text, that of the runs first."""
    name = f"version_{next(_NUMBERS)}"
    found = vars(execute(name, f"{name}.py", HEAD + text))
    return tuple(found[one] for one in ("Flow", "Part") if one in found)


def within(store: str | Path, main: Callable[[Engine], Awaitable[T]], *flows: type[Workflow]) -> T:
    """Runs a coroutine with an engine of its own, which knows some workflows, as a process would."""

    async def inside() -> T:
        engine = Engine(store=store)
        for flow in flows:
            engine.add(flow)
        try:
            return await main(engine)
        finally:
            await asyncio.sleep(0)
            engine.close()

    return asyncio.run(inside())
