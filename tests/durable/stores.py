"""What is put to the test: engines that keep runs, each with the places at which its processes can be killed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Final, NamedTuple

from wfc.runtime import Engine
from wfc.runtime.errors import RunUnknownError

__all__ = ["KEEPERS", "Keeper"]

POINTS: Final = (
    "encode",
    "advanced",
    "commit",
    "committed",
    "release",
    "snapshot",
    "pruned",
    "recovered",
    "child",
    "child-ended",
    "restart",
    "exit",
)
"""The points of ``store/crash_points.py`` that a process with a run comes by; ``posted`` is one of those who post."""


class Keeper(NamedTuple):
    """An engine that keeps runs.

    Args:
        open: Returns the engine over what is in a folder.
        points: Where its processes can be killed.
        prune: Drops what a run's snapshot makes unnecessary; ``None`` where that is no notion.
        problems: Returns what is wrong with what is kept, in words.
    """

    open: Callable[[Path], Engine]
    points: tuple[str, ...]
    prune: Callable[[Engine, str], object] | None
    problems: Callable[[Engine], list[str]]


async def _prune(engine: Engine, run_id: str) -> None:
    try:
        engine.show(run_id)
    except RunUnknownError:
        return
    await engine.store.prune(run_id)


KEEPERS: Final = {
    "sqlite": Keeper(
        open=lambda folder: Engine(store=folder / "runs.db"),
        points=POINTS,
        prune=_prune,
        problems=lambda engine: engine.store.problems(),
    )
}
"""By name, as ``WFC_KEEPER`` asks for them."""
