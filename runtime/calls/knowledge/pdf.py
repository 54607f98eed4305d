"""The pages of a PDF, by `pypdf`: the one file that imports it."""

from __future__ import annotations

import io
import logging

from wfc.runtime.calls.knowledge.definition import TextBound, UnreadableError
from wfc.runtime.errors import MissingPackageError

try:
    import pypdf
except ImportError:
    raise MissingPackageError(
        'reading PDF files needs a package that is not installed: pip install "wfc-workflows[knowledge]"'
    ) from None

__all__ = ["pages"]

_MOST_PAGES = 20_000

logging.getLogger("pypdf").setLevel(logging.CRITICAL)  # what is wrong with a file is told in its line


def pages(raw: bytes) -> list[str]:
    """Return the text of each page.

    Raises:
        UnreadableError: It is encrypted, damaged or too long.
    """
    try:
        reader = pypdf.PdfReader(io.BytesIO(raw))
        if reader.is_encrypted and not reader.decrypt(""):
            raise UnreadableError("it is encrypted")
        if len(reader.pages) > _MOST_PAGES:
            raise UnreadableError(f"it has more than {_MOST_PAGES:,} pages")
        bound, found = TextBound(), []
        for each in reader.pages:
            found.append(each.extract_text())
            bound.take(len(found[-1]))
        return found
    except (UnreadableError, MemoryError):
        raise
    except RecursionError:
        raise UnreadableError("it is no PDF that can be read: it is nested too deeply") from None
    except Exception as error:  # pypdf raises what its parts raise: a damaged file may cause any of it
        raise UnreadableError(f"it is no PDF that can be read: {type(error).__name__}") from None
