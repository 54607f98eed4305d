"""The folder ``.wfc``, in which a project's runs, keys and caches are kept."""

from __future__ import annotations

import contextlib
from pathlib import Path

__all__ = ["make_folder"]


def make_folder(folder: Path) -> None:
    """Make a folder if it is not there; what is in a ``.wfc``, such as runs and tokens, stays out of repositories.

    Raises:
        OSError: It cannot be made.
    """
    folder.mkdir(parents=True, exist_ok=True)
    own = next((each for each in (folder, *folder.parents) if each.name == ".wfc"), None)
    if own is not None:
        # whoever has one of their own keeps it
        with contextlib.suppress(OSError), open(own / ".gitignore", "x", encoding="utf-8") as file:
            file.write("*\n")
