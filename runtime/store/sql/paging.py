"""Long lists page by page, and how far runs have come, for those who look at many of them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any, Final, NamedTuple

from wfc.runtime.store.sql.audit import IS_ASIDE
from wfc.runtime.store.sql.connection import Connection
from wfc.runtime.store.sql.reading import RunRow, TaskRow

__all__ = [
    "ChangedRun",
    "FailedRun",
    "Progress",
    "changed_since",
    "count_aside",
    "failed_runs",
    "goes_on",
    "is_aside",
    "known_workflows",
    "newest_tick",
    "page_of_runs",
    "page_of_tasks",
    "progress",
]

_AMONG: Final = "(SELECT value FROM json_each(CAST(:{} AS TEXT)))"
_IS_ASKED: Final = """(assign = '[]' OR EXISTS (SELECT 1 FROM json_each(assign) AS one
    WHERE one.value IN (SELECT value FROM json_each(CAST(:whom AS TEXT)))))"""
_OVER: Final = frozenset({"done", "failed", "cancelled", "dead"})
_RESTING: Final = _OVER | {"parked", "halted"}


class Progress(NamedTuple):
    """How far a run has come: its last tick, and its status."""

    seq: int
    status: str

    @property
    def is_over(self) -> bool:
        """Return whether it has ended."""
        return self.status in _OVER

    @property
    def rests(self) -> bool:
        """Return whether nothing happens in it by itself now."""
        return self.status in _RESTING


def progress(connection: Connection, run_ids: Sequence[str]) -> dict[str, Progress]:
    """Return how far runs have come, by their ids; those that there are not are left out."""
    rows = connection.execute(
        f"""SELECT run_id, coalesce((SELECT max(seq) FROM ticks WHERE ticks.run = runs.run), 0),
            coalesce((SELECT seq FROM snapshots WHERE snapshots.run = runs.run), 0), status
            FROM runs WHERE run_id IN {_AMONG.format("ids")}""",  # noqa: S608 - of a constant
        {"ids": json.dumps(list(run_ids))},
    )
    return {run_id: Progress(max(seq, kept), status) for run_id, seq, kept, status in rows}


def goes_on(connection: Connection, run_id: str) -> bool:
    """Return whether somebody works on a run, or what it waits for has come, such as an answer, and it is woken."""
    found = connection.execute(
        "SELECT status, EXISTS (SELECT 1 FROM inbox WHERE inbox.run = runs.run) FROM runs WHERE run_id = ?",
        (run_id,),
    ).fetchone()
    if found is None:
        return False
    status, is_woken = found
    return bool(is_woken) if status == "parked" else status not in _RESTING


def known_workflows(connection: Connection) -> list[str]:
    """Return the names of the workflows that have runs."""
    return [name for (name,) in connection.execute("SELECT DISTINCT workflow FROM runs ORDER BY workflow")]


class FailedRun(NamedTuple):
    """A run that has failed: when, in nanoseconds, at which step and by which error, as far as its end says so.

    ``since`` is when it failed so first: who lets it go on, and it fails in the same way, has not mended anything.
    """

    run_id: str
    workflow: str
    status: str
    ended: int
    since: int
    step: str
    error: str


LARGEST: Final = 100_000
"""The bytes up to which the end of a failed run is read for a list."""


def failed_runs(
    connection: Connection,
    *,
    workflows: Sequence[str] | None,
    since: int = 0,
    most: int = 1000,
    aside: bool = False,
) -> list[FailedRun]:
    """Return runs that have failed since a moment, the newest first.

    Args:
        workflows: Whose runs; ``None``: those of all.
        aside: Those that somebody has set aside, instead of those that nobody has.
    """
    among = "TRUE" if workflows is None else f"workflow IN {_AMONG.format('workflows')}"
    rows = connection.execute(
        f"""SELECT run_id, workflow, status, ended, claimed_seq,
            CASE WHEN length(outcome) <= {LARGEST} THEN outcome END FROM runs
            WHERE status IN ('failed', 'dead') AND ended >= :since AND {among}
            AND {"" if aside else "NOT "}{IS_ASIDE} ORDER BY ended DESC, run DESC LIMIT :most""",  # noqa: S608 - of constants
        {"workflows": json.dumps(list(workflows or ())), "since": since, "most": most},
    ).fetchall()
    first = _failed_first(connection, [run_id for run_id, _, _, _, claimed_seq, _ in rows if claimed_seq])
    return [
        FailedRun(run_id, workflow, status, ended, first.get(run_id, ended), *_failure(outcome))
        for run_id, workflow, status, ended, _, outcome in rows
    ]


_WENT_BACK: Final = b'["rewound"'
"""With what the tick begins by which a run goes on that was over."""

LOOKED_BACK: Final = 100
"""The ticks before it was taken up last in which a run's earlier failures are looked for."""


