"""Records in a file: whole or not at all, in order, fenced, and each failing for itself."""

from __future__ import annotations

import asyncio
import contextlib
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from journals import append, created, new_run, opened

from wfc.runtime.errors import StoreError
from wfc.runtime.store.batches import Appends
from wfc.runtime.store.journal import Ended, Lease, Lost, Posted, Snapshot, TaskClosed, TaskOpened
from wfc.runtime.store.sql.claiming import MOST_RECOVERIES
from wfc.runtime.store.sqlite import SqliteJournal


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[SqliteJournal]:
    with contextlib.closing(opened(tmp_path)) as found:
        yield found


def test_ticks_are_read_back_in_order(journal: SqliteJournal) -> None:
    async def main() -> None:
        lease = await new_run(journal, ticks=[b"[1]", b"[2]"])
        assert await append(journal, lease, 3, [b"[3]"]) is None
        kept = await journal.read(lease)
        assert (kept.snapshot, kept.snapshot_seq, list(kept.ticks)) == (None, 0, [b"[1]", b"[2]", b"[3]"])
        assert await append(journal, lease, 4, [b"[4]"], [Snapshot(4, b"{}")]) is None
        assert await append(journal, lease, 5, [b"[5]"]) is None
        kept = await journal.read(lease)
        assert (kept.snapshot, kept.snapshot_seq, list(kept.ticks), kept.seq) == (b"{}", 4, [b"[5]"], 5)

    asyncio.run(main())


def test_a_run_id_is_taken_once(journal: SqliteJournal) -> None:
    async def main() -> None:
        await new_run(journal)
        again = Lease("run")
        lost = await append(journal, again, 1, [b"[9]"], new=created())
        assert isinstance(lost, Lost) and "already" in str(lost)
        assert await append(journal, again, 2, [b"[9]"]) is lost

    asyncio.run(main())
    assert [body for _, body in journal.history("run")] == [b"[1]"]


def test_of_two_that_write_the_one_with_the_last_claim_does(tmp_path: Path) -> None:
    """The first one is no process of another epoch's: it stands still, and goes on after the run was pruned."""
    first, second = opened(tmp_path), opened(tmp_path)

    async def main() -> None:
        zombie = await new_run(first, ticks=[b"[1]", b"[2]"])
        other = await new_run(first, "other")
        await first.write(lambda connection: connection.execute("UPDATE workers SET beat = 0"))
        (claim,) = await second.claim(run_id="run")
        assert (claim.lease.epoch, claim.lease.number) == (2, zombie.number)
        assert await append(second, claim.lease, 3, [b"[3]"], [Snapshot(3, b"{}")]) is None
        assert await second.prune("run") == 3
        # its sequence numbers are free again, and only the epoch says that it has lost the run
        third, fourth, others = await asyncio.gather(
            append(first, zombie, 3, [b"[3, false]"]),
            append(first, zombie, 4, [b"[4, false]"]),
            append(first, other, 2, [b"[2]"]),
        )
        assert isinstance(third, Lost)
        assert isinstance(fourth, Lost)
        assert others is None
        assert isinstance(await append(first, zombie, 4, [], [Ended("done", 1, b"{}")]), Lost)
        assert [row.status for row in second.runs(run_id="run")] == ["live"]
        assert await append(second, claim.lease, 4, [b"[4]"]) is None
        assert second.history("run") == [(4, b"[4]")]

    asyncio.run(main())
    first.close()
    second.close()


def test_a_live_worker_keeps_its_runs_and_a_dead_one_loses_them_at_once(tmp_path: Path) -> None:
    program = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from journals import new_run, opened
