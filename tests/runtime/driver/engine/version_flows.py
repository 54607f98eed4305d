"""Workflows of two versions, made of texts, and runs that are put to rest under one and go on under the other."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TypeVar

from wfc.compiler.cli.programs import KeptModules, load_modules
from wfc.runtime import Engine, Workflow

T = TypeVar("T")

LOG: list[str] = []
BROKEN: set[str] = set()
"""What fails when it is called."""

HEAD = """\
from typing import Annotated, Literal

from pydantic import Field
from version_flows import act
from wfc.runtime import (
    All, AllOf, Child, ClosedFields, Delay, EachOf, Event, Item, Items, Outside, Question, Receives, Record,
    RetryPolicy, RunState, StartEvent, StopEvent, Workflow, pause, step, transform,
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

_NUMBERS = itertools.count()


def act(name: str) -> None:
    LOG.append(name)
    if name in BROKEN:
        raise ValueError(f"{name} is broken")


def load(text: str) -> type[Workflow]:
    """Returns the workflow of a module's text."""
    name = f"version_{next(_NUMBERS)}"
    return load_modules(KeptModules(name, f"{name}.py", HEAD + text, ()))


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
