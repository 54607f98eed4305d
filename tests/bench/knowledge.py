"""Measures searching collections of texts, beside a bare script over SQLite, and prints a table. Run it by hand::

    python tests/bench/knowledge.py                # 20,000 passages, about a minute
    python tests/bench/knowledge.py --passages 200000

Both write the same rows of the same files: text, source, place, a digest of the file, and the index of words. Ours also
finds the files, cuts them, and takes endings and scripts without spaces into account. The two take turns; each row is a
median of its runs.
"""

from __future__ import annotations

import argparse
import hashlib
import random
import resource
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import is_current, opened, update
from wfc.runtime.calls.knowledge.searching import index_of, search

IN_A_FILE = 100
QUERIES = 200


def write_texts(folder: Path, passages: int) -> list[str]:
    """Write files whose words are as frequent as in a language (Zipf's law); return questions of three words."""
    rng = random.Random(1)  # noqa: S311
    words = ["".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=rng.randint(3, 9))) for _ in range(20_000)]
    weights = [1 / (rank + 1) for rank in range(len(words))]
    drawn = iter(rng.choices(words, weights, k=passages * 60))
    for number in range(passages // IN_A_FILE):
        paragraphs = (" ".join(next(drawn) for _ in range(60)) for _ in range(IN_A_FILE))
        (folder / f"text{number:05}.txt").write_text("\n\n".join(paragraphs), encoding="utf-8")
    return [" ".join(rng.choices(words[50:5000], k=3)) for _ in range(QUERIES)]


def write_bare(rows: list[tuple[str, int, str]], folder: Path, path: Path) -> None:
    """Write the same passages by nothing but SQLite; they are given, and need not be cut."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("CREATE TABLE passages (id INTEGER PRIMARY KEY, path, start, text, digest)")
        database.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2')"
        )
        database.execute("BEGIN IMMEDIATE")
        digests: dict[str, bytes] = {}
        for file, start, text in rows:
            if file not in digests:
                digests[file] = hashlib.sha256((folder / file).read_bytes()).digest()
            made = database.execute(
                "INSERT INTO passages (path, start, text, digest) VALUES (?, ?, ?, ?)",
                (file, start, text, digests[file]),
            )
            database.execute("INSERT INTO words (rowid, text) VALUES (?, ?)", (made.lastrowid, text))
        database.execute("COMMIT")


def ask_bare(path: Path, queries: list[str]) -> None:
    """Ask by nothing but SQLite, over a connection a query."""
    for query in queries:
        database = sqlite3.connect(path)
        asked = " OR ".join(f'"{word}"' for word in query.split())
        database.execute(
            "SELECT path, start, text, -found.score FROM (SELECT rowid, rank AS score FROM words WHERE words MATCH ?"
            " ORDER BY rank LIMIT 5) AS found JOIN passages ON passages.id = found.rowid ORDER BY found.score",
            (asked,),
        ).fetchall()
        database.close()


def seconds(work: Callable[[], object]) -> float:
    """Return how long something takes, in seconds."""
    begun = time.perf_counter()
    work()
    return time.perf_counter() - begun


def main() -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--passages", type=int, default=20_000)
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        queries = write_texts(folder, options.passages)
        knowledge = Knowledge("texts", files=["./*.txt"], beside=str(folder / "spec.py"), by="size", size=500)
        ours, bare, asked_ours, asked_bare = [], [], [], []
        for turn in range(options.repeats):
            index, plain = folder / f"ours{turn}.db", folder / f"bare{turn}.db"
            ours.append(seconds(lambda index=index: update(knowledge, index)))
            with opened(index) as database:
                rows = database.execute("SELECT path, start, text FROM passages ORDER BY id").fetchall()
            bare.append(seconds(lambda rows=rows, plain=plain: write_bare(rows, folder, plain)))
        unchanged = statistics.median(
            seconds(lambda: update(knowledge, index)) for _ in range(options.repeats)
        )
        all_read = statistics.median(
            seconds(lambda: is_current(knowledge, index)) for _ in range(options.repeats)
        )
        update(knowledge, index_of(knowledge))
        search([knowledge], "warm", 5)
        for _ in range(options.repeats):
            asked_ours.append(seconds(lambda: [search([knowledge], query, 5) for query in queries]))
            asked_bare.append(seconds(lambda: ask_bare(plain, queries)))
        print(
            f"{len(rows):,} passages, {options.passages // IN_A_FILE:,} files; medians of {options.repeats}\n"
        )
        print("| | ours | a bare script | ratio |\n| --- | --- | --- | --- |")
        for name, mine, theirs, unit, per in (
            ("write the index", ours, bare, "s", 1.0),
            ("ask once", asked_ours, asked_bare, "ms", 1000 / QUERIES),
        ):
            first, second = statistics.median(mine) * per, statistics.median(theirs) * per
            print(f"| {name} | {first:.2f} {unit} | {second:.2f} {unit} | {first / second:.2f} |")
        print(f"| nothing has changed | {unchanged:.3f} s | | |\n| all is read anew | {all_read:.3f} s | | |")
        most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
        print(f"\nmemory at most {most:,.0f} MB", file=sys.stdout)


if __name__ == "__main__":
    main()
