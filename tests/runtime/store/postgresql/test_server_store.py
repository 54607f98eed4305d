"""A store in a database of a server: what is its own, and what is told of a wrong address, server or database."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest
from journals import append, created, new_run
from postgres_server import Server

from wfc.runtime.errors import StoreError
from wfc.runtime.store.journal import (
    Created,
    Ended,
    Entry,
    Lease,
    Lost,
    Posted,
    Snapshot,
    TaskDelegated,
    TaskOpened,
    TaskReminded,
)
from wfc.runtime.store.opening import open_store
from wfc.runtime.store.postgresql import PostgresJournal
from wfc.runtime.store.postgresql.connection import ServerConnection
from wfc.runtime.store.postgresql.schema import prepare
from wfc.runtime.store.sql.counting import counts
from wfc.runtime.store.sql.messages import end_message, put_off, take_messages
from wfc.runtime.store.sql.starting import last_published, move_on, position_of, publish, published_after
from wfc.runtime.store.sql.tables import FORMAT, MIGRATIONS
from wfc.runtime.values.addresses import without_password
from wfc.schemas.tell import WHAT

TAKEN_OVER = """
import asyncio, sys
from wfc.runtime.store.journal import Created, Entry, Lease
from wfc.runtime.store.postgresql import PostgresJournal

class One:
    def __init__(self, entry, then):
        self.lease, self.entry, self.then = entry.lease, entry, then

    def gather(self, batch):
        batch.add(self, self.entry, None)

    def durable(self, _, lost):
        self.then(lost)

async def main():
    journal = PostgresJournal(sys.argv[1])
    lease, seq = Lease("run"), 1
    while True:
        loop = asyncio.get_running_loop()
        future = loop.create_future()
        new = Created("flow", "shape", "", None, b"{}", 1) if seq == 1 else None
        journal.turn_of(loop).gather(One(Entry(lease, seq, [b"[%d]" % seq], [], new), future.set_result))
        lost = await future
        if lost is not None:
            print("lost", flush=True)
            return
        print(seq, flush=True)
        seq += 1

asyncio.run(main())
"""


def opened(address: str) -> PostgresJournal:
    found = open_store(address)
    assert isinstance(found, PostgresJournal)
    return found


@pytest.fixture
def journal(database: str) -> Iterator[PostgresJournal]:
    with contextlib.closing(opened(database)) as found:
        yield found


def test_a_run_is_taken_over_from_who_died_and_what_he_writes_later_is_refused(database: str) -> None:
    """The first one is no process of another epoch's: its beats stop, and it goes on after the run was pruned."""
    first, second = opened(database), opened(database)
    first._writer._interval = 1000  # no beat while its beats are said to have stopped

    async def main() -> None:
        zombie = await new_run(first, ticks=[b"[1]", b"[2]"])
        other = await new_run(first, "other")
        assert await second.claim(run_id="run") == []
        await first.write(lambda connection: connection.execute("DELETE FROM workers"))
        (claim,) = await second.claim(run_id="run")
        assert (claim.lease.epoch, claim.lease.number) == (2, zombie.number)
        assert await append(second, claim.lease, 3, [b"[3]"], [Snapshot(3, b"{}")]) is None
        assert await second.prune("run") == 3
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


@pytest.mark.full
@pytest.mark.parametrize(
    ("has_session", "lease", "grace", "expected"),
    [(True, 1e9, 0.0, True), (True, 0.0, 1e9, False), (False, 1e9, 0.0, False), (False, 0.0, 1e9, True)],
)
def test_who_has_lost_its_session_counts_as_dead_sooner(
    journal: PostgresJournal,
    database: str,
    monkeypatch: pytest.MonkeyPatch,
    has_session: bool,
    lease: float,
    grace: float,
    expected: bool,
) -> None:
    """A process that dies loses it at once; one that stands still, or whose machine has no power, keeps it."""
    monkeypatch.setattr("wfc.runtime.store.postgresql.workers.LEASE", lease)
    monkeypatch.setattr("wfc.runtime.store.postgresql.workers.GRACE", grace)
    other = opened(database)
    asyncio.run(new_run(other))
    if not has_session:
        end_its_session = """SELECT pg_terminate_backend(pid, 60000) FROM pg_locks WHERE locktype = 'advisory'
            AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"""
        journal.select(lambda connection: connection.execute(end_its_session).fetchall())
    assert journal.is_alive(other.owner) is expected
    assert [claim.lease.run_id for claim in asyncio.run(journal.claim())] == ([] if expected else ["run"])
    other.close()


