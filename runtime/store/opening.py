"""Stores by their addresses: ``sqlite:///path``, with ``?synchronous=normal`` behind it, or a plain path."""

from __future__ import annotations

from pathlib import Path
from urllib.parse import parse_qsl, unquote, urlsplit

from wfc.runtime.errors import StoreError
from wfc.runtime.store.sqlite import SqliteJournal, Synchronous

__all__ = ["open_store"]

_SYNCHRONOUS: dict[str, Synchronous] = {"full": "full", "normal": "normal"}


def open_store(address: str | Path, *, is_new_allowed: bool = True) -> SqliteJournal:
    """Open the store of an address.

    ``sqlite:///runs.db`` is a file in the working directory, ``sqlite:////var/runs.db`` an absolute path.

    Raises:
        StoreError: The address is none, or the store cannot be opened.
    """
    if isinstance(address, Path) or "://" not in address:
        return SqliteJournal(address, is_new_allowed=is_new_allowed)
    parts = urlsplit(address)
    path = unquote(parts.path.removeprefix("/"))
    if parts.scheme != "sqlite" or parts.netloc or not path:
        raise StoreError(f"`{address}` is no address of a store: `sqlite:///runs.db` is one")
    synchronous: Synchronous = "full"
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name != "synchronous" or value not in _SYNCHRONOUS:
            raise StoreError(f"`{address}`: of options there is `synchronous=full` and `synchronous=normal`")
        synchronous = _SYNCHRONOUS[value]
    return SqliteJournal(path, synchronous=synchronous, is_new_allowed=is_new_allowed)
