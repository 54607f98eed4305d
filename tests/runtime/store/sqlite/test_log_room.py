"""Room in the log of a file is made once a process has written much, and changes nothing of what is in the file."""

from __future__ import annotations

import resource
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from wfc.runtime.store.sqlite import SqliteJournal, log_room


class Disk(NamedTuple):
    free: int


def written(journal: SqliteJournal, times: int) -> None:
    for number in range(times):
        journal.write_now(
            lambda c, n=number: c.execute("REPLACE INTO blobs VALUES (?, ?)", (str(n), b"text"))
        )


def length(journal: SqliteJournal) -> int:
    return journal.path.with_name(f"{journal.path.name}-wal").stat().st_size


def counted(path: Path) -> int:
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        return int(connection.execute("SELECT count(*) FROM blobs").fetchone()[0])


@pytest.mark.parametrize(("commits", "room"), log_room.ROOMS)
def test_who_writes_more_has_more_room_and_keeps_what_it_wrote(
    tmp_path: Path, commits: int, room: int
) -> None:
    journal = SqliteJournal(tmp_path / "runs.db")
    journal._writer._interval = (
        1000  # to be alive is written down by commits of its own, here after all others
    )
    written(journal, commits)
    before = length(journal)
    journal.write_now(lambda c: c.execute("INSERT INTO blobs VALUES ('one', 'more')"))
    assert length(journal) > before + 0.4 * room  # some of the last one is left
    written(journal, 1_000)
    assert length(journal) < 2 * log_room.ENOUGH
    assert counted(journal.path) == max(commits, 1_000) + 1
    journal.close()
    assert counted(journal.path) == max(commits, 1_000) + 1
    assert journal.path.stat().st_size < 1_000_000  # the file itself has not grown


def test_whoever_writes_much_at_once_has_the_next_room_as_soon_as_one_is_used_up(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "runs.db")
    found = []
    for number in range(40):
        before = length(journal)
        journal.write_now(
            lambda c, n=number: c.execute("INSERT INTO blobs VALUES (?, zeroblob(90000))", (str(n),))
        )
        found.append(length(journal) - before > 120_000)
    made = [at for at, grew in enumerate(found, 1) if grew]
    assert made[0] > log_room.ROOMS[0][0]  # not before there was a room at all
    assert made[1] < log_room.ROOMS[1][0] and made[2] < log_room.ROOMS[2][0]
    assert counted(journal.path) == 40
    journal.close()


def test_a_full_disk_is_left_as_it_is(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Disk(log_room.SPARE - 1))
    journal = SqliteJournal(tmp_path / "runs.db")
    before = length(journal)
    written(journal, 10)
    assert length(journal) < before + log_room.ROOMS[0][1]
    journal.close()


def test_room_that_cannot_be_written_is_not_tried_again(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "runs.db")
    written(journal, 1)
    room = log_room.LogRoom(journal.path)
    connection = sqlite3.connect(journal.path, timeout=30, isolation_level=None)
    while not room.is_due():
        pass
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (length(journal) + 1_000, before[1]))  # what somebody may store
    try:
        room.make(connection)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)
    assert not any(room.is_due() for _ in range(1_000))
    assert not connection.in_transaction
    assert connection.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    connection.close()
    written(journal, 3)
    assert counted(journal.path) == 3
    journal.close()


def test_room_waits_for_nobody_and_is_made_later(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "runs.db")
    room = log_room.LogRoom(journal.path)
    connection = sqlite3.connect(journal.path, timeout=30, isolation_level=None)
    commits, size = log_room.ROOMS[0]
    before = length(journal)
    for _ in range(commits):
        assert not room.is_due()
    with closing(sqlite3.connect(journal.path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        assert room.is_due()
        room.make(connection)  # at once, though the other one has the file
        assert length(journal) == before
        other.execute("ROLLBACK")
    assert room.is_due()
    room.make(connection)
    assert length(journal) > before + 0.7 * size
    assert not room.is_due()  # not for the next one yet
    assert connection.execute("PRAGMA busy_timeout").fetchone() == (30_000,)
    connection.close()
    journal.close()


DYING = """
import os, sqlite3, sys
connection = sqlite3.connect(sys.argv[1], isolation_level=None)
connection.execute("INSERT INTO blobs VALUES ('kept', 'text')")
connection.set_trace_callback(lambda statement: os._exit(9) if statement == "ROLLBACK" else None)
from pathlib import Path
from wfc.runtime.store.sqlite.log_room import LogRoom
room = LogRoom(Path(sys.argv[1]))
while not room.is_due():
    pass
room.make(connection)
"""


def test_a_process_that_dies_while_it_makes_room_does_no_harm(tmp_path: Path) -> None:
    journal = SqliteJournal(tmp_path / "runs.db")
    ended = subprocess.run([sys.executable, "-c", DYING, str(journal.path)], check=False, timeout=60)
    assert ended.returncode == 9
    assert length(journal) >= log_room.ROOMS[0][1]
    assert counted(journal.path) == 1
    written(journal, 10)
    assert counted(journal.path) == 11
    journal.close()
