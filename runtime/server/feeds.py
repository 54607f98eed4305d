"""What runs show, for any number of readers: read and encoded once for those that are near the present.

A reader is nothing but a position. Who is too slow for what is kept in memory reads on from the store, by itself; so a
reader costs the same whether it is fast or slow, and no run ever waits for one.
"""

from __future__ import annotations

import asyncio
import logging
import re
from collections import deque
from collections.abc import AsyncGenerator, Callable
from functools import partial
from typing import Final, NamedTuple

from wfc.runtime.driver.engine import Engine
from wfc.runtime.errors import WorkflowError
from wfc.runtime.events import ErrorHandled, Event, StopEvent
from wfc.runtime.events.internal import EventEmitted, StepStateChanged
from wfc.runtime.plan.pauses import QuestionAsked, QuestionClosed, QuestionDelegated, QuestionReminded
from wfc.runtime.server.calls import Problem, StreamMessage
from wfc.runtime.server.data import event_data, json_bytes, moment, outcome_data
from wfc.runtime.server.texts import LiveTexts, TextKey
from wfc.runtime.server.watching import Watch
from wfc.runtime.store.replay import Replay, Replayed
from wfc.runtime.store.sql import selecting
from wfc.runtime.store.sql.paging import Progress

__all__ = ["START", "Feeds", "Position", "read_position", "told_of_event", "told_since"]

MOST_KEPT: Final = 256
MOST_BYTES: Final = 1_000_000
LARGEST: Final = 65_536
"""The bytes of one message; of a larger one is told how large it is, and where to find it."""

TICKS: Final = 200
"""How many ticks are read at once."""

ENDS: Final = 9_999_999
QUIET: Final = 15.0
"""The seconds after which a reader hears that there is nothing new."""

_LOG: Final = logging.getLogger("wfc.server")

_ID: Final = re.compile(r"([0-9]{1,15})(?:\.([0-9]{1,7}))?")


class Position(NamedTuple):
    """A place in what a run shows: a tick, and which of the messages that follow from it."""

    seq: int
    part: int

    def __str__(self) -> str:
        return f"{self.seq}.{self.part}"


START: Final = Position(0, ENDS)
NOTHING: Final = StreamMessage("", "", b"")


def read_position(text: str) -> Position:
    """Return the position that an id names; that of a tick alone is behind all of it.

    Raises:
        Problem: It is none.
    """
    found = _ID.fullmatch(text)
    if found is None:
        raise Problem(400, "stream.position", "that is no id of a message of this stream")
    return Position(int(found[1]), ENDS if found[2] is None else int(found[2]))


Placed = tuple[Position, StreamMessage]


class Feeds:
    """What the runs of a store show, each for its readers."""

    def __init__(self, engine: Engine, watch: Watch) -> None:
        self._engine = engine
        self._watch = watch
        self._feeds: dict[str, Feed] = {}

    def end(self) -> None:
        """Let all readers look again whether they are to end."""
        for feed in self._feeds.values():
            feed.ring()

    def begins(self, run_id: str) -> None:
        """Let those who follow a run hear what its models say: it goes on in this process from now on."""
        if (feed := self._feeds.get(run_id)) is not None:
            feed.listen()

    async def messages(
        self, run_id: str, since: Position, ends: Callable[[], bool]
    ) -> AsyncGenerator[StreamMessage, None]:
        """Yield what a run shows after a position, until it is over, or all streams are to end.

        Args:
            ends: Returns whether they are.
        """
        feed = self._feeds.get(run_id)
        if feed is None:
            feed = self._feeds[run_id] = Feed(self._engine, self._watch, run_id)
        feed.readers += 1
        try:
            yield StreamMessage("", "hello", json_bytes({"run": run_id, "since": str(since)}))
            async for message in feed.read(since, ends):
                yield message
        except WorkflowError as error:
            yield StreamMessage("", "broken", json_bytes({"detail": str(error)}))
        except Exception:
            _LOG.exception("the stream of the run %s failed by a bug of wfc", run_id)
            yield StreamMessage(
                "", "broken", json_bytes({"detail": "this is a bug of wfc; its log has more"})
            )
        finally:
            feed.readers -= 1
            if not feed.readers:
                feed.stop()
                if self._feeds.get(run_id) is feed:
                    del self._feeds[run_id]
        if ends():
            yield StreamMessage("", "bye", b"{}")


