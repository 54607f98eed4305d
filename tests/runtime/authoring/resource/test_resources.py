"""Resources: made when needed, once, shared as far as they say, and closed."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest

from wfc.runtime import (
    Context,
    Event,
    PythonResource,
    Resource,
    ResourceManager,
    StartEvent,
    StepFailedError,
    StopEvent,
    Workflow,
    WorkflowCancelledByUser,
    step,
)
from wfc.runtime.testing import run_virtually

Play = Callable[..., Any]


class Task(Event):
    n: int = 0


class Done(Event):
    name: str = ""


class Made:
    """Something that knows when it was made and closed."""

    def __init__(self, log: list[str], name: str) -> None:
        self.name = name
        self.log = log
        log.append(f"make {name}")

    def end(self) -> None:
        self.log.append(f"close {self.name}")


def parallel(resource: Resource[Any]) -> type[Workflow]:
    """Asks for a resource in ten steps at once."""

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Task]:
            return [Task(n=n) for n in range(10)]

        @step(num_workers=10)
        async def work(self, ev: Task, made: Annotated[Made, resource]) -> Done:
            return Done(name=f"{made.name}/{id(made)}")

        @step
        async def gather(self, evs: list[Done]) -> StopEvent:
            return StopEvent(result=len({ev.name for ev in evs}))

    return Flow


def test_parallel_first_use_makes_one(play: Play) -> None:
    log: list[str] = []

    async def connect() -> Made:
        await asyncio.sleep(1)
        return Made(log, "db")

    assert play(parallel(Resource(connect))) == 1
    assert log == ["make db"]


def test_without_a_cache_each_step_run_has_its_own(play: Play) -> None:
    log: list[str] = []

    def connect() -> Iterator[Made]:
        made = Made(log, "db")
        yield made
        made.end()

    assert play(parallel(Resource(connect, cache=False))) == 10
    assert (log.count("make db"), log.count("close db")) == (10, 10)


def test_a_slow_maker_that_one_step_gives_up_waiting_for_is_finished_for_the_others(play: Play) -> None:
    async def connect() -> str:
        await asyncio.sleep(10)
        return "db"

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Task]:
            return [Task(n=0), Task(n=1)]

        @step(timeout=1.0)
        async def hasty(self, ev: Task, db: Annotated[str, Resource(connect)]) -> Done: ...

        @step
        async def gather(self, evs: list[Done]) -> StopEvent: ...

    class Patient(Workflow):
        @step
        async def start(self, ev: StartEvent, db: Annotated[str, Resource(connect)]) -> StopEvent:
            return StopEvent(result=db)

    async def main() -> Any:
        manager = ResourceManager()
        hasty, patient = Flow(resource_manager=manager).run(), Patient(resource_manager=manager).run()
        with pytest.raises(StepFailedError, match="longer than 1 s"):
            await hasty
        return await patient

    assert run_virtually(main) == "db"


def spans(log: list[str]) -> type[Workflow]:
    """A run's connection over a process's pool, both closed by their generators."""

    async def open_pool() -> AsyncIterator[Made]:
        pool = Made(log, "pool")
        yield pool
        await asyncio.sleep(0)
        pool.end()

    def connect(pool: Annotated[Made, Resource(open_pool, per="process")]) -> Iterator[Made]:
        connection = Made(log, "connection")
        yield connection
        connection.end()

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, db: Annotated[Made, Resource(connect, per="run")]) -> Done:
            return Done(name=db.name)

        @step
        async def end(self, ev: Done, db: Annotated[Made, Resource(connect, per="run")]) -> StopEvent:
            log.append("use")
            return StopEvent()

    return Flow


def test_what_belongs_to_a_run_is_closed_with_it_and_the_process_has_its_own_till_the_end() -> None:
    log: list[str] = []

    async def main() -> None:
        flow = spans(log)
        for _ in range(2):
            await flow().run()
            log.append("run over")

    run_virtually(main)
    run = ["make connection", "use", "close connection", "run over"]
    assert log == ["make pool", *run, *run, "close pool"]


@pytest.mark.parametrize("how", ["fails", "is cancelled", "times out"])
def test_it_is_closed_after_the_steps_have_stopped_however_the_run_ends(how: str) -> None:
    log: list[str] = []

    def connect() -> Iterator[str]:
        yield "db"
        log.append("closed")

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> list[Task]:
            return [Task(n=0), Task(n=1)]

        @step
        async def work(self, ev: Task, db: Annotated[str, Resource(connect, per="run")]) -> StopEvent:
            if ev.n and how == "fails":
                await asyncio.sleep(1)
                raise ValueError
            try:
                await asyncio.sleep(100)
            finally:
                await asyncio.sleep(1)
                log.append("cleaned up")
            return StopEvent()

    async def main() -> None:
        handler = Flow(timeout=10 if how == "times out" else None).run()
        if how == "is cancelled":
            await asyncio.sleep(2)
            await handler.cancel_run()
            with pytest.raises(WorkflowCancelledByUser):
                await handler
        else:
            with pytest.raises(Exception, match=r"took longer|ValueError"):
                await handler

    run_virtually(main)
    assert log == ["cleaned up"] * (1 if how == "fails" else 2) + ["closed"]


def test_the_loop_s_end_closes_what_a_workflow_keeps() -> None:
    log: list[str] = []

    async def connect() -> AsyncIterator[Made]:
        made = Made(log, "db")
        try:
            yield made
        finally:
            made.end()

    async def main() -> None:
        flow = parallel(Resource(connect))()
        await flow.run()
        await flow.run()
        log.append("end of main")

    asyncio.run(main())
    assert log == ["make db", "end of main", "close db"]


class Closeable:
    closed = 0

    async def aclose(self) -> None:
        type(self).closed += 1


def test_objects_are_closed_by_their_own_method_where_a_span_is_asked_for(play: Play) -> None:
    Closeable.closed = 0

    def flow(resource: Resource[Any]) -> type[Workflow]:
        class Flow(Workflow):
            @step
            async def start(self, ev: StartEvent, one: Annotated[Closeable, resource]) -> StopEvent:
                return StopEvent()

        return Flow

    play(flow(Resource(Closeable)))
    assert Closeable.closed == 0  # as in llama-index-workflows: whoever made it may still need it
    play(flow(Resource(Closeable, per="run")))
    assert Closeable.closed == 1
    play(flow(Resource(Closeable, per="process")))
    assert Closeable.closed == 2


def test_a_failure_to_close_is_reported_and_the_rest_is_closed() -> None:
    log: list[str] = []
    reported = []

    def one() -> Iterator[str]:
        yield "one"
        log.append("closed one")

    def two(one: Annotated[str, Resource(one, per="run")]) -> Iterator[str]:
        yield "two"
        raise OSError("gone")

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, two: Annotated[str, Resource(two, per="run")]) -> StopEvent:
            return StopEvent(result=two)

    async def main() -> Any:
        asyncio.get_running_loop().set_exception_handler(
            lambda _loop, what: reported.append(what["exception"])
        )
        return await Flow().run()

    assert run_virtually(main) == "two"
    assert log == ["closed one"]
    assert [str(error) for error in reported] == ["gone"]


def test_a_factory_that_fails_is_tried_again_at_the_next_use(play: Play) -> None:
    tries = []

    async def connect() -> str:
        tries.append(1)
        if len(tries) == 1:
            raise ConnectionError("not yet")
        return "db"

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, db: Annotated[str, Resource(connect)]) -> StopEvent:
            return StopEvent(result=db)

    flow = Flow()
    with pytest.raises(ConnectionError, match="not yet"):
        play(flow)
    assert play(flow) == "db"


def test_what_was_made_before_a_factory_failed_is_closed(play: Play) -> None:
    log: list[str] = []

    def first() -> Iterator[Made]:
        made = Made(log, "first")
        yield made
        made.end()

    def second(first: Annotated[Made, Resource(first, cache=False)]) -> str:
        raise ValueError("no")

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, it: Annotated[str, Resource(second)]) -> StopEvent: ...

    with pytest.raises(ValueError, match="no"):
        play(Flow)
    assert log == ["make first", "close first"]


def test_two_factories_of_one_name_make_two_objects(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(
            self,
            ev: StartEvent,
            one: Annotated[str, Resource(lambda: "one")],
            two: Annotated[str, Resource(lambda: "two")],
        ) -> StopEvent:
            return StopEvent(result=(one, two))

    assert play(Flow) == ("one", "two")


def test_what_is_asked_for_twice_for_one_step_run_is_made_once(play: Play) -> None:
    made = []

    def base() -> object:
        made.append(1)
        return object()

    def left(base: Annotated[object, Resource(base, cache=False)]) -> object:
        return base

    def right(base: Annotated[object, Resource(base, cache=False)]) -> object:
        return base

    class Flow(Workflow):
        @step
        async def start(
            self,
            ev: StartEvent,
            one: Annotated[object, Resource(left, cache=False)],
            two: Annotated[object, Resource(right, cache=False)],
        ) -> StopEvent:
            return StopEvent(result=one is two)

    assert play(Flow) is True
    assert len(made) == 1


def test_plain_functions_and_joins_get_resources_too(play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent) -> Task:
            return Task()

        @step
        async def also(self, ev: StartEvent) -> Done:
            return Done(name="x")

        @step
        def join(self, one: Task, *, number: Annotated[int, Resource(lambda: 7)], two: Done) -> StopEvent:
            return StopEvent(result=(number, two.name))

    assert play(Flow) == (7, "x")


def test_a_test_puts_something_else_in_its_place(play: Play) -> None:
    def connect() -> str:
        raise AssertionError

    class Flow(Workflow):
        @step
        async def start(self, ev: StartEvent, db: Annotated[str, Resource(connect)]) -> StopEvent:
            return StopEvent(result=db)

    manager = ResourceManager()

    async def main() -> Any:
        await manager.set(Resource(connect).name, "fake")
        return await Flow(resource_manager=manager).run()

    assert run_virtually(main) == "fake"
    assert list(manager.get_all().values()) == ["fake"]


def test_a_manager_knows_what_there_is() -> None:
    async def main() -> Any:
        manager = ResourceManager()
        resource: Resource[str] = Resource(Closeable)
        got = await manager.get(resource)
        assert await manager.get(resource) is got
        return manager.get_all() == {"Closeable": got}

    assert run_virtually(main)


def test_a_python_resource_is_loaded_when_it_is_first_used(tmp_path: Path) -> None:
    (tmp_path / "shop.py").write_text(
        "log = []\nasync def connect():\n    log.append('open')\n    yield log\n    log.append('close')\n"
    )
    database = PythonResource("shop:connect", beside=str(tmp_path), per="run")
    same = PythonResource("shop:connect", beside=str(tmp_path), per="run")

    class Flow(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> StopEvent:
            log = await ctx.resource(database)
            return StopEvent(result=(log, list(log), log is await ctx.resource(same)))

    async def main() -> Any:
        return await Flow().run()

    log, during, is_same = run_virtually(main)
    assert (during, log, is_same) == (["open"], ["open", "close"], True)


def test_a_python_resource_that_is_not_there(tmp_path: Path, play: Play) -> None:
    class Flow(Workflow):
        @step
        async def start(self, ctx: Context, ev: StartEvent) -> StopEvent:
            return await ctx.resource(PythonResource("shop:connect", beside=str(tmp_path)))

    with pytest.raises(StepFailedError, match="there is no module `shop`"):
        play(Flow)