def _failed_first(connection: Connection, run_ids: Sequence[str]) -> dict[str, int]:
    """Return when runs failed first, those that went on and failed again in the same way: the same step run, by the
    same error. What else has failed before was mended.

    A run goes on before it is taken up, so the ticks since are left out: many runs may have many."""
    ends = connection.execute(
        f"""SELECT run_id, before.body FROM runs JOIN ticks AS back ON back.run = runs.run
            JOIN ticks AS before ON before.run = back.run AND before.seq = back.seq - 1
            WHERE run_id IN {_AMONG.format("ids")}
            AND back.seq > claimed_seq - {LOOKED_BACK} AND back.seq <= claimed_seq
            AND substr(back.body, 1, {len(_WENT_BACK)}) = :back AND length(before.body) <= {LARGEST}
            ORDER BY before.seq""",  # noqa: S608 - of constants
        {"ids": json.dumps(list(run_ids)), "back": _WENT_BACK},
    ).fetchall()
    last = connection.execute(
        f"""SELECT run_id, body FROM runs JOIN ticks ON ticks.run = runs.run
            AND seq = (SELECT max(seq) FROM ticks WHERE ticks.run = runs.run)
            WHERE run_id IN {_AMONG.format("ids")} AND length(body) <= {LARGEST}""",  # noqa: S608 - of constants
        {"ids": json.dumps(list({run_id for run_id, _ in ends}))},
    )
    now = {run_id: _end(body)[1] for run_id, body in last}
    found: dict[str, int] = {}
    for run_id, body in ends:
        at, how = _end(body)
        if now.get(run_id) == how:
            found.setdefault(run_id, at)
    return found


def _end(tick: bytes) -> tuple[int, tuple[object, ...]]:
    """Return when a run ended, of the tick by which it did, and how: of which kind that is, of which step run, and
    which error it tells, if it does."""
    kind, at, *data = json.loads(bytes(tick))
    error = _failure(json.dumps(data[1]).encode()) if kind == "failed" else None
    return at, (kind, *data[:1], error)


def count_aside(connection: Connection, *, workflows: Sequence[str] | None, since: int) -> int:
    """Return how many of the runs that have failed since a moment somebody has set aside; as above."""
    among = "TRUE" if workflows is None else f"workflow IN {_AMONG.format('workflows')}"
    (count,) = connection.execute(
        f"""SELECT count(*) FROM runs
            WHERE status IN ('failed', 'dead') AND ended >= :since AND {among} AND {IS_ASIDE}""",  # noqa: S608 - of constants
        {"workflows": json.dumps(list(workflows or ())), "since": since},
    ).fetchone()
    return int(count)


def is_aside(connection: Connection, run_id: str) -> bool:
    """Return whether somebody has set a run aside since it has failed."""
    found = connection.execute(
        f"SELECT 1 FROM runs WHERE run_id = ? AND status IN ('failed', 'dead') AND {IS_ASIDE}",  # noqa: S608 - of a constant
        (run_id,),
    )
    return found.fetchone() is not None


def _failure(outcome: bytes | None) -> tuple[str, str]:
    """Return the step that an end names, and the error."""
    try:
        told = json.loads(bytes(outcome or b"{}"))["of"]
        has = told.get("has") or {}
        return str(has.get("step") or ""), str(has.get("name") or told["name"])
    except (ValueError, LookupError, TypeError, AttributeError):
        return "", "unknown"


def newest_tick(connection: Connection) -> int:
    """Return the number of the tick of all runs that was recorded last; 0: there is none."""
    return int(connection.execute("SELECT coalesce(max(id), 0) FROM ticks").fetchone()[0])


