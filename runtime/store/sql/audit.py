"""Who has done what to the runs of a store from outside: written beside what is done, and read page by page."""

from __future__ import annotations

from typing import Any, Final

from wfc.runtime.store.journal import AuditEntry
from wfc.runtime.store.sql.connection import Connection

__all__ = ["BROUGHT_BACK", "IS_ASIDE", "SET_ASIDE", "add_to_audit", "drop_from_audit", "page_of_audit"]

SET_ASIDE: Final = "set_aside_run"
BROUGHT_BACK: Final = "bring_back_run"
"""What somebody does who has seen that a run has failed, and who takes that back: nothing else is kept of it."""

IS_ASIDE: Final = f"""(coalesce((SELECT action FROM audit WHERE target = runs.run_id AND at >= runs.ended
    AND action IN ('{SET_ASIDE}', '{BROUGHT_BACK}') AND result LIKE '200%' ORDER BY id DESC LIMIT 1), '')
    = '{SET_ASIDE}')"""  # noqa: S608 - of constants
"""Whether somebody has set a run aside since it has failed; once it has gone on and failed again, it is news again."""

LONGEST: Final = 500
"""The characters of a text that are kept: nobody fills a store by long names."""


def add_to_audit(connection: Connection, entry: AuditEntry) -> None:
    """Write an entry."""
    connection.execute(
        "INSERT INTO audit (at, who, via, action, target, result) VALUES (?, ?, ?, ?, ?, ?)",
        (entry.at, *(text[:LONGEST] for text in entry[1:])),
    )


def drop_from_audit(connection: Connection, before: int) -> int:
    """Drop the entries from before a moment; return how many there were."""
    found = connection.execute("SELECT count(*) FROM audit WHERE at < ?", (before,)).fetchone()[0]
    connection.execute("DELETE FROM audit WHERE at < ?", (before,))
    return int(found)


def page_of_audit(
    connection: Connection,
    /,
    *,
    before: int | None = None,
    most: int = 100,
    done: bool = False,
    run_id: str | None = None,
    **which: str | None,
) -> list[tuple[int, AuditEntry]]:
    """Return entries, the newest first, each with the number behind which the next page begins.

    Args:
        done: Only those of what was not refused.
        run_id: Only those about this run, or about a question of it.
        which: What `who`, `action` or `target` is to be.
    """
    wanted = ["TRUE" if before is None else "id < :before"]
    values: dict[str, Any] = {"before": before, "most": most}
    for name in ("who", "action", "target"):
        if which.get(name) is not None:
            wanted.append(f"{name} = :{name}")
            values[name] = which[name]
    if run_id is not None:
        wanted.append(
            "(target = :run_id OR target IN (SELECT task_id FROM tasks JOIN runs USING (run) WHERE run_id = :run_id))"
        )
        values["run_id"] = run_id
    if done:
        wanted.append("substr(result, 1, 3) IN ('200', '201', '202')")
    rows = connection.execute(
        f"""SELECT id, at, who, via, action, target, result FROM audit
            WHERE {" AND ".join(wanted)} ORDER BY id DESC LIMIT :most""",  # noqa: S608 - of constants
        values,
    )
    return [(row[0], AuditEntry(*row[1:])) for row in rows]
