"""Measures collections of texts beside what does the same without us, and prints tables. Run it by hand::

    pip install llama-index-core langchain-core
    python -P tests/bench/knowledge.py              # 20,000 passages and vectors; about three minutes
    python -P tests/bench/knowledge.py --large      # 200,000 passages and 100,000 vectors as well; about fifteen

By words, ours and a bare script over SQLite write the same rows of the same files: text, source, place, a digest of the
file, and the index of words. Ours also finds the files, cuts them, and takes endings and scripts without spaces into
account. By meaning, the measure is one product of the mapped matrix with a vector. Then come the rankings of
`retrieval.py`, beside llama-index-core and LangChain, on all its sets. What is compared takes turns in one process, by
the processor's time, which other work on the machine changes least; each figure is a median. What memory a thing needs
is asked of a process that does nothing else.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import random
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

from wfc.runtime.calls.bindings import PythonTool
from wfc.runtime.calls.knowledge.definition import Knowledge
from wfc.runtime.calls.knowledge.index import is_current, opened, update
from wfc.runtime.calls.knowledge.searching import index_of, search

IN_A_FILE = 100
QUERIES = 100
REPEATS = 5
FILES = 20_000
SIZE = 384

EMBEDDER = """import zlib
import numpy as np
def embed(texts):
    made = (np.random.default_rng(zlib.crc32(text.encode())).standard_normal(384) for text in texts)
    return [vector.tolist() for vector in made]
"""


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


def texts_in(folder: Path, index: Any = "keyword") -> Knowledge:
    """Return the collection of a folder's files."""
    model: Any = PythonTool("quick:embed", output=list[list[float]], beside=folder)
    knowledge = Knowledge(
        "texts",
        ["./*.txt"],
        folder,
        by="size",
        size=500,
        index=index,
        model=model if index == "vector" else None,
    )
    (folder / "quick.py").write_text(EMBEDDER)
    return knowledge


