"""Kills processes that bring an index up to date, at each of their writes and at moments by chance.

A program of its own, so that it may fork. It prints a line of JSON for each process that it has killed: where, what was
found then, and what was found after the next update.
"""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
import sqlite3
import sys
import time
from collections.abc import Callable
from contextlib import closing
from dataclasses import replace
from pathlib import Path
from typing import Any

from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.knowledge import searching, vectors
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import is_current, update

WRITES = ("BEGIN", "COMMIT", "INSERT", "REPLACE", "DELETE", "CREATE", "DROP")
BEFORE = {f"{number}.txt": f"old words of text {number}" for number in range(6)}
AFTER = {
    **{f"{number}.txt": f"new words of text {number}" for number in range(3)},
    **{f"{number}.txt": BEFORE[f"{number}.txt"] for number in range(3, 5)},
    **{f"more{number}.txt": f"more words of text {number}" for number in range(7)},
}

FUNCTIONS = """
from pathlib import Path
def note(texts):
    with Path(__file__).with_name("asked.log").open("a") as file:
        file.write(f"{len(texts)}\\n")
def embed(texts):
    note(texts)
    return [[1.0, *(float(text.count(letter)) for letter in "abcdefghijklmnopqrstuvwxyz0123456789")] for text in texts]
def keywords(texts):
    note(texts)
    return [text.split() for text in texts]
"""


class Points:
    """The points at which this process may die; it does at the one with a number."""

    def __init__(self, dies_at: int) -> None:
        self.dies_at = dies_at
        self.seen = 0

    def reach(self) -> None:
        self.seen += 1
        if self.seen == self.dies_at:
            os.kill(os.getpid(), signal.SIGKILL)

    def before(self, call: Callable[..., Any]) -> Callable[..., Any]:
        """Return a call before which this process may die; after it is before the next one."""

        def called(*args: Any, **named: Any) -> Any:
            self.reach()
            return call(*args, **named)

        return called


def watch(points: Points) -> None:
    """Let this process die at its writes: of databases, of files with vectors, and where it removes files."""

    class Connection(sqlite3.Connection):
        def execute(self, statement: str, *args: Any) -> Any:
            call = super().execute
            writes = statement.lstrip().upper().startswith(WRITES)
            return (points.before(call) if writes else call)(statement, *args)

        def executemany(self, statement: str, *args: Any) -> Any:
            return points.before(super().executemany)(statement, *args)

    connect = sqlite3.connect
    sqlite3.connect = lambda *args, **named: connect(*args, **{"factory": Connection, **named})  # type: ignore[assignment]
    os.fsync = points.before(os.fsync)
    Path.unlink = points.before(Path.unlink)  # type: ignore[method-assign]
    vectors.write = points.before(vectors.write)


def in_child(work: Callable[[], Any]) -> int:
    """Return the number of a process that works and ends."""
    child = os.fork()
    if child:
        return child
    try:
        work()
    except BaseException as error:
        print(json.dumps({"error": repr(error)}), flush=True)
        os._exit(1)
    os._exit(0)


def collection(folder: Path, index: Any) -> Knowledge:
    texts = Knowledge("texts", ["./*.txt"], folder, size=60, index=index, max_calls=100)
    if index == "keyword":
        return texts
    name = "functions:keywords" if index == "keyword_table" else "functions:embed"
    model: Any = PythonTool(name, output=list[Any], beside=folder)
    return replace(texts, model=model)


def found(texts: Knowledge, path: Path) -> list[str]:
    """Return what the index has as it is, found by words or by meaning."""
    searching._UP_TO_DATE[searching._said(texts)] = searching._Looked(path, time.monotonic() + 1e9)
    return sorted(f"{each.source}: {each.text}" for each in searching.search([texts], "words", 100))


def told(files: dict[str, str]) -> list[str]:
    return sorted(f"{name}: {text}" for name, text in files.items())


class Trial:
    """A folder with an index of the texts as they were, and the texts as they are now."""

    def __init__(self, top: Path, index: str) -> None:
        self.top, self.index = top, index
        self.kept = top / "kept"
        self.folder = top / "texts"
        self.folder.mkdir(parents=True)
        (self.folder / "functions.py").write_text(FUNCTIONS)
        (self.folder / "wfc.toml").write_text("")
        self.write(BEFORE)
        texts = collection(self.folder, index)
        self.path = searching.index_of(texts)
        os.waitpid(in_child(lambda: update(texts, self.path)), 0)
        for name in BEFORE:
            (self.folder / name).unlink()
        self.write(AFTER)
        (self.folder / "asked.log").unlink(missing_ok=True)
        shutil.copytree(self.folder, self.kept)

    def write(self, files: dict[str, str]) -> None:
        for name, text in files.items():
            (self.folder / name).write_text(text)

    def again(self) -> Knowledge:
        """Return the collection, in the folder as it was."""
        shutil.rmtree(self.folder)
        shutil.copytree(self.kept, self.folder)
        return collection(self.folder, self.index)

    def tell(self, where: str, texts: Knowledge) -> None:
        """Print what stands after a process was killed, and after the next update."""

        def look() -> None:
            before = found(texts, self.path)
            state = "old" if before == told(BEFORE) else "new" if before == told(AFTER) else str(before)
            update(texts, self.path)
            after = found(texts, self.path) == told(AFTER) and is_current(texts, self.path)
            with closing(sqlite3.connect(self.path)) as database:
                (whole,) = database.execute("PRAGMA integrity_check").fetchone()
                if self.index != "vector":
                    database.execute("INSERT INTO words (words) VALUES ('integrity-check')")
            log = self.folder / "asked.log"
            asked = sum(map(int, log.read_text().split())) if log.exists() else 0
            update(texts, self.path)
            files = len([*self.path.parent.glob("*.vectors")])
            row = {
                "where": where,
                "state": state,
                "after": after,
                "whole": whole,
                "asked": asked,
                "files": files,
            }
            print(json.dumps(row), flush=True)

        os.waitpid(in_child(look), 0)


def at_each_write(trial: Trial) -> None:
    """Kill a process at each of its writes, until one has come to its end."""
    number = 0
    while True:
        number += 1
        texts = trial.again()

        def work(texts: Knowledge = texts, number: int = number) -> None:
            watch(Points(number))
            update(texts, trial.path)

        _, status = os.waitpid(in_child(work), 0)
        trial.tell(f"write {number}", texts)
        if not os.WIFSIGNALED(status):
            return


def by_chance(trial: Trial, seed: int, count: int) -> None:
    """Kill one of two processes that bring the same index up to date, at moments by chance; the other one goes on."""
    chance = random.Random(seed)  # noqa: S311
    begun = time.monotonic()
    os.waitpid(in_child(lambda: update(trial.again(), trial.path)), 0)
    whole = time.monotonic() - begun
    for number in range(count):
        texts = trial.again()
        both = [in_child(lambda texts=texts: update(texts, trial.path)) for _ in range(1 + number % 2)]  # type: ignore[misc]
        time.sleep(chance.random() * whole)
        os.kill(both[0], signal.SIGKILL)
        ends = [os.waitpid(each, 0)[1] for each in both]
        trial.tell(f"chance {number}" if not any(ends[1:]) else "the other one failed", texts)


if __name__ == "__main__":
    vectors.BATCH = 4  # type: ignore[misc]
    made = Trial(Path(sys.argv[1]), sys.argv[2])
    at_each_write(made)
    by_chance(made, 7, int(sys.argv[3]))
