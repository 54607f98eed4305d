"""The tables of a store, and the steps that bring an older one up to date, as SQLite writes them.

PostgreSQL gets the same ones, with its own names for the types: see ``postgresql/schema.py``.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

__all__ = ["FORMAT", "MIGRATIONS", "TABLES"]

TABLES: Final = (
    "CREATE TABLE meta (format INTEGER NOT NULL)",
    """CREATE TABLE runs (
        run INTEGER PRIMARY KEY, run_id TEXT NOT NULL UNIQUE, workflow TEXT NOT NULL, shape TEXT NOT NULL,
        version TEXT NOT NULL, key TEXT, status TEXT NOT NULL, start BLOB NOT NULL,
        parent INTEGER, parent_number INTEGER NOT NULL, attached BOOLEAN NOT NULL,
        owner TEXT, epoch INTEGER NOT NULL, wake_at INTEGER,
        recoveries INTEGER NOT NULL DEFAULT 0, claimed_seq INTEGER NOT NULL DEFAULT 0,
        started INTEGER NOT NULL, ended INTEGER, outcome BLOB)""",
    "CREATE INDEX runs_of_parents ON runs (parent) WHERE parent IS NOT NULL",
    "CREATE INDEX runs_to_do ON runs (status, wake_at) WHERE ended IS NULL",
    "CREATE INDEX runs_of_workflows ON runs (workflow, started)",
    "CREATE TABLE ticks (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, seq INTEGER NOT NULL, body BLOB NOT NULL)",
    "CREATE UNIQUE INDEX ticks_in_order ON ticks (run, seq)",
    "CREATE TABLE snapshots (run INTEGER PRIMARY KEY, seq INTEGER NOT NULL, body BLOB NOT NULL)",
    "CREATE TABLE blobs (digest TEXT PRIMARY KEY, body BLOB NOT NULL) WITHOUT ROWID",
    """CREATE TABLE blob_refs (digest TEXT NOT NULL, run INTEGER NOT NULL, seq INTEGER NOT NULL,
        PRIMARY KEY (digest, run, seq)) WITHOUT ROWID""",
    "CREATE INDEX blob_refs_of_runs ON blob_refs (run, seq)",
    """CREATE TABLE inbox (id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, kind TEXT NOT NULL,
        body TEXT NOT NULL, by TEXT NOT NULL, at INTEGER NOT NULL)""",
    "CREATE INDEX inbox_of_runs ON inbox (run, id)",
    """CREATE TABLE tasks (task_id TEXT PRIMARY KEY, run INTEGER NOT NULL, step TEXT NOT NULL, body TEXT NOT NULL,
        opened INTEGER NOT NULL, expires INTEGER, closed INTEGER, because TEXT, answered_by TEXT) WITHOUT ROWID""",
    "CREATE INDEX tasks_of_runs ON tasks (run)",
    "CREATE INDEX tasks_open ON tasks (opened) WHERE closed IS NULL",
)

MIGRATIONS: Final[Mapping[int, Sequence[str]]] = {
    2: (  # what a list of tasks needs stands apart from their forms, which are long
        "CREATE TABLE questions (task_id TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
        "INSERT INTO questions SELECT task_id, body FROM tasks",
        """CREATE TABLE listed_tasks (task_id TEXT PRIMARY KEY, run INTEGER NOT NULL, step TEXT NOT NULL,
            title TEXT NOT NULL, assign TEXT NOT NULL, passed_on TEXT NOT NULL DEFAULT '[]', opened INTEGER NOT NULL,
            expires INTEGER, closed INTEGER, because TEXT, answered_by TEXT) WITHOUT ROWID""",
        """INSERT INTO listed_tasks (task_id, run, step, title, assign, opened, expires, closed, because, answered_by)
            SELECT task_id, run, step, coalesce(json_extract(body, '$.title'), ''),
            coalesce(json_extract(body, '$.assign'), '[]'), opened, expires, closed, because, answered_by FROM tasks""",
        "DROP TABLE tasks",
        "ALTER TABLE listed_tasks RENAME TO tasks",
        "CREATE INDEX tasks_of_runs ON tasks (run)",
        "CREATE INDEX tasks_open ON tasks (opened) WHERE closed IS NULL",
    ),
    3: (  # what people are told: due until it has been sent or given up
        "ALTER TABLE runs ADD COLUMN is_quiet INTEGER NOT NULL DEFAULT 0",
        """CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, message_id TEXT NOT NULL UNIQUE,
            run INTEGER NOT NULL, what TEXT NOT NULL, task_id TEXT, body TEXT NOT NULL, at INTEGER NOT NULL,
            due INTEGER, attempts INTEGER NOT NULL DEFAULT 0, ended INTEGER, became TEXT)""",
        "CREATE INDEX messages_due ON messages (due) WHERE due IS NOT NULL",
        "CREATE INDEX messages_of_runs ON messages (run)",
    ),
    4: (  # what starts runs by itself
        """CREATE TABLE trigger_positions (workflow TEXT NOT NULL, name TEXT NOT NULL, position INTEGER NOT NULL,
            PRIMARY KEY (workflow, name)) WITHOUT ROWID""",
        """CREATE TABLE published (id INTEGER PRIMARY KEY AUTOINCREMENT, topic TEXT NOT NULL, event TEXT NOT NULL,
            body TEXT NOT NULL, message_id TEXT, at INTEGER NOT NULL, UNIQUE (topic, message_id))""",
        "CREATE INDEX published_at ON published (at)",
    ),
    5: (  # what the steps of a run were, told once for all runs of a version
        "CREATE TABLE plans (digest TEXT PRIMARY KEY, body TEXT NOT NULL) WITHOUT ROWID",
        "ALTER TABLE runs ADD COLUMN plan_since INTEGER NOT NULL DEFAULT 0",
    ),
    6: (  # what agents have said, which outlives their runs, and the run that has it now
        """CREATE TABLE threads (name TEXT NOT NULL, key TEXT NOT NULL, holder TEXT, until INTEGER, body TEXT NOT NULL,
            PRIMARY KEY (name, key)) WITHOUT ROWID""",
        "CREATE INDEX threads_until ON threads (until) WHERE until IS NOT NULL",
    ),
    7: (  # who has done what from outside, and those lists that are asked for failures alone
        """CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, who TEXT NOT NULL,
            via TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL, result TEXT NOT NULL)""",
        "CREATE INDEX audit_of_targets ON audit (target, id)",
        "CREATE INDEX runs_failed ON runs (ended) WHERE status IN ('failed', 'dead')",
    ),
    8: (  # what runs remember for others that come after them
        """CREATE TABLE memories (id INTEGER PRIMARY KEY AUTOINCREMENT, collection TEXT NOT NULL, digest TEXT NOT NULL,
            name TEXT NOT NULL, body TEXT NOT NULL, vector BLOB NOT NULL, embedder TEXT NOT NULL, at INTEGER NOT NULL,
            UNIQUE (collection, digest, name))""",
        "CREATE INDEX memories_of_keys ON memories (digest, collection, id)",
    ),
    9: (  # who waits for the end of a run that is no part of its own: the run, its paused step run, and that other run
        """CREATE TABLE awaited_ends (run INTEGER NOT NULL, number INTEGER NOT NULL, awaited INTEGER NOT NULL,
            PRIMARY KEY (run, number)) WITHOUT ROWID""",
        "CREATE INDEX awaited_ends_of ON awaited_ends (awaited)",
    ),
    10: (  # how many runs may be under way at once, and which processes have joined runs of others
        """CREATE TABLE places (id INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER NOT NULL, workflow TEXT NOT NULL,
            gate TEXT NOT NULL, most INTEGER NOT NULL, inside INTEGER NOT NULL, until INTEGER,
            UNIQUE (run, workflow, gate))""",
        "CREATE INDEX places_of_gates ON places (workflow, gate, inside, id)",
        "CREATE INDEX places_until ON places (until) WHERE until IS NOT NULL",
        "CREATE INDEX runs_of_keys ON runs (workflow, key) WHERE key IS NOT NULL AND ended IS NULL",
        "CREATE TABLE followed (owner TEXT NOT NULL, run INTEGER NOT NULL, PRIMARY KEY (owner, run)) WITHOUT ROWID",
        "CREATE INDEX followed_runs ON followed (run)",
    ),
    11: (  # events for runs under a key that are still to come
        """CREATE TABLE mailbox (id INTEGER PRIMARY KEY AUTOINCREMENT, workflow TEXT NOT NULL, key TEXT NOT NULL,
            message_id TEXT, body TEXT NOT NULL, at INTEGER NOT NULL, until INTEGER NOT NULL,
            UNIQUE (workflow, key, message_id))""",
        "CREATE INDEX mailbox_until ON mailbox (until)",
    ),
}
"""For each format after the first the statements that make it of the one before."""

FORMAT: Final = 1 + len(MIGRATIONS)
"""The format of the stores that this version writes."""
