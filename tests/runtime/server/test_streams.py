"""What runs show is streamed without a gap, from anywhere, to any number of readers, however slow."""

from __future__ import annotations

import asyncio
import json
import random
from pathlib import Path
from typing import Any

import pytest
from asgi_client import Client, Served, serving, started, until
from served_flows import Echo, Long, Order

from wfc.runtime.errors import StoreError
from wfc.runtime.server.batches import NOTHING, StreamBatch, StreamMessage
from wfc.runtime.server.feed import Feed
from wfc.runtime.server.installation import ServerBounds
from wfc.runtime.server.shown import START, Position
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.paging import Progress


async def whole(client: Client, run: str, since: str = "") -> list[dict[str, Any]]:
    headers = [("Last-Event-ID", since)] if since else []
    return [one async for one in client.stream(f"/v1/runs/{run}/stream", headers)]


def test_a_stream_tells_a_run_from_its_beginning_to_its_end(served: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "echo", text="a")
        told = await whole(client, run)
        assert [one["event"] for one in told] == ["hello", "event", "step", "step", "event", "end"]
        assert told[0]["id"] is None
        assert told[-1]["data"]["result"] == {"event": "Done", "with": {"text": "a"}}
        assert told[2]["data"]["name"] == "echo"
        assert await whole(client, run, told[-1]["id"]) == [
            told[0] | {"data": {**told[0]["data"], "since": told[-1]["id"]}}
        ]

    served(use)


def test_positions_that_readers_make_up_fill_no_memory() -> None:
    feed = Feed(None, None, "one", lambda _: None)  # type: ignore[arg-type]  # nothing is read for it
    feed._keep([(Position(2, 1), StreamMessage("2.1", "event", b"x" * 1000))])
    for number in range(1000):
        assert feed._after(Position(1, number)) is not None
    assert len(feed._batches) <= 32


@pytest.mark.parametrize("seeds", [range(2), pytest.param(range(2, 40), marks=pytest.mark.full)])
def test_who_was_cut_off_anywhere_goes_on_exactly_there(served: Served, seeds: range) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "long", turns=12)
        expected = [one for one in await whole(client, run) if one["id"]]
        assert len({one["id"] for one in expected}) == len(expected)
        for seed in seeds:
            chance, seen, since = random.Random(seed), [], ""  # noqa: S311
            while not seen or seen[-1]["event"] != "end":
                most = chance.randint(1, 12)
                stream = client.stream(f"/v1/runs/{run}/stream", [("Last-Event-ID", since)] if since else [])
                async for one in stream:
                    if one["id"]:
                        seen.append(one)
                        since, most = one["id"], most - 1
                    if not most:
                        break
                await stream.aclose()  # type: ignore[attr-defined]
            assert seen == expected

    served(use)


def test_a_reader_who_falls_behind_what_is_in_memory_misses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wfc.runtime.server.feed.MOST_KEPT", 7)

    async def use() -> None:
        async with serving(tmp_path, Long) as client:
            run = await started(client, "long", turns=80)
            slow = client.stream(f"/v1/runs/{run}/stream")
            seen = [await anext(slow) for _ in range(3)]
            fast = await whole(client, run)
            async for one in slow:
                seen.append(one)
                await asyncio.sleep(0)
            assert seen == fast
            numbers = [int(one["id"].partition(".")[0]) for one in seen if one["id"]]
            assert numbers == sorted(numbers)
            running = [one for one in seen if one["data"].get("step_state") == "running"]
            assert len(running) == 82  # `begin`, and `turn` with 80 to 0 left

    asyncio.run(use())


def test_a_stream_follows_a_run_while_it_goes_on(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "order", order="A1")
        stream = client.stream(f"/v1/runs/{run}/stream")
        kinds = [(await anext(stream))["event"] for _ in range(3)]
        assert kinds[0] == "hello"
        await until(client, run, "parked")
        await client.post(f"/v1/runs/{run}/events", {"event": "Paid", "with": {"order": "A1", "amount": 5}})
        rest = [one async for one in stream]
        assert rest[-1]["event"] == "end"
        assert rest[-1]["data"]["status"] == "done"

    served_anew(use)


