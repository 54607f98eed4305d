"""The rows of a spreadsheet, by `openpyxl`: the one file that imports it."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from typing import Any

from wfc.runtime.calls.knowledge.definition import TextBound, UnreadableError
from wfc.runtime.calls.knowledge.zipped import refuse_bombs
from wfc.runtime.errors import MissingPackageError

try:
    import openpyxl
except ImportError:
    raise MissingPackageError(
        'reading spreadsheets needs a package that is not installed: pip install "wfc-workflows[knowledge]"'
    ) from None

__all__ = ["rows"]

_MOST_ROWS = 200_000
_MOST_COLUMNS = 500


def rows(raw: bytes) -> list[tuple[str, int, list[tuple[str, str]]]]:
    """Return each row below the first of each sheet: the sheet, its number, and its values by the names of columns.

    Of a formula it is the value that was worked out when the file was saved.

    Raises:
        UnreadableError: It is no spreadsheet, it is encrypted, damaged or too large.
    """
    refuse_bombs(raw, "xl/workbook.xml")
    try:
        with warnings.catch_warnings(action="ignore"):  # about charts and the like, which are not read
            return list(_rows(openpyxl.load_workbook(io.BytesIO(raw), read_only=True, data_only=True)))
    except (UnreadableError, MemoryError):
        raise
    except Exception as error:  # the libraries below raise what they like: a damaged file may cause any of it
        raise UnreadableError(f"it is no spreadsheet that can be read: {type(error).__name__}") from None


def _rows(book: Any) -> Iterator[tuple[str, int, list[tuple[str, str]]]]:
    count, bound = 0, TextBound()
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # a file may lie about them
        found = sheet.iter_rows(values_only=True, max_col=_MOST_COLUMNS)
        names = [str(each) if each is not None else "" for each in next(found, ())]
        for number, row in enumerate(found, start=2):
            count += 1
            if count > _MOST_ROWS:
                raise UnreadableError(f"it has more than {_MOST_ROWS:,} rows")
            values = [
                (name, str(value)) for name, value in zip(names, row, strict=False) if value is not None
            ]
            bound.take(sum(len(name) + len(value) for name, value in values))
            if values:
                yield sheet.title, number, values