async def main():
    await new_run(opened(Path({str(tmp_path)!r})))
    print("written", flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""
    other = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert other.stdout is not None
    with contextlib.closing(other.stdout), contextlib.closing(opened(tmp_path)) as journal:
        assert other.stdout.readline() == "written\n"

        async def claims() -> int:
            return len(await journal.claim())

        assert not journal.has_due()
        assert journal.is_worked_on("run")
        assert asyncio.run(claims()) == 0
        other.kill()
        other.wait()
        assert journal.has_due()
        assert not journal.is_worked_on("run")
        assert asyncio.run(claims()) == 1
        assert not journal.has_due()


def test_a_run_that_never_comes_further_is_given_up_and_others_are_not(tmp_path: Path) -> None:
    with contextlib.closing(opened(tmp_path)) as journal:

        async def main() -> None:
            poison, good = await new_run(journal, "poison"), await new_run(journal, "good")
            seq = 2
            for turn in range(MOST_RECOVERIES + 1):
                await journal.release(poison)
                await journal.release(good)
                claims = {claim.lease.run_id: claim for claim in await journal.claim(9)}
                assert claims.keys() == ({"poison", "good"} if turn < MOST_RECOVERIES else {"good"})
                good = claims["good"].lease
                assert await append(journal, good, seq, [b"[0]", b"[1]"]) is None
                seq += 2
                if "poison" in claims:  # it records that it is recovered, and dies
                    poison = claims["poison"].lease
                    assert await append(journal, poison, turn + 2, [b"[0]"]) is None
            assert [row.status for row in journal.runs(run_id="poison")] == ["dead"]
            assert await journal.claim(1, "poison") == []

        asyncio.run(main())


def test_what_was_acknowledged_is_there_after_a_kill(tmp_path: Path) -> None:
    """A process appends and says so; it is killed at some moment, and what it has said is there, without gaps."""
    program = f"""
import asyncio, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from journals import append, new_run, opened
from wfc.runtime.store.journal import Entry
async def main(run_id):
    journal = opened(Path({str(tmp_path)!r}))
    lease = await new_run(journal, run_id)
    seq = 2
    while True:
        await append(journal, lease, seq, [b"[%d]" % seq, b"[%d]" % (seq + 1)])
        seq += 2
        print(seq - 1, flush=True)
asyncio.run(main(sys.argv[1]))
"""
    for turn, pause in enumerate((0.0, 0.03, 0.11)):
        run_id = f"run-{turn}"
        other = subprocess.Popen([sys.executable, "-c", program, run_id], stdout=subprocess.PIPE, text=True)
        assert other.stdout is not None
        with contextlib.closing(other.stdout):
            first = other.stdout.readline()
            time.sleep(pause)
            other.kill()
            said = [int(line) for line in (first + other.stdout.read()).split("\n")[:-1]]
            other.wait()
        with contextlib.closing(opened(tmp_path)) as journal:
            numbers = [seq for seq, _ in journal.history(run_id)]
            assert numbers == list(range(1, len(numbers) + 1))
            assert len(numbers) >= said[-1]
            assert len(numbers) % 2 == 1, "the first one, and pairs that were written together"
            assert journal.problems() == []


def test_a_full_disk_loses_the_run_and_nothing_that_was_acknowledged(journal: SqliteJournal) -> None:
    """By ``max_page_count``, since mounting a small file system is not allowed everywhere."""

    async def main() -> None:
        lease, small = await new_run(journal), await new_run(journal, "small")
        pages = await journal.write(lambda c: c.execute("PRAGMA page_count").fetchone()[0])
        await journal.write(lambda c: c.execute(f"PRAGMA max_page_count = {pages + 20}").fetchone())
        seq = 2
        while (lost := await append(journal, lease, seq, [b'["%s"]' % (b"x" * 10_000)])) is None:
            seq += 1
            assert seq < 100
        assert "full" in str(lost)
        assert len(journal.history("run")) == seq - 1
        await journal.write(lambda c: c.execute("PRAGMA max_page_count = 100000").fetchone())
        # there is room again: the run that has failed goes on when it is claimed anew, the other one at once
        assert isinstance(await append(journal, lease, seq + 1, [b"[0]"]), Lost)
        assert await append(journal, small, 2, [b"[2]"]) is None
        (claim,) = await journal.claim(run_id="run")
        assert await append(journal, claim.lease, seq, [b"[1]"]) is None

    asyncio.run(main())
    assert journal.problems() == []


def test_a_damaged_record_fails_alone(journal: SqliteJournal) -> None:
    async def main() -> None:
        good, bad = await new_run(journal, "good"), await new_run(journal, "bad")
        # no text that could be written: nobody hands over such a one, and if somebody did he alone would fail
        rows = [TaskOpened("\ud800", "step", "", [], "{}", 1, None)]
        found = await asyncio.gather(
            *(append(journal, good, seq, [b"[0]"]) for seq in range(2, 6)),
            *(append(journal, bad, seq, [b"[0]"], rows if seq == 3 else []) for seq in range(2, 6)),
        )
        assert [lost is None for lost in found] == [True] * 5 + [False] * 3

    asyncio.run(main())
    assert [seq for seq, _ in journal.history("bad")] == [1, 2]


def test_another_program_may_hold_the_lock_for_a_while(journal: SqliteJournal) -> None:
    async def main() -> None:
        lease = await new_run(journal)
        other = sqlite3.connect(journal.path, isolation_level=None, check_same_thread=False)
        other.execute("BEGIN IMMEDIATE")
        threading.Timer(1.0, lambda: other.execute("ROLLBACK")).start()
        began = time.monotonic()
        assert await append(journal, lease, 2, [b"[2]"]) is None
        assert time.monotonic() - began > 0.8
        other.close()

    asyncio.run(main())


def test_tasks_open_and_close_with_their_runs(journal: SqliteJournal) -> None:
    async def main() -> None:
        lease = await new_run(journal)
        rows = [TaskOpened(f"run/ask/{n}", "ask", "?", [], '{"title": "?"}', n, None) for n in (1, 2)]
        assert await append(journal, lease, 2, [b"[2]"], rows) is None
        assert [task.task_id for task in journal.tasks()] == ["run/ask/1", "run/ask/2"]
        assert journal.tasks()[0].title == "?"
        found = journal.task("run/ask/1")
        assert found is not None and found.about == {"title": "?"}
        closed = TaskClosed("run/ask/1", "answered", 5, "ann")
        assert await append(journal, lease, 3, [b"[3]"], [closed]) is None
        assert [task.task_id for task in journal.tasks()] == ["run/ask/2"]
        assert await append(journal, lease, 4, [b"[4]"], [Ended("done", 9, b"{}")]) is None
        assert journal.tasks() == []
        found = [(task.because, task.answered_by) for task in journal.tasks(is_open=False)]
        assert found == [("answered", "ann"), ("cancelled", None)]

    asyncio.run(main())


def test_what_is_posted_has_a_fate(journal: SqliteJournal) -> None:
    async def main() -> None:
        lease = await new_run(journal)
        item = Posted("event", "{}", "ann", 3)
        assert await journal.post("run", item) == "new"
        assert await journal.post("other", item) == "unknown"
        ((number, found),) = await journal.posted(lease)
        assert (number, found) == (1, item)
        assert journal.addressed() == ["run"]
        assert await append(journal, lease, 2, [b"[2]"], [Ended("done", 9, b"{}")]) is None
        assert await journal.post("run", item) == "ended"
        assert journal.addressed() == []

    asyncio.run(main())


def test_a_file_of_another_program_is_left_alone(tmp_path: Path) -> None:
    path = tmp_path / "runs.db"
    with contextlib.closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE theirs (x)")
    with pytest.raises(StoreError, match="another program"):
        SqliteJournal(path)
    path.write_bytes(b"no database" * 1000)
    with pytest.raises(StoreError, match="cannot be opened"):
        SqliteJournal(path)
    with pytest.raises(StoreError, match="there is no store"):
        SqliteJournal(tmp_path / "none.db", is_new_allowed=False)
    assert not (tmp_path / "none.db").exists()


class Ticking:
    """Appends one tick by itself, and notes its fate."""

    def __init__(self, lease: Lease, fates: list[Lost | None]) -> None:
        self.lease = lease
        self._fates = fates

    def gather(self, batch: Appends) -> None:
        batch.ticks.append((self.lease, 2, b"[2]"))
        batch.tickers.append(self)
        batch.held.append(self)

    def durable(self, held: Ticking, lost: Lost | None) -> None:
        assert held is self
        self._fates.append(lost)


@pytest.mark.parametrize("count", [1, 2, 5, 100, 300])
def test_ticks_of_many_runs_are_one_statement_and_a_refused_one_fails_alone(
    journal: SqliteJournal, count: int
) -> None:
    fates: list[Lost | None] = []

    async def main() -> None:
        leases = [await new_run(journal, f"run{at}") for at in range(count)]
        zombie = await new_run(journal, "zombie")
        zombie.epoch -= 1
        given_up = await new_run(journal, "given-up")
        turn = journal.turn_of(asyncio.get_running_loop())
        for lease in leases:
            turn.gather(Ticking(lease, fates))
        await new_run(journal, "behind")  # what was handed over before is written before
        assert fates == [None] * count
        fates.clear()
        others = [await new_run(journal, f"other{at}") for at in range(count)]
        given_up.lost = Lost("given up")
        for lease in (zombie, *others, given_up):
            turn.gather(Ticking(lease, fates))
        await new_run(journal, "behind-all")

    asyncio.run(main())
    assert fates[1:-1] == [None] * count
    assert "claimed" in str(fates[0]) and "given up" in str(fates[-1])
    for name in [f"{kind}{at}" for kind in ("run", "other") for at in range(count)]:
        assert [body for _, body in journal.history(name)] == [b"[1]", b"[2]"]
    for name in ("zombie", "given-up"):
        assert [body for _, body in journal.history(name)] == [b"[1]"]


def test_a_tick_by_itself_that_is_refused_says_that_another_process_has_its_run(
    journal: SqliteJournal,
) -> None:
    fates: list[Lost | None] = []

    async def main() -> None:
        zombie = await new_run(journal, "zombie")
        zombie.epoch -= 1
        journal.turn_of(asyncio.get_running_loop()).gather(Ticking(zombie, fates))
        await new_run(journal, "behind")

    asyncio.run(main())
    assert [str(one) for one in fates] == ["another process has claimed the run zombie"]
