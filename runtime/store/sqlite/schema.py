"""The creation of the tables of a store in a file, and bringing an older file up to date."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from wfc.runtime.errors import StoreError
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.tables import MIGRATIONS, TABLES

__all__ = ["format_of", "prepare"]

APPLICATION: Final = 0x77666331
"""The mark of our files, so that no other program's database is written to."""

_WORKERS: Final = """CREATE TABLE workers
    (owner TEXT PRIMARY KEY, beat INTEGER NOT NULL, port INTEGER NOT NULL) WITHOUT ROWID"""


def format_of(connection: Connection) -> int:
    """Return the format of a file; 0 for one that is empty.

    Raises:
        StoreError: It is a database of another program.
    """
    mark = connection.execute("PRAGMA application_id").fetchone()[0]
    if mark == APPLICATION:
        return int(connection.execute("SELECT format FROM meta").fetchone()[0])
    if mark or connection.execute("SELECT 1 FROM sqlite_master LIMIT 1").fetchone():
        raise StoreError("this is a database of another program, and not a store of runs")
    return 0


def prepare(connection: Connection, migrations: Mapping[int, Sequence[str]] = MIGRATIONS) -> None:
    """Create the tables in an empty file, or bring those of an older one up to date, all in one transaction.

    Raises:
        StoreError: The file is of another program, or of a newer version of this one.
    """
    newest = 1 + len(migrations)
    if format_of(connection) == newest:
        return
    connection.execute("BEGIN IMMEDIATE")
    try:
        found = format_of(connection)  # as somebody else may have left it meanwhile
        if found > newest:
            raise StoreError(
                f"the store has the format {found}, and this version reads at most {newest}: update wfc"
            )
        if not found:
            for statement in (*TABLES, _WORKERS):
                connection.execute(statement)
            connection.execute("INSERT INTO meta VALUES (1)")
            connection.execute(f"PRAGMA application_id = {APPLICATION}")
        for step in range(max(found, 1) + 1, newest + 1):
            for statement in migrations[step]:
                connection.execute(statement)
            connection.execute("UPDATE meta SET format = ?", (step,))
        connection.execute("COMMIT")
    except BaseException:
        connection.execute("ROLLBACK")
        raise
