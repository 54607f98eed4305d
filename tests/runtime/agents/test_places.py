"""A turn of an agent is a place: runs halt there, are stepped through call by call, and rest there."""

from __future__ import annotations

import asyncio
import random
from collections import Counter
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from desk_flow import FLOWS, WANTED_IN_FLOWS, FindArgs, TurnModel, call, calls, desk, in_turn, says

from wfc.runtime import Breakpoint, Engine, WorkflowHandler
from wfc.runtime.agents.definition import Agent, AgentTool
from wfc.runtime.errors import RunParkedError, WorkflowStepDoesNotExistError
from wfc.runtime.tracing import Span, SpanHandler, get_dispatcher

PLACES = {
    "desk": [
        "answer",
        "answer/turn 1",
        "answer/turn 1/find",
        "answer/turn 1/find",
        "answer/turn 2",
        "answer/turn 2/find",
        "answer/turn 3",
    ],
    "team": [
        "answer",
        "answer/turn 1",
        *2 * ["answer/turn 1/finder"],
        *2 * ["answer/turn 1/finder/turn 1"],
        *2 * ["answer/turn 1/finder/turn 1/find"],
        *2 * ["answer/turn 1/finder/turn 2"],
        "answer/turn 2",
        "answer/turn 2/finder",
        "answer/turn 2/finder/turn 1",
        "answer/turn 2/finder/turn 1/find",
        "answer/turn 2/finder/turn 2",
        "answer/turn 3",
    ],
    "hand-over": [
        "answer",
        "answer/turn 1",
        "answer/turn 1/find",
        "answer/turn 2",
        "answer/turn 2/hand_over_to_second",
        "answer/turn 3",
        *2 * ["answer/turn 3/find"],
        "answer/turn 4",
    ],
    "code": [
        "answer",
        "answer/turn 1",
        *3 * ["answer/turn 1/find"],
        "answer/turn 2",
    ],
}
PLACES["functions"] = PLACES["desk"]


def lines(log: Path) -> list[str]:
    return log.read_text().split("\n")[:-1] if log.exists() else []


async def halts_of(handler: WorkflowHandler[Any], log: Path) -> list[str]:
    """Steps through a run; at most one reply or call is made between two halts."""
    found = []
    before = 0
    while (halt := await handler.halted()) is not None:
        found.append(halt.place)
        assert len(lines(log)) - before <= 1
        before = len(lines(log))
        handler.step()
    return found


@pytest.mark.parametrize("flow", PLACES)
def test_a_run_is_stepped_through_reply_by_reply_and_call_by_call(flow: str, tmp_path: Path) -> None:
    async def main() -> list[str]:
        handler = FLOWS[flow](tmp_path / "log")().run(question="where?")
        handler.break_at(Breakpoint())
        found = await halts_of(handler, tmp_path / "log")
        assert (await handler).text == "A is here, B is here, C is here"
        return found

    found = asyncio.run(main())
    assert sorted(found) == sorted(PLACES[flow])
    assert found[:2] == PLACES[flow][:2]
    assert found[-1] == PLACES[flow][-1]


@pytest.mark.parametrize(
    ("where", "halts"),
    [
        (["answer/turn 2"], ["answer/turn 2"]),
        (["answer/turn 1/find"], 2 * ["answer/turn 1/find"]),
        (["answer/turn/find"], [*2 * ["answer/turn 1/find"], "answer/turn 2/find"]),
        (["answer/turn"], ["answer/turn 1", "answer/turn 2", "answer/turn 3"]),
        (["answer/turn 3", "answer"], ["answer", "answer/turn 3"]),
        (["answer/turn 3/find"], []),
        ([Breakpoint(after="answer/turn 2/find")], ["answer/turn 2/find"]),
        (
            [Breakpoint("answer/turn/find", when=lambda halt: "C" in halt.event.call.args)],
            ["answer/turn 2/find"],
        ),
    ],
)
def test_it_halts_where_it_is_told_to(where: list[Any], halts: list[str], tmp_path: Path) -> None:
    async def main() -> list[str]:
        handler = FLOWS["desk"](tmp_path / "log")().run(question="where?")
        handler.break_at(*where)
        found = []
        while (halt := await handler.halted()) is not None:
            found.append(halt.place)
            handler.go_on()
        assert (await handler).text == "A is here, B is here, C is here"
        return found

    assert asyncio.run(main()) == halts


def test_whoever_looks_sees_the_call_and_the_agents_state_and_changes_them(tmp_path: Path) -> None:
    model = TurnModel(in_turn(calls(call("find", '{"order_id": "A"}', "a")), says("done")))

    async def find(_context: Any, args: FindArgs) -> str:
        return f"{args.order_id} is here"

    kind = desk(Agent("desk", model, tools=[AgentTool("find", find, FindArgs)]))

    async def main() -> None:
        handler = kind().run(run_id="r", question="where?")
        handler.break_at("answer/turn 1/find")
        halt = await handler.halted()
        assert halt is not None
        assert (halt.at, halt.step, halt.run_id) == ("before", "call", "r/answer/1")
        assert halt.event.call.args == '{"order_id": "A"}'
        assert [one.role for one in halt.state.messages] == ["model"]
        halt.replace(halt.number, halt.event.model_copy(update={"changed": '{"order_id": "Z"}'}))
        handler.go_on()
        assert (await handler).text == "done"

    asyncio.run(main())
    assert model.asked[-1].said[-1].answers[0].text == 'made with {"order_id": "Z"}: Z is here'


