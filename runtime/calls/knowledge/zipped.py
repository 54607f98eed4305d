"""Files that are archives: whether they may be unpacked, before a library does so."""

from __future__ import annotations

import io
import zipfile
from typing import Final

from wfc.runtime.calls.knowledge.definition import UnreadableError

__all__ = ["refuse_bombs"]

_LARGEST: Final = 200_000_000
"""How many bytes all of an archive may have when it is unpacked."""
_MOST_PARTS: Final = 20_000
_WAYS: Final = {zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED}

_ENCRYPTED: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
"""What an older file of an office program begins with, and a new one that is encrypted."""


def refuse_bombs(raw: bytes, part: str) -> None:
    """Check that an archive has a part, and that it does not unpack to more than a document has reason to.

    What an archive says of its sizes is what it gives, since parts are packed as office programs pack them: of other
    ways `zipfile` unpacks a whole piece at once, however much that gives.

    Raises:
        UnreadableError: It is no such archive, it is too large, or packed in another way.
    """
    if raw.startswith(_ENCRYPTED):
        raise UnreadableError("it is encrypted, or of an older format")
    try:
        with zipfile.ZipFile(io.BytesIO(raw)) as archive:
            parts = archive.infolist()
            if part not in archive.namelist():
                raise UnreadableError(f"it is not what its name says: it has no `{part}`")
    except (zipfile.BadZipFile, ValueError, NotImplementedError, OSError, EOFError):
        raise UnreadableError("it is not what its name says, or damaged") from None
    if len(parts) > _MOST_PARTS or sum(each.file_size for each in parts) > _LARGEST:
        raise UnreadableError(f"it unpacks to more than {_LARGEST // 1_000_000} MB, or {_MOST_PARTS:,} parts")
    if not all(each.compress_type in _WAYS for each in parts):
        raise UnreadableError("it is packed in a way that no office program uses")
