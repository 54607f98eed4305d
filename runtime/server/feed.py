"""What one run shows, near the present, for any number of readers.

A reader is nothing but a position. Who is too slow for what is kept in memory reads on from the store, by itself; so a
reader costs the same whether it is fast or slow, and no run ever waits for one.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Sequence
from functools import partial
from typing import Final, NamedTuple

from wfc.runtime.driver.engine import Engine
from wfc.runtime.server.batches import NOTHING, StreamBatch, StreamMessage, in_batches
from wfc.runtime.server.data import json_bytes, moment, outcome_data
from wfc.runtime.server.shown import BEHIND, TICKS, Placed, Position, message_at, read_position, tell
from wfc.runtime.server.texts import LiveTexts, TextKey
from wfc.runtime.server.watching import Watch
from wfc.runtime.store.replay import Replay
from wfc.runtime.store.sql import selecting
from wfc.runtime.store.sql.paging import Progress

__all__ = ["Feed", "ToldTicks"]

MOST_KEPT: Final = 256
MOST_BYTES: Final = 1_000_000
MOST_BATCHES: Final = 32

AGAIN: Final = 0.05
"""The seconds after which the store is asked again for what is known to be there."""

QUIET: Final = 15.0
"""The seconds after which a reader hears that there is nothing new."""


class ToldTicks(NamedTuple):
    """What was found of a run in the store: so many ticks, what they show, and whether that is all there will be."""

    ticks: int
    placed: list[Placed]
    is_all: bool


class Feed:
    """What a run shows, near the present.

    Args:
        tell_soon: Has what is recorded of it read soon: by ``tell`` in a thread, which ``take`` then gets.
    """

    def __init__(self, engine: Engine, watch: Watch, run_id: str, tell_soon: Callable[[Feed], None]) -> None:
        self.readers = 0
        self.run_id = run_id
        self._engine = engine
        self._watch = watch
        self._tell_soon = tell_soon
        self._kept: deque[Placed] = deque()
        self._bytes = 0
        self._batches: dict[
            Position, tuple[StreamBatch, Position]
        ] = {}  # what was sent last, by what it follows
        self._floor: Position | None = (
            None  # what came up to there is not kept; ``None``: nothing is read yet
        )
        self._is_over = False
        self._error: Exception | None = None
        self._news = asyncio.Event()
        self._texts = LiveTexts(run_id, self.ring)
        self._replay: Replay | None = None
        self._progress: Progress | None = None
        self._shown_to = 0  # the last tick of what readers can be told
        self._settled: Progress | None = None  # how far it has come, once all up to there can be told
        self._beginning: asyncio.Task[None] | None = None
        self._unfollow: Callable[[], None] | None = None
        self._later: asyncio.TimerHandle | None = None
        self._beat: asyncio.TimerHandle | None = None
        self._beats = 0

    def listen(self) -> None:
        """Hear what the models of the run say, if it is under way in this process."""
        if (run := self._engine.run(self.run_id)) is not None:
            self._texts.listen(run)

    def stop(self) -> None:
        """Read nothing any more."""
        self._texts.stop()
        if self._beginning is not None:
            self._beginning.cancel()
        if self._unfollow is not None:
            self._unfollow()
        for timer in (self._later, self._beat):
            if timer is not None:
                timer.cancel()

    async def read(self, since: Position, ends: Callable[[], bool]) -> AsyncGenerator[StreamBatch, None]:
        """Yield what comes after a position; an empty message where there is nothing for a while."""
        if self._beginning is None:
            self._beginning = asyncio.create_task(self._begin())
            self.listen()
        position, beats = since, self._beats
        heard: dict[TextKey, int] = {}
        status = ""
        while not ends():
            news = self._news
            if (floor := self._floor) is not None and position < floor:  # which moves on meanwhile
                async for batch, at in self._from_store(position, floor):
                    yield batch
                    position = at
                    if ends():
                        return
                position = max(position, floor)
                continue
            if (found := self._after(position)) is not None:
                batch, position = found
                beats = self._beats
                yield batch
                continue
            if self._error is not None:
                raise self._error
            if self._is_over:
                return
            if new := self._status_after(status):
                status = new
                yield StreamBatch([StreamMessage("", "status", json_bytes({"status": status}))])
                continue
            if texts := list(self._texts.since(heard)):
                yield StreamBatch(texts)
            elif beats != self._beats:
                yield NOTHING
            beats = self._beats
            if news is self._news:
                await news.wait()

    def _status_after(self, told: str) -> str:
        """Return the status that the run has now, if that is news to who was told one; empty: it is none.

        Who was told of none yet takes the run to be under way: to that one it is news once the run rests.
        """
        now = self._settled
        return now.status if now is not None and now.status != told and (told or now.rests) else ""

    def _after(self, position: Position) -> tuple[StreamBatch, Position] | None:
        """Return what follows a position, as far as it is sent together, and the position of its end."""
        if not self._kept or self._kept[-1][0] <= position:
            return None
        found = self._batches.get(position)
        if found is None:
            if len(self._batches) >= MOST_BATCHES:  # readers may name any position
                self._batches.clear()
            batch = next(in_batches(message for at, message in self._kept if at > position))
            end = read_position(batch.messages[-1].id)
            found = self._batches[position] = batch, end
        return found

    # --- near the present

    async def _begin(self) -> None:
        """Begin to follow the run where what is kept in memory begins."""
        try:
            replay = await asyncio.to_thread(self._engine.replay_near_end, self.run_id)
        except Exception as error:  # whatever it is, no reader may wait for ever
            self._fail(error)
            return
        self._replay = replay
        self._floor = Position(replay.seq, BEHIND)
        self._shown_to = replay.seq
        self.ring()
        self._beat = asyncio.get_running_loop().call_later(QUIET, self._beats_on)
        self._unfollow = self._watch.follow(self.run_id, self._has_come)
        self._tell_soon(self)

    def _beats_on(self) -> None:
        self._beats += 1
        self.ring()
        self._beat = asyncio.get_running_loop().call_later(QUIET, self._beats_on)

    def _has_come(self, progress: Progress) -> None:
        self._progress = progress
        if not self._is_over and (progress.is_over or progress.seq > self.told_to):
            self._tell_soon(self)
        self._settle()

    def _settle(self) -> None:
        """Let readers hear the status, which no tick tells, once they can be told all that came before it."""
        progress = self._progress
        if progress is None or progress.is_over or progress.seq > self._shown_to:
            return
        is_news = self._settled is None or self._settled.status != progress.status
        self._settled = progress
        if is_news:
            self.ring()

    @property
    def is_broken(self) -> bool:
        """Whether it cannot be told further."""
        return self._error is not None

    @property
    def told_to(self) -> int:
        """The last tick that was told."""
        assert self._replay is not None
        return self._replay.seq

    def tell(self, ticks: Sequence[tuple[int, bytes]]) -> ToldTicks:
        """Tell the next ticks, and the end if they are all: in a thread, and nobody else does so meanwhile.

        Raises:
            SnapshotError: One is damaged.
            StoreError: They do not follow from those before: some were pruned, or they are of other steps.
        """
        replay, progress = self._replay, self._progress
        assert replay is not None
        placed = tell(replay, ticks)
        if not ticks and progress is not None and progress.seq > replay.seq:
            self._engine.check_told(replay)
        is_all = (
            len(ticks) < TICKS and progress is not None and progress.is_over and replay.seq >= progress.seq
        )
        if is_all:
            placed.append(self._ended(replay.seq))
        return ToldTicks(len(ticks), placed, is_all)

    def take(self, told: ToldTicks | Exception) -> None:
        """Keep what was told, for the readers."""
        if self._is_over:  # news that came while its end was read
            return
        if isinstance(told, Exception):
            self._fail(told)
            return
        self._keep(told.placed)
        self._shown_to = self.told_to
        self._settle()
        if told.is_all:
            self._is_over = True
            self.ring()
        elif not self.readers:
            return
        elif told.ticks == TICKS:
            self._tell_soon(self)
        elif (progress := self._progress) is not None and (
            progress.is_over or progress.seq > self.told_to
        ):  # it was told of while this was read, or is not to be seen yet
            if self._later is not None:
                self._later.cancel()
            self._later = asyncio.get_running_loop().call_later(AGAIN, self._tell_soon, self)

    def _fail(self, error: Exception) -> None:
        self._error = error
        self.ring()

    def _keep(self, told: list[Placed]) -> None:
        if not told:
            return
        for one in told:
            self._kept.append(one)
            self._bytes += len(one[1].data)
        while len(self._kept) > 1 and (len(self._kept) > MOST_KEPT or self._bytes > MOST_BYTES):
            self._floor, gone = self._kept.popleft()
            self._bytes -= len(gone.data)
        self._batches.clear()
        self._texts.ended(message for _, message in told)
        self.ring()

    def ring(self) -> None:
        """Let all readers look again."""
        news, self._news = self._news, asyncio.Event()
        news.set()

    # --- further back

    async def _from_store(
        self, since: Position, until: Position
    ) -> AsyncGenerator[tuple[StreamBatch, Position], None]:
        """Yield what comes between two positions, told again from the journal, and where each batch ends."""
        replay = await asyncio.to_thread(self._engine.replay, self.run_id, since.seq)
        if replay.seq > since.seq:
            at = Position(replay.seq, BEHIND)
            gap = {"from": since.seq + 1, "to": replay.seq}
            yield StreamBatch([StreamMessage(str(at), "gap", json_bytes(gap))]), at
        while replay.seq < until.seq:
            count, told = await asyncio.to_thread(self._next, replay, until.seq)
            for batch in in_batches(message for at, message in told if since < at <= until):
                yield batch, read_position(batch.messages[-1].id)
            if not count:
                return

    def _next(self, replay: Replay, until: int) -> tuple[int, list[Placed]]:
        """Tell the next ticks up to one; return how many there were, and what they have shown.

        Raises:
            SnapshotError: One is damaged.
            StoreError: They do not follow from those before: some were pruned, or they are of other steps.
        """
        most = min(TICKS, until - replay.seq)
        ticks, _ = self._engine.store.select(
            partial(selecting.ticks_after, run_id=self.run_id, since=replay.seq, most=most)
        )
        if not ticks:
            self._engine.check_told(replay)
        return len(ticks), tell(replay, ticks)

    def _ended(self, seq: int) -> Placed:
        row = self._engine.show(self.run_id)
        told = {"status": row.status, "ended": moment(row.ended)}
        at = Position(seq, BEHIND)
        return at, message_at(at, "end", {**told, **outcome_data(self._engine.outcome(self.run_id))})
