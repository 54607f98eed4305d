"""What runs append to a store in one turn of an event loop, which is written together."""

from __future__ import annotations

from asyncio import AbstractEventLoop
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from wfc.runtime.store.blobs import Body
from wfc.runtime.store.journal import Claim, Entry, Fate, Kept, Lease, Lost, Posted

__all__ = ["Appender", "Appends", "Journal", "Tick", "Turn", "tell_of_failure"]

Tick = tuple[Lease, int, Body]
"""A tick by itself: the lease of its run, its number, and its body."""


class Appender(Protocol):
    """Who appends to a journal: the port of a run."""

    @property
    def lease(self) -> Lease:
        """The lease under which it appends."""

    def gather(self, batch: Appends) -> None:
        """Add an entry with what there is to append, if there is anything."""

    def durable(self, held: Any, lost: Lost | None) -> None:
        """Be told, in the loop and in the order of the appends, that something is durable, or why it never will be.

        Args:
            held: What was added with it.
        """


class Appends:
    """What has come together.

    Most steps append one tick, from which nothing else follows, and no entry is made for it: ``ticks`` are these, of
    runs that the store has numbered, and ``tickers`` and ``held`` who has appended each, and what is handed back.
    ``entries`` and ``enterers`` are all else, and who has appended that, with what is handed back. A run that is in
    both comes first with its ticks.
    """

    __slots__ = ("enterers", "entries", "held", "tickers", "ticks")

    def __init__(self) -> None:
        self.ticks: list[Tick] = []
        self.tickers: list[Appender] = []
        self.held: list[Any] = []
        self.entries: list[Entry] = []
        self.enterers: list[tuple[Appender, Any]] = []

    def __len__(self) -> int:
        return len(self.ticks) + len(self.entries)

    def add(self, appender: Appender, entry: Entry, held: Any) -> None:
        """Add an entry, and what is handed back to who appends it."""
        self.entries.append(entry)
        self.enterers.append((appender, held))

    def take(self, most: int) -> Iterator[Appends]:
        """Return all of it, in order, in batches of so many parts at the most; it is empty then."""
        taken = Appends()
        for name in self.__slots__:
            setattr(taken, name, getattr(self, name))
            setattr(self, name, [])
        if len(taken) <= most:
            yield taken
            return
        for names in (("ticks", "tickers", "held"), ("entries", "enterers")):
            for first in range(0, len(getattr(taken, names[0])), most):
                part = Appends()
                for name in names:
                    setattr(part, name, getattr(taken, name)[first : first + most])
                yield part

    @property
    def appenders(self) -> list[tuple[Appender, Any]]:
        """Who has appended something, and what is handed back; ticks first."""
        return [*zip(self.tickers, self.held, strict=True), *self.enterers]

    def each(self) -> list[Entry]:
        """Return all as entries, in the order of ``appenders``."""
        ticks = [Entry(lease, seq, [body]) for lease, seq, body in self.ticks]
        return [*ticks, *self.entries]


class Turn:
    """The next turn of an event loop: what runs append until then is written together.

    Args:
        write: Writes a batch soon.
        most: The parts in one batch.
    """

    __slots__ = ("_appenders", "_is_due", "_is_held", "_loop", "_most", "_write", "batch")

    def __init__(self, loop: AbstractEventLoop, write: Callable[[Appends], None], most: int) -> None:
        self.batch = Appends()
        self._loop = loop
        self._write = write
        self._most = most
        self._appenders: list[Appender] = []
        self._is_due = False
        self._is_held = False

    def gather(self, appender: Appender) -> None:
        """Let somebody add then what there is to append."""
        self._appenders.append(appender)
        self.begin()

    def begin(self) -> None:
        """See to it that the batch is written then; whoever adds a first tick to it calls this."""
        if not (self._is_due or self._is_held):
            self._is_due = True
            self._loop.call_soon(self._end)

    def hold(self) -> None:
        """Let nothing be written by itself before ``let_go``, which must follow before the loop's next turn."""
        self._is_held = True

    def let_go(self, enough: int) -> None:
        """Write what has come together: at once if there are enough ticks, else as usual.

        Without ``hold`` a callback would be scheduled that finds nothing left, and while it runs the loop's thread
        keeps Python's lock, which the writer's thread needs to begin.

        Args:
            enough: How many ticks are written at once.
        """
        self._is_held = False
        if len(self.batch.ticks) >= enough:
            self.hand_over()
        if self.batch or self._appenders:
            self.begin()

    def _end(self) -> None:
        self._is_due = False
        appenders, self._appenders = self._appenders, []
        for appender in appenders:
            try:
                appender.gather(self.batch)
            except Exception as error:
                tell_of_failure(self._loop, error)
        self.hand_over()

    def hand_over(self) -> None:
        """Write what has come together so far: the writer's thread then has Python for itself."""
        if self.batch:
            for batch in self.batch.take(self._most):
                self._write(batch)


def tell_of_failure(loop: AbstractEventLoop, error: Exception) -> None:
    """Tell of a mistake in what follows from a commit: it does no harm to the other runs of that."""
    loop.call_exception_handler({"message": "what follows from a commit failed", "exception": error})


class Journal(Protocol):
    """A store of runs, as far as a run that is under way needs it."""

    def turn_of(self, loop: AbstractEventLoop) -> Turn:
        """Return the next turn of a loop, in which what comes together is written in order."""

    async def claim(self, most: int = 1, run_id: str | None = None) -> list[Claim]:
        """Claim runs that nobody has: due ones, or the one with an id."""

    async def release(self, lease: Lease) -> None:
        """Give a run back, so that others may claim it."""

    async def read(self, lease: Lease) -> Kept:
        """Return the journal of a run."""

    async def post(self, run_id: str, item: Posted) -> Fate:
        """Put something into a run's inbox, durable when this returns."""

    async def posted(self, lease: Lease) -> list[tuple[int, Posted]]:
        """Return what is in a run's inbox, oldest first, with the numbers of the items."""
