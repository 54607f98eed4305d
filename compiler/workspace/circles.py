"""Circles of files that import each other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

__all__ = ["Circles"]


class Circles:
    """The ways by which files come back to themselves, whichever of them was read first.

    Args:
        imports_of: Returns the files that a file imports.
    """

    def __init__(self, imports_of: Callable[[str], Sequence[str]]) -> None:
        self.imports_of = imports_of
        self.sound: set[str] = set()  # files from which no circle can be reached

    def way(self, start: str, goal: str, *, is_read: bool) -> tuple[str, ...]:
        """Return the shortest way from one file to another, both included; nothing if there is none.

        Args:
            is_read: Whether the first file and all that it imports have been read; a file that imports sound
                ones only is then sound itself, so that projects without circles are never searched.
        """
        if start in self.sound:
            return ()
        if is_read and start != goal and all(path in self.sound for path in self.imports_of(start)):
            self.sound.add(start)
            return ()
        came_from = {start: ""}
        waiting = [start]
        for path in waiting:  # grows while it is gone through: the nearest files first
            if path == goal:
                return trace(came_from, goal)
            for target in self.imports_of(path):
                if target not in came_from and target not in self.sound:
                    came_from[target] = path
                    waiting.append(target)
        return ()


def trace(came_from: dict[str, str], goal: str) -> tuple[str, ...]:
    way = [goal]
    while came_from[way[-1]]:
        way.append(came_from[way[-1]])
    return tuple(reversed(way))
