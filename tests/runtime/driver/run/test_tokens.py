"""Answers of models that are shown while they come: to all who watch, and as no part of the run."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from wfc.runtime import (
    Context,
    Engine,
    Event,
    Item,
    Items,
    Model,
    ProgressText,
    RetryPolicy,
    StartEvent,
    StepError,
    StopEvent,
    TokenText,
    Workflow,
    WorkflowRuntimeError,
    pause,
    step,
)
from wfc.runtime.calls.cache import Cache
from wfc.runtime.calls.host import CallHost
from wfc.runtime.records import Message
from wfc.runtime.testing import ScriptedModel


class Spoken(Model):
    """Says its pieces when it is let go on, one by one; an exception among them is raised."""

    replies: list[Sequence[str | Exception]]
    pauses: asyncio.Queue[None] | None

    def __init__(self, *replies: Sequence[str | Exception], waits: bool = False) -> None:
        super().__init__("spoken:model")
        object.__setattr__(self, "replies", list(replies))
        object.__setattr__(self, "pauses", asyncio.Queue() if waits else None)

    def go_on(self) -> None:
        assert self.pauses is not None
        self.pauses.put_nowait(None)

    async def ask(
        self,
        host: CallHost,
        prompt: str,
        *,
        system: str | None = None,
        output: Any = None,
        history: Sequence[Message] = (),
        stream: bool = False,
    ) -> Any:
        said = ""
        while True:
            with host.answering() as tell:
                for piece in self.replies.pop(0):
                    if self.pauses is not None:
                        await self.pauses.get()
                    if isinstance(piece, Exception):
                        raise piece
                    said += piece
                    tell(piece)
            if not host.unmet(said):
                return said
            said = ""


USED: dict[str, Spoken | ScriptedModel] = {}
"""The model that the workflows here ask."""


class Asked(StartEvent):
    text: str = ""


class Speaking(Workflow):
    @step(retry_policy=RetryPolicy(max_attempts=3, delay=0.0))
    async def speak(self, ctx: Context, ev: Asked) -> StopEvent:
        ctx.write_event_to_stream(ProgressText(text="listen", step="speak"))
        said = await ctx.llm(USED["model"], ev.text, stream=True)
        ctx.write_event_to_stream(ProgressText(text="that was all", step="speak"))
        return StopEvent(result=said)


def told(events: Sequence[Event]) -> list[Any]:
    """Pieces with attempt and reply, and texts."""
    return [
        (each.text, each.attempt, each.reply) if isinstance(each, TokenText) else each.text
        for each in events
        if isinstance(each, TokenText | ProgressText)
    ]


def run(test: Callable[[], Awaitable[Any]]) -> Any:
    return asyncio.run(asyncio.wait_for(_as_coroutine(test), 240))


async def _as_coroutine(test: Callable[[], Awaitable[Any]]) -> Any:
    return await test()


def use(*replies: Sequence[str | Exception], waits: bool = False) -> Spoken:
    USED["model"] = model = Spoken(*replies, waits=waits)
    return model


@pytest.mark.parametrize("inside", [False, True])
def test_who_reads_along_gets_each_piece_and_who_comes_late_all_at_once(inside: bool) -> None:
    async def test() -> None:
        model = use(["a", "b", "", "c"], waits=True)
        handler = Speaking().run(text="x")
        live = handler.stream_events(expose_internal=inside)
        seen: list[Event] = []

        async def until(count: int) -> None:
            while len(told(seen)) < count:
                seen.append(await anext(live))

        await until(1)
        for count in (2, 3):
            model.go_on()
            await until(count)
        assert told(seen) == ["listen", ("a", 1, 1), ("b", 1, 1)]
        later = handler.stream_events(expose_internal=inside)
        late: list[Event] = []
        while len(told(late)) < 2:
            late.append(await anext(later))
        assert told(late) == ["listen", ("ab", 1, 1)]
        for _ in range(2):
            model.go_on()
        seen += [each async for each in live]
        late += [each async for each in later]
        rest = [("c", 1, 1), "that was all"]
        assert told(seen) == ["listen", ("a", 1, 1), ("b", 1, 1), *rest]
        assert told(late) == ["listen", ("ab", 1, 1), *rest]
        after = [each async for each in handler.stream_events()]
        assert told(after) == ["listen", ("abc", 1, 1), "that was all"]
        assert isinstance(after[-1], StopEvent) and await handler == "abc"

    run(test)


def test_a_thousand_pieces_are_one_item_of_the_stream() -> None:
    async def test() -> None:
        use([f"{number} " for number in range(1000)])
        handler = Speaking().run(text="x")
        await handler
        pieces = [each async for each in handler.stream_events() if isinstance(each, TokenText)]
        assert [each.text.split() for each in pieces] == [[str(number) for number in range(1000)]]

    run(test)


def test_attempts_and_replies_are_told_apart() -> None:
    async def test() -> None:
        use(["half"[:2], StepError("connection", "gone")], ["half"])
        handler = Speaking().run(text="x")
        events = [each async for each in handler.stream_events()]
        assert told(events) == ["listen", ("ha", 1, 1), "listen", ("half", 2, 1), "that was all"]

    run(test)


class Twice(Workflow):
    @step
    async def speak(self, ctx: Context, ev: Asked) -> StopEvent:
        return StopEvent(
            result=await ctx.llm(USED["model"], "one", stream=True)
            + await ctx.llm(USED["model"], "two", stream=True)
        )


def test_each_call_of_an_attempt_is_a_reply_of_its_own() -> None:
    async def test() -> None:
        use(["a"], ["b"])
        observed: list[Event] = []
        handler = Twice().run(text="x")
        handler.observe(observed.append)
        assert await handler == "ab"
        assert told(observed) == [("a", 1, 1), ("b", 1, 2)]

    run(test)


class Reported(StopEvent):
    texts: list[str]


class Reporting(Workflow):
    @pause()
    def write(self, event: Asked) -> Items[str]:
        return Items(["a", "b"], most=2)

    @write.item()
    async def write_item(self, ctx: Context, event: Asked, item: Item[str]) -> str:
        return await ctx.llm(ScriptedModel(f"about {item}"), item, stream=True)

    @write.then
    def after_write(self, result: list[str]) -> Reported:
        return Reported(texts=result)


def test_pieces_of_items_are_told_apart() -> None:
    async def test() -> None:
        handler = Reporting().run(text="x")
        pieces = [each async for each in handler.stream_events() if isinstance(each, TokenText)]
        assert {each.step for each in pieces} == {"write"}
        assert len({each.worker_id for each in pieces}) == 2
        assert sorted(each.text for each in pieces) == ["about a", "about b"]

    run(test)


class Above(Workflow):
    @step
    async def call(self, ctx: Context, ev: Asked, part: Speaking) -> StopEvent:
        return StopEvent(result=await part.run(text=ev.text))


def test_what_a_part_says_is_shown_above() -> None:
    async def test() -> None:
        use(["a", "b"])
        above = Above(engine=Engine())
        above.add_workflows(part=Speaking())
        handler = above.run(text="x")
        observed: list[Event] = []
        handler.observe(observed.append)
        found = [
            (run_id, each)
            async for run_id, each in handler.stream_with_run_ids()
            if isinstance(each, TokenText)
        ]
        assert "".join(each.text for _, each in found) == "ab"
        assert all(run_id.startswith(f"{handler.run_id}/call/") for run_id, _ in found)
        assert [each.text for each in observed if isinstance(each, TokenText)] == ["a", "b"]

    run(test)


def test_nothing_of_it_is_part_of_the_run() -> None:
    async def test() -> None:
        model = use(["half", "whole"], waits=True)
        handler = Speaking().run(text="x")
        model.go_on()
        async for each in handler.stream_events():
            if isinstance(each, TokenText):
                break
        assert "half" not in str(handler.ctx.to_dict())
        await handler.cancel_run()
        late = [each async for each in handler.stream_events()]
        assert told(late) == ["listen", ("half", 1, 1)]  # and nobody waits for more of it

    run(test)


def test_a_run_that_is_over_shows_nothing_more() -> None:
    class Late(Workflow):
        @step
        async def speak(self, ctx: Context, ev: Asked) -> StopEvent:
            answering = ctx.answering()
            tell = answering.__enter__()
            tell("a")
            asyncio.get_running_loop().call_later(0.0, tell, "b")
            return StopEvent(result="done")

    async def test() -> None:
        handler = Late().run(text="x")
        await handler
        await asyncio.sleep(0)
        await asyncio.sleep(0)
        assert told([each async for each in handler.stream_events()]) == [("a", 1, 1)]

    run(test)


def test_a_kept_result_is_shown_at_once(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WFC_CACHE", str(tmp_path))
    history = [Message(role="user", content="hello")]

    class Cached(Workflow):
        @step(cache=Cache(definition="1"))
        async def speak(self, ctx: Context, ev: Asked) -> StopEvent:
            before = history if ev.text else []
            return StopEvent(result=await ctx.llm(USED["model"], "x", history=before, stream=True))

    async def said(text: str) -> list[Any]:
        return told([each async for each in Cached().run(text=text).stream_events()])

    async def test() -> None:
        use(["a", "b"], ["c"])
        for _ in range(2):
            assert await said("") == [("ab", 1, 1)]
        for _ in range(2):
            assert await said("with a history") == [("c", 1, 1)]

    run(test)


def test_what_is_no_text_is_not_shown() -> None:
    class Counting(Workflow):
        @step
        async def count(self, ctx: Context, ev: Asked) -> StopEvent:
            return StopEvent(result=await ctx.llm(USED["model"], "x", output=int, stream=True))  # type: ignore[call-overload]

    async def test() -> None:
        use(["1"])
        with pytest.raises(WorkflowRuntimeError, match="shows texts"):
            await Counting().run(text="x")

    run(test)


def test_a_scripted_model_keeps_the_history() -> None:
    async def test() -> None:
        USED["model"] = model = ScriptedModel("hi")
        handler = Speaking().run(text="x")
        assert told([each async for each in handler.stream_events()])[1] == ("hi", 1, 1)
        assert (model.prompts, model.histories) == (["x"], [[]])

    run(test)
