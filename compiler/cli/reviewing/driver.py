"""A driver for ``git diff``: shows what a change of a spec means, and of any other file the lines that differ."""

from __future__ import annotations

import difflib
import os
from collections.abc import Iterator, Sequence

from wfc.compiler.cli.reviewing.approvals import Approvals
from wfc.compiler.cli.reviewing.comparison import compare_sides
from wfc.compiler.cli.reviewing.foretelling import foretell_runs
from wfc.compiler.cli.reviewing.report import report_of
from wfc.compiler.cli.reviewing.sides import GivenSide
from wfc.compiler.cli.reviewing.text import report_text, summary
from wfc.compiler.diagnostics.escaping import printable
from wfc.compiler.limits import MAX_BYTES
from wfc.compiler.workspace.detection import looks_like_spec
from wfc.compiler.workspace.reading import read_or_reason
from wfc.compiler.workspace.sources import PathError

__all__ = ["driven"]


def driven(given: Sequence[str]) -> str:
    """Return what is shown of a change of one file.

    Args:
        given: What git gives to a driver: the path, and of both versions the file, the id and the mode; of a renamed
            file the new path besides; of a file with conflicts the path alone.
    """
    if len(given) < 7:
        return f"{printable(given[0])} has conflicts\n" if given else ""
    path, now = given[0], given[7] if len(given) > 7 else given[0]
    old, new = _content(given[1]), _content(given[4])
    shown = path if path == now else f"{path} → {now}"
    try:
        told = _meaning(path, old, now, new)
    except PathError:
        told = None
    except Exception as error:  # whatever happens here, the reader of a history wants to go on
        told = f"what it means cannot be told: {type(error).__name__}\n{_lines(path, old, now, new)}"
    return f"wfc diff {printable(shown)}\n{_lines(path, old, now, new) if told is None else told}\n"


def _content(path: str) -> bytes | None:
    """Return a version's bytes; ``None`` if there is none."""
    if path == os.devnull:
        return None
    raw = read_or_reason(path, MAX_BYTES + 1)
    return raw if isinstance(raw, bytes) else b""


def _meaning(path: str, old: bytes | None, now: str, new: bytes | None) -> str | None:
    """Return what has changed in meaning; ``None`` if neither is a spec, or one is too large."""
    sides = [GivenSide(title, where, raw) for title, where, raw in (("before", path, old), ("now", now, new))]
    given = [raw for raw in (old, new) if raw is not None]
    if not any(map(looks_like_spec, given)) or any(len(raw) > MAX_BYTES for raw in given):
        return None
    comparison = compare_sides(*sides)
    if not any(version for pair in comparison.versions for version in pair):
        return None  # such as a file of declarations, which means what specs make of it
    notes = foretell_runs(comparison)
    report = report_of(comparison, *sides, approvals=Approvals(), notes=notes)
    return "".join([report_text(report), *(f"{printable(each)}\n" for each in notes), f"{summary(report)}\n"])


def _lines(path: str, old: bytes | None, now: str, new: bytes | None) -> str:
    """Return the lines that differ."""
    before, after = ((raw or b"").decode(errors="replace").splitlines() for raw in (old, new))
    names = os.devnull if old is None else f"a/{path}", os.devnull if new is None else f"b/{now}"
    told: Iterator[str] = difflib.unified_diff(before, after, *names, lineterm="")
    return "".join(f"{printable(line)}\n" for line in told)
