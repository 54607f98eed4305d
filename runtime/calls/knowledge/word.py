"""The text of a Word file as Markdown, by `python-docx`: the one file that imports it."""

from __future__ import annotations

import io
import re
from typing import Any

from wfc.runtime.calls.knowledge.definition import TextBound, UnreadableError
from wfc.runtime.calls.knowledge.zipped import refuse_bombs
from wfc.runtime.errors import MissingPackageError

try:
    import docx
    from docx.table import Table, _Cell
except ImportError:
    raise MissingPackageError(
        'reading Word files needs a package that is not installed: pip install "wfc-workflows[knowledge]"'
    ) from None

__all__ = ["markdown_of"]

_LEVEL = re.compile(r"[Hh]eading ([1-6])")
_MOST_ROWS = 50_000
_MOST_COLUMNS = 1_000


def markdown_of(raw: bytes) -> tuple[str, dict[str, str]]:
    """Return the text, its headings marked as in Markdown and its tables as lines with bars, and its title.

    Raises:
        UnreadableError: It is no Word file, it is encrypted, damaged or too large.
    """
    refuse_bombs(raw, "word/document.xml")
    try:
        document = docx.Document(io.BytesIO(raw))
        bound = TextBound()
        blocks = [_block(each, bound) for each in document.iter_inner_content()]
        title = document.core_properties.title or ""
    except UnreadableError:
        raise
    except Exception as error:  # the libraries below raise what they like: a damaged file may cause any of it
        raise UnreadableError(f"it is no Word file that can be read: {type(error).__name__}") from None
    return "\n\n".join(each for each in blocks if each.strip()), {"title": title[:500]} if title else {}


def _block(block: Any, bound: TextBound) -> str:
    if not isinstance(block, Table):
        level = _LEVEL.fullmatch(block.style.name if block.style is not None else "")
        is_title = block.style is not None and block.style.name == "Title"
        mark = "#" * int(level[1]) + " " if level else "# " if is_title else ""
        return mark + " ".join(block.text.split()) if mark else str(block.text)
    lines = []
    above: dict[int, str] = {}
    for number, row in enumerate(block.rows):
        if number >= _MOST_ROWS:
            raise UnreadableError(f"a table has more than {_MOST_ROWS:,} rows")
        above = _cells(block, row, above, bound)
        lines.append(f"| {' | '.join(above.values())} |")
        if not number:
            lines.append(f"|{' --- |' * len(above)}")
    return "\n".join(lines)


def _cells(table: Table, row: Any, above: dict[int, str], bound: TextBound) -> dict[int, str]:
    """Return what a row says by columns; a merged cell says the same in each column and row that it covers.

    `row.cells` is not taken: it believes any width that a file tells, and climbs from each cell to the first one above.
    """
    found: dict[int, str] = {}
    column = row.grid_cols_before
    for cell in row._tr.tc_lst:
        if not 0 <= cell.grid_span <= _MOST_COLUMNS - len(found):
            raise UnreadableError(f"a table has more than {_MOST_COLUMNS:,} columns")
        said = above.get(column, "") if cell.vMerge == "continue" else _cell_text(_Cell(cell, table))
        bound.take(len(said) * cell.grid_span)
        found |= dict.fromkeys(range(column, column + cell.grid_span), said)
        column += cell.grid_span
    return found


def _cell_text(cell: Any) -> str:
    return " ".join(cell.text.split()).replace("|", "\\|")