def test_of_many_that_claim_one_gets_the_run(database: str) -> None:
    async def main() -> None:
        journals = [opened(database) for _ in range(4)]
        queued = Created("flow", "shape", "", None, b"{}", 1, is_queued=True)
        runs = [f"run-{number}" for number in range(20)]
        await journals[0].append_together([Entry(Lease(run_id), 1, [], [], queued) for run_id in runs])
        for run_id in runs:
            found = await asyncio.gather(*(one.claim(run_id=run_id) for one in journals))
            assert sorted(len(claims) for claims in found) == [0, 0, 0, 1]
        for one in journals:
            one.close()

    asyncio.run(main())


@pytest.mark.full
def test_what_is_posted_while_a_run_ends_is_never_lost_without_a_word(database: str) -> None:
    """Whoever is told `new` finds it in the inbox, or taken with the end; nobody is told so afterwards."""
    first, second = opened(database), opened(database)

    async def main() -> None:
        for number in range(30):
            run_id = f"run-{number}"
            lease = await new_run(first, run_id)
            fate, _ = await asyncio.gather(
                second.post(run_id, Posted("event", "{}", "ann", 3)),
                append(first, lease, 2, [b"[2]"], [Ended("done", 9, b"{}")]),
            )
            assert fate in {"new", "ended"}
            assert await first.posted(lease) == []
            assert await second.post(run_id, Posted("event", "{}", "ann", 3)) == "ended"

    asyncio.run(main())
    first.close()
    second.close()