async def becomes(client: Client, run: str, status: str) -> None:
    """Give a run a status and nothing else, as the commit does by which it comes to rest."""

    def write(connection: Connection) -> None:
        connection.execute("UPDATE runs SET status = ? WHERE run_id = ?", (status, run))

    await client.app.server.engine.store.write(write)


def test_a_stream_tells_that_its_run_rests_or_goes_on_though_no_tick_says_so(tmp_path: Path) -> None:
    async def use() -> None:
        async with serving(tmp_path, Order) as client, asyncio.timeout(240):
            run = await started(client, "order", order="A1")
            await until(client, run, "parked")
            streams = [client.stream(f"/v1/runs/{run}/stream") for _ in range(2)]
            for stream in streams:
                told = [await anext(stream)]
                while told[-1]["event"] != "status":
                    told.append(await anext(stream))
                assert told[-1] == {"id": None, "event": "status", "data": {"status": "parked"}}
                assert told[-2]["id"], "what came before is told first"
            for status in ("live", "halted"):
                await becomes(client, run, status)
                for stream in streams:
                    assert (await anext(stream))["data"] == {"status": status}
            for stream in streams:
                await stream.aclose()  # type: ignore[attr-defined]

    asyncio.run(use())


def test_a_reader_for_whom_ticks_were_pruned_is_told_so(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The one whose stream had begun gets no other ticks in their place, and then hears which it has missed."""
    monkeypatch.setattr("wfc.runtime.server.feed.TICKS", 1)

    async def use() -> None:
        async with serving(tmp_path, Order) as client, asyncio.timeout(240):
            run = await started(client, "order", order="A1")
            await until(client, run, "parked")
            feeds, store = client.app.server.feeds, client.app.server.engine.store
            feed = Feed(feeds._engine, feeds._watch, run, lambda _: None)
            last = feeds._engine.last_tick(run)
            told = feed._from_store(START, Position(last, 0))
            _, at = await anext(told)
            assert at.seq < last
            await store.prune(run)
            with pytest.raises(StoreError, match=f"follow it since {last}"):
                async for _ in told:
                    pass
            again = client.stream(f"/v1/runs/{run}/stream", [("Last-Event-ID", str(at))])
            assert (await anext(again))["event"] == "hello"
            assert (await anext(again))["event"] == "gap"
            await again.aclose()  # type: ignore[attr-defined]

    asyncio.run(use())


@pytest.mark.parametrize("goes_on", [True, False])
def test_what_is_told_near_the_present_has_no_gap_either(tmp_path: Path, *, goes_on: bool) -> None:
    async def use() -> None:
        async with serving(tmp_path, Order) as client, asyncio.timeout(240):
            run = await started(client, "order", order="A1")
            await until(client, run, "parked")
            feeds, engine = client.app.server.feeds, client.app.server.engine
            last = engine.last_tick(run)
            feed = Feed(engine, feeds._watch, run, lambda _: None)
            feed._replay = engine.replay(run)
            feed._progress = Progress(last, "parked")
            await engine.store.prune(run)
            with pytest.raises(StoreError, match=f"follow it since {last}"):
                feed.tell([(last + 1, b"[]")] if goes_on else [])

    asyncio.run(use())


@pytest.mark.parametrize("position", ["x", "-1", "1.", "9" * 20, "1.2.3", "999999", "1;2"])
def test_positions_that_no_stream_has_given_are_refused(served: Served, position: str) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "sleeps", text="a")
        answer = await client.get(f"/v1/runs/{run}/stream", [("Last-Event-ID", position)])
        assert (answer.status, answer.code) == (400, "stream.position")

    served(use)


def test_streams_are_bounded_and_places_are_given_back(tmp_path: Path) -> None:
    async def use() -> None:
        async with serving(tmp_path, Echo, bounds=ServerBounds(streams_each=2)) as client:
            run = await started(client, "echo", text="a")
            await until(client, run, "done")
            streams = [client.stream(f"/v1/runs/{run}/stream") for _ in range(2)]
            for one in streams:
                await anext(one)
            full = await client.get(f"/v1/runs/{run}/stream")
            assert (full.status, full.code) == (429, "streams.full")
            viewer = [one async for one in client.as_("viewer").stream(f"/v1/runs/{run}/stream")]
            assert viewer[-1]["event"] == "end"
            for one in streams:
                await one.aclose()  # type: ignore[attr-defined]
            assert (await whole(client, run))[-1]["event"] == "end"
            assert not client.app._streams

    asyncio.run(use())


def test_readers_are_told_that_the_server_ends(served_anew: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "sleeps", text="a")
        await until(client, run, "parked")
        stream = client.stream(f"/v1/runs/{run}/stream")
        await anext(stream)
        client.app.server.drain()
        assert [one async for one in stream][-1]["event"] == "bye"
        assert (
            await client.post("/v1/workflows/echo/runs", {"inputs": {"text": "a"}})
        ).code == "server.draining"
        assert (await client.get("/readyz")).status == 503

    served_anew(use)


def test_browsers_get_events_and_programs_lines() -> None:
    batch = StreamBatch(
        [StreamMessage("3.0", "step", b'{"a":1}'), *NOTHING.messages, StreamMessage("", "bye", b"{}")]
    )
    assert batch.events == b'id: 3.0\nevent: step\ndata: {"a":1}\n\n:\n\nevent: bye\ndata: {}\n\n'
    assert batch.lines == (
        b'{"id":"3.0","event":"step","data":{"a":1}}\n\n{"id":null,"event":"bye","data":{}}\n'
    )
    assert batch.events is batch.events  # however many read it


def test_a_large_message_is_told_by_its_size(served: Served) -> None:
    async def use(client: Client) -> None:
        run = await started(client, "echo", text="x" * 1000, times=100)
        told = await whole(client, run)
        large = [one for one in told if "too_large" in one["data"]]
        assert {one["event"] for one in large} == {"event", "end"}
        assert all(len(json.dumps(one)) < 500 for one in large)

    served(use)


def test_a_quiet_stream_says_that_it_lives(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wfc.runtime.server.feed.QUIET", 0.05)

    async def use() -> None:
        async with serving(tmp_path, Order) as client:
            run = await started(client, "order", order="A1")
            await until(client, run, "parked")
            feeds = client.app.server.feeds
            told = feeds.messages(run, START, lambda: False)
            quiet = 0
            async for batch in told:
                quiet += sum(not one.kind for one in batch.messages)
                if quiet == 3:
                    break
            await told.aclose()
            assert not feeds._feeds
            assert not client.app.server.watch._wanted  # nobody looks at the store any more

    asyncio.run(use())


def test_many_runs_are_followed_side_by_side(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is new in many runs is read together, some at a time; each reader has its own run, whole and in order."""
    monkeypatch.setattr("wfc.runtime.server.feeds.TOLD_TOGETHER", 3)
    monkeypatch.setattr("wfc.runtime.server.feeds.TICKS", 4)
    monkeypatch.setattr("wfc.runtime.server.feed.TICKS", 4)

    async def use() -> None:
        async with serving(tmp_path, Long, bounds=ServerBounds(streams_each=20)) as client:
            runs = [await started(client, "long", turns=turns) for turns in range(20)]
            told = await asyncio.gather(*(whole(client, run) for run in runs))
            for turns, one in enumerate(told):
                assert [each["event"] for each in one].count("end") == 1
                running = [each for each in one if each["data"].get("step_state") == "running"]
                assert len(running) == turns + 2
                numbers = [int(each["id"].partition(".")[0]) for each in one if each["id"]]
                assert numbers == sorted(numbers)

    asyncio.run(use())
