"""Models, services and tools called from steps: retries, time-outs, fallbacks, requirements, the stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from aimock_pytest import AIMockServer

from wfc.runtime import (
    UNHANDLED,
    Context,
    Event,
    HttpResponse,
    Model,
    Number,
    Output,
    PartialResult,
    PythonTool,
    Record,
    RetryPolicy,
    RunConfig,
    RunState,
    Secret,
    StartEvent,
    StepError,
    StopEvent,
    ThinkingText,
    TokenText,
    Unhandled,
    Workflow,
    WorkflowError,
    step,
)
from wfc.runtime.records import File
from wfc.runtime.testing import VirtualTimeLoop, run_virtually

KEY = "sk-not-for-anybodys-eyes-0123456789"
GOOD = {"category": "bug", "confidence": 0.9}


class TicketOpened(StartEvent, closed=True):
    body: str


class Sorted(StopEvent, closed=True):
    category: str


class Escalated(StopEvent, closed=True):
    reason: str


class SortResult(Record):
    category: Literal["billing", "bug", "spam"]
    confidence: Number


class Config(RunConfig):
    llm_url: str


class State(RunState):
    tries: int = 0


PATIENT = RetryPolicy(
    max_attempts=3, delay=0.5, backoff=2, max_delay=10, retry_on=("http.429", "http.5xx", "connection")
)


def small(config: Config) -> Model:
    return Model("openai:small", base_url=f"{config.llm_url}/v1", api_key=Secret("MODEL_KEY"), temperature=0)


def sorter(config: Config) -> Model:
    return Model(
        "openai:gpt-4o-mini",
        base_url=f"{config.llm_url}/v1",
        api_key=Secret("MODEL_KEY"),
        temperature=0,
        fallback=[small(config)],
    )


class Sort(Workflow, name="sort", config=Config, deadline=300.0, source="sort.yaml"):
    @step(retry_policy=PATIENT, timeout=30.0)
    async def classify(self, ctx: Context[State], event: TicketOpened, config: Config) -> SortResult:
        return await ctx.llm(sorter(config), f"Sort: {event.body}", output=SortResult)

    @classify.require
    def require_classify(self, result: SortResult) -> Iterator[str]:
        if not result.confidence >= 0.5:
            yield "be surer"

    @classify.then
    def after_classify(self, state: State, result: SortResult) -> Sorted:
        state.tries = state.tries + 1
        return Sorted(category=result.category)

    @classify.on_error
    def classify_failed(self, error: StepError) -> Escalated | Unhandled:
        if error.matches("model", "requirement"):
            return Escalated(reason=f"{error.name}: {error.message}")
        return UNHANDLED


@pytest.fixture(autouse=True)
def _environment(aimock: AIMockServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WFC_LLM_URL", aimock.base_url)
    monkeypatch.setenv("MODEL_KEY", KEY)


def play(workflow: type[Workflow], start: StartEvent) -> tuple[StopEvent, float, list[Event]]:
    """A run with a clock that jumps over waits: its end, how long it took, and all that was streamed."""

    async def main() -> tuple[StopEvent, float, list[Event]]:
        handler = workflow().run(start_event=start)
        streamed = [event async for event in handler.stream_events(expose_internal=True)]
        loop = asyncio.get_running_loop()
        assert isinstance(loop, VirtualTimeLoop)
        try:
            return await handler.stop_event_result(), loop.time(), streamed
        finally:
            assert KEY not in repr(streamed)
            assert KEY not in "".join(event.model_dump_json(fallback=repr) for event in streamed)

    result: tuple[StopEvent, float, list[Event]] = run_virtually(main)
    return result


def sort_a_ticket() -> tuple[StopEvent, float, list[Event]]:
    return play(Sort, TicketOpened(body="It broke"))


def answers(aimock: AIMockServer, *replies: dict[str, Any], model: str = "gpt-4o-mini") -> None:
    for index, reply in enumerate(replies):
        chaos = {"chaos": reply.pop("chaos")} if "chaos" in reply else {}
        aimock.add_fixture({"sequenceIndex": index, "model": model}, reply, **chaos)


def asked(aimock: AIMockServer) -> list[str]:
    return [entry["body"]["model"] for entry in aimock.get_journal() if entry.get("body")]


def good() -> dict[str, Any]:
    return {"content": json.dumps(GOOD)}


def fails(status: int, **more: Any) -> dict[str, Any]:
    return {"error": {"message": "no", "type": "server_error"}, "status": status, **more}


def test_a_structured_reply_goes_to_the_tail(aimock: AIMockServer) -> None:
    answers(aimock, good())
    assert sort_a_ticket()[0] == Sorted(category="bug")


def test_too_many_requests_wait_as_long_as_asked(aimock: AIMockServer) -> None:
    answers(aimock, fails(429, retryAfter=7), good())
    end, seconds, _ = sort_a_ticket()
    assert end == Sorted(category="bug")
    assert 7 <= seconds < 20
    assert len(asked(aimock)) == 2


def test_a_broken_service_is_tried_again(aimock: AIMockServer) -> None:
    answers(aimock, fails(500), fails(503), good())
    end, seconds, _ = sort_a_ticket()
    assert end == Sorted(category="bug")
    assert seconds >= 1.5


def test_a_cut_connection_is_tried_again(aimock: AIMockServer) -> None:
    answers(aimock, {"content": "lost", "chaos": {"disconnectRate": 1}}, good())
    assert sort_a_ticket()[0] == Sorted(category="bug")


def test_a_reply_outside_the_schema_is_mended_within_the_attempt(aimock: AIMockServer) -> None:
    answers(aimock, {"content": '{"category": "poem", "confidence": 1}'}, good())
    end, seconds, _ = sort_a_ticket()
    assert end == Sorted(category="bug")
    assert seconds < 30


def test_replies_that_stay_wrong_take_the_exit_for_errors(aimock: AIMockServer) -> None:
    wrong = {"content": '{"category": "poem", "confidence": 1}'}
    answers(aimock, *(dict(wrong) for _ in range(3)))
    answers(aimock, *(dict(wrong) for _ in range(3)), model="small")
    end = sort_a_ticket()[0]
    assert isinstance(end, Escalated)
    assert end.reason.startswith("model.invalid_output: ")
    assert "poem" in end.reason


def test_a_requirement_of_the_step_is_told_to_the_model(aimock: AIMockServer) -> None:
    answers(aimock, {"content": '{"category": "spam", "confidence": 0.1}'}, good())
    assert sort_a_ticket()[0] == Sorted(category="bug")
    assert "be surer" in aimock.get_journal()[1]["body"]["messages"][-1]["content"]


def test_the_next_model_is_asked_once_the_policy_gives_up(aimock: AIMockServer) -> None:
    answers(aimock, *(fails(503) for _ in range(3)))
    answers(aimock, fails(500), good(), model="small")
    assert sort_a_ticket()[0] == Sorted(category="bug")
    assert asked(aimock) == ["gpt-4o-mini"] * 3 + ["small"] * 2


def test_a_missing_key_ends_the_run_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MODEL_KEY")
    with pytest.raises(WorkflowError, match="MODEL_KEY"):
        sort_a_ticket()


def test_a_missing_config_ends_the_run_and_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("WFC_LLM_URL")
    with pytest.raises(WorkflowError, match="WFC_LLM_URL"):
        sort_a_ticket()


class Found(StopEvent, closed=True):
    order: str
    left: str
    mood: str


class OrderFound(Event, closed=True):
    order: str
    left: str


MOOD: Output[Literal["good", "bad"]] = Output(Literal["good", "bad"])


def tool_beside(folder: Path) -> PythonTool[str]:
    return PythonTool("desk:find", output=str, beside=folder)


def test_tools_and_services_in_one_run(aimock: AIMockServer, tmp_path: Path) -> None:
    (tmp_path / "desk.py").write_text(
        "def find(body, context):\n"
        "    context.report('looking')\n"
        "    context.report(f'tries: {context.state[\"tries\"]}')\n"
        "    return body.upper()\n"
    )
    find = tool_beside(tmp_path)
    aimock.add_fixture({"model": "gpt-4o-mini"}, {"content": '{"answer": "good"}'})

    class Desk(Workflow, name="desk", config=Config):
        @step
        async def look_up(self, ctx: Context[State], event: TicketOpened) -> str:
            return await ctx.tool(find, {"body": event.body})

        @look_up.then
        def after_look_up(self, result: str) -> Wanted:
            return Wanted(order=result)

        @step
        async def check(self, ctx: Context[State], event: Wanted, config: Config) -> dict[str, str]:
            return await ctx.http("GET", f"{config.llm_url}/health", query={"a": None}, output=dict[str, str])

        @check.then
        def after_check(self, event: Wanted, result: dict[str, str], response: HttpResponse) -> OrderFound:
            return OrderFound(order=event.order, left=f"{response.status} {result['status']}")

        @step
        async def judge(
            self, ctx: Context[State], event: OrderFound, config: Config
        ) -> Literal["good", "bad"]:
            return await ctx.llm(sorter(config), event.order, output=MOOD)

        @judge.then
        def after_judge(self, event: OrderFound, result: Literal["good", "bad"]) -> Found:
            return Found(order=event.order, left=event.left, mood=result)

    end, _, streamed = play(Desk, TicketOpened(body="abc"))
    assert end == Found(order="ABC", left="200 ok", mood="good")
    assert [event.text for event in streamed if hasattr(event, "text")] == ["looking", "tries: 0"]


class Wanted(Event, closed=True):
    order: str


def test_a_tool_that_takes_too_long_is_a_timeout(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text("import asyncio\nasync def nap():\n    await asyncio.sleep(3600)\n")
    tool: PythonTool[None] = PythonTool("slow:nap", output=None, beside=tmp_path)

    class Nap(Workflow, name="nap"):
        @step(timeout=10.0, retry_policy=RetryPolicy(max_attempts=2, delay=5, retry_on=("timeout",)))
        async def nap(self, ctx: Context, event: TicketOpened) -> None:
            return await ctx.tool(tool, {})

        @nap.then
        def after_nap(self) -> Sorted:
            return Sorted(category="rested")

        @nap.on_error
        def nap_failed(self, error: StepError) -> Escalated:
            return Escalated(reason=error.name)

    end, seconds, _ = play(Nap, TicketOpened(body=""))
    assert end == Escalated(reason="timeout")
    assert seconds == pytest.approx(25, abs=0.5)


# --- what watchers see of a structured answer, and of what is thought before it


class Looked(StopEvent, closed=True):
    category: str


def looker(*, thinking: bool = True, partial: bool = True) -> type[Workflow]:
    class Look(Workflow, name="look", config=Config):
        @step(timeout=30.0)
        async def judge(self, ctx: Context, event: TicketOpened, config: Config) -> SortResult:
            claude = Model("anthropic:claude-haiku-4-5", base_url=config.llm_url, api_key=Secret("MODEL_KEY"))
            return await ctx.llm(
                claude,
                "What is this?",
                files=[File.of(b"one\ntwo", name="a.txt", media_type="text/plain")],
                output=SortResult,
                thinking=thinking,
                partial=partial,
            )

        @judge.then
        def after_judge(self, result: SortResult) -> Looked:
            return Looked(category=result.category)

    return Look


@pytest.mark.full
def test_a_record_and_what_is_thought_are_shown_apart(aimock: AIMockServer) -> None:
    thought = "It broke, so it is a bug, or is it? "
    aimock.add_fixture({}, {"content": json.dumps(GOOD), "reasoning": thought * 5})
    end, _, streamed = play(looker(), TicketOpened(body="It broke"))
    assert end == Looked(category="bug")
    assert "".join(each.text for each in streamed if isinstance(each, ThinkingText)) == thought * 5
    shown = [each for each in streamed if isinstance(each, PartialResult)]
    assert shown[-1].value == GOOD
    assert {(each.step, each.attempt, each.reply) for each in shown} == {("judge", 1, 1)}
    assert not [each for each in streamed if isinstance(each, TokenText)]


def test_nothing_is_shown_that_was_not_asked_for(aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": json.dumps(GOOD), "reasoning": "Hm."})
    _, _, streamed = play(looker(thinking=False, partial=False), TicketOpened(body=""))
    assert not [each for each in streamed if isinstance(each, ThinkingText | PartialResult | TokenText)]


def test_who_comes_late_sees_the_last_state_alone(aimock: AIMockServer) -> None:
    aimock.add_fixture({}, {"content": json.dumps(GOOD), "reasoning": "First this. Then that. " * 5})

    async def main() -> list[Event]:
        handler = looker()().run(start_event=TicketOpened(body=""))
        await handler
        return [each async for each in handler.stream_events()]

    late = run_virtually(main)
    assert [each.value for each in late if isinstance(each, PartialResult)] == [GOOD]
    assert [each.text for each in late if isinstance(each, ThinkingText)] == ["First this. Then that. " * 5]


def test_what_is_shown_of_an_answer_that_is_asked_for_again_counts_by_itself(aimock: AIMockServer) -> None:
    wrong = {"content": '{"category": "poem", "confidence": 1}'}
    for index, reply in enumerate([wrong, good()]):
        aimock.add_fixture({"sequenceIndex": index}, reply)
    _, _, streamed = play(looker(), TicketOpened(body=""))
    last = {each.reply: each.value["category"] for each in streamed if isinstance(each, PartialResult)}
    assert last == {1: "poem", 2: "bug"}


@pytest.mark.parametrize("output", [None, str])
def test_a_text_has_no_fields_to_show(output: Any) -> None:
    class Wrong(Workflow, name="wrong"):
        @step
        async def ask(self, ctx: Context, event: TicketOpened) -> StopEvent:
            await ctx.llm(Model("openai:gpt"), "Hello", output=output, partial=True)
            return StopEvent()

    with pytest.raises(WorkflowError, match="`stream`"):
        play(Wrong, TicketOpened(body=""))