class Feed:
    """What a run shows, near the present."""

    def __init__(self, engine: Engine, watch: Watch, run_id: str) -> None:
        self.readers = 0
        self._engine = engine
        self._watch = watch
        self._run_id = run_id
        self._kept: deque[Placed] = deque()
        self._bytes = 0
        self._floor: Position | None = (
            None  # what came up to there is not kept; ``None``: nothing is read yet
        )
        self._is_over = False
        self._error: Exception | None = None
        self._news = asyncio.Event()
        self._pump: asyncio.Task[None] | None = None
        self._texts = LiveTexts(run_id, self.ring)

    def listen(self) -> None:
        """Hear what the models of the run say, if it is under way in this process."""
        if (run := self._engine.run(self._run_id)) is not None:
            self._texts.listen(run)

    def stop(self) -> None:
        """Read nothing any more."""
        self._texts.stop()
        if self._pump is not None:
            self._pump.cancel()

    async def read(self, since: Position, ends: Callable[[], bool]) -> AsyncGenerator[StreamMessage, None]:
        """Yield what comes after a position; an empty message where there is nothing for a while."""
        if self._pump is None:
            self._pump = asyncio.create_task(self._follow())
            self.listen()
        position = since
        heard: dict[TextKey, int] = {}
        while not ends():
            news = self._news
            if (floor := self._floor) is not None and position < floor:  # which moves on meanwhile
                async for at, message in self._from_store(position, floor):
                    yield message
                    position = at
                    if ends():
                        return
                position = max(position, floor)
                continue
            batch = [one for one in self._kept if one[0] > position] if self._is_behind(position) else []
            for at, message in batch:
                if self._floor is not None and at <= self._floor:
                    break  # it was dropped while another one was sent: on from the store
                yield message
                position = at
            if self._error is not None:
                raise self._error
            if not batch:
                if self._is_over:
                    return
                for message in self._texts.since(heard):
                    yield message
                if news is not self._news:
                    continue
                try:
                    await asyncio.wait_for(news.wait(), QUIET)
                except TimeoutError:
                    yield NOTHING

    def _is_behind(self, position: Position) -> bool:
        return bool(self._kept) and self._kept[-1][0] > position

    # --- near the present

    async def _follow(self) -> None:
        """Read what is recorded of the run, as it comes."""
        try:
            replay = await asyncio.to_thread(self._engine.replay_near_end, self._run_id)
            self._floor = Position(replay.seq, ENDS)
            self.ring()
            before: Progress | None = None
            while True:
                count, told = await asyncio.to_thread(self._tell, replay, None)
                self._keep(told)
                if count:
                    continue
                if before is not None and before.is_over and replay.seq >= before.seq:
                    break
                before = await self._watch.changed(self._run_id, before, QUIET)
            self._keep([await asyncio.to_thread(self._ended, replay.seq)])
            self._is_over = True
        except Exception as error:  # whatever it is, no reader may wait for ever
            self._error = error
        self.ring()

    def _keep(self, told: list[Placed]) -> None:
        for one in told:
            self._kept.append(one)
            self._bytes += len(one[1].data)
        while len(self._kept) > 1 and (len(self._kept) > MOST_KEPT or self._bytes > MOST_BYTES):
            self._floor, gone = self._kept.popleft()
            self._bytes -= len(gone.data)
        if told:
            self._texts.ended(message for _, message in told)
            self.ring()

    def ring(self) -> None:
        """Let all readers look again."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    # --- further back

    async def _from_store(self, since: Position, until: Position) -> AsyncGenerator[Placed, None]:
        """Yield what comes after a position up to another one, told again from the journal."""
        replay = await asyncio.to_thread(self._engine.replay, self._run_id, since.seq)
        if replay.seq > since.seq:
            at = Position(replay.seq, ENDS)
            yield at, StreamMessage(str(at), "gap", json_bytes({"from": since.seq + 1, "to": replay.seq}))
        while replay.seq < until.seq:
            count, told = await asyncio.to_thread(self._tell, replay, until.seq)
            for at, message in told:
                if since < at <= until:
                    yield at, message
            if not count:
                return

    def _tell(self, replay: Replay, until: int | None) -> tuple[int, list[Placed]]:
        """Tell the next ticks; return how many there were, and what they have shown."""
        most = TICKS if until is None else min(TICKS, until - replay.seq)
        ticks, _ = self._engine.store.select(
            partial(selecting.ticks_after, run_id=self._run_id, since=replay.seq, most=most)
        )
        found: list[Placed] = []
        for _, body in ticks:
            found += messages_of(replay.tell(body))
        return len(ticks), found

    def _ended(self, seq: int) -> Placed:
        row = self._engine.show(self._run_id)
        told = {"status": row.status, "ended": moment(row.ended)}
        at = Position(seq, ENDS)
        return at, _message(at, "end", {**told, **outcome_data(self._engine.outcome(self._run_id))})


def told_since(engine: Engine, run_id: str, since: Position) -> list[Placed]:
    """Return what a run has shown after a position, as far as its journal is still there."""
    replay = engine.replay(run_id)
    found: list[Placed] = []
    while True:
        ticks, _ = engine.store.select(
            partial(selecting.ticks_after, run_id=run_id, since=replay.seq, most=TICKS)
        )
        for _, body in ticks:
            found += [one for one in messages_of(replay.tell(body)) if one[0] > since]
        if not ticks:
            return found


_TASKS: Final = (QuestionAsked, QuestionClosed, QuestionDelegated, QuestionReminded)


def messages_of(told: Replayed) -> list[Placed]:
    """Return the messages of a tick, one for each thing that it has shown."""
    head: dict[str, object] = {"seq": told.seq, "at": moment(told.at)}
    found: list[tuple[str, dict[str, object]]] = []
    if told.back_to is not None:
        found.append(("back", {**head, "to": told.back_to}))
    for event in told.events:
        if not isinstance(event, StopEvent):
            kind, data = told_of_event(event)
            found.append((kind, {**head, **data}))
    placed = []
    for part, (kind, data) in enumerate(found):
        at = Position(told.seq, part)
        placed.append((at, _message(at, kind, data)))
    return placed


def _message(at: Position, kind: str, data: dict[str, object]) -> StreamMessage:
    body = json_bytes(data)
    if len(body) > LARGEST:
        kept: dict[str, object] = {
            name: data[name] for name in ("seq", "at", "status", "event") if name in data
        }
        body = json_bytes(kept | {"too_large": len(body)})
    return StreamMessage(str(at), kind, body)


def told_of_event(event: Event) -> tuple[str, dict[str, object]]:
    """Return what is told of something that a run has shown: the kind of message, and its data."""
    return _kind_of(event), _data_of(event)


def _kind_of(event: Event) -> str:
    match event:
        case StepStateChanged():
            return "step"
        case EventEmitted():
            return "event"
        case ErrorHandled():
            return "handled"
    return "task" if isinstance(event, _TASKS) else "shown"


def _data_of(event: Event) -> dict[str, object]:
    if isinstance(event, EventEmitted):
        return {"step": event.step_name, **event_data(event.event)}
    if isinstance(event, (StepStateChanged, ErrorHandled, *_TASKS)):
        return {"what": type(event).__name__, **event.model_dump(mode="json", by_alias=True)}
    return event_data(event)