@pytest.mark.parametrize(
    ("place", "told"),
    [
        ("nothing/turn 1", "there is no step `nothing`; there are `answer`"),
        ("answer/turn 0", "`turn 0` is no turn: write `turn 3`"),
        ("answer/3", "`3` is no turn"),
        ("answer/turn 21", "has 20 turns at most"),
        ("answer/turn 1/pay", "has no tool `pay`; there are `find`"),
        ("answer/turn 1/find/turn 1", "the tool `find` is no agent"),
        ("answer/", "`` is no turn"),
        ("answer/turn 1/", "a place does not end with `/`"),
    ],
)
def test_a_place_that_there_is_not_is_refused(place: str, told: str, tmp_path: Path) -> None:
    async def main() -> None:
        handler = FLOWS["desk"](tmp_path / "log")().run(question="where?")
        with pytest.raises(WorkflowStepDoesNotExistError) as caught:
            handler.break_at(place)
        assert told in str(caught.value)
        await handler.cancel_run()

    asyncio.run(main())


def in_process(flow: str, folder: Path, work: Callable[[Engine, Any], Awaitable[Any]]) -> Any:
    """Works on a store as a process of its own does."""
    kind = FLOWS[flow](folder / "log")

    async def main() -> Any:
        engine = Engine(f"sqlite:///{folder / 'runs.db'}")
        engine.add(kind)
        try:
            return await work(engine, kind)
        finally:
            engine.close()

    return asyncio.run(main())


async def rests(engine: Engine, handler: WorkflowHandler[Any]) -> str | None:
    """Waits until a run is over or rests; returns its answer, or ``None``."""
    parking = asyncio.ensure_future(engine.park(handler.run_id))
    try:
        return str((await handler).text)
    except RunParkedError:
        return None
    finally:
        parking.cancel()


def begin(flow: str, folder: Path, *where: str | Breakpoint) -> str | None:
    async def work(engine: Engine, kind: Any) -> str | None:
        handler = kind(engine=engine).run(run_id="r", question="where?")
        handler.break_at(*where)
        return await rests(engine, handler)

    found: str | None = in_process(flow, folder, work)
    return found


def resume(flow: str, folder: Path, *, by_step: bool = False) -> str | None:
    async def work(engine: Engine, _: Any) -> str | None:
        handler = await engine.resume("r")
        (handler.step if by_step else handler.go_on)()
        return await rests(engine, handler)

    found: str | None = in_process(flow, folder, work)
    return found


def stands_at(flow: str, folder: Path) -> str:
    async def work(engine: Engine, _: Any) -> str:
        assert engine.show("r").status == "halted"
        return str(engine.waits_of("r")[0].step)

    found: str = in_process(flow, folder, work)
    return found


def test_it_rests_within_a_turn_and_goes_on_in_another_process(tmp_path: Path) -> None:
    assert begin("desk", tmp_path, "answer/turn 2/find") is None
    assert stands_at("desk", tmp_path) == "answer/turn 2/find"
    assert lines(tmp_path / "log") == ["think 1", "find A", "find B", "think 2"]
    assert resume("desk", tmp_path, by_step=True) is None
    assert stands_at("desk", tmp_path) == "answer/turn 3"
    assert lines(tmp_path / "log")[4:] == ["find C"]
    assert resume("desk", tmp_path) == "A is here, B is here, C is here"


def seeded() -> Iterator[Any]:
    for flow in PLACES:
        yield pytest.param(flow, range(1), id=flow)
        yield pytest.param(flow, range(1, 12), marks=pytest.mark.full, id=f"{flow}-more")


@pytest.mark.parametrize(("flow", "seeds"), [*seeded()])
def test_by_whatever_it_halts_each_reply_and_call_is_made_once(
    flow: str, seeds: range, tmp_path: Path
) -> None:
    for seed in seeds:
        folder = tmp_path / str(seed)
        folder.mkdir()
        chance = random.Random(seed)  # noqa: S311 - a test's
        places = chance.sample(sorted({*PLACES[flow]}), 2) if seed else ["answer/turn 1", "answer/turn/find"]
        if flow == "team" and not seed:
            places = ["answer/turn/finder/turn/find", "answer/turn 2"]
        found = begin(
            flow, folder, *(Breakpoint(after=one) if chance.random() < 0.3 else one for one in places)
        )
        for _ in range(40):
            if found is not None:
                break
            assert stands_at(flow, folder) in PLACES[flow]
            found = resume(flow, folder, by_step=chance.random() < 0.4)
        assert found == "A is here, B is here, C is here"
        assert Counter(lines(folder / "log")) == Counter(WANTED_IN_FLOWS[flow].split(",")), (seed, places)


class Spans(SpanHandler):
    """Keeps the spans of steps, in the order in which they begin."""

    def __init__(self) -> None:
        self.steps: list[Span] = []

    def enter(self, span: Span) -> None:
        if span.kind == "step":
            self.steps.append(span)


def test_spans_within_agents_have_the_names_of_their_places(tmp_path: Path) -> None:
    spans = Spans()
    dispatcher = get_dispatcher()
    dispatcher.add_span_handler(spans)

    async def main() -> None:
        await FLOWS["team"](tmp_path / "log")().run(question="where?")

    try:
        asyncio.run(main())
    finally:
        dispatcher.remove_handler(spans)
    named = {one.name: one.attributes.get("wfc.place") for one in spans.steps}
    assert {
        "answer/turn 3",
        "answer/turn 1/finder",
        "answer/turn 2/finder/turn 1/find",
        "answer/turn 2/finder/turn 2",
    } <= named.keys()
    assert all(place in (None, name) for name, place in named.items())
    assert named["answer/turn 3"] == "answer/turn 3"
