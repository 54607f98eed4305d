"""The texts of models as they come, for those who follow a run whose process this is: shown, and kept nowhere.

What a model says piece by piece is in no store. Whoever follows the run at a server that works on it sees it grow; at
any other one, and after a reconnection, only what was recorded.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterable, Iterator
from typing import Final, NamedTuple

from wfc.runtime.driver.run import Run
from wfc.runtime.events import TokenText
from wfc.runtime.events.internal import StepState
from wfc.runtime.server.batches import StreamMessage
from wfc.runtime.server.data import json_bytes

__all__ = ["LiveTexts", "TextKey"]

LONGEST: Final = 65_536
"""How many characters of a text are shown before it is recorded."""

MOST: Final = 16
"""How many texts of a run are kept: the last ones to begin."""

RINGS_EVERY: Final = 0.05
"""The seconds between two looks of the readers, however many pieces come meanwhile."""


_ENDED: Final = frozenset(
    one.value for one in (StepState.NOT_RUNNING, StepState.CANCELLED, StepState.RETRYING)
)


class TextKey(NamedTuple):
    """Which text of a run it is: of a step of the run's own workflow, and not of its parts."""

    step: str
    worker: str
    attempt: int
    reply: int


class LiveTexts:
    """What the models of one run are saying, for any number of readers.

    Args:
        ring: Lets the readers look.
    """

    def __init__(self, run_id: str, ring: Callable[[], None]) -> None:
        self._run_id = run_id
        self._ring = ring
        self._texts: dict[TextKey, str] = {}
        self._run: Run | None = None
        self._task: asyncio.Task[None] | None = None
        self._is_rung = False

    def listen(self, run: Run) -> None:
        """Hear a run that is under way in this process, and in this event loop."""
        if run is self._run or run.loop is not asyncio.get_running_loop():
            return
        self.stop()
        self._run = run
        self._texts.clear()
        self._task = asyncio.create_task(self._hear(run))

    def stop(self) -> None:
        """Hear nothing any more."""
        if self._task is not None:
            self._task.cancel()
        self._run = self._task = None

    async def _hear(self, run: Run) -> None:
        async for run_id, event in run.watchers.stream.read_on():
            if isinstance(event, TokenText):
                self._grow(run_id, event)

    def _grow(self, run_id: str, event: TokenText) -> None:
        key = self._key(run_id, event)
        before = self._texts.get(key, "")
        if len(before) >= LONGEST:
            return
        self._texts[key] = (before + event.text)[:LONGEST]
        while len(self._texts) > MOST:
            del self._texts[next(iter(self._texts))]
        if not self._is_rung:
            self._is_rung = True
            asyncio.get_running_loop().call_later(RINGS_EVERY, self._let_read)

    def _let_read(self) -> None:
        self._is_rung = False
        self._ring()

    def _key(self, run_id: str, event: TokenText) -> TextKey:
        """Return what a text is known by; that of an agent, which is a part of the run, by the step that runs it."""
        within = run_id.removeprefix(f"{self._run_id}/").split("/") if run_id != self._run_id else []
        if len(within) >= 2:
            return TextKey(within[0], f"{'/'.join(within[1:])}/{event.worker_id}", event.attempt, event.reply)
        return TextKey(event.step, event.worker_id, event.attempt, event.reply)

    def ended(self, told: Iterable[StreamMessage]) -> None:
        """Forget the texts of the step runs that have ended by what was recorded: it says what they gave."""
        if not self._texts:
            return
        for message in told:
            if message.kind != "step":
                continue
            data = json.loads(message.data)
            if data.get("step_state") in _ENDED:
                of = data["name"], data["worker_id"]
                for key in [one for one in self._texts if (one.step, one.worker.partition("/")[0]) == of]:
                    del self._texts[key]

    def since(self, read: dict[TextKey, int]) -> Iterator[StreamMessage]:
        """Yield what a reader has not read yet, and what is over; note it in what it has read."""
        for key in [one for one in read if one not in self._texts]:
            del read[key]
            yield StreamMessage("", "text", json_bytes({**key._asdict(), "over": True}))
        for key, text in list(self._texts.items()):
            begins = read.get(key, 0)
            if begins < len(text):
                read[key] = len(text)
                told = {**key._asdict(), "from": begins, "text": text[begins:]}
                yield StreamMessage("", "text", json_bytes(told))