class ChangedRun(NamedTuple):
    """A run to which something has happened: ``tick`` is the number of its last tick among those of all runs."""

    run_id: str
    workflow: str
    status: str
    tick: int


def changed_since(connection: Connection, tick: int, most: int) -> list[ChangedRun]:
    """Return the runs to which something has happened after a tick of all runs, those last to which it has last."""
    rows = connection.execute(
        """SELECT run_id, workflow, status, last FROM runs
            JOIN (SELECT run, max(id) AS last FROM ticks WHERE id > ? GROUP BY run ORDER BY last DESC LIMIT ?) AS news
            ON news.run = runs.run ORDER BY last""",
        (tick, most),
    )
    return [ChangedRun(*row) for row in rows]


def page_of_runs(
    connection: Connection,
    *,
    workflows: Sequence[str] | None,
    status: str | None = None,
    key: str | None = None,
    search: str = "",
    since: int | None = None,
    until: int | None = None,
    before: int | None = None,
    most: int = 100,
) -> list[tuple[int, RunRow]]:
    """Return runs, the newest first, each with the number behind which the next page begins.

    Args:
        workflows: Whose runs; ``None``: those of all.
        search: With what their ids or keys begin.
        since: The moment, in nanoseconds, from which on they have started.
        until: The moment before which they have started.
        before: The number of the last run of the page before.
    """
    wanted = ["TRUE"]
    if workflows is not None:
        wanted.append(f"workflow IN {_AMONG.format('workflows')}")
    for name, value in (("status", status), ("key", key)):
        if value is not None:
            wanted.append(f"{name} = :{name}")
    if search:
        wanted.append("(substr(run_id, 1, :length) = :search OR substr(key, 1, :length) = :search)")
    conditions = (("before", "run <", before), ("since", "started >=", since), ("until", "started <", until))
    for name, words, number in conditions:
        if number is not None:
            wanted.append(f"{words} :{name}")
    values: dict[str, Any] = {"status": status, "key": key, "before": before, "most": most}
    values |= {"search": search, "length": len(search), "since": since, "until": until}
    rows = connection.execute(
        # the page first: what is told of a run is not asked for all those that are only sorted
        f"""SELECT run, run_id, workflow, version, key, status, owner, started, ended, wake_at, recoveries,
            (SELECT count(*) FROM tasks WHERE tasks.run = runs.run AND closed IS NULL), outcome
            FROM runs WHERE run IN (SELECT run FROM runs WHERE {" AND ".join(wanted)} ORDER BY run DESC LIMIT :most)
            ORDER BY run DESC""",  # noqa: S608 - of constants
        {**values, "workflows": json.dumps(list(workflows or ()))},
    )
    return [(row[0], RunRow(*row[1:])) for row in rows]


def page_of_tasks(
    connection: Connection,
    *,
    workflows: Sequence[str] | None,
    whom: Sequence[str] | None = None,
    run_id: str | None = None,
    is_open: bool = True,
    after: tuple[int, str] | None = None,
    most: int = 100,
) -> list[TaskRow]:
    """Return tasks, the oldest first, without what they are about.

    Args:
        workflows: Of whose runs; ``None``: of all.
        whom: The names of whom one is asked, or anybody; ``None``: whoever is asked.
        after: When the last task of the page before was opened, and its id.
    """
    wanted = ["closed IS NULL" if is_open else "TRUE"]
    if workflows is not None:
        wanted.append(f"workflow IN {_AMONG.format('workflows')}")
    if whom is not None:
        wanted.append(_IS_ASKED)
    if run_id is not None:
        wanted.append("run_id = :run_id")
    if after is not None:
        wanted.append("(opened > :opened OR (opened = :opened AND task_id > :task_id))")
    opened, task_id = after or (0, "")
    rows = connection.execute(
        f"""SELECT task_id, run_id, workflow, step, title, assign, passed_on, opened, expires, closed, because,
            answered_by FROM tasks JOIN runs USING (run) WHERE {" AND ".join(wanted)}
            ORDER BY opened, task_id LIMIT :most""",  # noqa: S608 - of constants
        {
            "workflows": json.dumps(list(workflows or ())),
            "whom": json.dumps(list(whom or ())),
            "run_id": run_id,
            "opened": opened,
            "task_id": task_id,
            "most": most,
        },
    )
    return [TaskRow(*row) for row in rows]
