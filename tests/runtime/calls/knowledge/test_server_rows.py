"""Rows of a PostgreSQL database are texts; it is only read, and nothing shows its password."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from postgres_server import Server

from wfc.runtime.calls.knowledge import postgresql, sources
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import update
from wfc.runtime.calls.knowledge.searching import index_of, search
from wfc.runtime.calls.secrets import Secret
from wfc.runtime.errors import SettingsError

pytestmark = pytest.mark.full


@pytest.fixture
def stock(postgres: Server, database: str, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Return what executes statements in a database with two rows, whose address the secret STOCK has."""
    name = database.rpartition("/")[2]
    monkeypatch.setenv("STOCK", database)

    def execute(statement: str) -> str:
        return postgres.sql(statement, name)

    execute("CREATE TABLE stock (part text, price numeric, due date, more jsonb, raw bytea, none text)")
    execute(
        "INSERT INTO stock VALUES ('tank', 19.50, '2026-01-02', '{\"colour\": \"blue\"}', '\\x00ff', NULL)"
    )
    execute("INSERT INTO stock VALUES ('pump', 7, NULL, NULL, NULL, NULL)")
    return execute


def of_query(folder: Path, query: str) -> Knowledge:
    return Knowledge("stock", beside=folder, sql=[(Secret("STOCK"), query)])


def test_rows_of_a_query_are_texts(stock: Any, folder: Path) -> None:
    texts = of_query(folder, "SELECT * FROM stock ORDER BY part")
    (found,) = search([texts], "blue", 1)
    assert found.text == 'part: tank\nprice: 19.50\ndue: 2026-01-02\nmore: {"colour": "blue"}\nraw: 2 bytes'
    assert (found.source, found.about) == ("STOCK?SELECT * FROM stock ORDER BY part", {"row": "2"})
    path = index_of(texts)
    assert update(texts, path).same == 1
    stock("INSERT INTO stock VALUES ('fuse', 1)")
    assert update(texts, path).taken == [found.source]
    assert "fuse" in search([texts], "fuse", 1)[0].text


@pytest.mark.parametrize(
    ("query", "why"),
    [
        ("DELETE FROM stock", "syntax error"),
        (
            "WITH gone AS (DELETE FROM stock RETURNING *) SELECT * FROM gone",
            "DECLARE CURSOR must not contain",
        ),
        ("SELECT 1; COMMIT; DELETE FROM stock", "cannot insert multiple commands"),
        ("SELECT 1; DELETE FROM stock", "cannot insert multiple commands"),
        ("SELECT emptied()", "read-only transaction"),
        (
            "SELECT set_config('transaction_read_only', 'off', false), emptied()",
            "must be set before any query",
        ),
        ("SELECT nextval('numbers')", "read-only transaction"),
        ("SELECT * FROM nobody", "does not exist"),
        ("SELECT '100%' AS a, '%s' AS b", ""),
        ("SELECT pg_sleep(30)", "statement timeout"),
        ("SELECT pg_sleep(0.1) FROM generate_series(1, 100)", "statement timeout"),
        ("SELECT repeat('x', 1000) FROM generate_series(1, 3000)", "more than"),
        ("SELECT generate_series(1, 1000000000)", "more than"),
    ],
)
def test_a_query_only_reads(
    stock: Any, folder: Path, monkeypatch: pytest.MonkeyPatch, query: str, why: str
) -> None:
    monkeypatch.setattr(sources, "_LONGEST_QUERY", 2.0)
    monkeypatch.setattr(sources, "LARGEST", 2_000_000)
    stock("CREATE SEQUENCE numbers")
    stock("CREATE FUNCTION emptied() RETURNS int LANGUAGE sql AS 'DELETE FROM stock; SELECT 1'")
    done = update(of_query(folder, query), index_of(of_query(folder, query)))
    assert why in "".join(done.left_out.values()) and bool(why) == bool(done.left_out)
    assert stock("SELECT count(*) FROM stock") == "2"
    ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'wfc' AND state <> 'idle'"
    end = time.monotonic() + 240  # a moment after we have gone, the server knows it
    while stock(ours) != "0":
        assert time.monotonic() < end
        time.sleep(0.05)


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("postgresql://wfc:hunter2@127.0.0.1:9/shop", "connection failed"),
        ("postgresql://wfc:hunter2/@127.0.0.1:9/shop", "failed to resolve host"),
        ("mysql://wfc:hunter2@127.0.0.1/shop", "its address is none of a PostgreSQL database"),
        ("host=127.0.0.1 password=hunter2", "its address is none of a PostgreSQL database"),
    ],
)
def test_a_server_that_cannot_be_reached_is_told_without_its_password(
    folder: Path, monkeypatch: pytest.MonkeyPatch, address: str, why: str
) -> None:
    monkeypatch.setenv("STOCK", address)
    texts = of_query(folder, "SELECT 1")
    (said,) = update(texts, index_of(texts)).left_out.values()
    assert why in said and "hunter2" not in said


def test_what_a_query_said_before_stays_while_the_server_is_away(
    stock: Any, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    texts = of_query(folder, "SELECT * FROM stock")
    path = index_of(texts)
    update(texts, path)
    monkeypatch.setenv("STOCK", "postgresql://wfc@127.0.0.1:9/shop")
    (said,) = update(texts, path).left_out.values()
    assert said.endswith("what it said before stays")
    assert search([texts], "blue", 1)
    monkeypatch.delenv("STOCK")
    with pytest.raises(SettingsError, match="the secret `STOCK` is missing"):
        update(texts, path)


def test_rows_come_a_few_at_a_time(stock: Any, database: str) -> None:
    rows = postgresql.rows_of(database, "SELECT generate_series(1, 1000000000) AS n", 2.0)
    assert [next(rows)["n"] for _ in range(1200)] == list(range(1, 1201))
    rows.close()
    ours = "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'wfc' AND state <> 'idle'"
    end = time.monotonic() + 240  # a moment after we have gone, the server knows it
    while stock(ours) != "0":
        assert time.monotonic() < end
        time.sleep(0.05)