def write_bare(rows: list[tuple[str, int, str]], folder: Path, path: Path) -> None:
    """Write the same passages by nothing but SQLite; they are given, and need not be cut."""
    with closing(sqlite3.connect(path, isolation_level=None)) as database:
        database.execute("PRAGMA journal_mode=WAL")
        database.execute("PRAGMA synchronous=NORMAL")
        database.execute("CREATE TABLE passages (id INTEGER PRIMARY KEY, path, start, text, about, digest)")
        database.execute(
            "CREATE VIRTUAL TABLE words USING fts5(text, content='', tokenize='porter unicode61 remove_diacritics 2')"
        )
        database.execute("BEGIN IMMEDIATE")
        digests: dict[str, bytes] = {}
        for file, start, text in rows:
            if file not in digests:
                digests[file] = hashlib.sha256((folder / file).read_bytes()).digest()
            made = database.execute(
                "INSERT INTO passages (path, start, text, about, digest) VALUES (?, ?, ?, ?, ?)",
                (file, start, text, "{}", digests[file]),
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
    """Return how long the processor is at something, in seconds."""
    begun = time.process_time()
    work()
    return time.process_time() - begun


def in_pairs(ours: Callable[[], object], bare: Callable[[], object], repeats: int = REPEATS) -> list[float]:
    """Return the medians of both, which take turns, and that of their ratios."""
    pairs = [(seconds(ours), seconds(bare)) for _ in range(repeats)]
    return [
        *(statistics.median(each) for each in zip(*pairs, strict=True)),
        statistics.median(mine / other for mine, other in pairs),
    ]


def by_words(passages: int) -> Iterator[str]:
    """Yield the rows of what writing and asking an index of words takes."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        queries = write_texts(folder, passages)
        knowledge = texts_in(folder)
        first = index_of(knowledge)
        update(knowledge, first)
        with opened(first) as database:
            rows = database.execute("SELECT path, start, text FROM passages ORDER BY id").fetchall()
        turns = iter(range(1000))
        written = in_pairs(
            lambda: update(knowledge, folder / f"ours{next(turns)}.db"),
            lambda: write_bare(rows, folder, folder / f"bare{next(turns)}.db"),
            3,
        )
        plain = sorted(folder.glob("bare*.db"))[-1]
        search([knowledge], "warm", 5)
        asked = in_pairs(
            lambda: [search([knowledge], query, 5) for query in queries], lambda: ask_bare(plain, queries)
        )
        name = f"{len(rows):,} passages"
        yield f"| {name}: write the index | {written[0]:.2f} s | {written[1]:.2f} s | {written[2]:.2f} |"
        one, other = (each * 1000 / QUERIES for each in asked[:2])
        yield f"| {name}: ask once | {one:.2f} ms | {other:.2f} ms | {asked[2]:.2f} |"
        told = alone("index", folder)
        yield f"| {name}: memory at most of a process that writes | {told['most']:.0f} MB | | |"
        told = alone("ask", folder, queries[:20])
        yield f"| {name}: memory of a process that asks | {told['own']:.0f} MB | | |"


def of_files() -> Iterator[str]:
    """Yield the rows of what it takes to see that nothing has changed."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        for number in range(FILES):
            (folder / f"{number}.txt").write_text(f"A text, {number}, about word{number % 977}.\n\n" * 5)
        knowledge = texts_in(folder)
        path = index_of(knowledge)
        update(knowledge, path)
        for name, work, wanted in (
            ("nothing has changed", lambda: update(knowledge, path), "1 s"),
            ("`--check` reads all", lambda: is_current(knowledge, path), "3 s"),
        ):
            begun = time.perf_counter()
            taken = statistics.median(seconds(work) for _ in range(REPEATS))
            clock = (time.perf_counter() - begun) / REPEATS
            yield f"| {FILES:,} files: {name} | {taken:.2f} s ({clock:.2f} s by the clock) | at most {wanted} | |"


def by_meaning(passages: int) -> Iterator[str]:
    """Yield the rows of what an exact search over vectors takes, from the question to its passages."""
    with tempfile.TemporaryDirectory() as made:
        folder = Path(made)
        queries = write_texts(folder, passages)
        knowledge = texts_in(folder, "vector")
        told = alone("index", folder, vectors=True)
        name = f"{told['passages']:,} vectors of {SIZE}"
        yield f"| {name}: write | {told['seconds']:.1f} s | | |"
        yield f"| {name}: memory at most of a process that writes | {told['most']:.0f} MB | | |"
        update(knowledge, index_of(knowledge))
        told = alone("ask", folder, queries, vectors=True)
        one, other, ratio = (told[each] for each in ("ask", "product", "ratio"))
        yield f"| {name}: ask once | {one:.1f} ms | one product {other:.1f} ms | {ratio:.2f} |"
        yield f"| {name}: memory of a process that asks, without what is mapped | {told['own']:.0f} MB | | |"


def alone(
    what: str, folder: Path, queries: list[str] | None = None, *, vectors: bool = False
) -> dict[str, Any]:
    """Return what a process of its own says that does one thing."""
    asked = [what, str(folder), json.dumps(queries or []), "vector" if vectors else "keyword"]
    command = [
        sys.executable,
        "-c",
        f"import sys; sys.path[:0] = {sys.path!r}; import knowledge; knowledge.one()",
    ]
    done = subprocess.run([*command, *asked], capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def one() -> None:
    """Do one thing, and print what it took and which memory."""
    what, folder, queries, index = sys.argv[1:]
    knowledge = texts_in(Path(folder), index)
    told: dict[str, Any] = {}
    if what == "index":
        begun = time.process_time()
        told["passages"] = update(knowledge, Path(folder) / "alone.db").passages
        told["seconds"] = time.process_time() - begun
    elif index == "keyword":
        for query in json.loads(queries):
            search([knowledge], query, 5)
    else:
        told = asked_by_meaning(knowledge, json.loads(queries))
    told["most"] = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    told["own"] = own_memory()
    print(json.dumps(told))


def asked_by_meaning(knowledge: Knowledge, queries: list[str]) -> dict[str, float]:
    """Return what a question takes, and one product of the mapped matrix with it, in turns."""
    import numpy as np

    from wfc.runtime.calls.knowledge import vectors

    search([knowledge], "warm", 5)
    ((_, matrix),) = vectors._MAPPED.values()
    question = np.random.default_rng(1).standard_normal(SIZE, dtype=np.float32)
    pairs = [
        (seconds(lambda query=query: search([knowledge], query, 5)), seconds(lambda: matrix @ question))
        for query in queries
    ]
    mine, bare = (statistics.median(each) * 1000 for each in zip(*pairs, strict=True))
    return {"ask": mine, "product": bare, "ratio": statistics.median(one / other for one, other in pairs)}


def own_memory() -> float:
    """Return how many MB of memory this process has, without pages of files that are mapped."""
    status = dict(line.split(":", 1) for line in Path("/proc/self/status").read_text().splitlines())
    return int(status["RssAnon"].split()[0]) / 1024


def main() -> None:
    """Measure, and print the tables."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--large", action="store_true")
    parser.add_argument("--only", choices=["words", "files", "meaning", "ranking"])
    options = parser.parse_args()
    parts: dict[str, list[Iterator[str]]] = {
        "words": [by_words(count) for count in (20_000, 200_000)[: 1 + options.large]],
        "files": [of_files()],
        "meaning": [by_meaning(count) for count in (20_000, 100_000)[: 1 + options.large]],
    }
    with suppress(
        ImportError
    ):  # it has no `__init__.py`, so that a file here of this name would be found first
        import llama_index.core  # noqa: F401
    sys.path.append(str(Path(__file__).parent))
    import retrieval

    print("| | ours | bare | ratio |\n| --- | --- | --- | --- |", flush=True)
    for name, tables in parts.items():
        for table in tables if options.only in (None, name) else ():
            for line in table:
                print(line, flush=True)
    for name in retrieval.SETS if options.only in (None, "ranking") else ():
        print(f"\nThe {name} set:\n", flush=True)
        with tempfile.TemporaryDirectory() as folder:
            for line in retrieval.rank(Path(folder), name):
                print(line, flush=True)


if __name__ == "__main__":
    main()
