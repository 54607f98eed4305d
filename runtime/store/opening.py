"""Stores by their addresses: a path, ``sqlite:///path``, or ``postgresql://user@host/database``."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple
from urllib.parse import parse_qsl, unquote, urlsplit

from wfc.runtime.errors import StoreError
from wfc.runtime.store.sql.journal import SqlJournal
from wfc.runtime.store.sqlite import SqliteJournal, Synchronous
from wfc.runtime.values.addresses import SERVERS, without_password

__all__ = ["StoreAddress", "open_store", "read_address"]


_SYNCHRONOUS: dict[str, Synchronous] = {"full": "full", "normal": "normal"}


class StoreAddress(NamedTuple):
    """What the address of a store says.

    Args:
        path: Its file; ``None``: it is in a database of a server.
        synchronous: What a commit to the file survives.
        server: The address of the database.
    """

    path: Path | None
    synchronous: Synchronous = "full"
    server: str = ""


def read_address(address: str | Path, folder: Path | None = None) -> StoreAddress:
    """Return what an address says.

    ``sqlite:///runs.db`` is a file in the working directory, ``sqlite:////var/runs.db`` an absolute path, and
    ``postgresql://user@host:5432/database`` a database of a server.

    Args:
        folder: That of relative paths, instead of the working directory.

    Raises:
        StoreError: It is none.
    """
    if isinstance(address, Path) or "://" not in address:
        return StoreAddress((folder or Path()) / address)
    if address.startswith(SERVERS):
        return StoreAddress(None, server=address)
    parts = urlsplit(address)
    path = unquote(parts.path.removeprefix("/"))
    if parts.scheme != "sqlite" or parts.netloc or not path:
        raise StoreError(
            f"`{without_password(address)}` is no address of a store: `sqlite:///runs.db` is one, and so is "
            f"`postgresql://user@host:5432/database`"
        )
    synchronous: Synchronous = "full"
    for name, value in parse_qsl(parts.query, keep_blank_values=True):
        if name != "synchronous" or value not in _SYNCHRONOUS:
            raise StoreError(f"`{address}`: of options there is `synchronous=full` and `synchronous=normal`")
        synchronous = _SYNCHRONOUS[value]
    return StoreAddress((folder or Path()) / path, synchronous)


def open_store(address: str | Path, *, folder: Path | None = None, is_new_allowed: bool = True) -> SqlJournal:
    """Open the store of an address.

    Args:
        folder: That of relative paths, instead of the working directory.
        is_new_allowed: Whether the store may be created.

    Raises:
        StoreError: The address is none, or the store cannot be opened.
        MissingPackageError: Packages are not installed that a store on a server needs.
    """
    path, synchronous, server = read_address(address, folder)
    if path is None:
        from wfc.runtime.store.postgresql import PostgresJournal

        return PostgresJournal(server, is_new_allowed=is_new_allowed)
    return SqliteJournal(path, synchronous=synchronous, is_new_allowed=is_new_allowed)
