"""Searches of indexes that a model has built, and of lists."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterator
from typing import Final

__all__ = ["in_order", "in_tree"]

_MOST_BRANCHES: Final = 3
"""How many groups of a level are looked into."""

Judge = Callable[[list[str]], list[float]]


def in_order(database: sqlite3.Connection, most: int) -> Iterator[int]:
    """Yield the numbers of the passages as they stand in the texts."""
    for (number,) in database.execute("SELECT id FROM passages ORDER BY path, number LIMIT ?", (most,)):
        yield number


def in_tree(database: sqlite3.Connection, judge: Judge) -> list[tuple[int, float]]:
    """Return the passages that a model finds from the top of the tree down, with how well they fit, best first.

    Args:
        judge: Returns how well texts fit the question, from 0 to 1. It is asked once for each level.
    """
    row = database.execute("SELECT max(level) FROM tree").fetchone()
    level = row[0] if row is not None else None
    if level is None:
        return []
    nodes = database.execute("SELECT node, text FROM tree WHERE level = ? ORDER BY node", (level,)).fetchall()
    while level > 0:
        scores = judge([text for _, text in nodes])
        best = sorted(zip(scores, nodes, strict=True), key=lambda each: -each[0])[:_MOST_BRANCHES]
        chosen = [node for score, (node, _) in best if score > 0]
        marks = ", ".join("?" * len(chosen))
        nodes = database.execute(
            f"SELECT node, text FROM tree WHERE above IN ({marks}) ORDER BY node",  # noqa: S608
            chosen,
        ).fetchall()
        level -= 1
    marks = ", ".join("?" * len(nodes))
    passages = database.execute(
        f"""SELECT passages.id, passages.heading, passages.text FROM tree JOIN passages ON passages.id = tree.passage
        WHERE node IN ({marks}) ORDER BY node""",  # noqa: S608
        [node for node, _ in nodes],
    ).fetchall()
    scores = judge([f"{heading}\n{text}" if heading else text for _, heading, text in passages])
    found = [(number, score) for (number, _, _), score in zip(passages, scores, strict=True) if score > 0]
    return sorted(found, key=lambda each: -each[1])