@pytest.mark.full
def test_who_stands_still_is_taken_over_even_in_the_middle_of_writing(database: str) -> None:
    """A process is stopped by the system while it writes as fast as it can, and holds locks on the server."""
    with subprocess.Popen(
        [sys.executable, "-c", TAKEN_OVER, database], stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        journal, said = opened(database), list[str]()

        async def take() -> None:
            assert process.stdout is not None
            said.extend(process.stdout.readline() for _ in range(50))
            process.send_signal(signal.SIGSTOP)
            began = time.monotonic()
            while not (claims := await journal.claim(run_id="run")):
                await asyncio.sleep(0.05)
                assert time.monotonic() - began < 12
            kept = await journal.read(claims[0].lease)
            assert await append(journal, claims[0].lease, kept.seq + 1, [b'["mine"]']) is None
            process.send_signal(signal.SIGCONT)

        try:
            asyncio.run(take())
            said.extend(process.stdout)
        finally:
            process.kill()
        assert said[-1] == "lost\n"
        bodies = [body for _, body in journal.history("run")]
        assert bodies[-1] == b'["mine"]'
        assert bodies[:-1] == [b"[%d]" % seq for seq in range(1, len(bodies))]
        assert int(said[-2]) <= len(bodies) - 1, "what was acknowledged is there"
        journal.close()


@pytest.mark.full
def test_a_server_that_comes_back_is_used_again(postgres: Server, journal: PostgresJournal) -> None:
    async def main() -> None:
        lease = await new_run(journal, ticks=[b"[1]"])
        postgres.stop_at_once()
        began = time.monotonic()
        lost = await append(journal, lease, 2, [b"[2]"])
        assert isinstance(lost, Lost) and "cannot be written" in str(lost)
        with pytest.raises(StoreError, match="cannot be read"):
            journal.runs()
        with pytest.raises(StoreError, match="cannot be written"):
            await journal.claim(run_id="run")
        assert time.monotonic() - began < 10
        postgres.start()
        assert [row.run_id for row in journal.runs()] == ["run"]
        (claim,) = await journal.claim(run_id="run")  # it may have had it itself
        assert await append(journal, claim.lease, 2, [b"[2, true]"]) is None

    asyncio.run(main())
    assert [body for _, body in journal.history("run")] == [b"[1]", b"[2, true]"]


@pytest.mark.full
def test_a_value_that_the_server_refuses_fails_alone(journal: PostgresJournal) -> None:
    async def main() -> None:
        good, bad = await new_run(journal, "good"), Lease("no\0name")
        found = await asyncio.gather(
            append(journal, good, 2, [b"[2]"]),
            append(journal, bad, 1, [b"[1]"], new=created()),
            append(journal, good, 3, [b"[3]"]),
        )
        assert [lost is None for lost in found] == [True, False, True]

    asyncio.run(main())


@pytest.mark.full
def test_two_that_open_an_empty_database_at_once_both_can(database: str) -> None:
    errors: list[Exception] = []

    def work() -> None:
        try:
            opened(database).close()
        except StoreError as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


@pytest.mark.full
def test_formats_of_other_versions(postgres: Server, database: str) -> None:
    opened(database).close()
    more = {
        **MIGRATIONS,
        FORMAT + 1: ("ALTER TABLE runs ADD COLUMN note BLOB", "UPDATE runs SET note = NULL"),
    }
    connection = ServerConnection(database)
    prepare(connection, more)
    prepare(connection, more)  # a second time it has nothing to do
    connection.close()
    with pytest.raises(
        StoreError, match=f"has the format {FORMAT + 1}, and this version reads at most {FORMAT}"
    ):
        open_store(database)
    name = database.rpartition("/")[2]
    postgres.sql("DROP SCHEMA wfc CASCADE", name)
    postgres.sql("CREATE SCHEMA wfc; CREATE TABLE wfc.meta (theirs text)", name)
    with pytest.raises(StoreError, match="another program's"):
        open_store(database)
    assert postgres.sql("SELECT count(*) FROM wfc.meta", name) == "0"


@pytest.mark.full
def test_what_is_told_of_a_wrong_address(postgres: Server, database: str) -> None:
    def told(address: str, **options: Any) -> str:
        with pytest.raises(StoreError) as raised:
            open_store(address, **options)
        assert "s3cret" not in str(raised.value) and "\n" not in str(raised.value)
        return str(raised.value)

    assert "there is no store at" in told(database, is_new_allowed=False)
    assert 'database "nowhere" does not exist' in told(postgres.address("nowhere"))
    assert "cannot be opened" in told("postgresql://ann:s3cret@127.0.0.1:9/db")
    postgres.sql("CREATE ROLE locked LOGIN PASSWORD 'right'")
    assert "password authentication failed" in told(
        f"postgresql://locked:s3cret@127.0.0.1:{postgres.port}/postgres"
    )
    assert "permission denied" in told(f"postgresql://locked:right@127.0.0.1:{postgres.port}/postgres")
    assert "cannot be opened" in told("postgresql://ann:s3cret@host:port/db")
    assert "is no address" in told("postgresql://ann:s3cret@[host/db")
    assert "cannot be opened" in told("postgresql://ann:s3cret/x@host:port/db")
    assert "cannot be opened" in told("postgresql://127.0.0.1:s3cret/x@host:port/db")
    assert "is no address" in told("mysql://ann:s3cret@host/db")


def test_no_password_is_shown() -> None:
    for address, shown in {
        "postgresql://ann:s3cret@host:5432/db": "postgresql://ann@host:5432/db",
        "postgresql://ann@host:5432/db": "postgresql://ann@host:5432/db",
        "postgresql://ann:s3@c:r/et@host/db": "postgresql://ann@host/db",
        "postgresql://host/db?user=ann&password=s3cret": "postgresql://host/db?user=ann",
        "postgresql://host/db?password=s3cret&user=ann": "postgresql://host/db?user=ann",
        "postgresql:///db?host=/tmp": "postgresql:///db?host=/tmp",
        "sqlite:///runs.db": "sqlite:///runs.db",
    }.items():
        assert without_password(address) == shown


@pytest.mark.full
def test_a_store_on_a_server_is_not_copied_to_a_file(journal: PostgresJournal) -> None:
    with pytest.raises(StoreError, match="pg_dump"):
        journal.backup("copy")


def test_without_its_packages_the_command_that_installs_them_is_said() -> None:
    blocked = "import sys; sys.modules['psycopg'] = None; from wfc.runtime import Engine; Engine(store='postgresql://h/d')"
    done = subprocess.run(
        [sys.executable, "-c", blocked], capture_output=True, text=True, check=False, env={**os.environ}
    )
    assert "MissingPackageError" in done.stderr and "pip install 'wfc-workflows[dbos]'" in done.stderr


def test_messages_topics_and_figures_of_a_server(journal: PostgresJournal) -> None:
    """What people are told, what starts runs, and what is counted, is written in the SQL of both databases."""

    async def main() -> None:
        journal.told = frozenset(WHAT)
        lease = await new_run(journal)
        asked = TaskOpened("run/ask/1", "ask", "?", ["user:ann"], "{}", 1, None)
        rows = [
            asked,
            TaskReminded("run/ask/1", 5),
            TaskDelegated("run/ask/1", ["user:bob"], "user:bob", "x", "", 6),
        ]
        await journal.append_together([Entry(lease, 2, [b"[0]"], rows)])
        messages = await journal.write(partial(take_messages, seconds=60, most=10))
        assert [one.what for one in messages] == ["task", "reminder", "task"]
        await journal.write(partial(put_off, number=messages[0].number, seconds=0, because="no"))
        await journal.write(partial(end_message, number=messages[1].number, became="sent"))
        (again,) = await journal.write(partial(take_messages, seconds=60, most=10))
        assert (again.message_id, again.attempts) == (messages[0].message_id, 2)
        (task,) = journal.tasks(whom=["user:bob"])
        assert [one.to for one in task.passed_on] == ["user:bob"]
        found = journal.select(partial(counts, now=2**60))
        assert (found.open_tasks, found.waiting_messages, found.given_up_messages) == (1, 2, 0)
        created = Created("flow", "", "", None, b"{}", 1, is_queued=True)
        entries = [Entry(Lease("started"), 1, [], [], created)]
        for before, moved in ((None, True), (None, False), (1, True), (1, False)):
            after = 1 if before is None else 2
            change = partial(
                move_on, workflow="flow", trigger="t", before=before, after=after, entries=entries, owner=""
            )
            assert await journal.write(change) is moved
        assert journal.select(partial(position_of, workflow="flow", trigger="t")) == 2
        assert [row.run_id for row in journal.runs(workflow="flow", status="queued")] == ["started"]
        publishing = partial(publish, topic="news", event="E", body="{}")
        first = await journal.write(partial(publishing, message_id="m"))
        assert first == (1, True)
        assert await journal.write(partial(publishing, message_id="m")) == (1, False)
        number, is_new = await journal.write(partial(publishing, message_id=None))
        assert is_new
        assert [
            one.number for one in journal.select(partial(published_after, number=1, topics=["news"]))
        ] == [number]

    asyncio.run(main())


def publish_later(address: str, done: list[tuple[int, bool]]) -> tuple[threading.Thread, int]:
    """Publish over a connection of its own, in a thread; return that and the server's number of the connection."""
    connection = ServerConnection(address)
    (pid,) = connection.raw.execute("SELECT pg_backend_pid()").fetchall()[0]

    def work() -> None:
        with contextlib.closing(connection):
            connection.begin(writes=True)
            found = publish(connection, "news", "E", "{}", None)
            connection.commit()
            done.append(found)

    thread = threading.Thread(target=work)
    thread.start()
    return thread, pid


def test_messages_are_seen_in_the_order_of_their_numbers(journal: PostgresJournal, database: str) -> None:
    """Else who has seen a later one would pass over what is committed after it."""
    done: list[tuple[int, bool]] = []
    waits = b"SELECT 1 FROM pg_locks WHERE pid = %s AND NOT granted"
    with contextlib.closing(ServerConnection(database)) as first:
        first.begin(writes=True)
        assert publish(first, "news", "E", "{}", None) == (1, True)
        second, pid = publish_later(database, done)
        end = time.monotonic() + 240
        while second.is_alive() and not first.raw.execute(waits, (pid,)).fetchall():
            assert time.monotonic() < end
            time.sleep(0.01)
        assert done == [], "it waits for the first"
        assert journal.select(last_published) == 0
        first.commit()
        second.join(240)
    assert done == [(2, True)]
    found = journal.select(partial(published_after, number=0, topics=["news"]))
    assert [one.number for one in found] == [1, 2]


def test_a_message_has_its_own_number(
    journal: PostgresJournal, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also if another one is committed between, as by a process of a version that waits for nobody."""
    done: list[tuple[int, bool]] = []
    execute = ServerConnection.execute
    inserts: list[str] = []

    def executed(self: ServerConnection, statement: str, parameters: Any = (), /) -> Any:
        found = execute(self, statement, parameters)
        if statement.startswith("INSERT INTO published") and not inserts:
            inserts.append(statement)  # the other one inserts as well
            publish_later(database, done)[0].join(240)
        return found

    monkeypatch.setattr(ServerConnection, "lock", lambda _, __: None)
    monkeypatch.setattr(ServerConnection, "execute", executed)
    with contextlib.closing(ServerConnection(database)) as first:
        first.begin(writes=True)
        mine = publish(first, "news", "E", "{}", None)
        first.commit()
    assert done == [(2, True)]
    assert mine == (1, True)
