"""Copies of a store, made while runs go on."""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

from wfc.runtime.errors import StoreError

__all__ = ["back_up"]


def back_up(connect: Callable[[], sqlite3.Connection], goal: Path) -> None:
    """Copy a store as it is at one moment.

    Args:
        connect: Opens a connection to the store.
        goal: The copy, which is not there yet; it has its name only when it is complete.

    Raises:
        StoreError: The copy cannot be written, or there is a file already.
    """
    if goal.exists():
        raise StoreError(f"{goal} is there already")
    unfinished = goal.with_name(f"{goal.name}.unfinished-{os.getpid()}")
    try:
        with (
            contextlib.closing(connect()) as source,
            contextlib.closing(sqlite3.connect(unfinished)) as target,
        ):
            source.backup(target)
        os.replace(unfinished, goal)
    except (sqlite3.Error, OSError) as error:
        raise StoreError(f"the store cannot be copied to {goal}: {error}") from error
    finally:
        unfinished.unlink(missing_ok=True)
