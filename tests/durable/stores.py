"""What is put to the test: engines that keep runs, each with the places at which its processes can be killed."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

from wfc.runtime import Engine
from wfc.runtime.errors import RunUnknownError

__all__ = ["DATABASE", "KEEPERS", "Keeper"]

POINTS: Final = (
    "encode",
    "advanced",
    "commit",
    "committed",
    "release",
    "snapshot",
    "pruned",
    "recovered",
    "child",
    "child-ended",
    "restart",
    "exit",
)
"""The points of ``store/crash_points.py`` that a process with a run comes by; ``posted`` is one of those who post."""


class Keeper(NamedTuple):
    """An engine that keeps runs.

    Args:
        open: Returns the engine over what is in a folder.
        points: Where its processes can be killed.
        prune: Drops what a run's snapshot makes unnecessary; ``None`` where that is no notion.
        pruned: Returns what was dropped of a run: the ticks with their numbers.
        problems: Returns what is wrong with what is kept, in words.
    """

    open: Callable[[Path], Engine]
    points: tuple[str, ...]
    prune: Callable[[Engine, str], object] | None
    pruned: Callable[[Engine, str], list[tuple[int, bytes]]]
    problems: Callable[[Engine], list[str]]


_KEPT_ASIDE: Final = (
    "CREATE TABLE IF NOT EXISTS pruned (run INTEGER, seq INTEGER, body BLOB)",
    """CREATE TRIGGER IF NOT EXISTS keep_aside BEFORE DELETE ON ticks
        BEGIN INSERT INTO pruned VALUES (old.run, old.seq, old.body); END""",
)
"""What a test adds to a store, so that it sees what was pruned, in the same commit."""

_KEPT_ASIDE_ON_A_SERVER: Final = (
    "CREATE TABLE pruned (run bigint, seq bigint, body bytea)",
    """CREATE FUNCTION keep_aside() RETURNS trigger LANGUAGE plpgsql AS $$
        BEGIN INSERT INTO pruned VALUES (old.run, old.seq, old.body); RETURN old; END $$""",
    "CREATE TRIGGER keep_aside BEFORE DELETE ON ticks FOR EACH ROW EXECUTE FUNCTION keep_aside()",
)

DATABASE: Final = "database.txt"
"""The file in the folder that has the address of the database on a server."""


def _open(folder: Path) -> Engine:
    path = folder / "runs.db"
    is_new = not path.exists()
    engine = Engine(store=path)
    if is_new:
        with contextlib.closing(sqlite3.connect(path, isolation_level=None)) as connection:
            for statement in _KEPT_ASIDE:
                connection.execute(statement)
    return engine


def _open_on_server(folder: Path) -> Engine:
    engine = Engine(store=(folder / DATABASE).read_text())
    prepared = folder / "prepared"
    if not prepared.exists():
        for statement in _KEPT_ASIDE_ON_A_SERVER:
            engine.store.write_now(partial(_execute, statement=statement))
        prepared.touch()
    return engine


def _execute(connection: Any, statement: str) -> None:
    connection.execute(statement)


def _pruned(engine: Engine, run_id: str) -> list[tuple[int, bytes]]:
    query = "SELECT seq, body FROM pruned JOIN runs USING (run) WHERE run_id = ?"
    return engine.store.select(lambda connection: connection.execute(query, (run_id,)).fetchall())


async def _prune(engine: Engine, run_id: str) -> None:
    try:
        engine.show(run_id)
    except RunUnknownError:
        return
    await engine.store.prune(run_id)


KEEPERS: Final = {
    "sqlite": Keeper(
        open=_open,
        points=POINTS,
        prune=_prune,
        pruned=_pruned,
        problems=lambda engine: engine.store.problems(),
    ),
    "postgresql": Keeper(
        open=_open_on_server,
        points=POINTS,
        prune=_prune,
        pruned=_pruned,
        problems=lambda engine: engine.store.problems(),
    ),
}
"""By name, as ``WFC_KEEPER`` asks for one alone."""
