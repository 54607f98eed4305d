"""How much of a run's stream is kept for readers that come later."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from wfc.runtime import Context, Event, StartEvent, StopEvent, Workflow, WorkflowConfigurationError, step
from wfc.runtime.errors import StreamGoneError


class Shown(Event):
    number: int


class Shows(Workflow):
    @step
    async def only(self, ctx: Context[Any], event: StartEvent) -> StopEvent:
        for number in range(event.get("count")):
            ctx.write_event_to_stream(Shown(number=number))
        return StopEvent()


async def numbers(stream: Any) -> list[int]:
    return [event.number async for event in stream if isinstance(event, Shown)]


def test_the_last_events_are_kept_and_an_earlier_position_says_which_is_the_first() -> None:
    async def main() -> None:
        handler = Shows(stream_limit=10).run(count=25)
        early = handler.stream_events()
        await handler
        for position in (0, 15):
            with pytest.raises(StreamGoneError, match=r"from position 16 on") as gone:
                handler.stream_events(since=position)
            assert (gone.value.first, gone.value.name) == (16, "stream.gone")
        assert await numbers(handler.stream_events(since=16)) == [*range(16, 25)]
        assert await numbers(handler.stream_events(since=20)) == [*range(20, 25)]
        assert await numbers(handler.stream_events(since=99)) == []
        assert [one async for _, one in handler.stream_with_run_ids(since=25)] == [handler.get_stop_event()]
        assert await numbers(early) == [*range(25)]  # a reader misses nothing once it has begun

    asyncio.run(main())


@pytest.mark.full
def test_a_hundred_thousand_are_kept_by_itself_and_all_on_request() -> None:
    async def main() -> None:
        handler = Shows().run(count=100_001)
        await handler
        with pytest.raises(StreamGoneError, match="from position 2 on"):
            handler.stream_events()
        handler = Shows(stream_limit=None).run(count=100_001)
        await handler
        assert len(await numbers(handler.stream_events())) == 100_001

    asyncio.run(main())


@pytest.mark.parametrize("limit", [0, -1, 2.5, True])
def test_a_limit_is_a_positive_number(limit: Any) -> None:
    with pytest.raises(WorkflowConfigurationError, match="stream_limit"):
        Shows(stream_limit=limit)
