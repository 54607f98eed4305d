"""Paths relative to a folder, with links resolved."""

from __future__ import annotations

import os
from collections.abc import Callable

__all__ = ["folders_seen_from", "relative_path"]


def folders_seen_from(folder: str) -> Callable[[str], str]:
    """Return a function that returns a file's folder as a module in this folder refers to it."""
    return lambda file: relative_path(os.path.dirname(file) or ".", folder)


def relative_path(path: str, folder: str) -> str:
    """Return a path relative to a folder, with ``/``."""
    try:
        return os.path.relpath(os.path.realpath(path), os.path.realpath(folder)).replace(os.sep, "/")
    except ValueError:  # another drive
        return os.path.basename(path)
